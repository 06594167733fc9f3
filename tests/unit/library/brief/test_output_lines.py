"""Which line of an output tells what happened."""

from __future__ import annotations

import pytest

from pollux.library.brief.output_lines import answer_text, error_line, essential_lines, made_commits, result_line

CODEX = "Chunk ID: 1\nWall time: 0.2 seconds\nProcess exited with code 1\nOriginal token count: 9\nOutput:\n"


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("", ""),
        ("\n \n", ""),
        ("something\nelse", "something"),
        ("compiling\nerror: no field `x`\nerror: 2 more", "error: no field `x`"),
        ("Traceback (most recent call last):\n  File x\nKeyError: 'file'\n\nand\nValueError: two\n", "ValueError: two"),
        (CODEX + "ls: cannot access 'x': No such file", "ls: cannot access 'x': No such file"),
        ("Exit code 2\nfine\n\x1b[31mfatal: bad\x1b[0m", "fatal: bad"),
        ("<tool_use_error>File does not exist.</tool_use_error>", "File does not exist."),
        (
            "Command: x\nDirectory: (root)\nOutput: bash: mogrify: command not found\nError: (none)\nExit Code: 127",
            "bash: mogrify: command not found",
        ),
        (
            "<untrusted_context>\nOutput: ..F.\nFAILED tests/a.py - AssertionError\n</untrusted_context>",
            "FAILED tests/a.py - AssertionError",
        ),
        ("---\n===\n***", ""),
    ],
)
def test_the_line_of_an_error(output: str, line: str) -> None:
    assert error_line(output) == line


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("", ""),
        ("....\n4 passed in 0.19s\nProcess Group PGID: 7", "4 passed in 0.19s"),
        (
            "running 3 tests\ntest result: ok. 3 passed; 0 failed\n\nDoc-tests x\n",
            "test result: ok. 3 passed; 0 failed",
        ),
        ("Ran 2 tests in 0.1s\n\nOK", "OK"),
        ("hello\nworld", "world"),
    ],
)
def test_the_line_of_a_result(output: str, line: str) -> None:
    assert result_line(output) == line


def test_commits_as_git_tells_them() -> None:
    output = "[main (root-commit) 1a2b3c4] Begin\n 1 file changed\n[topic 5d6e7f8] Go on: [x]\n[no commit]"
    assert [match.groups() for match in made_commits(output)] == [
        ("main", "1a2b3c4", "Begin"),
        ("topic", "5d6e7f8", "Go on: [x]"),
    ]


def test_an_answer_keeps_all_but_the_frame() -> None:
    assert answer_text('Output: {\n  "a": 1\n}\nExit Code: 0') == '{\n  "a": 1\n}'


def test_the_essential_lines_are_chosen_again() -> None:
    noise = "\n".join(f"line {number}" for number in range(50))
    trace = f"{noise}\nTraceback (most recent call last):\n  raise\nValueError: bad\n{noise}\n1 failed, 2 passed\n"
    few = essential_lines(trace, failed=True)
    assert few.split("\n") == ["ValueError: bad", "1 failed, 2 passed"]
    assert (error_line(few), result_line(few)) == (error_line(trace), result_line(trace))
    assert essential_lines(trace, failed=False) == "1 failed, 2 passed"
