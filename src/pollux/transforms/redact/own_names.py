"""Private texts that only the user can name: words, user names, home folders, and e-mail addresses."""

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
"""Names of home folders that do not identify their owner."""

_NAME = r"(?P<name>[^\s/\\:\"'<>|*?,;()\[\]{}`$&%]+)"
_ABOVE = ("var", "export", "usr", "data", "srv", "net", "mnt", "mnt/[A-Za-z]", "System/Volumes/Data", "[A-Za-z]")


def _folders(slash: str, before: str) -> re.Pattern[str]:
    """A pattern for home folders in paths with this slash. `before` says what may precede the path."""
    above = "|".join(_ABOVE).replace("/", slash)
    return re.compile(rf"{slash}{before}(?:(?:{above}){slash})?(?:home|Users){slash}{_NAME}")


_FOLDERS = _folders("/", r"(?<![\w.~-]/)")
_ESCAPED_FOLDERS = (  # as in JSON and in addresses
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
    """A rule for the user's own words, in any case, also inside other words."""
    texts = sorted({word.strip().lower() for word in words if word.strip()}, key=lambda word: (-len(word), word))
    if not texts:
        return None
    pattern = re.compile("|".join(map(re.escape, texts)), re.IGNORECASE)
    return Rule(
        name=WORD, what="words of your own", letters=tuple(texts), pattern=pattern, example=texts[0], any_case=True
    )


def user_name() -> str | None:
    """The name of the user who runs this program, if the system knows it."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return None


class HomeFolders:
    """Takes home folders and their owners' names out of texts, so that these do not identify anybody."""

    def __init__(self, home: str | None = None, names: Iterable[str] = ()) -> None:
        self._home = home.rstrip("/\\") if home is not None and len(home) > 1 else ""
        self._names = sorted({name for name in (*names, *_names(self._home)) if _identifies(name)})
        self._known = [(name, re.compile(_whole_word(re.escape(name)))) for name in self._names]
        if self._home:
            self._known.insert(0, (self._home, re.compile(rf"{re.escape(self._home)}(?![\w.-])")))
        self._letters = ("/home/", "/home\\", "home%2", "Users", *(letters for letters, _ in self._known))

    def may_occur_in(self, text: str) -> bool:
        """May a text hold a home or a name?"""
        for letters in self._letters:  # noqa: SIM110 (`any` takes twice as long, and every text passes here)
            if letters in text:
                return True
        return False

    def hide(self, text: str) -> str:
        """The text with `~` in place of each home and each owner's name."""
        if not self.may_occur_in(text):
            return text
        text = _FOLDERS.sub(HOME, text)
        if "\\/" in text or "%2" in text:
            for folders in _ESCAPED_FOLDERS:
                text = folders.sub(HOME, text)
        if "Users" in text:
            text = _WINDOWS_FOLDERS.sub(HOME, text)
        for letters, pattern in self._known:
            if letters in text:
                text = pattern.sub(HOME, text)
        return text

    def with_owners_of(self, paths: Iterable[str]) -> HomeFolders:
        """The same, also with the owners of the homes in which these paths lie."""
        owners = {name for path in paths for name in _names(path) if _identifies(name)}
        return self if owners <= set(self._names) else HomeFolders(self._home, [*self._names, *owners])


def _whole_word(name: str) -> str:
    """A pattern for a name that is not part of a longer word. The name comes first, so that the search is fast."""
    return rf"{name}(?<![A-Za-z0-9]{name})(?![A-Za-z0-9])"


def _names(path: str) -> list[str]:
    """The owners of the homes in which a path lies."""
    matches = (folders.search(path) for folders in (_FOLDERS, _WINDOWS_FOLDERS))
    return [match["name"] for match in matches if match is not None]


def _identifies(name: str) -> bool:
    """Does a name identify a person, and differ from ordinary words?"""
    return len(name) >= 3 and _COMMON.fullmatch(name) is None
