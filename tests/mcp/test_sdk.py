"""The official SDK's client judges the server: with a handshake, without one, and by trying."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, TextContent

from tests.apart import apart
from tests.mcp.conftest import World, replied, said

MODES = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}


def _ask(world: World, tmp_path: Path, mode: str, questions: Callable[[Client], Awaitable[None]]) -> str:
    """Ask the server. Returns what it wrote to standard error."""
    errors = tmp_path / "stderr"
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "pollux", "mcp", "--also", "usage"], env=world.environ, cwd=world.home
    )

    async def run() -> None:
        with errors.open("w", encoding="utf-8") as file:
            async with Client(stdio_client(parameters, errlog=file), mode=mode) as client:
                assert client.protocol_version == MODES[mode]
                await questions(client)

    apart(lambda: asyncio.run(run()))
    return errors.read_text("utf-8")


def _text(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.parametrize("mode", MODES)
def test_the_client_of_the_sdk_lists_and_calls_all_tools(world: World, tmp_path: Path, mode: str) -> None:
    world.session(1, said("Why are the tides late?"), replied("The zone is wrong."))

    async def questions(client: Client) -> None:
        assert client.server_info is None or client.server_info.name == "pollux"
        if mode != "2026-07-28":  # without asking, nobody tells
            assert "no authority" in (client.instructions or "")
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["search_sessions", "read_session", "list_sessions", "session_usage"]
        for tool in tools:
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is True
            assert tool.annotations.destructive_hint is False
            assert tool.annotations.idempotent_hint is True
            assert tool.annotations.open_world_hint is False
        found = _text(await client.call_tool("search_sessions", {"query": "tides"}))
        assert "Why are the tides late?" in found
        read = _text(await client.call_tool("read_session", {"key": "claude:00000001", "with": ["results"]}))
        assert "The zone is wrong." in read
        assert "claude:00000001@" in _text(await client.call_tool("list_sessions", {"limit": 3}))
        assert "15 (input 10" in _text(await client.call_tool("session_usage", {"key": "claude:00000001"}))

    assert _ask(world, tmp_path, mode, questions) == ""


@pytest.mark.parametrize("mode", MODES)
def test_what_is_wrong_reaches_the_client_of_the_sdk(world: World, tmp_path: Path, mode: str) -> None:
    async def questions(client: Client) -> None:
        wrong = await client.call_tool("read_session", {"key": "nothing"})
        assert wrong.is_error
        assert "No session is called 'nothing'" in _text(wrong)
        assert (await client.call_tool("search_sessions", {"query": 7})).is_error
        with pytest.raises(MCPError, match="no such tool"):
            await client.call_tool("delete_session", {})
        with pytest.raises(MCPError):
            await client.list_resources()
        assert not (await client.call_tool("list_sessions", {})).is_error

    assert _ask(world, tmp_path, mode, questions) == ""
