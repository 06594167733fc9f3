"""What the words of a history cost, step by step, on one process: `python -m benchmarks.words HOME [EVERY]`.

Each step also does the work of the steps before it. CPU seconds count, so that a busy machine disturbs less; the best
of three rounds is printed. The last line is what no change of pollux can save: tantivy alone, with prepared words that
are in memory already. With EVERY, one of so many sessions is read; without it, one of eight.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import tantivy

from benchmarks.yardsticks import bare_parse
from pollux.index.search.fact_terms import session_facts
from pollux.index.search.fields import register, schema, to_document
from pollux.index.search.passages import Facts, passage_texts, passages
from pollux.index.search.word_index import WordIndex, Writer
from pollux.index.sync.readers import StoreWords, read, without_words
from pollux.library.library import Library
from pollux.model import Session
from pollux.sources.base import Bundle, Source
from pollux.system.gc_pause import gc_paused

ROUNDS = 3
HEAP = 80_000_000

_encode = msgspec.msgpack.Encoder().encode


def make_texts(session: Session) -> int:
    """Find the texts of the passages."""
    for message in session.messages:
        for _ in passage_texts(message):
            pass
    return 1


def make_passages(session: Session) -> int:
    """Make passages, whose words are prepared for the index."""
    for _ in passages(session):
        pass
    return 1


def make_documents(session: Session) -> int:
    """Make documents, whose texts are compressed."""
    facts = session_facts(Facts.of(session))
    for passage in passages(session):
        to_document(1, facts, passage)
    return 1


class Indexed:
    """Writes an index."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._number = 0

    def store(self, session: Session) -> int:
        self._number += 1
        self._writer.add(self._number, Facts.of(session), passages(session))
        return self._number


def main() -> None:
    home, every = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 8
    library = Library({"HOME": str(home)}, home, hunt=False)
    bundles = library._files.bundles()[::every]
    files = [file.path for _, bundle in bundles for file in bundle.files]
    steps: dict[str, Callable[[], None]] = {
        "bare parse": lambda: bare_parse(files),
        "read": lambda: _read(bundles),
        "rows": lambda: _store(bundles, without_words),
        "texts": lambda: _store(bundles, make_texts),
        "passages": lambda: _store(bundles, make_passages),
        "documents": lambda: _store(bundles, make_documents),
        "index": lambda: _index(bundles),
    }
    seconds = {name: min(_cpu(step) for _ in range(ROUNDS)) for name, step in steps.items()}
    yardstick = seconds.pop("bare parse")
    before = 0.0
    print(f"{sum(Path(file).stat().st_size for file in files) / 1e6:.0f} MB; a bare parse takes {yardstick:.3f} s")
    for name, total in seconds.items():
        print(f"{name:10} {total - before:6.3f} s, {(total - before) / yardstick:5.2f} times a bare parse")
        before = total
    print(f"{'all':10} {before:6.3f} s, {before / yardstick:5.2f} times a bare parse")
    words = _prepared(bundles)
    alone = min(_cpu(lambda: _index_alone(words)) for _ in range(ROUNDS))
    print(f"{'tantivy':10} {alone:6.3f} s, {alone / yardstick:5.2f} times a bare parse")


def _read(bundles: Sequence[tuple[Source, Bundle]]) -> None:
    for source, bundle in bundles:
        with gc_paused():
            source.read(bundle)


def _store(bundles: Sequence[tuple[Source, Bundle]], store_words: StoreWords) -> None:
    for number, task in enumerate(bundles):
        with gc_paused():
            _encode(read(number, task, store_words))


def _index(bundles: Sequence[tuple[Source, Bundle]]) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="pollux-words-") as folder,
        WordIndex.open(Path(folder)).writer(HEAP) as writer,
    ):
        _store(bundles, Indexed(writer).store)
        writer.commit(1)


def _prepared(bundles: Sequence[tuple[Source, Bundle]]) -> list[str]:
    return [
        passage.words
        for source, bundle in bundles
        for session in source.read(bundle).sessions
        for passage in passages(session)
    ]


def _index_alone(words: list[str]) -> None:
    """Index words with their places, and nothing else."""
    with tempfile.TemporaryDirectory(prefix="pollux-words-") as folder:
        index = tantivy.Index(schema(), path=folder)
        register(index)
        writer = index.writer(heap_size=HEAP, num_threads=1)
        for text in words:
            document = tantivy.Document()
            document.add_text("text", text)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()


def _cpu(work: Callable[[], None]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


if __name__ == "__main__":
    main()
