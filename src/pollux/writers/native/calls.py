"""Tool calls as every vendor's service takes them: ids, names, arguments and an answer."""

from __future__ import annotations

import re
from itertools import count
from typing import Any

from pollux.model import Status, ToolCall
from pollux.writers.json import encode
from pollux.writers.native.ledger import Ledger

NO_RESULT = "[no result was recorded]"
FAILED = (Status.ERROR, Status.CANCELLED, Status.UNFINISHED)

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}\Z")
_ODD = re.compile(r"[^A-Za-z0-9_-]")


class CallNames:
    """Gives calls ids that no other call has, and names that every service takes."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._given: set[str] = set()
        self._new = (f"call_{number}" for number in count(1))

    def id(self, call: ToolCall) -> str:
        """The call's own id if every service takes it, else a new one."""
        own = call.id
        if own is None or own in self._given or not _ID.match(own):
            self._ledger.add("ids of tool calls: where the agent gave none, one twice, or one that services refuse")
            own = next(new for new in self._new if new not in self._given)
        self._given.add(own)
        return own

    def name(self, call: ToolCall) -> str:
        """The tool's own name if every service takes it, else one that is like it."""
        if _NAME.match(call.name):
            return call.name
        self._ledger.add("names of tools: of 64 letters, digits, `_` and `-` at most; others became `_`")
        plain = _ODD.sub("_", call.name) or "tool"
        return (plain if _NAME.match(plain[:1]) else f"_{plain}")[:64]

    def input(self, call: ToolCall) -> dict[str, Any]:
        """What the tool was given, by names."""
        if isinstance(call.input, dict):
            return call.input
        if call.input is None:
            return {}
        self._ledger.add("the argument `input`: calls have arguments by name, and some were given without")
        return {"input": call.input}

    def output(self, call: ToolCall) -> str:
        """What the tool answered."""
        if call.output is not None:
            return call.output
        self._ledger.add(f"an answer to tool calls that have none: {NO_RESULT}")
        return NO_RESULT


def told(call: ToolCall) -> str:
    """A call and its result in words."""
    given = "" if call.input is None else f": {call.input if isinstance(call.input, str) else encode(call.input)}"
    outcome = {Status.ERROR: ", which failed", Status.CANCELLED: ", which was cancelled"}.get(call.status, "")
    result = NO_RESULT if call.output is None else call.output
    return f"[Tool call: {call.name}{given}]\n[Its result{outcome}:]\n{result}"
