"""What a log's rewriting records do, told by what the agent would resume and what was really said."""

from __future__ import annotations

import json

import pytest

from pollux.model import SummaryPart, ToolCall
from tests.unit.sources.gemini.conftest import (
    BEGINNING,
    CONTEXT_ID,
    LOG,
    Home,
    call,
    context,
    conversation,
    gemini,
    header,
    info,
    user,
)


def test_a_message_written_again_stands_once_with_all_it_ever_had(home: Home) -> None:
    first = gemini("g1", "Reading.")
    home.log(LOG, header(), user("u1", "Read it"), first, {**first, "toolCalls": [call("c1")]})
    session = home.only()
    assert conversation(session) == [("human", "Read it", "live"), ("model", "Reading.", "live")]
    assert [part.output for part in session.messages[1].parts if isinstance(part, ToolCall)] == ["ok"]
    assert (session.usage.input, session.usage.output, session.usage.total, session.usage.requests) == (10, 5, 15, 1)


def test_rewind_takes_a_message_and_all_after_it(home: Home) -> None:
    home.log(
        LOG,
        header(),
        user("u1", "one"),
        gemini("g1", "1"),
        user("u2", "two"),
        gemini("g2", "2"),
        {"$rewindTo": "u2"},
        user("u3", "three"),
        gemini("g3", "3"),
    )
    fates = [fate for _, _, fate in conversation(home.only())]
    assert fates == ["live", "live", "rewound", "rewound", "live", "live"]
    assert home.only().usage.input == 30


def test_rewind_to_an_unknown_message_clears_everything(home: Home) -> None:
    home.log(
        LOG,
        header(),
        user("u1", "one"),
        gemini("g1", "1"),
        {"$rewindTo": "nobody"},
        user("u2", "two"),
        gemini("g2", "2"),
    )
    assert [fate for _, _, fate in conversation(home.only())] == ["rewound", "rewound", "live", "live"]


def test_compress_folds_what_came_before_and_keeps_the_summary(home: Home) -> None:
    snapshot = user("s1", "<state_snapshot>\nAll about weather.\n</state_snapshot>")
    thanks = gemini("s2", [{"text": "Got it. Thanks for the additional context!"}], tokens=None)
    home.log(
        LOG,
        *BEGINNING,
        user("u2", "go"),
        gemini("g2", "2"),
        {
            "$set": {
                "messages": [context(), snapshot, thanks, user("n1", "go"), gemini("n2", [{"text": "2"}], tokens=None)]
            }
        },
        info("i1", ""),
        user("u3", "go on"),
        gemini("g3", "3"),
    )
    session = home.only()
    assert conversation(session) == [
        ("human", "go", "compressed"),
        ("model", "1", "compressed"),
        ("human", "go", "live"),  # the kept end of the conversation, written again under new ids
        ("model", "2", "live"),
        ("human", "go on", "live"),
        ("model", "3", "live"),
    ]
    assert session.usage.input == 30
    assert session.usage.exact is False
    assert [p.text for m in session.messages for p in m.parts if isinstance(p, SummaryPart)] == [
        "<state_snapshot>\nAll about weather.\n</state_snapshot>"
    ]


@pytest.mark.parametrize(
    "words",
    [
        "",
        "IMPORTANT: This conversation exceeded the compress threshold. A compressed context will be sent from now on.",
        "Context compressed from 51% to 9%.",
    ],
)
def test_a_compression_of_which_only_a_line_tells_makes_the_sum_a_lower_bound(home: Home, words: str) -> None:
    home.log(LOG, header(), user("u1", "go"), gemini("g1", "1"), info("i1", words), user("u2", "on"), gemini("g2", "2"))
    session = home.only()
    assert session.usage.exact is False
    assert {m.fate.value for m in session.messages} == {"live"}


def test_a_kept_prompt_is_not_taken_for_a_copy_of_an_equal_earlier_one(home: Home) -> None:
    snapshot = user("s1", "<state_snapshot>x</state_snapshot>")
    home.log(
        LOG,
        header(),
        user("u1", "go"),
        gemini("g1", "1"),
        user("u2", "go"),
        gemini("g2", "2"),
        {"$set": {"messages": [snapshot, user("u2", "go"), gemini("g2", [{"text": "2"}])]}},
    )
    assert conversation(home.only()) == [
        ("human", "go", "compressed"),
        ("model", "1", "compressed"),
        ("human", "go", "live"),
        ("model", "2", "live"),
    ]


