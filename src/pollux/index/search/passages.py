"""What of a session can be found: its texts, each with what a search may ask about it.

A message gives one passage for its words, one for its thinking, one for each tool call, and so on. A passage is made
ready for the index where it is made, so that whoever reads a session can do that work too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from typing import Any, assert_never

from pollux.index.search.words import plain, ready
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
"""A longer output is findable by its beginning and its end. Everything up to both together is findable whole."""

CUT = "\n[…]\n"

_PATH_KEYS = ("path", "paths", "file", "files", "filename", "filenames", "filepath")
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.*\S)", re.MULTILINE)
_LONGEST_PATH = 1024


class Facts(Value, frozen=True, kw_only=True):
    """What is true of a whole session and can be asked for."""

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

    `body` and `parts` are the text ready for the index, `shown` is the text where it is written otherwise. `tools` are
    the names one tool goes by, `failed` is None where no tool was used, `files` are the paths that were touched or
    handed over. `copied` stands for a message that was inherited from another session, `cut` for a tool's output of
    which only the beginning and the end are here.
    """

    message: int
    kind: PassageKind
    body: str
    parts: str = ""
    shown: str | None = None
    role: Role | None = None
    author: Author | None = None
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
        return plain(self.body) if self.shown is None else self.shown


def passages(session: Session) -> Iterator[Passage]:
    """Everything in a session that can be found, in its order. A title stands with the human's first words."""
    at = session.started
    models = _models(session.messages)
    names = [name for name in (session.title, *session.facts.get("name", ())) if name]
    if names:
        first = next((n for n, m in enumerate(session.messages) if m.author is Author.HUMAN), 0)
        model = models[first] if models else None
        title = ready("\n".join(dict.fromkeys(names)))
        yield Passage(
            message=first,
            kind=PassageKind.TITLE,
            body=title.body,
            parts=title.parts,
            shown=title.shown,
            at=session.ended or at,
            model=model,
        )
    for number, (message, model) in enumerate(zip(session.messages, models, strict=True)):
        at = message.at or at
        yield from _of_message(number, message, at, model)


def texts(message: Message) -> Iterator[tuple[PassageKind, str]]:
    """What a message says, part by part and without any cut, for those who look through everything."""
    for part in message.parts:
        for piece in _pieces(part, message.author, cut=False):
            yield piece.kind, piece.text


def _models(messages: Sequence[Message]) -> list[str | None]:
    """The model that said each message, or answered it: who asks for a model's words means the questions too."""
    models: list[str | None] = []
    model = None
    for message in reversed(messages):
        model = message.model or model
        models.append(model)
    return models[::-1]


def _of_message(number: int, message: Message, at: datetime | None, model: str | None) -> Iterator[Passage]:
    """A message's passages. Neighbouring parts of one kind are one passage, but each tool call and file is its own."""
    pieces = [piece for part in message.parts for piece in _pieces(part, message.author)]
    for (kind, apart), group in groupby(pieces, key=lambda piece: (piece.kind, piece.apart)):
        for several in [[piece] for piece in group] if apart else [list(group)]:
            first = several[0]
            text = first.text if len(several) == 1 else "\n".join(piece.text for piece in several)
            if not text or text.isspace():
                continue
            made = ready(text)
            yield Passage(
                message=number,
                kind=kind,
                body=made.body,
                parts=made.parts,
                shown=made.shown,
                role=message.role,
                author=message.author,
                at=at,
                model=model,
                tools=first.tools,
                failed=first.failed,
                exit_code=first.exit_code,
                fate=message.fate,
                files=first.files,
                copied=message.inherited,
                cut=first.cut,
            )


class _Piece(Value, frozen=True, kw_only=True):
    """What one part of a message has to say. `apart`: it never shares a passage with its neighbours."""

    kind: PassageKind
    text: str
    apart: bool = False
    tools: tuple[str, ...] = ()
    failed: bool | None = None
    exit_code: int | None = None
    files: tuple[str, ...] = ()
    cut: bool = False


_WORDS_OF = {
    Author.HUMAN: PassageKind.PROMPT,
    Author.MODEL: PassageKind.REPLY,
    Author.CLIENT: PassageKind.CONTEXT,
}


