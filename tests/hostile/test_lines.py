"""Lines without end and files that become too large: memory is bounded, and what stands around them is kept."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

from pollux.sources.codex.format import compressed as packed
from pollux.system.files import LARGE
from pollux.wire import Notes, files, read_lines
from tests.hostile.conftest import World, read_all, words

LIMIT = 1 << 16
FIRST, LAST = "What stood before it", "What stands after it"
CLAUDE, CODEX, GEMINI = (f"{digit * 8}-{digit * 4}-4{digit * 3}-8{digit * 3}-{digit * 12}" for digit in "123")


def _claude(home: Path, line: bytes) -> Path:
    file = home / ".claude/projects/-home-ada-code" / f"{CLAUDE}.jsonl"

    def prompt(uuid: str, parent: str | None, text: str) -> bytes:
        texts = {"role": "user", "content": text}
        record = {"parentUuid": parent, "uuid": uuid, "type": "user", "sessionId": CLAUDE, "cwd": "/home/ada/code"}
        return json.dumps({**record, "timestamp": "2026-11-01T10:00:00.000Z", "message": texts}).encode() + b"\n"

    return _write(file, prompt("a", None, FIRST) + line + prompt("b", "a", LAST))


def _codex(home: Path, line: bytes) -> Path:
    file = home / ".codex/sessions/2026/11/01" / f"rollout-2026-11-01T10-00-00-{CODEX}.jsonl"

    def record(kind: str, payload: object) -> bytes:
        return json.dumps({"timestamp": "2026-11-01T10:00:00.000Z", "type": kind, "payload": payload}).encode() + b"\n"

    def prompt(text: str) -> bytes:
        texts = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        heard = {"type": "user_message", "message": text}
        return record("response_item", texts) + record("event_msg", heard)

    head = record("session_meta", {"id": CODEX, "timestamp": "2026-11-01T10:00:00.000Z", "cwd": "/home/ada/code"})
    return _write(file, head + prompt(FIRST) + line + prompt(LAST))


def _gemini(home: Path, line: bytes) -> Path:
    file = home / ".gemini/tmp/code/chats/session-2026-11-01T10-00-33333333.jsonl"

    def prompt(name: str, text: str) -> bytes:
        record = {"id": name, "timestamp": "2026-11-01T10:00:00.000Z", "type": "user", "content": [{"text": text}]}
        return json.dumps(record).encode() + b"\n"

    at = "2026-11-01T10:00:00.000Z"
    head = {"sessionId": GEMINI, "projectHash": "0" * 64, "startTime": at, "lastUpdated": at, "kind": "main"}
    return _write(file, json.dumps(head).encode() + b"\n" + prompt("a", FIRST) + line + prompt("b", LAST))


AGENTS = {"claude": _claude, "codex": _codex, "gemini": _gemini}


def _write(file: Path, content: bytes) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


def _compressed(file: Path) -> Path:
    result = file.with_name(f"{file.name}.zst")
    result.write_bytes(zstandard.ZstdCompressor().compress(file.read_bytes()))
    file.unlink()
    return result


@pytest.fixture
def empty(tmp_path: Path) -> World:
    return World(tmp_path, ())


@pytest.mark.parametrize(
    ("agent", "compressed"), [("claude", False), ("gemini", False), ("codex", False), ("codex", True)]
)
def test_a_line_that_is_too_long_is_passed_over(
    empty: World, agent: str, compressed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LONGEST", LIMIT)
    file = AGENTS[agent](empty.home, b'{"type": "' + b"x" * LIMIT + b'"}\n')
    if compressed:
        file = _compressed(file)
    (session,) = read_all(empty.library()).values()
    assert FIRST in words(session)
    assert LAST in words(session)
    (notice,) = [notice for notice in session.notices if notice.code == "line.too-long"]
    assert (notice.file, notice.severity, notice.count) == (str(file), "error", 1)
    before = file.read_bytes().split(b"xxx")[0] if not compressed else b""
    assert compressed or notice.line == before.count(b"\n") + 1
    assert not empty.library().doctor().sound


@pytest.mark.parametrize("agent", AGENTS)
def test_a_last_line_without_an_end_costs_what_it_is(empty: World, agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LONGEST", LIMIT)
    monkeypatch.setattr(files, "_LONGEST_SKIP", LIMIT * 4)
    file = AGENTS[agent](empty.home, b"")
    with file.open("ab") as out:
        out.truncate(1 << 40)
    (session,) = read_all(empty.library()).values()
    assert FIRST in words(session)
    assert LAST in words(session)
    (notice,) = [notice for notice in session.notices if notice.code == "line.too-long"]
    assert "the line has no end" in notice.text


def test_a_line_as_long_as_may_be_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LONGEST", 100)
    whole, longer = b"a" * 99 + b"\n", b"b" * 100 + b"\n"
    file = _write(tmp_path / "lines", whole + longer + whole + b"c" * 100)
    notes = Notes()
    assert list(read_lines(file, notes)) == [(1, whole), (3, whole), (4, b"c" * 100)]
    assert [notice.line for notice in notes.all()] == [2]


def _bomb(file: Path, mebibytes: int, piece: bytes) -> None:
    """A small file that becomes a large one, behind what a session begins with."""
    packer = zstandard.ZstdCompressor(level=3).compressobj()
    with file.with_name(f"{file.name}.zst").open("wb") as out:
        out.write(packer.compress(file.read_bytes()))
        block = piece * ((1 << 20) // len(piece))
        for _ in range(mebibytes):
            out.write(packer.compress(block))
        out.write(packer.flush())
    file.unlink()


MEASURED = """
import json, re, resource
from pathlib import Path
from pollux import Filter, Library
sessions = {s.key: [n.code for n in s.notices] for s in Library(hunt=False).sessions(Filter(everything=True))}
# What the system tells of a process counts what its maker had, before it became another program.
mine = int(re.search(r"VmHWM:\\s+([0-9]+)", Path("/proc/self/status").read_text())[1])
readers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(json.dumps([sessions, max(mine, readers)]))
"""


def _measured(world: World) -> tuple[dict[str, list[str]], int]:
    """The notices of every session, and how much memory reading them took, in MiB."""
    process = subprocess.run(
        [sys.executable, "-c", MEASURED], env=world.env(), capture_output=True, check=True, timeout=120
    )
    sessions, kibibytes = json.loads(process.stdout)
    return sessions, kibibytes >> 10


def test_a_bomb_costs_neither_memory_nor_the_other_sessions(empty: World) -> None:
    _claude(empty.home, b"")
    _gemini(empty.home, b"")
    _bomb(_codex(empty.home, b""), 3000, b"x")
    sessions, memory = _measured(empty)
    assert sessions.keys() == {f"claude:{CLAUDE}", f"codex:{CODEX}", f"gemini:{GEMINI}"}
    assert "file.truncated" in sessions[f"codex:{CODEX}"]
    assert memory < 700


def test_a_bomb_of_lines_ends_early(empty: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_LEAST", 1 << 20)
    text = json.dumps({"type": "event_msg", "payload": {"type": "user_message", "message": "x" * 2000}}).encode()
    _bomb(_codex(empty.home, b""), 256, text + b"\n")
    (session,) = read_all(empty.library()).values()
    assert FIRST in words(session)
    assert LAST in words(session)
    (notice,) = [notice for notice in session.notices if notice.code == "file.truncated"]
    assert "more than 100 times as large" in notice.text
    assert sum(len(message.parts) for message in session.messages) < 40_000  # of 128,000


def test_a_bomb_of_tiny_records_costs_little(empty: World) -> None:
    text = json.dumps({"type": "event_msg", "payload": {"type": "user_message", "message": ""}}).encode()
    _bomb(_codex(empty.home, b""), 64, text + b"\n")
    sessions, memory = _measured(empty)
    assert "file.truncated" in sessions[f"codex:{CODEX}"]
    assert memory < 350


def test_no_compressed_session_is_larger_than_sessions_are(empty: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_LARGEST", 1 << 20)
    record = {"type": "user_message", "message": random.Random(1).randbytes(2 << 20).hex()}
    file = _compressed(_codex(empty.home, json.dumps({"type": "event_msg", "payload": record}).encode() + b"\n"))
    (session,) = read_all(empty.library()).values()
    (notice,) = [notice for notice in session.notices if notice.code == "file.truncated"]
    assert (notice.file, notice.text) == (str(file), "The compressed file becomes more than 1 MiB; read up to there.")
    assert FIRST in words(session)


def test_a_line_of_a_hundred_mebibytes(empty: World) -> None:
    _claude(empty.home, b'{"type": "user", "x": "' + b"x" * (100 << 20) + b'"}\n')
    sessions, memory = _measured(empty)
    assert sessions == {f"claude:{CLAUDE}": ["line.too-long"]}
    assert memory < 700


def test_a_document_that_is_too_large_is_not_read(empty: World) -> None:
    _claude(empty.home, b"")
    chats = empty.home / ".gemini/tmp/code/chats"
    chats.mkdir(parents=True)
    for name, begin in (("1.json", b"{\n"), ("2.json", b"[\n")):
        with (chats / f"session-2026-11-01T10-00-0000000{name}").open("wb") as file:
            file.write(begin)
            file.truncate(LARGE + 1)
    rollouts = empty.home / ".codex/sessions"
    rollouts.mkdir(parents=True)
    with (rollouts / "rollout-2025-05-01-22222222-2222-4222-8222-222222222222.json").open("wb") as file:
        file.truncate(LARGE + 1)
    library = empty.library()
    assert list(read_all(library)) == [f"claude:{CLAUDE}"]
    account = library.doctor()
    assert [line.reason for line in account.files if line.status == "unreadable"] == [
        f"{line.path} cannot be read: it is larger than 256 MiB."
        for line in account.files
        if line.status == "unreadable"
    ]
    assert account.totals["unreadable"] == 3
