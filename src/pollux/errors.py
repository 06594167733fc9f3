"""Every exception pollux raises on purpose.

PolluxError
├── NotFound        nothing matches the request                       (exit 1)
├── RequestError    the request makes no sense                        (exit 2)
│   ├── UnknownName     no agent, format or session has this name
│   ├── Ambiguous       several sessions start with this prefix
│   ├── BadQuery        a search query makes no sense
│   ├── CannotResume    an agent cannot go on with a session like this
│   └── Missing         the request needs a package that is not installed
├── Unreadable      the input cannot be opened or holds no session    (exit 3)
├── StoreError      pollux's own files are locked, damaged, too new   (exit 4)
│   └── EmptyCache  nothing is stored, and nothing was to be read now
└── OutputError     the target exists or cannot be written            (exit 5)

Wrong content *inside* a session file is never an exception: see `pollux.model.Notice`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from pollux.text.suggest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable


__all__ = [
    "Ambiguous",
    "BadQuery",
    "CannotResume",
    "EmptyCache",
    "Missing",
    "NotFound",
    "OutputError",
    "PolluxError",
    "RequestError",
    "StoreError",
    "UnknownName",
    "Unreadable",
]


class PolluxError(Exception):
    """Base of all errors meant for the user: `str(error)` is one plain sentence, `hint` says what to try."""

    exit_code = 1

    def __init__(self, sentence: str, hint: str | None = None) -> None:
        super().__init__(sentence)
        self.hint = hint


class NotFound(PolluxError):
    """Nothing matches the request."""

    exit_code = 1


class RequestError(PolluxError):
    """The request itself makes no sense."""

    exit_code = 2


class UnknownName(RequestError):
    """No agent, format or session has this name."""

    def __init__(self, kind: str, name: str, known: Iterable[str] = (), hint: str | None = None) -> None:
        names = list(known)
        otherwise = hint or (f"Known: {', '.join(names)}." if names else None)
        super().__init__(f"No {kind} is called {name!r}.", did_you_mean(name, names, otherwise))


class Ambiguous(RequestError):
    """Several sessions start with this prefix."""

    def __init__(self, prefix: str, keys: Iterable[str]) -> None:
        matches = list(keys)
        beginning = ", ".join(matches[:5]) + (", …" if len(matches) > 5 else "")
        super().__init__(f"{len(matches)} sessions start with {prefix!r}.", f"Type more of the id: {beginning}")


_EXCERPT = 60
"""How many characters of a long query are shown on each side of the mistake."""


class BadQuery(RequestError):
    """A search query makes no sense; a caret shows where."""

    def __init__(self, sentence: str, query: str, place: int, hint: str | None = None) -> None:
        excerpt = "".join(" " if ord(character) < 32 else character for character in query)
        start, end = (max(0, place - _EXCERPT), place + _EXCERPT) if len(query) > 2 * _EXCERPT else (0, len(query))
        before = ("…" if start else "") + excerpt[start:place]
        indent = sum(2 if east_asian_width(character) in "WF" else 1 for character in before)
        excerpt = before + excerpt[place:end] + ("…" if end < len(query) else "")
        super().__init__(f"{sentence}\n  {excerpt}\n  {' ' * indent}^", hint)
        self.sentence = sentence
        self.query = query
        self.place = place


class CannotResume(RequestError):
    """An agent cannot go on with a session like this. `reason` is a word for programs, the hint names what works."""

    def __init__(self, reason: str, sentence: str, hint: str) -> None:
        super().__init__(sentence, hint)
        self.reason = reason


class Unreadable(PolluxError):
    """The input cannot be opened, or no agent wrote it."""

    exit_code = 3


class Missing(RequestError):
    """The request needs a package that is not installed."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(f"{what} needs the package {package}.", f"Try: pip install 'pollux[{extra}]'")


@contextmanager
def needs(what: str, extra: str) -> Iterator[None]:
    """Raise `Missing` where an import inside fails because an extra is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise Missing(what, error.name or "that", extra) from error


class StoreError(PolluxError):
    """pollux's own files are locked, damaged, or written by a newer version."""

    exit_code = 4


class EmptyCache(StoreError):
    """The cache was to be used as it is, and nothing is stored in it."""


class OutputError(PolluxError):
    """The output exists already or cannot be written."""

    exit_code = 5
