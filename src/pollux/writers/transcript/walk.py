"""The walk: from messages and parts to blocks, in the order in which a person reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count, groupby

from pollux.model import (
    Attachment,
    Author,
    Context,
    Fate,
    FileReference,
    Message,
    Part,
    Role,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from pollux.writers.calls import arguments
from pollux.writers.transcript.blocks import (
    COMMAND,
    ERROR,
    AttachmentBlock,
    Block,
    Branch,
    CallBlock,
    ContextBlock,
    FiguresBlock,
    Heading,
    NoteBlock,
    ReferenceBlock,
    ResultBlock,
    Speaker,
    SummaryBlock,
    TextBlock,
    ThinkingBlock,
    UnknownBlock,
    marks,
)

Choose = Callable[[Message, Iterator[Block]], Iterable[Block]]
"""Says which blocks of a message are shown. A message without any is left out."""

LEVELS = {"error": ERROR, "warning": "Warning", "info": "Info"}
_BRANCHES = (Fate.REWOUND, Fate.COMPRESSED)


def everything(_: Message, blocks: Iterator[Block]) -> Iterable[Block]:
    """Choose all blocks."""
    return blocks


def walk(messages: Iterable[Message], choose: Choose = everything) -> Iterator[Block]:
    """The blocks of all messages, made one message at a time and only when they are asked for."""
    numbers = count()
    before: tuple[Fate | None, bool] = (None, False)
    for branch, run in groupby(messages, key=_branch):
        together = list(run)
        if branch != before:
            yield Branch(fate=branch[0], inherited=branch[1], count=len(together))
        before = branch
        for message in together:
            number = next(numbers)
            for place, block in enumerate(choose(message, _blocks(message))):
                if place == 0:
                    yield heading(message, number)
                yield block


def heading(message: Message, number: int = 0) -> Heading:
    """Who speaks in a message, and what became of it."""
    return Heading(message=message, number=number, speaker=_speaker(message), fate=_fate(message))


def _branch(message: Message) -> tuple[Fate | None, bool]:
    """What a message shares with those that went its way."""
    return (message.fate if message.fate in _BRANCHES else None, message.inherited)


def _fate(message: Message) -> Fate | None:
    # A line of the interface was never part of the conversation: that a resume does not bring it back says nothing.
    return None if message.fate is Fate.LIVE or message.role is Role.SYSTEM else message.fate


def _speaker(message: Message) -> Speaker:
    human = message.author is Author.HUMAN
    if message.role is Role.SYSTEM:
        return Speaker.COMMAND if human else Speaker.NOTICE
    if message.author is Author.CLIENT:
        return Speaker.CLIENT
    if message.role is Role.ASSISTANT:
        return Speaker.ASSISTANT
    return Speaker.YOU if human else Speaker.TASK


def _blocks(message: Message) -> Iterator[Block]:
    """All there is in one message."""
    is_remark = message.role is Role.SYSTEM
    if is_remark:
        yield _remark(message)
    for part in message.parts:
        if not (is_remark and type(part) is Text):
            yield _block(part, message)
    if message.usage is not None:
        yield FiguresBlock(usage=message.usage)


def _remark(message: Message) -> NoteBlock:
    level = message.extra.get("level")
    kind = LEVELS.get(level, "Note") if isinstance(level, str) else "Note"
    if message.author is Author.HUMAN:
        kind = COMMAND
    texts = tuple(part.text for part in message.parts if type(part) is Text)
    return NoteBlock(kind=kind, texts=texts, author=message.author, marks=_marks(message))


def _block(part: Part, message: Message) -> Block:
    block: Block
    match part:
        case Text(text=text):
            block = TextBlock(text=text, author=message.author)
        case Thinking(subject=subject, text=text):
            block = ThinkingBlock(subject=subject, text=text)
        case ToolCall():
            brief, is_whole = arguments(part.input)
            block = CallBlock(call=part, arguments=brief, is_whole=is_whole)
        case ToolResult():
            block = ResultBlock(result=part)
        case FileReference():
            block = ReferenceBlock(file=part)
        case Attachment():
            block = AttachmentBlock(attachment=part)
        case Context(source=source, text=text):
            block = ContextBlock(source=source, text=text)
        case SummaryPart(text=text):
            block = SummaryBlock(text=text, marks=_marks(message))
        case Unknown(raw=raw):
            block = UnknownBlock(raw=raw)
    return block


def _marks(message: Message) -> tuple[str, ...]:
    return marks(_fate(message), inherited=message.inherited)
