"""One session, however many files hold it; and every file accounted for."""

from __future__ import annotations

import json
from typing import Any

import pytest
import zstandard

from pollux.errors import Unreadable
from pollux.model import Kind
from pollux.sources.codex.find import roots, time_of_id
from tests.unit.sources.codex.conftest import (
    DAY,
    ONE,
    REVERT,
    TWO,
    Home,
    codes,
    conversation,
    event,
    line,
    lines,
    meta,
    meta_with_base,
    prompt,
    reply,
    sent_prompt,
    typed_prompt,
    with_ordinals,
)

TALK = (*prompt("Hello"), reply("Hi", id="msg_1"))


def test_roots(home: Home) -> None:
    results = {root.reason: [] for root in roots({}, home.path)}  # type: ignore[var-annotated]
    assert results == {"the default": []}
    assert [str(r.path) for r in roots({"CODEX_SESSIONS_DIR": "/x"}, home.path)] == ["/x"]
    assert {str(r.path) for r in roots({"CODEX_HOME": "/y"}, home.path)} == {"/y/sessions", "/y/archived_sessions"}


def test_codex_home(home: Home) -> None:
    home.rollout(meta(), *TALK)
    home.codex.rename(home.path / "elsewhere")
    assert set(home.sessions(CODEX_HOME=str(home.path / "elsewhere"))) == {ONE}
    assert set(home.sessions(CODEX_SESSIONS_DIR=str(home.path / "elsewhere" / "sessions"))) == {ONE}


def test_archived_sessions(home: Home) -> None:
    home.rollout(meta(), *TALK, place="archived_sessions")
    assert conversation(home.only())[0][1] == "Hello"


def test_a_session_in_both_folders_is_one(home: Home) -> None:
    home.rollout(meta(), *TALK)
    home.rollout(meta(), *TALK, place="archived_sessions")
    assert len(home.only().files) == 2
    assert sorted(home.statuses().values()) == ["copy", "read"]


def test_documents_of_the_first_releases_grow(home: Home) -> None:
    items = [
        {"role": "user", "content": [{"type": "input_text", "text": "Hello"}], "type": "message"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}], "id": "m1"},
    ]
    for name, content in ((ONE, items[:1]), (TWO, items)):
        document = {
            "session": {"timestamp": "2026-11-15T06:00:00.000Z", "id": name, "instructions": ""},
            "items": content,
        }
        home.write(f"sessions/rollout-2026-11-15-{name}.json", json.dumps(document, indent=2))
    session = home.only()
    assert session.id == TWO
    assert conversation(session) == [("human", "Hello", "live"), ("model", "Hi", "live")]
    assert [copy["session"]["id"] for copy in session.extra["copies"]] == [ONE]
    assert set(home.statuses().values()) == {"read"}


def bare(name: str, at: str, *items: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"id": name, "timestamp": f"2026-11-15T{at}Z", "instructions": None}, {"record_type": "state"}, *items]


def say(role: str, text: str, name: str | None) -> dict[str, Any]:
    kind = "input_text" if role == "user" else "output_text"
    return {"type": "message", "id": name, "role": role, "content": [{"type": kind, "text": text}]}


OLD = (say("user", "Hello", None), say("assistant", "Hi", "msg_1"))


def test_bare_lines(home: Home) -> None:
    context = say("user", "<environment_context>\n  <cwd>/work/notes</cwd>\n</environment_context>", None)
    home.rollout(*bare(ONE, "06:00:00.000", context, *OLD, {"record_type": "state", "previous_response_id": "resp_1"}))
    session = home.only()
    assert conversation(session) == [("human", "Hello", "live"), ("model", "Hi", "live")]
    assert (session.project, session.ended, session.usage.total) == ("/work/notes", None, None)


def test_the_first_form_of_the_environment(home: Home) -> None:
    text = (
        "<environment_context>\nCurrent working directory: /work/notes\nApproval policy: never\n</environment_context>"
    )
    home.rollout(*bare(ONE, "06:00:00.000", say("user", text, None), *OLD))
    assert home.only().project == "/work/notes"


