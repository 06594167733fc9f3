"""What nobody but the user knows to be private: words of their own, their name, their home, addresses of people."""

from __future__ import annotations

import getpass
import re
from collections.abc import Iterable

from pollux.transforms.redact.rule import Rule

HOME = "~"

_COMMON = re.compile(
    "root|users?|admin|home|dev(?:eloper)?|test|guest|runner|ubuntu|debian|node|app|build|work|ci|vagrant|docker|jenkins"
    "|git|me|shared|public|default|system|local|code|src|www|data|vscode|codespace",
    re.IGNORECASE,
)
"""Names of homes that say nothing about their owner."""

_HOMES = r"(?:/home/|/Users/|/var/home/|[A-Za-z]:\\+Users\\+|[A-Za-z]:/Users/|/mnt/[a-z]/Users/)"
_NAME = r"[^\s/\\:\"'<>|*?,;()\[\]{}`$&]+"
_HOME_FOLDER = re.compile(rf"{_HOMES}(?P<name>{_NAME})")

EMAIL = Rule(
    name="email",
    what="e-mail addresses, on request",
    letters=("@",),
    pattern=re.compile(
        r"(?<![\w.+-])[A-Za-z0-9][\w.+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*\.[A-Za-z]{2,24}"
    ),
    example="ada.lovelace@engine.example.org",
    lead=64,
)


def words_rule(words: Iterable[str]) -> Rule | None:
    """A rule for the user's own words, however they are written, also in the middle of others."""
    told = sorted({word.strip().lower() for word in words if word.strip()}, key=lambda word: (-len(word), word))
    if not told:
        return None
    pattern = re.compile("|".join(map(re.escape, told)), re.IGNORECASE)
    return Rule(
        name="word", what="words of your own", letters=tuple(told), pattern=pattern, example=told[0], any_case=True
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
        own = home.rstrip("/\\") if home is not None else ""
        self._home = re.compile(rf"{re.escape(own)}(?![\w.-])") if len(own) > 1 else None
        known = {name for name in (*names, *_names(own)) if _telling(name)}
        self._letters = tuple(sorted(known))
        either = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
        self._name = re.compile(rf"(?<![A-Za-z0-9])(?:{either})(?![A-Za-z0-9])") if known else None

    def hidden(self, text: str) -> str:
        """The text with `~` where a home or its owner's name stood."""
        if self._home is not None:
            text = self._home.sub(HOME, text)
        if "/home/" in text or "Users" in text:
            text = _HOME_FOLDER.sub(HOME, text)
        if self._name is not None and any(letters in text for letters in self._letters):
            text = self._name.sub(HOME, text)
        return text

    def knowing(self, paths: Iterable[str]) -> Homes:
        """The same, and the owners of the homes in which these paths lie."""
        found = {name for path in paths for name in _names(path)} - set(self._letters)
        if not any(map(_telling, found)):
            return self
        wider = Homes(names=[*self._letters, *found])
        wider._home = self._home
        return wider


def _names(path: str) -> list[str]:
    return [found["name"] for found in _HOME_FOLDER.finditer(path)]


def _telling(name: str) -> bool:
    """A name that stands for a person, and can be told from ordinary words."""
    return len(name) >= 3 and _COMMON.fullmatch(name) is None
