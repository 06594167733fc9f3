"""A session with something in every field there is, and the same session with a word planted in any one of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from pollux.model import (
    Attachment,
    Author,
    Context,
    FileReference,
    Gap,
    Link,
    Message,
    Notice,
    Origin,
    Role,
    Session,
    Status,
    SummaryPart,
    Tally,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
)
from tests.unit.writers.kitchen_sink import SESSION, START

Path = tuple[str | int, ...]

# The model's own words and times, in which nobody can hide anything.
OURS = {"type", "role", "author", "fate", "kind", "severity", "status", "agent", "tool_kind", "code"}
TIMES = {"at", "started", "ended"}

PICTURE = Attachment(media_type="image/png", data="iVBORw0KGgo=", uri="https://example.com/p.png", extra={"a": "one"})
MORE = (
    Message(
        id="everything",
        role=Role.ASSISTANT,
        author=Author.MODEL,
        at=START,
        model="a-model",
        usage=Usage(input=3, output=4, native={"promptTokens": "three"}, each=(Usage(input=3, native={"n": "m"}),)),
        origin=Origin(file="/home/ada/file.jsonl", line=4),
        extra={"odd": {"deep": ["list", {"key": "value"}]}},
        parts=(
            Text(text="words", extra={"annotation": "text"}),
            Thinking(text="thought", subject="subject", at=START, extra={"signature": "text"}),
            ToolCall(
                id="call",
                name="tool",
                canonical="canonical",
                tool_kind="other",
                input={"file_path": "path", "nested": {"list": ["deep", 1, None]}},
                status=Status.ERROR,
                output="first\nsecond",
                at=START,
                child="gemini:child",
                attachments=(PICTURE,),
                extra={"shown": "text"},
            ),
            ToolResult(call="gone", name="lost", output="result", attachments=(PICTURE,), extra={"e": "text"}),
            ToolResult(call="held", name="other", attachments=(PICTURE,)),
            FileReference(path="docs/a.md", text="text of a file", attachments=(PICTURE,)),
            PICTURE,
            Context(source="hook", text="context"),
            SummaryPart(text="summed up"),
            Unknown(raw={"type": "new", "payload": ["text"]}),
        ),
    ),
    Message(id="again", role=Role.USER, author=Author.HUMAN, parts=(Text(text="Asked before"),), inherited=True),
    Message(id="old", role=Role.ASSISTANT, author=Author.MODEL, model="older", parts=(Text(text="y"),), inherited=True),
)

EVERYTHING: Session = msgspec.structs.replace(
    SESSION,
    parent="gemini:parent",
    project_hash="ab" * 32,
    messages=(*SESSION.messages, *MORE),
    links=(*SESSION.links, Link(kind="copy_of", target="gemini:copy", evidence="same bytes")),
    notices=(*SESSION.notices, Notice(code="a.b", text="odd", file="/home/ada/f", line=3, subject="field")),
    gaps=(Gap(why="lost", certain=True, file="/home/ada/g"),),
    tallies=(Tally(name="total", scope="session", rule="adds up", total=5, file="/home/ada/t"),),
)


def places(session: Session) -> list[Path]:
    """Where texts stand: values, and names in recorded objects (those end in an empty name)."""
    return list(_places(_plain(session), (), recorded=False))


def _plain(value: Any) -> Any:
    """Lists and dictionaries, all the way down."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return _plain(msgspec.to_builtins(value)) if isinstance(value, msgspec.Struct) else value


def _places(value: Any, path: Path, *, recorded: bool) -> Iterator[Path]:
    if isinstance(value, str):
        if recorded or path[-1] not in OURS | TIMES:
            yield path
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _places(item, (*path, number), recorded=recorded)
    elif isinstance(value, dict):
        for key, item in value.items():
            inside = recorded or key in ("input", "extra", "native", "raw")
            if recorded:
                yield (*path, key, "")
            yield from _places(item, (*path, key), recorded=inside)


def with_text(session: Session, path: Path, text: str) -> Session:
    """The session with this text in one place."""
    whole = _plain(session)
    *way, last = path
    if last == "":
        *way, last = way
        target = _at(whole, way)
        target[text] = target.pop(last)
    else:
        _at(whole, way)[last] = text
    return msgspec.convert(whole, Session)


def _at(value: Any, way: list[str | int]) -> Any:
    for step in way:
        value = value[step]
    return value


def kind(path: Path) -> str:
    """A place without its numbers: places of one kind are treated alike."""
    return ".".join("*" if isinstance(step, int) else step for step in path)
