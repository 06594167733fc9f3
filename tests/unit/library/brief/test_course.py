"""The prompts in order, and the last reply to each."""

from __future__ import annotations

from msgspec.structs import replace

from pollux.library.brief.values import Importance, Section
from pollux.model import Attachment, Author, Fate, FileReference, Kind
from tests.unit.library.brief.made import call, human, items_of, model, run, told


def test_prompts_and_the_replies_that_ended_their_turns() -> None:
    items = items_of(
        Section.COURSE,
        human("one"),
        model("I look", run("ls")),
        model("done one"),
        human("two"),
        human("three", Fate.LIVE, FileReference(path="a"), Attachment(media_type="image/png")),
        model("done three"),
    )
    assert [told(item)[:3] for item in items] == [
        ("asked", "one", ""),
        ("replied", "done one", ""),
        ("asked", "two", ""),
        ("asked", "three", "with 1 file, with 1 attachment"),
    ]
    assert [item.importance for item in items] == [
        Importance.FRAME,
        Importance.REPLY,
        Importance.PROMPT,
        Importance.FRAME,
    ]


def test_fates_are_told_in_words() -> None:
    items = items_of(
        Section.COURSE,
        human("old", Fate.COMPRESSED),
        model("old reply", fate=Fate.COMPRESSED),
        human("gone", Fate.REWOUND),
        model("gone reply", fate=Fate.REWOUND),
        human("broken", Fate.FAILED),
        human("stopped", Fate.CANCELLED),
        human("now"),
    )
    assert [told(item)[:3] for item in items] == [
        ("asked", "old", "compressed"),
        ("replied", "old reply", "compressed"),
        ("asked", "broken", "the request failed"),
        ("asked", "stopped", "cancelled"),
        ("asked", "now", ""),
    ]


def test_the_task_of_a_sub_agent() -> None:
    task = replace(human("Look for beans."), author=Author.MODEL)
    items = items_of(Section.COURSE, task, model("none"), kind=Kind.SUBAGENT)
    assert [told(item)[:2] for item in items] == [("task", "Look for beans.")]
    last = model(call("plan", {"report": {"found": "no beans", "where": ["here"]}}))
    (state,) = items_of(Section.STATE, task, last, kind=Kind.SUBAGENT)
    assert (state.what, state.detail) == ("stopped after", "no beans\nhere")
