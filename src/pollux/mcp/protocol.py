"""The methods of the protocol in both its eras.

Up to 2025-11-25 a client opens a session with `initialize`. From 2026-07-28 on there is none: each request says in its
`_meta` which version it speaks, and `server/discover` tells what there is. One server answers both, because it keeps no
state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pollux.library.for_agents.texts import INSTRUCTIONS, TOOLS
from pollux.mcp.messages import INVALID_PARAMS, METHOD_NOT_FOUND, UNSUPPORTED_VERSION, ProtocolError, Request
from pollux.version import VERSION

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The versions that begin with `initialize`."""
STATELESS = ("2026-07-28",)
"""The versions in which every request stands for itself."""

_VERSION = "io.modelcontextprotocol/protocolVersion"
_SERVER = "io.modelcontextprotocol/serverInfo"
_INFO = {"name": "pollux", "version": VERSION}
_CAPABILITIES: dict[str, Any] = {"tools": {}}
_HOUR = 3_600_000

Call = Callable[[str, Mapping[str, Any], Mapping[str, Any]], dict[str, Any]]
"""Calls a tool by its name, with its arguments, and with what the call says of itself."""


class Protocol:
    """Answers requests. `tools` are the names of those that are offered."""

    def __init__(self, tools: Sequence[str], call: Call) -> None:
        self._tools = tools
        self._call = call

    def answer(self, request: Request) -> dict[str, Any]:
        """The result of a request. Raises `ProtocolError`."""
        is_stateless = _is_stateless(request)
        methods: dict[str, Callable[[Request], dict[str, Any]]] = {
            "tools/list": self._list,
            "tools/call": self._call_tool,
            **({"server/discover": _discover} if is_stateless else {"initialize": _initialize, "ping": _ping}),
        }
        if request.method not in methods:
            raise ProtocolError(METHOD_NOT_FOUND, "This method is unknown.")
        result = methods[request.method](request)
        return _complete(result, request.method) if is_stateless else result

    def _list(self, _: Request) -> dict[str, Any]:
        return {"tools": [TOOLS[name] for name in self._tools]}

    def _call_tool(self, request: Request) -> dict[str, Any]:
        name, arguments = request.params.get("name"), request.params.get("arguments")
        if not isinstance(name, str) or name not in self._tools:
            known = ", ".join(self._tools)
            raise ProtocolError(INVALID_PARAMS, f"There is no such tool. Known: {known}.")
        if arguments is not None and not isinstance(arguments, dict):
            raise ProtocolError(INVALID_PARAMS, "`arguments` must be an object.")
        meta = request.params.get("_meta")
        return self._call(name, arguments or {}, meta if isinstance(meta, dict) else {})


def _is_stateless(request: Request) -> bool:
    """Does a request belong to the later era? Raises `ProtocolError` where it speaks a version that is unknown."""
    meta = request.params.get("_meta")
    if not isinstance(meta, dict) or _VERSION not in meta:
        return request.method == "server/discover"
    version = meta[_VERSION]
    if version not in STATELESS:
        data = {"supported": list(STATELESS), "requested": str(version)[:100]}
        raise ProtocolError(UNSUPPORTED_VERSION, "This version of the protocol is not supported.", data)
    return True


def _ping(_: Request) -> dict[str, Any]:
    return {}


def _initialize(request: Request) -> dict[str, Any]:
    asked = request.params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in HANDSHAKE else HANDSHAKE[-1],
        "capabilities": _CAPABILITIES,
        "serverInfo": _INFO,
        "instructions": INSTRUCTIONS,
    }


def _discover(_: Request) -> dict[str, Any]:
    return {"supportedVersions": [*STATELESS], "capabilities": _CAPABILITIES, "instructions": INSTRUCTIONS}


def _complete(result: dict[str, Any], method: str) -> dict[str, Any]:
    """A result with what the later era wants in each. What a tool answers must not be kept by the client."""
    cached = {} if method == "tools/call" else {"ttlMs": _HOUR, "cacheScope": "public"}
    return {**result, "resultType": "complete", **cached, "_meta": {_SERVER: _INFO}}
