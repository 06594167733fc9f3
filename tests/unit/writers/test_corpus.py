"""Every genuine session in the corpus through the transcripts and the page."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import asdict, replace

from pollux import registry
from pollux.library.library import Filter, Library
from pollux.model import Session
from pollux.transforms.redact import RedactionOptions, Redactor
from pollux.writers.base import NO_CONTEXT, Options, WriterContext
from pollux.writers.json_reader import session_of
from pollux.writers.loss import MESSAGES
from tests.samples import sample
from tests.unit.writers.html.page_parser import check as check_page
from tests.unit.writers.judges import JUDGES
from tests.unit.writers.kitchen_sink import SESSION
from tests.unit.writers.markdown_parser import WAYS, check, joined, markdown, text

pytestmark = pytest.mark.slow

CORPUS = Path(__file__).parents[2] / "corpus"
HOMES = sorted(CORPUS.glob("*/*/home"))
MOST = 3
"""So many sessions of a home are written in every format, and in every way."""
KNOWING = WriterContext(knowledge=registry.knowledge)


def test_there_is_a_corpus() -> None:
    assert HOMES


@pytest.mark.parametrize("home", HOMES, ids=lambda home: "-".join(home.parts[-3:-1]))
def test_genuine_sessions_are_written(home: Path, tmp_path: Path) -> None:
    beside = home.parent / "env.json"
    named = json.loads(beside.read_text("utf-8")) if beside.exists() else {}
    environ = {name: value.replace("{HOME}", str(home)) for name, value in named.items()}
    library = Library(
        {"HOME": str(home), "XDG_DATA_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), **environ},
        tmp_path,
        hunt=False,
    )
    sessions = list(library.sessions(Filter(everything=True)))
    assert sessions
    for session in sessions:
        for options in WAYS:
            check(session, options)
        check_page(session)
        for prompt in session.prompts:
            first = prompt.text.strip().split("\n")[0]
            assert first in text(session).text
            assert first in markdown(session).text
    for session in sample(sessions, MOST, home.parts[-3:-1]):
        every_format(session)


@cache
def different_ways(name: str) -> list[Options]:
    """The ways that differ in an option which affects a format."""
    taken = {"live_only", *registry.writer(name).supported_options}
    by_options = {tuple(value for key, value in asdict(way).items() if key in taken): way for way in reversed(WAYS)}
    return list(by_options.values())


@pytest.mark.parametrize("name", list(registry.WRITERS))
def test_an_option_that_a_format_does_not_take_changes_nothing(name: str) -> None:
    def written(options: Options) -> str:
        pieces: list[str] = []
        registry.writer(name).write(SESSION, pieces.append, options)
        return joined(pieces)

    taken = {"live_only", *registry.writer(name).supported_options}
    for way in WAYS:
        alike = replace(Options(), **{key: value for key, value in asdict(way).items() if key in taken})
        assert written(way) == written(alike)


def every_format(session: Session) -> None:
    """As it is and without secrets: nothing fails, nothing is unaccounted for, and the messages add up."""
    judged: set[str] = set()  # most options change nothing in most formats
    for one in (session, Redactor(RedactionOptions(emails=True, home="/home/ada", users=("ada",)))(session)):
        for name in registry.writer_names():
            for options, context in (*((way, NO_CONTEXT) for way in different_ways(name)), (Options(), KNOWING)):
                pieces: list[str] = []
                report = registry.writer(name).write(one, pieces.append, options, context)
                gone = sum(entry.count for entry in report.dropped if entry.what in MESSAGES)
                assert report.kept + gone == len(one.messages), name
                assert pieces
                if name in JUDGES and one is session and (written := joined(pieces)) not in judged:
                    JUDGES[name](written)
                    judged.add(written)
                if name == "json" and not options.live_only:
                    again = session_of("".join(pieces).encode())
                    assert msgspec.json.encode(again) == msgspec.json.encode(one)