def test_a_cancelled_turn_is_rolled_back_and_the_rest_written_again(home: Home) -> None:
    cancelled = gemini("g3", "editing", toolCalls=[call("c1", "replace", None, "cancelled")])
    copies = [
        user("k1", "go"),
        gemini("k2", [{"text": "1"}], tokens=None),
        user("k3", "go"),
        gemini("k4", [{"text": "2"}], tokens=None),
    ]
    home.log(
        LOG,
        header(),
        user("u1", "go"),
        gemini("g1", "1"),
        user("u2", "go"),
        gemini("g2", "2"),
        user("u3", "go"),
        cancelled,
        info("i1", "Request cancelled."),
        *copies,
        {"$set": {"messages": copies}},
        user("u4", "other"),
        gemini("g4", "4"),
    )
    session = home.only()
    assert conversation(session) == [
        ("human", "go", "live"),
        ("model", "1", "live"),
        ("human", "go", "live"),
        ("model", "2", "live"),
        ("human", "go", "cancelled"),
        ("model", "editing", "cancelled"),
        ("human", "other", "live"),
        ("model", "4", "live"),
    ]
    assert session.usage.input == 40
    assert session.usage.exact is True


def test_turns_without_words_are_recognised_by_their_calls(home: Home) -> None:
    records = [{"functionCall": {"id": "c1", "name": "read_file", "args": {}}}]
    answered = [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "ok"}}}]
    copies = [
        user("k1", "go"),
        gemini("k2", records, tokens=None),
        user("k3", answered),
        gemini("k4", [{"text": "done"}], tokens=None),
    ]
    home.log(
        LOG,
        header(),
        user("u1", "go"),
        gemini("g1", "", toolCalls=[call("c1")]),
        user("u2", answered),
        gemini("g2", "done"),
        user("u3", "stop"),
        gemini("g3", "x", toolCalls=[call("c2", status="cancelled")]),
        *copies,
        {"$set": {"messages": copies}},
    )
    session = home.only()
    assert [(m.id, m.fate.value) for m in session.messages] == [
        ("u1", "live"),
        ("g1", "live"),
        ("u2", "live"),
        ("g2", "live"),
        ("u3", "cancelled"),
        ("g3", "cancelled"),
    ]
    assert session.usage.input == 30


def test_after_a_rollback_a_resume_lists_the_copies_and_nothing_is_doubled(home: Home) -> None:
    copies = [user("k1", "go"), gemini("k2", [{"text": "1"}], tokens=None)]
    home.log(
        LOG,
        header(),
        user("u1", "go"),
        gemini("g1", "1"),
        user("u2", "stop"),
        gemini("g2", "x", toolCalls=[call("c1", status="cancelled")]),
        *copies,
        {"$set": {"messages": copies}},
        {"$set": {"sessionId": "aaaaaaaa-1"}},
        {"$set": {"messages": [context(), *copies]}},
        user("u3", "go on"),
        gemini("g3", "3"),
    )
    assert conversation(home.only()) == [
        ("human", "go", "live"),
        ("model", "1", "live"),
        ("human", "stop", "cancelled"),
        ("model", "x", "cancelled"),
        ("human", "go on", "live"),
        ("model", "3", "live"),
    ]


def test_a_failed_prompt_is_dropped_by_the_next_list(home: Home) -> None:
    home.log(
        LOG, header(), {"$set": {"messages": [context()]}}, user("u1", "fail"), {"$set": {"messages": [context()]}}
    )
    assert conversation(home.only()) == [("human", "fail", "failed")]


def test_a_resume_within_the_same_minute_does_not_make_messages_poorer(home: Home) -> None:
    rich = gemini(
        "g1",
        "Done.",
        toolCalls=[call("c1")],
        thoughts=[{"subject": "Plan", "description": "read", "timestamp": "2026-11-15T06:00:02.000Z"}],
    )
    bare = {
        "id": "g1",
        "timestamp": "2026-11-15T06:00:30.000Z",
        "type": "gemini",
        "content": [
            {"text": "**Plan** read", "thought": True},
            {"text": "Done."},
            {"functionCall": {"id": "c1", "name": "read_file", "args": {}}},
        ],
    }
    answer = user(
        "u1_response",
        [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "ok"}}}],
        "06:00:31",
    )
    home.log(
        LOG,
        header(),
        {"$set": {"messages": [context()]}},
        user("u1", "Read it"),
        rich,
        header(start="06:00:29"),
        {"$set": {"messages": [context("06:00:29")]}},
        user("u1", "Read it", "06:00:30"),
        bare,
        answer,
        user("u2", "More", "06:00:40"),
        gemini("g2", "Fine", "06:00:41"),
    )
    session = home.only()
    assert conversation(session) == [
        ("human", "Read it", "live"),
        ("model", "Done.", "live"),
        ("human", "More", "live"),
        ("model", "Fine", "live"),
    ]
    turn = next(m for m in session.messages if m.id == "g1")
    assert [type(part).__name__ for part in turn.parts] == ["Thinking", "Text", "ToolCall"]
    assert turn.at is not None
    assert turn.at.second == 2
    assert session.usage.input == 20
    assert session.started is not None
    assert session.started.second == 0


