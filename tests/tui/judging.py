"""Judges what a program wrote to a terminal: whether anything in it steers the terminal that should not."""

from __future__ import annotations

import re
from typing import Any

from pollux.text.escape import visible
from tests.tui.terminal import TerminalProgram

_SEQUENCE = re.compile(
    r"\x1b(?:\[(?P<mark>[<=>?]?)(?P<numbers>[0-9;:]*)(?P<kind>[ -/]*[@-~])"
    r"|\](?P<command>[0-9]*);?(?P<words>[^\x07\x1b]*)(?:\x07|\x1b\\)"
    r"|(?P<other>[PX^_].*?(?:\x1b\\|\x07)|[ -/]*[0-~]))",
    re.DOTALL,
)
_MODES = {
    "1",
    "7",
    "25",
    "1000",
    "1002",
    "1003",
    "1004",
    "1006",
    "1015",
    "1016",
    "1047",
    "1049",
    "2004",
    "2026",
    "2031",
    "2048",
}
"""Arrow keys, line wrapping, cursor, mouse, focus, the other screen, pasting, frames, changes of theme and size."""

_SHOWN_BEFORE = {"7", "25"}
"""Modes that are on in a terminal that nobody uses."""

_NEEDED = {"A", "B", "C", "D", "H", "J", "K", "m"}
_QUESTIONS = {("?", "$p"), (">", "q"), (">", "u"), ("<", "u"), ("?", "u"), ("=", "u"), ("", "c"), ("", "n")}
"""What a terminal can do, asked or set."""


def steering(written: bytes | bytearray, *, copied: bool = False) -> list[str]:
    """Everything in it that steers the terminal and that no full screen needs, and every letter that is not visible.

    With `copied`, a text may have been sent to the clipboard.
    """
    text = written.decode("utf-8")
    found = [match[0] for match in _SEQUENCE.finditer(text) if not _is_needed(match, copied=copied)]
    letters = re.sub(r"[\r\n\x08]", "", _SEQUENCE.sub("", text))
    pairs = zip(letters, visible(letters), strict=False)
    place = next((number for number, (one, other) in enumerate(pairs) if one != other), None)
    return found if place is None else [*found, letters[max(place - 20, 0) : place + 20]]


def _is_needed(match: re.Match[str], *, copied: bool) -> bool:
    if match["command"] is not None:
        return match["command"] == "22" or (match["command"] == "52" and copied)  # 22 is the pointer's shape
    if match["other"] is not None:
        return match["other"] in ("7", "8", "(B", ">", "=")
    if match["mark"] == "?" and match["kind"] in ("h", "l"):
        return set(match["numbers"].split(";")) <= _MODES
    return (match["kind"] in _NEEDED and not match["mark"]) or (match["mark"], match["kind"]) in _QUESTIONS


def left_on(written: bytes | bytearray) -> list[str]:
    """The modes that are not as they were before the program ran."""
    state: dict[str, str] = {}
    for match in _SEQUENCE.finditer(written.decode("utf-8", "replace")):
        if match["mark"] == "?" and match["kind"] in ("h", "l"):
            state |= dict.fromkeys(match["numbers"].split(";"), match["kind"])
    return [mode for mode, kind in state.items() if (kind == "h") != (mode in _SHOWN_BEFORE)]


def left_as_it_was(terminal: TerminalProgram, before: list[Any], status: int = 0, *, copied: bool = False) -> None:
    """The program has ended as it should, steered nothing, and nothing of it is left in the terminal."""
    assert terminal.wait() == status, terminal.text
    assert b"Traceback" not in terminal.written
    steers, modes = steering(terminal.written, copied=copied), left_on(terminal.written)
    assert not steers, ascii(steers)
    assert not modes, modes
    assert terminal.settings()[:4] == before[:4]
    assert terminal.screen.title == ""
    assert not terminal.screen.cursor.hidden
