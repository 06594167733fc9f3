"""Do the files hold every token that was used?"""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

from pollux.model import Author, Fate, Message, Role, SummaryPart, ToolCall
from pollux.sources.gemini.content import ACKNOWLEDGEMENTS
from pollux.sources.gemini.subagents import created

_PAUSE = timedelta(milliseconds=100)


def exact(messages: list[Message], compressed: bool) -> bool | None:
    """True: every request is there. False: some are known to be missing. None: it cannot be told.

    Up to 0.31 a response made of calls only was added to the message before, and its figures were lost. The request
    that compresses a conversation is never recorded. A prompt nobody answered may or may not have cost something.
    """
    if compressed or any(_several_requests(message) for message in messages):
        return False
    if any(m.fate is Fate.REWOUND and m.origin is not None and m.id.startswith("log-") for m in messages):
        return False
    turns = [m for m in messages if m.role is Role.ASSISTANT and m.author is Author.MODEL]
    if any(m.usage is None and m.text.strip() not in ACKNOWLEDGEMENTS and m.text.strip() for m in turns):
        return None
    spoken = [m for m in messages if m.author in (Author.HUMAN, Author.MODEL) and m.role is not Role.SYSTEM]
    unanswered = any(_human(first) and _human(second) for first, second in pairwise(spoken))
    if unanswered or not spoken or _human(spoken[-1]):
        return None
    return True


def _human(message: Message) -> bool:
    return message.role is Role.USER and message.author is Author.HUMAN and message.fate is not Fate.FAILED


def _several_requests(message: Message) -> bool:
    """Does one message hold calls of several round trips: one made only after another had ended?"""
    calls = [part for part in message.parts if type(part) is ToolCall]
    if len(calls) < 2:
        return False
    for first in calls:
        for second in calls:
            made = created(second.id)
            if first.at is None or second.at is None or first is second:
                continue
            if (made is not None and made > first.at) or (made is None and second.at - first.at > _PAUSE):
                return True
    return False


def is_compressed(messages: list[Message]) -> bool:
    """Was the conversation compressed: is there a summary, or the empty line the client leaves?"""
    return any(
        (m.role is Role.SYSTEM and m.author is Author.CLIENT and not m.parts and not m.extra)
        or any(type(part) is SummaryPart for part in m.parts)
        for m in messages
    )
