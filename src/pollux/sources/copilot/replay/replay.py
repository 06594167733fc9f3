"""Go through the events of a session, and collect what each agent said and did."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, ClassVar

from pollux.model import Author, Fate, Part, Role, SummaryPart
from pollux.sources.copilot.format.events import Line
from pollux.sources.copilot.format.schema import (
    AssistantData,
    AssistantEvent,
    CompleteData,
    CompleteEvent,
    Event,
    OtherEvent,
    StartData,
    StartEvent,
    UserEvent,
)
from pollux.sources.copilot.replay.calls import attachment, note_end, note_start, requested
from pollux.sources.copilot.replay.entries import REFUSED, Call, Entry, said
from pollux.sources.copilot.replay.figures import count, usage_of
from pollux.sources.copilot.replay.leftovers import rest, whole
from pollux.sources.copilot.replay.processes import Process, Shutdown
from pollux.sources.copilot.replay.streams import Fork, Stream
from pollux.wire import Notes, RecordList

# Python takes longer to look a member up in its class than to use it.
_USER, _ASSISTANT, _SYSTEM = Role.USER, Role.ASSISTANT, Role.SYSTEM
_HUMAN, _MODEL, _CLIENT = Author.HUMAN, Author.MODEL, Author.CLIENT
_LIVE, _REWOUND, _COMPRESSED, _FAILED = Fate.LIVE, Fate.REWOUND, Fate.COMPRESSED, Fate.FAILED
FORKED = re.compile(r"Forked from .*\(([0-9A-Za-z-]{8,})\)\W*\Z", re.DOTALL)
_NEAR = 20
"""So many messages before a response its figures may stand."""
_REMARKS = {
    "session.error": "message",
    "session.info": "message",
    "session.warning": "message",
    "session.task_complete": "summary",
    "system.notification": "content",
    "skill.invoked": "content",
}
"""Events that hold a text of the client, and where."""


class Replay:
    """The events of a session, applied one after another."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.streams: dict[str | None, Stream] = {}
        self.calls: dict[str, Call] = {}
        self.owners: dict[str, str | None] = {}
        self.processes: list[Process] = [Process()]
        self.start: dict[str, Any] = {}
        self.start_at: datetime | None = None
        self.resumes: list[dict[str, Any]] = []
        self.fork: Fork | None = None
        self.rewinds: list[Entry] = []
        self.refused_places: list[int] = []
        self.has_refusals = False
        self._assets: dict[str, dict[str, Any]] = {}
        self._aliases: dict[str, str] = {}
        self._usage_ids: set[tuple[str, str]] = set()
        self._unpaid: dict[tuple[str | None, str], Entry] = {}
        self._previous: str | None = None
        self._place = 0
        self._line = Line(OtherEvent(), 0, "")

    def play(self, lines: Iterable[Line]) -> None:
        """Apply events in their order."""
        notes, main = self.notes, self.stream(None)
        for place, line in enumerate(lines):
            event: Any = line.event
            self._place, self._line = place, line
            notes.file, notes.line = line.file, line.number
            data = event.data
            parent = data.get("parentToolCallId") if type(data) is dict else data and data.parentToolCallId
            stream = self._stream_of(event) if event.agentId is not None or parent else main
            if event.timestamp is not None:
                stream.times.append(event.timestamp)
            if type(event) is OtherEvent:
                self._apply(stream, event)
            else:
                self._CONVERSATION[type(event)](self, stream, event)
            self._previous = event.id

    def _stream_of(self, event: Event) -> Stream:
        """The stream of an event that names an agent, or the call that started one."""
        parent = _parent(event)
        name = event.agentId or (self._aliases.get(parent, parent) if parent else None)
        stream = self.stream(name)
        if name is not None and stream.call is None and parent:
            stream.call = parent
        return stream

    def stream(self, name: str | None) -> Stream:
        """The stream of an agent."""
        if name not in self.streams:
            self.streams[name] = Stream(name, [], RecordList(self.notes))
        return self.streams[name]

    def _apply(self, stream: Stream, event: OtherEvent) -> None:
        """Apply an event that is not of the conversation itself; keep it where nothing else does."""
        kind, data = event.type or "", event.data
        handler = self._HANDLERS.get(kind)
        if handler is not None and data is not None and handler(self, stream, event, data):
            return
        if kind not in _REMARKS or not self._remark(stream, event):
            stream.records.add({"kind": event.type, "line": self._line.number, "record": whole(event)})

    def _entry(self, stream: Stream, event: Event, role: Role, author: Author, parts: list[Part | Call]) -> Entry:
        entry = Entry(
            id=event.id or f"line-{self._line.number}",
            role=role,
            author=author,
            line=self._line.number,
            place=self._place,
            file=self._line.file,
            stream=stream.name,
            at=event.timestamp,
            parts=parts,
            fate=_REWOUND if self._line.older else _LIVE,
        )
        stream.entries.append(entry)
        return entry

    def _envelope(self, event: Event) -> dict[str, Any]:
        """What an event says beside its data. That it follows the event before it goes without saying."""
        extra = dict(event.extra) if event.extra else {}
        if event.parentId is not None and event.parentId != self._previous:
            extra["parentId"] = event.parentId
        if event.ephemeral is not None:
            extra["ephemeral"] = event.ephemeral
        return extra

    # The conversation

    def _prompt(self, stream: Stream, event: UserEvent) -> None:
        data = event.data
        source = data.source if data is not None else None
        author = _CLIENT
        if source is not None and source.startswith("agent-"):
            author = _MODEL
        elif source is None or source == "user":
            author = _HUMAN if stream.name is None else _MODEL
        parts = said(data.content if data is not None else None)
        parts += [attachment(one, self._assets) for one in (data.attachments if data is not None else None) or ()]
        entry = self._entry(stream, event, _USER, author, parts)
        entry.extra = self._envelope(event)
        if data is not None:
            data.content = data.attachments = None
            entry.extra |= rest(data)

    def _asset(self, _stream: Stream, _event: OtherEvent, data: dict[str, Any]) -> bool:
        self._assets.setdefault(str(data.get("assetId")), data)
        return False

    def _response(self, stream: Stream, event: AssistantEvent) -> None:
        data = event.data or AssistantData()
        calls = [requested(request, self._line.number, self._place) for request in data.toolRequests or ()]
        parts = [*said(data.content, data.reasoningText), *calls]
        for call in calls:
            if call.id is not None:
                self.calls[call.id] = call
                self.owners[call.id] = stream.name
        entry = self._awaited(stream, data.apiCallId)
        if entry is None:
            entry = self._entry(stream, event, _ASSISTANT, _MODEL, parts)
            if data.apiCallId is not None:
                self._unpaid[stream.name, data.apiCallId] = entry
        else:
            entry.id, entry.at = event.id or f"line-{self._line.number}", event.timestamp
            entry.line, entry.place, entry.file, entry.parts = self._line.number, self._place, self._line.file, parts
            entry.fate = _REWOUND if self._line.older else _LIVE
        entry.model = data.model or entry.model or stream.model or self.stream(None).model
        entry.output = data.outputTokens
        entry.api_call = data.apiCallId

        if envelope := self._envelope(event):
            entry.extra |= envelope
        if event.data is not None:
            data.content = data.reasoningText = data.toolRequests = data.model = None
            entry.extra |= rest(data)
        if self.processes[-1].shutdown is not None:
            self.processes.append(Process(place=self._place))  # of a run whose beginning is lost
        self.processes[-1].answers.append(entry)

    def _awaited(self, stream: Stream, api_call: str | None) -> Entry | None:
        """The response of which so far only the figures are known: it moves to the end."""
        for place in range(len(stream.entries) - 1, max(-1, len(stream.entries) - _NEAR), -1):
            entry = stream.entries[place]
            if "usage_record" in entry.extra and not entry.parts and entry.usages and entry.answers:
                if api_call is not None and entry.api_call != api_call:
                    continue
                stream.entries.append(stream.entries.pop(place))
                return entry
            if api_call is None:
                break
        return None

    def _call(self, stream: Stream, event: Event, id: str | None, name: str | None) -> Call:
        """The call of this id. If nobody asked for it, it becomes a message of its own."""
        call = self.calls.get(id) if id is not None else None
        if call is None:
            call = Call(id=id, name=name or "", line=self._line.number, place=self._place)
            entry = self._entry(stream, event, _ASSISTANT, _MODEL, [call])
            entry.model = stream.model
            if id is not None:
                self.calls[id] = call
                self.owners[id] = stream.name
        return call

    def _call_started(self, stream: Stream, event: StartEvent) -> None:
        data = event.data or StartData()
        note_start(self._call(stream, event, data.toolCallId, data.toolName), event, self._envelope(event))

    def _call_ended(self, stream: Stream, event: CompleteEvent) -> None:
        data = event.data or CompleteData()
        call = self._call(stream, event, data.toolCallId, None)
        note_end(call, event, self._envelope(event), self._assets)
        self.has_refusals = self.has_refusals or call.code in REFUSED

    def _remark(self, stream: Stream, event: OtherEvent) -> bool:
        """A text of the client as a message; False where the event has none."""
        data = event.data
        key = _REMARKS.get(event.type or "")
        text = data.get(key) if data is not None and key is not None else None
        if data is None or type(text) is not str or not text:
            return False
        entry = self._entry(stream, event, _SYSTEM, _CLIENT, said(text))
        entry.extra = self._envelope(event) | {"event": event.type}
        entry.extra |= {name: value for name, value in data.items() if name != key}
        if event.type == "session.error":
            self.refused_places.append(self._place)
        elif data.get("infoType") == "rewind":
            self.rewinds.append(entry)
        elif data.get("infoType") == "fork" and (match := FORKED.match(text)) is not None:
            self.fork = Fork(self._place, match[1])
        return True

    # What changes the state of the session

    def _started(self, _stream: Stream, event: OtherEvent, data: dict[str, Any]) -> bool:
        if not self.start:
            self.start, self.start_at = data, event.timestamp
        self._next_process(data)
        return False

    def _resumed(self, _stream: Stream, _event: OtherEvent, data: dict[str, Any]) -> bool:
        self.resumes.append(data)
        self._next_process(data)
        return False

    def _next_process(self, data: dict[str, Any]) -> None:
        model = data.get("selectedModel")
        if type(model) is str:
            self.stream(None).model = model
        self.processes.append(Process(place=self._place))
        for stream in self.streams.values():
            # A compaction that a killed run began never ends.
            stream.compactions.clear()

    def _changed_model(self, stream: Stream, _event: OtherEvent, data: dict[str, Any]) -> bool:
        model = data.get("newModel")
        if type(model) is str:
            stream.model = model
        return False

    def _shut_down(self, _stream: Stream, _event: OtherEvent, data: dict[str, Any]) -> bool:
        metrics = data.get("modelMetrics")
        totals = {}
        for model, record in metrics.items() if type(metrics) is dict else ():
            if type(record) is dict and type(usage := record.get("usage")) is dict:
                requests = record.get("requests")
                number = count(requests.get("count") if type(requests) is dict else None, "requests", self.notes)
                place = self._line.number, self._line.file
                totals[model] = usage_of(usage, self.notes, requests=number, native=record, place=place)
        self.processes[-1].shutdown = Shutdown(self._place, self._line.number, self._line.file, totals)
        return False

    def _used(self, stream: Stream, event: OtherEvent, data: dict[str, Any]) -> bool:
        """The figures of a request. The response follows; sometimes it was never written."""
        record = data.get("usage")
        if type(record) is not dict:
            return False
        accounting = record.get("accounting")
        accounting = accounting if type(accounting) is dict else {}
        origin, name = accounting.get("sourceSessionId"), accounting.get("usageId")
        if type(origin) is str and type(name) is str:
            if (origin, name) in self._usage_ids:
                return False
            self._usage_ids.add((origin, name))
        usage = usage_of(record, self.notes, place=(self._line.number, self._line.file))
        event.type = event.data = None
        note = rest(event)
        if len(data) > 1:
            note["data"] = {key: value for key, value in data.items() if key != "usage"}
        self.processes[-1].records.append(usage)
        api_call = record.get("apiCallId")
        earlier = self._unpaid.pop((stream.name, str(api_call)), None)
        if earlier is not None:
            earlier.usages = [usage]
            earlier.extra["usage_record"] = note
            return True
        entry = self._entry(stream, event, _ASSISTANT, _MODEL, [])
        entry.usages = [usage]
        entry.api_call = api_call if type(api_call) is str else None
        model = record.get("model")
        entry.model = model if type(model) is str else stream.model
        entry.extra = {"usage_record": note}
        # Until its response is written, there is none.
        entry.fate = _FAILED
        own = self.start.get("sessionId")
        entry.inherited = stream.name is None and type(origin) is str and type(own) is str and origin != own
        return True

    def _turn(self, stream: Stream, _event: OtherEvent, _data: dict[str, Any]) -> bool:
        self.processes[-1].turns.append((self._place, stream.name, self._line.number, self._line.file))
        return False

    def _compacting(self, stream: Stream, _event: OtherEvent, _data: dict[str, Any]) -> bool:
        stream.compactions.append(self._place)
        return False

    def _compacted(self, stream: Stream, event: OtherEvent, data: dict[str, Any]) -> bool:
        """A compaction replaces what stood before it began; automatic ones run beside the conversation."""
        text = data.get("summaryContent")
        cut = stream.compactions.pop() if stream.compactions else self._place
        applied = data.get("success") is True
        used = data.get("compactionTokensUsed")
        if not applied and type(used) is not dict:
            return False
        if applied:
            for entry in stream.entries:
                if entry.place < cut and entry.fate is _LIVE:
                    entry.fate = _COMPRESSED
        parts: list[Part | Call] = [SummaryPart(text=text)] if type(text) is str else []
        entry = self._entry(stream, event, _USER, _CLIENT, parts)
        if not applied:
            entry.fate = _FAILED
        if type(used) is dict:
            number = count(used.get("requestCount", 1), "requests", self.notes)
            figures = usage_of(used, self.notes, requests=number)
            entry.usages = [figures]
            model = used.get("model")
            entry.model = model if type(model) is str else stream.model
        entry.extra = self._envelope(event) | {"compaction": {k: v for k, v in data.items() if k != "summaryContent"}}
        if type(text) is not str and text is not None:
            entry.extra["compaction"]["summaryContent"] = text
        return True

    def _permission(self, _stream: Stream, _event: OtherEvent, data: dict[str, Any]) -> bool:
        result, id = data.get("result"), data.get("toolCallId")
        if type(result) is dict and result.get("kind") == "cancelled" and type(id) is str and id in self.calls:
            self.calls[id].cancelled = True
        return False

    def _aborted(self, _stream: Stream, _event: OtherEvent, _data: dict[str, Any]) -> bool:
        """Esc: calls that are still running end here."""
        for call in self.calls.values():
            if call.success is None and call.place > self.processes[-1].place:
                call.cancelled = True
        self.refused_places.append(self._place)
        return False

    def _spawned(self, stream: Stream, event: OtherEvent, data: dict[str, Any]) -> bool:
        call = data.get("toolCallId")
        if type(call) is str:
            name = event.agentId or call
            self._aliases[call] = name
            stream = self.stream(name)
            stream.call = call
        stream.facts = {**data, **stream.facts}
        stream.records.add({"kind": event.type, "line": self._line.number, "record": rest(event)})
        return True

    # Of the class: a replay that holds its own methods stays in memory until a collection finds it.
    _CONVERSATION: ClassVar[dict[type[Event], Callable[[Replay, Stream, Any], None]]] = {
        UserEvent: _prompt,
        AssistantEvent: _response,
        StartEvent: _call_started,
        CompleteEvent: _call_ended,
    }
    _HANDLERS: ClassVar[dict[str, Callable[[Replay, Stream, OtherEvent, dict[str, Any]], bool]]] = {
        "session.start": _started,
        "session.resume": _resumed,
        "session.shutdown": _shut_down,
        "session.usage_record": _used,
        "session.model_change": _changed_model,
        "session.compaction_start": _compacting,
        "session.compaction_complete": _compacted,
        "session.binary_asset": _asset,
        "assistant.turn_start": _turn,
        "permission.completed": _permission,
        "abort": _aborted,
        "subagent.started": _spawned,
    }


def _parent(event: Any) -> str | None:
    """The call that started the agent that made an event, where the event names it."""
    data = event.data
    if type(data) is dict:
        call = data.get("parentToolCallId")
        return call if type(call) is str else None
    return data.parentToolCallId if data is not None else None
