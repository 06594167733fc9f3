"""What the client added: context, files, hooks, remarks; and prompts that were typed while the agent was busy."""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.model import Attachment, Author, Context, FileReference, Message, Origin, Part, Role, Text
from pollux.sources.claude.format.attachments import ATTACHMENT_TYPES, AttachmentContent, RenderedText
from pollux.sources.claude.format.schema import SYSTEM_SUBTYPES, Block, ClientRecord
from pollux.sources.claude.messages.authors import command, queued_by_human, texts_of
from pollux.sources.claude.messages.replies import BuildContext
from pollux.sources.claude.messages.user_parts import split_own_words, user_parts
from pollux.system.decoders import learned
from pollux.wire import tidy

_MENTIONED = ("file", "directory")


def injected(number: int, line: ClientRecord, context: BuildContext) -> Message:
    """The message of an attachment. Only a queued prompt is the human's."""
    extra = context.leftovers.of(line)
    attachment = line.attachment or AttachmentContent()
    author = Author.CLIENT
    parts: list[Part] = []
    if attachment.type == "queued_command":
        author, parts = _queued(line, attachment, extra, context)
    elif attachment.type in _MENTIONED and (path := attachment.filename or attachment.path) is not None:
        parts = [_reference(attachment, path)]
    elif attachment.type is None or attachment.type not in ATTACHMENT_TYPES:
        context.notes.add(
            "attachment.unknown",
            f"The client injected an attachment of the unknown type {attachment.type!r}; kept.",
            subject=f"attachment type {attachment.type!r}",
        )
    words, odd = _rendered(line.rendered, attachment)
    if words:
        parts.append(Context(source=attachment.hookEvent or attachment.type or "attachment", text=words))
    if odd:
        extra["rendered"] = [*odd, *extra.get("rendered", ())]
    if rest := tidy(attachment):
        extra["attachment"] = rest
    return _message(Origin(file=context.file, line=number), line, (Role.USER, author), parts, extra)


def remark(number: int, line: ClientRecord, context: BuildContext) -> Message:
    """A line of the user interface: a command for the client and its output, a retry, a compaction."""
    extra = context.leftovers.of(line)
    author = Author.CLIENT
    parts: list[Part] = []
    text = extra.pop("content", None)
    if type(text) is str:
        typed = command(text) if line.subtype == "local_command" else None
        parts = [Text(text=typed[0] if typed is not None else text)]
        if typed is not None:
            author = Author.HUMAN
            extra["wrapped"] = text
            if "level" in extra:  # a level would mark it as the client's
                extra["wrapped_level"] = extra.pop("level")
    elif text is not None:
        extra["content"] = text
    if line.subtype is not None and line.subtype not in SYSTEM_SUBTYPES:
        context.notes.add(
            "remark.unknown",
            f"The client wrote a remark of the unknown type {line.subtype!r}; kept.",
            subject=f"system type {line.subtype!r}",
        )
    return _message(Origin(file=context.file, line=number), line, (Role.SYSTEM, author), parts, extra)


def _message(
    place: Origin, line: ClientRecord, speaker: tuple[Role, Author], parts: list[Part], extra: dict[str, Any]
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


def _queued(
    line: ClientRecord, attachment: AttachmentContent, extra: dict[str, Any], context: BuildContext
) -> tuple[Author, list[Part]]:
    """The author and parts of a queued prompt, or of a notice in the queue."""
    content = queued(attachment)
    if content is None:
        return Author.CLIENT, []
    attachment.prompt = None
    text = texts_of(content)
    parts = user_parts(content, context.notes)
    if line.isSidechain or not queued_by_human(attachment, text):
        return Author.CLIENT, parts
    typed = command(text)
    if typed is None:
        return Author.HUMAN, split_own_words(parts)
    extra["wrapped"] = text
    return Author.HUMAN, [Text(text=typed[0])]


def queued(attachment: AttachmentContent) -> str | list[Block] | None:
    """A queued prompt as content: text, or a list of blocks; None if it is neither."""
    prompt = attachment.prompt
    if isinstance(prompt, str):
        return prompt
    try:
        return msgspec.convert(prompt, learned(list[Block])) if type(prompt) is list else None
    except msgspec.ValidationError:
        return None


def _reference(attachment: AttachmentContent, path: str) -> FileReference:
    """A file or a folder that a prompt mentions by `@path`, with its content."""
    match attachment.content:
        case str(text):
            attachment.content = None
            return FileReference(path=path, text=text)
        case {"type": "text", "file": {"content": str(text)}}:
            del attachment.content["file"]["content"]
            return FileReference(path=path, text=text)
        case {"file": {"base64": str(data), **more}}:
            del attachment.content["file"]["base64"]
            media = more.get("type")
            media_type = media if type(media) is str else "application/octet-stream"
            return FileReference(path=path, attachments=(Attachment(media_type=media_type, data=data),))
        case _:
            return FileReference(path=path)


def _rendered(rendered: list[RenderedText] | None, attachment: AttachmentContent) -> tuple[str | None, list[Any]]:
    """The exact text that the model got, or else the text in the record; and odd items."""
    texts = [item.content for item in rendered or () if item.content is not None]
    odd = [item.odd if item.odd is not None else dict(item.extra) for item in rendered or () if item.extra or item.odd]
    if not texts and attachment.type not in _MENTIONED:
        if type(attachment.content) is str:
            texts, attachment.content = [attachment.content], None
        elif type(attachment.content) is list and all(type(item) is str for item in attachment.content):
            texts, attachment.content = attachment.content, None
    return ("\n".join(texts) or None), odd
