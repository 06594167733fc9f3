"""The blocks of a transcript: small values, each of which a view can draw by itself."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pollux.model import Attachment, Author, Fate, FileReference, Message, ToolCall, ToolResult, Usage, Value
from pollux.writers.calls import Argument

ERROR = "Error"
COMMAND = "Command"


class Speaker(StrEnum):
    """Who speaks."""

    YOU = "You"
    ASSISTANT = "Assistant"
    TASK = "Task"
    """A model that gives a sub-agent its task."""
    COMMAND = "Command"
    """A human who gives the client a command."""
    NOTICE = "Notice"
    """The client, in its interface."""
    CLIENT = "Client"
    """The client, in the conversation."""


class Branch(Value, frozen=True, kw_only=True):
    """The next `count` messages share a fate. Without one, and not inherited, they are part of the conversation."""

    fate: Fate | None
    inherited: bool
    count: int


class Heading(Value, frozen=True, kw_only=True):
    """A message begins; the blocks up to the next heading are what is in it. `number` is its place in the walk."""

    message: Message
    number: int
    speaker: Speaker
    fate: Fate | None

    @property
    def marks(self) -> tuple[str, ...]:
        """What became of the message, in words."""
        return marks(self.fate, inherited=self.message.inherited)


class TextBlock(Value, frozen=True, kw_only=True):
    """What somebody said."""

    text: str
    author: Author


class ThinkingBlock(Value, frozen=True, kw_only=True):
    """What the model thought."""

    subject: str | None
    text: str


class CallBlock(Value, frozen=True, kw_only=True):
    """A tool call with its outcome; `is_whole` says whether the arguments are all that it was asked."""

    call: ToolCall
    arguments: tuple[Argument, ...]
    is_whole: bool


class ResultBlock(Value, frozen=True, kw_only=True):
    """A tool's answer. It is blank where it stands with its call."""

    result: ToolResult


class ReferenceBlock(Value, frozen=True, kw_only=True):
    """A file that a prompt names."""

    file: FileReference


class AttachmentBlock(Value, frozen=True, kw_only=True):
    """A picture or a document that came with the message."""

    attachment: Attachment


class ContextBlock(Value, frozen=True, kw_only=True):
    """A text that the client put into somebody else's message."""

    source: str
    text: str


class SummaryBlock(Value, frozen=True, kw_only=True):
    """The summary that replaced the conversation before it."""

    text: str
    marks: tuple[str, ...]


class NoteBlock(Value, frozen=True, kw_only=True):
    """A line of the client's interface, or a command that the human gave to the client."""

    kind: str
    texts: tuple[str, ...]
    author: Author
    marks: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join(self.texts)


class UnknownBlock(Value, frozen=True, kw_only=True):
    """A part of an unknown kind."""

    raw: Any


class FiguresBlock(Value, frozen=True, kw_only=True):
    """What the message used."""

    usage: Usage


Block = (
    Branch
    | Heading
    | TextBlock
    | ThinkingBlock
    | CallBlock
    | ResultBlock
    | ReferenceBlock
    | AttachmentBlock
    | ContextBlock
    | SummaryBlock
    | NoteBlock
    | UnknownBlock
    | FiguresBlock
)


def marks(fate: Fate | None, *, inherited: bool) -> tuple[str, ...]:
    """What became of a message, in words."""
    words = () if fate is None else (str(fate),)
    return (*words, "inherited") if inherited else words


def is_blank(block: Block) -> bool:
    """Is there nothing to read in it? An error is worth its name."""
    match block:
        case TextBlock(text=text) | SummaryBlock(text=text):
            return not text.strip()
        case ThinkingBlock(subject=subject, text=text):
            return not subject and not text.strip()
        case ResultBlock(result=result):
            return result.output is None and not result.attachments
        case NoteBlock(kind=kind, text=text):
            return kind != ERROR and not text.strip()
    return False
