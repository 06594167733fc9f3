from __future__ import annotations

import builtins
import json
import os
from typing import Any

import pytest

from pollux.writers import Options
from pollux.writers.json import WRITER
from tests.unit.sources.claude.conftest import (
    OTHER,
    SID,
    Home,
    call,
    codes,
    conversation,
    json_lines,
    model,
    result,
    user,
)

SAID = [("human", "Hi"), ("model", "Hello"), ("human", "More"), ("model", "Done.")]
GARBAGE = (b"not json", b"{", b"\x00\x01", b"[1, 2", b'"\xff\xfe"x', b"[" * 100_000, b'{"a":' * 100_000)
ODD = (b"null", b"7", b'"text"', b"[]", b"true")


def damaged(home: Home, middle: bytes) -> Any:
    """A transcript with some bytes in its middle, beside a good one that must not suffer."""
    home.log(OTHER, user("Fine", sessionId=OTHER), model("Good.", sessionId=OTHER))
    before = json_lines(user("Hi"), model("Hello")).encode()
    after = json_lines(user("More"), model("Done.", "msg_2")).encode()
    home.write(f"-x/{SID}.jsonl", before + middle + b"\n" + after)
    sessions = home.sessions()
    assert conversation(sessions[OTHER]) == [("human", "Fine"), ("model", "Good.")]
    out: list[str] = []
    WRITER.write(sessions[SID], out.append, Options())
    json.loads("".join(out), parse_int=str)
    return sessions[SID]


@pytest.mark.parametrize("garbage", GARBAGE, ids=range(len(GARBAGE)))
def test_lines_of_garbage(home: Home, garbage: bytes) -> None:
    session = damaged(home, garbage)
    assert conversation(session) == SAID
    assert any(notice.line == 3 for notice in session.notices)


@pytest.mark.parametrize("value", ODD)
def test_lines_that_are_no_objects(home: Home, value: bytes) -> None:
    session = damaged(home, value)
    assert conversation(session) == SAID
    assert "line.not-object" in codes(session)


DEEP = b'{"type":"user","uuid":"d","message":{"role":"user","content":' + b"[" * 100_000 + b"]" * 100_000 + b"}}"


def test_deep_nesting_inside_a_message(home: Home) -> None:
    session = damaged(home, DEEP)
    assert conversation(session) == SAID
    assert session.notices


@pytest.mark.parametrize("number", ["9" * 400, "-" + "9" * 400, "1e400", "9" * 5000, "NaN"])
def test_huge_numbers(home: Home, number: str) -> None:
    line = json_lines(model("Big", "msg_9")).replace('"output_tokens":5', f'"output_tokens":{number}').strip()
    session = damaged(home, line.encode())
    assert ("model", "Big") in conversation(session)


def test_bytes_that_are_no_text(home: Home) -> None:
    line = json_lines(user("peas")).strip().encode()
    assert "text.encoding" in codes(damaged(home, line.replace(b"peas", b"p\xe9as \xff")))
    for odd in (rb"\ud83d peas \ude00", b"peas\x00"):
        session = damaged(home, line.replace(b"peas", odd))
        assert any("peas" in text for _, text in conversation(session)) or session.notices


def test_duplicate_keys(home: Home) -> None:
    line = json_lines(user("Last wins")).strip().replace('"type":"user"', '"type":"system","type":"user"')
    assert ("human", "Last wins") in conversation(damaged(home, line.encode()))


def test_file_that_vanishes_or_may_not_be_read(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = home.log(SID, user("Hi"), model("Hello"))
    home.log(OTHER, user("Fine", sessionId=OTHER), model("Good.", sessionId=OTHER))
    found = home.library()._files.bundles()
    gone.unlink()
    assert {session.id for source, bundle in found for session in source.read(bundle).sessions} == {OTHER}
    home.log(SID, user("Hi"), model("Hello"))
    opened = builtins.open

    def refuse(file: Any, *arguments: Any, **named: Any) -> Any:
        if not isinstance(file, int) and os.fsdecode(file) == str(gone):
            raise PermissionError(13, "Permission denied", str(gone))
        return opened(file, *arguments, **named)

    monkeypatch.setattr(builtins, "open", refuse)
    assert set(home.sessions()) == {OTHER}
    line = next(line for line in home.library().doctor().files if line.path == str(gone))
    assert (line.status, "Permission denied" in (line.reason or "")) == ("unreadable", True)


ODD_VALUES: tuple[Any, ...] = (None, 7, [], {}, "x", [[]], True)


@pytest.mark.slow
def test_wrong_types_everywhere(home: Home) -> None:
    for record in (user("Hi"), model("Hello", "msg_8"), call(message="msg_9"), result()):
        for name in record:
            for odd in ODD_VALUES:
                session = damaged(home, json.dumps({**record, name: odd}).encode())
                assert {text for _, text in conversation(session)} >= {"Hi", "Hello", "More", "Done."}
