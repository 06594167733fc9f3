"""Does the index find all there is, and nothing else? `python -m benchmarks.recall HOME [CACHE]`.

200 words, 200 phrases of two words and 100 pairs of Chinese characters are drawn from a history. For each, the sessions
that a search gives must be those in which a plain scan of all texts finds it. Prints what differs; ends with status 1
where anything does.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from pollux.library import Library
from pollux.model import Session
from pollux.store.passages import passages
from tests.unit.store.scan import fold, parts, words

DRAWN_FROM = 150
SEED = 4

Needle = tuple[str, ...]


class Folding(dict[int, str]):
    """Every character as the index compares it, worked out when first met."""

    def __missing__(self, code: int) -> str:
        self[code] = fold(chr(code))
        return self[code]


def main() -> None:
    home = Path(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="pollux-recall-") as spare:
        cache = sys.argv[2] if len(sys.argv) > 2 else spare
        places = {"HOME": str(home), "XDG_CACHE_HOME": cache, "XDG_DATA_HOME": f"{cache}/data"}
        library = Library(places, home, hunt=False)
        library.sync()
        needles = drawn(library)
        wanted = scanned(library, needles)
        wrong = [needle for needle in needles if found(library, needle) != wanted[needle]]
    print(f"{len(needles)} needles, {sum(map(len, wanted.values()))} finds, {len(wrong)} differ")
    for needle in wrong:
        print(" ".join(needle))
    sys.exit(1 if wrong else 0)


def sessions(library: Library, chance: random.Random | None = None) -> Iterator[Session]:
    """All sessions, or some by chance."""
    bundles = library.bundles()
    for source, bundle in bundles if chance is None else chance.sample(bundles, min(DRAWN_FROM, len(bundles))):
        yield from source.read(bundle)


def drawn(library: Library) -> list[Needle]:
    """What is looked for."""
    chance = random.Random(SEED)
    runs = [words(p.text) for session in sessions(library, chance) for p in passages(session)]
    every = sorted({word for run in runs for word in run})
    pairs = [(one, other) for run in runs for one, other in pairwise(run)]
    han = sorted({pair for pair in pairs if all("\u4e00" <= word <= "\u9fff" for word in pair)})
    singles: list[Needle] = [(word,) for word in chance.sample(every, min(200, len(every)))]
    return [*singles, *chance.sample(pairs, min(200, len(pairs))), *chance.sample(han, min(100, len(han)))]


def scanned(library: Library, needles: list[Needle]) -> dict[Needle, set[str]]:
    """In which sessions each needle stands, by reading everything."""
    table, where = Folding(), {needle: set[str]() for needle in needles}
    for session in sessions(library):
        for passage in passages(session):
            folded = passage.text.lower() if passage.text.isascii() else passage.text.translate(table)
            some = [n for n in needles if session.key not in where[n] and all(word in folded for word in n)]
            if some:
                run = words(passage.text)
                here: set[Needle] = {*((word,) for word in {*run, *parts(passage.text)}), *pairwise(run)}
                for needle in here.intersection(some):
                    where[needle].add(session.key)
    return where


def found(library: Library, needle: Needle) -> set[str]:
    """In which sessions the index finds it."""
    query = f'"{" ".join(needle)}"'
    return {hit.key for hit in library.search(query, limit=1_000_000, per_session=1).hits if not hit.scattered}


if __name__ == "__main__":
    main()
