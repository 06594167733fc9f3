"""What nobody but the user knows to be private: words of their own, their name, their home, addresses of people."""

from __future__ import annotations

import getpass
import re
from collections.abc import Iterable

from pollux.transforms.redact.rule import Rule

HOME = "~"
WORD = "word"

_COMMON = re.compile(
    "root|users?|admin|home|dev(?:eloper)?|test|guest|runner|ubuntu|debian|node|app|build|work|ci|vagrant|docker|jenkins"
    "|git|me|shared|public|default|system|local|code|src|www|data|vscode|codespace",
    re.IGNORECASE,
)
"""Names of homes that say nothing about their owner."""

_NAME = r"(?P<name>[^\s/\\:\"'<>|*?,;()\[\]{}`$&%]+)"
_ABOVE = ("var", "export", "usr", "data", "srv", "net", "mnt", "mnt/[A-Za-z]", "System/Volumes/Data", "[A-Za-z]")


def _folders(slash: str, before: str) -> re.Pattern[str]:
    """Homes in paths with such slashes, `before` which stands nothing that belongs to the path."""
    above = "|".join(_ABOVE).replace("/", slash)
    return re.compile(rf"{slash}{before}(?:(?:{above}){slash})?(?:home|Users){slash}{_NAME}")


_FOLDERS = _folders("/", r"(?<![\w.~-]/)")
_WRITTEN_FOLDERS = (  # as in JSON and in addresses
    _folders(r"\\{1,8}/", ""),
    _folders("%2[Ff]", r"(?:(?<![\w.~-]...)|(?<=%2[Ff]...)|(?<=%3[ADad]...))"),
)
_WINDOWS_FOLDERS = re.compile(rf"[A-Za-z](?::|%3[Aa])(?:\\+|/|%2[Ff]|%5[Cc])Users(?:\\+|/|%2[Ff]|%5[Cc]){_NAME}")

EMAIL = Rule(
    name="email",
    what="e-mail addresses, on request",
    letters=("@",),
    pattern=re.compile(r"(?!git@)[A-Za-z0-9][\w.+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*\.[A-Za-z]{2,24}"),
    example="ada.lovelace@engine.example.org",
    before=re.compile(r"[A-Za-z0-9][\w.+-]{0,63}\Z"),
)


def words_rule(words: Iterable[str]) -> Rule | None:
    """A rule for the user's own words, however they are written, also in the middle of others."""
    told = sorted({word.strip().lower() for word in words if word.strip()}, key=lambda word: (-len(word), word))
    if not told:
        return None
    pattern = re.compile("|".join(map(re.escape, told)), re.IGNORECASE)
    return Rule(
        name=WORD, what="words of your own", letters=tuple(told), pattern=pattern, example=told[0], any_case=True
    )


def user_name() -> str | None:
    """Who runs this program, where that can be known."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return None


class Homes:
    """Takes home folders and their owners' names out of texts: what is left says nothing about whose they are."""

    def __init__(self, home: str | None = None, names: Iterable[str] = ()) -> None:
        self._home = home.rstrip("/\\") if home is not None and len(home) > 1 else ""
        self._names = sorted({name for name in (*names, *_names(self._home)) if _telling(name)})
        self._known = [(name, re.compile(_alone(re.escape(name)))) for name in self._names]
        if self._home:
            self._known.insert(0, (self._home, re.compile(rf"{re.escape(self._home)}(?![\w.-])")))
        self._letters = ("/home/", "/home\\", "home%2", "Users", *(letters for letters, _ in self._known))

    def stand_in(self, text: str) -> bool:
        """May there be something to take out?"""
        for letters in self._letters:  # noqa: SIM110 (`any` takes twice as long, for every text there is)
            if letters in text:
                return True
        return False

    def hidden(self, text: str) -> str:
        """The text with `~` where a home or its owner's name stood."""
        if not self.stand_in(text):
            return text
        text = _FOLDERS.sub(HOME, text)
        if "\\/" in text or "%2" in text:
            for written in _WRITTEN_FOLDERS:
                text = written.sub(HOME, text)
        if "Users" in text:
            text = _WINDOWS_FOLDERS.sub(HOME, text)
        for letters, pattern in self._known:
            if letters in text:
                text = pattern.sub(HOME, text)
        return text

    def knowing(self, paths: Iterable[str]) -> Homes:
        """The same, and the owners of the homes in which these paths lie."""
        found = {name for path in paths for name in _names(path) if _telling(name)}
        return self if found <= set(self._names) else Homes(self._home, [*self._names, *found])


def _alone(name: str) -> str:
    """A name that is no part of a longer word. It stands first in the expression, so that it is found quickly."""
    return rf"{name}(?<![A-Za-z0-9]{name})(?![A-Za-z0-9])"


def _names(path: str) -> list[str]:
    """The owners of the homes in which a path lies."""
    found = (folders.search(path) for folders in (_FOLDERS, _WINDOWS_FOLDERS))
    return [one["name"] for one in found if one is not None]


def _telling(name: str) -> bool:
    """A name that stands for a person, and can be told from ordinary words."""
    return len(name) >= 3 and _COMMON.fullmatch(name) is None
