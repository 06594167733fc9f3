# ruff: noqa: INP001 (a script, no package)
"""Draws the pictures of the documentation: what pollux prints and draws for the bundled sample.

Run it after a change of the output: `.venv/bin/python docs/pictures/draw.py`. A test compares the pictures with pollux.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.text import Text

COLUMNS = 92
ADVANCE, LINE, SIZE = 8.43, 20, 14
LEFT, TOP, BOTTOM = 26, 62, 26
INK, DIM, GROUND, BAR, EDGE = "#d7dae0", "#838a97", "#1d2026", "#262a32", "#363c48"
COLOURS = {1: "#ee7b82", 2: "#8fc77e", 3: "#e0b76a", 5: "#c596e3", 6: "#6cc3d5"}
ENVIRON = {
    "TZ": "UTC",
    "POLLUX_NOW": "2026-11-15T12:00:00Z",
    "FORCE_COLOR": "1",
    "COLUMNS": str(COLUMNS),
    "LANG": "C.UTF-8",
}
SOURCE = str(Path(__file__).parents[2] / "src")
TERMINALS = {
    "tour": (
        "A terminal in which pollux lists the sessions of three agents and shows the last one",
        {"pollux": 14, "pollux show last": 33},
    ),
    "stats": (
        "A terminal in which pollux shows usage by model and the turns of one session",
        {"pollux stats --by model": 9, "pollux stats d80997e6": 28},
    ),
}
"""A title, then what is typed, and how many lines of the answer are shown at most."""
CHARTS = {"chart": "stats --by day --of cost", "calendar": "timeline"}
"""What pollux draws itself."""
WORDS = re.compile(r"\S+(?: \S+)*")
"""Words with single spaces between them; wider gaps divide a line into pieces with places of their own."""
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"


def output(command: str) -> list[str]:
    """The lines pollux prints, with their colours."""
    arguments = [sys.executable, "-m", "pollux", "--sample", *command.split()[1:]]
    environ = {"PATH": os.environ.get("PATH", os.defpath), "HOME": os.devnull, "PYTHONPATH": SOURCE, **ENVIRON}
    done = subprocess.run(arguments, env=environ, capture_output=True, encoding="utf-8", check=True)  # noqa: S603
    return done.stdout.splitlines()


def lines(commands: dict[str, int]) -> list[Text]:
    """Everything on the picture, line by line."""
    found: list[Text] = []
    for command, most in commands.items():
        if found:
            found.append(Text())
        found.append(Text.assemble(("$ ", "green"), (command, "bold")))
        found += [Text.from_ansi(line) for line in output(command)[:most]]
    return found


def look(style: Style) -> str:
    """The attributes of a piece of text."""
    number = style.color.number if style.color is not None else None
    fill = DIM if style.dim else COLOURS.get(number or 0, INK)
    return f'fill="{fill}"' + (' font-weight="bold"' if style.bold else "")


def drawn(line: Text, y: float) -> str:
    """One line; every piece is told how wide it is, so that columns stay columns in any font."""
    pieces, column = [], 0
    for piece in line.render(Console(color_system=None)):
        style = piece.style if isinstance(piece.style, Style) else Style()
        for words in WORDS.finditer(piece.text):
            x = LEFT + (column + cell_len(piece.text[: words.start()])) * ADVANCE
            wide = cell_len(words[0]) * ADVANCE
            pieces.append(
                f'<text x="{x:.1f}" y="{y}" textLength="{wide:.1f}" lengthAdjust="spacingAndGlyphs" {look(style)}>'
                f"{escape(words[0])}</text>"
            )
        column += cell_len(piece.text)
    return "".join(pieces)


def terminal(title: str, commands: dict[str, int]) -> str:
    """The whole drawing."""
    told = lines(commands)
    width, height = LEFT * 2 + COLUMNS * ADVANCE, TOP + LINE * len(told) + BOTTOM - LINE // 2
    dots = "".join(
        f'<circle cx="{24 + 20 * n}" cy="19" r="6" fill="{fill}"/>'
        for n, fill in enumerate(("#e06c75", "#e5c07b", "#98c379"))
    )
    rows = "\n".join(drawn(line, TOP + LINE * n) for n, line in enumerate(told))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img">
<title>{title}</title>
<rect x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1}" rx="10" fill="{GROUND}" stroke="{EDGE}"/>
<path d="M0.5 38 V10.5 a10 10 0 0 1 10 -10 H{width - 10.5:.1f} a10 10 0 0 1 10 10 V38 Z" fill="{BAR}"/>
{dots}
<g font-family="{FONT}" font-size="{SIZE}">
<text x="{width / 2:.0f}" y="24" fill="{DIM}" text-anchor="middle" font-size="13">juno — pollux</text>
{rows}
</g>
</svg>
"""


def chart(command: str) -> str:
    """What pollux draws."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "chart.svg"
        output(f"pollux {command} --timezone UTC -o {file}")
        return file.read_text("utf-8")


def pictures() -> dict[str, str]:
    """Every picture by name."""
    drawings = {name: terminal(title, commands) for name, (title, commands) in TERMINALS.items()}
    return drawings | {name: chart(command) for name, command in CHARTS.items()}


if __name__ == "__main__":
    for name, drawing in pictures().items():
        Path(__file__).with_name(f"{name}.svg").write_text(drawing, "utf-8")
