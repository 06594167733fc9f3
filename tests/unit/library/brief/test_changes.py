"""Files that were edited."""

from __future__ import annotations

from pollux.library.brief.values import Section
from pollux.model import Fate, Status
from tests.unit.library.brief.made import call, items_of, model, told

EDIT = {"file_path": "/home/ada/code/x/a.py", "old_string": "1", "new_string": "2\n3"}


def test_files_with_their_lines_and_the_last_reason() -> None:
    items = items_of(
        Section.CHANGED,
        model(call("edit", {**EDIT, "instruction": "first"})),
        model(call("write", {"file_path": "/elsewhere/b.py", "content": "1\n2\n"})),
        model("Now the rest.", call("edit", EDIT)),
        model(call("edit", EDIT, "no", Status.ERROR)),
        model(call("edit", EDIT), fate=Fate.REWOUND),
    )
    assert [told(item) for item in items] == [
        ("edited", "/elsewhere/b.py", "1 edit, written as a whole, with 2 lines", ""),
        ("edited", "a.py", "2 edits, +4 -2 lines", "Now the rest."),
    ]
    assert [item.places for item in items] == [(1,), (2,)]


def test_lines_that_nobody_knows_are_not_made_up() -> None:
    (item,) = items_of(
        Section.CHANGED, model(call("edit", {"file_path": "a"}), call("edit", {**EDIT, "file_path": "a"}))
    )
    assert item.note == "2 edits, at least +2 -1 lines"
    (unknown,) = items_of(Section.CHANGED, model(call("edit", {"file_path": "a"})))
    assert unknown.note == "1 edit"
