"""The views over the tables of a lake: what counts, and nothing twice. The same for every engine."""

from __future__ import annotations

from collections.abc import Callable

from pollux.lake.tables import CALLS, MESSAGES, SESSIONS, TABLES, USAGE, Table

_SHOWN = "a.month = s.month AND a.machine = s.machine AND a.key = s.key AND a.batch = s.batch AND s.counts"

_ONLY = {MESSAGES: "", CALLS: "", USAGE: " AND NOT a.inherited AND s.kind <> 'checkpoint'"}
"""What else must be true: usage that was inherited or copied counts where it was paid for."""


def view_bodies(source: Callable[[Table], str]) -> dict[str, str]:
    """The views by their names. `source` says what an engine calls a table."""
    sessions = source(TABLES[SESSIONS])
    bodies = {SESSIONS: f"SELECT * FROM {sessions} AS s WHERE s.counts"}
    for name, only in _ONLY.items():
        bodies[name] = (
            f"SELECT a.*, s.team, s.agent, s.kind FROM {source(TABLES[name])} AS a "
            f"JOIN {sessions} AS s ON {_SHOWN}{only}"
        )
    return bodies
