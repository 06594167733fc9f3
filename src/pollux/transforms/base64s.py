"""Texts in base64: attached, in a recorded object beside its media type, or in an address, `data:…;base64,…`."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from typing import Any

_SPOKEN = re.compile(
    r"text/.*|.*\+(?:json|xml|yaml)|application/(?:x-)?(?:json|ndjson|jsonl|xml|javascript|typescript|sh|shellscript|yaml"
    r"|toml|pem-file|sql|python|ruby|perl|php|httpd-php|ini|properties|env|graphql|rtf|tex|latex|csv|www-form-urlencoded)"
)
_ADDRESS = re.compile(r"(data:([\w.+/-]{0,100}+)[^,\s\"'<>]{0,200}?;base64,)([A-Za-z0-9+/_-]++={0,2})")
_NAMES_OF_TYPES = frozenset({"media_type", "mimeType", "mime_type", "mediaType", "mime", "contentType", "content_type"})
_SPACE = re.compile(r"\s+")
_HEAD = 1024
_MANY = 8
_READABLE = bytes([9, 10, 13, 27, *range(32, 127)])
_MOST = 3 / 4

Change = Callable[[str], str]


def inside(data: str, media_type: str, change: Change) -> str:
    """The data with the text in them changed; the same data where there is none, or where it stays as it is."""
    spoken = _SPOKEN.fullmatch(media_type.partition(";")[0].strip().lower()) is not None
    if not spoken and not _begins_as_text(data):
        return data
    content = _decoded(data)
    coding = _coding(content, spoken=spoken) if content else None
    if content is None or coding is None:
        return data
    text = content.decode(coding)
    new = change(text)
    return data if new == text else base64.b64encode(new.encode(coding)).decode()


def in_addresses(text: str, change: Change) -> str:
    """The text with the texts in its data addresses changed."""
    if ";base64," not in text:
        return text
    return _ADDRESS.sub(lambda found: found[1] + inside(found[3], found[2] or "text/plain", change), text)


def media_type(record: Mapping[Any, Any]) -> str | None:
    """Which kind of data a recorded object says to hold."""
    if _NAMES_OF_TYPES.isdisjoint(record):
        return None
    types = (record[name] for name in sorted(_NAMES_OF_TYPES & record.keys()))
    return next((told for told in types if isinstance(told, str) and "/" in told), None)


def _decoded(data: str) -> bytes | None:
    """The bytes, in either alphabet, with or without line ends and padding."""
    plain = _SPACE.sub("", data).rstrip("=").replace("-", "+").replace("_", "/")
    if len(plain) % 4 == 1:
        plain = plain[:-1]  # the beginning of a byte
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _coding(content: bytes, *, spoken: bool) -> str | None:
    """How a text is coded; None for what is no text. What must be one may have a letter for every byte."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) and _reads(content, "utf-16"):
        return "utf-16"
    if content[1:_HEAD:2].count(0) > _MANY > content[:_HEAD:2].count(0):
        return "utf-16-le" if _reads(content, "utf-16-le") else None
    if _reads(content, "utf-8") and (spoken or b"\0" not in content):
        return "utf-8"
    odd = len(content.translate(None, _READABLE))
    return "latin-1" if spoken and odd <= (1 - _MOST) * len(content) else None


def _begins_as_text(data: str) -> bool:
    """Does it begin as a text, but for a letter that was cut in two? To look at the beginning is quick."""
    head = _decoded(data[:_HEAD])
    return head is not None and any(_coding(head[: len(head) - cut], spoken=False) for cut in range(4))


def _reads(content: bytes, coding: str) -> bool:
    try:
        content.decode(coding)
    except UnicodeDecodeError:
        return False
    return True
