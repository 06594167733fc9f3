"""What a transcript for people tells of a session, in which order; how it is written down is the writers' matter.

Kept: what the human and the model said, tool calls, files, errors, the summary a conversation was folded into.
Left out unless asked for: thinking, token figures, info and warning lines, typed commands. Left out always: what the
client slipped in between (context, tool results as messages of their own). The report accounts for all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from pollux.model import (
    Attachment,
    Author,
    Context,
    Fate,
    FileReference,
    Message,
    Part,
    Role,
    Session,
    Status,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    Value,
)
from pollux.text.escape import one_line, visible
from pollux.writers.base import LOST_FATES, Options
from pollux.writers.calls import (
    Argument,
    Bounds,
    Section,
    arguments,
    as_section,
    excerpt,
    outcome,
    reason,
    whole,
    whole_input,
)
from pollux.writers.facts import attachment_facts, figures
from pollux.writers.loss import (
    BYTES,
    CALLS,
    CLIENT_MESSAGES,
    CLIENT_TEXTS,
    COMMANDS,
    FIGURES,
    FILE_TEXTS,
    INPUTS,
    NOTHING,
    ODDITIES,
    OUTPUTS,
    REMARKS,
    THINKING,
    Tally,
)

LONGEST_ADDRESS = 300
LEVELS = {"error": "Error", "warning": "Warning", "info": "Info"}


class Turn(Value, frozen=True, kw_only=True):
    """Somebody begins to speak."""

    speaker: str
    at: datetime | None
    model: str | None
    marks: tuple[str, ...]


class Words(Value, frozen=True, kw_only=True):
    """What was said."""

    text: str


class Thought(Value, frozen=True, kw_only=True):
    """What the model thought."""

    subject: str | None
    text: str


class Call(Value, frozen=True, kw_only=True):
    """A tool used."""

    name: str
    arguments: tuple[Argument, ...]
    status: Status
    outcome: str
    reason: str | None
    child: str | None
    sections: tuple[Section, ...]


class Mention(Value, frozen=True, kw_only=True):
    """A file or an attachment, named."""

    what: str
    name: str | None
    facts: str | None
    section: Section | None = None


class Digest(Value, frozen=True, kw_only=True):
    """What the conversation before was folded into."""

    text: str
    marks: tuple[str, ...]


class Remark(Value, frozen=True, kw_only=True):
    """A line the client showed to the human, or a command the human gave to the client."""

    kind: str
    text: str
    marks: tuple[str, ...]


class Figures(Value, frozen=True, kw_only=True):
    """What a message used."""

    text: str


Block = Turn | Words | Thought | Call | Mention | Digest | Remark | Figures


def blocks(session: Session, options: Options, bounds: Bounds, tally: Tally) -> Iterator[Block]:
    """The whole transcript, piece by piece; the tally is complete when all pieces were taken."""
    teller = _Teller(options, bounds, tally)
    models = {message.model for message in session.messages if message.model}
    several = len(models) > 1 or not models <= {message.model for message in session.messages if not message.inherited}
    before: tuple[object, ...] | None = None
    for message in session.messages:
        if (why := _left_out(message, options)) is not None:
            tally.drop(why)
            continue
        told = list(teller.message(message))
        if not told:
            tally.drop(NOTHING)
            continue
        tally.kept += 1
        if (speaker := _speaker(message)) is not None:
            turn = Turn(speaker=speaker, at=message.at, model=message.model if several else None, marks=_marks(message))
            now = (speaker, turn.model, turn.marks)
            if speaker != "Assistant" or now != before:
                yield turn
            before = now
        yield from told
    tally.session(session)


def _left_out(message: Message, options: Options) -> str | None:
    """Why a message is not in the transcript; None for those that are."""
    if options.live_only and message.fate is not Fate.LIVE:
        return LOST_FATES
    if message.role is Role.SYSTEM:
        if options.notices or message.extra.get("level") == "error":
            return None
        return COMMANDS if message.author is Author.HUMAN else REMARKS
    if message.author is Author.CLIENT and not any(_matters(part) for part in message.parts):
        return CLIENT_MESSAGES
    return None


def _matters(part: Part) -> bool:
    """Of the client's own messages only a summary and a result that stands nowhere else are worth reading."""
    return type(part) is SummaryPart or (type(part) is ToolResult and part.output is not None)


def _speaker(message: Message) -> str | None:
    if message.role is Role.SYSTEM or message.author is Author.CLIENT:
        return None
    if message.role is Role.ASSISTANT:
        return "Assistant"
    return "You" if message.author is Author.HUMAN else "Task"


def _marks(message: Message) -> tuple[str, ...]:
    # A line of the interface was never part of the conversation: that a resume does not bring it back says nothing.
    fate = () if message.fate is Fate.LIVE or message.role is Role.SYSTEM else (str(message.fate),)
    return (*fate, "inherited") if message.inherited else fate


