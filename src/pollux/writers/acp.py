"""Session updates of the Agent Client Protocol, as an editor would have received them: one notification a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from pollux.model import (
    Attachment,
    Author,
    Fate,
    FileReference,
    Message,
    Part,
    Role,
    Session,
    Status,
    SummaryPart,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from pollux.writers.base import LOST_FATES, NO_CONTEXT, Options, Out, Report, WriterContext
from pollux.writers.chat import CallIds, words
from pollux.writers.edit_arguments import PATHS
from pollux.writers.json import encode, known, stamp
from pollux.writers.loss import (
    BYTES,
    COMMANDS,
    DETAILS,
    FACTS,
    FIGURES,
    LINKED,
    NOTHING,
    NOTICES,
    ODDITIES,
    ORIGINS,
    OUTPUTS,
    REMARKS,
    LossCounter,
)

KINDS = {"read", "edit", "delete", "move", "search", "execute", "think", "fetch"}
STATUSES = {Status.OK: "completed", Status.UNFINISHED: "in_progress"}

_NO_PLACE = "the protocol has no place for them"
WHY = {
    REMARKS: "the protocol knows the user and the agent, and nobody else",
    COMMANDS: "the protocol knows the user and the agent, and nobody else",
    NOTHING: "empty, or shown with the call they answer",
    FIGURES: "the protocol tells them together with the size of the model's window, which is not known",
    OUTPUTS: "no call asked for them",
    **dict.fromkeys((BYTES, ODDITIES, DETAILS, NOTICES, LINKED, ORIGINS, FACTS), _NO_PLACE),
}


class Acp:
    """JSON Lines: `session/update` notifications of protocol version 1."""

    name = "acp"
    suffix = ".acp.jsonl"
    purpose = "session updates of the Agent Client Protocol, for editors"
    supported_options = ("ids",)

    def write(self, session: Session, out: Out, options: Options, _context: WriterContext = NO_CONTEXT) -> Report:
        """Write the session message by message. What the protocol has no field for stands in `_meta`."""
        tally = LossCounter(WHY)

        def tell(update: dict[str, Any]) -> None:
            params = {"sessionId": session.id, "update": update}
            out(encode({"jsonrpc": "2.0", "method": "session/update", "params": params}) + "\n")

        tell(_info(session))
        updates = _Updates(CallIds(options, tally), tally)
        for message in session.messages:
            reason = _left_out(message, options)
            several = list(updates.of(message)) if reason is None else []
            if several:
                tally.kept += 1
            else:
                tally.drop(reason or NOTHING)
            for update in several:
                tell(update)
        tally.session(session)
        return tally.report()


def _info(session: Session) -> dict[str, Any]:
    facts = {name: getattr(session, name) for name in ("agent", "kind", "parent", "project")}
    about = {"sessionUpdate": "session_info_update", "title": session.title, "updatedAt": stamp(session.ended)}
    return {**known(about), "_meta": {"pollux": known({**facts, "started": stamp(session.started)})}}


def _left_out(message: Message, options: Options) -> str | None:
    if options.live_only and message.fate is not Fate.LIVE:
        return LOST_FATES
    if message.role is Role.SYSTEM:
        return COMMANDS if message.author is Author.HUMAN else REMARKS
    return None


class _Updates:
    """The updates that an editor gets for messages."""

    def __init__(self, id: CallIds, tally: LossCounter) -> None:
        self._id = id
        self._tally = tally

    def of(self, message: Message) -> Iterator[dict[str, Any]]:
        """One update a part."""
        about = {
            "at": stamp(message.at),
            "author": message.author,
            "model": message.model,
            "fate": None if message.fate is Fate.LIVE else message.fate,
            "inherited": message.inherited or None,
        }
        meta = {"_meta": {"pollux": known(about)}}
        speaker = "agent" if message.role is Role.ASSISTANT else "user"
        for part in message.parts:
            self._tally.part(part)
            for attachment in getattr(part, "attachments", ()):
                self._tally.drop(DETAILS, bool(attachment.extra))
            if type(part) is ToolCall:
                yield self._call(part, meta)
                continue
            chunk = "thought" if type(part) is Thinking and speaker == "agent" else "message"
            for block in self._blocks(part):
                if message.author is Author.CLIENT or type(part) is SummaryPart:
                    block["annotations"] = {"audience": ["assistant"]}  # nobody said this: it was for the model
                update = {"sessionUpdate": f"{speaker}_{chunk}_chunk", "messageId": message.id, "content": block}
                yield {**update, **meta}
        self._tally.message(message)
        self._tally.drop(FIGURES, message.usage is not None)

    def _blocks(self, part: Part) -> Iterator[dict[str, Any]]:
        match part:
            case Thinking():
                yield _text("\n".join(filter(None, (part.subject, part.text))))
            case Attachment():
                yield from self._attachment(part)
            case FileReference(text=None):
                yield {"type": "resource_link", "name": part.path, "uri": _uri(part.path)}
            case FileReference():
                yield {"type": "resource", "resource": {"uri": _uri(part.path), "text": part.text}}
            case ToolResult():
                self._tally.drop(OUTPUTS, part.output is not None)
            case Unknown():
                self._tally.drop(ODDITIES)
            case _:
                if text := words(part):
                    yield _text(text)
        for attachment in getattr(part, "attachments", ()):
            yield from self._attachment(attachment)

    def _attachment(self, part: Attachment) -> Iterator[dict[str, Any]]:
        kind = part.media_type.partition("/")[0]
        if part.data is not None and kind in ("image", "audio"):
            yield {"type": kind, "data": part.data, "mimeType": part.media_type}
        else:
            self._tally.drop(BYTES, part.data is not None or part.uri is None)
        if part.uri is not None:
            yield {"type": "resource_link", "name": part.uri, "uri": part.uri, "mimeType": part.media_type}

    def _call(self, call: ToolCall, meta: dict[str, Any]) -> dict[str, Any]:
        blocks = [_text(call.output)] if call.output is not None else []
        blocks += [block for one in call.attachments for block in self._attachment(one)]
        paths = [call.input[name] for name in PATHS if name in call.input] if isinstance(call.input, dict) else []
        facts = {name: getattr(call, name) for name in ("canonical", "status", "exit_code", "seconds", "child")}
        about = {**meta["_meta"]["pollux"], **known({**facts, "call_at": stamp(call.at)})}
        update = {
            "sessionUpdate": "tool_call",
            "toolCallId": self._id(call),
            "title": call.name,
            "kind": call.tool_kind if call.tool_kind in KINDS else "other",
            "status": STATUSES.get(call.status, "failed"),
            "rawInput": call.input,
            "content": [{"type": "content", "content": block} for block in blocks] or None,
            "locations": [{"path": path} for path in paths[:1] if isinstance(path, str)] or None,
        }
        return {**known(update), "_meta": {"pollux": about}}


def _uri(path: str) -> str:
    """An absolute path as an address; one that is relative to a folder we do not know stays as it is."""
    return f"file://{quote(path, errors='backslashreplace')}" if path.startswith("/") else path


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


WRITER = Acp()
