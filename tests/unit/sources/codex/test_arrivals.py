"""Threads that pollux, Codex's own importer, casr and session-migrate made of other sessions."""

from __future__ import annotations

import json

import pytest

from tests.unit.sources.codex.conftest import (
    ONE,
    Home,
    Json,
    answer,
    call,
    compaction,
    context,
    event,
    figures,
    item,
    meta,
    prompt,
    reply,
    sent_prompt,
    shown_reply,
    tokens,
    typed_prompt,
)

ORIGIN = "claude:5f2f3ab8-1111-4222-8333-444455556666"
NOTE = f"[pollux: handed over from {ORIGIN} at 2026-11-15T05:30:00.000Z]\nThe conversation below …"
OWN = (
    context(turn_id="t1"),
    sent_prompt("two", at="06:00:01.000"),
    typed_prompt("two", at="06:00:01.000"),
    reply("2"),
    tokens(figures(10), figures(10)),
)


def handed_over() -> list[Json]:
    old = [sent_prompt(NOTE), *prompt("one"), call(), answer(), reply("1"), shown_reply("1")]
    return [meta(originator="pollux"), *({**record, "timestamp": "2026-11-15T05:00:00.000Z"} for record in old)]


def test_a_thread_that_was_handed_over(home: Home) -> None:
    home.rollout(*handed_over())
    session = home.only()
    assert all(m.inherited for m in session.messages)
    assert [(link.kind, link.target) for link in session.links] == [("handed_over_from", ORIGIN)]
    assert (session.exact, session.gaps, session.usage.requests) == (True, (), 0)
    assert [m.text for m in session.prompts] == ["one"]


def test_only_what_came_after_counts(home: Home) -> None:
    home.rollout(*handed_over(), *OWN)
    session = home.only()
    assert [m.text for m in session.messages if not m.inherited] == ["two", "2"]
    assert (session.usage.requests, session.usage.input, session.exact) == (1, 10, True)


def test_after_a_compaction(home: Home) -> None:
    home.rollout(*handed_over(), *OWN, compaction("It was about one and two.", "one", "two"))
    session = home.only()
    assert [m.text for m in session.messages if m.inherited] == [NOTE, "one", "", "1"]
    assert [link.target for link in session.links] == [ORIGIN]


@pytest.mark.parametrize("name", ["casr", "session-migrate"])
def test_a_conversion_ends_where_codex_begins(home: Home, name: str) -> None:
    head = meta(originator=name)
    home.rollout(head, *prompt("one"), call(), answer(), reply("1"), shown_reply("1"))
    session = home.only()
    assert all(m.inherited for m in session.messages)
    assert (session.exact, session.links) == (True, ()), "it does not name its origin"
    home.rollout(head, *prompt("one"), call(), answer(), reply("1"), shown_reply("1"), *OWN)
    session = home.only()
    assert [m.text for m in session.messages if not m.inherited] == ["two", "2"]
    assert (session.usage.requests, session.usage.input, session.exact) == (1, 10, True)


def test_casr_says_where_it_comes_from(home: Home) -> None:
    text = (
        "[casr synthetic context]\nThis session was originally created in claude-code and converted to codex format by "
        f"casr.\nOriginal session ID: {ORIGIN.partition(':')[2]}."
    )
    notice = item("message", role="developer", content=[{"type": "input_text", "text": text}])
    home.rollout(meta(originator="casr"), notice, *prompt("one"), reply("1"))
    assert [link.target for link in home.only().links] == [ORIGIN]


def test_a_manifest_names_the_origin(home: Home) -> None:
    home.rollout(meta(originator="session-migrate"), *prompt("one"), reply("1"), *prompt("asked last"), *OWN)
    manifest = {
        "schema_version": 2,
        "source": {"format": "claude", "session_id": ORIGIN.partition(":")[2]},
        "target": {"format": "codex", "session_id": ONE, "records": 6},
    }
    file = home.write(f"session-migrate/manifests/{ONE}.json", json.dumps(manifest))
    session = home.only()
    assert [m.text for m in session.messages if m.inherited] == ["one", "1", "asked last"]
    assert [(link.kind, link.target) for link in session.links] == [("handed_over_from", ORIGIN)]
    assert str(file) in session.files
    assert session.extra["manifest"]["schema_version"] == 2
    assert home.statuses()[f"session-migrate/manifests/{ONE}.json"] == "read"
    file.write_text(json.dumps({**manifest, "odd": 1}))
    assert [notice.code for notice in home.only().notices] == ["field.unknown"]
    file.write_text("[")
    session = home.only()
    assert (session.links, session.exact) == ((), True)
    assert [notice.code for notice in session.notices] == ["file.damaged"]


def imported() -> list[Json]:
    """As Codex 0.130 to 0.166 import a session: one turn for each prompt, a made-up total, and a remark at the end."""
    made_up = {**figures(0, out=0), "total_tokens": 59}
    records: list[Json] = []
    for number, (asked, said) in enumerate((("one", "1"), ("more", "11")), start=1):
        turn = f"external-import-turn-{number}"
        records += [event("task_started", turn_id=turn, started_at=1794722000), *prompt(asked), shown_reply(said)]
        records += [reply(said)]
        if number == 2:
            records += [shown_reply("<EXTERNAL SESSION IMPORTED>"), tokens(made_up, made_up)]
        records.append(event("task_complete", turn_id=turn))
    return [meta(), *records]


def test_an_import_of_codex(home: Home) -> None:
    source = f"/home/mia/.claude/projects/-work-notes/{ORIGIN.partition(':')[2]}.jsonl"
    ledger = {"records": [{"source_path": source, "imported_thread_id": ONE, "imported_at": 1794722400}]}
    home.write("external_agent_session_imports.json", json.dumps(ledger))
    home.rollout(*imported())
    session = home.only()
    assert all(m.inherited for m in session.messages)
    assert (session.exact, session.usage.total) == (True, 0)
    assert [(link.kind, link.target) for link in session.links] == [("handed_over_from", ORIGIN)]
    remark = session.messages[-1]
    assert (remark.role, remark.author, remark.fate) == ("system", "client", "live")
    own = [event("task_started", turn_id="t1"), *OWN, event("task_complete", turn_id="t1")]
    home.rollout(*imported(), *own)
    session = home.only()
    assert [m.text for m in session.messages if not m.inherited] == ["two", "2"]
    assert (session.usage.requests, session.usage.input, session.exact) == (1, 10, True)


def test_without_the_list_of_imports_nothing_is_counted_twice_either(home: Home) -> None:
    home.rollout(*imported())
    session = home.only()
    assert (session.links, all(m.inherited for m in session.messages)) == ((), True)
