"""Do the files hold every token that was used?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from pollux.model import Author, Fate, Gap, Message, Part, Role, SummaryPart, Tally, ToolCall, gap
from pollux.sources.gaps import BROKEN_OFF, awaits
from pollux.sources.gemini_sessions.answers import compacts
from pollux.sources.gemini_sessions.format.content import CONTEXTS, begins_with
from pollux.sources.gemini_sessions.messages.subagents import created
from pollux.sources.gemini_sessions.prompts.prompt_log import CLEAR, COMPRESS, calls

_COMPRESSED = "The conversation was compressed: that request is never recorded."
_UNANSWERED = "A prompt has no answer: what it cost, if anything, was not written."
_SEVERAL = "A turn holds the calls of several requests: up to 0.31 the figures of all but one are lost."
_CUT_OUT = "A prompt is known from the log of typed prompts only: its turn was cut out of the file."
UNRECORDED = "Up to 0.8 no tool calls were recorded, nor the figures of requests with nothing else."
SILENT = "Up to 0.31 a sub-agent's requests with nothing but calls were not recorded."
_PAUSE = 0.1
_REPORT = "complete_task"
# Members of an enumeration are slow to look up, so this happens once.
_MODEL, _HUMAN = Author.MODEL, Author.HUMAN
_ASSISTANT, _USER, _SYSTEM = Role.ASSISTANT, Role.USER, Role.SYSTEM
_FAILED, _REWOUND = Fate.FAILED, Fate.REWOUND


def gaps(messages: tuple[Message, ...]) -> tuple[Gap, ...]:
    """The gaps in the figures: what is missing, or may be."""
    missing: list[Gap] = [] if messages else [Gap(why="Nothing was said.", certain=False)]
    unanswered: Message | None = None
    unfinished: Message | None = None
    spoken = False
    for message in messages:
        author = message.author
        if not spoken or message.role is _SYSTEM:
            spoken = _has_words(message, spoken=spoken)
        if message.inherited:
            # Another session paid for this message.
            unanswered = unfinished = None
        elif author is _MODEL:
            if message.role is _ASSISTANT:
                unanswered, unfinished = None, message
                parts = message.parts
                # Calls come last.
                if len(parts) > 1 and type(parts[-2]) is ToolCall and _several_requests(parts):
                    missing.append(gap(_SEVERAL, message, certain=True))
                usage = message.usage
                if usage is None or not usage.exact:
                    missing += _usage_gaps(message)
        elif author is _HUMAN and message.role is _USER:
            if message.fate is not _FAILED:
                if message.fate is _REWOUND and message.id.startswith("log-"):
                    missing.append(gap(_CUT_OUT, message, certain=True))
                missing += _turn_gaps(unanswered, unfinished)
                unanswered, unfinished = message, None
        elif spoken and _compresses(message):
            missing.append(gap(_COMPRESSED, message, certain=True))
    missing += _turn_gaps(unanswered, unfinished)
    return tuple(missing)


def _has_words(message: Message, *, spoken: bool) -> bool:
    """Is there something to compress? Not before the first words, and not after `/clear`."""
    if message.role is _SYSTEM:
        return spoken and not (message.author is _HUMAN and calls(message.text, CLEAR))
    return spoken or not begins_with(message.text, CONTEXTS)


def _compresses(message: Message) -> bool:
    return calls(message.text, COMPRESS) if message.author is _HUMAN else is_compression(message)


def _usage_gaps(message: Message) -> Iterator[Gap]:
    """The gaps of an answer without all of its figures."""
    if message.usage is not None:
        yield gap("An answer has only a part of its figures.", message, certain=message.usage.total is None)
    elif message.text.strip() or (message.parts and type(message.parts[-1]) is ToolCall):
        yield gap("An answer has no figures.", message)


def _turn_gaps(unanswered: Message | None, unfinished: Message | None) -> tuple[Gap, ...]:
    """The gap of a turn that ended early: a prompt without an answer, or tool results without a reply."""
    if unfinished is not None and awaits(unfinished) and not _ends_subagent(unfinished):
        return (gap(BROKEN_OFF, unfinished),)
    return (gap(_UNANSWERED, unanswered),) if unanswered is not None else ()


def _ends_subagent(message: Message) -> bool:
    """Is the last call a sub-agent's report? No request follows it."""
    call = message.parts[-1]
    return type(call) is ToolCall and call.name == _REPORT


def tallies(messages: tuple[Message, ...]) -> tuple[Tally, ...]:
    """The sum of the API's own totals of all turns."""
    totals = [
        total
        for message in messages
        if (usage := message.usage) is not None
        and not message.inherited
        and type(total := usage.native.get("total")) is int
    ]
    if not totals:
        return ()
    rule = "The API's own total of each turn, added up."
    return (Tally(name="tokens.total", scope="session", rule=rule, total=sum(totals)),)


def _several_requests(parts: tuple[Part, ...]) -> bool:
    """Does a message hold calls of several requests: was a call made after another had ended?"""
    calls = [part for part in parts if type(part) is ToolCall]
    ends = [call.at for call in calls if call.at is not None]
    if not ends:
        return False
    first = min(ends)
    return any(_made_after(call, first) for call in calls if call.at != first or call.seconds is None)


def _made_after(call: ToolCall, ended: datetime) -> bool:
    delay = (call.at - ended).total_seconds() if call.at is not None else None
    if call.seconds is not None and delay is not None:
        return delay > call.seconds
    creation = created(call.id)
    return creation > ended if creation is not None else delay is not None and delay > _PAUSE


def is_compression(message: Message) -> bool:
    """Does this message stand for a compression: a summary, or the line that the client leaves?"""
    if message.author is not Author.CLIENT:
        return False
    if message.role is Role.SYSTEM:
        return compacts(message)
    return any(type(part) is SummaryPart for part in message.parts)
