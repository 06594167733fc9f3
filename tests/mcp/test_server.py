"""The server as a process: what it writes, how it bears bad input, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.conftest import Server, World, replied, said

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
NETWORK = (
    *("ssl", "_ssl", "http", "http.client", "urllib.request", "urllib3", "requests", "httpx", "httpx2", "httpcore2"),
    *("aiohttp", "asyncio", "anyio", "ftplib", "smtplib", "socketserver", "xmlrpc", "starlette", "mcp"),
)


def test_a_session_of_the_earlier_era(server: Server) -> None:
    opened = server.ask("initialize", HELLO)["result"]
    assert opened["protocolVersion"] == "2025-11-25"
    assert opened["serverInfo"]["name"] == "pollux"
    assert "no authority" in opened["instructions"]
    server.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    assert server.ask("ping")["result"] == {}
    names = [tool["name"] for tool in server.ask("tools/list")["result"]["tools"]]
    assert names == ["search_sessions", "read_session", "list_sessions"]


@pytest.mark.parametrize("asked", ["2024-11-05", "2025-03-26", "2025-06-18", "1999-01-01", None, 7])
def test_the_version_is_negotiated(server: Server, asked: Any) -> None:
    given = server.ask("initialize", {**HELLO, "protocolVersion": asked})["result"]["protocolVersion"]
    assert given == (asked if isinstance(asked, str) and asked > "2000" else "2025-11-25")


def test_the_list_of_tools_is_short_and_the_same_every_time(world: World) -> None:
    lines = set()
    for _ in range(2):
        server = Server(world)
        server.send(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
        lines |= {server.line()}
        server.send(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
        lines |= {server.line()}
        server.end()
    (line,) = lines
    assert len(line.decode()) <= 3_000


def test_one_more_tool_on_request(world: World) -> None:
    server = Server(world, "--also", "usage")
    tools = server.ask("tools/list")["result"]["tools"]
    server.end()
    assert [tool["name"] for tool in tools] == ["search_sessions", "read_session", "list_sessions", "session_usage"]


BAD = [
    (b"{", -32700),
    (b"\xff\xfe{}", -32700),
    (b"[" * 100_000, -32700),
    (b"[]", -32600),
    (b"7", -32600),
    (b"null", -32600),
    (b'"text"', -32600),
    (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":1}', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":"resources/list"}', -32601),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}', -32602),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_session"}}', -32602),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"session_usage"}}', -32602),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["x"]}}', -32602),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_sessions","arguments":[]}}', -32602),
    (
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"9"}}}',
        -32022,
    ),
    (b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (5 << 20) + b'"}', -32700),
]


def test_half_a_character_does_not_leave_a_request_unanswered(server: Server) -> None:
    arguments = b'{"name":"search_sessions","arguments":{"query":"tides \\ud83d"}}'
    server.send(b'{"jsonrpc":"2.0","id":"half \\uDC00","method":"tools/call","params":' + arguments + b"}")
    answer = json.loads(server.line())
    assert answer["id"] == "half ?"
    assert not answer["result"]["isError"]


def test_malformed_messages_are_refused_and_the_server_lives_on(server: Server) -> None:
    for line, code in BAD:
        server.send(line)
        answer = json.loads(server.line())
        assert answer["error"]["code"] == code, line[:100]
        assert answer["jsonrpc"] == "2.0"
        assert answer["id"] in (None, 1)
    assert server.ask("ping")["result"] == {}


def test_what_asks_for_nothing_gets_nothing(server: Server) -> None:
    for line in (
        b"",
        b"   ",
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","method":"notifications/unknown","params":{}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled"}',
        b'{"jsonrpc":"2.0","id":5,"result":{}}',
        b'{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"x"}}',
    ):
        server.send(line)
    assert server.ask("ping")["result"] == {}


def test_several_requests_in_a_list_are_each_answered(server: Server) -> None:
    server.send(b'[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","id":"b","method":"nothing"},3]')
    answers = [json.loads(server.line()) for _ in range(3)]
    assert [answer["id"] for answer in answers] == ["a", "b", None]


def test_it_ends_soon_after_its_input_and_writes_nothing_else(world: World) -> None:
    world.session(1, said("tides"), replied("yes"))
    server = Server(world, python=("-W", "always", "-X", "dev"), PYTHONWARNINGS="always", POLLUX_DEBUG="1")
    server.ask("initialize", HELLO)
    assert "tides" in server.call("search_sessions", query="tides")
    assert "00000001" in server.call("list_sessions")
    assert "tides" in server.call("read_session", key="00000001")
    seconds, out, err = server.end()
    assert out == b""
    assert b"Traceback" not in err
    assert server.process.returncode == 0
    assert seconds <= 1 + _slowness()


def _slowness() -> float:
    """How much longer this machine takes to end a Python just now than an idle one."""
    start = time.monotonic()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return 10 * max(0.0, time.monotonic() - start - 0.05)


def test_a_call_that_is_under_way_is_not_waited_for(world: World) -> None:
    server = Server(world)
    server.ask("ping")
    os.kill(server.process.pid, signal.SIGSTOP)
    for number in range(400):
        request = {"name": "search_sessions", "arguments": {"query": f"word{number}"}}
        server.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": request}).encode())
    os.kill(server.process.pid, signal.SIGCONT)
    seconds, out, err = server.end()
    assert seconds <= 2 + _slowness()
    assert b"Traceback" not in err
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in out.splitlines())


def test_a_client_that_closes_its_end_leaves_no_traceback(world: World) -> None:
    world.session(1, said("tides"), replied("yes"))
    server = Server(world)
    server.ask("ping")
    assert server.process.stdout is not None
    server.process.stdout.close()
    for _ in range(3):
        try:
            server.send(b'{"jsonrpc":"2.0","id":9,"method":"tools/list"}')
        except BrokenPipeError:
            break
    assert server.process.wait(20) == 0
    assert server.process.stderr is not None
    assert server.process.stdin is not None
    with server.process.stderr, server.process.stdin:
        assert server.process.stderr.read() == b""


def test_a_cancelled_call_is_not_answered(world: World) -> None:
    server = Server(world)
    call = {"name": "list_sessions", "arguments": {}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call},
    ]
    server.send(b"\n".join(json.dumps(line).encode() for line in lines))
    assert [json.loads(server.line())["id"] for _ in range(2)] == [1, 3]
    assert server.ask("ping")["result"] == {}
    server.end()


def test_a_ping_need_not_wait_for_a_call(world: World) -> None:
    for number in range(30):
        world.session(number, *[said(f"tides {number}")] * 50)
    server = Server(world)
    call = {"name": "search_sessions", "arguments": {"query": "tides"}}
    server.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode())
    server.send(b'{"jsonrpc":"2.0","id":2,"method":"ping"}')
    assert [json.loads(server.line())["id"] for _ in range(2)] == [2, 1]
    server.end()


def test_no_library_for_networks_is_in_the_process(world: World) -> None:
    """Neither after the list of tools nor after all tools were called."""
    world.session(1, said("tides"), replied("yes"))
    code = (
        "import sys, os, io, json\n"
        "from pollux.mcp.toolbox import Toolbox\n"
        "from pollux.mcp.protocol import Protocol\n"
        "import pollux.mcp.run, pollux.cli.commands.mcp.serve\n"
        "box = Toolbox()\n"
        "for tool, arguments in [('search_sessions', {'query': 'tides'}), ('list_sessions', {}),\n"
        "    ('read_session', {'key': '00000001'}), ('session_usage', {'key': '00000001'})]:\n"
        "    assert not box(tool, arguments, {})['isError'], tool\n"
        "print(json.dumps(sorted(sys.modules)))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], env=world.environ, cwd=world.home, capture_output=True, text=True, check=True
    )
    modules = set(json.loads(ran.stdout))
    assert "pollux.mcp.tools.search" in modules
    assert modules.isdisjoint(NETWORK)


def test_before_the_first_call_the_library_is_not_even_imported(world: World) -> None:
    code = (
        "import sys\n"
        "import pollux.mcp.run, pollux.cli.commands.mcp.serve\n"
        "heavy = {'tantivy', 'sqlite3', 'rich', 'pollux.library.library', 'pollux.index', 'pygments'}\n"
        "assert heavy.isdisjoint(sys.modules), heavy & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], env=world.environ, check=True)


def test_the_cache_may_go_meanwhile(world: World) -> None:
    world.session(1, said("tides"), replied("yes"))
    server = Server(world)
    assert "tides" in server.call("search_sessions", query="tides")
    subprocess.run(
        [sys.executable, "-m", "pollux", "cache", "clear"], env=world.environ, check=True, capture_output=True
    )
    assert "tides" in server.call("search_sessions", query="tides")
    world.session(2, said("tides again"), replied("yes"))
    assert "tides again" in server.call("search_sessions", query="tides again")
    server.end()


def test_what_is_written_meanwhile_is_found_at_once(world: World) -> None:
    server = Server(world)
    assert "There is no such session" in server.call("list_sessions")
    for number in (1, 2, 3):
        world.session(number, said(f"pelican {number}"), replied("yes"))
        assert f"pelican {number}" in server.call("search_sessions", query=f"pelican {number}")
    server.end()


def test_closed_streams(world: World) -> None:
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        ran = subprocess.run(
            ["sh", "-c", f"{sys.executable} -m pollux mcp {closed} </dev/null" if "<" not in closed
             else f"{sys.executable} -m pollux mcp {closed}"],
            env=world.environ, capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, closed
        assert b"Traceback" not in ran.stderr
        assert ran.stdout == b""


def test_the_working_directory_may_be_gone(world: World, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    world.session(1, said("tides"))
    script = f"cd {gone} && rmdir {gone} && exec {sys.executable} -m pollux mcp"
    call = {"name": "search_sessions", "arguments": {"query": "tides"}}
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    process = subprocess.Popen(
        ["sh", "-c", script], env=world.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(request + "\n")
    process.stdin.flush()
    assert "tides" in process.stdout.readline()
    process.communicate(timeout=30)