def test_a_resume_that_copied_the_history(home: Home) -> None:
    more = (say("user", "More", None), say("assistant", "Yes", "msg_2"))
    home.write(f"{DAY}/rollout-2026-11-15T06-00-00-{ONE}.jsonl", lines(*bare(ONE, "06:00:00.000", *OLD)))
    home.write(f"{DAY}/rollout-2026-11-15T06-05-00-{TWO}.jsonl", lines(*bare(TWO, "06:05:00.000", *OLD, *more)))
    session = home.sessions()[TWO]
    assert [m.inherited for m in session.messages] == [True, True, False, False]
    assert [(link.kind, link.target) for link in session.links] == [("continues", f"codex:{ONE}")]


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_local_time_with_a_false_zone(home: Home, zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        home.rollout(*bare(ONE, "01:00:00.000", *OLD), at="01-00-00")
        home.rollout(*bare(TWO, "06:00:00.000", *OLD), at="01-00-00", name=TWO)
        starts = {session.id: session.started for session in home.sessions().values()}
    finally:
        monkeypatch.undo()
        time.tzset()
    one, two = starts[ONE], starts[TWO]
    assert one is not None
    assert two is not None
    assert one.hour == (1 if zone == "UTC" else 6)
    assert two.hour == 6


def test_a_fork_that_was_copied(home: Home) -> None:
    older, newer = "01a1ddc0-0001-7000-8000-000000000000", "01a1ddc1-0001-7000-8000-000000000000"
    old = (event("task_started", turn_id=older), *TALK)
    home.rollout(meta(), *old)
    own = (event("task_started", turn_id=newer), *prompt("More"), reply("Yes"))
    home.rollout(meta(TWO, forked_from_id=ONE), meta(), *old, *own, name=TWO)
    session = home.sessions()[TWO]
    assert [(m.text, m.inherited) for m in session.messages] == [
        ("Hello", True),
        ("Hi", True),
        ("More", False),
        ("Yes", False),
    ]
    assert [(link.kind, link.target) for link in session.links] == [("forked_from", f"codex:{ONE}")]
    assert home.library().list()[0].summary.counts.prompts == 1


@pytest.mark.parametrize("orphan", [False, True])
@pytest.mark.parametrize("style", [{}, {"separators": (", ", ": ")}, {"sort_keys": True}])
def test_a_fork_before_turns_had_ids(home: Home, orphan: bool, style: dict[str, Any]) -> None:
    if not orphan:
        home.rollout(meta(), *TALK)
    copy = [{**record, "timestamp": "2026-11-15T06:10:00.001Z"} for record in (meta(), *TALK)]
    own = (
        sent_prompt("More", at="06:10:03.000"),
        typed_prompt("More", at="06:10:03.001"),
        reply("Yes", at="06:10:09.000"),
    )
    home.rollout(meta(TWO, at="06:10:00.000"), *copy, *own, name=TWO)
    for file in home.path.rglob("rollout-*.jsonl"):  # however the JSON is written
        file.write_text("".join(f"{json.dumps(json.loads(line), **style)}\n" for line in file.read_text().splitlines()))
    assert [m.inherited for m in home.sessions()[TWO].messages] == [True, True, False, False]


def test_a_fork_that_points(home: Home) -> None:
    home.rollout(*with_ordinals(0, meta(), *TALK, *prompt("Later"), reply("No")))
    home.rollout(
        *with_ordinals(4, meta_with_base(TWO, ONE, 4, forked_from_id=ONE), *prompt("More"), reply("Yes")), name=TWO
    )
    session = home.sessions()[TWO]
    assert [(m.text, m.inherited, m.fate.value) for m in session.messages] == [
        ("Hello", True, "live"),
        ("Hi", True, "live"),
        ("More", False, "live"),
        ("Yes", False, "live"),
    ]
    assert len(session.files) == 2


def test_a_fork_whose_parent_is_archived_and_compressed(home: Home) -> None:
    packed = zstandard.ZstdCompressor().compress(lines(*with_ordinals(0, meta(), *TALK)).encode())
    home.write(f"archived_sessions/rollout-2026-11-15T06-00-00-{ONE}.jsonl.zst", packed)
    home.rollout(*with_ordinals(4, meta_with_base(TWO, ONE, 4), *prompt("More"), reply("Yes")), name=TWO)
    assert [m.text for m in home.sessions()[TWO].messages] == ["Hello", "Hi", "More", "Yes"]


def test_forks_without_parents_and_in_circles(home: Home) -> None:
    home.rollout(*with_ordinals(4, meta_with_base(ONE, TWO, 4), *TALK))
    assert codes(home.only()) == {"fork.parent-missing"}
    home.rollout(*with_ordinals(4, meta_with_base(TWO, ONE, 8), *TALK), name=TWO)
    sessions = home.sessions()
    assert all("fork.circle" in codes(session) for session in sessions.values())
    assert all(conversation(session)[-1][1] == "Hi" for session in sessions.values())


def test_a_revert_is_the_same_session(home: Home) -> None:
    home.rollout(*with_ordinals(0, meta(), *TALK, *prompt("Oops"), reply("Done")))
    home.rollout(
        *with_ordinals(4, meta_with_base(ONE, ONE, 4), *prompt("Better"), reply("Yes")),
        name=f"{ONE}_{REVERT}",
        at="06-10-00",
    )
    assert conversation(home.only()) == [
        ("human", "Hello", "live"),
        ("model", "Hi", "live"),
        ("human", "Oops", "rewound"),
        ("model", "Done", "rewound"),
        ("human", "Better", "live"),
        ("model", "Yes", "live"),
    ]


def test_roll_backs_accumulate(home: Home) -> None:
    talk = [record for n in range(4) for record in (*prompt(f"q{n}"), reply(f"a{n}"))]
    home.rollout(
        meta(), *talk, event("thread_rolled_back", num_turns=1), event("thread_rolled_back", num_turns=2), *prompt("q4")
    )
    assert [(text, fate) for _, text, fate in conversation(home.only()) if text[0] == "q"] == [
        ("q0", "live"),
        ("q1", "rewound"),
        ("q2", "rewound"),
        ("q3", "rewound"),
        ("q4", "live"),
    ]


def test_compressed_files(home: Home) -> None:
    raw = lines(meta(), *TALK).encode()
    packed = zstandard.ZstdCompressor(level=3).compress(raw)
    file = home.write(f"{DAY}/rollout-2026-11-15T06-00-00-{ONE}.jsonl.zst", packed)
    assert conversation(home.only())[0][1] == "Hello"
    home.rollout(meta(), *TALK, *prompt("More"))
    assert conversation(home.only())[-1][1] == "More", "the plain file wins"
    assert len(home.only().files) == 2
    assert conversation(home.library().session(str(file)))[-1][1] == "More"


@pytest.mark.slow
def test_torn_and_garbled_compressed_files(home: Home) -> None:
    talk = [record for n in range(3000) for record in (*prompt(f"question {n * 7919}"), reply(f"answer {n * 104729}"))]
    packed = zstandard.ZstdCompressor().compress(lines(meta(), *talk).encode())
    place = f"{DAY}/rollout-2026-11-15T06-00-00-{ONE}.jsonl.zst"
    home.write(place, packed[: len(packed) * 3 // 4])
    session = home.only()
    assert 100 < len(session.prompts) < 3000
    assert "file.truncated" in codes(session)
    home.write(place, packed[:40])
    assert home.sessions() == {}
    assert home.statuses()[place] == "unreadable"
    home.write(place, packed[:4] + b"garbage" * 9)
    assert home.sessions() == {}
    assert home.statuses()[place] == "unreadable"


def test_everything_is_accounted_for(home: Home) -> None:
    home.rollout(meta(), *TALK)
    home.write(f"{DAY}/.rollout-2026-11-15T06-00-00-{ONE}.paginated.tmp", "")
    home.write("rollout-migrations/x.pending", "")
    home.write("state_5.sqlite", b"SQLite format 3\x00")
    home.write("state_5.sqlite-wal", b"")
    home.write("history.jsonl", "")
    home.write(f"{DAY}/notes.txt", "mine")
    home.write("auth.json", "{}")
    status = home.statuses()
    assert status.pop(f"{DAY}/notes.txt") == "unknown"
    assert "auth.json" not in status
    assert status["state_5.sqlite"] == status["state_5.sqlite-wal"] == "ignored"
    assert set(status.values()) == {"read", "ignored"}


def test_files_by_path(home: Home) -> None:
    file = home.rollout(meta(), *TALK)
    loose = home.path / "copy of it.jsonl"
    loose.write_bytes(file.read_bytes())
    assert home.library().session(str(loose)).key == f"codex:{ONE}"
    packed = home.path / "packed.zst"
    packed.write_bytes(zstandard.ZstdCompressor().compress(file.read_bytes()))
    assert home.library().session(str(packed)).key == f"codex:{ONE}"
    log = home.path / "typed.jsonl"
    log.write_text(lines({"session_id": TWO, "ts": 1794722911, "text": "Where?"}))
    assert home.library().session(str(log)).kind == Kind.PROMPTS
    empty = home.path / f"rollout-2026-11-15T06-00-00-{TWO}.jsonl"
    empty.write_text("")
    with pytest.raises(Unreadable):
        home.library().session(str(empty))


def test_a_torn_line_in_the_middle(home: Home) -> None:
    head, tail = lines(meta(), *prompt("Hello")), lines(reply("Hi"))
    home.write(f"{DAY}/rollout-2026-11-15T06-00-00-{ONE}.jsonl", head + '{"timestamp":"2026-11\n\n' + tail)
    session = home.only()
    assert conversation(session) == [("human", "Hello", "live"), ("model", "Hi", "live")]
    assert codes(session) == {"line.invalid"}


def test_a_file_with_nothing_said_is_no_session(home: Home) -> None:
    file = home.rollout(meta(), line("turn_context", {"cwd": "/x", "model": "m"}))
    assert home.sessions() == {}
    assert home.statuses() == {str(file.relative_to(home.codex)): "ignored"}


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "nul\x00byte", "x" * 3000, "line\nbreak"])
def test_ids_that_are_no_names(home: Home, name: str) -> None:
    home.write(f"{DAY}/rollout-odd.jsonl", lines(meta(name), *TALK))
    assert home.library().session(home.only().key).id == name


def test_times_in_ids() -> None:
    assert time_of_id("01a1ddcb-3067-7e33-96b9-5edd18c47513") is not None
    assert time_of_id("e4ff5499-23aa-410d-be88-94564ca33657") is None
    assert time_of_id("not an id") is None
