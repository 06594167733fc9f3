"""Nothing disappears unreported: a word planted anywhere is in the output, or the report says what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import msgspec
import pytest

from pollux import registry
from pollux.model import Session
from pollux.writers.base import Options, Report
from pollux.writers.loss import (
    BYTES,
    CALLS,
    CLIENT_TEXTS,
    DETAILS,
    FACTS,
    FIGURES,
    FILE_TEXTS,
    INPUTS,
    LINKED,
    MESSAGES,
    NOTICES,
    ODDITIES,
    ORIGINS,
    OUTPUTS,
    TEXTS,
    THINKING,
)
from tests.unit.writers.full_session import EVERYTHING, Path, kind, places, with_text
from tests.unit.writers.markdown_parser import joined

pytestmark = pytest.mark.slow

WORD = "zanzibarquark"
WAYS = {
    "usual": Options(),
    "everything": Options(thinking=True, tools="full", tokens=True, notices=True, content=True),
    "bare": Options(tools="none", live_only=True),
}

# By the last name in a place: under what the report may count it.
EXCUSES: dict[str, set[str]] = {
    "id": {ORIGINS, DETAILS, CALLS},
    "origin": {ORIGINS, DETAILS},
    "call": {ORIGINS, DETAILS, CALLS},
    "canonical": {ORIGINS, DETAILS, CALLS},
    "files": {ORIGINS, DETAILS},
    "project_hash": {ORIGINS, DETAILS},
    "project_evidence": {DETAILS},
    "extra": {DETAILS, CALLS},
    "native": {DETAILS, FIGURES},
    "each": {DETAILS, FIGURES},
    "tallies": {DETAILS},
    "gaps": {DETAILS},
    "notices": {NOTICES, DETAILS},
    "links": {LINKED, DETAILS},
    "input": {INPUTS, CALLS},
    "output": {OUTPUTS, CALLS},
    "data": {BYTES, CALLS},
    "uri": {BYTES, CALLS},
    "media_type": {BYTES, CALLS},
    "name": {CALLS, ORIGINS},
    "child": {CALLS, ORIGINS},
    "subject": {THINKING},
    "source": {CLIENT_TEXTS},
    "text": {TEXTS, THINKING, CLIENT_TEXTS, FILE_TEXTS},
    "title": {FACTS},
    "project": {FACTS},
    "parent": {FACTS},
    "model": {FACTS},
    "path": {FILE_TEXTS},
    "raw": {ODDITIES},
}


def written(name: str, session: Session, options: Options) -> tuple[str, Report]:
    pieces: list[str] = []
    report = registry.writer(name).write(session, pieces.append, options)
    return joined(pieces), report


def excuses(path: Path) -> Iterator[str]:
    for step in path:
        if isinstance(step, str):
            yield from EXCUSES.get(step, ())


@cache
def planted_sessions() -> list[tuple[Path, Session]]:
    return [(path, with_text(EVERYTHING, path, WORD)) for path in places(EVERYTHING)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", list(registry.WRITERS))
def test_a_planted_word_is_in_the_output_or_in_the_report(name: str, way: str) -> None:
    missing = []
    for path, session in planted_sessions():
        alone = session
        if path[0] == "messages":
            alone = msgspec.structs.replace(session, messages=(session.messages[int(path[1])],))
        output, report = written(name, alone, WAYS[way])
        losses = {entry.what for entry in report.dropped}
        left_out = path[0] == "messages" and report.kept == 0 and losses & set(MESSAGES)
        if WORD not in output and not losses & set(excuses(path)) and not left_out:
            missing.append(kind(path))
    assert not missing


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", list(registry.WRITERS))
def test_messages_add_up(name: str, way: str) -> None:
    _, report = written(name, EVERYTHING, WAYS[way])
    dropped = sum(entry.count for entry in report.dropped if entry.what in MESSAGES)
    assert report.kept + dropped == len(EVERYTHING.messages)
    assert all(entry.count > 0 and entry.why for entry in report.dropped)


def test_json_drops_nothing() -> None:
    _, report = written("json", EVERYTHING, Options())
    assert (report.dropped, report.fabricated) == ([], [])


def test_reports_add_up() -> None:
    _, one = written("markdown", EVERYTHING, Options())
    both = Report()
    both.add(one)
    both.add(one)
    assert both.kept == 2 * one.kept
    assert {d.what: d.count for d in both.dropped} == {d.what: 2 * d.count for d in one.dropped}
