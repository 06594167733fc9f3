"""The passages of a session: its texts, each with the facts that a search may filter by.

A message has one passage for its words, one for its thinking, one for each tool call, and so on. A passage is prepared
for the index when it is made, so that the process that reads a session does that work, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple, assert_never

from pollux.index.search.prepare.prepare_text import prepare
from pollux.model import (
    NOTHING,
    Attachment,
    Author,
    Context,
    Fate,
    FileReference,
    Kind,
    Message,
    Part,
    Role,
    Session,
    Status,
    Summary,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    Value,
)

OUTPUT_HEAD = 192 * 1024
OUTPUT_TAIL = 64 * 1024
"""Of a longer output only the beginning and the end can be found."""

_NUMBER = 4
"""About how many characters a value has that is no text."""

CUT = "\n[…]\n"

_PATH_KEYS = ("path", "paths", "file", "files", "filename", "filenames", "filepath")
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.*\S|.)[^\S\n]*$", re.MULTILINE)
_LONGEST_PATH = 1024


class Facts(Value, frozen=True, kw_only=True):
    """The facts of a whole session that a search may filter by."""

    agent: str
    kind: Kind = Kind.MAIN
    project: str | None = None
    project_hash: str | None = None
    others: Mapping[str, tuple[str, ...]] = NOTHING

    @classmethod
    def of(cls, session: Session | Summary) -> Facts:
        """The facts of a session."""
        return cls(
            agent=session.agent,
            kind=session.kind,
            project=session.project,
            project_hash=session.project_hash,
            others=session.facts,
        )


class PassageKind(StrEnum):
    """What a passage is, in the order of what its words are worth in a search."""

    TITLE = "title"
    PROMPT = "prompt"
    SUMMARY = "summary"
    REPLY = "reply"
    THINKING = "thinking"
    TOOL = "tool"
    FILE = "file"
    CONTEXT = "context"
    OTHER = "other"


class Passage(Value, frozen=True, kw_only=True):
    """A text that can be found, and where: `message` is its message's place in the session.

    `data` is the text in UTF-8, `words` is the same prepared for the index. `tools` are all names of one tool, `failed`
    is None where no tool was used, `files` are the paths that were used or attached. `copied`: the message was
    inherited from another session. `cut`: only the beginning and the end of a tool's output are here.
    """

    message: int
    kind: PassageKind
    data: bytes
    words: str
    role: Role | None = None
    at: datetime | None = None
    model: str | None = None
    tools: tuple[str, ...] = ()
    failed: bool | None = None
    exit_code: int | None = None
    fate: Fate = Fate.LIVE
    files: tuple[str, ...] = ()
    copied: bool = False
    cut: bool = False

    @property
    def text(self) -> str:
        """The text as a person reads it."""
        return self.data.decode()


def passages(session: Session) -> Iterator[Passage]:
    """All passages of a session in order."""
    at = session.started
    models = models_of(session.messages)
    if (title := title_of(session)) is not None:
        number, text = title
        prepared = prepare(text)
        yield Passage(
            message=number,
            kind=PassageKind.TITLE,
            data=prepared.data,
            words=prepared.words,
            at=session.ended or at,
            model=models[number] if models else None,
        )
    for number, (message, model) in enumerate(zip(session.messages, models, strict=True)):
        at = message.at or at
        for piece, text in passage_texts(message):
            yield _passage(number, message, at, model, piece, text)


def title_of(session: Session) -> tuple[int, str] | None:
    """The title and the names of a session, and the message that they belong to: the human's first."""
    names = [name for name in (session.title, *session.facts.get("name", ())) if name]
    if not names:
        return None
    first = next((n for n, m in enumerate(session.messages) if m.author is Author.HUMAN), 0)
    return first, "\n".join(dict.fromkeys(names))


def cut_outputs(session: Session) -> int:
    """How many outputs of tools are too long to be indexed completely."""
    outputs = [
        part.output
        for message in session.messages
        for part in message.parts
        if (type(part) is ToolCall or type(part) is ToolResult) and part.output is not None
    ]
    return sum([len(output) > OUTPUT_HEAD + OUTPUT_TAIL for output in outputs])


def texts(message: Message) -> Iterator[tuple[PassageKind, str]]:
    """The texts of a message, part by part and without any cut."""
    for part in message.parts:
        if not _is_empty(part):
            piece = piece_of(part, message.author, cut=False)
            yield piece.kind, piece.text


