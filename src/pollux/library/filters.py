"""Which sessions a list has, as a person types it: options, and words like `branch:main` or `tag:parser`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from pollux.errors import RequestError
from pollux.index.catalogue.values import Filter
from pollux.index.search.query import ABOUT
from pollux.marks.store import MARK_FILTERS, STATES
from pollux.system.clock import parse
from pollux.text.suggest import did_you_mean

_OPTIONS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "agent": ("agent", str.lower),
    "project": ("project", str),
    "since": ("since", parse),
    "until": ("until", lambda value: parse(value, end=True)),
    "before": ("until", lambda value: parse(value) - timedelta(microseconds=1)),
}
"""Words that are options of a list: which one, and how a value is read."""

_LISTED = "agent|project|since|until|before|branch|commit|repository|directory|version|client|is|tag|note|name"
_FILTER = re.compile(rf"(?:{_LISTED}):(?:[^\s\"']+|\"[^\"]+\")")
_WORD = re.compile(r'\w+:"[^"]*"(?=\s|$)|\S+')
_QUOTED = re.compile(r'(\w+:)"([^"]*)"')


def query_words(text: str) -> list[str]:
    """The words of a query, as they were typed. A value in quotes, as in `project:"two words"`, is part of its word."""
    return _WORD.findall(text)


def filter_words(text: str) -> list[str]:
    """The words of a query, each value without its quotes."""
    return [_QUOTED.sub(r"\1\2", word) if _QUOTED.fullmatch(word) else word for word in query_words(text)]


def has_only_filters(text: str) -> bool:
    """Does a query consist of filters that a list takes? Then it narrows the list down, and nothing is searched for."""
    return all(_FILTER.fullmatch(word) for word in query_words(text))


def filter_of(  # noqa: PLR0913
    agent: str | None = None,
    project: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    *,
    everything: bool = True,
    words: Iterable[str] = (),
    branch: str | None = None,
) -> Filter:
    """The sessions that are wanted. Raises `RequestError` where the words contradict the options."""
    options: dict[str, Any] = {"agent": agent, "project": project, "since": since, "until": until}
    facts = [("branch", branch)] if branch is not None else []
    marks: list[tuple[str, str]] = []
    plain: list[str] = []
    for word in words:
        name, colon, value = word.partition(":")
        if colon and value and name.lower() in ABOUT:
            facts.append((name.lower(), value))
        elif colon and value and name.lower() in MARK_FILTERS:
            marks.append((name.lower(), _state(value) if name.lower() == "is" else value))
        elif colon and value and name.lower() in _OPTIONS:
            option, read = _OPTIONS[name.lower()]
            if options[option] is not None:
                raise RequestError(f"--{option} takes one value, and {word} is a second one.", f"Leave out {word}.")
            options[option] = read(value)
        else:
            plain.append(word)
    if project == "":
        raise RequestError("No project has an empty name.", "Try: pollux projects")
    return Filter(**options, everything=everything, words=tuple(plain), facts=tuple(facts), marks=tuple(marks))


def _state(value: str) -> str:
    """A value of `is:`. Raises `RequestError` for any other."""
    if value.lower() not in STATES:
        hint = did_you_mean(value, STATES, f"It can be {', '.join(STATES)}.", "is:")
        raise RequestError(f"is: cannot be {value!r}.", hint)
    return value.lower()
