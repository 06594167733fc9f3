"""What `benchmarks.lake` measured, as tables: slopes, and on paper what more of it would take.

`python -m benchmarks.lake_slopes < lake.jsonl` prints them.
"""

from __future__ import annotations

import json
import sys
from typing import Any

MANY = 100_000_000
"""So many sessions, as large as those that were measured."""
LEAST = 1
"""CPU seconds for a GB below which a slope is not told from noise."""
A_DAY, DAYS, STATES = 20, 220, 2
"""How many sessions a person has on a day, on how many days of a year, and how often each is pushed."""
STORAGE, PUTS, CORE_HOUR = 0.023, 0.005, 0.05
"""Dollars for a GB and month, for a thousand puts, and for an hour of a core."""


class Slopes:
    """What a session takes more, from the smallest history to the largest: without what every command takes anyway."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        by_size = sorted(rows, key=lambda row: row["sessions"])
        self.largest = by_size[-1]
        self._smallest = by_size[0] if len(by_size) > 1 else None

    def a_session(self, *path: str) -> float:
        """The slope of a figure."""
        sessions = self.largest["sessions"] - (self._smallest["sessions"] if self._smallest else 0)
        return (_at(self.largest, path) - (_at(self._smallest, path) if self._smallest else 0)) / sessions

    def a_gigabyte(self, *path: str) -> float:
        """The slope by GB of raw files."""
        return self.a_session(*path) / self.a_session("raw MB") * 1000


def _at(row: Any, path: tuple[str, ...]) -> float:
    for name in path:
        row = row[name]
    return float(row)


def report(rows: list[dict[str, Any]]) -> str:
    """Both tables."""
    found = Slopes(rows)
    largest = found.largest
    head = f"{largest['sessions']:,} sessions, {largest['raw MB']:,.0f} MB of raw files"
    return "\n\n".join((head, "\n".join(_slopes(found)), "\n".join(_people(found))))


def _slopes(found: Slopes) -> list[str]:
    """What was measured, what a GB of raw files takes, and what more of it would take."""
    largest = found.largest
    raw = found.a_session("raw MB") * MANY / 1e6
    lines = [f"| | measured | for a GB of raw files | 1 TB | 100 M sessions, {raw:.0f} TB |", "|---|--:|--:|--:|--:|"]
    for name in ("documents", "tables"):
        part = found.a_gigabyte(f"{name} MB") / 1000
        measured = f"{largest[f'{name} MB']:,.0f} MB | {part:.2f} GB"
        lines.append(f"| {name} | {measured} | {part:.2f} TB | {part * raw:.1f} TB |")
    for name, cost in largest["lake"].items():
        cpu = found.a_gigabyte("lake", name, "cpu s")
        hours = cpu * 1000 / 3600
        if cpu < LEAST:
            lines.append(f"| {name} | {cost['cpu s']:,.1f} CPU s | below {LEAST} CPU s | | |")
            continue
        measured = f"{cost['cpu s']:,.1f} CPU s | {cpu:,.1f} CPU s"
        lines.append(f"| {name} | {measured} | {hours:,.1f} core-h | {hours * raw:,.0f} core-h |")
    return lines


def _people(found: Slopes) -> list[str]:
    """What a year of so many people takes, and costs a month at its end."""
    raw, documents, tables = (found.a_session(f"{name} MB") / 1000 for name in ("raw", "documents", "tables"))
    loading = sum(found.a_session("lake", name, "cpu s") for name in ("load", "tidy"))
    lines = [
        "| people | sessions a year | raw files | documents | tables | loading, a day | storage | puts | loading |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for people in (10, 500, 5000):
        count = people * A_DAY * DAYS
        cpu = STATES * loading * count
        amounts = (count * raw, STATES * count * documents, count * tables)
        dollars = (
            (amounts[1] + amounts[2]) * STORAGE,
            STATES * count / 12 / 1000 * PUTS,
            cpu / 12 / 3600 * CORE_HOUR,
        )
        cells = [f"{people:,}", f"{count:,}", *map(_gigabytes, amounts), f"{cpu / DAYS / 60:,.1f} CPU min"]
        lines.append(f"| {' | '.join([*cells, *(f'${value:,.2f}' for value in dollars)])} |")
    return lines


def _gigabytes(size: float) -> str:
    return f"{size / 1000:,.1f} TB" if size >= 1000 else f"{size:,.1f} GB"


if __name__ == "__main__":
    print(report([json.loads(line) for line in sys.stdin if line.strip()]))
