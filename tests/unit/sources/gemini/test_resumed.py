"""Files that pollux wrote, as Gemini CLI left them after it went on with them, twice if it could.

The homes are in `resumed`: `written` without a note, `handed-over` with one, `same-minute` in the minute that the file
has in its name, so that the stub was written into it, and `session-file` by that option.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pollux.model import Session
from tests.unit.sources.gemini.conftest import Home, header, info, user

HOMES = Path(__file__).parent / "resumed"
RELEASES = ("0.44.0", "0.61.0")
ORIGIN = "claude:11111111-1111-4111-8111-111111111111"
OLD = ["What is in this folder?", "I look.", "One file.", "And its size?", "Twelve bytes."]


def read(home: Home, name: str) -> Session:
    shutil.copytree(HOMES / name, home.path)
    return home.only()


def talk(session: Session, *, inherited: bool) -> list[str]:
    own = [m for m in session.messages if m.inherited is inherited and m.author != "client"]
    return [m.text for m in own]


@pytest.mark.parametrize("release", RELEASES)
def test_the_messages_of_a_written_session_are_its_own(home: Home, release: str) -> None:
    session = read(home, f"{release}-written")
    assert talk(session, inherited=True) == []
    assert talk(session, inherited=False) == [*OLD, "And then?", "Understood.", "And now?", "Understood."]
    assert all(m.fate == "live" for m in session.messages)
    assert session.links == (), "it is no copy of itself"
    assert len(session.files) == 2
    assert session.title == "the folder's files"


@pytest.mark.parametrize("release", RELEASES)
def test_a_handed_over_session_counts_what_came_after(home: Home, release: str) -> None:
    session = read(home, f"{release}-handed-over")
    assert talk(session, inherited=True) == OLD
    assert talk(session, inherited=False) == ["And then?", "Understood.", "And now?", "Understood."]
    assert [(link.kind, link.target) for link in session.links] == [("handed_over_from", ORIGIN)]
    assert session.prompts[0].text == OLD[0]
    assert (session.usage.total, session.usage.requests, session.exact, session.gaps) == (210, 2, True, ())


@pytest.mark.parametrize("name", ["0.44.0-session-file", "0.61.0-session-file", "0.61.0-same-minute"])
def test_other_ways_to_go_on(home: Home, name: str) -> None:
    session = read(home, name)
    assert talk(session, inherited=True) == OLD
    assert talk(session, inherited=False) == ["And then?", "Understood."]
    assert [(link.kind, link.target) for link in session.links] == [("handed_over_from", ORIGIN)]
    assert (session.usage.total, session.exact) == (105, True)


def test_it_was_compressed_afterwards(home: Home) -> None:
    note = f"[pollux: handed over from {ORIGIN} at 2026-11-15T06:10:00.000Z]\nThe conversation below …"
    old = [
        user("n1", note, "06:10:00"),
        user("u1", "one", "06:00:01"),
        {"id": "g1", "timestamp": "2026-11-15T06:00:02.000Z", "type": "gemini", "content": "1"},
    ]
    kept = [user("c1", "<state_snapshot>\nIt is about one.\n</state_snapshot>", "06:20:00"), old[2]]
    home.log(
        "weather/chats/session-2026-11-15T06-10-aaaaaaaa.jsonl",
        header(),
        *old,
        {"$set": {"sessionId": "aaaaaaaa-1"}},
        {"$set": {"messages": [*kept]}},
        info("i1", "", "06:20:01"),
    )
    session = home.only()
    assert [m.text for m in session.messages if m.inherited] == [note, "one", "1"]
    assert [m.fate.value for m in session.messages][:3] == ["compressed", "compressed", "live"]
    assert [link.target for link in session.links] == [ORIGIN]


def test_casr_says_where_a_conversation_comes_from(home: Home) -> None:
    text = (
        "[casr synthetic context]\nThis session was originally created in codex and converted to gemini format by casr."
        "\nOriginal session ID: 01a1ddc0-0000-7000-8000-000000000001."
    )
    messages = [
        {"type": "system", "content": text, "timestamp": "2026-11-15T05:59:59.998Z", "casr_enrichment": True},
        {"type": "user", "content": "one", "timestamp": "2026-11-15T06:00:01.000Z"},
        {"type": "model", "content": "1", "timestamp": "2026-11-15T06:00:02.000Z"},
    ]
    home.document("weather/chats/session-2026-11-15T06-10-aaaaaaaa.json", {**header(), "messages": messages})
    session = home.only()
    assert [m.inherited for m in session.messages] == [True, True, True]
    assert [link.target for link in session.links] == ["codex:01a1ddc0-0000-7000-8000-000000000001"]
