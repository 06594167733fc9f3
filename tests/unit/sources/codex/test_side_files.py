"""What lies beside the sessions: names, typed prompts, and the ledger of imports."""

from __future__ import annotations

import json
from pathlib import Path

from pollux.model import Kind
from tests.unit.sources.codex.conftest import ONE, TWO, Home, conversation, event, lines, meta, prompt, reply

TALK = (*prompt("Hello"), reply("Hi"))


def test_names_become_titles(home: Home) -> None:
    home.rollout(meta(), *TALK)
    name = {"id": ONE, "thread_name": "Old", "updated_at": "2026-11-15T06:00:00.123456789Z"}
    home.write("session_index.jsonl", lines(name, {**name, "thread_name": "Groceries ✓"}))
    assert home.only().title == "Groceries ✓"
    home.write("session_index.jsonl", lines(name, {**name, "thread_name": ""}))
    assert home.only().title is None, "the last line of an id counts"


def test_a_name_that_only_the_session_file_has(home: Home) -> None:
    home.rollout(meta(), *TALK, event("thread_name_updated", thread_id=ONE, thread_name="Groceries"))
    assert home.only().title == "Groceries"


def test_prompts_of_a_lost_session(home: Home) -> None:
    home.rollout(meta(), *TALK)
    record = {"session_id": ONE, "ts": 1794722900, "text": "Hello"}
    home.write("history.jsonl", lines(record, {"session_id": TWO, "ts": 1794722911, "text": "Where are you?"}))
    sessions = home.sessions()
    assert (sessions[TWO].kind, conversation(sessions[TWO])) == (Kind.PROMPTS, [("human", "Where are you?", "live")])
    assert len(sessions[ONE].prompts) == 1


def test_a_prompt_the_session_file_lost(home: Home) -> None:
    home.rollout(meta(), *TALK)
    home.write("history.jsonl", lines({"session_id": ONE, "ts": 1794722900, "text": "And then?"}))
    assert [m.text for m in home.only().prompts] == ["Hello", "And then?"]


def test_sessions_imported_from_another_agent(home: Home) -> None:
    home.rollout(meta(), *TALK)
    source = "/home/mia/.parrot/talks/p1/7c1f.jsonl"
    ledger = {"records": [{"source_path": source, "content_sha256": "0", "imported_thread_id": ONE, "title": "Birds"}]}
    home.write("external_agent_session_imports.json", json.dumps(ledger))
    session = home.only()
    assert [(link.kind, link.target) for link in session.links] == [("handed_over_from", "parrot:7c1f")]
    assert session.title == "Birds"
    ledger["records"][0]["source_path"] = "/home/mia/.config/parrot/talks/p1/7c1f.jsonl"
    home.write("external_agent_session_imports.json", json.dumps(ledger))
    assert [link.target for link in home.only().links] == ["parrot:7c1f"]


def test_damage_beside_the_sessions_is_told(home: Home) -> None:
    home.rollout(meta(), *TALK)
    home.write("history.jsonl", b"\xff\xfe\n[1]\n")
    home.write("session_index.jsonl", "{}\n{]\n")
    home.write("external_agent_session_imports.json", "[")
    assert set(home.sessions()) == {ONE}
    report = home.library().doctor()
    assert {Path(n.file or "").name for n in report.notices} == {
        "history.jsonl",
        "session_index.jsonl",
        "external_agent_session_imports.json",
    }


def test_what_was_typed_for_the_shell_is_no_prompt(home: Home) -> None:
    home.rollout(meta(), *TALK)
    home.write("history.jsonl", lines({"session_id": ONE, "ts": 1794722900, "text": "!ls -l"}))
    assert [m.text for m in home.only().prompts] == ["Hello"]
