"""Copies of Gemini CLI's files: a damaged copy adds nothing, wherever it lies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pollux.model import Author, Session
from pollux.sources.base import OtherFiles, SourceContext
from pollux.testing.cases import SEED
from pollux.testing.chooser import Chooser
from pollux.testing.homes import Home, Stage, homes
from tests.properties.copies import Damage, Lines, counted, cut_front, drop, tear, tear_front, total_of
from tests.properties.gemini import GEMINI

CORPUS = Path(__file__).parent.parent / "corpus" / "gemini"
EXHAUSTIVE = os.environ.get("POLLUX_EXHAUSTIVE", "") not in ("", "0")
MOST = None if EXHAUSTIVE else 1
"""In how many places each copy is damaged in each way."""
ROOT, OTHER_ROOT = ".gemini/tmp", "two/tmp"


def nothing(lines: Lines, _: int) -> Lines:
    return lines


def cut_inside(lines: Lines, place: int) -> Lines:
    """The beginning is lost up to the middle of a line."""
    return [lines[place][len(lines[place]) // 2 :], *lines[place + 1 :]]


DAMAGES: tuple[Damage, ...] = (nothing, cut_front, cut_inside, tear, tear_front, drop)


def places(file: str) -> Iterator[str]:
    """Where a copy of a file may lie: under another name, in another project, under another root."""
    path = Path(file)
    project, *inner = path.relative_to(ROOT).parts
    yield str(path.with_name(f"{path.stem} (copy){path.suffix}"))
    yield str(Path(ROOT, f"{project}-copy", *inner))
    yield str(Path(OTHER_ROOT, project, *inner))


def read(stage: Stage) -> list[Session]:
    """All sessions under both roots, each once."""
    roots = [stage.folder / ROOT, stage.folder / OTHER_ROOT]
    files = {root: list(stage.source.find(root)) for root in roots if root.exists()}
    sessions: dict[str, Session] = {}
    for root, own in files.items():
        others = OtherFiles({other: members for other, members in files.items() if other != root}, [])
        for bundle in stage.source.bundles(root, own, context_with(others)):
            sessions |= {session.key: session for session in stage.source.read(bundle).sessions}
    return list(sessions.values())


def context_with(others: OtherFiles) -> SourceContext:
    return SourceContext(other_files=lambda: others)


def listed(sessions: list[Session]) -> list[tuple[str, str]]:
    """What people and models said, as often as it is listed."""
    messages = [message for session in sessions for message in session.messages]
    return sorted((m.id, m.author) for m in messages if m.author is not Author.CLIENT)


def account(sessions: list[Session]) -> tuple[object, ...]:
    """What a damaged copy must not change."""
    return listed(sessions), counted(sessions), total_of(sessions)


def files_of(home: Home) -> list[str]:
    return [file for file in home.files if file.startswith(ROOT) and "chats" in Path(file).parts]


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("home", homes(GEMINI, CORPUS), ids=lambda home: home.name)
def test_a_damaged_copy_adds_nothing(home: Home, damage: Damage) -> None:
    failures: list[str] = []
    for file in files_of(home):
        lines = (home.path / file).read_bytes().splitlines(keepends=True)
        with Stage(home, home.around(file)) as stage:
            before = read(stage)
            for copy in places(file):
                (stage.folder / copy).parent.mkdir(parents=True, exist_ok=True)
                for place in Chooser(seed=SEED, most=MOST).of(range(len(lines))):
                    stage.put(copy, b"".join(damage(lines, place)))
                    after = read(stage)
                    if account(after) != account(before):
                        failures.append(f"{copy} {place}: {total_of(before)} became {total_of(after)}")
                (stage.folder / copy).unlink()
    assert not failures, "\n".join(failures)
