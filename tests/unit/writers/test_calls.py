from __future__ import annotations

import pytest

from pollux.model import Status, ToolCall
from pollux.writers.calls import Bounds, arguments, excerpt, outcome, reason, whole_input


def made(status: Status = Status.OK, output: str | None = None, exit_code: int | None = None) -> ToolCall:
    return ToolCall(
        id=None, name="t", canonical="t", tool_kind="other", status=status, output=output, exit_code=exit_code
    )


@pytest.mark.parametrize(
    ("given", "shown", "whole"),
    [
        (None, [], True),
        ({}, [], True),
        ({"file_path": "a.py"}, [(None, "a.py")], True),
        ({"limit": 3, "file_path": "a.py"}, [(None, "a.py")], False),
        ({"path": "src", "pattern": "x"}, [(None, "x"), ("path", "src")], True),
        ({"command": "a\n  b"}, [(None, "a ⏎ b")], False),
        ({"command": ["ls", "-l"]}, [(None, "ls -l")], True),
        ({"agent_name": "scout", "prompt": "go"}, [(None, "scout"), ("prompt", "go")], True),
        ({"odd": True, "n": 4}, [("odd", "true"), ("n", "4")], True),
        ({"todos": [{}, {}]}, [("todos", "2 items")], False),
        ({"path": "", "url": "u"}, [(None, "u")], False),
        ({"query": "x" * 500}, [(None, "x" * 119 + "…")], False),
        (
            "*** Begin Patch\n*** Add File: a.py\n+x\n*** Update File: b c.py\n@@\n-x\n+y\n*** End Patch\n",
            [(None, "a.py b c.py")],
            False,
        ),
        ("*** Begin Patch\n", [(None, "*** Begin Patch")], True),
        ("free text", [(None, "free text")], True),
        ([1, "a"], [(None, "1 a")], True),
        (7, [(None, "7")], True),
    ],
)
def test_key_arguments(given: object, shown: list[tuple[str | None, str]], whole: bool) -> None:
    result, complete = arguments(given)
    assert [(argument.name, argument.text) for argument in result] == shown
    assert complete is whole


def test_at_most_three_arguments() -> None:
    assert len(arguments({"command": "a", "path": "b", "url": "c", "query": "d"})[0]) == 3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (made(), "ok"),
        (made(exit_code=0), "ok"),
        (made(Status.ERROR, exit_code=3), "failed, exit code 3"),
        (made(Status.ERROR), "failed"),
        (made(Status.CANCELLED), "cancelled"),
        (made(Status.UNFINISHED), "no result"),
    ],
)
def test_outcome(call: ToolCall, words: str) -> None:
    assert outcome(call) == words


def test_a_failure_of_one_line_is_its_own_reason() -> None:
    assert reason(made(Status.ERROR, " Not found.\n")) == "Not found."
    assert reason(made(Status.ERROR, "a\nb")) is None
    assert reason(made(Status.ERROR, "x" * 500)) is None
    assert reason(made(Status.OK, "Done.")) is None


def test_long_texts_of_an_input_stand_by_themselves() -> None:
    json, content = whole_input({"file_path": "a", "content": "x\ny\n"})
    assert (json.label, json.language, json.text) == ("Input", "json", '{\n  "file_path": "a"\n}')
    assert (content.label, content.text) == ("Input: content", "x\ny")


def test_an_input_that_cannot_be_written_is_named() -> None:
    deep: object = []
    for _ in range(100_000):
        deep = [deep]
    assert "nested too deeply" in whole_input({"a": deep})[0].text


BOUNDS = Bounds(head=2, tail=1, width=10)


@pytest.mark.parametrize(
    ("output", "label", "shown", "whole"),
    [
        ("a\nb\nc\n", "Result: 3 lines", "a\nb\nc", True),
        ("a", "Result: 1 line", "a", True),
        ("a\nb\nccc\ndd\ne", "Result: 3 of 5 lines", "a\nb\n[… 2 lines, 6 characters left out …]\ne", False),
        ("x" * 15, "Result: 1 line, shortened", "xxxxxxxxxx… [5 characters left out]", False),
        ("\x1b[0m", "Result: 1 line", "␛[0m", True),
    ],
)
def test_an_excerpt_says_what_is_missing(output: str, label: str, shown: str, whole: bool) -> None:
    section, complete = excerpt(output, BOUNDS)
    assert (section.label, section.text, complete) == (label, shown, whole)


def test_no_tail_is_no_tail() -> None:
    section, _ = excerpt("a\nb\nc", Bounds(head=1, tail=0, width=10))
    assert section.text == "a\n[… 2 lines, 3 characters left out …]"
