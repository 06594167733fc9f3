"""The sessions whose edits, failures and the like are listed: which they are, and what a list shows of each."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import msgspec

from pollux.index.catalogue.prefixes import short_id
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.rows import message_index_of, summary_of
from pollux.index.catalogue.scope import WORST_FIRST
from pollux.index.catalogue.values import Filter, shown_title
from pollux.model import Summary


class ChosenSession(NamedTuple):
    """What a list shows of a session, and short names for it and its messages."""

    summary: Summary
    title: str | None
    short: str
    message_ids: list[str]

    def short_message_id(self, id: str) -> str:
        """A beginning of a message's id that no other message of the session has."""
        return short_id(id, self.message_ids)


def chosen_numbers(current: CatalogueQueries, criteria: Filter, key: str | None = None) -> set[int]:
    """The numbers of the sessions that are wanted at any time, each once: as it was last used, and no checkpoint.

    With `key`, only that session.
    """
    where, values = current.where(msgspec.structs.replace(criteria, since=None, until=None))
    only, keys = ("AND key = ?", (key,)) if key is not None else ("", ())
    statement = (
        f"SELECT key, no FROM sessions WHERE {where} {only} AND kind != 'checkpoint' ORDER BY {WORST_FIRST.format('')}"
    )
    return set(dict(current.catalogue.rows(statement, *values, *keys)).values())


def chosen_sessions(current: CatalogueQueries, numbers: Collection[int]) -> dict[int, ChosenSession]:
    """The sessions with these numbers."""
    statement = "SELECT no, summary, abouts.marks FROM sessions JOIN abouts ON session=no WHERE 1"
    marks = current.marks()
    sessions: dict[int, ChosenSession] = {}
    for number, blob, index in current.catalogue.rows_with(statement, "no", numbers):
        summary = summary_of(blob)
        title = shown_title(marks.of(summary.key), summary.title)
        sessions[number] = ChosenSession(summary, title, current.short(summary.id), message_index_of(index).ids)
    return sessions
