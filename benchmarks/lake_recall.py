"""Does a lake find all there is? `python -m benchmarks.lake_recall HOME [CACHE]`.

The same words, phrases and pairs as in `benchmarks.recall` are looked for in a lake: by its search, which must find the
sessions that a plain scan of all texts finds, and by ClickHouse in the index that `lake views` prints, if it is
installed. Prints what differs; ends with status 1 where the search does.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.recall import Needle, drawn, opened, scanned
from pollux.index.search.query import parse
from pollux.index.search.session_search import SearchRequest
from pollux.lake.ask import Lake
from pollux.lake.delta import Delta
from pollux.lake.load import Loader
from pollux.lake.search import search
from pollux.lake.store import open_store
from pollux.lake.views import Engine, statements
from pollux.library.library import Filter
from pollux.registry import source_names
from tests.lake.making import push

EVERY = SearchRequest(limit=1_000_000, per_session=1)
KINDS = {"word": 0, "words that follow one another": 1, "Chinese characters": 2}
ASK = """
import json, sys
from chdb.session import Session
*statements, needles = json.load(sys.stdin)
session = Session()
for statement in statements:
    session.query(statement)
for needle in needles:
    odd = "[^\\\\\\\\p{L}\\\\\\\\p{N}]"
    run = (odd + ("*" if max(map(max, needle)) > chr(0x2E80) else "+")).join(needle)
    where = f"hasAllTokens(text, {list(needle)}) AND match(lowerUTF8(text), '(^|{odd}){run}({odd}|$)')"
    answer = json.loads(str(session.query("SELECT DISTINCT key FROM words WHERE " + where, "JSONCompact")))
    print(json.dumps([key for (key,) in answer["data"]]))
"""


def main() -> None:
    home = Path(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="pollux-recall-") as spare:
        cache = sys.argv[2] if len(sys.argv) > 2 else spare
        places = {"HOME": str(home), "XDG_CACHE_HOME": cache, "XDG_DATA_HOME": f"{cache}/data"}
        library = opened(places)
        library.sync()
        needles = drawn(library)
        wanted = scanned(places, needles)
        store = open_store(f"{spare}/lake", create=True)
        Delta(store).create()
        push(store, library.sessions(Filter(everything=True)))
        Loader(store).load()
        lake = Lake(store)
        there = {needle: by_search(lake, needle) for needle in needles}
        wrong = told("search", wanted, there)
        told("ClickHouse", wanted, by_clickhouse(store.url, needles))
    sys.exit(1 if wrong else 0)


def by_search(lake: Lake, needle: Needle) -> set[str]:
    """In which sessions a search of the lake finds it."""
    found = search(lake, parse(f'"{" ".join(needle)}"', source_names()), EVERY)
    return {hit.key for hit in found.hits if not hit.scattered}


def by_clickhouse(lake: str, needles: list[Needle]) -> dict[Needle, set[str]]:
    """In which sessions the index of words has it."""
    asked = json.dumps([*statements(Engine.CLICKHOUSE, lake), needles])
    done = subprocess.run(
        [sys.executable, "-c", ASK], input=asked, cwd=lake, capture_output=True, text=True, check=True
    )
    return {needle: set(json.loads(line)) for needle, line in zip(needles, done.stdout.splitlines(), strict=True)}


def told(who: str, wanted: dict[Needle, set[str]], there: dict[Needle, set[str]]) -> bool:
    """Print how many sessions somebody misses, and finds for nothing. Does anything differ?"""
    count, missed, more = Counter[str](), Counter[str](), Counter[str]()
    for needle, keys in wanted.items():
        kind = list(KINDS)[0 if len(needle) == 1 else 2 if any(ord(word[0]) > 0x2E80 for word in needle) else 1]
        count[kind] += len(keys)
        missed[kind] += len(keys - there[needle])
        more[kind] += len(there[needle] - keys)
    for kind in count:
        print(f"{who}: {kind}: {count[kind]:,} finds, {missed[kind]:,} missed, {more[kind]:,} too many")
    return bool(missed.total() or more.total())


if __name__ == "__main__":
    main()
