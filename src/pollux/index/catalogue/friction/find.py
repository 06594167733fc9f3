"""Finds friction in a session: only what its records show, and nothing that had to be guessed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from pollux.index.catalogue.friction.undone import UndoneEdits
from pollux.index.catalogue.friction.values import Friction, FrictionKind
from pollux.model import Author, Message, Role, Session, Status, SummaryPart, Text, ToolCall, is_prompt, is_reply
from pollux.writers.calls import arguments

_STOPPED = re.compile(
    r"\b(?:interrupted|aborted|cancell?ed|stopped) by (?:the )?user|<turn_aborted>|^request cancell?ed"
    r"|\buser (?:interrupted|aborted|cancell?ed|stopped)",
    re.IGNORECASE,
)
_SHORT = 1_000
"""A client that says that the user stopped the model does so in fewer characters."""

Same = tuple[str, bytes]
"""What two calls share that were asked the same: the tool, and its arguments."""


_encode = msgspec.msgpack.Encoder().encode
_USER, _CLIENT, _OK, _ERROR = Role.USER, Author.CLIENT, Status.OK, Status.ERROR  # each is asked for in every message


def frictions(session: Session) -> list[Friction]:
    """All cases in the order of the session."""
    finding = _Finding(session)
    finding.walk(session.messages)
    return finding.cases


class _Finding:
    """A walk through a session. `_failed` has the last failure of each call, and how many edits went well before it."""

    def __init__(self, session: Session) -> None:
        self.cases: list[Friction] = []
        self._moment: datetime | None = session.started
        self._failed: dict[Same, tuple[int, int]] = {}
        self._tools: set[str] = set()
        self._edits = UndoneEdits(session.project)
        self._is_stopped = False
        self._cancelled: tuple[int, Message, datetime | None] | None = None
        self._is_compacted = False

    def walk(self, messages: Sequence[Message]) -> None:
        """Find the cases in all messages."""
        tools = self._tools
        for place, message in enumerate(messages):
            self._moment = message.at or self._moment
            if message.role is _USER and is_prompt(message):
                self._end_turn()
                self._is_compacted = False
            elif self._is_compacted and is_reply(message):
                self._is_compacted = False
            for part in message.parts:
                if type(part) is ToolCall:
                    if part.status is not _OK or part.tool_kind == "edit" or part.name in tools:
                        self._call(place, message, part)
                elif type(part) is SummaryPart and not self._is_compacted:
                    # Some releases record one summary twice: as the model's reply, and as what replaced the rest.
                    self._is_compacted = True
                    self._add(FrictionKind.COMPACTED, place, message)
            if message.author is _CLIENT and not self._is_stopped and _says_stopped(message):
                self._is_stopped = True
                self._add(FrictionKind.INTERRUPTED, place, message)
        self._end_turn()

    def _add(self, kind: FrictionKind, place: int, message: Message, call: ToolCall | None = None, **more: Any) -> None:
        at = (call.at if call is not None else None) or message.at
        self.cases.append(
            Friction(
                kind=kind,
                place=place,
                message_id=message.id,
                at=at,
                moment=at or self._moment,
                fate=message.fate,
                inherited=message.inherited,
                **more,
            )
        )

    def _end_turn(self) -> None:
        """A cancelled call shows that the user stopped the model, if the client did not say so."""
        if self._cancelled is not None and not self._is_stopped:
            place, message, moment = self._cancelled
            now, self._moment = self._moment, moment
            self._add(FrictionKind.INTERRUPTED, place, message)
            self._moment = now
        self._cancelled, self._is_stopped = None, False

    def _call(self, place: int, message: Message, call: ToolCall) -> None:
        status = call.status
        if status is Status.CANCELLED and self._cancelled is None:
            self._cancelled = (place, message, self._moment)
        if status is _ERROR or call.name in self._tools:
            self._compare(place, message, call)
        if status is _OK and call.tool_kind == "edit":
            for path, earlier, undoing in self._edits.undone_by(call, place):
                more = {"what": path, "status": status, "earlier": earlier, "undoing": undoing}
                self._add(FrictionKind.UNDONE, place, message, call, **more)

    def _compare(self, place: int, message: Message, call: ToolCall) -> None:
        """Compare a call with those of the same tool that failed: it may be made again, or fail itself."""
        same = (call.name, _same(call.input))
        before = self._failed.pop(same, None)
        if before is None and call.status is not _ERROR:
            return
        more: dict[str, Any] = {"what": _asked(call), "status": call.status, "exit_code": call.exit_code}
        if before is not None:
            earlier, edits = before
            between = self._edits.count - edits
            self._add(FrictionKind.REPEATED, place, message, call, **more, earlier=earlier, edits_between=between)
        if call.status is _ERROR:
            self._failed[same] = (place, self._edits.count)
            self._tools.add(call.name)
            self._add(FrictionKind.FAILED, place, message, call, **more)


def _same(asked: Any) -> bytes:
    """The same bytes for the same arguments."""
    try:
        return _encode(asked)
    except (ValueError, OverflowError):  # half of a character, or a figure that is too large
        return repr(asked).encode()


def _says_stopped(message: Message) -> bool:
    texts = (part.text for part in message.parts if type(part) is Text)
    return any(len(text) < _SHORT and _STOPPED.search(text) is not None for text in texts)


def _asked(call: ToolCall) -> str:
    """The tool, and what it was asked, on a line."""
    told, _ = arguments(call.input)
    words = ", ".join(one.text if one.name is None else f"{one.name}={one.text}" for one in told)
    return f"{call.name}: {words}" if words else call.name
