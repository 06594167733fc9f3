"""Queries on the catalogue: sessions, families, projects, and beginnings of ids."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from pollux.index.catalogue.catalogue import Catalogue, anchors_of, message_index_of, notices_of, summary_of
from pollux.index.catalogue.families import Families
from pollux.index.catalogue.prefixes import ShortIds
from pollux.index.catalogue.rollups import micros, moment_of
from pollux.index.catalogue.rows import MessageIndex
from pollux.marks.store import Found, MarkState, has_words
from pollux.model import HANDED_OVER, Anchor, Author, Kind, Marks, Notice, SessionMarks, Summary, Usage, Value
from pollux.model.names import name_matches, project_matches, project_name
from pollux.system.link_bounds import path_in_home
from pollux.text.folding import fold

ALWAYS_LISTED = (Kind.MAIN,)
EVIDENCE_ORDER = ("moved", "recorded", "history", "marker", "registry", "hash", "guess")
"""The kinds of evidence for a project's path, the best first."""


BEST_FIRST = "{0}kind='prompts', {0}moment DESC, {0}key DESC, {0}messages DESC, {0}root DESC"
WORST_FIRST = "{0}kind='prompts' DESC, {0}moment, {0}key, {0}messages, {0}root"
"""The order of copies of one session under several roots: a conversation before typed lines, then the last one used.

Of two copies with the same time the longer one comes first: the other was cut.
"""


class Filter(Value, frozen=True, kw_only=True):
    """The criteria for sessions. None means any.

    `project` is a path, a name, part of a name, or the first digits of an unknown project's hash; `words` must all
    occur in the title, the prompts or the project; `facts` are pairs of a name of `FACTS` and a value, or part of one;
    `marks` are pairs of a filter that asks for marks and its value; `everything` adds sub-agents, checkpoints, prompt
    logs.
    """

    agent: str | None = None
    project: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    words: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    marks: tuple[tuple[str, str], ...] = ()
    everything: bool = False


class ListEntry(Value, frozen=True, kw_only=True):
    """A session in a list.

    `family_usage` is the usage of its whole family, None while some may be unread; `short` the beginning of its id
    that no other session has. `troubled` says that its files caused a warning. `marks` are those of the session and its
    messages. `unread`: there is something new since it was read; None where nothing was ever read.
    """

    summary: Summary
    family_usage: Usage | None
    short: str
    troubled: bool = False
    marks: SessionMarks | None = None
    unread: bool | None = None

    @property
    def title(self) -> str | None:
        """What a list calls it: the name that the user gave it, or its title."""
        return shown_title(self.marks, self.summary.title)


def shown_title(marks: SessionMarks | None, title: str | None) -> str | None:
    """What people read as the title of a session: the name that the user gave it, or its own title."""
    return marks.session.name or title if marks is not None else title


class ListedKey(NamedTuple):
    """A session's place in a list, without its summary.

    `moment` (microseconds) is when it was last used, `origin` the session that it was handed over from.
    """

    key: str
    kind: str
    parent: str | None
    moment: int | None
    origin: str | None = None


class Project(Value, frozen=True, kw_only=True):
    """A directory that people worked in, or the hash of an unknown one."""

    path: str | None
    name: str
    agents: Mapping[str, int]
    hashes: tuple[str, ...]
    evidence: str | None


class SessionLocation(Value, frozen=True, kw_only=True):
    """Where a session is read from: its root and the bundle that holds it."""

    key: str
    agent: str
    id: str
    root: str
    bundle: str


class Cursor(Value, frozen=True, kw_only=True):
    """A position in the catalogue: the number grows whenever a session is read."""

    born: str
    number: int


class BundleOutcome(Value, frozen=True, kw_only=True):
    """The outcome of reading a bundle."""

    problem: str | None
    notices: tuple[Notice, ...]
    sessions: tuple[tuple[str, tuple[str, ...], tuple[Notice, ...]], ...]


_ONE_OF_KEYS = "key IN (SELECT value FROM json_each(?))"

