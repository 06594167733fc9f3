"""A damaged copy of a Codex session beside the complete file changes nothing: no figure, no message, no `exact`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pollux.model import Session
from pollux.testing.cases import SEED
from pollux.testing.chooser import Chooser
from pollux.testing.homes import Home, Stage, homes
from tests.properties.codex import CODEX

CORPUS = Path(__file__).parents[1] / "corpus" / "codex"
EXHAUSTIVE = os.environ.get("POLLUX_EXHAUSTIVE", "") not in ("", "0")
MOST = None if EXHAUSTIVE else 3
"""In how many places a copy is damaged in the same way."""
Lines = list[bytes]
Damage = Callable[[Lines, int], Lines]


def without_beginning(lines: Lines, place: int) -> Lines:
    return lines[place:]


def without_lines_after_the_first(lines: Lines, place: int) -> Lines:
    return lines[:1] + lines[place:]


def without_end(lines: Lines, place: int) -> Lines:
    return lines[:place]


def with_a_torn_line(lines: Lines, place: int) -> Lines:
    return [*lines[:place], lines[place][: len(lines[place]) // 2] + b"\n", *lines[place + 1 :]]


def with_a_cut_end(lines: Lines, place: int) -> Lines:
    return [*lines[place // 2 : place], lines[place][: len(lines[place]) // 2]]


DAMAGES = (without_beginning, without_lines_after_the_first, without_end, with_a_torn_line, with_a_cut_end)


def in_the_other_folder(file: str) -> str:
    """The place of a copy in Codex's other folder."""
    folder = "sessions/2026/01/01" if "archived_sessions" in file else "archived_sessions"
    return f".codex/{folder}/{Path(file).name}"


def under_another_name(file: str) -> str:
    """The place of a copy that somebody made in a file manager."""
    path = Path(file)
    return str(path.with_name(f"{path.stem} (copy){path.suffix}"))


PLACES = (in_the_other_folder, under_another_name)


def facts(sessions: list[Session]) -> dict[str, Any]:
    """What must stay the same about each session."""
    return {
        session.key: (
            session.usage.total,
            session.usage.requests,
            session.exact,
            [gap.why for gap in session.gaps],
            [(m.id, m.role, m.author, m.text, m.fate, m.inherited, m.usage is None) for m in session.messages],
        )
        for session in sessions
    }


def session_files(home: Home) -> Iterator[str]:
    yield from (file for file in home.files if Path(file).name.startswith("rollout-") and file.endswith(".jsonl"))


def differences(home: Home, file: str, place: str, damage: Damage) -> Iterator[str]:
    """The cases in which a copy at a place changes something; then the cases in which copy and file are swapped."""
    whole = (home.path / file).read_bytes()
    lines = whole.splitlines(keepends=True)
    with Stage(home, home.around(file)) as stage:
        truth = facts(stage.sessions())
        (stage.folder / place).parent.mkdir(parents=True, exist_ok=True)
        for original, copy in ((file, place), (place, file)):
            stage.put(original, whole)
            for number in Chooser(seed=SEED, most=MOST).of(range(1, len(lines))):
                stage.put(copy, b"".join(damage(lines, number)))
                if facts(stage.sessions()) != truth:
                    yield f"{damage.__name__} at {number} of {len(lines)} in {copy}"


HOMES = [home for home in homes(CODEX, CORPUS) if any(session_files(home))]


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize(
    "home", [home for home in homes(CODEX, CORPUS) if any(session_files(home))], ids=lambda h: h.name
)
def test_a_damaged_copy_changes_nothing(home: Home, damage: Damage) -> None:
    faults = [
        fault
        for number, file in enumerate(session_files(home))
        for fault in differences(home, file, PLACES[number % len(PLACES)](file), damage)
    ]
    assert not faults, "\n".join(faults)


def torn_apart(lines: Lines, torn: int, gone: int) -> tuple[Lines, Lines]:
    """A file with a torn line, and a copy without its beginning, but with that line."""
    return with_a_torn_line(lines, torn), lines[gone:]


def with_holes(lines: Lines, hole: int, gone: int) -> tuple[Lines, Lines]:
    """A file without one line, and a copy without the lines between the first and an earlier one."""
    return lines[:hole] + lines[hole + 1 :], lines[:1] + lines[gone:]


def in_two_halves(lines: Lines, end: int, first: int) -> tuple[Lines, Lines]:
    """The beginning of a file, and its end, which share some lines."""
    return lines[:end], lines[first:]


@pytest.mark.slow
@pytest.mark.parametrize("damage", [torn_apart, with_holes, in_two_halves], ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("home", HOMES, ids=lambda home: home.name)
def test_two_damaged_copies_are_as_good_as_the_whole(home: Home, damage: Callable[..., tuple[Lines, Lines]]) -> None:
    faults: list[str] = []
    for file in session_files(home):
        lines = (home.path / file).read_bytes().splitlines(keepends=True)
        if b'"session_meta"' not in lines[0] or len(lines) < 6:
            # Up to 0.31 lines have no times.
            continue
        with Stage(home, home.around(file)) as stage:
            truth, place = facts(stage.sessions()), in_the_other_folder(file)
            (stage.folder / place).parent.mkdir(parents=True, exist_ok=True)
            for number in Chooser(seed=SEED, most=MOST).of(range(4, len(lines) - 1)):
                for target, part in zip((file, place), damage(lines, number, number // 2 + 1), strict=True):
                    stage.put(target, b"".join(part))
                if facts(stage.sessions()) != truth:
                    faults.append(f"{damage.__name__} at {number} of {len(lines)} in {file}")
    assert not faults, "\n".join(faults)
