"""What is erased is nowhere, what is too old goes, and what is tidied up was of no use."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from deltalake.table import TableMerger, TableOptimizer

from pollux.errors import NotFound, Unreadable
from pollux.lake import tidy as tidying
from pollux.lake.ask import Lake
from pollux.lake.delta import Delta, rows_in
from pollux.lake.documents import Tombstone
from pollux.lake.erase import erase
from pollux.lake.load import LOADS, Loader
from pollux.lake.rows import rows_of
from pollux.lake.shown import known
from pollux.lake.store import Store, open_store
from pollux.lake.tables import MESSAGES, ROWS, SESSIONS, TABLES
from pollux.lake.tidy import tidy
from tests.lake.making import contents, push, unpacked
from tests.lake.sessions import BEGIN, session

CANARY = "canary7Q3xylophone"
NOW = timedelta(0)


def having(store: Store, word: str) -> list[Path]:
    return [path for path, data in contents(store) if word.encode() in data]


def dead_load(store: Store, person: str, batch: str = "dead") -> None:
    """The rows that a load left which was killed before it showed them."""
    place = {"month": "2026-10", "person": person, "machine": "m1", "batch": batch}
    rows = rows_of(session("left", words=CANARY))
    for name in TABLES:
        if name != SESSIONS:
            Delta(store).append(name, [place | row for row in rows[name]])


@pytest.fixture
def filled(store: Store) -> Store:
    """A lake of two people, of whom one said a word that nobody else did."""
    push(store, [session("a", words=CANARY), session("b", 6, words=CANARY)], "ada", "m1", 1)
    push(store, [session("c"), session("b")], "bob", "m2", 1)
    Loader(store).load()
    push(store, [session("a", 4, words=CANARY)], "ada", "m1", 2)
    Loader(store).load()
    return store


def test_an_erased_person_is_in_no_byte(filled: Store) -> None:
    dead_load(filled, "ada")
    left = next(Path(filled.url).glob("tables/messages_all/month=*/*.parquet"))
    shutil.copy(left, left.with_name("part-of-a-load-that-was-killed-before-its-commit.parquet"))
    assert having(filled, CANARY)
    erased = erase(filled, Tombstone(person="ada", at="now"))
    assert (erased.sessions, erased.documents) == (2, 3)
    assert {path.name[:14] for path in having(filled, CANARY)} <= {"part-of-a-load"}
    tidy(filled, grace=NOW)
    assert not having(filled, CANARY)
    assert {one.person for one in known(Delta(filled))} == {"bob"}
    assert all(one.counts for one in known(Delta(filled))), "the copy of another machine counts now"


@pytest.mark.slow
def test_nor_is_one_in_a_bucket(bucket: Store) -> None:
    for seq in (1, 2):
        push(bucket, [session("a", 2 * seq, words=CANARY)], "ada", "m1", seq)
        push(bucket, [session("b", 2 * seq)], "bob", "m2", seq)
        Loader(bucket).load()
    tidy(bucket)

    def having_it() -> list[str]:
        return [one.path for one in bucket.paths() if CANARY.encode() in unpacked(one.path, bucket.get(one.path))]

    assert len(having_it()) > 3
    erase(bucket, Tombstone(person="ada", at="now"))
    assert not having_it()
    assert Lake(bucket).rows("SELECT person, COUNT(*) FROM messages GROUP BY 1") == [("bob", 4)]


@pytest.mark.parametrize("is_trimmed", [False, True])
def test_files_go_that_somebody_replaced_whose_clock_is_ahead(filled: Store, is_trimmed: bool) -> None:
    tidy(filled)
    later = (time.time() + 10**7) * 1000
    for log in Path(filled.url, "tables").glob("*/_delta_log"):
        for file in log.glob("*checkpoint*"):
            file.unlink()
        for file in log.glob("*.json"):
            file.write_text(re.sub(r'(?<="deletionTimestamp":)\d+', f"{later:.0f}", file.read_text()))
    for name in TABLES if is_trimmed else ():
        Delta(filled).open(name).create_checkpoint()
        *old, _ = sorted(Path(filled.url, "tables", TABLES[name].stored, "_delta_log").glob("*.json"))
        for file in old:
            file.unlink()
    assert len(having(filled, CANARY)) > 10
    assert erase(filled, Tombstone(person="ada", at="now")).sessions == 2
    assert not having(filled, CANARY)


def test_an_erasure_that_was_killed_is_finished_by_the_next(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Delta, "purge", lambda *_: None)
        erase(filled, Tombstone(person="ada", at="now"))
    assert having(filled, CANARY)
    erase(filled, Tombstone(person="ada", at="now"))
    assert not having(filled, CANARY)


def test_an_erased_person_does_not_come_back(filled: Store) -> None:
    erase(filled, Tombstone(person="ada", at="now"))
    push(filled, [session("new", words=CANARY)], "ada", "m1", 9)
    assert Loader(filled).load().erased == 1
    push(filled, [session("newer", words=CANARY)], "ada", "m7", 10)
    tidy(filled, grace=NOW)
    assert not having(filled, CANARY)


def test_a_load_takes_back_what_was_erased_while_it_ran(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    push(filled, [session("new", words=CANARY)], "ada", "m1", 9)
    append = Delta.append

    def late(delta: Delta, name: str, rows: list[dict[str, object]]) -> None:
        if name == MESSAGES:
            erase(filled, Tombstone(person="ada", at="now"))
        append(delta, name, rows)

    monkeypatch.setattr(Delta, "append", late)
    Loader(filled).load()
    assert not having(filled, CANARY)


@pytest.mark.parametrize(
    ("scope", "left"),
    [
        ({"key": "claude:a"}, {("m1", "claude:b"), ("m2", "claude:b"), ("m2", "claude:c")}),
        ({"machine": "m1"}, {("m2", "claude:b"), ("m2", "claude:c")}),
        (
            {"machine": "m2", "key": "claude:b"},
            {("m1", "claude:a"), ("m1", "claude:b"), ("m2", "claude:b"), ("m2", "claude:c")},
        ),
    ],
)
def test_a_machine_or_a_session_can_be_erased(filled: Store, scope: dict[str, str], left: set[tuple[str, str]]) -> None:
    if len(left) == 4:  # it is somebody else's
        with pytest.raises(NotFound):
            erase(filled, Tombstone(person="ada", at="now", **scope))  # type: ignore[arg-type]
    else:
        erase(filled, Tombstone(person="ada", at="now", **scope))  # type: ignore[arg-type]
    assert {(one.machine, one.key) for one in known(Delta(filled))} == left
    assert {path.split("/")[2] for path in (one.path for one in filled.paths("sessions"))} == {m for m, _ in left}


def test_no_link_leads_an_erasure_elsewhere(filled: Store, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere" / "thesis.txt"
    outside.parent.mkdir()
    outside.write_text("years of work")
    theirs = Path(filled.url, "sessions", "bob")
    for name, target in (("outside", outside.parent), ("ada", theirs.parent / "ada"), ("loop", theirs)):
        (theirs / name).symlink_to(target)
    (theirs / "file").symlink_to(outside)
    before = {one.path for one in filled.paths("sessions/ada")}
    erase(filled, Tombstone(person="bob", at=""))
    assert outside.read_text() == "years of work"
    assert {one.path for one in filled.paths("sessions/ada")} == before
    assert before


def test_files_that_others_left_stop_nobody(filled: Store) -> None:
    for path in ("tombstones/.DS_Store", "tombstones/ada/.DS_Store", "sessions/notes.txt", "tables/notes.txt"):
        filled.put_if_absent(path, b"\0")
    push(filled, [session("d")], "bob", "m2", 3)
    assert Loader(filled).load().sessions == 1
    tidy(filled, grace=NOW)


def test_a_damaged_tombstone_is_named_and_nothing_is_loaded(filled: Store) -> None:
    filled.put_if_absent("tombstones/eve/0.json", b"{")
    push(filled, [session("d")], "eve", "m3", 3)
    with pytest.raises(Unreadable, match=r"tombstones/eve/0\.json"):
        Loader(filled).load()
    filled.delete([one.path for one in filled.paths("news/eve")])
    push(filled, [session("e")], "bob", "m2", 4)
    assert Loader(filled).load().sessions == 1, "those of other people are not read"


def test_who_is_not_there_is_not_erased(filled: Store) -> None:
    with pytest.raises(NotFound, match="Nothing of zoe"):
        erase(filled, Tombstone(person="zoe", at="now"))
    assert not list(filled.paths("tombstones"))


def test_no_word_gets_into_a_log(filled: Store) -> None:
    push(filled, [session("d", words=CANARY)], "grace.q7", "m3", 5)
    push(filled, [session("d", words=CANARY)], "linus.q7", "m4", 6)
    Loader(filled, {"grace.q7": "shopteam"}).load()
    erase(filled, Tombstone(person="linus.q7", at="now"))
    tidy(filled)
    logs = [(path, data) for path, data in contents(filled) if "_delta_log" in path.parts]
    assert logs
    for word in (CANARY, "/work/shop", "about ", "grace.q7", "linus.q7", "shopteam", "claude-sonnet"):
        assert not [path for path, data in logs if word.encode() in data], word


# ---------------------------------------------------------------------------------------------------------- tidying


def test_what_a_killed_load_left_goes_and_what_a_running_one_wrote_stays(filled: Store) -> None:
    dead_load(filled, "bob", "dead")
    dead_load(filled, "bob", "running")
    filled.put_if_absent(f"{LOADS}/running", b"")
    tidy(filled)
    assert {row["batch"] for row in rows_in(Delta(filled).open(MESSAGES), ["batch"])}.isdisjoint({"dead"})
    assert "running" in {row["batch"] for row in rows_in(Delta(filled).open(MESSAGES), ["batch"])}
    tidy(filled, grace=NOW)
    assert "running" not in {row["batch"] for row in rows_in(Delta(filled).open(MESSAGES), ["batch"])}
    assert [one.path for one in filled.paths(LOADS)] == []


def test_tidying_up_joins_files_and_changes_no_answer(filled: Store) -> None:
    for number in range(4):
        push(filled, [session(f"more{number}")], "bob", "m2", 10 + number)
        Loader(filled).load()
    question = "SELECT s.key, COUNT(*), SUM(u.input) FROM sessions s JOIN usage u USING (key) GROUP BY 1 ORDER BY 1"
    before = Lake(filled).rows(question)
    done = tidy(filled, grace=NOW)
    assert done.joined_files > 0
    assert done.rows > 0
    assert Lake(filled).rows(question) == before
    files = list(Path(filled.url).glob("tables/usage_all/month=*/*.parquet"))
    assert len(files) == len({file.parent for file in files})
    assert tidy(filled, grace=NOW).rows == 0


def test_the_documents_of_earlier_states_go(filled: Store) -> None:
    before = len(list(filled.paths("sessions")))
    push(filled, [session("a"), session("b")], "ada", "m1", 3)
    tidy(filled)
    assert len(list(filled.paths("sessions"))) == before + 2 - 1, "what is not loaded yet replaces nothing"
    Loader(filled).load()
    assert tidy(filled, grace=NOW).documents == 2
    assert not having(filled, CANARY)
    assert {one.path for one in filled.paths("sessions")} == {
        row["object"] for row in rows_in(Delta(filled).open(SESSIONS), ["object"])
    }


def test_of_two_who_join_files_at_once_one_gives_way(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Lake(filled).rows("SELECT COUNT(*), SUM(input) FROM usage")
    sort, joined = TableOptimizer.z_order, list[int]()

    def late(table: TableOptimizer, *how: Any, **more: Any) -> dict[str, Any]:
        """Another one joins the same files, after we have looked which there are and before we change anything."""
        if not joined:
            joined.append(0)
            joined.append(tidy(filled).joined_files)
        return sort(table, *how, **more)

    monkeypatch.setattr(TableOptimizer, "z_order", late)
    assert tidy(filled).joined_files == 0
    assert joined[1] > 0
    assert Lake(filled).rows("SELECT COUNT(*), SUM(input) FROM usage") == before


def _answers(store: Store) -> tuple[list[tuple[Any, ...]], ...]:
    """What a lake says of its sessions, and that no table has a row twice."""
    delta = Delta(store)
    for name in ROWS:
        rows = [tuple(row.values()) for row in rows_in(delta.open(name), ["person", "key", "batch", "number"])]
        assert len(rows) == len(set(rows)), name
    question = "SELECT person, key, COUNT(*), SUM(input) FROM usage GROUP BY ALL ORDER BY ALL"
    return Lake(store).rows("SELECT person, key, seq FROM sessions ORDER BY ALL"), Lake(store).rows(question)


@pytest.mark.parametrize("first", ["load", "erase", "tidy"])
@pytest.mark.parametrize("late", ["load", "erase", "tidy"])
def test_who_is_late_changes_what_is_there_now(
    filled: Store, tmp_path: Path, first: str, late: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two that change the same table at once, the one that is late begins again: in each table and order."""
    push(filled, [session("a", 6), session("new", 2)], "ada", "m1", 9)
    push(filled, [session("c", 6)], "bob", "m2", 9)
    steps: dict[str, Callable[[Store], object]] = {
        "load": lambda store: Loader(store).load(),
        "erase": lambda store: erase(store, Tombstone(person="bob", at="now")),
        "tidy": tidy,
    }
    shutil.copytree(filled.url, tmp_path / "one after the other")
    calm = open_store(str(tmp_path / "one after the other"))
    steps[first](calm)
    steps[late](calm)
    steps["load"](calm)
    opened, interrupted = Delta.open, set[str]()

    def old(delta: Delta, name: str) -> DeltaTable:
        """The table as it was before the other one did its work."""
        table = opened(delta, name)
        if "at work" not in interrupted and name not in interrupted:
            interrupted.update({"at work", name})
            steps[first](filled)
            interrupted.discard("at work")
        return table

    monkeypatch.setattr(Delta, "open", old)
    steps[late](filled)
    monkeypatch.undo()
    assert SESSIONS in interrupted
    steps["load"](filled)
    assert _answers(filled) == _answers(calm)
    tidy(filled, grace=NOW)
    assert _answers(filled) == _answers(calm)


