"""The tables of a lake: their columns and types, declared once for every engine."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from pollux.model import FIGURES

if TYPE_CHECKING:
    import pyarrow as pa

SESSIONS, MESSAGES, CALLS, USAGE = "sessions", "messages", "tool_calls", "usage"


class Type(StrEnum):
    """What a column holds. Each engine has a name of its own for it."""

    TEXT = "text"
    TEXTS = "texts"
    INTEGER = "integer"
    NUMBER = "number"
    TRUTH = "truth"
    TIME = "time"
    """A moment in UTC, to the microsecond."""


class Column(NamedTuple):
    """A column. `of_lake`: it says how a session came into the lake, and a session alone does not have it."""

    name: str
    type: Type
    of_lake: bool = False


class Table(NamedTuple):
    """A table of a lake. `stored` is its name there; `indexed` are the columns that its log has statistics of.

    A log with statistics of any text would hold its first letters, also for days after it was erased. Keys are texts:
    people give names to some sessions.
    """

    name: str
    stored: str
    columns: tuple[Column, ...]
    indexed: tuple[str, ...]
    order: tuple[str, ...]

    def of_session(self) -> tuple[Column, ...]:
        """The columns that a session alone has."""
        return tuple(column for column in self.columns if not column.of_lake)

    def schema(self) -> pa.Schema:
        """All columns, for Arrow."""
        import pyarrow as pa

        types: dict[Type, Any] = {
            Type.TEXT: pa.string(),
            Type.TEXTS: pa.list_(pa.string()),
            Type.INTEGER: pa.int64(),
            Type.NUMBER: pa.float64(),
            Type.TRUTH: pa.bool_(),
            Type.TIME: pa.timestamp("us", tz="UTC"),
        }
        return pa.schema([(column.name, types[column.type]) for column in self.columns])


def _columns(names: str, *, of_lake: bool = False) -> tuple[Column, ...]:
    """Columns by their names, each with its type behind a colon. What has none is text."""
    pairs = (name.partition(":") for name in names.split())
    return tuple(Column(name, Type(kind or "text"), of_lake) for name, _, kind in pairs)


PLACE = ("month", "person", "machine", "key", "batch")
"""The columns that every row has: whose it is, and which load brought it."""

_PLACE = tuple(Column(name, Type.TEXT, of_lake=name != "key") for name in PLACE)
_MESSAGE = _PLACE + _columns("project number:integer")
_BY_MESSAGE = {"indexed": ("number", "at"), "order": ("project", "key", "number")}

TABLES = {
    table.name: table
    for table in (
        Table(
            SESSIONS,
            "sessions",
            _PLACE
            + _columns(
                "team seq:integer state object level edition:integer redactions:integer counts:truth",
                of_lake=True,
            )
            + _columns(
                "agent kind parent project project_hash title started:time ended:time models:texts prompts:integer "
                "replies:integer calls:integer failed_calls:integer messages:integer exact:truth kept:truth "
                "troubled:truth summary"
            ),
            indexed=("started",),
            order=("key",),
        ),
        Table(
            MESSAGES,
            "messages_all",
            _MESSAGE
            + _columns(
                "message role author at:time model fate inherited:truth text thinking summary context files:texts "
                "attachments:texts other"
            ),
            **_BY_MESSAGE,
        ),
        Table(
            CALLS,
            "tool_calls_all",
            _MESSAGE
            + _columns(
                "message call name canonical tool_kind input status output exit_code:integer at:time seconds:number "
                "child inherited:truth"
            ),
            **_BY_MESSAGE,
        ),
        Table(
            USAGE,
            "usage_all",
            _MESSAGE
            + _columns("request:integer at:time model inherited:truth")
            + _columns(" ".join(f"{name}:integer" for name in FIGURES)),
            **_BY_MESSAGE,
        ),
    )
}
"""The tables by their names, that of sessions first.

`sessions.summary` is what a list shows of a session, as JSON. `messages.other` are texts that no other column has:
files, answers without a call, and what pollux does not understand.
"""

ROWS = (MESSAGES, CALLS, USAGE)
"""The tables with rows of sessions, which the table of sessions shows or hides."""
