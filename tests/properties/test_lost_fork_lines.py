"""A fork of Codex CLI whose lines are lost: its sum is right, or `exact` says that nobody knows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pollux.model import Session
from pollux.testing.homes import Home, Stage
from tests.properties.codex import CODEX

CORPUS = Path(__file__).parents[1] / "corpus" / "codex"
# Each release, and how the names of a fork and of its parent end.
FORKS = {
    "0.40.0": ("07660e89338e", "9b27509350f8"),
    "0.80.0": ("40f9b6799e4b", "6d2ad5e6ce9d"),
    "0.100.0": ("80f00a8bb151", "bd6afac137b6"),
    "0.145.0": ("a4b1ff6fa14f", "b698f09f5b57"),
    "0.154.0": ("1ee6bb869981", "7008b57ce06c"),
    "0.166.0": ("103822b6756f", "5edd18c47513"),
}
Damage = Iterator[tuple[str, list[bytes]]]


def lost_prefixes(lines: list[bytes], end: int) -> Damage:
    """A file without its first lines, or without those after the first, or after the first two."""
    for left in range(3):
        for first in range(left + 1, end):
            yield f"lines {left + 1} to {first} are gone", lines[:left] + lines[first:]


def lost_lines(lines: list[bytes]) -> Damage:
    """A file without one line, or with half of one."""
    for place, line in enumerate(lines):
        yield f"line {place + 1} is gone", lines[:place] + lines[place + 1 :]
        yield f"line {place + 1} is torn", [*lines[:place], line[: len(line) // 2] + b"\n", *lines[place + 1 :]]


class Fork:
    """A fork and its parent, alone in a home."""

    def __init__(self, release: str, *, orphan: bool = False) -> None:
        home = Home(CODEX, CORPUS / release)
        self.fork, self.parent = (
            next(name for name in home.files if name.endswith(f"{end}.jsonl")) for end in FORKS[release]
        )
        self.stage = Stage(home, [self.fork] if orphan else [self.fork, self.parent])
        self.lines = {name: (home.path / name).read_bytes().splitlines(keepends=True) for name in self.names(orphan)}
        whole = self.session(self.fork)
        assert whole is not None
        self.truth = sums(whole)
        own = (m.origin.line for m in whole.messages if m.origin is not None and not m.inherited and m.text)
        self.begins = min(line for line in own if line is not None)

    def names(self, orphan: bool) -> list[str]:
        return [self.fork] if orphan else [self.fork, self.parent]

    def session(self, name: str) -> Session | None:
        """The session of a file, where there is one."""
        return next((s for s in self.stage.sessions() if s.id == Path(name).stem[-36:]), None)

    def faults(self, name: str, damage: Damage) -> list[str]:
        """In which cases the sum is wrong, and `exact` does not say so."""
        faults = [fault for how, lines in damage if (fault := self._fault(name, how, lines)) is not None]
        self.stage.put(name, b"".join(self.lines[name]))
        return faults

    def _fault(self, name: str, how: str, lines: list[bytes]) -> str | None:
        self.stage.put(name, b"".join(lines))
        session = self.session(self.fork)
        if session is None or sums(session) == self.truth or session.exact is None:
            return None
        too_low = (session.usage.input or 0) < self.truth[0]
        return None if session.exact is False and too_low else f"{how}: {sums(session)}, {session.exact}"


def sums(session: Session) -> tuple[int, ...]:
    usage = session.usage
    return tuple(figure or 0 for figure in (usage.input, usage.output, usage.requests))


@pytest.mark.parametrize("orphan", [False, True], ids=["with parent", "orphan"])
@pytest.mark.parametrize("release", FORKS)
def test_lost_lines_of_a_fork(release: str, orphan: bool) -> None:
    case = Fork(release, orphan=orphan)
    with case.stage:
        lines = case.lines[case.fork]
        assert case.faults(case.fork, lost_prefixes(lines, case.begins)) == []
        assert case.faults(case.fork, lost_lines(lines)) == []


@pytest.mark.parametrize("release", FORKS)
def test_lost_lines_of_the_parent(release: str) -> None:
    case = Fork(release)
    with case.stage:
        lines = case.lines[case.parent]
        assert case.faults(case.parent, lost_prefixes(lines, len(lines))) == []
        assert case.faults(case.parent, lost_lines(lines)) == []


@pytest.mark.parametrize("release", ["0.80.0", "0.100.0", "0.145.0"])
def test_a_session_that_lost_its_first_requests_is_not_exact(release: str) -> None:
    case = Fork(release)
    with case.stage:
        whole = case.session(case.parent)
        assert whole is not None
        for first in range(1, len(case.lines[case.parent])):
            case.stage.put(case.parent, b"".join(case.lines[case.parent][first:]))
            session = case.session(case.parent)
            assert session is None or sums(session) == sums(whole) or session.exact is not True, first
