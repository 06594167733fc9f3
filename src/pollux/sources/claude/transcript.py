"""One transcript file, read once: the records of the tree in file order, and what stands beside the tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from pollux.model import Severity, Tally
from pollux.sources.claude.format.schema import TREE, Asked, Line, Put, Replied, Spoken
from pollux.sources.claude.format.side_records import ASIDE, HEARSAY, Aside, Saved
from pollux.sources.claude.format.totals import tally_of
from pollux.sources.claude.tree.tree import Mark
from pollux.wire import REFUSED, Malformed, Notes, Pile, decoder, display_path, fit, note_bad_line, opened, plain, tidy

# Old releases write few fields: their lines fit into a smaller shape, which is quicker and needs no guess. The first
# line of a file that does not fit ends that.
_slim: Callable[[bytes], Line] = decoder(Spoken)
# The first type in a line is the record's own, or that of the API message in it. In an attachment it is another:
# what is neither the user's nor the model's is the client's. Where a guess is wrong, the line is read again.
_PROBE = 700
_put: Callable[[bytes], Line] = decoder(Put)
_FULL: dict[bytes, Callable[[bytes], Line]] = {
    b"user": decoder(Asked),
    b"assi": decoder(Replied),
    b"mess": decoder(Replied),
}
_aside, _saved = decoder(Aside), decoder(Saved)
_ASIDE = b'{"type":"'
_SAVED = b'{"type":"file-history-snapshot","'


def _full(raw: bytes) -> Line:
    """A line with whatever fields its kind may have. Raises one of `REFUSED`."""
    place = raw.find(b'"type":"', 0, _PROBE) + 8
    line = _FULL.get(raw[place : place + 4], _put)(raw)
    if line.type is None:
        raise ValueError
    return line


class Queued(msgspec.Struct, frozen=True):
    """A step of the queue of prompts that were typed while the agent was busy."""

    number: int
    operation: str | None
    content: str | None
    at: Any
    reason: str | None


class Transcript:
    """What one file holds.

    `lines` are the records of the tree with their numbers, each uuid once; `books` are the records beside it by
    their type, repetitions left out; `strange` are records of types we do not know.
    """

    def __init__(self, path: str, name: str | None, notes: Notes) -> None:
        self.path = path
        self.file = display_path(path)
        self.name = name
        self.notes = notes
        self.lines: list[tuple[int, Line]] = []
        self.by_uuid: dict[str, Line] = {}
        self.books: dict[str, list[dict[str, Any]]] = {}
        self.strange = Pile(self.notes)
        self.summaries: dict[str, str] = {}
        self.titles: dict[str, str] = {}
        self.queue: list[Queued] = []
        self._steps: set[str] = set()
        self.tally: Tally | None = None
        self.mark: Mark | None = None
        self.damaged = 0
        self.sidechains = False
        self.foreign = False

    def read(self) -> Transcript:
        """Take every line in. Raises `Unreadable` only where the file cannot be opened."""
        self.notes.file = self.file
        add, known, name = self.lines.append, self.by_uuid.setdefault, self.name
        quick = _slim
        line: Line | None
        with opened(self.path, notes=self.notes) as file:
            for number, raw in enumerate(file, start=1):
                try:
                    if raw[:9] == _ASIDE:
                        if raw.startswith(_SAVED):
                            self._keep("file-history-snapshot", _saved(raw))
                            continue
                        if raw[9 : raw.find(b'"', 9)].decode() in ASIDE:
                            self._beside(number, _aside(raw))
                            continue
                    line = quick(raw)
                except REFUSED:
                    if raw.isspace():
                        continue
                    line = None
                if line is None or line.type is None:
                    line, quick = self._oddly(number, raw) if quick is _full else self._fully(number, raw), _full
                    if line is None:
                        continue
                self.sidechains = self.sidechains or bool(line.isSidechain)
                self.foreign = self.foreign or line.sessionId != name
                if line.toolUseResult is not None:
                    _share(line, line.toolUseResult)
                uuid = line.uuid
                if uuid is None or (first := known(uuid, line)) is line or self._is_new(number, first, line):
                    add((number, line))
        self.notes.line = None
        return self

    def _is_new(self, number: int, known: Line, line: Line) -> bool:
        """Does a record whose uuid was there before say something new? What was written again is said once.

        A copy may differ in its envelope: then that is kept. A reply's may have better figures, and only those count.
        """
        one, other = msgspec.to_builtins(known), msgspec.to_builtins(line)
        if {**one, "sessionId": None} == {**other, "sessionId": None}:
            return False
        said, again = one.get("message", {}), other.get("message", {})
        if line.type != known.type or said.get("content") != again.get("content") or type(line) is Put:
            return True
        if line.type == "assistant" and line.message is not None:
            line.message.content = None
            return True
        self.books.setdefault("again", []).append({"line": number, **tidy(line)})
        return False

    def _fully(self, number: int, raw: bytes) -> Line | None:
        """A line that does not fit: with fields that newer releases write, or really odd."""
        try:
            return _full(raw)
        except REFUSED:
            return self._oddly(number, raw)

    def _oddly(self, number: int, raw: bytes) -> Line | None:
        """A line that is not as it should be: of the tree after all, or put aside."""
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
            self.notes.add("record.untyped", "A record does not say what it is; its message says who speaks.")
            kind = value["type"] = speaker
        if type(kind) is str and kind in TREE:
            return fit(TREE[kind], value, self.notes)
        if type(kind) is str and kind in ASIDE:
            aside = fit(Aside, value, self.notes)
            if aside is not None:
                self._beside(number, aside)
        elif type(kind) is str and kind in HEARSAY:
            self.books.setdefault(kind, []).append({"line": number, **value})
        else:
            told = f"type {kind!r}" if kind is not None else f"keys {', '.join(sorted(value)) or 'none'}"
            self.notes.add(
                "record.unknown", f"A record of a kind we do not know ({told}); kept.", subject=f"record {told}"
            )
            self.strange.add({"line": number, "record": value})
        return None

    def _beside(self, number: int, aside: Aside) -> None:
        """A record beside the tree: used where it tells something, and kept."""
        kind = aside.type or ""
        match kind:
            case "queue-operation":
                content = aside.content if type(aside.content) is str else None
                self._step(Queued(number, aside.operation, content, aside.timestamp, aside.reason))
            case "summary":
                if aside.leafUuid is not None and aside.summary is not None:
                    self.summaries[aside.leafUuid] = aside.summary
            case "custom-title" | "ai-title" | "agent-name":
                # The last one counts, also where it takes a title back.
                for title in (aside.customTitle, aside.aiTitle, aside.agentName):
                    if title is not None:
                        self.titles[kind] = title
            case "last-prompt":
                if aside.leafUuid is not None or aside.explicit:
                    self.mark = Mark(number, aside.leafUuid, bool(aside.explicit))
            case "cost-state":
                self.tally = tally_of(aside, self.file, number) or self.tally
            case _:
                pass
        self._keep(kind, aside)

    def _step(self, step: Queued) -> None:
        """Take a step of the queue in, unless it was written before: no text is typed twice in one moment."""
        said = repr((step.operation, step.content, step.at))  # odd values, too
        if None in (step.content, step.at) or said not in self._steps:
            self._steps.add(said)
            self.queue.append(step)

    def _keep(self, kind: str, aside: Aside | Saved) -> None:
        """Keep a record where it does not repeat the one before it."""
        aside.type = None
        if aside.sessionId == self.name:
            aside.sessionId = None
        kept: dict[str, Any] = tidy(aside) if aside.extra else msgspec.to_builtins(aside)
        held = self.books.setdefault(kind, [])
        if not held or held[-1] != kept:
            held.append(kept)

    def prompts_of_queue(self) -> Iterator[Queued]:
        """The steps that put something into the queue."""
        return (step for step in self.queue if step.operation == "enqueue" and step.content)


def _speaker(value: dict[str, Any]) -> str | None:
    """Who speaks in a record that was cut off before, or in, the word that tells."""
    match value:
        case {"type": str(kind), "message": {"role": "user" | "assistant" as role}}:
            return role if role.startswith(kind) and role != kind else None
        case {"message": {"role": "user" | "assistant" as role}} if value.get("type") is None:
            return str(role)
        case _:
            return None


def _share(line: Line, detail: Any) -> None:
    """A result's text often stands in a record twice: then once is enough, and the memory serves the next line."""
    content = line.message.content if line.message is not None else None
    if type(detail) is dict and type(content) is list and content:
        text, file = content[0].content, detail.get("file")
        if type(text) is not str:
            return
        if type(file) is dict and file.get("content") == text:
            file["content"] = text
        elif detail.get("stdout") == text:
            detail["stdout"] = text
