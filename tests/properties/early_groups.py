"""Sessions as an early answer reads them: only the files that have to do with them are looked into."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

from pollux.model import Session
from pollux.sources.base import OtherFiles, Source, SourceContext, other_files
from tests.unit.sources.claude.conftest import Json

_TIME = re.compile(rb'"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)"')
LONG_AGO = 1_600_000_000
Needs = Callable[[str, int], bool]


def dated_copy(home: Path, place: Path) -> Path:
    """A copy of a home in which each file was last changed at the latest time in it."""
    shutil.copytree(home, place, symlinks=True)
    for file in place.rglob("*"):
        if file.is_file() and not file.is_symlink():
            set_time(file)
    return place


def set_time(file: Path) -> None:
    """Let a file be changed at the latest time in it."""
    times = [datetime.fromisoformat(text.decode()).timestamp() for text in _TIME.findall(file.read_bytes())]
    os.utime(file, (max(times, default=LONG_AGO),) * 2)


def write_keeping_time(file: Path, content: bytes) -> None:
    """Write a file that was damaged without a trace in its time."""
    before = file.stat().st_mtime_ns
    file.write_bytes(content)
    os.utime(file, ns=(before, before))


def readings(source: Source, environ: Mapping[str, str], home: Path, needs: Needs | None) -> dict[str, list[Session]]:
    """The sessions of all bundles that are needed, by the bundle's id."""
    roots = source.roots(environ, home)
    result: dict[str, list[Session]] = {}
    for root in roots:
        files = list(source.find(root.path))
        others = other_files(root, files, [(other, source.find(other.path)) for other in roots if other != root])
        context = SourceContext(other_files=partial(OtherFiles, *others), needs=needs)
        for bundle in source.bundles(root.path, files, context):
            if needs is None or needs(bundle.id, bundle.changed_ns):
                result.setdefault(f"{root.path} {bundle.id}", source.read(bundle).sessions)
    return result


def wrong_early_readings(source: Source, home: Path, environ: Mapping[str, str] | None = None) -> Iterator[str]:
    """The sessions that an early answer would read in another way, each needed alone."""
    variables = environ or {"HOME": str(home)}
    complete = readings(source, variables, home, None)
    for id in {place.rpartition(" ")[2] for place in complete}:
        early = readings(source, variables, home, lambda other, _, id=id: other == id)  # type: ignore[misc]
        expected = {place: sessions for place, sessions in complete.items() if place.rpartition(" ")[2] == id}
        if early != expected:
            yield id


def spread_over_days(folder: Path, days: Mapping[int, int], version: str) -> None:
    """Give each turn of a family of forks its own day, and each copy with the time of a fork the day of that fork."""
    for file in sorted(folder.rglob("*.jsonl")):
        records = [json.loads(line) for line in file.read_text().splitlines()]
        last = max(days[_turn(record)] for record in records if "uuid" in record)
        for place, record in enumerate(records):
            if "uuid" in record:
                is_stamped = record["timestamp"] == "2026-11-16T10:00:00.000Z"
                moment = f"{last:02}T09:00:00" if is_stamped else f"{days[_turn(record)]:02}T10:{place:02}:00"
                record |= {"timestamp": f"2026-11-{moment}.000Z", "version": version}
        file.write_text("".join(json.dumps(record) + "\n" for record in records))
        set_time(file)


def _turn(record: Json) -> int:
    """The number of the turn to which a record belongs."""
    found = re.search(r"Question (\d)|msg_0\d0*(\d)|toolu_(\d)", json.dumps(record["message"]))
    assert found is not None
    return int(next(filter(None, found.groups())))
