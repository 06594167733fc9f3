"""Tables for analysis, as Parquet: one of messages, one of tool calls.

In a folder each is a dataset, cut into files by agent and month as DuckDB, Polars and Spark find them by themselves. In
one file there can only be one table: there each message holds its calls.
"""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime
from typing import Any

from pollux.errors import RequestError
from pollux.model import Fate, Message, Session, ToolCall, Usage, summarize
from pollux.writers.base import LOST_FATES, NO_CONTEXT, Options, Out, Report, WriterContext
from pollux.writers.csv import COUNTED, WHY as WHY_CSV, Cells
from pollux.writers.json import encode, stamp
from pollux.writers.loss import FACTS, FIGURES, OUTPUTS, LossCounter

MESSAGES, CALLS = "messages", "tool_calls"
ABOUT = ("key", "kind", "parent", "project", "title")
SAID = ("text", "thinking", "summary", "context")
NAMED = ("files", "attachments")
WHY = {**WHY_CSV, OUTPUTS: "no call asked for them", FIGURES: "larger than a column of numbers holds"}
WHY |= {FACTS: "a time outside of the calendar"}
LARGEST = 2**63
_ODD = re.compile(r"[^A-Za-z0-9._-]+")


class Parquet:
    """Parquet with columns of fixed types, compressed."""

    name = "parquet"
    suffix = ".parquet"
    purpose = "tables of messages and tool calls, for DuckDB, Polars, pandas"
    supported_options: tuple[str, ...] = ()
    tables = (MESSAGES, CALLS)

    def ready(self) -> None:
        """Raise where pyarrow is missing."""
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError as error:
            raise RequestError("Parquet files need pyarrow.", "Try: pip install 'pollux[parquet]'") from error

    def part(self, agent: str, started: datetime | None) -> str:
        """`agent=…/month=…`, in UTC."""
        month = (stamp(started) or "undated")[:7]
        return f"agent={_ODD.sub('-', agent)}/month={month}/sessions.parquet"

    def open(self, table: str, out: Out) -> _Messages | _Calls:
        """A file of one of the two tables."""
        self.ready()
        return _Messages(out, whole=False) if table == MESSAGES else _Calls(out)

    def write(self, session: Session, out: Out, options: Options, _context: WriterContext = NO_CONTEXT) -> Report:
        """One file: the messages, each with its calls."""
        self.ready()
        file = _Messages(out, whole=True)
        rows, report = file.rows(session, options)
        file.add(rows)
        file.close()
        return report


class _File:
    """A Parquet file in the making: a row group a session."""

    def __init__(self, out: Out, columns: list[tuple[str, Any]]) -> None:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter

        self._schema = pa.schema(columns)
        self._writer = ParquetWriter(pa.PythonFile(_Sink(out), "w"), self._schema, compression="zstd")

    def typed(self, rows: list[dict[str, Any]]) -> Any:
        """Rows with the types of the columns."""
        return typed(rows, self._schema)

    def add(self, rows: Any) -> None:
        """Write rows, if there are any."""
        if rows.num_rows:
            self._writer.write_table(rows)

    def close(self) -> None:
        """Write the end of the file, which says where everything stands."""
        self._writer.close()


class _Messages(_File):
    def __init__(self, out: Out, *, whole: bool) -> None:
        import pyarrow as pa

        self._whole = whole
        time = pa.timestamp("us", tz="UTC")
        about = [(name, pa.string()) for name in (*ABOUT, "message", "role", "author", "model", "fate")]
        words = [(name, pa.string()) for name in SAID] + [(name, pa.list_(pa.string())) for name in NAMED]
        columns = [*about, ("number", pa.int64()), ("at", time), ("inherited", pa.bool_()), *words]
        columns += [(name, pa.int64()) for name in COUNTED]
        columns += [(CALLS, pa.list_(pa.struct(_call_columns())))] if whole else []
        super().__init__(out, columns)

    def rows(self, session: Session, options: Options) -> tuple[Any, Report]:
        """The rows of a session, and the report of what they do not hold."""
        tally, summary = LossCounter(WHY), summarize(session)
        about = {name: getattr(summary, name) for name in ABOUT}
        rows = []
        for number, message in enumerate(session.messages, 1):
            if options.live_only and message.fate is not Fate.LIVE:
                tally.drop(LOST_FATES)
                continue
            tally.kept += 1
            row = {**about, "number": number, **message_cells(message, tally)}
            if self._whole:
                row[CALLS] = [call_cells(part) for part in message.parts if type(part) is ToolCall]
            rows.append(row)
        tally.session(session)
        return self.typed(rows), tally.report()