def models_of(messages: Sequence[Message]) -> list[str | None]:
    """The model that wrote each message, or answered it: a search by model also finds the questions."""
    models: list[str | None] = []
    model = None
    for message in reversed(messages):
        model = message.model or model
        models.append(model)
    return models[::-1]


def passage_texts(message: Message) -> Iterator[tuple[Piece, str]]:
    """The text of each passage of a message, with its first piece. A passage without words is left out."""
    for _, parts in passage_parts(message):
        first, text = joined(parts, message.author)
        if text and not text.isspace():
            yield first, text


def passage_parts(message: Message) -> list[tuple[PassageKind, list[Part]]]:
    """The parts of each passage of a message, and its kind.

    Neighbouring parts of one kind share a passage; each tool call and file has its own.
    """
    passages: list[tuple[PassageKind, list[Part]]] = []
    last: PassageKind | None = None
    for part in message.parts:
        if _is_empty(part):
            continue
        kind = _KIND_OF.get(type(part)) or _WORDS_OF[message.author]
        if type(part) in _SEPARATE:
            passages.append((kind, [part]))
            last = None
        elif kind is last:
            passages[-1][1].append(part)
        else:
            passages.append((kind, [part]))
            last = kind
    return passages


def joined(parts: Sequence[Part], author: Author) -> tuple[Piece, str]:
    """The text of the parts of a passage, with its first piece."""
    first = piece_of(parts[0], author)
    if len(parts) == 1:
        return first, first.text
    return first, "\n".join([first.text, *(piece_of(part, author).text for part in parts[1:])])


def _passage(  # noqa: PLR0913, PLR0917
    number: int, message: Message, at: datetime | None, model: str | None, piece: Piece, text: str
) -> Passage:
    prepared = prepare(text)
    return Passage(
        message=number,
        kind=piece.kind,
        data=prepared.data,
        words=prepared.words,
        role=message.role,
        at=at,
        model=model,
        tools=piece.tools,
        failed=piece.failed,
        exit_code=piece.exit_code,
        fate=message.fate,
        files=piece.files,
        copied=message.inherited,
        cut=piece.cut,
    )


class Piece(NamedTuple):
    """The text of one part of a message. `leaves` are the texts and numbers of a tool's input, each with its key."""

    kind: PassageKind
    text: str
    part: Part
    cut: bool = False
    leaves: Sequence[tuple[str, str]] = ()

    @property
    def tools(self) -> tuple[str, ...]:
        """All names of the tool that was used."""
        part = self.part
        if isinstance(part, ToolCall):
            return tuple(dict.fromkeys((part.canonical.lower(), part.name.lower(), part.tool_kind.lower())))
        return (part.name.lower(),) if isinstance(part, ToolResult) and part.name else ()

    @property
    def failed(self) -> bool | None:
        """Did a tool fail? None where none was called."""
        return self.part.status is Status.ERROR if isinstance(self.part, ToolCall) else None

    @property
    def exit_code(self) -> int | None:
        """The exit code of a command."""
        return self.part.exit_code if isinstance(self.part, ToolCall) else None

    @property
    def files(self) -> tuple[str, ...]:
        """The paths that were used or attached."""
        if self.leaves:
            return tuple(dict.fromkeys(_paths(self.leaves)))
        return (self.part.path,) if isinstance(self.part, FileReference) else ()


_WORDS_OF = {
    Author.HUMAN: PassageKind.PROMPT,
    Author.MODEL: PassageKind.REPLY,
    Author.CLIENT: PassageKind.CONTEXT,
}


_KIND_OF: dict[type[Part], PassageKind] = {
    Thinking: PassageKind.THINKING,
    SummaryPart: PassageKind.SUMMARY,
    ToolCall: PassageKind.TOOL,
    ToolResult: PassageKind.TOOL,
    FileReference: PassageKind.FILE,
    Attachment: PassageKind.FILE,
    Context: PassageKind.CONTEXT,
    Unknown: PassageKind.OTHER,
}
"""The kind of each part but texts, whose kind depends on their author."""

_SEPARATE = frozenset({ToolCall, ToolResult, FileReference, Attachment})
"""The parts that never share a passage with their neighbours."""


def _is_empty(part: Part) -> bool:
    """Is a part the answer of a tool without anything in it?"""
    return isinstance(part, ToolResult) and not part.output and not part.attachments


