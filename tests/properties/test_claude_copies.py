"""Copies in Claude Code's files: a reply is counted once, however the file of a fork or of its parent is damaged."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pollux.model import Session
from pollux.testing.cases import SEED
from pollux.testing.chooser import Chooser
from pollux.testing.homes import Home, Stage, homes
from tests.properties.claude import CLAUDE

CORPUS = Path(__file__).parent.parent / "corpus" / "claude"
EXHAUSTIVE = bool(os.environ.get("POLLUX_EXHAUSTIVE"))
MOST = None if EXHAUSTIVE else 12
"""How many lines of a file are damaged."""

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

    def check(self, damage: Damage) -> None:
        """Damage each file in many places. No reply may be counted twice, and none that is left may be lost."""
        failures: list[str] = []
        with Stage(self.home, self.files) as stage:
            whole = stage.sessions()
            replies, total = counted(whole), total_of(whole)
            assert set(replies.values()) == {1}
            for file in self.files:
                for place in Chooser(seed=SEED, most=MOST).of(range(len(self.lines[file]))):
                    lines = damage(self.lines[file], place)
                    stage.put(file, b"".join(lines))
                    here = f"{damage.__name__} {file} {place}"
                    sessions = stage.sessions()
                    left = replies_in({**self.lines, file: lines})
                    expected = {name: 1 for name in replies if name in left}
                    if counted(sessions) != expected or total_of(sessions) > total:
                        failures.append(f"{here}: {differences(counted(sessions), expected)}")
                    if lacks_record(lines) and is_exact(sessions, stage.shown(file)):
                        failures.append(f"{here}: exact")
                stage.put(file, b"".join(self.lines[file]))
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


def is_exact(sessions: list[Session], file: str) -> bool:
    """Does a session of a file have exact figures?"""
    return any(session.exact for session in sessions if file in session.files)


def records(lines: Lines) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            yield json.loads(line)
        except ValueError:
            continue


def replies_in(files: dict[str, Lines]) -> set[str]:
    """The ids of all replies in some files."""
    every = (record for lines in files.values() for record in records(lines))
    return {record["message"]["id"] for record in every if record.get("type") == "assistant"}


def lacks_record(lines: Lines) -> bool:
    """Is there a record whose parent is not in its file?"""
    tree = [record for record in records(lines) if "uuid" in record]
    known = {record["uuid"] for record in tree}
    return any(record.get("parentUuid") not in {None, *known} for record in tree)


def families() -> Iterator[Family]:
    """Every group of files with a common reply, and every file that holds a reply under two uuids."""
    for home in homes(CLAUDE, CORPUS):
        files = [file for file in home.files if file.endswith(".jsonl") and "projects" in Path(file).parts]
        by_reply: dict[str, set[str]] = {}
        for file in files:
            for reply in replies_in({file: (home.path / file).read_bytes().splitlines(keepends=True)}):
                by_reply.setdefault(reply, set()).add(file)
        groups: list[set[str]] = []
        for group in by_reply.values():
            if len(group) > 1 or home.name == "walk-rewritten-on-resume":
                joined = group.union(*(other for other in groups if other & group))
                groups = [*(other for other in groups if not other & group), joined]
        yield from (Family(home, sorted(group)) for group in groups)


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("family", list(families()), ids=str)
def test_damage_counts_no_reply_twice(family: Family, damage: Damage) -> None:
    family.check(damage)
