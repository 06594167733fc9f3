"""The index finds exactly the sessions that a plain scan of the texts finds."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pollux.index.search.passages import passages
from pollux.index.search.query import And, Query, Words
from pollux.index.search.word_index import WordIndex
from pollux.library.library import Library
from pollux.model import Session
from tests.unit.index.search.scan import HAN, Scan
from tests.unit.index.search.small_sessions import corpus, make_index

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[4]
SEED = 4


def generated(folder: Path, sessions: int = 12) -> list[Session]:
    """Sessions of the maker of large histories."""
    maker = [sys.executable, str(ROOT / "benchmarks" / "gen.py"), "--out", str(folder), "--sessions", str(sessions)]
    subprocess.run([*maker, "--seed", "11", "--agents", "gemini"], check=True, capture_output=True)
    library = Library({"HOME": str(folder)}, folder, hunt=False)
    return [session for source, bundle in library._files.bundles() for session in source.read(bundle).sessions]


class Twins:
    """The same sessions in an index and in a scan."""

    def __init__(self, folder: Path) -> None:
        sessions = [*corpus(), *generated(folder / "history")]
        self.index: WordIndex = make_index(folder / "words", *sessions)
        self.count = len(sessions)
        self.scan = Scan(list(passages(session)) for session in sessions)
        self.chance = random.Random(SEED)
        self.runs = [run for session in self.scan.words for run in session if len(run) > 1]

    def found(self, text: str) -> set[int]:
        query = Query(text=text, node=And(nodes=(Words(text=text),)))
        return {hit.session for hit in self.index.search(query, limit=self.count, per_session=1)}

    def neighbours(self) -> tuple[str, str]:
        """Two words that stand together somewhere, every passage as likely as any other."""
        run = self.chance.choice(self.runs)
        place = self.chance.randrange(len(run) - 1)
        return run[place], run[place + 1]


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Twins:
    return Twins(tmp_path_factory.mktemp("twins"))


def test_words(twins: Twins) -> None:
    every = sorted(set().union(*twins.scan.every))
    chosen = [*twins.chance.sample(every, 150), *(twins.neighbours()[0] for _ in range(50))]
    assert not [word for word in chosen if twins.found(word) != twins.scan.with_word(word)]


def test_phrases(twins: Twins) -> None:
    chosen = [twins.neighbours() for _ in range(200)]
    assert not [pair for pair in chosen if twins.found(" ".join(pair)) != twins.scan.with_pair(*pair)]


def test_pairs_of_han_characters(twins: Twins) -> None:
    han = re.compile(f"[{HAN}]")
    every = sorted(pair for pair in set().union(*twins.scan.pairs) if all(map(han.fullmatch, pair)))
    assert len(every) > 100
    chosen = twins.chance.sample(every, 100)
    assert not [pair for pair in chosen if twins.found("".join(pair)) != twins.scan.with_pair(*pair)]


def test_parts_of_identifiers(twins: Twins) -> None:
    whole = {word for session in twins.scan.words for run in session for word in run}
    only_parts = sorted(set().union(*twins.scan.every) - whole)
    assert len(only_parts) > 50
    assert not [part for part in only_parts[:200] if twins.found(part) != twins.scan.with_word(part)]
