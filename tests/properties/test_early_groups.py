"""An early answer looks into few files, and reads its sessions as if it had looked into all of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from pollux.testing.homes import Home, homes
from tests.properties.claude import CLAUDE
from tests.properties.codex import CODEX
from tests.properties.copies import DAMAGES, Damage
from tests.properties.early_groups import dated_copy, spread_over_days, write_keeping_time, wrong_early_readings
from tests.properties.fork_styles import STYLES, Style, stamped, write_family
from tests.properties.gemini import GEMINI
from tests.samples import sample

CORPUS = Path(__file__).parent.parent / "corpus"
DAYS = ({1: 1, 2: 5, 3: 9, 4: 13}, {1: 1, 4: 2, 2: 9, 3: 13}, {1: 1, 3: 5, 2: 9, 4: 13})
"""Days on which the turns of a family take place: any of its members may be the newest."""


def all_homes() -> Iterator[Home]:
    for subject in (CLAUDE, CODEX, GEMINI):
        yield from homes(subject, CORPUS / subject.source.name)


@pytest.mark.slow
@pytest.mark.parametrize("home", list(all_homes()), ids=lambda home: f"{home.subject.source.name}-{home.name}")
def test_sessions_of_the_corpus(home: Home, tmp_path: Path) -> None:
    place = dated_copy(home.path, tmp_path / "home")
    assert not list(wrong_early_readings(home.subject.source, place, home.variables(place)))


def families(folder: Path, style: Style) -> Iterator[Path]:
    """A session, a fork of it, and a fork of either, on different days."""
    release = "1.0.128" if style is stamped else "2.1.112"
    for number, (days, of_fork, apart) in enumerate(itertools.product(DAYS, [False, True], [False, True])):
        home = folder / str(number)
        write_family(home, (style, style), of_fork=of_fork, apart=apart)
        spread_over_days(home, days, release)
        yield home


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
def test_forks(tmp_path: Path, style: Style) -> None:
    for home in families(tmp_path, style):
        assert not list(wrong_early_readings(CLAUDE.source, home))


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
def test_damaged_forks(tmp_path: Path, style: Style, damage: Damage) -> None:
    for home in families(tmp_path, style):
        for file in sorted(home.rglob("*.jsonl")):
            lines = file.read_bytes().splitlines(keepends=True)
            for place in sample(range(len(lines)), 1, style.__name__, damage.__name__, home.name, file.name):
                write_keeping_time(file, b"".join(damage(list(lines), place)))
                assert not list(wrong_early_readings(CLAUDE.source, home)), f"{file.stem}, line {place}"
            write_keeping_time(file, b"".join(lines))
