"""Files of JSON objects, a line each."""

from __future__ import annotations

from pathlib import Path

from pollux.wire import Notes, Shape, decoded_lines


class Line(Shape):
    """A line of a log."""

    text: str | None = None


def test_what_cannot_be_read_in_a_log_becomes_a_notice(tmp_path: Path) -> None:
    log = tmp_path / "history.jsonl"
    log.write_bytes(b'{"text":"a"}\n[1]\n{"text":\n{"text":"b"}\n')
    notes = Notes(str(log))
    assert [(number, line.text) for number, line in decoded_lines(str(log), Line, notes)] == [(1, "a"), (4, "b")]
    assert [(notice.code, notice.line) for notice in notes.all()] == [("line.not-object", 2), ("line.invalid", 3)]


def test_a_log_that_is_not_there_is_noticed(tmp_path: Path) -> None:
    notes = Notes()
    assert list(decoded_lines(str(tmp_path / "none"), Line, notes)) == []
    assert [notice.code for notice in notes.all()] == ["file.unreadable"]
