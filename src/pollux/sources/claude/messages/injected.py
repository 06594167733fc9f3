"""What the client put between: context, files, hooks, remarks; and prompts typed while the agent was busy."""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.model import Attachment, Author, Context, FileReference, Message, Origin, Part, Role, Text
from pollux.sources.claude.format.attachments import INJECTED, Injected, Rendered
from pollux.sources.claude.format.schema import SYSTEM, Block, Put
from pollux.sources.claude.messages.replies import Desk
from pollux.sources.claude.messages.speakers import command, queued_by_human, texts_of
from pollux.sources.claude.messages.user_parts import own_words, pieces
from pollux.wire import tidy

_MENTIONED = ("file", "directory")


def injected(number: int, line: Put, desk: Desk) -> Message:
    """An attachment. Only a prompt that waited in the queue is the human's."""
    extra = desk.left.of(line)
    held = line.attachment or Injected()
    author = Author.CLIENT
    parts: list[Part] = []
    if held.type == "queued_command":
        author, parts = _queued(line, held, extra, desk)
    elif held.type in _MENTIONED and (path := held.filename or held.path) is not None:
        parts = [_reference(held, path)]
    elif held.type is None or held.type not in INJECTED:
        desk.notes.add(
            "attachment.unknown",
            f"The client injected something of type {held.type!r}, which we do not know; kept.",
            subject=f"attachment type {held.type!r}",
        )
    words, odd = _rendered(line.rendered, held)
    if words:
        parts.append(Context(source=held.hookEvent or held.type or "attachment", text=words))
    if odd:
        extra["rendered"] = [*odd, *extra.get("rendered", ())]
    if rest := tidy(held):
        extra["attachment"] = rest
    return _message(Origin(file=desk.file, line=number), line, (Role.USER, author), parts, extra)


def remark(number: int, line: Put, desk: Desk) -> Message:
    """A line of the user interface: a command for the client and its output, a retry, a fold."""
    extra = desk.left.of(line)
    author = Author.CLIENT
    parts: list[Part] = []
    text = extra.pop("content", None)
    if type(text) is str:
        typed = command(text) if line.subtype == "local_command" else None
        parts = [Text(text=typed[0] if typed is not None else text)]
        if typed is not None:
            author = Author.HUMAN
            extra["wrapped"] = text
            if "level" in extra:  # a level would make it the client's
                extra["wrapped_level"] = extra.pop("level")
    elif text is not None:
        extra["content"] = text
    if line.subtype is not None and line.subtype not in SYSTEM:
        desk.notes.add(
            "remark.unknown",
            f"The client remarks something of type {line.subtype!r}, which we do not know; kept.",
            subject=f"system type {line.subtype!r}",
        )
    return _message(Origin(file=desk.file, line=number), line, (Role.SYSTEM, author), parts, extra)


def _message(
    place: Origin, line: Put, speaker: tuple[Role, Author], parts: list[Part], extra: dict[str, Any]
) -> Message:
    for name in ("message", "toolUseResult", "requestId"):
        if (value := getattr(line, name)) is not None:
            extra[name] = tidy(value)
    return Message(
        id=line.uuid or f"line-{place.line}",
        role=speaker[0],
        author=speaker[1],
        at=line.timestamp,
        parts=tuple(parts),
        origin=place,
        extra=extra,
    )


def _queued(line: Put, held: Injected, extra: dict[str, Any], desk: Desk) -> tuple[Author, list[Part]]:
    """A prompt from the queue, or a notice that came the same way."""
    content = queued(held)
    if content is None:
        return Author.CLIENT, []
    held.prompt = None
    text = texts_of(content)
    said = pieces(content, desk.notes)
    if line.isSidechain or not queued_by_human(held, text):
        return Author.CLIENT, said
    typed = command(text)
    if typed is None:
        return Author.HUMAN, own_words(said)
    extra["wrapped"] = text
    return Author.HUMAN, [Text(text=typed[0])]


def queued(held: Injected) -> str | list[Block] | None:
    """A queued prompt as content: text, or a list of blocks; None where it is neither."""
    prompt = held.prompt
    if isinstance(prompt, str):
        return prompt
    try:
        return msgspec.convert(prompt, list[Block]) if type(prompt) is list else None
    except msgspec.ValidationError:
        return None


def _reference(held: Injected, path: str) -> FileReference:
    """A file or a folder that a prompt mentions by `@path`, and what was in it."""
    match held.content:
        case str(text):
            held.content = None
            return FileReference(path=path, text=text)
        case {"type": "text", "file": {"content": str(text)}}:
            del held.content["file"]["content"]
            return FileReference(path=path, text=text)
        case {"file": {"base64": str(data), **more}}:
            del held.content["file"]["base64"]
            media = more.get("type")
            shown = media if type(media) is str else "application/octet-stream"
            return FileReference(path=path, attachments=(Attachment(media_type=shown, data=data),))
        case _:
            return FileReference(path=path)


def _rendered(rendered: list[Rendered] | None, held: Injected) -> tuple[str | None, list[Any]]:
    """The exact text the model was given, where it was kept, else what the record holds of it; and what is odd."""
    texts = [item.content for item in rendered or () if item.content is not None]
    odd = [item.odd if item.odd is not None else dict(item.extra) for item in rendered or () if item.extra or item.odd]
    if not texts and held.type not in _MENTIONED:
        if type(held.content) is str:
            texts, held.content = [held.content], None
        elif type(held.content) is list and all(type(item) is str for item in held.content):
            texts, held.content = held.content, None
    return ("\n".join(texts) or None), odd
