"""Transcripts that pollux, casr and session-migrate made of other sessions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.sources.claude.conftest import (
    OTHER,
    SID,
    SUMMARY,
    Home,
    Json,
    call,
    compaction,
    conversation,
    in_chain,
    model,
    result,
    usage,
    user,
)
from tests.unit.sources.claude.forks import own, renamed

ORIGIN = "codex:01a1ddc0-0000-7000-8000-000000000001"
AT = "2026-11-15T05:00:00.000Z"
NOTE = f"[pollux: handed over from {ORIGIN} at {AT}]\nThe conversation below was held with Codex CLI …"
NOTHING = {"input_tokens": 0, "output_tokens": 0}


def old(record: Json, minute: int) -> Json:
    """A record of a conversation that was handed over: older, and without figures."""
    message = {
        name: value for name, value in record["message"].items() if name not in ("usage", "model", "stop_reason")
    }
    return {**record, "message": message, "timestamp": f"2026-11-15T04:{minute:02}:00.000Z", "version": None}


def handed_over() -> list[Json]:
    note = old(user(NOTE, isMeta=True), 1)
    reply = [call("c1", message="msg_a"), result("c1", "done")]
    return [note, old(user("one"), 1), *(old(record, 2) for record in reply), old(model("1", "msg_b"), 3)]


def test_a_session_that_was_handed_over(home: Home) -> None:
    session = home.session(*handed_over())
    assert all(m.inherited for m in session.messages)
    assert [(link.kind, link.target) for link in session.links] == [("handed_over_from", ORIGIN)]
    assert (session.exact, session.gaps, session.usage.requests) == (True, (), 0)
    assert session.prompts[0].text == "one"


def test_only_what_came_after_counts(home: Home) -> None:
    session = home.session(*handed_over(), user("two"), model("2", "msg_c"))
    assert [m.text for m in session.messages if not m.inherited] == ["two", "2"]
    assert (session.usage.requests, session.usage.output, session.exact) == (1, 5, True)


def test_after_a_compaction(home: Home) -> None:
    summary = user("It was about one.", **SUMMARY)
    session = home.session(*handed_over(), compaction(), summary, user("two"), model("2", "msg_c"))
    assert [m.text for m in session.messages if m.inherited] == [NOTE, "one", "", "", "1"]
    assert [link.target for link in session.links] == [ORIGIN]
    assert session.usage.requests == 1


def test_a_fork_of_it_is_linked_to_it_alone(home: Home) -> None:
    records = in_chain([*handed_over(), user("two"), model("2", "msg_c")])
    home.log(SID, *records)
    home.log(OTHER, *renamed(records, OTHER), *own(OTHER, records[-1]))
    fork = home.sessions()[OTHER]
    assert [(link.kind, link.target) for link in fork.links] == [("forked_from", f"claude:{SID}")]
    assert [m.inherited for m in fork.messages] == [True] * len(records) + [False, False]
    assert fork.prompts[0].text == "one"


def converted(name: str, **more: Any) -> list[Json]:
    return [user("one", **more), model("1", f"msg_{name}_0f", figures=NOTHING, **more)]


@pytest.mark.parametrize("name", ["casr", "session_migrate"])
def test_a_conversion_is_known_by_its_replies(home: Home, name: str) -> None:
    session = home.session(*converted(name), user("two"), model("2", "msg_c"))
    assert [(m.text, m.inherited) for m in session.messages] == [
        ("one", True),
        ("1", True),
        ("two", False),
        ("2", False),
    ]
    assert (session.usage.requests, session.exact, session.links) == (1, True, ()), "it does not name its origin"


def test_casr_marks_every_record(home: Home) -> None:
    session = home.session(*converted("casr"), user("asked last", version="casr"), user("two"), model("2", "msg_c"))
    assert [m.text for m in session.messages if m.inherited] == ["one", "1", "asked last"]


def test_casr_says_where_it_comes_from(home: Home) -> None:
    text = (
        "[casr synthetic context]\nThis session was originally created in codex and converted to claude-code format by "
        "casr.\nOriginal session ID: 01a1ddc0-0000-7000-8000-000000000001."
    )
    session = home.session(user(text, version="casr"), *converted("casr", version="casr"))
    assert [link.target for link in session.links] == [ORIGIN]
    assert conversation(session) == [("human", "one"), ("model", "1")]


def test_a_manifest_names_the_origin_and_the_end(home: Home) -> None:
    records = in_chain([*converted("session_migrate"), user("asked last"), user("two"), model("2", "msg_c")])
    home.log(SID, *records)
    manifest = {
        "schema_version": 2,
        "source": {"format": "codex", "session_id": ORIGIN.partition(":")[2], "path": "/home/mia/x.jsonl"},
        "target": {"format": "claude", "session_id": SID, "records": 3},
    }
    file = home.config / "session-migrate" / "manifests" / f"{SID}.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(manifest))
    session = home.only()
    assert [m.text for m in session.messages if m.inherited] == ["one", "1", "asked last"]
    assert [(link.kind, link.target) for link in session.links] == [("handed_over_from", ORIGIN)]
    assert str(file) in session.files
    assert session.extra["manifests"][0]["schema_version"] == 2
    file.write_text(json.dumps({**manifest, "odd": 1}))
    assert [notice.code for notice in home.only().notices if notice.file == str(file)] == ["field.unknown"]
    file.write_text("[")
    damaged = home.only()
    assert damaged.links == ()
    assert str(file) not in {gap.file for gap in damaged.gaps}
    assert [notice.code for notice in damaged.notices if notice.file == str(file)] == ["file.damaged"]


def test_figures_count_even_under_such_an_id(home: Home) -> None:
    session = home.session(user("one"), model("1", "msg_casr_1a", figures=usage(7)), *converted("casr"))
    assert [m.inherited for m in session.messages] == [True, False, True, True]
    assert session.usage.output == 7
