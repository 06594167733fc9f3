"""How far sessions were read, in a file that does not grow without end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from pollux.marks.read_positions import EVERYTHING, ReadPosition, ReadPositions, is_unread

START = datetime(2026, 11, 16, tzinfo=UTC)


def _at(minutes: int) -> datetime:
    return START + timedelta(minutes=minutes)


def _position(minutes: int, key: str = "a", messages: int = 1, ended: int = 0) -> ReadPosition:
    return ReadPosition(at=_at(minutes), session=key, message="m", messages=messages, ended=_at(ended))


def test_nothing_is_unread_before_anything_was_read() -> None:
    assert is_unread({}, "a", _at(5), 3) is None


def test_what_ended_before_the_first_position_counts_as_read(tmp_path: Path) -> None:
    positions = ReadPositions(tmp_path / "read.jsonl")
    positions.add([_position(10, ended=9)])
    known = positions.all()
    assert known["a"] == _position(10, ended=9)
    assert is_unread(known, "b", _at(9), 3) is False
    assert is_unread(known, "b", _at(11), 3) is True
    assert is_unread(known, "b", None, 3) is False


def test_a_session_that_went_on_is_unread(tmp_path: Path) -> None:
    positions = ReadPositions(tmp_path / "read.jsonl")
    positions.add([_position(10, ended=9, messages=4)])
    known = positions.all()
    assert is_unread(known, "a", _at(9), 4) is False
    assert is_unread(known, "a", _at(9), 5) is True  # two messages at the same time
    assert is_unread(known, "a", _at(12), 4) is True
    assert is_unread(known, "a", _at(8), 9) is False  # rewritten without its end
    assert is_unread(known, "a", None, 5) is True
    positions.add([_position(13, ended=12, messages=5)])
    assert is_unread(positions.all(), "a", _at(12), 5) is False


def test_everything_can_be_read_at_once(tmp_path: Path) -> None:
    positions = ReadPositions(tmp_path / "read.jsonl")
    positions.add([_position(10, ended=9, messages=0)])
    positions.add([ReadPosition(at=_at(20), session=EVERYTHING)])
    assert is_unread(positions.all(), "a", _at(15), 4) is False
    assert is_unread(positions.all(), "a", _at(21), 4) is True


def test_the_file_is_shortened_when_most_of_it_is_outdated(tmp_path: Path) -> None:
    file = tmp_path / "read.jsonl"
    positions = ReadPositions(file)
    most = 0
    for number in range(0, 40_000, 100):
        positions.add([_position(number + step, f"key-{step % 7}") for step in range(100)])
        most = max(most, file.stat().st_size)
    assert most < 100_000
    known = positions.all()
    assert len(known) == 8
    assert known["key-1"].at == _at(39_999)
    assert known[EVERYTHING].at < _at(0)
