"""Do the files hold every token that was used?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from pollux.model import Author, Fate, Gap, Message, Part, Role, SummaryPart, Tally, ToolCall, gap
from pollux.sources.gaps import BROKEN_OFF, awaits
from pollux.sources.gemini.about import compacts
from pollux.sources.gemini.format.content import CONTEXTS, begins
from pollux.sources.gemini.messages.subagents import created
from pollux.sources.gemini.prompts.log import CLEAR, COMPRESS, calls

_COMPRESSED = "The conversation was compressed: that request is never recorded."
_UNANSWERED = "A prompt has no answer: what it cost, if anything, was not written."
_SEVERAL = "A turn holds the calls of several requests: up to 0.31 the figures of all but one are lost."
_CUT_OUT = "A prompt is known from the log of typed lines only: its turn was cut out of the file."
UNRECORDED = "Up to 0.8 no tool calls were recorded, nor the figures of requests that held nothing else."
SILENT = "Up to 0.31 a sub-agent's requests that held nothing but calls were not recorded."
_PAUSE = 0.1
_REPORT = "complete_task"
# Looked up once: an enumeration's members are slow to name.
_MODEL, _HUMAN = Author.MODEL, Author.HUMAN
_ASSISTANT, _USER, _SYSTEM = Role.ASSISTANT, Role.USER, Role.SYSTEM
_FAILED, _REWOUND = Fate.FAILED, Fate.REWOUND


def gaps(messages: tuple[Message, ...]) -> tuple[Gap, ...]:
    """What is missing, or may be."""
    found: list[Gap] = [] if messages else [Gap(why="Nothing was said.", certain=False)]
    waiting: Message | None = None
    running: Message | None = None
    spoken = False
    for message in messages:
        author = message.author
        if not spoken or message.role is _SYSTEM:
            spoken = _is_spoken(message, spoken=spoken)
        if message.inherited:
            # What another session paid for.
            waiting = running = None
        elif author is _MODEL:
            if message.role is _ASSISTANT:
                waiting, running = None, message
                parts = message.parts
                # Calls stand last.
                if len(parts) > 1 and type(parts[-2]) is ToolCall and _several_requests(parts):
                    found.append(gap(_SEVERAL, message, certain=True))
                used = message.usage
                if used is None or not used.exact:
                    found += _uncounted(message)
        elif author is _HUMAN and message.role is _USER:
            if message.fate is not _FAILED:
                found += _asked(message, waiting, running)
                waiting, running = message, None
        elif spoken and _compresses(message):
            found.append(gap(_COMPRESSED, message, certain=True))
    found += _left(waiting, running)
    return tuple(found)


def _is_spoken(message: Message, *, spoken: bool) -> bool:
    """Is there something to compress? Not before the first words, nor after `/clear`."""
    if message.role is _SYSTEM:
        return spoken and not (message.author is _HUMAN and calls(message.text, CLEAR))
    return spoken or not begins(message.text, CONTEXTS)


def _compresses(message: Message) -> bool:
    return calls(message.text, COMPRESS) if message.author is _HUMAN else folds(message)


def _uncounted(message: Message) -> Iterator[Gap]:
    """What an answer without all its figures shows to be missing."""
    if message.usage is not None:
        yield gap("An answer has only a part of its figures.", message, certain=message.usage.total is None)
    elif message.text.strip() or (message.parts and type(message.parts[-1]) is ToolCall):
        yield gap("An answer has no figures.", message)


def _asked(message: Message, waiting: Message | None, running: Message | None) -> Iterator[Gap]:
    """What a prompt shows to be missing."""
    if message.fate is _REWOUND and message.id.startswith("log-"):
        yield gap(_CUT_OUT, message, certain=True)
    yield from _left(waiting, running)


def _left(waiting: Message | None, running: Message | None) -> Iterator[Gap]:
    """What a turn leaves open that has ended: a prompt without an answer, or answers of tools that led to nothing."""
    if running is not None and awaits(running) and not _ends(running):
        yield gap(BROKEN_OFF, running)
    elif waiting is not None:
        yield gap(_UNANSWERED, waiting)


def _ends(message: Message) -> bool:
    """Is its last call the one with which a sub-agent reports? No request follows it."""
    call = message.parts[-1]
    return type(call) is ToolCall and call.name == _REPORT


def tallies(messages: tuple[Message, ...]) -> tuple[Tally, ...]:
    """The API's own total of each turn, together."""
    used = [m.usage for m in messages if m.usage is not None and not m.inherited]
    known = [total for usage in used if type(total := usage.native.get("total")) is int]
    if not known:
        return ()
    rule = "The API's own total of each turn, added up."
    return (Tally(name="tokens.total", scope="session", rule=rule, total=sum(known)),)


def _several_requests(parts: tuple[Part, ...]) -> bool:
    """Does one message hold calls of several round trips: one made only after another had ended?"""
    calls = [part for part in parts if type(part) is ToolCall]
    ends = [call.at for call in calls if call.at is not None]
    if not ends:
        return False
    first = min(ends)
    return any(_later(call, first) for call in calls if call.at != first or call.seconds is None)


def _later(call: ToolCall, ended: datetime) -> bool:
    after = (call.at - ended).total_seconds() if call.at is not None else None
    if call.seconds is not None and after is not None:
        return after > call.seconds
    made = created(call.id)
    return made > ended if made is not None else after is not None and after > _PAUSE


def folds(message: Message) -> bool:
    """Does this message tell of a compression: a summary, or the line the client leaves?"""
    if message.author is not Author.CLIENT:
        return False
    if message.role is Role.SYSTEM:
        return compacts(message)
    return any(type(part) is SummaryPart for part in message.parts)
