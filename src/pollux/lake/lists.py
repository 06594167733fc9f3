"""The sessions of a lake: lists of them, and one by its name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import msgspec

from pollux.errors import Ambiguous, UnknownName, Unreadable
from pollux.index.catalogue.families import Families
from pollux.index.catalogue.prefixes import ShortIds, meant
from pollux.index.catalogue.values import Filter, ListEntry
from pollux.lake.ask import MOMENT, Lake
from pollux.lake.documents import decode
from pollux.model import Author, Role, Session, Summary, Usage, Value
from pollux.model.names import name_matches
from pollux.system.decoders import json_decoder
from pollux.text.folding import fold

_NEWEST = f"ORDER BY {MOMENT} DESC NULLS LAST, key DESC"
_ID = "substr(key, instr(key, ':') + 1)"


class Pushed(Value, frozen=True, kw_only=True):
    """A session in a lake: who pushed it, from which machine, and where its document lies."""

    entry: ListEntry
    person: str
    team: str | None
    machine: str
    document: str


class LakeSessions:
    """The sessions of a lake that count."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def listed(self, criteria: Filter, limit: int | None = None) -> list[Pushed]:
        """The sessions that meet a filter, the newest first."""
        where, values = self._lake.where(criteria)
        some = f" LIMIT {limit}" if limit is not None and not criteria.facts and not criteria.words else ""
        rows = self._lake.rows(
            f"SELECT summary, troubled, person, team, machine, object FROM sessions WHERE {where} {_NEWEST}{some}",
            *values,
        )
        prompts = self._prompts(where, values) if criteria.words else {}
        wanted = ((_summary(row[0]), *row[1:]) for row in rows)
        chosen = [row for row in wanted if _matches(row[0], criteria, prompts.get(row[0].key, ""))][:limit]
        families = Families(self._children([summary.key for summary, *_ in chosen]))
        return [
            Pushed(
                entry=ListEntry(
                    summary=summary,
                    family_usage=families.usage(summary.key, summary.usage),
                    short=self.short(summary.id),
                    troubled=troubled,
                ),
                person=person,
                team=team,
                machine=machine,
                document=document,
            )
            for summary, troubled, person, team, machine, document in chosen
        ]

    def count_all(self) -> int:
        """How many sessions there are."""
        return int(self._lake.rows("SELECT COUNT(*) FROM sessions")[0][0])

    def find(self, name: str) -> str:
        """The key of the session with this key, with an id that begins so, or of the `last`. Raises `UnknownName`."""
        if name == "last":
            rows = self._lake.rows(f"SELECT key, {_ID} FROM sessions WHERE kind = 'main' {_NEWEST} LIMIT 1")
        else:
            begins = f"starts_with(key, ?) OR starts_with({_ID}, ?)"
            rows = self._lake.rows(f"SELECT key, {_ID} FROM sessions WHERE {begins}", name, name)
        ids = meant({id for _, id in rows})
        keys = sorted(key for key, id in rows if id in ids)
        if not keys or not name:
            raise UnknownName("session", name, hint="Try: pollux lake list LAKE --all")
        if len(keys) > 1:
            raise Ambiguous(name, keys)
        return str(keys[0])

    def session(self, key: str) -> Session:
        """A session, from its document. Raises `Unreadable`."""
        ((path,),) = self._lake.rows("SELECT object FROM sessions WHERE key = ?", key)
        return self.read(path)

    def read(self, path: str) -> Session:
        """The session of a document."""
        return decode(self._lake.store.get(path)).read()

    def family_usage(self, session: Session) -> Usage:
        """What a session and its descendants used."""
        return Families(self._children([session.key])).usage(session.key, session.usage)

    def short(self, id: str) -> str:
        """The beginning of an id that no other session's id has."""
        return self._ids.of(id)

    @cached_property
    def _ids(self) -> ShortIds:
        rows = self._lake.rows(f"SELECT DISTINCT {_ID} FROM sessions WHERE key IS NOT NULL")
        return ShortIds(sorted(id for (id,) in rows))

    def _children(self, keys: Sequence[str]) -> dict[str, list[Summary]]:
        """The children of these sessions and of their descendants."""
        children: dict[str, list[Summary]] = {}
        level, seen = set(keys), set[str]()
        while level:
            seen |= level
            rows = self._lake.rows(
                "SELECT parent, summary FROM sessions WHERE parent IN (SELECT unnest(?))", sorted(level)
            )
            for parent, document in rows:
                children.setdefault(parent, []).append(_summary(document))
            level = {child.key for some in children.values() for child in some} - seen
        return children

    def _prompts(self, where: str, values: Sequence[object]) -> dict[str, str]:
        """What people said in these sessions."""
        return dict(
            self._lake.rows(
                "SELECT key, string_agg(text, chr(10)) FROM messages "
                f"WHERE role = '{Role.USER}' AND author = '{Author.HUMAN}' "
                f"AND key IN (SELECT key FROM sessions WHERE {where}) GROUP BY key",
                *values,
            )
        )


def _summary(text: str) -> Summary:
    """A summary, as it is stored. Raises `Unreadable`."""
    try:
        return json_decoder(Summary).decode(text)
    except (msgspec.DecodeError, TypeError) as error:
        raise Unreadable(f"The table sessions has rows that pollux did not write: {error}.") from error


def _matches(summary: Summary, criteria: Filter, prompts: str) -> bool:
    """Has a session the words and facts that a filter asks for?"""
    for name, value in criteria.facts:
        known = summary.facts.get(name, ())
        if not any(name_matches(value, one, begins=name == "commit") for one in known):
            return False
    if not criteria.words:
        return True
    names = summary.facts.get("name", ())
    about = fold("\n".join([summary.title or "", *names, summary.project or "", prompts]))
    return all(fold(word) in about for word in criteria.words)
