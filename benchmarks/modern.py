"""Large sessions as the newest release of Codex CLI in the corpus would write them.

The corpus holds what that release really wrote, but short sessions only. Here their lines follow each other again and
again in one file, each time with new ids and later times, under one first line.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path

_CORPUS = Path(__file__).parent.parent / "tests" / "corpus" / "codex"
_RELEASE = re.compile(r"\d+\.\d+\.\d+")
_TIME = re.compile(r'(?<="timestamp":")[^"]+(?=")')
_ORDINAL = re.compile(r'(?<="ordinal":)\d+')
_UUID = re.compile(r"\b([0-9a-f]{8})-([0-9a-f]{4})-(7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})\b")
_NAME = re.compile(r'(?<=")((?:(?:msg|rs|fc|fco|ctc|ctco|resp|call|ws)_|exec-)[\w-]+)(?="(?!:))')
_DAY, _MILLISECOND = timedelta(days=1), timedelta(milliseconds=1)
# Forks and sub-agents point to other files, which would have to be there.
_POINTERS = ('"forked_from_id":"', '"history_base":', '"parent_thread_id":"', '"subagent"')


def written(home: Path, sessions: int, rounds: int) -> Path:
    """A home with so many sessions, each of which holds all lines of the corpus so many times."""
    first, lines = _recorded()
    folder = home / ".codex" / "sessions" / "2026" / "11" / "15"
    folder.mkdir(parents=True)
    for number in range(sessions):
        whole = [_later(first, number)]
        for turn in range(number * rounds, (number + 1) * rounds):
            whole += [_later(line, turn) for line in lines]
        text = "".join(_ORDINAL.sub(str(place), line, count=1) for place, line in enumerate(whole))
        name = _UUID.search(text)
        assert name is not None
        (folder / f"rollout-2026-11-15T00-00-{number:02}-{name[0]}.jsonl").write_text(text, "utf-8")
    return home


def _recorded() -> tuple[str, list[str]]:
    """A first line, and all lines that follow such a line in the sessions of the newest release."""
    releases = [folder for folder in _CORPUS.iterdir() if _RELEASE.fullmatch(folder.name)]
    newest = max(releases, key=lambda folder: tuple(map(int, folder.name.split("."))))
    firsts: list[str] = []
    rest: list[str] = []
    for file in sorted(newest.rglob("rollout-*.jsonl")):
        first, *lines = file.read_text("utf-8").splitlines(keepends=True)
        if not any(pointer in first for pointer in _POINTERS):
            firsts.append(first)
            rest += lines
    return firsts[0], rest


def _later(line: str, days: int) -> str:
    """The line so many days later: other times, and other ids, which tell the time as well."""

    def time(found: re.Match[str]) -> str:
        at = datetime.fromisoformat(found[0]) + days * _DAY
        return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z"

    def uuid(found: re.Match[str]) -> str:
        at = f"{int(found[1] + found[2], 16) + days * _DAY // _MILLISECOND:012x}"
        return f"{at[:8]}-{at[8:]}-{found[3]}"

    return _NAME.sub(rf"\1_{days}", _UUID.sub(uuid, _TIME.sub(time, line)))
