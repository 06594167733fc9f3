"""Does the index find all there is, and nothing else? `python -m benchmarks.recall HOME [CACHE]`.

200 words, 200 phrases of two words and 100 pairs of Chinese characters are drawn from a history. For each, the sessions
that a search gives must be those in which a plain scan of all texts finds it. Prints what differs; ends with status 1
where anything does.
"""

from __future__ import annotations

import random
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path

from pollux.index.search.passages import passages
from pollux.library.library import Library
from tests.unit.index.search.scan import parts, words

DRAWN_FROM = 150
PROCESSES = 2
SEED = 4

Needle = tuple[str, ...]


def main() -> None:
    home = Path(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="pollux-recall-") as spare:
        cache = sys.argv[2] if len(sys.argv) > 2 else spare
        places = {"HOME": str(home), "XDG_CACHE_HOME": cache, "XDG_DATA_HOME": f"{cache}/data"}
        library = opened(places)
        library.sync()
        needles = drawn(library)
        wanted = scanned(places, needles)
        wrong = [needle for needle in needles if found(library, needle) != wanted[needle]]
    print(f"{len(needles)} needles, {sum(map(len, wanted.values()))} finds, {len(wrong)} differ")
    for needle in wrong:
        print(" ".join(needle))
    sys.exit(1 if wrong else 0)


def opened(places: dict[str, str]) -> Library:
    return Library(places, Path(places["HOME"]), hunt=False)


def drawn(library: Library) -> list[Needle]:
    """What is looked for."""
    chance = random.Random(SEED)
    bundles = library._files.bundles()
    some = chance.sample(bundles, min(DRAWN_FROM, len(bundles)))
    runs = [
        words(p.text) for source, bundle in some for session in source.read(bundle).sessions for p in passages(session)
    ]
    every = sorted({word for run in runs for word in run})
    pairs = [(one, other) for run in runs for one, other in pairwise(run)]
    han = sorted({pair for pair in pairs if all("\u4e00" <= word <= "\u9fff" for word in pair)})
    singles: list[Needle] = [(word,) for word in chance.sample(every, min(200, len(every)))]
    return [*singles, *chance.sample(pairs, min(200, len(pairs))), *chance.sample(han, min(100, len(han)))]


def scanned(places: dict[str, str], needles: list[Needle]) -> dict[Needle, set[str]]:
    """In which sessions each needle stands, by reading everything."""
    where = {needle: set[str]() for needle in needles}
    with ProcessPoolExecutor(PROCESSES) as pool:
        for finds in pool.map(partial(_share, places, frozenset(needles)), range(PROCESSES)):
            for needle, key in finds:
                where[needle].add(key)
    return where


def _share(places: dict[str, str], needles: frozenset[Needle], number: int) -> set[tuple[Needle, str]]:
    """What one of several processes finds."""
    finds: set[tuple[Needle, str]] = set()
    for source, bundle in opened(places)._files.bundles()[number::PROCESSES]:
        for session in source.read(bundle).sessions:
            for passage in passages(session):
                run = words(passage.text)
                singles = {(word,) for word in {*run, *parts(passage.text)}}
                finds.update((needle, session.key) for needle in needles & {*singles, *pairwise(run)})
    return finds


def found(library: Library, needle: Needle) -> set[str]:
    """In which sessions the index finds it."""
    query = f'"{" ".join(needle)}"'
    return {hit.key for hit in library.search(query, limit=1_000_000, per_session=1).hits if not hit.scattered}


if __name__ == "__main__":
    main()
