"""Texts in base64: in an attachment, in a recorded object with a media type, or in an address, `data:…;base64,…`."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from typing import Any

_TEXT_TYPE = re.compile(
    r"text/.*|.*\+(?:json|xml|yaml)|application/(?:x-)?(?:json|ndjson|jsonl|xml|javascript|typescript|sh|shellscript|yaml"
    r"|toml|pem-file|sql|python|ruby|perl|php|httpd-php|ini|properties|env|graphql|rtf|tex|latex|csv|www-form-urlencoded)"
)
_DATA_URL = re.compile(r"(data:([\w.+/-]{0,100}+)[^,\s\"'<>]{0,200}?;base64,)([A-Za-z0-9+/_-]++={0,2})")
_TYPE_KEYS = frozenset({"media_type", "mimeType", "mime_type", "mediaType", "mime", "contentType", "content_type"})
_SPACE = re.compile(r"\s+")
_HEAD = 1024
_MOST_ZEROS = 8
_READABLE = bytes([9, 10, 13, 27, *range(32, 127)])
_READABLE_SHARE = 3 / 4

Change = Callable[[str], str]


def rewrite_base64(data: str, media_type: str, change: Change) -> str:
    """Base64 data with the text in them changed; the same data where they hold no text, or it does not change."""
    is_text = _TEXT_TYPE.fullmatch(media_type.partition(";")[0].strip().lower()) is not None
    if not is_text and not _starts_as_text(data):
        return data
    content = _decode(data)
    encoding = _encoding(content, is_text=is_text) if content else None
    if content is None or encoding is None:
        return data
    text = content.decode(encoding)
    new = change(text)
    return data if new == text else base64.b64encode(new.encode(encoding)).decode()


def rewrite_data_urls(text: str, change: Change) -> str:
    """A text with the texts in its data addresses changed."""
    if ";base64," not in text:
        return text
    return _DATA_URL.sub(lambda match: match[1] + rewrite_base64(match[3], match[2] or "text/plain", change), text)


def media_type(record: Mapping[Any, Any]) -> str | None:
    """The media type that a recorded object names."""
    if _TYPE_KEYS.isdisjoint(record):
        return None
    types = (record[name] for name in sorted(_TYPE_KEYS & record.keys()))
    return next((value for value in types if isinstance(value, str) and "/" in value), None)


def _decode(data: str) -> bytes | None:
    """The bytes of base64 in either alphabet, with or without line ends and padding."""
    plain = _SPACE.sub("", data).rstrip("=").replace("-", "+").replace("_", "/")
    if len(plain) % 4 == 1:
        plain = plain[:-1]  # the last letter holds only part of a byte
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _encoding(content: bytes, *, is_text: bool) -> str | None:
    """The encoding of a text; None for other data. Latin-1 only where the media type says that it is text."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) and _decodes_as(content, "utf-16"):
        return "utf-16"
    if content[1:_HEAD:2].count(0) > _MOST_ZEROS > content[:_HEAD:2].count(0):
        return "utf-16-le" if _decodes_as(content, "utf-16-le") else None
    if _decodes_as(content, "utf-8") and (is_text or b"\0" not in content):
        return "utf-8"
    odd = len(content.translate(None, _READABLE))
    return "latin-1" if is_text and odd <= (1 - _READABLE_SHARE) * len(content) else None


def _starts_as_text(data: str) -> bool:
    """Do the data start as a text? This is quick. The last character of the start may be cut in two."""
    head = _decode(data[:_HEAD])
    return head is not None and any(_encoding(head[: len(head) - cut], is_text=False) for cut in range(4))


def _decodes_as(content: bytes, encoding: str) -> bool:
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
