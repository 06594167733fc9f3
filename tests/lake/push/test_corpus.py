"""Every home of the corpus, at every level: all sessions go, and count as they do here."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from pollux.lake.documents import Level
from pollux.lake.journal import Journal
from pollux.lake.store import Store
from pollux.library.library import Filter, Library
from pollux.model import NOTHING, Session, Summary, Usage, summarize
from tests.conformance.truth import CORPUS
from tests.lake.push.pushing import Machine, newest

HOMES = sorted(str(path.parent.relative_to(CORPUS)) for path in CORPUS.glob("*/*/oracle.json"))
LEVELS = list(Level) if os.environ.get("POLLUX_EXHAUSTIVE") else [Level.FIGURES, Level.REDACTED]
FACTS = ("kind", "started", "ended", "models", "counts", "usage", "kept")


class CorpusMachine(Machine):
    """A machine with a home of the corpus."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(folder)
        self._home = CORPUS / name / "home"
        beside = CORPUS / name / "env.json"
        named = json.loads(beside.read_text("utf-8")) if beside.exists() else {}
        self._named = {key: text.replace("{HOME}", str(self._home)) for key, text in named.items()}

    def library(self, **_: str) -> Library:
        """The library over that home, with a cache of this machine."""
        return Library({**self.environ, "HOME": str(self._home), **self._named}, self._home, hunt=False)


def facts(summary: Summary, names: Mapping[str, str] = NOTHING) -> tuple[object, ...]:
    """What both sides say of a session; `names` has what the lake calls some sessions."""
    parent = names.get(summary.parent or "", summary.parent)
    return parent, *(getattr(summary, name) for name in FACTS)


def requests(session: Session) -> list[tuple[object, ...]]:
    """What is counted of every request: when, by which model, how much."""
    own = [
        (m.at, m.model, one)
        for m in session.messages
        if m.usage and not m.inherited
        for one in m.usage.each or (m.usage,)
    ]
    return [(at, model, *(getattr(one, name) for name in Usage.__struct_fields__[:7])) for at, model, one in own]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", HOMES)
def test_every_session_goes_and_counts_the_same(name: str, level: Level, tmp_path: Path, folder: Store) -> None:
    machine = CorpusMachine(tmp_path / "m", name)
    machine.allow(level=level)
    outcome = machine.push(folder.url)
    library = machine.library()
    here = {entry.summary.key: entry.summary for entry in library.list(Filter(everything=True))}
    there = {key: one.read() for (_, key), one in newest(folder).items()}
    assert (outcome.unread, outcome.sessions) == ([], len(here))
    journal = Journal(machine.places.lake).entries(folder.url)
    names = {key: f"{key.partition(':')[0]}:{entry.id}" for key, entry in journal.items()}
    assert names.keys() == here.keys()
    assert {key: facts(summarize(one)) for key, one in there.items()} == {
        names[key]: facts(one, names) for key, one in here.items()
    }
    for session in library.sessions(Filter(everything=True)):
        assert requests(there[names[session.key]]) == requests(session)
