"""One transcript file, read once: the records of the tree in file order, and the records outside of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from pollux.model import Severity, Tally
from pollux.sources.claude.format.schema import TREE_TYPES, AssistantRecord, ClientRecord, Line, SlimRecord, UserRecord
from pollux.sources.claude.format.side_records import SIDE_TYPES, UNSEEN_TYPES, SideRecord, SnapshotRecord
from pollux.sources.claude.format.totals import tally_of
from pollux.sources.claude.tree.tree import Mark
from pollux.wire import (
    REFUSED,
    Malformed,
    Notes,
    RecordList,
    decoder,
    display_path,
    fit,
    note_bad_line,
    opened,
    plain,
    tidy,
)

# Old releases write few fields: their lines fit a smaller shape, which is faster and needs no guess. The first line of
# a file that does not fit ends this.
_decode_slim: Callable[[bytes], Line] = decoder(SlimRecord)
# The first type in a line is that of the record, or of the API message in it. In an attachment it is another one: a
# record of neither the user nor the model is the client's. If the guess is wrong, the line is read again.
_PROBE = 700
_decode_client_record: Callable[[bytes], Line] = decoder(ClientRecord)
_DECODERS: dict[bytes, Callable[[bytes], Line]] = {
    b"user": decoder(UserRecord),
    b"assi": decoder(AssistantRecord),
    b"mess": decoder(AssistantRecord),
}
_decode_side_record, _decode_snapshot = decoder(SideRecord), decoder(SnapshotRecord)
_TYPE_FIRST = b'{"type":"'
_SNAPSHOT = b'{"type":"file-history-snapshot","'


def _decode_full(raw: bytes) -> Line:
    """A line with all fields that its kind may have. Raises one of `REFUSED`."""
    place = raw.find(b'"type":"', 0, _PROBE) + 8
    line = _DECODERS.get(raw[place : place + 4], _decode_client_record)(raw)
    if line.type is None:
        raise ValueError
    return line


class QueueStep(msgspec.Struct, frozen=True):
    """A step of the queue of prompts that were typed while the agent was busy."""

    number: int
    operation: str | None
    content: str | None
    at: Any
    reason: str | None


class Transcript:
    """The content of one file.

    `lines` are the records of the tree with their numbers, each uuid once. `side_records` are the other records by
    type, without repetitions. `unknown` are records of unknown types. `other_uuids` are those of records outside of
    `lines`. `is_chain` says that each of the `lines` follows the one before it, and the first none.
    """

    def __init__(self, path: str, name: str | None, notes: Notes) -> None:
        self.path = path
        self.file = display_path(path)
        self.name = name
        self.notes = notes
        self.lines: list[tuple[int, Line]] = []
        self.by_uuid: dict[str, Line] = {}
        self.side_records: dict[str, list[dict[str, Any]]] = {}
        self.unknown = RecordList(self.notes)
        self.other_uuids: set[str] = set()
        self.summaries: dict[str, str] = {}
        self.titles: dict[str, str] = {}
        self.queue: list[QueueStep] = []
        self._steps: set[str] = set()
        self.tally: Tally | None = None
        self.mark: Mark | None = None
        self.damaged = 0
        self.is_chain = False
        self.sidechains = False
        self.foreign = False

    def read(self) -> Transcript:
        """Read every line. Raises `Unreadable` only where the file cannot be opened."""
        self.notes.file = self.file
        add, known, name = self.lines.append, self.by_uuid.setdefault, self.name
        decode = _decode_slim
        sidechains = foreign = False
        line: Line | None
        with opened(self.path, notes=self.notes) as file:
            for number, raw in enumerate(file, start=1):
                if raw == b"\n":
                    continue
                try:
                    if raw[:9] == _TYPE_FIRST:
                        if raw.startswith(_SNAPSHOT):
                            self._keep("file-history-snapshot", _decode_snapshot(raw))
                            continue
                        if raw[9 : raw.find(b'"', 9)].decode() in SIDE_TYPES:
                            self._add_side_record(number, _decode_side_record(raw))
                            continue
                    line = decode(raw)
                except REFUSED:
                    if raw.isspace():
                        continue
                    line = None
                if line is None or line.type is None:
                    line, decode = (
                        self._parse_odd(number, raw) if decode is _decode_full else self._parse_full(number, raw),
                        _decode_full,
                    )
                    if line is None:
                        continue
                sidechains = sidechains or bool(line.isSidechain)
                foreign = foreign or line.sessionId != name
                if line.toolUseResult is not None:
                    _share(line, line.toolUseResult)
                uuid = line.uuid
                if uuid is None or (first := known(uuid, line)) is line or self._is_new(number, first, line):
                    add((number, line))
        self.sidechains, self.foreign = sidechains, foreign
        self.is_chain = len(self.lines) == len(self.by_uuid) and self._follow_one_another()
        self.notes.line = None
        return self

    def _follow_one_another(self) -> bool:
        """Is the parent of each line the line before it? Each line has its own uuid."""
        parents: list[str | None] = [line.parentUuid for _, line in self.lines]
        return parents == [None, *self.by_uuid][:-1]

    def _is_new(self, number: int, known: Line, line: Line) -> bool:
        """Does a record with a known uuid have something new? A copy does not become a message.

        A copy that differs in its other fields is kept separately. A copy of a reply may have better figures: only
        those count.
        """
        earlier, later = msgspec.to_builtins(known), msgspec.to_builtins(line)
        if {**earlier, "sessionId": None} == {**later, "sessionId": None}:
            return False
        message, repeated = earlier.get("message", {}), later.get("message", {})
        if line.type != known.type or message.get("content") != repeated.get("content") or type(line) is ClientRecord:
            return True
        if line.type == "assistant" and line.message is not None:
            line.message.content = None
            return True
        self.side_records.setdefault("again", []).append({"line": number, **tidy(line)})
        return False

    def _parse_full(self, number: int, raw: bytes) -> Line | None:
        """A line that does not fit: it has fields of newer releases, or is really odd."""
        try:
            return _decode_full(raw)
        except REFUSED:
            return self._parse_odd(number, raw)

    def _parse_odd(self, number: int, raw: bytes) -> Line | None:
        """Parse an odd line tolerantly: a record of the tree, or one to keep separately."""
        self.notes.line = number
        try:
            value = plain(raw, self.notes)
        except Malformed as error:
            self.damaged += 1
            note_bad_line(error, raw, self.notes)
            return None
        if type(value) is not dict:
            self.notes.add("line.not-object", "A line holds JSON but no object; skipped.", Severity.ERROR)
            return None
        kind = value.get("type")
        if (speaker := _speaker(value)) is not None:
            self.notes.add("record.untyped", "A record has no type; the role of its message was used.")
            kind = value["type"] = speaker
        if type(kind) is str and kind in TREE_TYPES:
            return fit(TREE_TYPES[kind], value, self.notes, kind)
        if type(uuid := value.get("uuid")) is str:
            self.other_uuids.add(uuid)
        if type(kind) is str and kind in SIDE_TYPES:
            record = fit(SideRecord, value, self.notes, kind)
            if record is not None:
                self._add_side_record(number, record)
        elif type(kind) is str and kind in UNSEEN_TYPES:
            self.side_records.setdefault(kind, []).append({"line": number, **value})
        else:
            description = f"type {kind!r}" if kind is not None else f"keys {', '.join(sorted(value)) or 'none'}"
            self.notes.add(
                "record.unknown", f"A record of an unknown kind ({description}); kept.", subject=f"record {description}"
            )
            self.unknown.add({"line": number, "record": value})
        return None

    def _add_side_record(self, number: int, record: SideRecord) -> None:
        """Use a record outside of the tree, and keep it."""
        kind = record.type or ""
        match kind:
            case "queue-operation":
                content = record.content if type(record.content) is str else None
                self._add_step(QueueStep(number, record.operation, content, record.timestamp, record.reason))
            case "summary":
                if record.leafUuid is not None and record.summary is not None:
                    self.summaries[record.leafUuid] = record.summary
            case "custom-title" | "ai-title" | "agent-name":
                # The last one counts, even if it restores an earlier title.
                for title in (record.customTitle, record.aiTitle, record.agentName):
                    if title is not None:
                        self.titles[kind] = title
            case "last-prompt":
                if record.leafUuid is not None or record.explicit:
                    self.mark = Mark(number, record.leafUuid, bool(record.explicit))
            case "cost-state":
                self.tally = tally_of(record, self.file, number) or self.tally
            case _:
                pass
        self._keep(kind, record)

    def _add_step(self, step: QueueStep) -> None:
        """Add a step of the queue, unless it is a repetition: no text is typed twice at the same moment."""
        key = repr((step.operation, step.content, step.at))  # odd values, too
        if None in (step.content, step.at) or key not in self._steps:
            self._steps.add(key)
            self.queue.append(step)

    def _keep(self, kind: str, record: SideRecord | SnapshotRecord) -> None:
        """Keep a record unless it repeats the one before it."""
        record.type = None
        if record.sessionId == self.name:
            record.sessionId = None
        value: dict[str, Any] = tidy(record) if record.extra else msgspec.to_builtins(record)
        records = self.side_records.setdefault(kind, [])
        if not records or records[-1] != value:
            records.append(value)

    def prompts_of_queue(self) -> Iterator[QueueStep]:
        """The steps that added a text to the queue."""
        return (step for step in self.queue if step.operation == "enqueue" and step.content)


def _speaker(value: dict[str, Any]) -> str | None:
    """The type of a record whose `type` is missing or cut: the role of its message."""
    match value:
        case {"type": str(kind), "message": {"role": "user" | "assistant" as role}}:
            return role if role.startswith(kind) and role != kind else None
        case {"message": {"role": "user" | "assistant" as role}} if value.get("type") is None:
            return str(role)
        case _:
            return None


def _share(line: Line, detail: Any) -> None:
    """Share the text of a result that stands in a record twice, to save memory."""
    content = line.message.content if line.message is not None else None
    if type(detail) is dict and type(content) is list and content:
        text, file = content[0].content, detail.get("file")
        if type(text) is not str:
            return
        if type(file) is dict and file.get("content") == text:
            file["content"] = text
        elif detail.get("stdout") == text:
            detail["stdout"] = text
