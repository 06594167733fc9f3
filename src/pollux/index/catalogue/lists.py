"""Lists of sessions, with what their families used."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice, starmap
from typing import Any

from pollux.index.catalogue.columns import Row
from pollux.index.catalogue.conditions import Conditions
from pollux.index.catalogue.families import Families
from pollux.index.catalogue.marked import ONE_OF_KEYS
from pollux.index.catalogue.prefixes import ShortIds
from pollux.index.catalogue.rows import summary_of
from pollux.index.catalogue.scope import BEST_FIRST, WORST_FIRST
from pollux.index.catalogue.values import Filter, ListedKey, ListEntry
from pollux.model import HANDED_OVER, Summary, Usage

_KEPT = 2
"""So many lists are kept: that of all sessions, and that of those that are shown."""

_FEW = 200
"""Up to this number of sessions, neighbours are queried one by one rather than all ids at once."""


class ListQueries(Conditions):
    """Lists sessions, the newest first. What was listed last is kept: most questions are asked of it."""

    _listed_last: Mapping[Filter, list[tuple[int, Row]]] = {}

    def list_sessions(self, criteria: Filter, limit: int | None) -> list[ListEntry]:
        """Summaries, the newest first. A session under two roots is listed once, as it was last used."""
        with self.catalogue.frozen():
            few = limit is not None and limit < _FEW
            numbers = self._first(criteria, limit or 0) if few else self._newest(criteria)[:limit]
            by_number = "SELECT key, id, troubled, messages, summary FROM sessions WHERE no=?"
            return self._entries([self.catalogue.rows(by_number, no)[0] for no in numbers], few=few)

    def entries(self, keys: Iterable[str]) -> list[ListEntry]:
        """Summaries of the few sessions that are seen. A session that is gone is left out."""
        by_key = (
            f"SELECT key, id, troubled, messages, summary FROM sessions s WHERE key=? AND id=? AND {self.preferred}"
        )
        with self.catalogue.frozen():
            rows = [row for key in keys for row in self.catalogue.rows(by_key, key, key.partition(":")[2])[:1]]
            return self._entries(rows, few=True)

    def _entries(self, rows: list[tuple[Any, ...]], *, few: bool) -> list[ListEntry]:
        """Rows of the table as summaries, with what their families used."""
        family = Families(self._children([key for key, *_ in rows] if few else None))
        short = self.short if few else ShortIds(self._ids()).of
        marks = self.marks()
        return [
            ListEntry(
                summary=summary,
                family_usage=family.usage(summary.key, summary.usage) if self.is_complete else None,
                short=short(id),
                troubled=bool(troubled),
                marks=marks.of(key),
                unread=marks.unread(key, summary.ended or summary.started, messages),
            )
            for key, id, troubled, messages, blob in rows
            for summary in (summary_of(blob),)
        ]

    def listed_keys(self, criteria: Filter, limit: int | None = None) -> list[ListedKey]:
        """The wanted sessions without their summaries, the newest first: a list of many reads only what is seen."""
        statement = "SELECT key, kind, parent, moment FROM sessions WHERE"
        if limit is not None and limit < _FEW:
            with self.catalogue.frozen():
                numbers = self._first(criteria, limit)
                return list(self._listed(self.catalogue.rows(f"{statement} no=?", number)[0] for number in numbers))
        where, values = self.where(criteria)
        listed = [row.listed for _, row in self.newest_rows(criteria)]
        if len({one.key for one in listed}) < len(listed):  # several copies of a session: the best is the last
            rows = self.catalogue.rows(f"{statement} {where} ORDER BY {WORST_FIRST.format('')}", *values)
            latest = {one.key: one for one in self._listed(rows)}
            listed = sorted(latest.values(), key=_moment_and_key, reverse=True)
        return listed if limit is None else listed[:limit]

    def newest_rows(self, criteria: Filter) -> list[tuple[int, Row]]:
        """The numbers of the wanted sessions and what a list needs of them, the newest first; also several copies."""
        if (known := self._listed_last.get(criteria)) is not None:
            return known
        where, values = self.where(criteria)
        order = f"SELECT no FROM sessions INDEXED BY sessions_newest WHERE {where} ORDER BY moment DESC, key DESC"
        numbers = [number for (number,) in self.catalogue.stream(order, *values)]
        rows = list(zip(numbers, self.columns.rows(self.catalogue, numbers), strict=True))
        if not criteria.marks and not criteria.words:  # these may match others at any moment
            self._listed_last = {**dict([*self._listed_last.items()][-_KEPT + 1 :]), criteria: rows}
        return rows

    def _listed(self, rows: Iterable[tuple[str, str, str | None, int | None]]) -> Iterator[ListedKey]:
        """These rows, with the origins of the sessions that were handed over."""
        statement = "SELECT key, target FROM links JOIN sessions ON no=session WHERE links.kind=?"
        origins = dict(self.catalogue.rows(statement, HANDED_OVER))
        return (ListedKey(*row, origins.get(row[0])) for row in rows) if origins else starmap(ListedKey, rows)

    def _newest(self, criteria: Filter) -> list[int]:
        """The numbers of all wanted sessions, the newest first."""
        where, values = self.where(criteria)
        statement = f"SELECT key, no, moment FROM sessions WHERE {where} ORDER BY {WORST_FIRST.format('')}"
        latest = {
            key: (moment is not None, moment or 0, key, no)
            for key, no, moment in self.catalogue.rows(statement, *values)
        }
        return [no for *_, no in sorted(latest.values(), reverse=True)]

    def _first(self, criteria: Filter, limit: int) -> list[int]:
        """The first few of them, without reading the others."""
        where, values = self.where(criteria)
        order = (
            f"SELECT key, id, no FROM sessions INDEXED BY sessions_newest WHERE {where} ORDER BY moment DESC, key DESC"
        )
        best_copy = (
            f"SELECT no FROM sessions WHERE key=? AND id=? AND +{where} ORDER BY {BEST_FIRST.format('')} LIMIT 1"
        )
        rows = self.catalogue.stream(order, *values)
        preferred = (no for key, id, no in rows if self.catalogue.rows(best_copy, key, id, *values) == [(no,)])
        return list(islice(preferred, limit))

    def contents(self) -> tuple[object, ...]:
        """Changes with every session that is added or dropped, and with the words that are indexed."""
        catalogue = self.catalogue
        # Sessions never change under their number, and no number is used again.
        counted = "SELECT COUNT(*), TOTAL(no), MAX(no) FROM sessions INDEXED BY sessions_bundle"
        rows = catalogue.rows(counted)
        return catalogue.born, self.here, *rows[0], catalogue.words_generation, catalogue.count_pending()

    def newest_moments(self, criteria: Filter, limit: int) -> list[int]:
        """The times (microseconds) of the first few sessions that are wanted, the newest first; -1 for none."""
        rows = self.catalogue.rows_with("SELECT no, moment FROM sessions WHERE 1", "no", self._first(criteria, limit))
        return sorted((-1 if moment is None else moment for _, moment in rows), reverse=True)

    def count(self, criteria: Filter, among: Collection[str] | None = None) -> int:
        """How many sessions are wanted; among those with these keys, if any are named."""
        if among is not None and not among:
            return 0
        where, values = self.where(criteria)
        if among is not None:
            where, values = f"{where} AND {ONE_OF_KEYS}", [*values, json.dumps([*among])]
        statement = f"SELECT 1 FROM sessions WHERE +{where} GROUP BY id, agent"
        return int(self.catalogue.rows(f"SELECT COUNT(*) FROM ({statement})", *values)[0][0])

    def _children(self, keys: Collection[str] | None = None) -> dict[str, list[Summary]]:
        """The children of all sessions, or of these and their descendants."""
        statement = f"SELECT parent, summary FROM sessions s WHERE parent IS NOT NULL AND {self.preferred}"
        children: dict[str, dict[str, Summary]] = {}
        rows = self.catalogue.rows(statement) if keys is None else []
        level, seen = set(keys or ()), set[str]()
        while rows or level:
            rows += [row for key in level for row in self.catalogue.rows(f"{statement} AND parent=?", key)]
            seen |= level
            level = set()
            for parent, blob in rows:
                summary = summary_of(blob)
                children.setdefault(parent, {})[summary.key] = summary
                if keys is not None and summary.key not in seen:
                    level.add(summary.key)
            rows = []
        return {parent: list(summaries.values()) for parent, summaries in children.items()}

    def family_usage(self, key: str, own: Usage) -> Usage | None:
        """What a session, which used its `own`, and its descendants used; None while some of them may be unread."""
        return Families(self._children([key])).usage(key, own) if self.is_complete else None

    def family(self, key: str) -> list[str]:
        """The keys of a session and all its descendants."""
        return Families(self._children([key])).keys(key)

    def _ids(self) -> list[str]:
        return [id for (id,) in self.catalogue.rows(f"SELECT DISTINCT id FROM sessions WHERE {self.here} ORDER BY id")]

    def short(self, id: str) -> str:
        """The beginning of an id that no other session's id has, read or not. Only its neighbours are queried."""
        before = f"SELECT id FROM sessions WHERE id < ? AND +{self.here} ORDER BY id DESC LIMIT 1"
        after = f"SELECT id FROM sessions WHERE id >= ? AND +{self.here} ORDER BY id LIMIT 1"
        neighbours = f"SELECT * FROM ({before}) UNION ALL SELECT * FROM ({after})"
        beyond = f"{id}\U0010ffff"
        others = {other for (other,) in self.catalogue.rows(neighbours, id, beyond)}
        unread = self._unread_ids
        for place in (bisect_left(unread, id) - 1, bisect_left(unread, beyond)):
            others.update(unread[max(place, 0) : place + 1])
        return ShortIds(sorted({id, *others})).of(id)


def _moment_and_key(one: ListedKey) -> tuple[bool, int, str]:
    return one.moment is not None, one.moment or 0, one.key
