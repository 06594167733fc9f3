"""Unknown keys: a new field of the next release is kept, and reported."""

from __future__ import annotations

from pollux.testing.bench import Bench
from pollux.testing.chooser import Chooser
from pollux.testing.layout import Value, dotted

KEY = "x-planted-key"
VALUE = "planted value 4711"


def planted_keys(bench: Bench, chooser: Chooser) -> None:
    """Add a key to every object: a session's JSON must hold its value, and the doctor must name key and file once."""
    for value in chooser.of([value for value in bench.layout.values if value.kind == "object"]):
        _plant(bench, value)
    bench.stage.put(bench.file, bench.raw)


def _plant(bench: Bench, value: Value) -> None:
    place = dotted(value.path)
    action = f"a key planted in {place or 'a record'} (byte {value.start})"
    inside = bench.raw[value.start + 1 : value.end - 1]
    comma = b"," if inside.strip() else b""
    planted = f'"{KEY}":"{VALUE}"'.encode() + comma
    bench.stage.put(bench.file, bench.raw[: value.start + 1] + planted + bench.raw[value.start + 1 :])
    sessions = bench.read(action)
    if sessions is None or not bench.counted:
        return
    if bench.serves(sessions) or bench.voices:
        if not bench.holds(VALUE):
            bench.fail(action, "its value is lost")
        if lost := bench.missing(bench.layout.words):
            bench.fail(action, f"other words lost: {sorted(lost)[:8]}")
    if not bench.home.subject.is_open(place):
        _check_report(bench, action)


def _check_report(bench: Bench, action: str) -> None:
    report = bench.doctor(action)
    if report is None:
        return
    matches = [line for line in report.unknown if KEY in line.what]
    if not matches:
        bench.fail(action, "doctor does not report it")
    elif len(matches) > 1 or matches[0].count != 1:
        reports = [f"{line.what} x {line.count}" for line in matches]
        bench.fail(action, f"doctor reports it more than once: {reports}")
    elif not matches[0].example.startswith(bench.stage.shown(bench.file)):
        bench.fail(action, f"doctor gives another file as the example: {matches[0].example}")
