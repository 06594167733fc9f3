"""The journal of what was pushed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from pollux.errors import StoreError
from pollux.lake.documents import Level
from pollux.lake.journal import Entry, Journal


def entry(key: str, seq: int, *, told: bool = False) -> Entry:
    return Entry(
        key=key,
        id=key,
        month="2026-11",
        seq=seq,
        state=f"s{seq}",
        path=f"p{seq}",
        level=Level.REDACTED,
        stamp="x",
        bytes=3,
        redactions=0,
        told=told,
    )


def test_what_is_noted_is_known_to_the_next_process(tmp_path: Path) -> None:
    Journal(tmp_path).write("l1", [entry("a", 1), entry("b", 2)])
    Journal(tmp_path).write("l2", [entry("a", 3)])
    journal = Journal(tmp_path)
    journal.tell("l1", ["a"])
    assert {key: (one.seq, one.told, one.at is not None) for key, one in journal.entries("l1").items()} == {
        "a": (1, True, True),
        "b": (2, False, False),
    }
    assert journal.entries("l2")["a"] == entry("a", 3)
    assert journal.lakes() == ["l1", "l2"]


def test_nothing_is_written_before_something_is_pushed(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "lake")
    assert (journal.entries("l"), journal.lakes()) == ({}, [])
    assert journal.next_seq() > 0
    assert not (tmp_path / "lake").exists()


def test_numbers_grow_even_if_the_clock_goes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLLUX_NOW", "2030-01-01T00:00:00Z")
    journal = Journal(tmp_path)
    first = journal.next_seq()
    journal.write("l1", [entry("a", first)])
    monkeypatch.setenv("POLLUX_NOW", "2020-01-01T00:00:00Z")
    assert journal.next_seq() == first + 1


def test_a_damaged_journal_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match="cannot be used"):
        Journal(tmp_path).entries("l")


def test_a_later_journal_is_left_alone(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.write("l", [entry("a", 1)])
    journal.close()
    sql = sqlite3.connect(tmp_path / "journal.db")
    sql.execute("PRAGMA user_version = 99")
    sql.commit()
    sql.close()
    with pytest.raises(StoreError, match="later release"):
        Journal(tmp_path).entries("l")


def test_only_the_user_can_read_it(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "lake")
    journal.write("l", [entry("a", 1)])
    assert {file.stat().st_mode & 0o077 for file in (tmp_path / "lake").iterdir()} == {0}
    journal.close()
