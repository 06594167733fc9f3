"""Damage to the files of forks and of their parents, and how often each reply is counted after it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from pollux.model import Session
from pollux.testing.cases import SEED
from pollux.testing.chooser import Chooser
from pollux.testing.homes import Home, Stage

Json = dict[str, Any]
Lines = list[bytes]
Damage = Callable[[Lines, int], Lines]


def cut_front(lines: Lines, place: int) -> Lines:
    return lines[place + 1 :]


def tear(lines: Lines, place: int) -> Lines:
    return [*lines[:place], lines[place][: len(lines[place]) // 2] + b"\n", *lines[place + 1 :]]


def tear_front(lines: Lines, place: int) -> Lines:
    return [*(line[: len(line) // 2] + b"\n" for line in lines[: place + 1]), *lines[place + 1 :]]


def drop(lines: Lines, place: int) -> Lines:
    return lines[:place] + lines[place + 1 :]


def odd_time(lines: Lines, place: int) -> Lines:
    """A line in which a value has another type: it is read all the same."""
    record = json.loads(lines[place])
    if "timestamp" not in record:
        return lines
    changed = json.dumps({**record, "timestamp": [7], "cwd": {}, "sessionId": 7}).encode()
    return [*lines[:place], changed + b"\n", *lines[place + 1 :]]


DAMAGES: tuple[Damage, ...] = (cut_front, tear, tear_front, drop, odd_time)


class Family:
    """Files of a home that hold copies of the same replies."""

    def __init__(self, home: Home, files: list[str]) -> None:
        self.home = home
        self.files = files
        self.lines = {file: (home.path / file).read_bytes().splitlines(keepends=True) for file in files}

    def __str__(self) -> str:
        return f"{self.home.name}-{Path(self.files[0]).stem[:8]}"

    def check(self, damage: Damage, most: int | None = None) -> None:
        """Damage each file in every place, or in `most` places."""
        states = (
            {**self.lines, file: damage(self.lines[file], place)}
            for file in self.files
            for place in Chooser(seed=SEED, most=most).of(range(len(self.lines[file])))
        )
        self._check(states)

    def check_all(self, times: int) -> None:
        """Damage all files at once, some of them several times."""
        chance = Random(SEED)
        self._check(self._damaged(chance) for _ in range(times))

    def _damaged(self, chance: Random) -> dict[str, Lines]:
        result = dict(self.lines)
        for file in self.files:
            for _ in range(chance.choice([0, 1, 1, 2, 3])):
                if result[file]:
                    damage = chance.choice([cut_front, tear, drop])
                    result[file] = damage(result[file], chance.randrange(len(result[file])))
        return result

    def _check(self, states: Iterable[dict[str, Lines]]) -> None:
        """Each reply that is left must be counted once. Figures must not be exact if a record is missing."""
        failures: list[str] = []
        with Stage(self.home, self.files) as stage:
            sessions = stage.sessions()
            replies, total = counted(sessions), total_of(sessions)
            assert set(replies.values()) == {1}
            before = self.lines
            for number, state in enumerate(states):
                for file in self.files:
                    if state[file] != before[file]:
                        stage.put(file, b"".join(state[file]))
                before, sessions = state, stage.sessions()
                expected = {name: 1 for name in replies if name in set[str]().union(*map(replies_in, state.values()))}
                if counted(sessions) != expected or total_of(sessions) > total:
                    failures.append(f"{number}: {differences(counted(sessions), expected)}")
                lacking = [name for name, lines in by_session(state).items() if lacks_record(lines)]
                failures += [f"{number}: {name} is exact" for name in lacking if is_exact(sessions, name)]
        assert not failures, "\n".join(failures)


def counted(sessions: list[Session]) -> dict[str, int]:
    """How often each reply is counted."""
    names = (
        message.id
        for session in sessions
        for message in session.messages
        if message.usage is not None and not message.inherited
    )
    return dict(Counter(names))


def differences(replies: dict[str, int], expected: dict[str, int]) -> dict[str, int]:
    """The replies that are counted too often or not at all."""
    names = replies.keys() | expected.keys()
    return {name: replies.get(name, 0) for name in names if replies.get(name) != expected.get(name)}


def total_of(sessions: list[Session]) -> int:
    return sum(session.usage.total or 0 for session in sessions)


def by_session(files: dict[str, Lines]) -> dict[str, Lines]:
    """The lines of each session. Files of the same name belong to one session."""
    result: dict[str, Lines] = {}
    for file, lines in files.items():
        result.setdefault(Path(file).stem, []).extend(lines)
    return result


def is_exact(sessions: list[Session], name: str) -> bool:
    """Does a session in files of this name have exact figures?"""
    return any(session.exact for session in sessions if name in {Path(file).stem for file in session.files})


def records(lines: Lines) -> list[Json]:
    """The records in some lines. A line that cannot be read has none."""
    return [record for line in lines if (record := _record(line)) is not None]


@cache
def _record(line: bytes) -> Json | None:
    try:
        return dict(json.loads(line))
    except ValueError:
        return None


def replies_in(lines: Lines) -> set[str]:
    """The ids of all replies in some lines."""
    return {record["message"]["id"] for record in records(lines) if record.get("type") == "assistant"}


def lacks_record(lines: Lines) -> bool:
    """Is there a record whose parent is missing?"""
    tree = [record for record in records(lines) if "uuid" in record]
    known = {record["uuid"] for record in tree}
    return any(record.get("parentUuid") not in {None, *known} for record in tree)
