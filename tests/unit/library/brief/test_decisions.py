"""What people decided."""

from __future__ import annotations

from pollux.library.brief.one_session import About, Material
from pollux.library.brief.values import Importance, Section
from pollux.model import Anchor, Fate, Marks, MessageMarks, SessionMarks, Status
from tests.unit.library.brief.made import call, human, items_of, model, run, session, told


def test_prompts_that_were_taken_back_and_what_was_asked_instead() -> None:
    items = items_of(
        Section.DECIDED,
        human("no", Fate.REWOUND),
        model("x", fate=Fate.REWOUND),
        human("yes"),
        human("never", Fate.REWOUND),
    )
    assert [(item.what, item.text, item.places) for item in items] == [
        ("taken back", "no", (0, 2)),
        ("taken back", "never", (3,)),
    ]


def test_refusals_answers_and_plans() -> None:
    items = items_of(
        Section.DECIDED,
        human("a"),
        model(run("rm -rf x", "The user said no.", Status.CANCELLED)),
        model(call("ask", {"questions": [{"question": "Which?"}, {"question": "When?"}]}, "The first. Now.")),
        model(call("ask", {"question": "Why?"}, "Because.")),
        model(call("plan", {"plan": "# Steps"})),
        model(call("plan", {"plan": "# Others"}, "no", Status.ERROR)),
    )
    assert [told(item) for item in items] == [
        ("refused or stopped", "rm -rf x", "", "The user said no."),
        ("the user was asked", "Which? / When?", "", "The first. Now."),
        ("the user was asked", "Why?", "", "Because."),
        ("plan shown to the user", "# Steps", "", ""),
        ("plan shown to the user", "# Others", "", "not approved"),
    ]


def test_notes_and_stars_of_the_user() -> None:
    whole = session(human("a"), model("b"), model("c"))
    notes = {
        Anchor.of(message).key: MessageMarks(anchor=Anchor.of(message), marks=marks)
        for message, marks in zip(whole.messages[1:], (Marks(note="good"), Marks(starred=True)), strict=True)
    }
    about = About(
        name="claude:abcdef12", marks=SessionMarks(session=Marks(note="all of it", name="Mine"), messages=notes)
    )
    material = Material(whole, about)
    items = [item for item in material.items if item.section is Section.DECIDED]
    assert [(item.what, item.text, item.places) for item in items] == [
        ("noted by the user", "all of it", ()),
        ("noted by the user", "good", (1,)),
        ("starred by the user", "c", (2,)),
    ]
    assert {item.importance for item in items} == {Importance.STATE}
    assert material.lines(material.brief(500))[0] == "# Mine"
