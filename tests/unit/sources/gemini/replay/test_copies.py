"""Histories set from bare turns: what comes back under another id, run together, or with less than it had."""

from __future__ import annotations

from typing import Any

from pollux.model import Thinking, ToolCall
from pollux.sources.gaps import BROKEN_OFF
from tests.unit.sources.gemini.conftest import (
    BEGINNING,
    LOG,
    Home,
    Json,
    call,
    context,
    conversation,
    gemini,
    header,
    info,
    user,
)

CONTEXT = context()["content"]


def response(name: str | None, tool: str = "read_file", output: str = "ok") -> Json:
    return {"functionResponse": {"id": name, "name": tool, "response": {"output": output}}}


def asked(name: str | None, tool: str = "read_file") -> Json:
    return {"functionCall": {**({"id": name} if name else {}), "name": tool, "args": {}}}


def copied(*copies: Json) -> list[Json]:
    """Turns written again, then the list of them alone."""
    return [*copies, {"$set": {"messages": list(copies)}}]


def bare(name: str, content: Any) -> Json:
    return gemini(name, content if isinstance(content, list) else [{"text": content}], tokens=None)


CANCELLED = [
    user("u9", "stop"),
    gemini("g9", "editing", toolCalls=[call("c9", "replace", None, "cancelled")]),
    info("i9", "Request cancelled."),
]


def test_a_rollback_runs_the_context_and_the_first_prompt_together(home: Home) -> None:
    home.log(
        LOG,
        *BEGINNING,
        *CANCELLED,
        *copied(user("k1", [*CONTEXT, {"text": "go"}]), bare("k2", "1")),
        user("u2", "other"),
        gemini("g2", "2"),
    )
    session = home.only()
    assert conversation(session) == [
        ("human", "go", "live"),
        ("model", "1", "live"),
        ("human", "stop", "cancelled"),
        ("model", "editing", "cancelled"),
        ("human", "other", "live"),
        ("model", "2", "live"),
    ]
    assert not any(message.inherited for message in session.messages)
    assert session.usage.input == 30
    assert session.usage.exact is True


def test_what_was_run_together_lives_and_goes_together(home: Home) -> None:
    copies = [user("k1", [*CONTEXT, {"text": "go"}]), bare("k2", "1")]
    log = [
        *BEGINNING,
        *CANCELLED,
        *copied(*copies),
        user("u2", "other"),
        gemini("g2", "2"),
        {"$set": {"sessionId": "aaaaaaaa-1"}},
        {"$set": {"messages": [context(), *copies, user("u2", "other"), gemini("g2", "2")]}},
    ]
    home.log(LOG, *log)
    live = [("human", "go"), ("model", "1"), ("human", "other"), ("model", "2")]
    assert [words[:2] for words in conversation(home.only()) if words[2] == "live"] == live
    home.log(LOG, *log, {"$rewindTo": "k1"}, user("u3", "again"), gemini("g3", "3"))
    assert [words[:2] for words in conversation(home.only()) if words[2] == "rewound"] == live


def test_a_prompt_behind_a_tools_answer_is_recognised_though_run_together_with_it(home: Home) -> None:
    """As after a cancelled call up to 0.56, or a killed stream: two turns of the user follow one another."""
    home.log(
        LOG,
        header(),
        user("u1", "go"),
        gemini("g1", "reading", toolCalls=[call("c1")]),
        user("r1", [response("c1")]),
        user("u2", "and now"),
        gemini("g2", "2"),
        *CANCELLED,
        *copied(
            user("k1", "go"),
            bare("k2", [{"text": "reading"}, asked("c1")]),
            user("k3", [response("c1"), {"text": "and now"}]),
            bare("k4", "2"),
        ),
    )
    session = home.only()
    assert [m.id for m in session.messages if m.fate.value == "live"] == ["u1", "g1", "r1", "u2", "g2"]
    assert [m.id for m in session.messages if m.fate.value == "cancelled"] == ["u9", "g9", "i9"]


def test_invisible_characters_and_comments_do_not_hide_a_copy(home: Home) -> None:
    """Since 0.55 the first writing lacks them, the history has them."""
    home.log(
        LOG,
        header(),
        user("u1", "go"),
        gemini("g1", "A family: 👨👩"),
        *CANCELLED,
        *copied(user("k1", "go"), bare("k2", "A family: 👨\u200d👩\n<!-- done -->\n")),
    )
    session = home.only()
    assert [(m.id, m.fate.value) for m in session.messages][:2] == [("u1", "live"), ("g1", "live")]
    assert len(session.messages) == 5