@pytest.mark.parametrize("how", ["z_order", "compact"])
def test_rows_that_change_while_files_are_joined_are_there_once(
    filled: Store, tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In each table, others load and erase when we have looked which files there are, and not joined them yet."""
    for name in TABLES:
        push(filled, [session(name, words=CANARY), session("b")], f"of-{name}", "m3", 1)
        Loader(filled).load()
    shutil.copytree(filled.url, tmp_path / "calm")
    join, tables = getattr(TableOptimizer, how), iter(TABLES)

    def change(store: Store, name: str) -> None:
        push(store, [session("a", 6 + len(name))], "ada", "m1", 9 + list(TABLES).index(name))
        Loader(store).load()
        erase(store, Tombstone(person=f"of-{name}", at="now"))

    def late(optimizer: TableOptimizer, _: object, *where: Any, **more: Any) -> dict[str, Any]:
        if name := next(tables, None):
            change(filled, name)
        done: dict[str, Any] = join(optimizer, *([["key"]] if how == "z_order" else []), *where, **more)
        return done

    monkeypatch.setattr(TableOptimizer, "z_order", late)
    assert tidy(filled).joined_files > 0
    assert next(tables, None) is None
    calm = open_store(str(tmp_path / "calm"))
    for name in TABLES:
        change(calm, name)
    assert _answers(filled) == _answers(calm)
    tidy(filled, grace=NOW)
    assert _answers(filled) == _answers(calm)


def test_files_that_are_joined_while_rows_change_hold_them_once(
    filled: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others join them when a load, and then an erasure, has looked what is there, and not changed it yet."""

    def change(store: Store) -> None:
        push(store, [session("a", 6), session("b", 2)], "ada", "m1", 9)
        Loader(store).load()
        erase(store, Tombstone(person="bob", at="now"))

    shutil.copytree(filled.url, tmp_path / "calm")
    merge, joined, is_ours = TableMerger.execute, list[int](), iter([True, False] * 99)

    def another(store: Store, number: int) -> None:
        push(store, [session(f"another{number}")], "eve", "m4", number)
        Loader(store).load()

    def late(merger: TableMerger) -> dict[str, Any]:
        """One that is refused is not disturbed again."""
        if next(is_ours):
            monkeypatch.setattr(TableMerger, "execute", merge)
            another(filled, len(joined))
            joined.append(tidy(filled).joined_files)
            monkeypatch.setattr(TableMerger, "execute", late)
        return merge(merger)

    monkeypatch.setattr(TableMerger, "execute", late)
    change(filled)
    monkeypatch.undo()
    assert len(joined) >= 3
    assert min(joined) > 0
    calm = open_store(str(tmp_path / "calm"))
    for number in range(len(joined)):
        another(calm, number)
    change(calm)
    assert _answers(filled) == _answers(calm)
    tidy(filled, grace=NOW)
    assert _answers(filled) == _answers(calm)


def test_where_little_is_new_only_small_files_are_joined(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    push(store, [session("large", words=os.urandom(100_000).hex())], seq=1)
    Loader(store).load()
    (large,) = Path(store.url, "tables", "messages_all", "month=2026-10").iterdir()
    for size in ("_SMALL", "_JOINED"):
        monkeypatch.setattr(tidying, size, large.stat().st_size)
    for seq in (2, 3, 4):
        push(store, [session(f"small{seq}")], seq=seq)
        Loader(store).load()
    before = Lake(store).rows("SELECT COUNT(*), SUM(LENGTH(text)) FROM messages")
    assert tidy(store).joined_files >= 3
    files = [Path(file).name for file in Delta(store).open(MESSAGES).file_uris()]
    assert large.name in files
    assert len(files) == 2, "the others are one"
    assert Lake(store).rows("SELECT COUNT(*), SUM(LENGTH(text)) FROM messages") == before


@pytest.mark.parametrize(("ahead", "age", "stays"), [(48, 30, True), (0, 30, False), (-12, 16, False), (-12, 8, True)])
def test_how_old_a_file_is_that_a_load_may_need_is_told_by_the_stores_clock(
    filled: Store, ahead: int, age: int, stays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our clock is so many hours `ahead`, and by it the file has this `age` in hours."""
    left = next(Path(filled.url).glob("tables/messages_all/month=*/*.parquet"))
    file = Path(shutil.copy(left, left.with_name("part-that-a-load-has-not-committed.parquet")))
    os.utime(file, (time.time() - age * 3600,) * 2)
    put = Store.put_if_absent

    def late(store: Store, path: str, data: bytes) -> bool:
        done = put(store, path, data)
        os.utime(Path(store.url, path), (time.time() - ahead * 3600,) * 2)
        return done

    monkeypatch.setattr(Store, "put_if_absent", late)
    tidy(filled)
    assert file.exists() == stays


def test_what_goes_on_after_long_is_not_retired_before_it_is_loaded(filled: Store) -> None:
    push(filled, [session("a", 4, start=datetime(2026, 11, 15, tzinfo=UTC))], "ada", "m1", 9)
    assert tidy(filled, datetime(2026, 11, 10, tzinfo=UTC), grace=NOW).sessions == 4
    assert Loader(filled).load().sessions == 1
    assert [(one.key, one.seq) for one in known(Delta(filled))] == [("claude:a", 9)]
    assert Lake(filled).rows("SELECT COUNT(*) FROM messages") == [(4,)]


def test_what_nobody_used_for_long_goes(filled: Store) -> None:
    push(filled, [session("new", start=datetime(2026, 11, 15, tzinfo=UTC))], "ada", "m1", 9)
    push(filled, [session("undated", 0, start=BEGIN)], "ada", "m1", 10)
    Loader(filled).load()
    done = tidy(filled, datetime(2026, 11, 10, tzinfo=UTC), grace=NOW)
    assert done.sessions == 5
    assert [one.key for one in known(Delta(filled))] == ["claude:new"]
    assert len(list(filled.paths("sessions"))) == 1
    assert not having(filled, CANARY)


def test_an_erased_id_is_in_no_log(filled: Store) -> None:
    """People give names to some sessions, which are their ids."""
    push(filled, [session(f"checkpoint-{CANARY}", 6)], "eve", "m5", 1)
    Loader(filled).load()
    erase(filled, Tombstone(person="eve", at="now"))
    tidy(filled, grace=NOW)
    assert not having(filled, f"checkpoint-{CANARY}")


def test_tidying_up_settles_which_copy_counts(filled: Store) -> None:
    Delta(filled).change(SESSIONS, lambda table: table.update(updates={"counts": "key = 'claude:b'"}))
    tidy(filled)
    assert sorted((one.key, one.machine) for one in known(Delta(filled)) if one.counts) == [
        ("claude:a", "m1"),
        ("claude:b", "m1"),
        ("claude:c", "m2"),
    ]
