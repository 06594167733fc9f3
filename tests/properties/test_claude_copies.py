"""Copies in Claude Code's files: a reply is counted once, however the file of a fork or of its parent is damaged."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pollux.testing.homes import Home, homes
from tests.properties.claude import CLAUDE
from tests.properties.copies import DAMAGES, Damage, Family, replies_in
from tests.properties.fork_styles import STYLES, Style, marked, write_family
from tests.properties.lost_parents import remains

CORPUS = Path(__file__).parent.parent / "corpus" / "claude"
EXHAUSTIVE = os.environ.get("POLLUX_EXHAUSTIVE", "") not in ("", "0")
MOST = None if EXHAUSTIVE else 5
"""How many lines of a file are damaged, each in its turn."""
TIMES = 400 if EXHAUSTIVE else 10
"""How often all files of a family are damaged at once."""


def families() -> Iterator[Family]:
    """Every group of files with a common reply, and the files that a release wrote again into themselves."""
    for home in homes(CLAUDE, CORPUS):
        by_reply: dict[str, set[str]] = {}
        for file in home.files:
            if file.endswith(".jsonl") and "projects" in Path(file).parts:
                for reply in replies_in((home.path / file).read_bytes().splitlines(keepends=True)):
                    by_reply.setdefault(reply, set()).add(file)
        groups: list[set[str]] = []
        for group in by_reply.values():
            if len(group) > 1 or (home.name == "walk-rewritten-on-resume" and "agent-" not in min(group)):
                joined = group.union(*(other for other in groups if other & group))
                groups = [*(other for other in groups if not other & group), joined]
        yield from (Family(home, sorted(group)) for group in groups)


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("family", list(families()), ids=str)
def test_damage_to_a_family_of_the_corpus(family: Family, damage: Damage) -> None:
    family.check(damage, MOST)


def families_of_three(folder: Path, style: Style) -> Iterator[Family]:
    """A session, a fork of it, and a fork of either, in one folder or in several."""
    for number, (of_fork, apart) in enumerate(itertools.product([False, True], [False, True])):
        place = folder / str(number)
        write_family(place / "home", (style, style), of_fork=of_fork, apart=apart)
        home = Home(CLAUDE, place)
        yield Family(home, home.files)


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
def test_damage_to_a_family_of_three(tmp_path: Path, style: Style, damage: Damage) -> None:
    for family in families_of_three(tmp_path, style):
        family.check(damage, MOST)


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
def test_damage_to_all_files_of_a_family(tmp_path: Path, style: Style) -> None:
    for family in families_of_three(tmp_path, style):
        family.check_all(TIMES)


@pytest.mark.slow
def test_damage_to_both_files_of_a_session_in_two_folders(tmp_path: Path) -> None:
    write_family(tmp_path / "home", (STYLES[0], STYLES[0]))
    folder = tmp_path / "home" / ".claude" / "projects" / "-work-weather"
    shutil.copytree(folder, folder.with_name("-work-moved"))
    home = Home(CLAUDE, tmp_path)
    Family(home, home.files).check_all(4 * TIMES)


@pytest.mark.slow
@pytest.mark.parametrize("second", STYLES, ids=lambda style: style.__name__)
@pytest.mark.parametrize("first", STYLES, ids=lambda style: style.__name__)
def test_each_reply_counts_once_if_a_parent_is_gone(tmp_path: Path, first: Style, second: Style) -> None:
    problems: list[str] = []
    for of_fork, silent in itertools.product([False, True], [False, True]):
        for family in remains(tmp_path / f"{of_fork}{silent}", (first, second), of_fork=of_fork, silent=silent):
            problems += family.wrong_counts()
            # A fork without marks in which nothing was said yet looks like its parent at that time.
            if second is marked or (first is marked and not silent):
                problems += family.wrong_links(of_fork=of_fork)
    assert not problems, "\n".join(problems)
