"""Attachments: pictures that are only pixels are shown, everything else is named."""

from __future__ import annotations

import base64
import binascii
import re

from pollux.model import Attachment
from pollux.text.escape import one_line
from pollux.writers.facts import attachment_facts
from pollux.writers.html.markup import Html, tag

# How the bytes of each kind begin. A drawing (SVG) is a document that can hold programs, and is none of them.
_KINDS = {
    "image/png": rb"\x89PNG\r\n\x1a\n",
    "image/jpeg": rb"\xff\xd8\xff",
    "image/gif": rb"GIF8[79]a",
    "image/webp": rb"RIFF....WEBP",
    "image/avif": rb"....ftypavif",
}
_DATA = re.compile(r"data:([a-z]+/[a-z+.-]+);base64,([A-Za-z0-9+/=\s]+)", re.IGNORECASE)


def source(media_type: str, data: str | None) -> str | None:
    """The address of a picture for a browser; None for what is not a picture, or not of the type it claims."""
    if data is None:
        return None
    kind = media_type.strip().lower().replace("image/jpg", "image/jpeg")
    data = re.sub(r"\s+", "", data)
    beginning = _KINDS.get(kind)
    if beginning is None or re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", data) is None:
        return None
    try:
        head = base64.b64decode(data[:32] + "=" * (-len(data[:32]) % 4))
    except binascii.Error:
        return None
    return f"data:{kind};base64,{data}" if re.match(beginning, head, re.DOTALL) else None


def inside(address: str) -> str | None:
    """The same for an address that holds its picture."""
    match = _DATA.fullmatch(address)
    return source(match[1], match[2]) if match else None


def attachment(part: Attachment) -> Html:
    """A picture, or the name of something else."""
    facts = attachment_facts(part)
    name = tag("code", one_line(part.uri)) if part.uri else None
    if (address := source(part.media_type, part.data)) is not None:
        picture = tag("img", src=address, alt=f"Attached picture: {facts}", loading="lazy")
        return tag("figure", picture, tag("figcaption", facts, " " if name else None, name))
    return tag("p", tag("b", "Attachment"), " ", name, " " if name else None, facts, class_="mention")