def test_a_checkpoint_of_another_session_is_shown_but_not_counted(home: Home) -> None:
    copies = [user("k1", "old"), gemini("k2", [{"text": "said elsewhere"}], tokens=None)]
    home.log(
        LOG,
        header(),
        {"$set": {"messages": [context()]}},
        *copies,
        {"$set": {"messages": copies}},
        user("u1", "new"),
        gemini("g1", "1"),
    )
    session = home.only()
    assert [(m.text, m.inherited) for m in session.messages if m.author != "client"] == [
        ("old", True),
        ("said elsewhere", True),
        ("new", False),
        ("1", False),
    ]
    (listed,) = home.library().list()
    assert (listed.summary.counts.prompts, listed.summary.counts.replies) == (1, 1)


@pytest.mark.parametrize("start", ["09:00:00", "06:00:00"])
def test_an_imported_session_is_inherited(home: Home, start: str) -> None:
    home.log(
        LOG,
        header(start=start),
        {"$set": {"messages": [user("u1", "old", "06:00:01"), gemini("g1", "then", "06:00:02")]}},
        info("i1", "Imported session from /x/f.json", "09:00:01"),
        user("u2", "new", "09:00:02"),
        gemini("g2", "now", "09:00:03"),
    )
    session = home.only()
    assert [(m.text, m.inherited) for m in session.messages if m.role != "system"] == [
        ("old", True),
        ("then", True),
        ("new", False),
        ("now", False),
    ]
    assert session.usage.input == 10
    assert session.usage.exact is True


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        ('{"$set":{"lastUpdated":"2026-11-15T06:05:00.000Z"}}', []),
        ('{"$set": {"lastUpdated": "2026-11-15T06:05:00Z"}}', []),
        ('{"$set":{"lastUpdated":"2026-11-15T06:05:00.000Z","a":1}}', ["field.unknown"]),
        ('{"$set":{"lastUpdated":"0001-01-01T00:00:00.000Z"}}', ["field.type"]),
        ('{"$set":{"lastUpdated":"2026-11-15 at five past six"}}', ["field.type"]),
        ('{"$set":{"lastUpdated":"2026-11-15T06:05:00.00"},"a":1}', ["time.zone", "field.unknown"]),
    ],
)
def test_a_line_that_sets_the_time(home: Home, line: str, codes: list[str]) -> None:
    lines = [json.dumps(record) for record in (header(), user("u1", "one"), gemini("g1", "1"))]
    home.write(LOG, "\n".join([*lines, line, ""]))
    session = home.only()
    later = "field.type" not in codes
    assert session.ended is not None
    assert (session.ended.hour, session.ended.minute) == ((6, 5) if later else (6, 0))
    assert sorted(notice.code for notice in session.notices) == sorted(codes)


def test_unknown_records_are_kept_and_reported(home: Home) -> None:
    home.log(
        LOG,
        header(),
        user("u1", "hi"),
        {"$patch": {"op": "add"}},
        {"type": "message_update", "delta": "x"},
        gemini("g1", "hello"),
    )
    session = home.only()
    assert [record["record"] for record in session.extra["records"]] == [
        {"$patch": {"op": "add"}},
        {"type": "message_update", "delta": "x"},
    ]
    doctor = home.library().doctor()
    assert not doctor.sound
    assert sorted((u.what, u.count) for u in doctor.unknown if u.what.startswith("record")) == [
        ("record keys $patch", 1),
        ("record type 'message_update'", 1),
    ]
    assert all(u.example.endswith((".jsonl:3", ".jsonl:4")) for u in doctor.unknown)


def test_the_context_message_is_the_clients(home: Home) -> None:
    home.log(LOG, header(), {"$set": {"messages": [context()]}}, user("u1", "hi"), gemini("g1", "hello"))
    first = home.only().messages[0]
    assert (first.id, first.author.value, first.role.value) == (CONTEXT_ID, "client", "user")


def test_a_session_in_which_nothing_was_said_is_none(home: Home) -> None:
    home.log(LOG, header(), {"$set": {"messages": [context()]}})
    assert home.sessions() == {}
    assert home.library().doctor().sound


@pytest.mark.parametrize("order", [(5000, 100), (100, 5000)])
def test_the_richest_figures_of_a_message_count(home: Home, order: tuple[int, int]) -> None:
    home.log(LOG, header(), user("u1", "go"), *(gemini("g1", "1", tokens=tokens) for tokens in order))
    session = home.only()
    assert (session.usage.input, session.usage.requests, session.exact) == (5000, 1, True)
