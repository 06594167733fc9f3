"""Do the files hold every token that was used?"""

from __future__ import annotations

from datetime import datetime, timedelta

from pollux.model import Author, Fate, Message, Part, Role, SummaryPart, Tally, ToolCall
from pollux.sources.gemini.subagents import created

_PAUSE = timedelta(milliseconds=100)
# Looked up once: an enumeration's members are slow to name.
_MODEL, _HUMAN = Author.MODEL, Author.HUMAN
_ASSISTANT, _USER, _SYSTEM = Role.ASSISTANT, Role.USER, Role.SYSTEM


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
                parts = message.parts
                # Calls stand last.
                if len(parts) > 1 and type(parts[-2]) is ToolCall and _several_requests(parts):
                    return False
                if message.usage is None and message.text.strip():
                    doubtful = True
        elif author is _HUMAN:
            role = message.role
            if role is _SYSTEM and message.text.startswith("/compress"):
                return False
            if role is _USER and message.fate is not Fate.FAILED:
                if message.fate is Fate.REWOUND and message.id.startswith("log-"):
                    return False
                doubtful = doubtful or waiting
                waiting = True
        elif folds(message):
            return False
    return None if doubtful or waiting else True


def tallies(messages: tuple[Message, ...]) -> tuple[Tally, ...]:
    """The API's own total of each turn, together."""
    totals = [m.usage.native.get("total") for m in messages if m.usage is not None and not m.inherited]
    known = [total for total in totals if type(total) is int]
    if not known:
        return ()
    rule = "The API's own total of each turn, added up."
    return (Tally(name="tokens.total", scope="session", rule=rule, total=sum(known)),)


def _several_requests(parts: tuple[Part, ...]) -> bool:
    """Does one message hold calls of several round trips: one made only after another had ended?"""
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
