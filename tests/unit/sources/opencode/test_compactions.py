"""What a compaction takes out of the conversation: as the agent goes on with it, seen from its requests."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import pytest

from pollux.model import Fate
from tests.unit.sources.opencode.conftest import OpenCodeHome, add_prompt, add_session

_NEXT = "What next?"


def _add(to: sqlite3.Connection, number: int, info: dict[str, Any], part: dict[str, Any]) -> None:
    id, at = f"msg_{number}", 1000 + number
    to.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", (id, "ses_a", at, at, json.dumps(info)))
    to.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", (f"prt_{number}", id, "ses_a", at, at, json.dumps(part)))


def _session(
    opencode: OpenCodeHome, summary: dict[str, Any], kind: str = "compaction", **compaction: str
) -> dict[str, str]:
    """Three prompts, a compaction, a prompt and its answer: the fates of the messages with words."""
    database = opencode.database()
    add_session(database, "ses_a")
    for number in (1, 2, 3):
        add_prompt(database, "ses_a", f"msg_{number}", f"Prompt {number}", at=1000 + number)
    time = {"created": 1004}
    _add(database, 4, {"role": "user", "time": time}, {"type": kind, "auto": False, **compaction})
    whole = {"role": "assistant", "time": time, "parentID": "msg_4", "summary": True, "finish": "stop"}
    info = {name: value for name, value in {**whole, **summary}.items() if value is not None}
    _add(database, 5, info, {"type": "text", "text": "We talked."})
    add_prompt(database, "ses_a", "msg_6", _NEXT, at=1006)
    database.close()
    return {message.text: message.fate for message in opencode.only().messages if message.text}


def test_what_stands_before_a_compaction_is_compressed(opencode: OpenCodeHome) -> None:
    assert _session(opencode, {}) == {f"Prompt {n}": Fate.COMPRESSED for n in (1, 2, 3)} | {_NEXT: Fate.LIVE}


def test_1_15_keeps_the_last_turns_as_they_were(opencode: OpenCodeHome) -> None:
    kept = {"Prompt 2": Fate.LIVE, "Prompt 3": Fate.LIVE, _NEXT: Fate.LIVE}
    assert _session(opencode, {}, tail_start_id="msg_2") == {"Prompt 1": Fate.COMPRESSED, **kept}


@pytest.mark.parametrize(
    "summary",
    [
        {"finish": None},  # it was killed
        {"finish": None, "error": {"name": "MessageAbortedError"}},
        {"parentID": "msg_3"},  # after that, the next answer is marked as a summary, too
    ],
)
def test_a_compaction_that_did_not_end_compresses_nothing(opencode: OpenCodeHome, summary: dict[str, Any]) -> None:
    assert set(_session(opencode, summary).values()) == {Fate.LIVE}


@pytest.mark.parametrize("parent", [None, "msg_4"])
def test_a_summary_of_an_early_release_was_asked_for_by_no_message(opencode: OpenCodeHome, parent: str | None) -> None:
    fates = _session(opencode, {"parentID": parent, "finish": None}, "snapshot")
    assert fates == {f"Prompt {n}": Fate.COMPRESSED for n in (1, 2, 3)} | {_NEXT: Fate.LIVE}


def test_a_fork_of_a_session_without_a_name_has_no_title(opencode: OpenCodeHome) -> None:
    database = opencode.database()
    add_session(database, "ses_a", title="New session - 2026-11-19T20:33:07.799Z (fork #1)")
    add_prompt(database, "ses_a", "msg_1", "Peas?")
    database.close()
    assert opencode.only().title is None


def test_rows_about_a_chosen_agent_and_model_are_no_messages(opencode: OpenCodeHome) -> None:
    database = opencode.database()
    add_session(database, "ses_a")
    add_prompt(database, "ses_a", "msg_1", "Peas?")
    database.execute("CREATE TABLE session_message (id text PRIMARY KEY, session_id text, type text, data text)")
    add = "INSERT INTO session_message VALUES (?, 'ses_a', ?, '{}')"
    for number, kind in enumerate(("agent-switched", "model-switched")):
        database.execute(add, (f"evt_{number}", kind))
    assert opencode.only().notices == ()
    database.execute(add, ("evt_3", "user"))
    database.close()
    session = opencode.only()
    assert [notice.code for notice in session.notices] == ["record.unknown"]
    assert "has 1 rows" in session.notices[0].text
    assert len(session.extra["session_message"]) == 3
