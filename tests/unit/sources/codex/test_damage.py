"""Bad input: a notice, and everything else is still served."""

from __future__ import annotations

import builtins
import json
import os
from typing import Any

import pytest

from pollux.model import Session
from pollux.sources.base import SourceContext
from pollux.writers import Options
from pollux.writers.json import WRITER
from tests.unit.sources.codex.conftest import (
    DAY,
    ONE,
    TWO,
    Home,
    codes,
    conversation,
    event,
    lines,
    meta,
    prompt,
    reply,
)

GOOD = (meta(TWO), *prompt("Still here?"), reply("Yes"))
TALK = lines(meta(), *prompt("Hello"), reply("Hi")).encode()
SAID = [("human", "Hello", "live"), ("model", "Hi", "live")]
BAD = f"{DAY}/rollout-2026-11-15T06-00-00-{ONE}.jsonl"


@pytest.fixture
def both(home: Home) -> Home:
    home.rollout(*GOOD, name=TWO)
    return home


def bad(home: Home, raw: bytes) -> Session | None:
    home.write(BAD, raw)
    sessions = home.sessions()
    assert conversation(sessions[TWO])[0][1] == "Still here?"
    home.library().doctor()
    return sessions.get(ONE)


def written(session: Session) -> str:
    out: list[str] = []
    WRITER.write(session, out.append, Options())
    return "".join(out)


@pytest.mark.parametrize(
    "garbage",
    [
        b"not json\n",
        b"[1, 2]\n",
        b"null\n",
        b"\x00" * 512 + b"\n",
        b'{"type":"response_item","payload":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"\n",
        b'{"timestamp":"2026-11-15T06:00:00Z","type":"event_msg","payl',
    ],
    ids=range(7),
)
def test_garbage_lines(both: Home, garbage: bytes) -> None:
    session = bad(both, TALK + garbage)
    assert session is not None
    assert conversation(session) == SAID
    assert session.notices


@pytest.mark.parametrize("number", ["9" * 400, "-1", "1e400", "9" * 5000, "NaN", "-Infinity"])
def test_huge_numbers(both: Home, number: str) -> None:
    usage = {"total_token_usage": {"input_tokens": "#"}, "last_token_usage": {"output_tokens": "#"}}
    count = event("token_count", info=usage, line_={"ordinal": "#"})
    raw = lines(count, event("thread_rolled_back", num_turns="#")).replace('"#"', number)
    session = bad(both, TALK + raw.encode())
    assert session is not None
    assert [text for _, text, _ in conversation(session) if text] == ["Hello", "Hi"]
    json.loads(written(session), parse_int=str)


def test_no_text_and_half_characters(both: Home) -> None:
    session = bad(both, TALK.replace(b"Hello", b"H\xe9llo \xff \\ud83d"))
    assert session is not None
    assert "text.encoding" in codes(session)
    written(session).encode("utf-8")


def test_duplicate_keys(both: Home) -> None:
    session = bad(both, TALK.replace(b'"role":"assistant"', b'"role":"user","role":"assistant"'))
    assert session is not None
    assert conversation(session) == SAID


@pytest.mark.parametrize("raw", [b"", b"\n\n", b"%PDF-1.7\n" + bytes(range(256)) * 9])
def test_files_of_other_kinds(both: Home, raw: bytes) -> None:
    assert bad(both, raw) is None


def test_places_that_are_no_files(both: Home) -> None:
    folder = both.codex / DAY
    (folder / f"rollout-2026-11-15T06-00-01-{ONE}.jsonl").mkdir()
    (folder / "rollout-dangling.jsonl").symlink_to(both.path / "nowhere")
    (folder / "rollout-loop.jsonl").symlink_to(folder / "rollout-loop.jsonl")
    (folder / "again").symlink_to(both.codex)
    os.mkfifo(folder / "rollout-pipe.jsonl")
    assert set(both.sessions()) == {TWO}
    status = both.statuses()
    assert status[f"{DAY}/rollout-dangling.jsonl"] == status[f"{DAY}/rollout-loop.jsonl"] == "unreadable"
    assert status[f"{DAY}/rollout-pipe.jsonl"] == "unreadable"


def test_files_that_vanish(both: Home) -> None:
    file = both.write(BAD, TALK)
    library = both.library()
    source, root = next((s, r) for s, r in library.homes.roots() if s.name == "codex" and r.path.name == "sessions")
    files = list(source.find(root.path))
    bundles = source.bundles(root.path, files, SourceContext())
    file.unlink()
    assert [session.id for bundle in bundles for session in source.read(bundle).sessions] == [TWO]
    bundles = source.bundles(root.path, files, SourceContext())
    assert [session.id for bundle in bundles for session in source.read(bundle).sessions] == [TWO]


def test_files_one_may_not_open(both: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    path = both.write(BAD, TALK)
    opened = builtins.open

    def refuse(file: Any, *arguments: Any, **named: Any) -> Any:
        if not isinstance(file, int) and os.fsencode(file) == os.fsencode(path):
            raise PermissionError(13, "Permission denied", str(path))
        return opened(file, *arguments, **named)

    with monkeypatch.context() as patch:
        # For root every file is readable, so the refusal is played.
        patch.setattr(builtins, "open", refuse)
        results = set(both.sessions())
        status = both.statuses()
    assert results == {TWO}
    assert status[BAD] == "unreadable"


def test_nothing_is_written(both: Home) -> None:
    both.write(BAD, TALK[:-7])
    before = {path: path.stat().st_mtime_ns for path in both.codex.rglob("*")}
    both.sessions()
    both.library().doctor()
    assert {path: path.stat().st_mtime_ns for path in both.codex.rglob("*")} == before


def test_two_objects_in_one_line_beside_an_empty_line(both: Home) -> None:
    hello, hi, bye = lines(*prompt("Hello")[:1], reply("Hi"), reply("Bye")).encode().splitlines()
    session = bad(both, lines(meta()).encode() + hello + b"\n" + hi + hi + b"\n\n" + bye + b"\n")
    assert session is not None
    assert [(m.text, m.origin.line) for m in session.messages if m.origin] == [("Hello", 2), ("Bye", 5)]
    assert [(n.code, n.line) for n in session.notices] == [("line.invalid", 3)]


@pytest.mark.parametrize("odd", [b"\n", b"\r\n", b" \n", b"not json\n", lines(event("new_thing")).encode()])
def test_lines_are_counted_in_large_files(both: Home, odd: bytes) -> None:
    talk = [*prompt("Hello"), reply("x" * 200_000), *prompt("Again"), reply("y" * 200_000)]
    raw = lines(meta(), *talk).encode() + odd + lines(*talk).encode() * 2
    session = bad(both, raw)
    assert session is not None
    results = [m.origin.line for m in session.messages if m.origin and m.text[:1] in ("x", "y")]
    assert results == [n for n, line in enumerate(raw.split(b"\n"), start=1) if b"output_text" in line]


@pytest.mark.slow
def test_settings_nested_as_deeply_as_can_be_read_lose_nothing_else(home: Home) -> None:
    library = home.library()
    nested = {}
    for depth in range(700, 1000):
        line = b'{"type":"turn_context","payload":{"a":' + b"[" * depth + b"]" * depth + b"}}\n"
        session = library.open(home.write(BAD, line + TALK))
        assert conversation(session) == SAID
        (nested[depth],) = codes(session)
    assert nested[700] == "field.unknown"
    assert set(nested.values()) <= {"field.unknown", "record.unknown", "line.invalid"}
