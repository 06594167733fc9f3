"""One table in a TOML text: read, set, removed. The rest of the text stays as it is."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
_KEY = r"""((?:"(?:\\.|[^"\\\n])*"|'[^'\n]*'|[A-Za-z0-9_-]++|[ \t]*\.[ \t]*)++)"""
_END = r"[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z)"
_BLANK = re.compile(_END)
_HEADING = re.compile(rf"[ \t]*\[\[?[ \t]*{_KEY}[ \t]*\]\]?{_END}")
_ASSIGNMENT = re.compile(rf"[ \t]*{_KEY}[ \t]*=[ \t]*")
_PIECE = re.compile(
    r'''"""(?:\\.|[^\\])*?"""(?!")|'{3}.*?'{3}(?!')|"(?:\\.|[^"\\\n])*"|'[^'\n]*[']'''
    r"""|\#[^\n]*|[\[\]{}]|[ \t]+|\r?\n|[^\s"'#\[\]{}]+""",
    re.DOTALL,
)


class _Statement(NamedTuple):
    """A heading or an assignment: the whole path of its names, its lines, and its value (none in a heading)."""

    path: tuple[str, ...]
    start: int
    end: int
    value: int
    value_end: int

    @property
    def is_heading(self) -> bool:
        """Does it begin a table?"""
        return self.value == self.value_end


def parse(text: str) -> dict[str, Any]:
    """The value of a text. Raises `ValueError`."""
    return tomllib.loads(text.removeprefix("\ufeff"))


def render(value: Any) -> str:
    """A value as it stands behind a name."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_name(key)} = {render(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(render, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def fragment(path: Sequence[str], value: Any) -> str:
    """The value under its names: an object as a table of its own."""
    if not isinstance(value, Mapping):
        return f"{_dotted(path)} = {render(value)}\n"
    return f"[{_dotted(path)}]\n" + "".join(f"{_name(key)} = {render(inner)}\n" for key, inner in value.items())


def with_value(text: str, path: Sequence[str], value: Any) -> str:
    """The text with another value at a path of names: in its place if it has one, else at the end.

    Raises `ValueError` where the text has no room for it.
    """
    wanted, statements = tuple(path), _statements(text)
    own = next((one for one in statements if one.path == wanted and not one.is_heading), None)
    if own is not None:
        return text[: own.value] + render(value) + text[own.value_end :]
    heading = next((one for one in statements if one.path == wanted[:-1] and one.is_heading), None)
    if heading is not None and not isinstance(value, Mapping):
        return text[: heading.end] + _line(text, heading) + fragment(wanted[-1:], value) + text[heading.end :]
    rest = without(text, wanted) if any(_is_within(one, wanted) for one in statements) else text
    return rest + _gap(rest) + _lines(fragment(wanted, value), text)


def without(text: str, path: Sequence[str]) -> str:
    """The text without the value at a path. It must be there."""
    wanted, statements = tuple(path), _statements(text)
    runs: list[tuple[int, int]] = []
    for before, one in zip([None, *statements], statements, strict=False):
        if _is_within(one, wanted):
            joined = runs and before is not None and _is_within(before, wanted)
            runs[-1:] = [(runs[-1][0], one.end)] if joined else [*runs[-1:], (one.start, one.end)]
    if not runs:
        raise ValueError(f"there is no {_dotted(wanted)}")
    for start, end in reversed(runs):
        text = _cut(text, start, end)
    return text


def _is_within(one: _Statement, path: tuple[str, ...]) -> bool:
    return one.path[: len(path)] == path


def _cut(text: str, start: int, end: int) -> str:
    """The text without some lines; of two empty lines that meet then, or at the end, one goes too."""
    before, after = text[:start], text[end:]
    for newline in ("\r\n", "\n"):
        if before.endswith(newline * 2) and (not after or after.startswith(newline)):
            return before[: -len(newline)] + after
    return before + after


def _gap(text: str) -> str:
    """What stands between a text and one more table."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if not text.removeprefix("\ufeff"):
        return ""
    return newline if text.endswith("\n") else newline * 2


def _line(text: str, heading: _Statement) -> str:
    return "" if text[: heading.end].endswith("\n") else "\n"


def _lines(new: str, text: str) -> str:
    return new.replace("\n", "\r\n") if "\r\n" in text else new


def _name(key: str) -> str:
    return key if _BARE.match(key) else render(key)


def _dotted(path: Sequence[str]) -> str:
    return ".".join(map(_name, path))


# ------------------------------------------------------------------------------------------------- the statements


def _statements(text: str) -> list[_Statement]:
    """The statements of a text that is known to be valid."""
    found: list[_Statement] = []
    table: tuple[str, ...] = ()
    place = len(text) - len(text.removeprefix("\ufeff"))
    while place < len(text):
        if blank := _BLANK.match(text, place):
            place = blank.end()
            continue
        start = place
        if heading := _HEADING.match(text, place):
            place = heading.end()
            table = _path(heading[1])
            found.append(_Statement(table, start, place, place, place))
        elif assignment := _ASSIGNMENT.match(text, place):
            end, place = _value_end(text, assignment.end())
            found.append(_Statement(table + _path(assignment[1]), start, place, assignment.end(), end))
        else:
            raise ValueError("it is not understood")
    return found


def _path(key: str) -> tuple[str, ...]:
    """The names of a dotted key."""
    names: list[str] = []
    value: Any = tomllib.loads(f"{key} = 0")
    while isinstance(value, dict):
        ((name, value),) = value.items()
        names.append(name)
    return tuple(names)


def _value_end(text: str, place: int) -> tuple[int, int]:
    """Where the value ends that begins at a place, and where its line does."""
    depth, end = 0, place
    while place < len(text):
        piece = _PIECE.match(text, place)
        if piece is None:
            raise ValueError("it is not understood")
        place = piece.end()
        if piece[0].endswith("\n") and piece[0].isspace():
            if not depth:
                return end, place
        elif piece[0][0] not in "# \t":
            depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(piece[0], 0)
            end = place
    return end, place
