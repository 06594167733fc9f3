"""A journal loses nothing that was written: not to two writers at once, and not to one that is killed."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pollux.errors import StoreError
from pollux.marks.journal import Journal
from pollux.model import Value
from tests.waiting import until


class Line(Value, frozen=True, kw_only=True):
    """A line of these tests."""

    word: str


def _journal(folder: Path) -> Journal[Line]:
    return Journal(folder / "deep" / "lines.jsonl", Line)


def _add(journal: Journal[Line], *words: str) -> None:
    journal.append(lambda _: [Line(word=word) for word in words])


def _words(journal: Journal[Line]) -> list[str]:
    return [line.word for line in journal.lines()]


def test_lines_come_back_in_their_order(tmp_path: Path) -> None:
    journal = _journal(tmp_path)
    assert _words(journal) == []
    _add(journal, "one", "two\n, and ½")
    _add(journal)
    _add(journal, "three")
    assert _words(journal) == _words(_journal(tmp_path)) == ["one", "two\n, and ½", "three"]


def test_only_the_user_can_read_them(tmp_path: Path) -> None:
    journal = _journal(tmp_path)
    _add(journal, "one")
    assert stat.S_IMODE(journal.file.stat().st_mode) == 0o600
    assert stat.S_IMODE(journal.file.parent.stat().st_mode) == 0o700
    journal.rewrite(lambda lines: lines)
    assert stat.S_IMODE(journal.file.stat().st_mode) == 0o600


def test_a_file_cut_after_any_byte_gives_all_complete_lines_and_takes_new_ones(tmp_path: Path) -> None:
    journal = _journal(tmp_path)
    words = ["one", "zwölf", "{}", "three"]
    for word in words:
        _add(journal, word)
    content = journal.file.read_bytes()
    for end in range(len(content) + 1):
        journal.file.write_bytes(content[:end])
        whole = [
            word
            for number, word in enumerate(words)
            if end >= len(b"".join(content.splitlines(True)[: number + 1])) - 1
        ]
        cut = _journal(tmp_path)
        assert _words(cut) == whole, end
        assert cut.damaged == 0
        _add(cut, "new")
        assert _words(cut) == _words(_journal(tmp_path)) == [*whole, "new"], end
        assert _journal(tmp_path).damaged == 0


def test_damage_in_the_middle_costs_its_own_line_only(tmp_path: Path) -> None:
    journal = _journal(tmp_path)
    _add(journal, "one", "two", "three")
    lines = journal.file.read_bytes().splitlines(keepends=True)
    for damage in (b"\xff\xfe\n", b"{}\n", b"[1]\n", b'{"word":3}\n', b'{"word"\n'):
        journal.file.write_bytes(lines[0] + damage + lines[2])
        again = _journal(tmp_path)
        assert _words(again) == ["one", "three"]
        assert again.damaged == 1
        _add(again, "four")
        assert damage in journal.file.read_bytes()  # it is left alone


_WRITER = """
import sys
from pathlib import Path
from tests.unit.marks.test_journal import Line, _add, _journal
journal = _journal(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    _add(journal, f"{sys.argv[2]}-{number}", "and")
"""


def _writer(folder: Path, name: str, count: int) -> subprocess.Popen[bytes]:
    root = Path(__file__).parents[3]
    return subprocess.Popen([sys.executable, "-c", _WRITER, str(folder), name, str(count)], cwd=root)


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    writers = [_writer(tmp_path, name, 20) for name in "abc"]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    words = _words(journal := _journal(tmp_path))
    assert journal.damaged == 0
    assert words[1::2] == ["and"] * 60  # the lines of one command stand together
    for name in "abc":
        assert [word for word in words if word.startswith(f"{name}-")] == [f"{name}-{number}" for number in range(20)]


def test_a_killed_writer_costs_nothing_that_was_written(tmp_path: Path) -> None:
    writer = _writer(tmp_path, "a", 10_000)
    journal = _journal(tmp_path)
    until(lambda: len(_words(journal)) >= 10)
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    before = [word for word in _words(journal) if word != "and"]
    _add(journal, "b")
    assert [word for word in _words(journal) if word != "and"] == [*(f"a-{n}" for n in range(len(before))), "b"]
    assert journal.damaged == 0


def test_a_full_disk_leaves_the_journal_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = _journal(tmp_path)
    _add(journal, "one")
    before = journal.file.read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(StoreError, match="No space left"):
            _add(journal, "two")
    assert journal.file.read_bytes() == before
    _add(journal, "three")
    assert _words(journal) == ["one", "three"]


def test_what_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "deep").write_text("a file")
    with pytest.raises(StoreError, match="deep"):
        _add(_journal(tmp_path), "one")
    assert _words(_journal(tmp_path)) == []


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    journal = _journal(tmp_path)
    _add(journal, "one")
    (tmp_path / "elsewhere").write_bytes(b"")
    journal.file.unlink()
    journal.file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError):
        _add(journal, "two")
    assert (tmp_path / "elsewhere").read_bytes() == b""
