"""What a writer must offer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol, runtime_checkable

import msgspec

from pollux.model import AgentDescription, Message, Session, SessionMarks, Summary, ToolCall, Usage, Value

Out = Callable[[Any], object]
"""Takes a piece of the output; pieces come as they are made, so that a huge session needs no huge string.

A piece is text. Only a format that is no text, a `Dataset`, gives bytes.
"""


@runtime_checkable
class Knowledge(Protocol):
    """What a source knows of its agent that formats ask for."""

    def describe(self, session: Session) -> AgentDescription:
        """The agent's names in other formats, and facts about the session's surroundings."""

    def answer(self, call: ToolCall) -> Any:
        """A tool's answer as the agent wrote it; None where that is not known."""

    def compacts(self, message: Message) -> bool:
        """Does a message say that the conversation was compacted, though it holds no summary?"""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What a person may ask of a transcript; formats for programs ignore most of it.

    `content` asks for the words where a format leaves them out by itself; `ids` whether tool calls keep their `own` ids
    or have `short` ones. `compat` names the program whose own dialect is wanted.
    """

    thinking: bool = False
    tools: str = "brief"
    tokens: bool = False
    notices: bool = False
    live_only: bool = False
    front_matter: bool = False
    content: bool = False
    ids: str = "own"
    compat: str | None = None


class WriterContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a writer may ask beyond the session that it writes.

    `family_usage` is what the session used with all its descendants, `cost_usd` what it cost by itself, and
    `unpriced_requests` how many of its requests are not in that. `price` tells the same of each message of a session.
    `child` reads the session of a sub-agent, for a format that holds it within the one that started it. `knowledge` is
    what is known of an agent by its name. `marks` is what a person noted about a session, by its key.

    In an export of many, `files` says where the sessions lie, by their keys and relative to its folder, so that a
    writer can lead from one to another. `sessions` reads all of them once more, for pages about all of them.
    """

    family_usage: Usage | None = None
    cost_usd: float | None = None
    unpriced_requests: int | None = None
    price: Callable[[Session], Callable[[Message], tuple[float | None, int]]] = lambda _: lambda _: (None, 0)
    child: Callable[[str], Session | None] = lambda _: None
    knowledge: Callable[[str], Knowledge | None] = lambda _: None
    marks: Callable[[str], SessionMarks | None] = lambda _: None
    files: Mapping[str, str] = {}
    sessions: Callable[[], Iterable[Session]] = tuple


NO_CONTEXT = WriterContext()
"""A session by itself, of which nothing is known but what is in it."""


STYLE = ("thinking", "tools", "tokens", "notices", "front_matter", "content", "ids")
"""The options of style. Each format supports only some of them."""

TRANSCRIPT = STYLE[:5]
"""The options of style that transcripts heed."""


def describe(session: Session, knowledge: Callable[[str], Knowledge | None]) -> AgentDescription:
    """What is known of the program that recorded a session; at least its name."""
    known = knowledge(session.agent)
    return (
        known.describe(session) if known is not None else AgentDescription(program=session.agent, harness=session.agent)
    )


LOST_FATES = "messages no longer live"
WHY_LOST = "only what is still live was asked for"
"""What every format leaves out on request."""


class Loss(msgspec.Struct, frozen=True):
    """What a format could not hold, or was not asked to."""

    what: str
    count: int
    why: str


class Fabrication(msgspec.Struct, frozen=True):
    """What a format demands and the session does not have."""

    what: str
    why: str


class Report(msgspec.Struct):
    """What became of a session on its way into a format."""

    kept: int = 0
    dropped: list[Loss] = []
    fabricated: list[Fabrication] = []

    def add(self, other: Report) -> None:
        """Add the report of another session."""
        self.kept += other.kept
        counts = {(entry.what, entry.why): entry.count for entry in self.dropped}
        for entry in other.dropped:
            counts[entry.what, entry.why] = counts.get((entry.what, entry.why), 0) + entry.count
        self.dropped = [Loss(what, count, why) for (what, why), count in counts.items()]
        self.fabricated = list(dict.fromkeys([*self.fabricated, *other.fabricated]))

    def as_json(self) -> dict[str, Any]:
        """The report as the contract has it."""
        built: dict[str, Any] = msgspec.to_builtins(self)
        return built


