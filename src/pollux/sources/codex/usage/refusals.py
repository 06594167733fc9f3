"""Was a request refused before the model began? Then it cost nothing."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from pollux.wire import REFUSED

# What the client calls a request that was answered with an HTTP error instead of a stream.
_REFUSED = ("bad_request", "internal_server_error", "server_overloaded", "unauthorized", "usage_limit_exceeded")
_STATUS = re.compile(r"(?:unexpected status|exceeded retry limit, last status:) [45]\d\d\b")

_json = msgspec.json.Decoder().decode


def is_refusal(text: str, kind: Any) -> bool:
    """Is an error an HTTP error? A broken stream is not: the cut response may have cost something.

    The kind is a word, or a word with the status (`{"http_connection_failed": {"http_status_code": 401}}`). Of status
    400 the client knows only the body, which is JSON.
    """
    if type(kind) is str and kind in _REFUSED:
        return True
    if type(kind) is dict:
        return any(_status(name, detail) for name, detail in kind.items())
    return _STATUS.match(text) is not None or _is_body(text)


def _status(name: str, detail: Any) -> bool:
    status = detail.get("http_status_code") if type(detail) is dict else None
    return type(status) is int and status >= 400 and "disconnected" not in name


def _is_body(text: str) -> bool:
    if not text.startswith("{"):
        return False
    try:
        return type(_json(text)) is dict
    except REFUSED:
        return False
