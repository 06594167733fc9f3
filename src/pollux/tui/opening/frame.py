"""The first screen as a terminal takes it: what Textual will draw there a moment later, without Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.color import ColorSystem

from pollux.draw.width import cut, pad, width
from pollux.text.figures import plural
from pollux.tui.canvas import StripCanvas, split
from pollux.tui.key_line import key_line
from pollux.tui.keys import LIST, of_place
from pollux.tui.list.layout import PLACEHOLDER, SIGN, list_columns, preview_columns, shows_status
from pollux.tui.looks import colourless

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pollux.tui.keys import Key
    from pollux.tui.looks import Styles
    from pollux.tui.opening.first import First

_ANY = ColorSystem.STANDARD
HEAD, FOOT = 2, 1
"""Lines above and below the list."""


def frame(first: First, columns: int, height: int, keys: tuple[Key, ...]) -> Iterator[tuple[str, str]]:
    """The lines of the screen, each with the style behind it."""
    canvas = StripCanvas(columns)
    yield _field(canvas, columns, first.sessions), "base"
    yield canvas.paint("─" * columns, "faint"), "base"
    preview = preview_columns(columns)
    edge = " " * (columns - preview - list_columns(columns)) + (canvas.paint("│", "faint") if preview else "")
    chosen = next((number for number, (_, key) in enumerate(first.lines) if key), -1)
    for number in range(height - HEAD - FOOT):
        line = first.lines[number][0] if number < len(first.lines) else ""
        yield _filled(line, list_columns(columns), "selected" if number == chosen else "") + edge, "base"
    yield key_line(canvas, of_place(LIST, keys), columns), "base"


def _field(canvas: StripCanvas, columns: int, sessions: int) -> str:
    status = plural(sessions, "session") if shows_status(columns) else ""
    room = max(columns - 2 - width(f"{SIGN} ") - (width(status) + 2 if status else 0), 1)
    words = pad(cut(PLACEHOLDER, room), room)
    field = canvas.paint(words[:1], "cursor") + canvas.paint(words[1:], "dim")
    return f" {canvas.paint(SIGN, 'accent', 'bold')} {field}" + canvas.paint(f"  {status}" if status else "", "dim")


def _filled(line: str, columns: int, style: str) -> str:
    """A line with blanks up to its end, all of it in one more style."""
    pieces = split(line)
    rest = columns - sum(width(text) for text, _ in pieces)
    named = [*pieces, (" " * max(rest, 0), "")]
    return "".join(StripCanvas(None).paint(text, *filter(None, [style, names])) for text, names in named)


def as_bytes(lines: Iterator[tuple[str, str]], looks: Styles, colours: ColorSystem | None) -> bytes:
    """What to write to a terminal."""
    drawn = []
    for number, (line, base) in enumerate(lines, 1):
        pieces = []
        for text, names in split(line):
            style = looks.above(looks[base])[names].style
            pieces.append((colourless(style) if colours is None else style).render(text, color_system=colours or _ANY))
        fill = looks[base].render(" ", color_system=colours)[: -len(" \x1b[0m")] if colours is not None else ""
        drawn.append(f"\x1b[{number};1H{fill}\x1b[K\x1b[0m{''.join(pieces)}")
    return "".join(drawn).encode("utf-8", "replace")


def colour_system(environ: Mapping[str, str]) -> ColorSystem | None:
    """The colours of the terminal, by the same rules as Textual has them."""
    if environ.get("NO_COLOR"):
        return None
    if environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return ColorSystem.TRUECOLOR
    return ColorSystem.EIGHT_BIT if environ.get("TERM", "").endswith(("256color", "kitty")) else ColorSystem.STANDARD
