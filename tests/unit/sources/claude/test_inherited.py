"""What a fork takes over from its parent: figures, calls, outputs, sub-agents."""

from __future__ import annotations

import pytest

from tests.unit.sources.claude.conftest import (
    OTHER,
    PROJECT,
    SID,
    Home,
    Json,
    call,
    calls,
    conversation,
    in_chain,
    json_lines,
    model,
    result,
    usage,
    user,
)
from tests.unit.sources.claude.forks import forked_from, own, renamed


def test_figures_that_only_the_copy_of_a_reply_has(home: Home) -> None:
    begun, ended = (
        model("Noted.", stop=stop, figures=usage(output)) for stop, output in ((None, 3), ("end_turn", 360))
    )
    shared = in_chain([user("42"), begun])
    copy = {**ended, **{name: begun[name] for name in ("uuid", "parentUuid", "timestamp")}}
    home.log(SID, *shared)
    file = home.log(OTHER, *renamed([shared[0], copy], OTHER), *own(OTHER, copy))
    library = home.library()
    parent = library.session(f"claude:{SID}")
    assert (parent.usage.output, parent.exact) == (360, True)
    items = library.usage.audit(parent).items
    assert [(item.counted, item.line, item.native["output_tokens"]) for item in items] == [
        (True, 2, 360),
        (False, 2, 3),
    ]
    assert (items[0].file, items[1].file) == (str(file), parent.files[0])
    assert "only this copy" in items[0].rule
    assert library.session(f"claude:{OTHER}").usage.output == 5


@pytest.mark.parametrize("outputs", [(360, 500), (500, 360)])
def test_of_several_copies_the_one_with_the_most_output_counts(home: Home, outputs: tuple[int, int]) -> None:
    shared = in_chain([user("42"), model("Noted.", stop=None, figures=usage(3))])
    home.log(SID, *shared)
    for name, output in zip((OTHER, OTHER.replace("b", "c")), outputs, strict=True):
        ended = model("Noted.", figures=usage(output))
        copy = {**ended, **{key: shared[1][key] for key in ("uuid", "parentUuid", "timestamp")}}
        home.log(name, *renamed([shared[0], copy], name), *own(name, copy, output))
    parent = home.sessions()[SID]
    assert (parent.usage.output, parent.exact) == (500, True)
    assert [line["usage"]["output_tokens"] for line in parent.messages[1].extra["lines"]] == [3]


def test_calls_that_a_fork_took_over_started_agents_of_its_parent(home: Home) -> None:
    done = result("toolu_1", "Done", {"status": "completed", "agentId": "a1234567"})
    records = in_chain([user("Ask."), call("toolu_1", "Agent", prompt="Look"), done, model("Ok.", "msg_2")])
    home.log(SID, *records)
    inside: Json = {"isSidechain": True, "agentId": "a1234567"}
    agent = json_lines(*in_chain([user("Look", **inside), model("Seen.", "msg_3", **inside)]))
    home.write(f"{PROJECT}/{SID}/subagents/agent-a1234567.jsonl", agent)
    home.log(OTHER, *renamed(records, OTHER), *own(OTHER, records[-1]))
    fork = home.sessions()[OTHER]
    assert [made.child for made in calls(fork)] == ["claude:a1234567"]
    assert fork.usage.requests == 1


def test_large_output_of_a_call_that_a_fork_took_over_lies_with_the_parent(home: Home) -> None:
    home.write(f"{PROJECT}/{SID}/tool-results/b1.txt", "all of it")
    cut = f"<persisted-output>\nFull output saved to: /old/{SID}/tool-results/b1.txt\n\nPreview:\nall"
    records = in_chain([user("Go."), call(), result("toolu_1", cut), model("Ok.", "msg_2")])
    home.log(SID, *records)
    home.log(OTHER, *renamed(records, OTHER), *own(OTHER, records[-1]))
    assert [made.output for session in home.sessions().values() for made in calls(session)] == ["all of it"] * 2


def test_agents_inside_a_transcript_that_is_forked_are_paid_once(home: Home) -> None:
    """1.0: they are not part of the conversation, and their records stand between its own."""
    inside: Json = {"isSidechain": True}
    asked = call("toolu_1", "Task", prompt="Look")
    agent = in_chain([user("Look", **inside), model("Seen.", "msg_3", **inside)])
    records = in_chain([user("Ask."), asked])
    records += [*agent, *in_chain([result(parentUuid=asked["uuid"]), model("Ok.", "msg_2")])]
    home.log(SID, *records)
    home.log(OTHER, *renamed(records, OTHER), *own(OTHER, records[-1]))
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (SID, OTHER)] == [[], [SID]]
    assert sum(session.usage.requests or 0 for session in sessions.values()) == 4


def test_side_question_begins_with_what_was_said_before_it(home: Home) -> None:
    records = in_chain([user("Remember 42."), model("Noted.")])
    home.log(SID, *records)
    inside: Json = {"isSidechain": True, "agentId": "aside_question-1"}
    asked = user("By the way?", parentUuid=records[1]["uuid"], **inside)
    lines = [*records, asked, model("Yes.", "msg_2", parentUuid=asked["uuid"], **inside)]
    home.write(f"{PROJECT}/{SID}/subagents/agent-aside_question-1.jsonl", json_lines(*lines))
    side = home.sessions()["aside_question-1"]
    assert [message.inherited for message in side.messages] == [True, True, False, False]
    assert (side.title, side.usage.requests) == ("By the way?", 1)


def test_session_after_clear_is_another(home: Home) -> None:
    home.log(SID, user("Hi"), model("Hello"))
    typed = "<command-name>/clear</command-name><command-message>clear</command-message><command-args></command-args>"
    home.log(
        OTHER,
        user(typed, sessionId=OTHER),
        user("Now", sessionId=OTHER),
        model("Fresh.", sessionId=OTHER, session_id=SID),
    )
    session = home.sessions()[OTHER]
    assert conversation(session)[0] == ("human", "/clear")
    assert session.usage.requests == 1
