"""Unknown keys: the next release's new field is kept, and reported."""

from __future__ import annotations

from pollux.testing.bench import Bench
from pollux.testing.chooser import Chooser
from pollux.testing.layout import Value, dotted

KEY = "x-planted-key"
VALUE = "planted value 4711"


def planted_keys(bench: Bench, chooser: Chooser) -> None:
    """Plant a key in every object: a session's JSON holds its value, and the doctor names key and file, once."""
    for value in chooser.of([value for value in bench.layout.values if value.kind == "object"]):
        _plant(bench, value)
    bench.stage.put(bench.file, bench.raw)


def _plant(bench: Bench, value: Value) -> None:
    place = dotted(value.path)
    done = f"a key planted in {place or 'a record'} (byte {value.start})"
    inside = bench.raw[value.start + 1 : value.end - 1]
    comma = b"," if inside.strip() else b""
    planted = f'"{KEY}":"{VALUE}"'.encode() + comma
    bench.stage.put(bench.file, bench.raw[: value.start + 1] + planted + bench.raw[value.start + 1 :])
    sessions = bench.read(done)
    if sessions is None or not bench.counted:
        return
    if bench.serves(sessions) or bench.voices:
        if not bench.holds(VALUE):
            bench.fail(done, "its value is lost")
        if lost := bench.missing(bench.layout.words):
            bench.fail(done, f"other words lost: {sorted(lost)[:8]}")
    if not bench.home.subject.is_open(place):
        _reported(bench, done)


def _reported(bench: Bench, done: str) -> None:
    report = bench.doctor(done)
    if report is None:
        return
    named = [line for line in report.unknown if KEY in line.what]
    if not named:
        bench.fail(done, "doctor does not report it")
    elif len(named) > 1 or named[0].count != 1:
        told = [f"{line.what} x {line.count}" for line in named]
        bench.fail(done, f"doctor reports it more than once: {told}")
    elif not named[0].example.startswith(bench.stage.shown(bench.file)):
        bench.fail(done, f"doctor gives another file as the example: {named[0].example}")
