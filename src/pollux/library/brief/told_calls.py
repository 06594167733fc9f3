"""Tool calls that a brief tells of: those that stand, in order, each in a few words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pollux.library.brief.shell import shell_command
from pollux.library.brief.values import Unit
from pollux.model import Fate, Message, Session, ToolCall, is_prompt
from pollux.writers.calls import arguments

PATHS, REASON = "edited paths", "edited because"
"""The arguments of a successful edit in a slim session: the files, and why."""

STANDING = (Fate.LIVE, Fate.COMPRESSED)
"""The fates of messages that were not taken back."""


class CallAt(NamedTuple):
    """A call, its message, and where it stands. `turn` is the number of prompts before it."""

    call: ToolCall
    message: Message
    unit: Unit
    turn: int

    @property
    def place(self) -> int:
        """The place of its message."""
        return self.unit[0]


def standing_calls(session: Session) -> Iterator[CallAt]:
    """The calls that were not taken back, in order."""
    turn = 0
    for place, message in enumerate(session.messages):
        if message.fate not in STANDING:
            continue
        turn += is_prompt(message)
        for number, part in enumerate(message.parts):
            if type(part) is ToolCall:
                yield CallAt(part, message, (place, number), turn)


def call_words(call: ToolCall) -> str:
    """What a call did, on a line: a command as it was typed, or the tool's name and what it was asked."""
    if (command := shell_command(call)) is not None:
        return command
    if isinstance(call.input, Mapping) and PATHS in call.input:
        return f"{call.name}: {' '.join(dict.fromkeys(call.input[PATHS]))}"
    told, _ = arguments(call.input)
    asked = ", ".join(one.text if one.name is None else f"{one.name}={one.text}" for one in told)
    return f"{call.name}: {asked}" if asked else call.name


def texts_in(value: Any) -> Iterator[str]:
    """All texts in the arguments of a call."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            waiting += reversed(list(one.values()))
        elif isinstance(one, list | tuple):
            waiting += reversed(one)
