"""What is known of sessions by their numbers, kept in memory: after a change, only what is new is read."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from pollux.index.catalogue.catalogue import Catalogue
from pollux.index.catalogue.values import ListedKey
from pollux.model import FACTS, HANDED_OVER
from pollux.system.decoders import msgpack_decoder

Values = tuple[str, ...]
Load = Callable[[Catalogue, str], Iterable[tuple[int, Any]]]
"""Reads the values of the sessions with these numbers, given as JSON. A session without values may be left out."""

MODELS, TOOLS = "models", "tools"
"""The names of columns, beside those of facts."""


class Row(NamedTuple):
    """What lists and counts need of every session: the table itself is large, and takes longer to read."""

    listed: ListedKey
    started: int | None
    project: str | None


_ROWS = "rows"
_AMONG = "IN (SELECT value FROM json_each(?))"
_ADDED = 1000
"""After so many new sessions, those that are gone are forgotten."""


class _Counts(msgspec.Struct):
    failed_tool_calls: int


class _Brief(msgspec.Struct):
    """The fields of a summary that are kept: it is decoded faster than the whole."""

    models: list[str]
    counts: _Counts


_decode = msgpack_decoder(_Brief).decode


class _Column(NamedTuple):
    values: dict[int, Any]
    added: list[int]


class Columns:
    """Models, tools and facts of sessions. A number never has another meaning, so what is known stays true.

    Threads share it. It follows one catalogue, and begins again when it is asked about another one.
    """

    def __init__(self) -> None:
        self.counting = threading.Lock()
        self.counted: object = None
        """What facets are counted by, while one thread at a time counts."""
        self._lock = threading.Lock()
        self._born: str | None = None
        self._columns: dict[str, _Column] = {}

    def rows(self, catalogue: Catalogue, numbers: Sequence[int]) -> list[Row]:
        """The sessions with these numbers."""
        return self._get(catalogue, _ROWS, numbers)

    def values(self, catalogue: Catalogue, name: str, numbers: Sequence[int]) -> list[Values]:
        """The values that each of the sessions with these numbers has."""
        return self._get(catalogue, name, numbers)

    def _get(self, catalogue: Catalogue, name: str, wanted: Sequence[int]) -> list[Any]:
        with self._lock:
            if self._born != catalogue.born:
                self._born, self._columns = catalogue.born, {}
            column = self._columns.setdefault(name, _Column({}, []))
            known = column.values
            if missing := [number for number in wanted if number not in known]:
                loaded = dict(_LOADERS[name](catalogue, json.dumps(missing)))
                known.update((number, loaded.get(number, ())) for number in missing)
                column.added.extend(missing)
            found = list(map(known.__getitem__, wanted))
            if len(column.added) > _ADDED:
                self._trim(catalogue, column)
            return found

    @staticmethod
    def _trim(catalogue: Catalogue, column: _Column) -> None:
        present = {number for (number,) in catalogue.stream("SELECT no FROM sessions")}
        for number in column.values.keys() - present:
            del column.values[number]
        column.added.clear()


def _grouped(pairs: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Values]]:
    """The values of each number. Equal tuples are one object: most sessions use the same few tools."""
    found: dict[int, list[str]] = {}
    for number, value in pairs:
        found.setdefault(number, []).append(value)
    same: dict[Values, Values] = {}
    for number, values in found.items():
        every = tuple(values)
        yield number, same.setdefault(every, every)


def _rows(catalogue: Catalogue, numbers: str) -> Iterator[tuple[int, Row]]:
    handed_over = f"SELECT session, target FROM links WHERE kind=? AND session {_AMONG}"
    origins: dict[int, str] = dict(catalogue.stream(handed_over, HANDED_OVER, numbers))
    projects: dict[str | None, str | None] = {}
    columns = "no, key, kind, parent, moment, started, project"
    rows = catalogue.stream(f"SELECT {columns} FROM sessions WHERE no {_AMONG}", numbers)
    for number, key, kind, parent, moment, started, project in rows:
        listed = ListedKey(key, kind, parent, moment, origins.get(number))
        yield number, Row(listed, started, projects.setdefault(project, project))


def _models(catalogue: Catalogue, numbers: str) -> Iterator[tuple[int, Values]]:
    """Whether calls failed, as `yes` or nothing, and the models."""
    for number, blob in catalogue.stream(f"SELECT no, summary FROM sessions WHERE no {_AMONG}", numbers):
        brief = _decode(blob)
        yield number, ("yes" if brief.counts.failed_tool_calls else "", *brief.models)


def _tools(catalogue: Catalogue, numbers: str) -> Iterable[tuple[int, Values]]:
    statement = f"SELECT DISTINCT session, canonical FROM calls WHERE session {_AMONG}"
    return _grouped(catalogue.stream(statement, numbers))


def _fact(name: str) -> Load:
    def load(catalogue: Catalogue, numbers: str) -> Iterable[tuple[int, Values]]:
        statement = f"SELECT session, value FROM facts WHERE name=? AND +session {_AMONG}"
        return _grouped(catalogue.stream(statement, name, numbers))

    return load


_LOADERS: dict[str, Load] = {
    _ROWS: _rows,
    MODELS: _models,
    TOOLS: _tools,
    **{name: _fact(name) for name in FACTS},
}
