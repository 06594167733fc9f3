"""Where a session stands."""

from __future__ import annotations

import pytest

from pollux.library.brief.values import Section
from pollux.model import Fate, Kind, Message, Status, SummaryPart, Text
from tests.unit.library.brief.made import call, client, human, items_of, model, run, told


@pytest.mark.parametrize(
    ("messages", "state"),
    [
        ([], []),
        ([human("a"), model("b")], [("last reply", "b", "")]),
        ([human("a")], [("unanswered", "the last prompt got no reply", "")]),
        ([human("a"), model("b"), human("c")], [("unanswered", "the last prompt got no reply", "")]),
        (
            [human("a"), model("b", run("ls"), run("rm x", status=Status.UNFINISHED))],
            [("last reply", "b", ""), ("stopped after", "rm x", "no result; no reply followed")],
        ),
        (
            [human("a"), model("b"), model(run("make", status=Status.CANCELLED))],
            [("last reply", "b", ""), ("stopped after", "make", "cancelled; no reply followed")],
        ),
        (
            [human("a"), model("b"), client(Text(text="[Request interrupted by user]"))],
            [("last reply", "b", ""), ("the client said", "[Request interrupted by user]", "")],
        ),
        (
            [human("a"), client(Text(text="<turn_aborted> reason: interrupted")), client(Text(text="other"))],
            [("the client said", "<turn_aborted> reason: interrupted", "")],
        ),
        ([human("a"), model(run("web"), "found")], [("last reply", "found", "")]),
        (
            [human("a"), client(Text(text="API Error: 529 overloaded"))],
            [("the client said", "API Error: 529 overloaded", "")],
        ),
        ([model(run("ls"))], [("stopped after", "ls", "ok; no reply followed")]),
        (
            [human("a", Fate.REWOUND), model("b", fate=Fate.REWOUND), human("c"), model("d")],
            [("last reply", "d", ""), ("not part of it any more", "2 messages (rewound)", "")],
        ),
    ],
)
def test_how_it_ended(messages: list[Message], state: list[tuple[str, str, str]]) -> None:
    assert [told(item)[:3] for item in items_of(Section.STATE, *messages)] == state


def test_summaries_that_replaced_messages() -> None:
    items = items_of(
        Section.STATE,
        client(SummaryPart(text="first"), fate=Fate.COMPRESSED),
        human("a"),
        client(SummaryPart(text="second")),
        human("b"),
        model("c"),
    )
    assert [(item.what, item.text, item.least) for item in items] == [
        ("last reply", "c", 500),
        ("summary", "second", 400),
        ("summary", "first", 120),
    ]


def test_an_open_plan_stands_here() -> None:
    steps = [{"step": "one", "status": "completed"}, {"step": "two", "status": "in_progress"}]
    items = items_of(Section.STATE, human("a"), model(call("plan", {"plan": steps})), model("ok"))
    assert [told(item)[:3] for item in items] == [
        ("last reply", "ok", ""),
        ("plan", "[completed] one\n[in progress] two", "1 of 2 steps done"),
    ]


def test_of_prompts_alone_nobody_knows_what_was_answered() -> None:
    assert not items_of(Section.STATE, human("a"), kind=Kind.PROMPTS)
