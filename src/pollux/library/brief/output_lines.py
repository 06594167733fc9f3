"""The lines of a tool's output that tell what happened, without what the client puts around them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_COLOURS = re.compile(r"\x1b\[[0-9;:?]*[ -/]*[@-~]")
# What clients write before, behind and between the lines of a program.
_FRAME = re.compile(
    r"(?:Chunk ID|Wall time|Original token count|Exit [Cc]ode|Total output lines|Command|Directory|Signal|"
    r"Background PIDs|Process Group PGID): .*"
    r"|Process exited with code -?\d+|Exit code -?\d+|(?:Output|Stdout|Stderr|Error):(?: \((?:none|empty)\))?"
    r"|</?(?:untrusted_context|tool_use_error|output|stdout|stderr)>"
)
_LEAD = re.compile(r"^\s*(?:Output|Stdout|Stderr): (?=\S)|^\s*<(?:tool_use_error|error)>")
_TRACE = "Traceback (most recent call last)"
_RAISED = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit|Interrupt)\b.*")
_TELLING = re.compile(
    r"\b(?:error|errors|failed|failure|fatal|panic|panicked|denied|cannot|could not|can't|unable|no such|not found"
    r"|not exist|unknown|invalid|undefined|unsupported|missing|refused|abort(?:ed)?|exception)\b|\bE\d{3,4}\b",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"\d+ (?:passed|failed|passing|failing|tests?|errors?|skipped)|\b(?:tests?|suites?|ran)\b.{0,40}\d|test result"
    r"|\bOK\b|\bFAILED\b|\bPASS(?:ED)?\b|\bFAIL\b",
    re.IGNORECASE,
)
_LAST = 20
"""How many of the last lines may tell how tests ended."""
_COMMITTED = re.compile(r"\[(\S+)(?: \([^)]*\))? ([0-9a-f]{7,40})\] (.+)")
_ENDING = re.compile(
    r"\b(?:interrupted|aborted|cancelled|canceled|stopped) by (?:the )?user|turn_aborted|request cancell?ed"
    r"|user (?:interrupted|aborted|cancelled|stopped)"
    r"|api error|ran out of room|(?:rate|usage|session|weekly|token|context) limit|limit (?:reached|exceeded)|quota"
    r"|overloaded|stream (?:error|disconnected)|unexpected status|prompt is too long",
    re.IGNORECASE,
)
_SHORT = 1_000
_CLOSING = re.compile(r"</(?:tool_use_error|error|untrusted_context)>\s*$")


def is_ending(text: str) -> bool:
    """Does a client say with this text that the user stopped the model, or that it could not go on?"""
    return len(text) < _SHORT and _ENDING.search(text) is not None


def told_lines(output: str) -> Iterator[str]:
    """What a program wrote, line by line, without colours and lines that hold no word."""
    return (line.strip() for line in _unframed(output) if any(character.isalnum() for character in line))


def _unframed(output: str) -> Iterator[str]:
    """The lines without colours, blank lines, and what the client put around them; indented as they were."""
    for line in _COLOURS.sub("", output).splitlines():
        told = _CLOSING.sub("", line.rstrip())
        if told.strip() and not _FRAME.fullmatch(told.strip()):
            yield _LEAD.sub("", told, count=1)


def error_line(output: str) -> str:
    """The line that tells best why something failed: what was raised, the first that speaks of an error, or the first.

    Empty where there is none.
    """
    return _error(list(told_lines(output)), is_trace=_TRACE in output)


def _error(lines: list[str], *, is_trace: bool) -> str:
    raised = [line for line in lines if _RAISED.match(line)] if is_trace else []
    if raised:
        return raised[-1]
    return next((line for line in lines if _RAISED.match(line) or _TELLING.search(line)), lines[0] if lines else "")


def result_line(output: str) -> str:
    """The last line that tells how tests ended, or the last line. Empty where there is none."""
    return _result(list(told_lines(output)))


def _result(lines: list[str]) -> str:
    last = reversed(lines[-_LAST:])
    return next((line for line in last if _RESULT.search(line)), lines[-1] if lines else "")


def made_commits(output: str) -> Iterator[re.Match[str]]:
    """The commits that git tells of: their branch, their id, and their subject."""
    return (match for line in told_lines(output) if (match := _COMMITTED.match(line)) is not None)


def essential_lines(output: str, *, failed: bool) -> str:
    """The lines that the functions above choose, and no others; an error only where something failed."""
    lines = list(told_lines(output))
    commits = [line for line in lines if _COMMITTED.match(line)]
    error = [_error(lines, is_trace=_TRACE in output)] if failed else []
    chosen = (*error, *commits, _result(lines))
    return "\n".join(dict.fromkeys(line for line in chosen if line))


def answer_text(output: str) -> str:
    """What was answered, without the frame."""
    return "\n".join(_unframed(output))
