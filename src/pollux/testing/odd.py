"""Odd values: whatever stands in a field, reading goes on and loses neither the odd value nor anything else."""

from __future__ import annotations

from pollux.testing.bench import Bench
from pollux.testing.chooser import Chooser
from pollux.testing.layout import Value, dotted

MARKER = "odd-marker-q7"
DIGITS = "7" + "0123456789" * 40
LONG = "odd-long-" + "x" * 70_000 + "-end"

ODD: tuple[tuple[str, str, str | None], ...] = (
    # name, as it stands in the file, what must be found again
    ("null", "null", None),
    ("7", "7", None),
    ("1.5", "1.5", None),
    ("true", "true", None),
    ("an empty string", '""', None),
    ("a string", f'"{MARKER}"', MARKER),
    ("a list", f'["{MARKER}"]', MARKER),
    ("an object", f'{{"{MARKER}":1}}', MARKER),
    ("a list in a list", f'[["{MARKER}"]]', MARKER),
    ("400 digits", DIGITS[:400], DIGITS[:400]),
    ("a long string", f'"{LONG}"', LONG),
    ("half a surrogate", '"odd-half-\\ud83d-other-half"', "-other-half"),
)


def odd_values(bench: Bench, chooser: Chooser) -> None:
    """Replace every value by odd ones."""
    for value in chooser.of(bench.layout.values):
        for name, written, marker in ODD:
            anew = chooser.thorough or len(value.path) < 2 or name == "a string"
            _replace(bench, value, name, written.encode(), marker, grouped=not anew)
    bench.stage.put(bench.file, bench.raw)


def _replace(bench: Bench, value: Value, name: str, written: bytes, marker: str | None, *, grouped: bool) -> None:
    place = dotted(value.path)
    done = f"{place or 'a whole record'} (byte {value.start}) replaced by {name}"
    bench.stage.put(bench.file, bench.raw[: value.start] + written + bench.raw[value.end :])
    sessions = bench.read(done, grouped=grouped)
    if sessions is None:
        return
    left = any(unit.end <= value.start or unit.start >= value.end for unit in bench.voices)
    if not bench.counted:
        return
    if bench.serves(sessions) or left:
        lost = bench.missing(bench.layout.words)
        if lost and (lost := lost - bench.layout.words_only_in(value.start, value.end)):
            bench.fail(done, f"other words lost: {sorted(lost)[:8]}")
    if marker is None or bench.holds(marker):
        return
    # A record that is no object, or a file that then holds no session, has no JSON to stand in: it must be reported.
    if (not value.path or not bench.serves(sessions)) and bench.accounted(done):
        return
    bench.fail(done, "the odd value is lost" + ("" if bench.serves(sessions) else "; the file gives no session and no notice"))
