"""Where output goes: how wide it is, whether it has colours, and the pager in front of it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click

from pollux.cli.options.common import COLOR, PAGER
from pollux.cli.terminal.dumb import dumb
from pollux.draw.canvas import Canvas

LEAD = 6
_OURS = re.compile(r"(\x1b\[[0-9;]*m)")


class Screen(Canvas):
    """Standard output as this run sees it."""

    def __init__(self, ctx: click.Context) -> None:
        self.terminal = _is_terminal(sys.stdout)
        super().__init__(
            _columns(self.terminal),
            color=_color(ctx.meta.get(COLOR, "auto"), self.terminal),
            markdown=self.terminal,
        )
        self.paged = self.terminal and not ctx.meta.get(PAGER) and dumb() is None

    def lines(self, lines: Iterable[str]) -> None:
        """Write lines, through a pager on a terminal."""
        if self.paged:
            from pollux.cli.terminal.pager import page

            if page(lines):
                return
        for line in lines:
            sys.stdout.write(f"{line}\n")

    def lines_at(self, lines: Sequence[str], at: int) -> None:
        """Write lines so that the reader begins a little before one of them.

        A pager can go back from there. Where there is none, the title stands above, and what was left out is counted.
        """
        begin = max(0, at - LEAD)
        if self.paged:
            from pollux.cli.terminal.pager import page

            if page(lines, begin):
                return
        left_out = begin - 1
        if left_out > 1:
            self.lines([lines[0], self.paint(f"… {left_out:,} lines before", "dim"), *lines[begin:]])
        else:
            self.lines(lines)

    def json(self, document: Any) -> None:
        """Write one JSON document."""
        self.document(json_text(document))

    def json_lines(self, documents: Iterable[Any]) -> None:
        """Write JSON documents, one on each line."""
        self.document("".join(map(json_text, documents)))

    def document(self, text: str) -> None:
        """Write JSON unchanged. On a terminal, harmful characters are escaped, which means the same in JSON."""
        from pollux.text.escape import escaped

        self.raw(escaped(text) if self.terminal else text)

    def readable(self, text: str) -> None:
        """Write text that programs read, too, unchanged. On a terminal, harmful characters are made visible."""
        from pollux.text.escape import visible

        self.raw(visible(text) if self.terminal else text)

    def raw(self, text: str | bytes) -> None:
        """Write bytes, or text in UTF-8 whatever the locale is."""
        data = text if isinstance(text, bytes) else text.encode("utf-8", "backslashreplace")
        stream = getattr(sys.stdout, "buffer", None)
        if stream is None:
            sys.stdout.write(data.decode("utf-8", "replace"))
        else:
            stream.write(data)


def talk(text: str) -> None:
    """Write a line to stderr. Only our own colours pass; other control characters are made visible."""
    from pollux.text.escape import visible

    sys.stdout.flush()
    pieces = _OURS.split(text)
    sys.stderr.write("".join(piece if _OURS.fullmatch(piece) else visible(piece) for piece in pieces) + "\n")


def json_text(document: Any) -> str:
    """A JSON document as it is written: one line."""
    from pollux.writers.json import encode

    return encode(document) + "\n"


def write_to_stderr(document: dict[str, Any]) -> None:
    """Write a JSON document to stderr, in ASCII, whatever its encoding is."""
    import json

    sys.stderr.write(json.dumps(document) + "\n")


def _is_terminal(stream: Any) -> bool:
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False


def _color(choice: str, terminal: bool) -> bool:
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return terminal and dumb() is None


def _columns(terminal: bool) -> int | None:
    """The width of the output. A pipe has none, unless COLUMNS is set."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return max(int(columns), 20)
    if not terminal:
        return None
    from shutil import get_terminal_size

    return max(get_terminal_size((80, 24)).columns, 20)
