"""Agent Trace 0.1.0: which lines of which files the session wrote, and with which model. One record a session."""

from __future__ import annotations

import hashlib
import uuid
from typing import Any

from pollux.model import Fate, Message, Session, ToolCall
from pollux.writers.attribution.edits import edits
from pollux.writers.attribution.replay import Lines, Replay
from pollux.writers.base import LOST_FATES, NO_CONTEXT, Options, Out, Report, WriterContext
from pollux.writers.dropped_words import DROPPED_WORDS, count_dropped_words
from pollux.writers.json import encode, known, stamp
from pollux.writers.loss import DETAILS, EDITS, FACTS, FIGURES, LINKED, NOTHING, NOTICES, ORIGINS, LossCounter
from pollux.writers.program import vendor, version

VERSION = "0.1.0"
LONGEST = 250
_NAMES = uuid.uuid5(uuid.NAMESPACE_URL, "https://agent-trace.dev/pollux")

WHY = {
    NOTHING: "they changed no file, or it is not known which lines",
    EDITS: "it is not known which lines they changed, or the file was rewound since",
    **dict.fromkeys(
        (*DROPPED_WORDS, FACTS, FIGURES, DETAILS, NOTICES, LINKED, ORIGINS), "a record tells which lines were written"
    ),
}


class AgentTrace:
    """One JSON object a session."""

    name = "agent-trace"
    suffix = ".agent-trace.json"
    purpose = "an Agent Trace record: the lines of files that the session wrote"
    supported_options: tuple[str, ...] = ()

    def write(self, session: Session, out: Out, options: Options, _context: WriterContext = NO_CONTEXT) -> Report:
        """Write the record and a newline."""
        tally, replay = LossCounter(WHY), Replay()
        for message in session.messages:
            _message(message, replay, tally, options)
        tally.session(session)
        out(encode(_record(session, replay, tally)) + "\n")
        return tally.report()


def _message(message: Message, replay: Replay, tally: LossCounter, options: Options) -> None:
    left_out = options.live_only and message.fate is not Fate.LIVE
    author = None if message.inherited or left_out else message.model or ""
    placed = 0
    for call in message.parts:
        for edit in edits(call) if type(call) is ToolCall else ():
            done = replay.do(edit, author)
            if message.fate is Fate.REWOUND:  # whether the file was put back too, nobody wrote down
                replay.forget(edit.path)
                done = False
            placed += done
            tally.drop(EDITS, not done)
    if left_out:
        tally.drop(LOST_FATES)
    elif not placed:
        tally.drop(NOTHING)
    else:
        tally.kept += 1
        tally.drop(FACTS)
        tally.drop(FIGURES, message.usage is not None)
        tally.message(message)
        count_dropped_words(message, tally)
        for part in message.parts:
            tally.part(part)


def _record(session: Session, replay: Replay, tally: LossCounter) -> dict[str, Any]:
    at = stamp(session.ended) or stamp(session.started)
    if at is None:
        tally.fabricate("a timestamp", "the format demands one, and the session has no time")
    about = {name: getattr(session, name) for name in ("key", "kind", "parent", "title", "project")}
    files = {path: ranges for path, file in sorted(replay.files.items()) if (ranges := file.ranges())}
    return {
        "version": VERSION,
        "id": str(uuid.uuid5(_NAMES, session.key.encode("utf-8", "backslashreplace").decode())),
        "timestamp": at or "1970-01-01T00:00:00Z",
        "tool": known({"name": session.agent, "version": version(session)}),
        "files": [
            {"path": _relative(path, session.project), "conversations": _conversations(ranges)}
            for path, ranges in files.items()
        ],
        "metadata": {"pollux": known(about)},
    }


def _relative(path: str, project: str | None) -> str:
    """Within the project; a file elsewhere keeps its whole path."""
    return path.removeprefix(f"{project.rstrip('/')}/") if project else path


def _conversations(ranges: list[Lines]) -> list[dict[str, Any]]:
    """The session, once for each model."""
    by_model: dict[str, list[Lines]] = {}
    for lines in ranges:
        by_model.setdefault(lines.author, []).append(lines)
    return [{"contributor": _contributor(model), "ranges": list(map(_range, own))} for model, own in by_model.items()]


def _contributor(model: str) -> dict[str, Any]:
    maker = vendor(model)
    name = f"{maker.name}/{model}" if maker is not None else model
    return {"type": "ai", "model_id": name} if 0 < len(name) <= LONGEST else {"type": "ai"}


def _range(lines: Lines) -> dict[str, Any]:
    digest = hashlib.sha256(lines.text.encode("utf-8", "surrogatepass")).hexdigest()
    return {"start_line": lines.first, "end_line": lines.last, "content_hash": f"sha256:{digest}"}


WRITER = AgentTrace()