class _Calls(_File):
    def __init__(self, out: Out) -> None:
        import pyarrow as pa

        super().__init__(
            out, [("key", pa.string()), ("number", pa.int64()), ("message", pa.string()), *_call_columns()]
        )

    def rows(self, session: Session, options: Options) -> tuple[Any, Report]:
        """A row a call, with the number and the id of its message."""
        rows = [
            {"key": session.key, "number": number, "message": message.id, **call_cells(part)}
            for number, message in enumerate(session.messages, 1)
            if not options.live_only or message.fate is Fate.LIVE
            for part in message.parts
            if type(part) is ToolCall
        ]
        return self.typed(rows), Report()


def typed(rows: list[dict[str, Any]], schema: Any) -> Any:
    """A table of rows as they are or with half characters written out, which Parquet does not have."""
    import pyarrow as pa

    try:
        return pa.Table.from_pylist(rows, schema=schema)
    except UnicodeEncodeError:
        return pa.Table.from_pylist(_whole(rows), schema=schema)


def _call_columns() -> list[tuple[str, Any]]:
    import pyarrow as pa

    texts = ("call", "name", "canonical", "tool_kind", "input", "status", "output", "child")
    numbers = [("exit_code", pa.int64()), ("at", pa.timestamp("us", tz="UTC")), ("seconds", pa.float64())]
    return [*((name, pa.string()) for name in texts), *numbers]


class _Cells(Cells):
    """What is in a message; its calls have rows of their own."""

    def call(self, call: ToolCall) -> None:
        """Nothing: a call is a row."""


def message_cells(message: Message, tally: LossCounter) -> dict[str, Any]:
    """The row of a message, without its number and its session."""
    cells = _Cells(tally)
    for part in message.parts:
        cells.part(part)
    tally.message(message)
    at = in_utc(message.at)
    tally.drop(FACTS, message.at is not None and at is None)
    figures = _figures(message.usage)
    tally.drop(FIGURES, any(figure is None and getattr(message.usage, name) for name, figure in figures.items()))
    return {
        "message": message.id,
        **{name: getattr(message, name) for name in ("role", "author", "model", "fate", "inherited")},
        "at": at,
        **{name: "\n".join(cells.texts[name]) if name in cells.texts else None for name in SAID},
        **{name: cells.texts.get(name, []) for name in NAMED},
        **figures,
    }


def _figures(usage: Usage | None) -> dict[str, int | None]:
    return {name: _number(getattr(usage, name, None)) for name in COUNTED} if usage is not None else {}


def call_cells(call: ToolCall) -> dict[str, Any]:
    """The row of a call, without its message."""
    return {
        "call": call.id,
        **{name: getattr(call, name) for name in ("name", "canonical", "tool_kind", "status", "output", "child")},
        "input": None if call.input is None else encode(call.input),
        "exit_code": _number(call.exit_code),
        "at": in_utc(call.at),
        "seconds": call.seconds,
    }


def _number(figure: int | None) -> int | None:
    """A number, where a column can hold it."""
    return figure if figure is not None and -LARGEST <= figure < LARGEST else None


def in_utc(at: datetime | None) -> datetime | None:
    """In UTC; the first and last hours of the calendar may not be there."""
    try:
        return None if at is None else at.astimezone(UTC)
    except OverflowError:
        return None


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return {name: _whole(item) for name, item in value.items()} if isinstance(value, dict) else value


class _Sink(io.RawIOBase):
    """A file as pyarrow wants it."""

    def __init__(self, out: Out) -> None:
        self._out = out
        self._size = 0

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:
        data = bytes(piece)
        self._out(data)
        self._size += len(data)
        return len(data)

    def tell(self) -> int:
        return self._size


WRITER = Parquet()