_FEW_IDS = 8
_UNIQUE = 20
"""An id of so many characters is an agent's own."""

_FEW = 200
"""Up to this number of sessions, neighbours are queried one by one rather than all ids at once."""


def _moment_and_key(one: ListedKey) -> tuple[bool, int, str]:
    return one.moment is not None, one.moment or 0, one.key


class CatalogueQueries:
    """Queries on the sessions under some roots.

    `unread_ids` are those of sessions that are not read yet, in order. Without `is_complete`, there may be more.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        roots: Iterable[tuple[str, str]],
        marks: Callable[[], MarkState] = MarkState,
        *,
        unread_ids: Sequence[str] = (),
        is_complete: bool = True,
    ) -> None:
        self.catalogue = catalogue
        self.marks = marks
        self._unread_ids = unread_ids
        self._is_complete = is_complete
        self._roots = [number for agent, path in roots if (number := catalogue.root(agent, path)[0])]
        # In a query by id, `+` prevents SQLite from scanning whole roots instead.
        self.here = f"root IN ({', '.join(map(str, self._roots))})"
        order = "({0}.kind != 'prompts', COALESCE({0}.moment, -1 << 62), {0}.messages, {0}.root)"
        better = f"o.id=s.id AND o.key=s.key AND +o.{self.here} AND {order.format('o')} > {order.format('s')}"
        # Chooses one of the rows `s` of a session under several roots.
        self.preferred = f"+s.{self.here} AND NOT EXISTS (SELECT 1 FROM sessions o WHERE {better})"

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
                family_usage=family.usage(summary) if self._is_complete else None,
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
                rows = [self.catalogue.rows(f"{statement} no=?", number)[0] for number in numbers]
                return list(self._listed(rows))
        where, values = self.where(criteria)
        rows = self.catalogue.rows(f"{statement} {where} ORDER BY {WORST_FIRST.format('')}", *values)
        latest = {one.key: one for one in self._listed(rows)}
        newest = sorted(latest.values(), key=_moment_and_key, reverse=True)
        return newest if limit is None else newest[:limit]

    def _listed(self, rows: Iterable[tuple[str, str, str | None, int | None]]) -> Iterator[ListedKey]:
        """These rows, with the origins of the sessions that were handed over."""
        statement = "SELECT key, target FROM links JOIN sessions ON no=session WHERE links.kind=?"
        origins = dict(self.catalogue.rows(statement, HANDED_OVER))
        return (ListedKey(*row, origins.get(row[0])) for row in rows) if origins else (ListedKey(*row) for row in rows)

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

    def newest_moments(self, criteria: Filter, limit: int) -> list[int]:
        """The times (microseconds) of the first few sessions that are wanted, the newest first; -1 for none."""
        rows = self.catalogue.rows_with("SELECT no, moment FROM sessions WHERE 1", "no", self._first(criteria, limit))
        return sorted((-1 if moment is None else moment for _, moment in rows), reverse=True)

    def where(self, criteria: Filter) -> tuple[str, list[Any]]:
        """The condition on a session that a filter states, and its values."""
        terms, values = [self.here], list[Any]()
        if criteria.agent is not None:
            terms.append("agent=?")
            values.append(criteria.agent)
        if not criteria.everything:
            terms.append(f"kind IN ({', '.join('?' * len(ALWAYS_LISTED))})")
            values += [kind.value for kind in ALWAYS_LISTED]
        if criteria.since is not None:
            terms.append("moment >= ?")
            values.append(micros(criteria.since))
        if criteria.until is not None:
            terms.append("COALESCE(started, moment) <= ?")
            values.append(micros(criteria.until))
        for word in criteria.words:
            named = list(self.marked("name", word)) if self.marks().sessions else []
            terms.append(f"(no IN (SELECT session FROM abouts WHERE instr(words, ?)) OR {_ONE_OF_KEYS})")
            values += [fold(word), json.dumps(named)]
        for name, value in criteria.marks:
            terms.append(_ONE_OF_KEYS)
            values.append(json.dumps(list(self.marked(name, value))))
        for name, value in criteria.facts:
            matches = [
                known_value
                for known_value in self.values(name)
                if name_matches(value, known_value, begins=name == "commit")
            ]
            terms.append(
                f"no IN (SELECT session FROM facts WHERE name=? AND value IN ({', '.join('?' * len(matches))}))"
            )
            values += [name, *matches]
        if criteria.project is not None:
            known = self.catalogue.rows(f"SELECT DISTINCT project, project_hash FROM sessions WHERE {self.here}")
            matching = [pair for pair in known if is_project(criteria.project, *pair)]
            terms.append(f"({' OR '.join(['(project IS ? AND project_hash IS ?)'] * len(matching)) or 0})")
            values += [value for pair in matching for value in pair]
        return " AND ".join(terms), values

    def marked(self, name: str, value: str) -> Found:
        """The sessions that match a filter by marks, or their messages that do."""
        marks = self.marks()
        if (name, value) == ("is", "unread"):
            return dict.fromkeys(self._unread_keys(marks))
        found = marks.find(name, value)
        if name == "name":  # also the names that the agent has
            typed = fold(value)
            rows = self.catalogue.rows("SELECT key, value FROM facts JOIN sessions ON no=session WHERE name='name'")
            found |= {key: None for key, given in rows if has_words(typed, given)}
        return found

    def marked_places(self, name: str, value: str) -> dict[int, frozenset[int] | None]:
        """The numbers of these sessions, and the places of these messages."""
        found = self.marked(name, value)
        statement = f"SELECT no, key FROM sessions WHERE +{self.here}"
        rows = self.catalogue.rows_with(statement, "id", {key.partition(":")[2] for key in found})
        return {number: self._places(number, key, found[key]) for number, key in rows if key in found}

    def _places(self, number: int, key: str, messages: frozenset[str] | None) -> frozenset[int] | None:
        if messages is None:
            return None
        marks = self.marks().of(key) or SessionMarks()
        return frozenset(place for name, place in marks.places(self._anchors(number)).items() if name in messages)

    def marks_by_place(self, number: int, marks: SessionMarks) -> dict[int, Marks]:
        """The marks of the messages of the session with this number, by the places that these have now."""
        if not marks.messages:
            return {}
        return {place: marks.messages[name].marks for name, place in marks.places(self._anchors(number)).items()}

    def _anchors(self, number: int) -> list[Anchor]:
        return anchors_of(*self.catalogue.rows("SELECT marks, anchors FROM abouts WHERE session=?", number)[0])

    def _unread_keys(self, marks: MarkState) -> Iterator[str]:
        """The sessions with something that was not read yet. Most ended before anything was read, and count as read."""
        if marks.all_read_until is None:
            return
        since, known = micros(marks.all_read_until), json.dumps([*marks.positions])
        statement = f"SELECT key, moment, messages FROM sessions WHERE {self.here} AND (moment > ? OR {_ONE_OF_KEYS})"
        for key, moment, messages in self.catalogue.rows(statement, since, known):
            if marks.unread(key, moment_of(moment), messages):
                yield key

    def values(self, name: str) -> list[str]:
        """All values that a fact has anywhere."""
        return [value for (value,) in self.catalogue.rows("SELECT DISTINCT value FROM facts WHERE name=?", name)]

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

    def _ids(self) -> list[str]:
        return [id for (id,) in self.catalogue.rows(f"SELECT DISTINCT id FROM sessions WHERE {self.here} ORDER BY id")]

    def has(self, key: str) -> bool:
        """Is there a session of this key?"""
        statement = f"SELECT 1 FROM sessions WHERE key=? AND id=? AND +{self.here} LIMIT 1"
        return bool(self.catalogue.rows(statement, key, key.partition(":")[2]))

    def summary(self, key: str) -> Summary | None:
        """The summary of a session."""
        rows = self.catalogue.rows(
            f"SELECT summary FROM sessions WHERE key=? AND id=? AND +{self.here} ORDER BY {BEST_FIRST.format('')}",
            key,
            key.partition(":")[2],
        )
        return summary_of(rows[0][0]) if rows else None

    def indexed(self, key: str) -> int | None:
        """The number of a session whose words are in the index; None where they are not yet."""
        rows = self.catalogue.rows(
            "SELECT no, EXISTS (SELECT 1 FROM pending WHERE session=no) FROM sessions "
            f"WHERE key=? AND id=? AND +{self.here} ORDER BY {BEST_FIRST.format('')} LIMIT 1",
            key,
            key.partition(":")[2],
        )
        return int(rows[0][0]) if rows and not rows[0][1] else None

    def message_index(self, key: str) -> MessageIndex | None:
        """The ids, roles and authors of a session's messages."""
        rows = self.catalogue.rows(
            "SELECT marks FROM sessions JOIN abouts ON session=no "
            f"WHERE key=? AND id=? AND +{self.here} ORDER BY {BEST_FIRST.format('')} LIMIT 1",
            key,
            key.partition(":")[2],
        )
        return message_index_of(rows[0][0]) if rows else None

    def anchors(self, key: str) -> list[Anchor]:
        """The anchors of a session's messages; none where there is no such session."""
        rows = self.catalogue.rows(
            "SELECT marks, anchors FROM sessions JOIN abouts ON session=no "
            f"WHERE key=? AND id=? AND +{self.here} ORDER BY {BEST_FIRST.format('')} LIMIT 1",
            key,
            key.partition(":")[2],
        )
        return anchors_of(*rows[0]) if rows else []

    def by_number(self, numbers: Iterable[int]) -> dict[int, tuple[Summary, MessageIndex]]:
        """The sessions with these numbers: their summaries, and the roles and authors of their messages.

        Sessions under other roots, and copies that another copy replaces, are left out.
        """
        statement = f"SELECT no, summary, marks FROM sessions s JOIN abouts ON session=no WHERE {self.preferred}"
        rows = self.catalogue.rows_with(statement, "no", dict.fromkeys(numbers))
        return {number: (summary_of(summary), message_index_of(marks)) for number, summary, marks in rows}

    def pending_titles(self) -> dict[int, str]:
        """The titles and names of the sessions whose words are not in the index yet, by number.

        Sessions under other roots, and copies that another copy replaces, are left out.
        """
        statement = f"SELECT no, summary FROM pending JOIN sessions s ON no=session WHERE {self.preferred}"
        summaries = {number: summary_of(blob) for number, blob in self.catalogue.rows(statement)}
        return {
            number: "\n".join((summary.title or "", *summary.facts.get("name", ())))
            for number, summary in summaries.items()
        }

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

    def count(self, criteria: Filter) -> int:
        """How many sessions are wanted."""
        where, values = self.where(criteria)
        statement = f"SELECT 1 FROM sessions WHERE +{where} GROUP BY id, agent"
        return int(self.catalogue.rows(f"SELECT COUNT(*) FROM ({statement})", *values)[0][0])

    def unread(self) -> int:
        """How many sessions could not be read, and are not in the archive either."""
        return len(self._unread())

    def _unread(self) -> list[str]:
        """The agent of each session that could not be read."""
        same = "s.id=substr(b.key, instr(b.key, ':') + 1) AND s.key=b.key AND s.kind != 'prompts'"
        rows = self.catalogue.rows(
            "SELECT agent, b.notices FROM bundles b JOIN roots r ON r.id=b.root WHERE b.problem IS NOT NULL "
            f"AND b.{self.here} AND NOT EXISTS (SELECT 1 FROM sessions s WHERE {same} AND +s.{self.here})"
        )
        kept = self._kept_files() if rows else set()
        damaged = [(agent, {notice.file for notice in notices_of(blob)}) for agent, blob in rows]
        return [agent for agent, files in damaged if not files or not files <= kept]

    def _kept_files(self) -> set[str]:
        """The agents' files whose copies in the archive were read."""
        trees = [no for no, path in self.catalogue.rows("SELECT id, path FROM roots") if path_in_home(path) is not None]
        rows = self.catalogue.rows_with(f"SELECT summary FROM sessions WHERE {self.here}", "root", trees)
        files = {file for (blob,) in rows for file in summary_of(blob).files}
        return {original for file in files if (original := path_in_home(file)) is not None}

    def closed(self) -> list[str]:
        """Folders and files that the system did not let pollux read at the last sync."""
        return [path for (path,) in self.catalogue.rows(f"SELECT path FROM closed WHERE {self.here} ORDER BY path")]

    def agents_with_unread_files(self) -> set[str]:
        """The agents with unreadable files: they may have more sessions than the catalogue."""
        rows = self.catalogue.rows(f"SELECT DISTINCT agent FROM closed JOIN roots ON id=root WHERE {self.here}")
        return {agent for (agent,) in rows}.union(self._unread())

    def cut(self) -> int:
        """How many outputs of tools are too long to be indexed completely."""
        statement = f"SELECT MAX(cut) AS cut FROM sessions WHERE {self.here} GROUP BY key"
        return int(self.catalogue.rows(f"SELECT COALESCE(SUM(cut), 0) FROM ({statement})")[0][0])

    def family_usage(self, summary: Summary) -> Usage | None:
        """What a session and its descendants used; None while some of them may be unread."""
        return Families(self._children([summary.key])).usage(summary) if self._is_complete else None

    def family(self, key: str) -> list[str]:
        """The keys of a session and all its descendants."""
        return Families(self._children([key])).keys(key)

    def with_prefix(self, prefix: str, agent: str | None = None) -> list[SessionLocation]:
        """The sessions whose id starts with this prefix, the last used first."""
        rows = self.catalogue.rows(
            "SELECT s.key, s.agent, s.id, r.path, b.key FROM sessions s JOIN roots r ON r.id=s.root "
            f"JOIN bundles b ON b.id=s.bundle WHERE s.id >= ? AND s.id < ? AND +s.{self.here} "
            f"AND (? IS NULL OR s.agent=?) ORDER BY {BEST_FIRST.format('s.')}",
            prefix,
            f"{prefix}\U0010ffff",
            agent,
            agent,
        )
        return [
            SessionLocation(key=key, agent=agent, id=id, root=root, bundle=bundle)
            for key, agent, id, root, bundle in rows
        ]

    def files(self, key: str) -> list[str]:
        """Every file that a session was read from, under any root."""
        rows = self.catalogue.rows(
            f"SELECT summary FROM sessions WHERE key=? AND id=? AND {self.here}", key, key.partition(":")[2]
        )
        return list(dict.fromkeys(file for (blob,) in rows for file in summary_of(blob).files))

    def position(self) -> Cursor:
        """The position of the catalogue: every session that is read later has a greater number."""
        return Cursor(born=self.catalogue.born, number=self.catalogue.rows("SELECT MAX(no) FROM sessions")[0][0] or 0)

    def newest(self) -> tuple[Cursor, set[str]]:
        """The position of the catalogue, and the keys of all sessions."""
        rows = self.catalogue.rows(f"SELECT key, MAX(no) FROM sessions WHERE {self.here} GROUP BY key")
        number = max((number for _, number in rows), default=0)
        return Cursor(born=self.catalogue.born, number=number), {key for key, _ in rows}

    def message_ids(self) -> list[tuple[str, list[str]]]:
        """The keys of all sessions, each with the ids of its messages."""
        statement = f"SELECT key, marks FROM sessions JOIN abouts ON session=no WHERE {self.here}"
        return [(key, message_index_of(blob).ids) for key, blob in self.catalogue.rows(statement)]

    def unknown(self, keys: Iterable[str]) -> list[str]:
        """Those of these keys that no session has."""
        same = "id=substr(value, instr(value, ':') + 1) AND key=value"
        statement = f"SELECT 1 FROM sessions WHERE {same} AND +{self.here}"
        rows = self.catalogue.rows(
            f"SELECT value FROM json_each(?) WHERE NOT EXISTS ({statement})", json.dumps([*keys])
        )
        return [key for (key,) in rows]

    def with_message(self, ids: Collection[str], cursor: Cursor | None = None) -> list[tuple[int, str, str]]:
        """The sessions that have one of these messages: number, key, and the message. Only those after a position."""
        number = cursor.number if cursor is not None and cursor.born == self.catalogue.born else -1
        statement = f"SELECT no, key, marks FROM sessions JOIN abouts ON session=no WHERE no > ? AND +{self.here}"
        found: list[tuple[int, str, str]] = []
        if len(ids) <= _FEW_IDS:  # SQLite looks for few ids faster than all ids are decoded
            for id in ids:
                rows = self.catalogue.stream(f"{statement} AND instr(marks, ?)", number, id.encode())
                found += [(no, key, id) for no, key, blob in rows if id in message_index_of(blob).ids]
            return found
        rows = self.catalogue.stream(statement, number)
        return [(no, key, id) for no, key, blob in rows for id in message_index_of(blob).ids if id in ids]

    def own_prompts(self, keys: Iterable[str]) -> dict[str, str]:
        """For each of these sessions the id of a prompt that no other session has, if there is one.

        That is the first prompt or, because a fork has that one, too, the last. An id that is only a place in a file is
        too short to be unique.
        """
        prompts: dict[str, list[str]] = {}
        for key in dict.fromkeys(keys):
            index = self.message_index(key) or MessageIndex([], b"", b"")
            own = [id for place, id in enumerate(index.ids) if index.author(place) is Author.HUMAN]
            unique = [id for id in own if len(id) >= _UNIQUE]
            prompts[key] = list(dict.fromkeys([*unique[:1], *unique[-1:]]))
        chosen: dict[str, str] = {}
        for turn in (0, 1):
            wanted = {ids[turn]: key for key, ids in prompts.items() if turn < len(ids) and key not in chosen}
            shared = {id for _, key, id in self.with_message(wanted) if key != wanted[id]} if wanted else set()
            chosen |= {key: id for id, key in wanted.items() if id not in shared}
        return chosen

    def heirs(self, key: str) -> list[str]:
        """The sessions that this one was handed over to, the oldest first."""
        links = "links l JOIN sessions s ON no=session"
        statement = f"SELECT key FROM {links} WHERE target=? AND l.kind=? AND +s.{self.here} ORDER BY moment, key"
        rows = self.catalogue.rows(statement, key, HANDED_OVER)
        return list(dict.fromkeys(heir for (heir,) in rows if heir != key))

    def is_copy_of(self, number: int, key: str) -> bool:
        """Did a session begin with a copy of this one: by a fork, or by a hand-over?"""
        statement = "SELECT 1 FROM links WHERE session=? AND target=? AND kind IN ('forked_from', ?)"
        return bool(self.catalogue.rows(statement, number, key, HANDED_OVER))

    def newer(self, cursor: Cursor, criteria: Filter) -> list[SessionLocation]:
        """The sessions that were read after this position; all, if the catalogue was made again meanwhile."""
        number = cursor.number if cursor.born == self.catalogue.born else 0
        return self.places(criteria, number)

    def places(self, criteria: Filter, after: int = 0) -> list[SessionLocation]:
        """Where the wanted sessions are read from, those with numbers above `after`, the oldest first."""
        where, values = self.where(criteria)
        rows = self.catalogue.rows(
            "SELECT s.key, s.agent, s.id, r.path, b.key FROM sessions s JOIN roots r ON r.id=s.root "
            "JOIN bundles b ON b.id=s.bundle "
            f"WHERE s.no IN (SELECT no FROM sessions WHERE no > ? AND {where}) ORDER BY {WORST_FIRST.format('s.')}",
            after,
            *values,
        )
        return [
            SessionLocation(key=key, agent=agent, id=id, root=root, bundle=bundle)
            for key, agent, id, root, bundle in rows
        ]

    def read_from(self, path: str) -> list[SessionLocation]:
        """The sessions that were read from a file."""
        rows = self.catalogue.rows(
            "SELECT s.key, s.agent, s.id, r.path, b.key, s.summary FROM sessions s JOIN roots r ON r.id=s.root "
            f"JOIN bundles b ON b.id=s.bundle WHERE s.{self.here} AND instr(s.summary, ?)",
            path.encode(),
        )
        return [
            SessionLocation(key=key, agent=agent, id=id, root=root, bundle=bundle)
            for key, agent, id, root, bundle, blob in rows
            if path in summary_of(blob).files
        ]

    def projects(self) -> list[Project]:
        """Every project, by name. Sub-agents work where their parents do."""
        groups: dict[str, list[tuple[Any, ...]]] = {}
        rows = self.catalogue.rows(
            "SELECT agent, kind, project, project_hash, evidence, COUNT(DISTINCT key) FROM sessions "
            f"WHERE kind != 'subagent' AND {self.here} GROUP BY 1, 2, 3, 4, 5",
        )
        for row in rows:
            groups.setdefault(row[2] or row[3] or "", []).append(row)
        known = [_project(group) for group in groups.values()]
        return sorted(known, key=lambda project: (project.path is None, project.name.lower(), project.path or ""))

    def directories(self) -> list[str]:
        """The directories that agents worked in."""
        statement = f"SELECT DISTINCT project FROM sessions WHERE project IS NOT NULL AND {self.here}"
        return [path for (path,) in self.catalogue.rows(statement)]

    def unsettled(self) -> set[str]:
        """The hashes of projects whose path is not certain."""
        statement = f"SELECT DISTINCT unsettled FROM sessions WHERE unsettled IS NOT NULL AND +{self.here}"
        return {digest for (digest,) in self.catalogue.rows(statement)}

    def proved(self) -> dict[str, str]:
        """The paths that were proved by a hash, by that hash."""
        statement = f"SELECT DISTINCT project_hash, project FROM sessions WHERE evidence='hash' AND {self.here}"
        rows = self.catalogue.rows(statement)
        return {digest: path for digest, path in rows if digest is not None and path is not None}

    def outcomes(self, agent: str, root: str) -> dict[str, BundleOutcome]:
        """The outcome of reading each bundle of a root, by key."""
        number = self.catalogue.root(agent, root)[0]
        by_bundle: dict[int, list[tuple[str, tuple[str, ...], tuple[Notice, ...]]]] = {}
        statement = "SELECT bundle, summary, notices FROM sessions WHERE root=? ORDER BY no"
        for bundle, blob, notices in self.catalogue.rows(statement, number):
            summary = summary_of(blob)
            by_bundle.setdefault(bundle, []).append((summary.key, summary.files, notices_of(notices)))
        bundles = "SELECT id, key, problem, notices FROM bundles WHERE root=?"
        return {
            key: BundleOutcome(problem=problem, notices=notices_of(notices), sessions=tuple(by_bundle.get(id, ())))
            for id, key, problem, notices in self.catalogue.rows(bundles, number)
        }


def is_project(typed: str, path: str | None, digest: str | None) -> bool:
    """Does a project match what a person typed?"""
    return project_matches(typed, path) or (digest is not None and len(typed) >= 4 and digest.startswith(typed.lower()))


def _project(group: list[tuple[Any, ...]]) -> Project:
    path = group[0][2]
    hashes = tuple(sorted({row[3] for row in group if row[3]}))
    # Only conversations count, unless a project has none.
    counted = [row for row in group if row[1] in ALWAYS_LISTED] or group
    agents: dict[str, int] = {}
    for agent, _, _, _, _, count in sorted(counted, key=lambda row: str(row[0])):
        agents[agent] = agents.get(agent, 0) + count
    known = {row[4] for row in group if row[4]}
    name = project_name(path) if path else hashes[0][:8] if hashes else "unknown"
    evidence = next((kind for kind in (*EVIDENCE_ORDER, *sorted(known)) if kind in known), None)
    return Project(path=path, name=name, agents=agents, hashes=hashes, evidence=evidence)
