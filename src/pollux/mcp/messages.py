"""JSON-RPC as the Model Context Protocol uses it: one message a line, in either direction."""

from __future__ import annotations

import json
from typing import Any, Literal

import msgspec

from pollux.system.decoders import learned

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022

Id = int | str | None
"""What a request is called. It is None where nobody knows."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A request, or without an id a notification."""

    jsonrpc: Literal["2.0"]
    method: str
    id: int | str | msgspec.UnsetType = msgspec.UNSET
    params: dict[str, Any] = {}


class ProtocolError(Exception):
    """What cannot be answered, as the protocol says it."""

    def __init__(self, code: int, sentence: str, data: Any = None, *, id: Id = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.data = data
        self.id = id


_encoder = msgspec.json.Encoder()


def read_message(line: bytes) -> list[Request | ProtocolError]:
    """The requests of a line: one, or several in a list, as an older protocol allows. Raises `ProtocolError`.

    An answer of the client is left out: this server asks for nothing.
    """
    try:
        raw = _decoded(line)
    except (ValueError, RecursionError):
        raise ProtocolError(PARSE_ERROR, "This is not JSON.") from None
    if isinstance(raw, list):
        if not raw:
            raise ProtocolError(INVALID_REQUEST, "A list of requests must not be empty.")
        return [one for item in raw if (one := _request(item)) is not None]
    one = _request(raw)
    return [] if one is None else [one]


def _decoded(line: bytes) -> Any:
    r"""The value of a line. Half a character, as `\ud83d` by itself, becomes a question mark. Raises `ValueError`."""
    try:
        return msgspec.json.decode(line)
    except msgspec.DecodeError:
        if b"\\ud" not in line.lower():
            raise
        whole = json.dumps(json.loads(line), ensure_ascii=False).encode("utf-8", "replace")
        return msgspec.json.decode(whole)


def _request(raw: Any) -> Request | ProtocolError | None:
    if isinstance(raw, dict) and "method" not in raw and ("result" in raw or "error" in raw):
        return None
    if isinstance(raw, dict) and raw.get("params") is None:
        raw = {name: value for name, value in raw.items() if name != "params"}
    try:
        return msgspec.convert(raw, learned(Request))
    except msgspec.ValidationError as error:
        id = raw.get("id") if isinstance(raw, dict) else None
        known = id if isinstance(id, (int, str)) and not isinstance(id, bool) else None
        return ProtocolError(INVALID_REQUEST, f"This is no request: {error}.", id=known)


def success(id: Id, result: Any) -> bytes:
    """The line that answers a request."""
    return _encoder.encode({"jsonrpc": "2.0", "id": id, "result": result}) + b"\n"


def failure(id: Id, error: ProtocolError) -> bytes:
    """The line that says why a request is not answered."""
    detail = {"code": error.code, "message": str(error)} | ({} if error.data is None else {"data": error.data})
    return _encoder.encode({"jsonrpc": "2.0", "id": id, "error": detail}) + b"\n"
