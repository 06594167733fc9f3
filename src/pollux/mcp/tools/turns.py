"""The turns of a session: a prompt, and all that followed it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from pollux.model import Author, Message, Role, Session, Status, ToolCall, is_reply


class Turn(NamedTuple):
    """The messages from `start` to before `end`: a prompt, how many tools were called, and the last reply."""

    start: int
    end: int
    prompt: Message | None
    reply: Message | None
    calls: int
    failed: int


def turns(messages: Sequence[Message]) -> list[Turn]:
    """All turns. What stands before the first prompt belongs to the first turn."""
    starts = [place for place, message in enumerate(messages) if _is_prompt(message)]
    bounds = [0, *starts[1:], len(messages)] if starts else [0, len(messages)]
    return [_turn(messages, start, end) for start, end in pairwise(bounds) if start < end]


def _turn(messages: Sequence[Message], start: int, end: int) -> Turn:
    own = messages[start:end]
    calls = [part for message in own for part in message.parts if isinstance(part, ToolCall)]
    return Turn(
        start=start,
        end=end,
        prompt=next((message for message in own if _is_prompt(message)), None),
        reply=next((message for message in reversed(own) if is_reply(message)), None),
        calls=len(calls),
        failed=sum(call.status is Status.ERROR for call in calls),
    )


def _is_prompt(message: Message) -> bool:
    """Is it what a human said, or the task that a model gave a sub-agent?"""
    return message.role is Role.USER and message.author is not Author.CLIENT and bool(message.text.strip())


def turn_at(all_turns: Sequence[Turn], place: int) -> int:
    """The number of the turn that the message at this place belongs to."""
    return max(0, bisect_right([turn.start for turn in all_turns], place) - 1)


def is_short(session: Session, size: int) -> bool:
    """Does all that was said in a session probably fit into so many characters?"""
    left = size
    for message in session.messages:
        left -= len(message.text) + 100
        left -= 150 * sum(isinstance(part, ToolCall) for part in message.parts)
        if left < 0:
            return False
    return True
