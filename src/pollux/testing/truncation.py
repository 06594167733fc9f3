"""Cut at every byte: everything complete before the cut is still there."""

from __future__ import annotations

from pollux.testing.bench import Bench
from pollux.testing.chooser import Chooser

# The first bytes, in which a file names its session.
_HEAD = 256


def cut_anywhere(bench: Bench, chooser: Chooser) -> None:
    """Cut the file after n bytes, for every n: reading never raises, and every complete line or item is served."""
    ends = sorted((unit.end for unit in bench.layout.units), reverse=True)
    edges = {end + step for end in ends for step in (-1, 0, 1)}
    words_before = _words_up_to(bench)
    sizes = chooser.of(range(len(bench.raw), -1, -1))
    bench.stage.put(bench.file, bench.raw)
    before = len(bench.raw) + 1
    for size in sizes:
        bench.stage.cut(bench.file, size)
        important = size <= _HEAD or size % 32 == 0 or size in edges
        sessions = bench.read(f"cut at byte {size}", grouped=not important and not chooser.thorough)
        if sessions is None:
            continue
        if not bench.serves(sessions):
            if any(unit.end <= size for unit in bench.voices):
                bench.fail(f"cut at byte {size}", "no session is left, although there are messages before the cut")
        else:
            end = next((end for end in ends if end <= size), 0)
            if end and (lost := bench.missing(words_before[end])):
                bench.fail(f"cut at byte {size}", f"lost {sorted(lost)[:8]}")
        if any(size < end <= before for end in (0, *ends)) or size == 0:
            _account(bench, size)
        before = size
    bench.stage.put(bench.file, bench.raw)


def _words_up_to(bench: Bench) -> dict[int, frozenset[str]]:
    """For the end of each unit, the words of all units that are complete there."""
    words: set[str] = set()
    by_end: dict[int, frozenset[str]] = {}
    for unit in sorted(bench.layout.units, key=lambda unit: unit.end):
        words |= bench.layout.words_within(unit.start, unit.end)
        by_end[unit.end] = frozenset(words)
    return by_end


def _account(bench: Bench, size: int) -> None:
    """The doctor must have a line for the file, and a reason if nothing was read from it."""
    action = f"cut at byte {size}"
    line = bench.account(action)
    if line is None:
        return
    if line.status not in ("read", "copy") and not line.reason:
        bench.fail(action, f"doctor calls it {line.status} and gives no reason")
