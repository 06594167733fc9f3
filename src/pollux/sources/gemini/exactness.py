"""Do the files hold every token that was used?"""

from __future__ import annotations

from datetime import datetime, timedelta

from pollux.model import Author, Fate, Message, Role, SummaryPart, ToolCall
from pollux.sources.gemini.subagents import created

_PAUSE = timedelta(milliseconds=100)
# Looked up once: an enumeration's members are slow to name.
_MODEL, _HUMAN, _ASSISTANT = Author.MODEL, Author.HUMAN, Role.ASSISTANT


def exact(messages: tuple[Message, ...]) -> bool | None:
    """True: every request is there. False: some are known to be missing. None: it cannot be told.

    Up to 0.31 a response made of calls only was added to the message before, and its figures were lost. The request
    that compresses a conversation is never recorded. A prompt nobody answered may or may not have cost something.
    """
    doubtful = not messages
    waiting = False
    for message in messages:
        author = message.author
        if author is _MODEL:
            if message.role is _ASSISTANT:
                waiting = False
                if _several_requests(message):
                    return False
                if message.usage is None and message.text.strip():
                    doubtful = True
        elif author is _HUMAN:
            if message.role is Role.SYSTEM and message.text.startswith("/compress"):
                return False
            if message.role is Role.USER and message.fate is not Fate.FAILED:
                if message.fate is Fate.REWOUND and message.id.startswith("log-"):
                    return False
                doubtful = doubtful or waiting
                waiting = True
        elif folds(message):
            return False
    return None if doubtful or waiting else True


def _several_requests(message: Message) -> bool:
    """Does one message hold calls of several round trips: one made only after another had ended?"""
    parts = message.parts
    # Calls stand last.
    if len(parts) < 2 or type(parts[-1]) is not ToolCall or type(parts[-2]) is not ToolCall:
        return False
    calls = [part for part in parts if type(part) is ToolCall]
    ended = min((call.at for call in calls if call.at is not None), default=None)
    return ended is not None and any(_later(call, ended) for call in calls)


def _later(call: ToolCall, ended: datetime) -> bool:
    made = created(call.id)
    return made > ended if made is not None else call.at is not None and call.at - ended > _PAUSE


def folds(message: Message) -> bool:
    """Does this message tell of a compression: a summary, or the empty line the client leaves?"""
    if message.author is not Author.CLIENT:
        return False
    if message.role is Role.SYSTEM:
        return not message.parts and message.extra.get("level") == "info"
    return any(type(part) is SummaryPart for part in message.parts)
