"""Pictures and documents: whether the target can hold them, and the line that stands in their place."""

from __future__ import annotations

import re

from pollux.model import Attachment, Role
from pollux.writers.facts import attachment_facts
from pollux.writers.native.conversation import Media, NativeFormat

_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\Z")


def media(attachment: Attachment, role: Role, target: NativeFormat) -> Media | None:
    """A picture or a document as the target holds it in what this side said; None where it cannot."""
    data = attachment.data
    if not data or not target.holds(attachment.media_type, role) or not _BASE64.match(data):
        return None
    return Media(media_type=attachment.media_type, data=data)


def line_about(attachment: Attachment) -> str:
    """What stands in the place of a picture or a document that does not go over."""
    where = f", {attachment.uri}" if attachment.uri and not attachment.uri.startswith("data:") else ""
    return f"[Here was an attachment: {attachment_facts(attachment)}{where}]"