def test_a_call_that_the_history_knows_without_an_id_is_the_recorded_one(home: Home) -> None:
    """Where the model gave a call no id, the CLI's own stands with the record only."""
    turn = gemini("g1", "", toolCalls=[call("c1"), call("c2")])
    for made_up in (None, "synth_read_file_1f"):
        asked_twice = [{"text": "  "}, asked(made_up), asked(made_up)]
        answered = user("r1", [response("c1"), response("c2")])
        home.log(
            LOG,
            header(),
            {"$set": {"messages": [context()]}},
            user("u1", "go"),
            turn,
            answered,
            gemini("g2", "done"),
            user("u2", "fail"),
            {"$set": {"messages": [context(), user("u1", "go"), {**turn, "content": asked_twice}, answered]}},
            *CANCELLED,
            *copied(user("k1", [*CONTEXT, {"text": "go"}]), bare("k2", asked_twice), user("k3", answered["content"])),
        )
        session = home.only()
        (result,) = [m for m in session.messages if m.id == "g1"]
        assert [(part.id, part.status.value) for part in result.parts if isinstance(part, ToolCall)] == [
            ("c1", "ok"),
            ("c2", "ok"),
        ]
        assert result.fate.value == "live"
        assert sum(m.id == "g1" or m.id.startswith("k") for m in session.messages) == 1


def test_a_failure_after_an_older_cancelled_call_is_a_failure(home: Home) -> None:
    """Up to 0.56 the line that tells of a cancelled call stays in the list, until the next list drops it."""
    records = [user("u1", "go"), gemini("g1", "editing", toolCalls=[call("c1", "replace", None, "cancelled")])]
    home.log(
        LOG,
        header(),
        *records,
        info("i1", "Request cancelled."),
        user("u2", "fail"),
        {"$set": {"messages": records}},
    )
    assert conversation(home.only()) == [
        ("human", "go", "live"),
        ("model", "editing", "live"),
        ("human", "fail", "failed"),
    ]


def test_a_prompt_that_a_resume_passes_over_goes_with_its_answer(home: Home) -> None:
    """A loader leaves out prompts that begin like a command, and those run together with the context."""
    log = [
        header(),
        {"$set": {"messages": [context()]}},
        user("u1", "? go"),
        gemini("g1", "1"),
        user("u2", "on"),
        {"$set": {"messages": [context(), bare("g1", "1"), user("u2", "on")]}},
        gemini("g2", "2"),
    ]
    home.log(LOG, *log)
    assert {words[2] for words in conversation(home.only())} == {"live"}
    home.log(LOG, *log, {"$rewindTo": "g1"})
    assert {words[2] for words in conversation(home.only())} == {"rewound"}


def test_words_the_client_put_into_the_models_mouth_are_no_reply(home: Home) -> None:
    placeholder = bare("g2", "[The previous response was interrupted before it completed.]")
    received = bare("g4", [{"text": "Binary content received. Proceeding with analysis.", "thought": True}])
    listed = [user("u1", "go"), gemini("g1", "", toolCalls=[call("c1")]), user("r1", [response("c1")])]
    home.log(
        LOG,
        header(),
        *listed,
        {"$set": {"messages": [*listed, placeholder]}},
        user("u2", "look"),
        gemini("g3", "", toolCalls=[call("c2")]),
        user("r2", [response("c2")]),
        received,
        {**info("i1", ""), "content": [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]},
        gemini("g5", "A red pixel."),
    )
    session = home.only()
    assert [m.id for m in session.messages if m.author.value == "model"] == ["g1", "g3", "g5"]
    assert not [part for m in session.messages for part in m.parts if isinstance(part, Thinking)]
    assert [gap.why for gap in session.gaps] == [BROKEN_OFF]


def test_the_first_prompt_of_another_sessions_checkpoint_is_parted_from_its_context(home: Home) -> None:
    home.log(
        LOG,
        header(),
        {"$set": {"messages": [context()]}},
        *copied(user("k1", [*CONTEXT, {"text": "theirs"}]), bare("k2", "answered")),
        user("u1", "ours"),
        gemini("g1", "1"),
    )
    session = home.only()
    assert [(m.text, m.inherited) for m in session.prompts] == [("theirs", True), ("ours", False)]
    assert (session.usage.input, session.usage.exact) == (10, True)
