"""What the catalogue is asked: which sessions, whose family, which projects, whose id begins like this."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from itertools import islice
from typing import Any

from pollux.index.catalog.catalog import Catalog, marks_of, notices_of, summary_of
from pollux.index.catalog.families import Families
from pollux.index.catalog.prefixes import Shortest
from pollux.index.catalog.rows import Marks, micros
from pollux.model import Kind, Notice, Summary, Usage, Value
from pollux.model.names import fits, is_called
from pollux.system.bounds import stands_for
from pollux.text.folding import fold

ALWAYS_LISTED = (Kind.MAIN,)
WITNESSES = ("moved", "recorded", "history", "marker", "registry", "hash", "guess")
"""How a project's path may be known, the best first."""


BEST_FIRST = "{0}kind='prompts', {0}moment DESC, {0}key DESC, {0}messages DESC, {0}root DESC"
WORST_FIRST = "{0}kind='prompts' DESC, {0}moment, {0}key, {0}messages, {0}root"
"""Of one session under two roots a conversation tells more than typed lines, and the one left last is meant.

Of two that were left at the same moment it is the fuller one: one of them is a copy, or was cut.
"""


class Filter(Value, frozen=True, kw_only=True):
    """Which sessions are wanted; what is None does not matter.

    `project` is a path, a name, part of a name, or the first digits of an unknown project's hash; `words` must all
    occur in the title, the prompts or the project; `facts` are pairs of a name of `FACTS` and a value, or part of one;
    `everything` adds sub-agents, checkpoints, prompt logs.
    """

    agent: str | None = None
    project: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    words: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    everything: bool = False


class ListEntry(Value, frozen=True, kw_only=True):
    """A session in a list.

    `family_usage` is what its whole family used, `short` the beginning of its id that no other session has;
    `troubled` says that its files gave cause for a warning.
    """

    summary: Summary
    family_usage: Usage
    short: str
    troubled: bool = False


class Project(Value, frozen=True, kw_only=True):
    """A directory people worked in, or the hash of one that is not known."""

    path: str | None
    name: str
    agents: Mapping[str, int]
    hashes: tuple[str, ...]
    evidence: str | None


class Place(Value, frozen=True, kw_only=True):
    """Where a session is read from: its root and the bundle that holds it."""

    key: str
    agent: str
    id: str
    root: str
    bundle: str


class Cursor(Value, frozen=True, kw_only=True):
    """How far a catalogue is: whenever a session is read, the number grows."""

    born: str
    number: int


class Kept(Value, frozen=True, kw_only=True):
    """What became of a bundle when it was read."""

    problem: str | None
    notices: tuple[Notice, ...]
    sessions: tuple[tuple[str, tuple[str, ...], tuple[Notice, ...]], ...]


_FEW = 200
"""For so many sessions their neighbours are looked up one by one, rather than all ids at once."""


