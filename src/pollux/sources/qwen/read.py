"""Reads one session from all of its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from math import inf
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from pollux.errors import Unreadable
from pollux.model import (
    Author,
    Gap,
    Kind,
    Link,
    Message,
    Notice,
    Role,
    Session,
    Severity,
    ToolCall,
    exactness,
    first_words,
)
from pollux.sources.base import Reading, read_with
from pollux.sources.gemini_sessions import read as old_sessions
from pollux.sources.gemini_sessions.bundle import GeminiBundle
from pollux.sources.gemini_sessions.prompts import prompts
from pollux.sources.handed_over import with_note
from pollux.sources.qwen.bundle import QwenBundle
from pollux.sources.qwen.chain import fates
from pollux.sources.qwen.find import META
from pollux.sources.qwen.format.schema import Meta, Record
from pollux.sources.qwen.gaps import gaps, lost_records
from pollux.sources.qwen.group import AGENT
from pollux.sources.qwen.messages.builder import Builder
from pollux.sources.qwen.outputs import Outputs
from pollux.sources.qwen.telemetry import Requests
from pollux.sources.qwen.transcript import Row, Transcript
from pollux.sources.typed_prompts import command_title
from pollux.wire import Malformed, Notes, decode, display_path, read_bytes, tidy
from pollux.wire.salvage import close

_SURROUNDINGS = ("version", "gitBranch", "cwd", "agentName")
_surroundings = attrgetter(*_SURROUNDINGS, "sessionId", "agentId")


def read(bundle: GeminiBundle | QwenBundle) -> Reading:
    """The session of a bundle; none for an empty conversation."""
    if isinstance(bundle, GeminiBundle):
        return old_sessions.read(bundle)
    return read_with(bundle, _read)


def _read(bundle: QwenBundle) -> tuple[list[Session], tuple[Notice, ...]]:
    notes = Notes()
    transcripts: list[Transcript] = []
    for file in bundle.transcripts():
        notes.file = display_path(file.path)
        try:
            transcripts.append(Transcript(file.path, notes).read())
        except Unreadable as error:
            notes.add("file.unreadable", str(error), Severity.ERROR)
    session = _Reader(bundle, transcripts, notes).session() if transcripts else None
    if session is None:
        for transcript in transcripts:
            if transcript.damaged and not transcript.rows and not transcript.unknown:
                notes.file = transcript.file
                notes.add("file.damaged", "Nothing can be read: no line of the file is a record.", Severity.ERROR)
        return [], notes.all()
    return [session], notes.all()


class _Reader:
    """Makes the session of one bundle's files."""

    def __init__(self, bundle: QwenBundle, transcripts: list[Transcript], notes: Notes) -> None:
        self.bundle = bundle
        self.transcripts = transcripts
        self.notes = notes
        self.again: list[dict[str, Any]] = []
        self.rows = self._joined()
        self.surroundings = list(dict.fromkeys(map(_surroundings, [row.record for row in self.rows])))

    def _joined(self) -> list[Row]:
        """The rows of all files, the earliest file first, each record once."""
        if len(self.transcripts) == 1:
            rows = self.transcripts[0].rows
            if len({row.record.uuid for row in rows}) == len(rows):
                return rows
        rows = []
        known: dict[str, Row] = {}
        for transcript in sorted(self.transcripts, key=_beginning):
            for row in transcript.rows:
                uuid = row.record.uuid
                first = known.setdefault(uuid, row) if uuid is not None else row
                if first is row:
                    rows.append(row)
                elif row.record != first.record:
                    self.again.append({"line": row.line, **tidy(row.record)})
        return rows

    def session(self) -> Session | None:
        """The session; None where nothing was said."""
        bundle, rows = self.bundle, self.rows
        last = max(self.transcripts, key=_end) if len(self.transcripts) > 1 else self.transcripts[0]
        outputs = Outputs(bundle.root, bundle.stamps, self.notes)
        ids = {row.record.uuid: row for row in rows}
        ending = ids.get(last.rows[-1].record.uuid) if last.rows and last.rows[-1].record.uuid else None
        builder = Builder(rows, fates(rows, ending), bundle.kind, outputs, self.notes)
        requests = Requests(rows, bundle.id, bundle.children)
        if bundle.helpers:
            requests.leave_out(self._answers_of_helpers)
        messages = builder.build(requests)
        messages = self._with_children(messages)
        files = [*outputs.used]
        times: list[datetime] = [at for row in rows if (at := row.record.timestamp) is not None]
        if bundle.log is not None and bundle.kind is Kind.MAIN:
            match = prompts.match_log(bundle.id, messages, bundle.log, lambda _: [])
            messages = match.all_messages()
            files += [line.file for line in match.lost]
            times += [message.at for message in messages if message.at is not None]
        bundle.depends_on = outputs.asked
        messages, arrived = with_note(messages)
        if not any(message.author is not Author.CLIENT or message.usage is not None for message in messages):
            return None
        kind = bundle.kind
        if kind is Kind.MAIN and not any(_is_conversation(message) for message in messages):
            kind = Kind.PROMPTS
        meta = self._meta()
        missing: list[Gap] = [*gaps(messages), *lost_records(rows, ids)]
        cwd = next((row.record.cwd for row in rows if row.record.cwd), None)
        return Session(
            agent=AGENT,
            id=bundle.id,
            kind=kind,
            parent=self._parent(meta),
            title=self._title(builder, messages, meta),
            project=cwd,
            project_evidence="recorded" if cwd is not None else None,
            started=min(times, default=None),
            ended=max(times, default=None),
            messages=tuple(messages),
            links=(*self._links(builder, meta), *arrived),
            notices=(*self.notes.all(), *(bundle.log.notices if bundle.log is not None else ())),
            files=tuple(dict.fromkeys(display_path(path) for path in (*(file.path for file in bundle.files), *files))),
            exact=exactness(missing),
            gaps=tuple(missing),
            extra=self._extra(builder, meta),
        )

    def _answers_of_helpers(self) -> Iterator[Record]:
        """The answers in the files of the session's sub-agents. What is odd in these is said where they are read."""
        for file in self.bundle.helpers:
            with suppress(Unreadable):
                rows = Transcript(file.path, Notes()).read().rows
                yield from (row.record for row in rows if row.record.type == "assistant")

    def _with_children(self, messages: list[Message]) -> list[Message]:
        """The messages, in which a call names the session that it started: `<type>-<id of the call>`."""
        children = self.bundle.children
        if not children:
            return messages

        def child(call: ToolCall) -> str | None:
            ends = (key for name, key in children.items() if call.id is not None and name.endswith(f"-{call.id}"))
            return next(ends, None)

        return [
            replace(
                m, parts=tuple(replace(p, child=c) if type(p) is ToolCall and (c := child(p)) else p for p in m.parts)
            )
            if any(type(p) is ToolCall and p.canonical == "agent_spawn" for p in m.parts)
            else m
            for m in messages
        ]

    def _parent(self, meta: Meta | None) -> str | None:
        """The session that started this one: another sub-agent of the same session, or that session itself."""
        if meta is not None and meta.parentAgentId in self.bundle.children:
            return self.bundle.children[meta.parentAgentId]
        return f"{AGENT}:{self.bundle.parent}" if self.bundle.parent is not None else None

    def _links(self, builder: Builder, meta: Meta | None) -> tuple[Link, ...]:
        links: list[Link] = []
        if (parent := self._parent(meta)) is not None:
            evidence = f"its file lies in the folder named by {self.bundle.parent}"
            if meta is not None and meta.toolUseId is not None:
                evidence += f", and the call {meta.toolUseId} started it"
            if meta is not None and meta.parentAgentId is not None:
                evidence += f", for {meta.parentAgentId}"
            links.append(Link(kind="subagent_of", target=parent, evidence=evidence))
        match builder.side.get("parent_session", [])[-1:]:
            case [{"payload": {"parentSessionId": str(maker)}}] if maker not in ("", self.bundle.id):
                evidence = "a record names the session that started it"
                links.append(Link(kind="subagent_of", target=f"{AGENT}:{maker}", evidence=evidence))
            case _:
                pass
        origins = [origin for row in self.rows if (origin := row.record.forkedFrom) is not None]
        ids = dict.fromkeys(origin.sessionId for origin in origins if origin.sessionId)
        evidence = "its first records name their origins"
        links += [Link(kind="forked_from", target=f"{AGENT}:{id}", evidence=evidence) for id in ids]
        return tuple(links)

    def _meta(self) -> Meta | None:
        """What the client noted about a sub-agent."""
        for file in self.bundle.files:
            if file.role != META:
                continue
            self.notes.file = display_path(file.path)
            try:
                meta = self._decoded(read_bytes(file.path))
            except Unreadable as error:
                self.notes.add("file.unreadable", str(error), Severity.ERROR)
                continue
            if meta is not None:
                return meta
        return None

    def _decoded(self, raw: bytes) -> Meta | None:
        """Such a note, or what is left of it."""
        try:
            return decode(Meta, raw, self.notes, "meta")
        except Malformed as error:
            text = f"The document is damaged ({error}); read as far as it goes."
            self.notes.add("document.damaged", text, Severity.ERROR)
        try:
            return decode(Meta, close(raw)[0], self.notes, "meta")
        except Malformed:
            return None

    def _title(self, builder: Builder, messages: list[Message], meta: Meta | None) -> str | None:
        """The last title that was given; of a sub-agent, its task."""
        if self.bundle.kind is Kind.SUBAGENT:
            task = next((m.text for m in messages if m.role is Role.USER and m.author is Author.MODEL), "")
            return (meta.description if meta is not None else None) or first_words(task) or None
        for record in reversed(builder.side.get("custom_title", [])):
            match record:
                case {"payload": {"customTitle": str(title)}} if title.strip():
                    return title
                case _:
                    continue
        return command_title(messages)

    def _extra(self, builder: Builder, meta: Meta | None) -> dict[str, Any]:
        """What else the files say of the session."""
        extra: dict[str, Any] = {}
        *named, ids, agents = zip(*self.surroundings, strict=True) if self.rows else [()] * (len(_SURROUNDINGS) + 2)
        for name, found in zip(_SURROUNDINGS, named, strict=True):
            if values := [value for value in dict.fromkeys(found) if value is not None]:
                extra[name] = values
        own = (None, self.bundle.id, self.bundle.parent)
        others = {id: None for id in ids if id not in own}
        if others:
            extra["sessionIds"] = list(others)
        if others := {id: None for id in agents if id not in (None, self.bundle.agent_id)}:
            extra["agentIds"] = list(others)
        if meta is not None:
            extra["meta"] = tidy(meta)
        if builder.side:
            extra["records"] = builder.side
        if self.again:
            extra["again"] = self.again
        unknown = [record for transcript in self.transcripts for record in transcript.unknown.all()]
        if unknown:
            extra["unknown"] = unknown
        return extra


def _times(rows: Iterable[Row]) -> list[float]:
    return [row.record.timestamp.timestamp() for row in rows if row.record.timestamp is not None]


def _beginning(transcript: Transcript) -> tuple[float, int]:
    return min(_times(transcript.rows[:50]), default=inf), -len(transcript.rows)


def _end(transcript: Transcript) -> tuple[float, int]:
    return max(_times(transcript.rows[-50:]), default=-inf), len(transcript.rows)


def _is_conversation(message: Message) -> bool:
    """Is this more than a command for the client?"""
    return message.role is not Role.SYSTEM and message.author is not Author.CLIENT and not message.id.startswith("log-")
