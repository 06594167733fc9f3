"""How the cost grows with the history, as a picture.

`python -m benchmarks.plot < store.jsonl > store.svg` for sync and search, and the same for the first answers of
`benchmarks.first` and for `benchmarks.lake`.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from typing import Any

WIDTH, HEIGHT, LEFT, TOP, PANEL = 760, 320, 64, 40, 290
COLOURS = ("#3b6ea5", "#c8692b", "#4d8c57", "#8a5aa8", "#b03a5b")

SHOWN = {"rare word": "rare word", "common word": "common word", "phrase": "phrase", "架构": "Chinese pair"}
FIRST = {
    "sync": "complete index",
    "search, rare word": "search",
    "stats": "stats",
    "bare parse": "bare parse",
    "list --limit 20": "list",
}
SPARK = ("Spark, one worker", "Spark, two workers")
_APART = 14

Lines = dict[str, list[tuple[float, float]]]


def picture(rows: list[dict[str, Any]]) -> str:
    """The picture of the figures that these rows have."""
    if "lake" in rows[0]:
        return of_lake(rows)
    return of_first_answers(rows) if "bare parse" in rows[0] else of_store(rows)


def of_lake(rows: list[dict[str, Any]]) -> str:
    """Two panels: CPU seconds of each step, and seconds with one and two workers, or without Spark megabytes."""
    shown = {"push": "push", "load": "load", "stats": "stats", "search, rare word": "search", SPARK[0]: "Spark"}
    both = {"load": "one loader", "load, two loaders": "two loaders", SPARK[0]: "Spark, one", SPARK[1]: "Spark, two"}
    if SPARK[1] in rows[0]["lake"]:
        title, right = "seconds with one and two", _lines(rows, both, "wall s")
    else:
        names = {"raw MB": "raw files", "documents MB": "documents", "tables MB": "tables"}
        title, right = (
            "megabytes",
            {label: [(row["sessions"], row[name]) for row in rows] for name, label in names.items()},
        )
    body = panel(LEFT, "CPU seconds", _lines(rows, shown, "cpu s")) + panel(LEFT + PANEL + 80, title, right)
    return drawing("Cost of a lake by number of sessions", body)


def _lines(rows: list[dict[str, Any]], shown: dict[str, str], figure: str) -> Lines:
    return {
        label: [(row["sessions"], row["lake"][name][figure]) for row in rows]
        for name, label in shown.items()
        if all(name in row["lake"] for row in rows)
    }


def of_first_answers(rows: list[dict[str, Any]]) -> str:
    """Two panels: seconds of each first command, and how many bare parses of the whole history that is."""
    seconds: Lines = {
        label: [(row["sessions"], row[name]["s"]) for row in rows] for name, label in FIRST.items() if name in rows[0]
    }
    bare = {row["sessions"]: row["bare parse"]["s"] for row in rows}
    ratios = {name: [(count, value / bare[count]) for count, value in line] for name, line in seconds.items()}
    body = panel(LEFT, "seconds", seconds) + panel(LEFT + PANEL + 80, "bare parses of the history", ratios)
    return drawing("The first commands without a cache, by number of sessions", body)


def of_store(rows: list[dict[str, Any]]) -> str:
    """Two panels: seconds of a sync, milliseconds of a search."""
    sync: Lines = {
        "first sync": [(row["sessions"], row["first sync s"]) for row in rows],
        "bare parse": [(row["sessions"], row["bare parse s"]) for row in rows],
        "unchanged": [(row["sessions"], row["unchanged sync s"]) for row in rows],
        "one grows": [(row["sessions"], row["one grows s"]) for row in rows],
    }
    search: Lines = {
        label: [(row["sessions"], row["search"][name]["p50 ms"]) for row in rows] for name, label in SHOWN.items()
    }
    body = panel(LEFT, "seconds", sync) + panel(LEFT + PANEL + 80, "milliseconds a search (p50)", search)
    return drawing("Cost of the store by number of sessions", body)


def drawing(title: str, body: str) -> str:
    """A picture that is readable on light and dark pages."""
    style = "text{font:12px sans-serif;fill:#444}@media(prefers-color-scheme:dark){text{fill:#bbb}}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        f"<title>{title}</title><style>{style}</style>{body}</svg>\n"
    )


def panel(left: int, title: str, lines: Lines) -> str:
    """One panel with logarithmic axes."""
    points = [point for line in lines.values() for point in line]
    x = scale([p[0] for p in points], left, left + PANEL - 90)
    y = scale([p[1] for p in points], HEIGHT - 40, TOP)
    out = [f'<text x="{left}" y="{TOP - 16}">{title}</text>']
    for value in decades([p[1] for p in points]):
        out.append(
            f'<line x1="{left}" x2="{left + PANEL - 90}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#8884"/>'
        )
        out.append(f'<text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    out += [
        f'<text x="{x(value):.1f}" y="{HEIGHT - 18}" text-anchor="middle">{value:,.0f}</text>'
        for value in sorted({p[0] for p in points})
    ]
    labels = apart({name: y(line[-1][1]) for name, line in lines.items()})
    for colour, (name, line) in zip(COLOURS, lines.items(), strict=False):
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in line)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3" fill="{colour}"/>' for a, b in line]
        place = f'x="{x(line[-1][0]) + 8:.1f}" y="{labels[name] + 4:.1f}"'
        out.append(f'<text {place} style="fill:{colour}">{name}</text>')
    return "".join(out)


def apart(places: dict[str, float]) -> dict[str, float]:
    """The places of labels, from above, none so near to the one before that they overlap."""
    found: dict[str, float] = {}
    last = -math.inf
    for name, place in sorted(places.items(), key=lambda pair: pair[1]):
        last = found[name] = max(place, last + _APART)
    return found


def scale(values: list[float], start: float, end: float) -> Callable[[float], float]:
    """From a value to a place, logarithmically."""
    low, high = math.log10(min(values)), math.log10(max(values))
    return lambda value: start + (math.log10(value) - low) / (high - low or 1) * (end - start)


def decades(values: list[float]) -> list[float]:
    """The powers of ten between the values."""
    return [10.0**n for n in range(math.ceil(math.log10(min(values))), math.floor(math.log10(max(values))) + 1)]


if __name__ == "__main__":
    sys.stdout.write(picture([json.loads(line) for line in sys.stdin if line.strip()]))
