"""The parts of a user's record: words, pictures, and what the client added before the words."""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.model import NOTHING, Attachment, Context, Part, Text, Unknown
from pollux.sources.claude.format.leftovers import is_plain, other_fields
from pollux.sources.claude.format.schema import Block
from pollux.sources.claude.messages.authors import split_reminders
from pollux.wire import Notes, tidy

_KNOWN = ("image", "document", "text", "tool_result", "thinking", "tool_reference")


def user_parts(content: str | list[Block] | None, notes: Notes) -> list[Part]:
    """The parts of a content without results."""
    if content is None:
        return []
    if isinstance(content, str):
        return [Text(text=content)]
    return [_piece(block, notes) for block in content]


def _piece(block: Block, notes: Notes) -> Part:
    if block.odd is not None:
        return Unknown(raw=block.odd)
    if block.type == "text" and block.text is not None:
        return Text(text=block.text, extra=NOTHING if is_plain(block, 3) else other_fields(block, "type", "text"))
    if block.type in ("image", "document") and block.source is not None:
        file = attachment(tidy(block.source))
        if file is not None:
            more = other_fields(block, "type", "source")
            return msgspec.structs.replace(file, extra={**file.extra, **more}) if more else file
    if block.type not in _KNOWN:
        notes.add(
            "part.unknown",
            f"A prompt has a part of the unknown type {block.type!r}; kept.",
            subject=f"part type {block.type!r}",
        )
    return Unknown(raw=tidy(block))


def attachment(source: dict[str, Any]) -> Attachment | None:
    """A picture or a document of the API's vocabulary."""
    match source:
        case {"media_type": str(media), "data": str(data), **more}:
            extra = {name: value for name, value in more.items() if name != "type" or value not in ("base64", "text")}
            return Attachment(media_type=media, data=data, extra=extra)
        case {"type": "url", "url": str(url), **more}:
            return Attachment(media_type="application/octet-stream", uri=url, extra=more)
        case _:
            return None


def split_own_words(content_parts: list[Part]) -> list[Part]:
    """The human's words, separated from what the client added before them."""
    parts: list[Part] = []
    for piece in content_parts:
        if type(piece) is Text and piece.text[:1] in "< \n\t":
            blocks, text = split_reminders(piece.text)
            parts += [Context(source="reminder", text=block) for block in blocks]
            if text or not blocks:
                parts.append(Text(text=text, extra=piece.extra) if blocks else piece)
        else:
            parts.append(piece)
    return parts
