"""Where figures may be missing, whoever the agent is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pollux.model import Session
from pollux.sources.gaps import BROKEN_OFF
from tests.unit.sources.claude import conftest as claude
from tests.unit.sources.codex import conftest as codex
from tests.unit.sources.gemini import conftest as gemini

UNREAD = "A line could not be read: it may hold figures."
Read = Callable[[Path, bytes], Session]


def _claude(home: Path, more: bytes) -> Session:
    here = claude.Home(home)
    lines = claude.json_lines(*claude.in_chain([claude.user("Hi"), claude.model("Hello")]))
    here.write(f"{claude.PROJECT}/{claude.SID}.jsonl", lines.encode() + more)
    return here.only()


def _gemini(home: Path, more: bytes) -> Session:
    here = gemini.Home(home)
    file = here.log(gemini.LOG, *gemini.BEGINNING)
    file.write_bytes(file.read_bytes() + more)
    return here.only()


def _codex(home: Path, more: bytes) -> Session:
    here = codex.Home(home)
    used = codex.figures(10)
    file = here.rollout(codex.meta(), *codex.prompt("Hi"), codex.reply("Hello"), codex.tokens(used, used))
    file.write_bytes(file.read_bytes() + more)
    return here.only()


@pytest.mark.parametrize("read", [_claude, _gemini, _codex])
@pytest.mark.parametrize("more", [b'{"type":"assist\n', b'{"type":"assist', b"[1]\n"])
def test_a_line_that_cannot_be_read_may_hold_figures(tmp_path: Path, read: Read, more: bytes) -> None:
    session = read(tmp_path, more)
    assert session.exact is session.usage.exact is None
    assert [gap.why for gap in session.gaps] == [UNREAD]
    assert session.gaps[0].file in session.files
    assert session.gaps[0].line is not None


@pytest.mark.parametrize("read", [_claude, _gemini, _codex])
@pytest.mark.parametrize("more", [b"", b"\n", b" \r\n"])
def test_blank_lines_hold_no_figures(tmp_path: Path, read: Read, more: bytes) -> None:
    assert read(tmp_path, more).exact is True


def test_what_is_known_to_be_missing_stays_known(tmp_path: Path) -> None:
    torn = claude.json_lines(claude.model("b", "msg_2", None)).encode() + b"{"
    assert _claude(tmp_path, torn).exact is False


def test_damage_beside_a_conversation_does_not_matter(tmp_path: Path) -> None:
    here = claude.Home(tmp_path)
    here.config.mkdir(parents=True)
    (here.config / "history.jsonl").write_bytes(b"{\n")
    here.write(f"{claude.PROJECT}/{claude.SID}/custom-title.json", b"{")
    assert _claude(tmp_path, b"").exact is True
    gemini.Home(tmp_path / "g").write("weather/logs.json", b"[{")
    assert _gemini(tmp_path / "g", b"").exact is True


def test_a_document_that_was_cut_may_hold_figures(tmp_path: Path) -> None:
    here = gemini.Home(tmp_path)
    talk = [gemini.user("u1", "go"), gemini.gemini("g1", "1"), gemini.info("i", "x")]
    file = here.document(f"{gemini.LOG.removesuffix('l')}", gemini.document(talk))
    whole = file.read_bytes()
    assert here.only().exact is True
    file.write_bytes(whole[: whole.index(b'"info"')])
    assert "A document could not be read to its end: it may hold figures." in [gap.why for gap in here.only().gaps]
    assert here.only().exact is None


_STOPPED = claude.user([{"type": "text", "text": "[Request interrupted by user]"}])


@pytest.mark.parametrize(
    ("records", "exact"),
    [
        ([], None),
        ([_STOPPED], None),
        ([claude.user("again"), claude.model("Hello", "msg_2")], None),
        ([claude.model("Hello", "msg_2")], True),
        ([claude.attachment_line("max_turns_reached", maxTurns=1, turnCount=2)], True),
    ],
)
def test_claude_turn_that_ends_with_answers_of_tools(tmp_path: Path, records: list[Any], exact: bool | None) -> None:
    begun = [claude.user("Hi"), claude.call(), claude.result()]
    session = claude.Home(tmp_path).session(*begun, *(dict(record) for record in records))
    assert session.exact is exact
    assert (BROKEN_OFF in [gap.why for gap in session.gaps]) is (exact is None)


def test_claude_call_that_was_never_answered_led_to_no_request(tmp_path: Path) -> None:
    assert claude.Home(tmp_path).session(claude.user("Hi"), claude.call()).exact is True


@pytest.mark.parametrize(
    ("status", "more", "exact"),
    [
        ("success", [], None),
        ("error", [], None),
        ("cancelled", [], True),
        ("success", [gemini.info("i1", "Request cancelled.")], None),
        ("success", [gemini.user("u2", "again"), gemini.gemini("g2", "2")], None),
        ("success", [gemini.gemini("g2", "2")], True),
    ],
)
def test_gemini_turn_that_ends_with_answers_of_tools(
    tmp_path: Path, status: str, more: list[Any], exact: bool | None
) -> None:
    here = gemini.Home(tmp_path)
    call_record = gemini.gemini("g1", "", toolCalls=[gemini.call("c1", status=status)])
    here.log(gemini.LOG, gemini.header(), gemini.user("u1", "go"), call_record, *more)
    session = here.only()
    assert session.exact is exact
    assert (BROKEN_OFF in [gap.why for gap in session.gaps]) is (exact is None)


def test_gemini_sub_agent_reports_with_a_call(tmp_path: Path) -> None:
    here = gemini.Home(tmp_path)
    call_record = gemini.gemini("g1", "", toolCalls=[gemini.call("c1", "complete_task")])
    here.log(gemini.LOG, gemini.header(), gemini.user("u1", "go"), call_record)
    assert here.only().exact is True


def test_nothing_was_used_where_the_only_request_was_refused(tmp_path: Path) -> None:
    here = gemini.Home(tmp_path)
    failed: dict[str, Any] = {"$set": {"messages": []}}
    here.log(
        gemini.LOG, gemini.header(), gemini.user("u1", "go"), gemini.info("e1", "API Error", level="error"), failed
    )
    session = here.only()
    assert session.exact is True
    used = session.usage
    assert (used.input, used.cached, used.output, used.total, used.requests) == (0, 0, 0, 0, 0)
    assert used.cache_write is None