def without_secrets(count: int) -> Report:
    """The account of secrets that were taken out."""
    return Report(dropped=[Loss("secrets", count, "redaction was asked for")] if count else [])


class Writer(Protocol):
    """Writes a session in one format."""

    @property
    def name(self) -> str:
        """The format's name."""

    @property
    def suffix(self) -> str:
        """The ending of its files."""

    @property
    def purpose(self) -> str:
        """What it is for, in a few words."""

    @property
    def supported_options(self) -> tuple[str, ...]:
        """The options of style that affect it, by their names in `Options`; the others are refused."""

    def write(self, session: Session, out: Out, options: Options, context: WriterContext = NO_CONTEXT, /) -> Report:
        """Write the whole session."""


class Entry(Value, frozen=True, kw_only=True):
    """A session that an export wrote: what a list shows of it, and its file, relative to the folder, with `/`."""

    summary: Summary
    file: str


class Page(NamedTuple):
    """A file beside the sessions' own: its name, relative to the folder, with `/`, and its text in pieces.

    `keys` are the sessions whose messages it holds. A later export of them deletes it where it is no longer needed.
    """

    name: str
    pieces: Iterable[str]
    keys: tuple[str, ...] = ()


@runtime_checkable
class Site(Protocol):
    """A writer whose files make up a site: asked once, when every session of an export to a folder is written."""

    def finish(self, entries: Sequence[Entry], context: WriterContext, /) -> Iterator[Page]:
        """The pages that lead to the sessions, newest first. The caller writes those that changed."""


@runtime_checkable
class MultiFile(Protocol):
    """A writer that has several files for a large session where it goes to a folder."""

    def further_pages(self, session: Session, options: Options, context: WriterContext, /) -> Iterator[Page]:
        """The files besides the session's own."""


@runtime_checkable
class Binary(Protocol):
    """A writer of bytes."""

    def write_bytes(
        self, session: Session, out: Callable[[bytes], object], options: Options, context: WriterContext = NO_CONTEXT, /
    ) -> Report:
        """Write the whole session."""


@runtime_checkable
class Refusing(Protocol):
    """A writer that has nothing to write of some sessions. Among many it passes over them."""

    def check(self, session: Session, options: Options, /) -> None:
        """Raise `RequestError` where nothing of a session can be written."""


@runtime_checkable
class HasCbor(Protocol):
    """A writer whose format exists in CBOR as well."""

    @property
    def cbor(self) -> Writer:
        """The writer of the same format in CBOR."""


@runtime_checkable
class Joinable(Protocol):
    """A writer that can put several sessions into one file."""

    @property
    def between(self) -> str:
        """What stands between two of them."""


class Table(Protocol):
    """A file of a dataset in the making. It grows by a session at a time, so that memory need not hold it."""

    def rows(self, session: Session, options: Options) -> tuple[Any, Report]:
        """A session's rows, not yet in the file, and their report, which the table of the messages gives."""

    def add(self, rows: Any) -> None:
        """Add such rows, when every table has made its own: a session is in all tables or in none."""

    def close(self) -> None:
        """Write what is left."""


@runtime_checkable
class Dataset(Protocol):
    """A writer of tables. In a folder each is a folder of its own, and sessions that belong together share a file."""

    @property
    def tables(self) -> Sequence[str]:
        """Their names."""

    def ready(self) -> None:
        """Raise `RequestError` where a library is missing."""

    def part(self, agent: str, started: datetime | None) -> str:
        """The file in which a session's rows stand, relative to the folder of a table, with `/`."""

    def open(self, table: str, out: Out) -> Table:
        """Begin a file."""