def _pieces(part: Part, author: Author, *, cut: bool = True) -> Iterator[_Piece]:
    """What a part has to say, a very long output shortened unless it is not to be `cut`."""
    match part:
        case Text():
            yield _Piece(kind=_WORDS_OF[author], text=part.text)
        case Thinking():
            yield _Piece(kind=PassageKind.THINKING, text=f"{part.subject}\n{part.text}" if part.subject else part.text)
        case SummaryPart():
            yield _Piece(kind=PassageKind.SUMMARY, text=part.text)
        case ToolCall():
            yield _call(part, cut=cut)
        case ToolResult():
            if part.output or part.attachments:
                yield _result(part, cut=cut)
        case FileReference():
            text = "\n".join((part.path, *_attached(part.attachments), part.text or ""))
            yield _Piece(kind=PassageKind.FILE, text=text, apart=True, files=(part.path,))
        case Attachment():
            yield _Piece(kind=PassageKind.FILE, text="\n".join(_attached((part,))), apart=True)
        case Context():
            yield _Piece(kind=PassageKind.CONTEXT, text=f"{part.source}\n{part.text}")
        case Unknown():
            yield _Piece(kind=PassageKind.OTHER, text=spoken(part.raw))
        case _:
            assert_never(part)


def _call(call: ToolCall, *, cut: bool) -> _Piece:
    output, shorter = _shortened(call.output or "", cut=cut)
    name = call.name if call.name == call.canonical else f"{call.name} {call.canonical}"
    given = spoken(call.input)
    return _Piece(
        kind=PassageKind.TOOL,
        text="\n".join(text for text in (name, given, *_attached(call.attachments), output) if text),
        apart=True,
        tools=tuple(dict.fromkeys((call.canonical.lower(), call.name.lower(), call.tool_kind.lower()))),
        failed=call.status is Status.ERROR,
        exit_code=call.exit_code,
        files=tuple(dict.fromkeys(touched(call.input))),
        cut=shorter,
    )


def _result(result: ToolResult, *, cut: bool) -> _Piece:
    output, shorter = _shortened(result.output or "", cut=cut)
    names = (result.name,) if result.name else ()
    return _Piece(
        kind=PassageKind.TOOL,
        text="\n".join((*names, *_attached(result.attachments), output)),
        apart=True,
        tools=tuple(name.lower() for name in names),
        cut=shorter,
    )


def _shortened(output: str, *, cut: bool) -> tuple[str, bool]:
    if not cut or len(output) <= OUTPUT_HEAD + OUTPUT_TAIL:
        return output, False
    return f"{output[:OUTPUT_HEAD]}{CUT}{output[-OUTPUT_TAIL:]}", True


def _attached(attachments: Iterable[Attachment]) -> Iterator[str]:
    """What an attachment is called; its bytes are no words."""
    for attachment in attachments:
        yield f"{attachment.uri or ''} {attachment.media_type} {spoken(attachment.extra)}".strip()


def spoken(value: Any) -> str:
    """A plain JSON value as words: keys, texts and numbers, a line each, without the punctuation."""
    return "\n".join(f"{key} {text}" if key else text for key, text in _leaves(value))


def touched(value: Any) -> Iterator[str]:
    """The paths a tool was given: values whose key says so, and the files that a patch names."""
    for key, text in _leaves(value):
        if key.lower().replace("-", "_").rpartition("_")[2].endswith(_PATH_KEYS):
            if 0 < len(text) <= _LONGEST_PATH and "\n" not in text:
                yield text
        elif "*** " in text:
            yield from _PATCHED.findall(text)


def _leaves(value: Any) -> Iterator[tuple[str, str]]:
    """Every text and number of a plain JSON value with the key it stands under, however deep it lies."""
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        key, one = waiting.pop()
        if isinstance(one, str):
            yield key, one
        elif isinstance(one, dict):
            if key:
                yield "", key
            waiting += [(str(name), inner) for name, inner in reversed(one.items())]
        elif isinstance(one, (list, tuple)):
            waiting += [(key, inner) for inner in reversed(one)]
        elif one is not None:
            yield key, str(one).lower() if isinstance(one, bool) else str(one)
        elif key:
            yield "", key