class _Teller:
    """Turns messages into blocks, as the options want them."""

    def __init__(self, options: Options, bounds: Bounds, tally: Tally) -> None:
        self._options = options
        self._bounds = bounds
        self._tally = tally

    def message(self, message: Message) -> Iterator[Block]:
        """All there is to tell of one message."""
        self._tally.message(message)
        if message.role is Role.SYSTEM:
            yield from self._remark(message)
        for part in message.parts:
            self._tally.part(part)
            yield from self._part(part, message)
        if message.usage is not None and (used := figures(message.usage)) is not None:
            if self._options.tokens:
                yield Figures(text=used)
            else:
                self._tally.drop(FIGURES)

    def _remark(self, message: Message) -> Iterator[Block]:
        level = message.extra.get("level")
        kind = LEVELS.get(level, "Note") if isinstance(level, str) else "Note"
        if message.author is Author.HUMAN:
            kind = "Command"
        text = visible(message.text).strip()
        if text or kind == "Error":
            yield Remark(kind=kind, text=text, marks=_marks(message))

    def _part(self, part: Part, message: Message) -> Iterator[Block]:
        match part:
            case Text():
                yield from self._words(part, message)
            case Thinking():
                yield from self._thinking(part)
            case ToolCall():
                yield from self._call(part)
            case ToolResult():
                yield from self._result(part)
            case FileReference():
                yield from self._reference(part)
            case Attachment():
                yield self._attachment(part)
            case Context():
                self._tally.drop(CLIENT_TEXTS)
            case SummaryPart(text=text):
                if text.strip():
                    yield Digest(text=text, marks=_marks(message))
            case Unknown():
                yield self._oddity(part)

    def _words(self, part: Text, message: Message) -> Iterator[Block]:
        if message.role is Role.SYSTEM or not part.text.strip():
            return  # a remark has told it, or there is nothing to tell
        if message.author is Author.CLIENT:
            self._tally.drop(CLIENT_TEXTS)
        else:
            yield Words(text=part.text)

    def _thinking(self, part: Thinking) -> Iterator[Block]:
        if not self._options.thinking:
            self._tally.drop(THINKING)
        elif part.text.strip() or part.subject:
            yield Thought(subject=one_line(part.subject) if part.subject else None, text=part.text)

    def _call(self, call: ToolCall) -> Iterator[Block]:
        if self._options.tools == "none":
            self._tally.drop(CALLS)
            return
        full = self._options.tools == "full"
        shown, complete = arguments(call.input)
        if not complete and not full:
            self._tally.drop(INPUTS)
        why = None if full else reason(call)
        sections = whole_input(call.input) if full else ()
        if call.output is not None and call.output.strip() and why is None:
            sections = (*sections, self._output(call.output))
        yield Call(
            name=one_line(call.name, 100) or "unnamed tool",
            arguments=shown,
            status=call.status,
            outcome=outcome(call),
            reason=why,
            child=one_line(call.child) if call.child else None,
            sections=sections,
        )
        for attachment in call.attachments:
            yield self._attachment(attachment)

    def _result(self, result: ToolResult) -> Iterator[Block]:
        """Only a result that no call holds is told; its call is not in the session any more."""
        if self._options.tools == "none" and (result.output is not None or result.attachments):
            self._tally.drop(CALLS)
            return
        if result.output is None:
            yield from map(self._attachment, result.attachments)
            return
        yield Call(
            name=one_line(result.name or "", 100) or "unnamed tool",
            arguments=(),
            status=Status.OK,
            outcome="a result without its call",
            reason=None,
            child=None,
            sections=(self._output(result.output),) if result.output.strip() else (),
        )
        for attachment in result.attachments:
            yield self._attachment(attachment)

    def _output(self, output: str) -> Section:
        if self._options.tools == "full":
            return whole("Result", output)
        section, complete = excerpt(output, self._bounds)
        if not complete:
            self._tally.drop(OUTPUTS)
        return section

    def _reference(self, part: FileReference) -> Iterator[Block]:
        text = part.text if part.text is not None and part.text.strip() else None
        facts = f"{len(text):,} characters" if text is not None else None
        full = self._options.tools == "full"
        if text is not None and not full:
            self._tally.drop(FILE_TEXTS)
        section = whole("Text", text) if text is not None and full else None
        yield Mention(what="File", name=one_line(part.path), facts=facts, section=section)
        for attachment in part.attachments:
            yield self._attachment(attachment)

    def _attachment(self, part: Attachment) -> Mention:
        uri = one_line(part.uri, LONGEST_ADDRESS) if part.uri else None
        self._tally.drop(BYTES, part.data is not None or len(part.uri or "") > LONGEST_ADDRESS)
        return Mention(what="Attachment", name=uri, facts=attachment_facts(part))

    def _oddity(self, part: Unknown) -> Mention:
        if self._options.tools == "full":
            return Mention(what="A part of an unknown kind", name=None, facts=None, section=as_section("Raw", part.raw))
        self._tally.drop(ODDITIES)
        return Mention(what="A part of an unknown kind", name=None, facts=None)