class CatalogQueries:
    """Asks a catalogue about the sessions under some roots."""

    def __init__(self, catalogue: Catalog, roots: Iterable[tuple[str, str]]) -> None:
        self.catalogue = catalogue
        self._roots = [number for agent, path in roots if (number := catalogue.root(agent, path)[0])]
        # Where an id is asked for, `+` keeps SQLite from going through whole roots instead.
        self.here = f"root IN ({', '.join(map(str, self._roots))})"
        order = "({0}.kind != 'prompts', COALESCE({0}.moment, -1 << 62), {0}.messages, {0}.root)"
        better = f"o.id=s.id AND o.key=s.key AND +o.{self.here} AND {order.format('o')} > {order.format('s')}"
        # For rows `s` of one session under several roots, of which only one is meant.
        self.meant = f"+s.{self.here} AND NOT EXISTS (SELECT 1 FROM sessions o WHERE {better})"

    def listed(self, asked: Filter, limit: int | None) -> list[ListEntry]:
        """Summaries, newest first. A session that lies under two roots is listed once, as it was left last."""
        with self.catalogue.still():
            few = limit is not None and limit < _FEW
            numbers = self._first(asked, limit or 0) if few else self._newest(asked)[:limit]
            one = "SELECT key, id, troubled, summary FROM sessions WHERE no=?"
            kept = [self.catalogue.rows(one, no)[0] for no in numbers]
            family = Families(self._children([key for key, *_ in kept] if few else None))
            short = self.short if few else Shortest(self._ids()).of
            return [
                ListEntry(summary=told, family_usage=family.usage(told), short=short(id), troubled=bool(troubled))
                for _, id, troubled, blob in kept
                for told in (summary_of(blob),)
            ]

    def _newest(self, asked: Filter) -> list[int]:
        """The numbers of all wanted sessions, the newest first."""
        where, values = self.where(asked)
        every = f"SELECT key, no, moment FROM sessions WHERE {where} ORDER BY {WORST_FIRST.format('')}"
        once = {
            key: (moment is not None, moment or 0, key, no) for key, no, moment in self.catalogue.rows(every, *values)
        }
        return [no for *_, no in sorted(once.values(), reverse=True)]

    def _first(self, asked: Filter, limit: int) -> list[int]:
        """The first few of these: all others are left alone."""
        where, values = self.where(asked)
        order = (
            f"SELECT key, id, no FROM sessions INDEXED BY sessions_newest WHERE {where} ORDER BY moment DESC, key DESC"
        )
        same = f"SELECT no FROM sessions WHERE key=? AND id=? AND +{where} ORDER BY {BEST_FIRST.format('')} LIMIT 1"
        every = self.catalogue.stream(order, *values)
        meant = (no for key, id, no in every if self.catalogue.rows(same, key, id, *values) == [(no,)])
        return list(islice(meant, limit))

    def where(self, asked: Filter) -> tuple[str, list[Any]]:
        """The condition on a session that a filter states, and its values."""
        terms, values = [self.here], list[Any]()
        if asked.agent is not None:
            terms.append("agent=?")
            values.append(asked.agent)
        if not asked.everything:
            terms.append(f"kind IN ({', '.join('?' * len(ALWAYS_LISTED))})")
            values += [kind.value for kind in ALWAYS_LISTED]
        if asked.since is not None:
            terms.append("moment >= ?")
            values.append(micros(asked.since))
        if asked.until is not None:
            terms.append("COALESCE(started, moment) <= ?")
            values.append(micros(asked.until))
        for word in asked.words:
            terms.append("no IN (SELECT session FROM abouts WHERE instr(words, ?))")
            values.append(fold(word))
        for name, value in asked.facts:
            told = [one for one in self.values(name) if is_called(value, one, begins=name == "commit")]
            terms.append(f"no IN (SELECT session FROM facts WHERE name=? AND value IN ({', '.join('?' * len(told))}))")
            values += [name, *told]
        if asked.project is not None:
            known = self.catalogue.rows(f"SELECT DISTINCT project, project_hash FROM sessions WHERE {self.here}")
            fitting = [pair for pair in known if is_project(asked.project, *pair)]
            terms.append(f"({' OR '.join(['(project IS ? AND project_hash IS ?)'] * len(fitting)) or 0})")
            values += [value for pair in fitting for value in pair]
        return " AND ".join(terms), values

    def values(self, name: str) -> list[str]:
        """All values that a fact has anywhere."""
        return [value for (value,) in self.catalogue.rows("SELECT DISTINCT value FROM facts WHERE name=?", name)]

    def _children(self, keys: Collection[str] | None = None) -> dict[str, list[Summary]]:
        """The children of all sessions, or of these and their descendants."""
        asked = f"SELECT parent, summary FROM sessions s WHERE parent IS NOT NULL AND {self.meant}"
        children: dict[str, dict[str, Summary]] = {}
        rows = self.catalogue.rows(asked) if keys is None else []
        level, seen = set(keys or ()), set[str]()
        while rows or level:
            rows += [row for key in level for row in self.catalogue.rows(f"{asked} AND parent=?", key)]
            seen |= level
            level = set()
            for parent, blob in rows:
                told = summary_of(blob)
                children.setdefault(parent, {})[told.key] = told
                if keys is not None and told.key not in seen:
                    level.add(told.key)
            rows = []
        return {parent: list(below.values()) for parent, below in children.items()}

    def _ids(self) -> list[str]:
        return [id for (id,) in self.catalogue.rows(f"SELECT DISTINCT id FROM sessions WHERE {self.here} ORDER BY id")]

    def has(self, key: str) -> bool:
        """Is there a session of this key?"""
        asked = f"SELECT 1 FROM sessions WHERE key=? AND id=? AND +{self.here} LIMIT 1"
        return bool(self.catalogue.rows(asked, key, key.partition(":")[2]))

    def summary(self, key: str) -> Summary | None:
        """One session's."""
        rows = self.catalogue.rows(
            f"SELECT summary FROM sessions WHERE key=? AND id=? AND +{self.here} ORDER BY {BEST_FIRST.format('')}",
            key,
            key.partition(":")[2],
        )
        return summary_of(rows[0][0]) if rows else None

    def numbered(self, numbers: Iterable[int]) -> dict[int, tuple[Summary, Marks]]:
        """The sessions that have these numbers: what they are, and who their messages are by.

        One that another of the same key stands for, or that lies under other roots, is left out.
        """
        asked = f"SELECT no, summary, marks FROM sessions s JOIN abouts ON session=no WHERE {self.meant}"
        rows = self.catalogue.among(asked, "no", dict.fromkeys(numbers))
        return {number: (summary_of(summary), marks_of(marks)) for number, summary, marks in rows}

    def short(self, id: str) -> str:
        """The beginning of an id that no other session's has, as in a list: only its neighbours are looked at."""
        before = f"SELECT id FROM sessions WHERE id < ? AND +{self.here} ORDER BY id DESC LIMIT 1"
        after = f"SELECT id FROM sessions WHERE id >= ? AND +{self.here} ORDER BY id LIMIT 1"
        beside = f"SELECT * FROM ({before}) UNION ALL SELECT * FROM ({after})"
        others = [other for (other,) in self.catalogue.rows(beside, id, f"{id}\U0010ffff")]
        return Shortest(sorted((id, *others))).of(id)

    def count(self, asked: Filter) -> int:
        """How many sessions are wanted."""
        where, values = self.where(asked)
        each = f"SELECT 1 FROM sessions WHERE +{where} GROUP BY id, agent"
        return int(self.catalogue.rows(f"SELECT COUNT(*) FROM ({each})", *values)[0][0])

    def unread(self) -> int:
        """How many sessions there may be whose files could not be read, and which are not kept either."""
        return len(self._unread())

    def _unread(self) -> list[str]:
        """The agent of each of them."""
        same = "s.id=substr(b.key, instr(b.key, ':') + 1) AND s.key=b.key AND s.kind != 'prompts'"
        rows = self.catalogue.rows(
            "SELECT agent, b.notices FROM bundles b JOIN roots r ON r.id=b.root WHERE b.problem IS NOT NULL "
            f"AND b.{self.here} AND NOT EXISTS (SELECT 1 FROM sessions s WHERE {same} AND +s.{self.here})"
        )
        kept = self._kept_files() if rows else set()
        damaged = [(agent, {notice.file for notice in notices_of(noticed)}) for agent, noticed in rows]
        return [agent for agent, files in damaged if not files or not files <= kept]

    def _kept_files(self) -> set[str]:
        """The agents' files of which copies that pollux kept were read."""
        trees = [no for no, path in self.catalogue.rows("SELECT id, path FROM roots") if stands_for(path) is not None]
        every = self.catalogue.among(f"SELECT summary FROM sessions WHERE {self.here}", "root", trees)
        files = {file for (blob,) in every for file in summary_of(blob).files}
        return {own for file in files if (own := stands_for(file)) is not None}

    def closed(self) -> list[str]:
        """Folders and files that the system did not let pollux look into when it last looked."""
        return [path for (path,) in self.catalogue.rows(f"SELECT path FROM closed WHERE {self.here} ORDER BY path")]

    def lacking(self) -> set[str]:
        """The agents of which something could not be read: there may be more than the catalogue holds."""
        rows = self.catalogue.rows(f"SELECT DISTINCT agent FROM closed JOIN roots ON id=root WHERE {self.here}")
        return {agent for (agent,) in rows}.union(self._unread())

    def cut(self) -> int:
        """How many outputs of tools are too long for all of their words to be in the index."""
        each = f"SELECT MAX(cut) AS cut FROM sessions WHERE {self.here} GROUP BY key"
        return int(self.catalogue.rows(f"SELECT COALESCE(SUM(cut), 0) FROM ({each})")[0][0])

    def family_usage(self, told: Summary) -> Usage:
        """What a session and its descendants used."""
        return Families(self._children([told.key])).usage(told)

    def family(self, key: str) -> list[str]:
        """The keys of a session and all its descendants."""
        return Families(self._children([key])).keys(key)

    def starting(self, prefix: str, agent: str | None = None) -> list[Place]:
        """The sessions whose id starts like this, those that were left last first."""
        rows = self.catalogue.rows(
            "SELECT s.key, s.agent, s.id, r.path, b.key FROM sessions s JOIN roots r ON r.id=s.root "
            f"JOIN bundles b ON b.id=s.bundle WHERE s.id >= ? AND s.id < ? AND +s.{self.here} "
            f"AND (? IS NULL OR s.agent=?) ORDER BY {BEST_FIRST.format('s.')}",
            prefix,
            f"{prefix}\U0010ffff",
            agent,
            agent,
        )
        return [Place(key=key, agent=agent, id=id, root=root, bundle=bundle) for key, agent, id, root, bundle in rows]

    def files(self, key: str) -> list[str]:
        """Every file a session was read from, under whichever root."""
        rows = self.catalogue.rows(
            f"SELECT summary FROM sessions WHERE key=? AND id=? AND {self.here}", key, key.partition(":")[2]
        )
        return list(dict.fromkeys(file for (blob,) in rows for file in summary_of(blob).files))

    def newest(self) -> tuple[Cursor, set[str]]:
        """How far the catalogue is, and the keys of all sessions."""
        rows = self.catalogue.rows(f"SELECT key, MAX(no) FROM sessions WHERE {self.here} GROUP BY key")
        number = max((number for _, number in rows), default=0)
        return Cursor(born=self.catalogue.born, number=number), {key for key, _ in rows}

    def message_ids(self) -> list[tuple[str, list[str]]]:
        """The keys of all sessions, each with the ids of its messages."""
        every = f"SELECT key, marks FROM sessions JOIN abouts ON session=no WHERE {self.here}"
        return [(key, marks_of(blob).ids) for key, blob in self.catalogue.rows(every)]

    def newer(self, point: Cursor, asked: Filter) -> list[Place]:
        """The sessions that were read since the catalogue was so far; all where it was made anew meanwhile."""
        number = point.number if point.born == self.catalogue.born else 0
        return self.places(asked, number)

    def places(self, asked: Filter, after: int = 0) -> list[Place]:
        """Where the wanted sessions are read from, those with numbers above `after`, the oldest first."""
        where, values = self.where(asked)
        rows = self.catalogue.rows(
            "SELECT s.key, s.agent, s.id, r.path, b.key FROM sessions s JOIN roots r ON r.id=s.root "
            "JOIN bundles b ON b.id=s.bundle "
            f"WHERE s.no IN (SELECT no FROM sessions WHERE no > ? AND {where}) ORDER BY {WORST_FIRST.format('s.')}",
            after,
            *values,
        )
        return [Place(key=key, agent=agent, id=id, root=root, bundle=bundle) for key, agent, id, root, bundle in rows]

    def holding(self, path: str) -> list[Place]:
        """The sessions that were read from a file."""
        rows = self.catalogue.rows(
            "SELECT s.key, s.agent, s.id, r.path, b.key, s.summary FROM sessions s JOIN roots r ON r.id=s.root "
            f"JOIN bundles b ON b.id=s.bundle WHERE s.{self.here} AND instr(s.summary, ?)",
            path.encode(),
        )
        return [
            Place(key=key, agent=agent, id=id, root=root, bundle=bundle)
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
        found = [_project(group) for group in groups.values()]
        return sorted(found, key=lambda project: (project.path is None, project.name.lower(), project.path or ""))

    def directories(self) -> list[str]:
        """Where agents worked."""
        asked = f"SELECT DISTINCT project FROM sessions WHERE project IS NOT NULL AND {self.here}"
        return [path for (path,) in self.catalogue.rows(asked)]

    def unsettled(self) -> set[str]:
        """The hashes of projects whose path is not known, or only guessed."""
        unknown = "project_hash IS NOT NULL AND (project IS NULL OR evidence='guess')"
        asked = f"SELECT DISTINCT project_hash FROM sessions WHERE {unknown} AND +{self.here}"
        return {digest for (digest,) in self.catalogue.rows(asked)}

    def kept(self, agent: str, root: str) -> dict[str, Kept]:
        """What became of each of a root's bundles, by key."""
        number = self.catalogue.root(agent, root)[0]
        held: dict[int, list[tuple[str, tuple[str, ...], tuple[Notice, ...]]]] = {}
        asked = "SELECT bundle, summary, notices FROM sessions WHERE root=? ORDER BY no"
        for bundle, blob, noticed in self.catalogue.rows(asked, number):
            told = summary_of(blob)
            held.setdefault(bundle, []).append((told.key, told.files, notices_of(noticed)))
        every = "SELECT id, key, problem, notices FROM bundles WHERE root=?"
        return {
            key: Kept(problem=problem, notices=notices_of(noticed), sessions=tuple(held.get(id, ())))
            for id, key, problem, noticed in self.catalogue.rows(every, number)
        }


def is_project(asked: str, path: str | None, digest: str | None) -> bool:
    """Does a project answer to what a person typed?"""
    return fits(asked, path) or (digest is not None and len(asked) >= 4 and digest.startswith(asked.lower()))


def _project(group: list[tuple[Any, ...]]) -> Project:
    path = group[0][2]
    hashes = tuple(sorted({row[3] for row in group if row[3]}))
    # Conversations count; a project known only by what is left of them counts that.
    shown = [row for row in group if row[1] in ALWAYS_LISTED] or group
    agents: dict[str, int] = {}
    for agent, _, _, _, _, count in sorted(shown, key=lambda row: str(row[0])):
        agents[agent] = agents.get(agent, 0) + count
    known = {row[4] for row in group if row[4]}
    name = os.path.basename(path.rstrip("/\\")) or path if path else hashes[0][:8] if hashes else "unknown"  # noqa: PTH119
    evidence = next((one for one in (*WITNESSES, *sorted(known)) if one in known), None)
    return Project(path=path, name=name, agents=agents, hashes=hashes, evidence=evidence)
