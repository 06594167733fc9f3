"""A small session, and text that would harm a terminal."""

from __future__ import annotations

import json

EVIL = "hello \x1b]0;title\x07\x1b[31m red \u202eevil \x9b2J\rover\x00 \x7f\u2066\u2069\U000e0041"
HIDDEN = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def session(id: str, text: str = "Hello there.", title: str | None = None) -> str:
    """A small session as Gemini CLI 0.36 writes it."""
    message = {"id": "m1", "timestamp": "2026-11-15T05:00:00.000Z", "type": "user", "content": text}
    reply = {
        "id": "m2",
        "timestamp": "2026-11-15T05:00:01.000Z",
        "type": "gemini",
        "content": text,
        "model": "gemini-2.5-pro",
    }
    times = {"startTime": "2026-11-15T05:00:00.000Z", "lastUpdated": "2026-11-15T05:00:01.000Z"}
    summary = {"summary": title} if title else {}
    return json.dumps(
        {"sessionId": id, "projectHash": "0" * 64, **times, "messages": [message, reply], **summary}, indent=2
    )


def harmless(text: str) -> bool:
    return not any(
        (ord(c) < 0x20 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0 or c in HIDDEN or ord(c) >> 7 == 0xE0000 >> 7
        for c in text
    )
