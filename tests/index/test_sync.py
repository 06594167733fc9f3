"""The store gives the answers of the files, whatever happened to either."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Iterable
from pathlib import Path

import pytest

from pollux.library.library import Enough, Filter, Progress
from pollux.sources.base import Bundle, File, Source, SourceContext
from pollux.sources.database import private_copy
from tests.index.conftest import CORPUS, ChangingHome


def test_a_second_sync_reads_nothing(home: ChangingHome) -> None:
    first = home.library().sync()
    assert first.changed > 10
    assert home.library().sync().changed == 0
    assert home.answers() == home.truth()


def test_what_was_written_since_is_found(home: ChangingHome) -> None:
    home.talk("aaaa", "a question about zebras")
    assert len(home.library().search("zebras").hits) == 1
    home.talk("aaaa", "and another about okapis")
    hits = home.library().search("okapis").hits
    assert [(hit.key, hit.message_id) for hit in hits] == [("gemini:aaaa", "aaaa-2")]
    assert home.answers() == home.truth()


def test_only_the_session_that_grew_is_opened(home: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(50):
        home.talk(f"s{number:03d}", f"question {number} about the parser")
    home.library().sync()
    grown = home.talk("s017", "quokkas")
    opened: list[str] = []
    from pollux.system import files

    def spy(path: object, *rest: object, **named: object) -> object:
        opened.append(str(path))
        return open(path, *rest, **named)  # type: ignore[call-overload]  # noqa: PTH123

    monkeypatch.setattr(files, "open", spy, raising=False)
    assert [hit.key for hit in home.library().search("quokkas").hits] == ["gemini:s017"]
    sessions = {path for path in opened if "/chats/" in path}
    assert sessions == {str(grown)}


def test_what_another_process_took_in_is_found_by_a_library_that_was_open_before(home: ChangingHome) -> None:
    early = home.library()
    assert not early.search("pangolins").hits
    home.talk("aaaa", "pangolins")
    home.library().sync()
    assert [hit.key for hit in early.search("pangolins").hits] == ["gemini:aaaa"]


def test_an_output_too_long_for_the_index_is_told_of(home: ChangingHome) -> None:
    said = {"id": "c", "name": "run_shell_command", "args": {}, "status": "success"}
    response = {"functionResponse": {"id": "c", "name": "run_shell_command", "response": {"output": "word " * 80_000}}}
    line = {"id": "long", "timestamp": "2026-11-14T00:00:00.000Z", "type": "gemini", "content": "done"}
    file = home.talk("aaaa", "run it")
    with file.open("a") as out:
        out.write(json.dumps({**line, "toolCalls": [{**said, "result": [response]}]}) + "\n")
    assert home.library().doctor().totals["outputs_cut"] == 1


def test_a_file_that_goes_takes_its_session_along(home: ChangingHome) -> None:
    file = home.talk("aaaa", "wombats")
    assert home.library().search("wombats").hits
    file.unlink()
    outcome = home.library().sync()
    assert outcome.removed == 1
    assert not home.library().search("wombats").hits
    assert home.answers() == home.truth()


def test_a_file_replaced_by_one_of_the_same_size_and_time_is_seen(home: ChangingHome) -> None:
    file = home.talk("aaaa", "lemurs")
    before = file.stat()
    home.library().sync()
    other = file.with_suffix(".new")
    other.write_text(file.read_text().replace("lemurs", "tapirs"))
    os.utime(other, ns=(before.st_mtime_ns, before.st_mtime_ns))
    other.replace(file)
    assert home.library().search("tapirs").hits
    assert not home.library().search("lemurs").hits


def test_another_session_of_the_project_may_explain_a_typed_line(home: ChangingHome) -> None:
    """The log of typed prompts makes sessions depend on one another: the answer must be as if all were read anew."""
    home.library().sync()
    for number in range(3):
        home.talk(f"t{number}", "How is the weather?", "What else?")
        log = home.home / ".gemini" / "tmp" / "weather" / "logs.json"
        lines = "" if not log.exists() else log.read_text().strip().strip("[]").strip()
        line = f'{{"sessionId": "t{number}", "messageId": 0, "type": "user", "message": "What else?", '
        line += f'"timestamp": "2026-11-14T00:00:{2 * number + 2:02d}.000Z"}}'
        log.write_text(f"[{lines}{',' if lines else ''}{line}]")
        assert home.answers() == home.truth()


def test_a_project_that_the_agent_lists_later_is_known_at_once(home: ChangingHome) -> None:
    home.talk("aaaa", "hello", project="harbour")
    assert [one.summary.project for one in home.library().list(Filter(words=("hello",)))] == [None]
    file = home.home / ".gemini" / "tmp" / "harbour" / "chats" / "session-aaaa.jsonl"
    file.write_text(file.read_text().replace("0" * 64, hashlib.sha256(b"/work/harbour").hexdigest()))
    home.library().sync()
    (home.home / ".gemini" / "projects.json").write_text('{"projects": {"/work/harbour": "harbour"}}')
    assert [one.summary.project for one in home.library().list(Filter(words=("hello",)))] == ["/work/harbour"]
    assert home.answers() == home.truth()


def test_an_archived_copy_counts_when_the_live_one_goes(empty_home: ChangingHome) -> None:
    genuine = Path(__file__).parent.parent / "corpus" / "codex" / "0.100.0" / "home" / ".codex" / "sessions"
    rollout = next(path for path in sorted(genuine.rglob("rollout-*.jsonl")))
    live, kept = empty_home.home / ".codex" / "sessions", empty_home.home / ".codex" / "archived_sessions"
    for folder in (live, kept):
        folder.mkdir(parents=True)
        shutil.copy2(rollout, folder)
    before = [one.summary.key for one in empty_home.library().list()]
    assert len(before) == 1
    (live / rollout.name).unlink()
    assert [one.summary.key for one in empty_home.library().list()] == before
    assert empty_home.answers() == empty_home.truth()


def test_a_project_that_is_taught_is_known_at_once(home: ChangingHome) -> None:
    digest = hashlib.sha256(b"/nowhere/at/all").hexdigest()
    home.talk("aaaa", "hello", project=digest)
    file = home.home / ".gemini" / "tmp" / digest / "chats" / "session-aaaa.jsonl"
    file.write_text(file.read_text().replace("0" * 64, digest))
    library = home.library()
    assert [one.summary.project for one in library.list(Filter(words=("hello",)))] == [None]
    library.projects.add("/nowhere/at/all")
    assert [one.summary.project for one in home.library().list(Filter(words=("hello",)))] == ["/nowhere/at/all"]


@pytest.mark.parametrize("name", ["catalogue.db", "text/meta.json", "text/.managed.json"])
@pytest.mark.parametrize("damage", ["gone", "empty", "garbage", "cut"])
def test_a_damaged_cache_heals(home: ChangingHome, name: str, damage: str) -> None:
    truth = home.answers()
    file = home.library()._places.index / name
    assert file.exists()
    raw = file.read_bytes()
    for beside in file.parent.glob("catalogue.db-*"):
        beside.unlink()
    file.unlink()
    if damage != "gone":
        file.write_bytes({"empty": b"", "garbage": b"\x07" * 5000, "cut": raw[: len(raw) // 2]}[damage])
    assert home.answers() == truth


def test_damage_inside_the_words_heals(home: ChangingHome) -> None:
    truth = home.answers()
    for file in (home.library()._places.index / "text").iterdir():
        if file.suffix in (".idx", ".pos", ".store", ".term"):
            file.write_bytes(b"\x00" * file.stat().st_size)
    assert home.answers() == truth


def test_another_edition_reads_anew(home: ChangingHome) -> None:
    truth = home.answers()
    with sqlite3.connect(home.library()._places.index / "catalogue.db") as sql:
        sql.execute("UPDATE meta SET value='of another time' WHERE name='edition'")
    library = home.library()
    assert library.sync().changed > 10
    assert home.answers() == truth


def test_without_sync_the_cache_is_taken_as_it_is(home: ChangingHome) -> None:
    before = home.answers()
    home.talk("aaaa", "ocelots")
    after = home.answers(fresh=False)
    assert (after["list"], after["search"]) == (before["list"], before["search"])


def test_an_interrupted_sync_goes_on_where_it_was(home: ChangingHome) -> None:
    read: list[int] = []

    def impatient(progress: Progress) -> None:
        read.append(progress.done_files)
        if len(read) == 5:
            raise Enough

    library = home.library(report=impatient)
    assert library.sync().busy
    left = home.library().sync()
    everything = home.library(home.cache.with_name("fresh")).sync()
    assert 0 < left.changed < everything.changed
    assert home.answers() == home.truth()


def test_a_cache_that_cannot_be_made_costs_time_only(home: ChangingHome, tmp_path: Path) -> None:
    truth = home.answers()
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    library = home.library(blocked)
    assert library.list(Filter(everything=True))
    assert str(blocked) in (library.index.cache_problem or "")
    import msgspec

    assert msgspec.to_builtins(library.list(Filter(everything=True))) == truth["list"]
    found = library.search("weather", limit=200)
    assert sorted((hit.key, hit.message_id, hit.snippet) for hit in found.hits) == truth["search"]["weather"]
    assert found.pending == len(truth["list"])


def test_a_full_disk_is_one_sentence_and_heals(home: ChangingHome, small_disk: Path) -> None:
    for number in range(40):
        home.talk(f"s{number}", f"{number} " + " ".join(f"word{n}x{number}" for n in range(2000)))
    library = home.library(small_disk)
    assert len(library.list()) > 40
    assert "no room" in (library.index.cache_problem or "")
    assert [hit.key for hit in library.search("word3x7").hits] == ["gemini:s7"]
    shutil.rmtree(home.home / ".gemini")
    home.talk("aaaa", "room again")
    assert [hit.key for hit in home.library(small_disk).search("room").hits] == ["gemini:aaaa"]


def test_what_cannot_be_read_is_counted(empty_home: ChangingHome) -> None:
    empty_home.talk("aaaa", "wombats")
    assert empty_home.library().index.unread() == 0
    day = empty_home.home / ".codex" / "sessions" / "2026" / "11" / "15"
    day.mkdir(parents=True)
    name = "rollout-2026-11-15T06-11-37-01a1ddd5-2ce5-7f91-a235-2086e3ca43ee.jsonl.zst"
    (day / name).write_bytes(b"\x28\xb5\x2f\xfd" + b"broken" * 9)
    library = empty_home.library()
    assert (library.index.unread(), len(library.list())) == (1, 1)


def test_what_is_noticed_about_a_log_of_typed_lines_is_as_new_as_the_log(empty_home: ChangingHome) -> None:
    log = empty_home.home / ".claude" / "history.jsonl"
    (log.parent / "projects").mkdir(parents=True)
    line = {"display": "wombats", "pastedContents": {}, "timestamp": 1794722335467, "project": "/home/ada/code/garden"}
    log.write_text(json.dumps(line) + "\n")
    for count in (1, 2):
        with log.open("a") as more:
            more.write('{"type":"zz"}\n' * 3)
        listed = [
            [(one.summary.key, one.summary.notice_count) for one in library.list(Filter(everything=True))]
            for library in (empty_home.library(), empty_home.library(empty_home.home / f"cold{count}"))
        ]
        assert listed[0] == listed[1]
        assert listed[0][0][1] > 0


@pytest.mark.parametrize("known", [False, True])
def test_what_could_not_be_read_for_want_of_room_is_read_again(
    known: bool, empty_home: ChangingHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database is read from a copy. The database stays as it is while room is made."""
    home = empty_home
    home.talk("other", "weather report")
    shutil.copytree(CORPUS.parent / "opencode" / "1.18.33" / "home", home.home, dirs_exist_ok=True)

    def fill(_path: str, to: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(to))

    if known:
        home.library().list()
    monkeypatch.setattr(private_copy, "_copy_file", fill)
    (home.home / ".local/share/opencode/opencode.db").touch()
    without = home.library()
    assert [entry.summary.key for entry in without.list()] == ["gemini:other"]
    assert without.index.unread() == 1
    assert "No space left" in str([file.reason for file in without.doctor().files])
    monkeypatch.undo()
    assert home.answers() == home.truth()
    assert home.library().index.unread() == 0


def test_two_bundles_of_one_key_stop_nothing(empty_home: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> None:
    """No source should give them, but a session must not be lost for it, and the others even less."""
    home = empty_home
    for name in ("aaaa", "bbbb", "cccc"):
        home.talk(name, f"weather of {name}")
    source = next(source for source, _ in home.library()._index._homes.roots() if source.name == "gemini")
    grouped = type(source).bundles

    def bundles(self: Source, root: Path, files: Iterable[File], context: SourceContext) -> list[Bundle]:
        found = grouped(self, root, files, context)
        for bundle in found:
            bundle.id = "aaaa" if bundle.id == "bbbb" else bundle.id
        return found

    monkeypatch.setattr(type(source), "bundles", bundles)
    library = home.library()
    hits = library.search("weather", limit=10).hits
    assert sorted(hit.snippet for hit in hits) == [f"weather of {name}" for name in ("aaaa", "bbbb", "cccc")]
    assert len(library.list()) == 3
    assert all(library.session(entry.summary.key).messages for entry in library.list())