def piece_of(part: Part, author: Author, *, cut: bool = True) -> Piece:  # noqa: PLR0911 (one for each part)
    """The text of a part. With `cut`, a very long output is shortened."""
    match part:
        case Text():
            return Piece(_WORDS_OF[author], part.text, part)
        case Thinking():
            return Piece(PassageKind.THINKING, f"{part.subject}\n{part.text}" if part.subject else part.text, part)
        case SummaryPart():
            return Piece(PassageKind.SUMMARY, part.text, part)
        case ToolCall():
            return _call(part, cut=cut)
        case ToolResult():
            return _result(part, cut=cut)
        case FileReference():
            text = "\n".join((part.path, *_attached(part.attachments), part.text or ""))
            return Piece(PassageKind.FILE, text, part)
        case Attachment():
            return Piece(PassageKind.FILE, "\n".join(_attached((part,))), part)
        case Context():
            return Piece(PassageKind.CONTEXT, f"{part.source}\n{part.text}", part)
        case Unknown():
            return Piece(PassageKind.OTHER, as_words(part.raw), part)
        case _:
            assert_never(part)


def rough_size(part: Part, author: Author) -> int:
    """About how many characters the text of a part has."""
    if isinstance(part, Text):
        return len(part.text)
    if isinstance(part, ToolCall):
        output = min(len(part.output or ""), OUTPUT_HEAD + OUTPUT_TAIL)
        return output + len(part.name) + len(part.canonical) + _value_size(part.input)
    return len(piece_of(part, author).text)


def _value_size(value: Any) -> int:
    if not isinstance(value, dict):
        return len(as_words(value))
    return sum([len(str(key)) + (len(inner) if isinstance(inner, str) else _NUMBER) for key, inner in value.items()])


def _call(call: ToolCall, *, cut: bool) -> Piece:
    output, shorter = _shortened(call.output or "", cut=cut)
    name = call.name if call.name == call.canonical else f"{call.name} {call.canonical}"
    leaves = list(_leaves(call.input))
    text = "\n".join(text for text in (name, _lines(leaves), *_attached(call.attachments), output) if text)
    return Piece(PassageKind.TOOL, text, call, cut=shorter, leaves=leaves)


def _result(result: ToolResult, *, cut: bool) -> Piece:
    output, shorter = _shortened(result.output or "", cut=cut)
    names = (result.name,) if result.name else ()
    text = "\n".join((*names, *_attached(result.attachments), output))
    return Piece(PassageKind.TOOL, text, result, cut=shorter)


def _shortened(output: str, *, cut: bool) -> tuple[str, bool]:
    if not cut or len(output) <= OUTPUT_HEAD + OUTPUT_TAIL:
        return output, False
    return f"{output[:OUTPUT_HEAD]}{CUT}{output[-OUTPUT_TAIL:]}", True


def _attached(attachments: Iterable[Attachment]) -> Iterator[str]:
    """The names of attachments. Their bytes are not words."""
    for attachment in attachments:
        yield f"{attachment.uri or ''} {attachment.media_type} {as_words(attachment.extra)}".strip()


def as_words(value: Any) -> str:
    """A plain JSON value as words: keys, texts and numbers, a line each, without punctuation."""
    return _lines(_leaves(value))


def _lines(leaves: Iterable[tuple[str, str]]) -> str:
    return "\n".join([f"{key} {text}" if key else text for key, text in leaves])


def paths_in(value: Any) -> Iterator[str]:
    """The paths in a tool's input: values with a key for paths, and the files that a patch names."""
    return _paths(_leaves(value))


def _paths(leaves: Iterable[tuple[str, str]]) -> Iterator[str]:
    for key, text in leaves:
        if _is_path_key(key):
            if 0 < len(text) <= _LONGEST_PATH and "\n" not in text:
                yield text
        elif "*** " in text:
            yield from _PATCHED.findall(text)


@lru_cache(maxsize=1 << 10)
def _is_path_key(key: str) -> bool:
    return key.lower().replace("-", "_").rpartition("_")[2].endswith(_PATH_KEYS)


def _leaves(value: Any) -> Iterator[tuple[str, str]]:
    """Every text and number of a plain JSON value with its key, at any depth."""
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        key, item = waiting.pop()
        if isinstance(item, str):
            yield key, item
        elif isinstance(item, dict):
            if key:
                yield "", key
            waiting += [(str(name), inner) for name, inner in reversed(item.items())]
        elif isinstance(item, (list, tuple)):
            waiting += [(key, inner) for inner in reversed(item)]
        elif item is not None:
            yield key, str(item).lower() if isinstance(item, bool) else str(item)
        elif key:
            yield "", key
