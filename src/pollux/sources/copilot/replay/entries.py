"""Messages and calls in the making."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import msgspec

from pollux.model import (
    NOTHING,
    Attachment,
    Author,
    Fate,
    Message,
    Origin,
    Part,
    Role,
    Status,
    Text,
    Thinking,
    ToolCall,
    Usage,
    add,
)
from pollux.sources.copilot.format.tools import canonical

# Python takes longer to look a member up in its class than to compare it.
_OK, _ERROR, _CANCELLED, _UNFINISHED = Status.OK, Status.ERROR, Status.CANCELLED, Status.UNFINISHED
_USER, _ASSISTANT = Role.USER, Role.ASSISTANT
_EXIT = re.compile(r"<(?:exited with|shellId: \S+ completed with) exit code (-?\d{1,9})>\s*\Z")
REFUSED = ("denied", "rejected")
"""The codes of errors that say that the human, or a rule, did not allow a call."""


class Call(msgspec.Struct):
    """A call of a tool. `resumed`: its result was invented when the session was resumed."""

    id: str | None
    name: str
    line: int
    place: int = 0
    input: Any = None
    server: str | None = None
    at: datetime | None = None
    ended: datetime | None = None
    success: bool | None = None
    output: str | None = None
    code: str | None = None
    exit_code: int | None = None
    resumed: bool = False
    cancelled: bool = False
    child: str | None = None
    attachments: list[Attachment] = []
    extra: dict[str, Any] = {}

    def part(self) -> ToolCall:
        """The call as a part of a message."""
        shared, kind = canonical(self.name, server=self.server)
        seconds = (self.ended - self.at).total_seconds() if self.at is not None and self.ended is not None else None
        return ToolCall(
            id=self.id,
            name=self.name,
            canonical=shared,
            tool_kind=kind,
            input=self.input,
            status=self.status,
            output=self.output,
            exit_code=self.exit_code,
            at=self.at,
            seconds=seconds if seconds is not None and seconds >= 0 and not self.resumed else None,
            child=self.child,
            attachments=tuple(self.attachments),
            extra=self.extra or NOTHING,
        )

    @property
    def status(self) -> Status:
        """How the call ended. A command that ended with another exit code than 0 failed, though the tool did not."""
        if self.cancelled:
            return _CANCELLED
        if self.resumed or self.success is None:
            return _UNFINISHED
        return _OK if self.success and not self.exit_code else _ERROR

    def find_exit_code(self, stated: object) -> None:
        """Take the exit code from where the release states it, else from the end of the output."""
        if type(stated) is int and -(2**31) <= stated < 2**32:
            self.exit_code = stated
        elif (
            canonical(self.name)[0] == "shell_exec"
            and self.output is not None
            and (match := _EXIT.search(self.output[-80:])) is not None
        ):
            self.exit_code = int(match[1])


class Entry(msgspec.Struct):
    """A message. `stream` is the agent that it belongs to; None is the main one. `place` is its place among all events.

    `output` are the tokens that a response says it has. `usages` are what the requests for it used.
    """

    id: str
    role: Role
    author: Author
    line: int
    """0 where it does not come from a line."""
    place: int
    file: str
    row: str | None = None
    stream: str | None = None
    at: datetime | None = None
    parts: list[Part | Call] = []
    model: str | None = None
    api_call: str | None = None
    output: int | None = None
    usages: list[Usage] = []
    fate: Fate = Fate.LIVE
    inherited: bool = False
    extra: dict[str, Any] = {}

    @property
    def calls(self) -> list[Call]:
        """The calls in it."""
        return [part for part in self.parts if type(part) is Call]

    @property
    def answers(self) -> bool:
        """Is it a response of a model?"""
        return self.role is _ASSISTANT

    @property
    def asks(self) -> bool:
        """Does it ask a model for a response?"""
        return self.role is _USER

    def message(self) -> Message:
        """The finished message."""
        return Message(
            id=self.id,
            role=self.role,
            author=self.author,
            at=self.at,
            parts=tuple([part.part() if isinstance(part, Call) else part for part in self.parts]),
            model=self.model,
            usage=self._usage(),
            fate=self.fate,
            inherited=self.inherited,
            origin=Origin(file=self.file, line=self.line or None, row=self.row),
            extra=self.extra or NOTHING,
        )

    def _usage(self) -> Usage | None:
        if len(self.usages) < 2:
            return self.usages[0] if self.usages else None
        exact = None if any(usage.exact is not True for usage in self.usages) else True
        return msgspec.structs.replace(add(self.usages, exact=exact), each=tuple(self.usages))


def said(text: str | None, thinking: str | None = None) -> list[Part | Call]:
    """The parts of a response, or of a prompt."""
    parts: list[Part | Call] = [Thinking(text=thinking)] if thinking else []
    return [*parts, Text(text=text)] if text else parts
