"""The parts of what stands in the user's place: words, pictures, what the client put before the words."""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.model import NOTHING, Attachment, Context, Part, Text, Unknown
from pollux.sources.claude.format.leftovers import is_plain, others
from pollux.sources.claude.format.schema import Block
from pollux.sources.claude.messages.speakers import unwrapped
from pollux.wire import Notes, tidy

_KNOWN = ("image", "document", "text", "tool_result", "thinking", "tool_reference")


def pieces(content: str | list[Block] | None, notes: Notes) -> list[Part]:
    """The parts of a content that holds no results."""
    if content is None:
        return []
    if isinstance(content, str):
        return [Text(text=content)]
    return [_piece(block, notes) for block in content]


def _piece(block: Block, notes: Notes) -> Part:
    if block.odd is not None:
        return Unknown(raw=block.odd)
    if block.type == "text" and block.text is not None:
        return Text(text=block.text, extra=NOTHING if is_plain(block, 3) else others(block, "type", "text"))
    if block.type in ("image", "document") and block.source is not None:
        held = attachment(tidy(block.source))
        if held is not None:
            more = others(block, "type", "source")
            return msgspec.structs.replace(held, extra={**held.extra, **more}) if more else held
    if block.type not in _KNOWN:
        notes.add(
            "part.unknown",
            f"A prompt has a part of type {block.type!r}, which we do not know; kept.",
            subject=f"part type {block.type!r}",
        )
    return Unknown(raw=tidy(block))


def attachment(source: dict[str, Any]) -> Attachment | None:
    """A picture or a document of the API's vocabulary."""
    match source:
        case {"media_type": str(media), "data": str(data), **more}:
            kept = {name: value for name, value in more.items() if name != "type" or value not in ("base64", "text")}
            return Attachment(media_type=media, data=data, extra=kept)
        case {"type": "url", "url": str(url), **more}:
            return Attachment(media_type="application/octet-stream", uri=url, extra=more)
        case _:
            return None


def own_words(said: list[Part]) -> list[Part]:
    """The human's words apart from what the client put before them."""
    parts: list[Part] = []
    for piece in said:
        if type(piece) is Text and piece.text[:1] in "< \n\t":
            blocks, text = unwrapped(piece.text)
            parts += [Context(source="reminder", text=block) for block in blocks]
            if text or not blocks:
                parts.append(Text(text=text, extra=piece.extra) if blocks else piece)
        else:
            parts.append(piece)
    return parts
