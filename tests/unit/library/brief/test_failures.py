"""What failed, why, and what worked after it."""

from __future__ import annotations

from pollux.library.brief.failures import failures
from pollux.library.brief.values import Importance, Section
from pollux.model import Fate, Status
from tests.unit.library.brief.made import call, calls_of, failed, human, items_of, model, run, told


def test_a_failure_that_was_solved_later() -> None:
    (item,) = failures(
        calls_of(model(failed("make", "error: x")), model(failed("make", "error: y", 2)), model(run("make")))
    )
    assert told(item) == ("failed", "make", "exit code 2; 2 times; later it went well", "error: y")
    assert item.places == (1, 2)
    assert item.covers == ((0, 0), (1, 0), (2, 0))
    assert item.importance is Importance.SOLVED


def test_another_way_right_after() -> None:
    (item,) = failures(
        calls_of(model(failed("mogrify *.tiff", "not found", 127), run("magick *.tiff")), model(run("ls")))
    )
    assert item.note == "exit code 127; next, and it went well: magick *.tiff"
    assert item.places == (0,)


def test_no_way_is_claimed_across_prompts_tools_or_failures() -> None:
    (apart,) = failures(calls_of(model(failed("a", "no")), human("b"), model(run("c"))))
    (other,) = failures(calls_of(model(failed("a", "no")), model(call("read", {"file_path": "x"}))))
    (unlike,) = failures(calls_of(model(failed("ls /nowhere", "no"), run("grep report main.py"))))
    (before,) = failures(calls_of(model(run("a")), model(failed("a", "no"))))
    assert [item.note for item in (apart, other, unlike, before)] == ["exit code 1"] * 4
    assert apart.importance is Importance.DECISION


def test_an_edit_of_the_same_file() -> None:
    wrong = call("edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, "no match", Status.ERROR)
    right = call("edit", {"file_path": "a.py", "old_string": "z", "new_string": "y"})
    (item,) = items_of(Section.FAILED, model(wrong), model(right))
    assert told(item) == ("failed", "edit: a.py", "later it went well", "no match")


def test_what_was_taken_back_is_not_told() -> None:
    assert not items_of(Section.FAILED, model(failed("a", "no"), fate=Fate.REWOUND))
