"""What an address asks for: the filters that all reports share, and a way to change them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from urllib.parse import urlencode

from pollux.errors import RequestError
from pollux.library.filters import filter_of
from pollux.system.clock import parse
from pollux.text.suggest import did_you_mean

if TYPE_CHECKING:
    from enum import StrEnum

    from pollux.library.library import Filter, Library

    Word = TypeVar("Word", bound=StrEnum)

FILTERS = ("agent", "project", "since", "until")
_HIGHEST = 100_000
_AMOUNT = re.compile(r"\$?[0-9][0-9,]{0,20}(\.[0-9]{1,6})?")


class Asked(NamedTuple):
    """The path of an address, what stands in it, and its parameters; `is_json` is the twin for programs.

    `home` is the directory of whoever asks: paths below it are shown with a tilde. `is_sample`:
    what is shown is the bundled sample.
    """

    path: str
    named: Mapping[str, str]
    parameters: Mapping[str, str]
    home: str
    is_json: bool = False
    is_sample: bool = False

    def get(self, name: str) -> str | None:
        """A parameter; None where it is empty too, as forms send it."""
        return self.parameters.get(name, "").strip() or None

    def filter(self, library: Library) -> Filter:
        """Which sessions are wanted. Raises `RequestError` and `UnknownName`."""
        since, until = self.get("since"), self.get("until")
        library.homes.require_agent(self.get("agent"))
        return filter_of(
            self.get("agent"),
            self.get("project"),
            parse(since) if since else None,
            parse(until, end=True) if until else None,
        )

    def number(self, name: str, default: int = 1, most: int = _HIGHEST) -> int:
        """A whole number from 1. Raises `RequestError`."""
        text = self.get(name)
        if text is None:
            return default
        if not text.isascii() or not text.isdigit() or not 0 < int(text[:10]) <= most:
            raise RequestError(f"{name} cannot be {text[:40]!r}.", f"It is a number from 1 to {most:,}.")
        return int(text)

    def amount(self, name: str) -> float | None:
        """A number above 0, perhaps with a dollar sign. Raises `RequestError`."""
        text = self.get(name)
        if text is None:
            return None
        if not _AMOUNT.fullmatch(text) or not float(text.removeprefix("$").replace(",", "")):
            raise RequestError(f"{name} cannot be {text[:40]!r}.", "It is a number above 0, as 2.50 or 1,000,000.")
        return float(text.removeprefix("$").replace(",", ""))

    def word(self, name: str, kind: type[Word], default: Word) -> Word:
        """One of some words. Raises `RequestError`."""
        text = self.get(name)
        known = [one.value for one in kind]
        if text is None:
            return default
        if text not in known:
            hint = did_you_mean(text, known, f"It can be {', '.join(known)}.")
            raise RequestError(f"{name} cannot be {text[:40]!r}.", hint)
        return kind(text)

    def options(self, *names: str) -> list[str]:
        """The options of the command line for the filters, and for parameters that have the names of options."""
        given = ((name, self.get(name)) for name in (*names, *FILTERS))
        return [word for name, value in given if value is not None for word in (f"--{name}", value)]

    def address(self, suffix: str = "", /, **changes: str | None) -> str:
        """The address with other parameters. A page counts anew where something else changes."""
        kept = {name: value for name, value in self.parameters.items() if value.strip() and name != "page"}
        wanted = {**kept, **changes}
        return to(f"{self.path}{suffix}", **wanted)


def to(path: str, /, **parameters: str | None) -> str:
    """An address with parameters; those that are None are left out."""
    given = {name: value for name, value in parameters.items() if value is not None}
    return f"{path}?{urlencode(given, errors='surrogatepass')}" if given else path
