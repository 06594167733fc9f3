"""Single sessions and messages, found by their ids, numbers and files."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from hashlib import sha256

from pollux.index.catalogue.conditions import Conditions
from pollux.index.catalogue.rows import MessageIndex, anchors_of, message_index_of, summary_of
from pollux.index.catalogue.scope import BEST_FIRST, WORST_FIRST
from pollux.index.catalogue.values import Cursor, Filter, SessionLocation
from pollux.model import HANDED_OVER, Anchor, Author, Summary

_FEW_IDS = 8
_UNIQUE = 20
"""An id of so many characters is an agent's own."""

_MANY = 1000
"""So many sessions are not looked up one by one."""


class LookUps(Conditions):
    """Looks sessions and messages up."""

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

    def number(self, key: str) -> int | None:
        """The number of a session; None where there is no such session."""
        rows = self.catalogue.rows(
            f"SELECT no FROM sessions WHERE key=? AND id=? AND +{self.here} ORDER BY {BEST_FIRST.format('')} LIMIT 1",
            key,
            key.partition(":")[2],
        )
        return int(rows[0][0]) if rows else None

    def count_by_project(self, numbers: Collection[int]) -> dict[str | None, int]:
        """How many of the sessions with these numbers there are in each project."""
        chosen = "no IN (SELECT value FROM json_each(?))"
        # One of them is found soonest by its number; many, by a pass over an index that has all that is wanted.
        selected = f"+{chosen} AND {self.here}" if len(numbers) > _MANY else f"{chosen} AND +{self.here}"
        statement = f"SELECT project, COUNT(DISTINCT key) FROM sessions WHERE {selected} GROUP BY project"
        return dict(self.catalogue.rows(statement, json.dumps([*numbers])))

    def project_paths(self) -> list[str]:
        """The paths of all projects."""
        statement = f"SELECT DISTINCT project FROM sessions WHERE {self.here} AND project IS NOT NULL"
        return [path for (path,) in self.catalogue.rows(statement)]

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

    def stamps(self) -> dict[str, str]:
        """A text for each session, by its key, that changes whenever the files change that it was read from."""
        rows = self.catalogue.rows(
            "SELECT s.key, b.fingerprint, b.dependencies FROM sessions s JOIN bundles b ON b.id=s.bundle "
            f"WHERE s.{self.here} ORDER BY {WORST_FIRST.format('s.')}"
        )
        return {key: f"{fingerprint} {sha256(needed or b'').hexdigest()}" for key, fingerprint, needed in rows}

    def newer(self, cursor: Cursor, criteria: Filter) -> list[SessionLocation]:
        """The sessions that were read after this position; all, if the catalogue was made again meanwhile."""
        number = cursor.number if cursor.born == self.catalogue.born else 0
        return self.places(criteria, number)

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
