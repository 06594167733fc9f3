"""Tests, commits, and the rest that was run."""

from __future__ import annotations

from pollux.library.brief.values import Section
from tests.unit.library.brief.made import call, failed, items_of, model, run, told


def test_tests_with_their_last_result() -> None:
    items = items_of(
        Section.CHANGED,
        model(failed("pytest -q", "1 failed, 3 passed in 0.2s")),
        model(run("pytest -q", "4 passed in 0.2s")),
        model(run("make test", "", exit_code=0)),
    )
    assert [told(item) for item in items] == [
        ("tested", "pytest -q", "2 runs, the last ok", "4 passed in 0.2s"),
        ("tested", "make test", "ok", ""),
    ]


def test_commits() -> None:
    items = items_of(
        Section.CHANGED,
        model(run("git add . && git commit -m 'Add a'", "[main 1a2b3c4] Add a\n 1 file changed")),
        model(run("git commit -qm quiet", "")),
        model(failed("git commit -m no", "nothing to commit")),
    )
    assert [told(item)[:3] for item in items] == [
        ("committed", "Add a", "1a2b3c4 on main"),
        ("committed", "git commit -qm quiet", ""),
    ]


def test_the_rest_once_each_without_what_other_lines_tell() -> None:
    items = items_of(
        Section.RAN,
        model(
            run("ls"),
            run("ls"),
            run("pytest"),
            run("git commit -m x"),
            failed("a words", "no"),
            run("b words"),
            run(" "),
        ),
        model(call("read", {"file_path": "x"}), call("agent", {"prompt": "y"})),
    )
    assert [told(item)[:3] for item in items] == [("ran", "ls", "2 times")]
