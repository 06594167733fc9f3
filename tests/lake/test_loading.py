"""What a load shows, whatever is pushed and in whichever order."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import msgspec
import pyarrow as pa
import pytest
import zstandard
from deltalake import DeltaTable, write_deltalake

from pollux import Filter
from pollux.errors import NotFound, OutputError, PolluxError, StoreError, Unreadable
from pollux.lake import load as loading
from pollux.lake.ask import Lake
from pollux.lake.delta import Delta, rows_in
from pollux.lake.documents import Document, News, NewsEntry, Tombstone
from pollux.lake.erase import erase
from pollux.lake.lists import LakeSessions
from pollux.lake.load import Loader, Part
from pollux.lake.shown import Shown, known
from pollux.lake.store import ODD_NAME, Store, open_store
from pollux.lake.tables import MESSAGES, SESSIONS, TABLES, USAGE
from pollux.lake.tidy import tidy
from tests.lake.making import document, push, put
from tests.lake.sessions import BEGIN, session


def shown(store: Store) -> list[Shown]:
    return sorted(known(Delta(store)), key=lambda one: (one.key, one.machine))


def problems(store: Store) -> list[PolluxError]:
    return Loader(store).load().problems


def changed(one: Document, **fields: object) -> Document:
    """A document with other fields, and the hash of these."""
    return msgspec.structs.replace(one, **fields).sealed()


def test_the_last_state_of_a_session_counts_in_whichever_order_it_comes(store: Store) -> None:
    for seq, messages in ((3, 6), (1, 2), (2, 4)):
        push(store, [session("a", messages)], seq=seq)
        Loader(store).load()
    assert [(one.seq, one.messages) for one in shown(store)] == [(3, 6)]
    assert Lake(store).rows("SELECT COUNT(*) FROM messages") == [(6,)]


def test_a_session_that_shrinks_is_shown_as_it_is_now(store: Store) -> None:
    push(store, [session("a", 8)], seq=1)
    Loader(store).load()
    push(store, [session("a", 2)], seq=2)
    Loader(store).load()
    assert Lake(store).rows("SELECT COUNT(*), SUM(input) FROM usage") == [(1, 101)]


def test_one_key_from_three_machines_counts_once(store: Store) -> None:
    later = BEGIN + timedelta(days=40)  # in another month
    for seq in range(1, 11):
        for machine, start, messages in (("m1", BEGIN, 4), ("m2", later, 2), ("m3", later, 2)):
            push(store, [session("a", messages, start=start)], machine, machine, seq)
            if seq in (1, 10) or machine == "m3":  # one after the other, and together
                Loader(store).load()
    assert [(one.machine, one.counts, one.seq) for one in shown(store)] == [
        ("m1", False, 10),
        ("m2", True, 10),
        ("m3", False, 10),
    ]
    assert Lake(store).rows("SELECT person, COUNT(*) FROM usage GROUP BY person") == [("m2", 1)]


def test_to_load_again_changes_nothing(store: Store) -> None:
    push(store, [session("a"), session("b")], seq=1)
    Loader(store).load()
    before = shown(store), [Delta(store).open(name).version() for name in (SESSIONS, USAGE)]
    push(store, [session("a"), session("b")], seq=1)  # the same news once more
    again = Loader(store).load()
    assert (again.sessions, again.unchanged, again.problems) == (0, 2, [])
    assert before == (shown(store), [Delta(store).open(name).version() for name in (SESSIONS, USAGE)])


def test_a_load_that_was_killed_before_it_settled_what_counts_is_finished(store: Store) -> None:
    push(store, [session("a", 4)], "ada", "m1", 1)
    push(store, [session("a", 2)], "bob", "m2", 1)
    Loader(store).load()
    delta = Delta(store)
    delta.change(SESSIONS, lambda table: table.update(updates={"counts": "true"}))
    push(store, [session("a", 4)], "ada", "m1", 1)
    Loader(store).load()
    assert [one.counts for one in shown(store)] == [True, False]


def test_what_others_change_meanwhile_is_no_error(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    push(store, [session("a")], seq=1)
    Loader(store).load()
    delta, others = Delta(store), Delta(store)
    opened = Delta.open
    changes = iter(["fate = 'x'", "fate = 'y'"])

    def late(one: Delta, name: str) -> DeltaTable:
        """The table as it was before somebody else changed it."""
        table = opened(one, name)
        if one is delta and (change := next(changes, None)) is not None:
            column, value = change.split(" = ")
            opened(others, name).update(updates={column: value})
        return table

    monkeypatch.setattr(Delta, "open", late)
    delta.append(MESSAGES, [{"month": "2026-10", "person": "p", "machine": "m", "key": "k", "batch": "b"}])
    delta.vacuum(MESSAGES, 0)
    assert sum(row["key"] == "k" for row in rows_in(opened(others, MESSAGES), ["key"])) == 1


def test_parts_of_the_machines_are_loaded_by_their_loaders(store: Store) -> None:
    machines = [f"machine{number}" for number in range(9)]
    for machine in machines:
        push(store, [session(machine)], machine=machine)
    for part in (1, 2, 3):
        Loader(store).load(Part(part, 3))
    assert {one.machine for one in shown(store)} == set(machines)


def test_people_are_in_the_teams_of_the_list(store: Store) -> None:
    push(store, [session("a")], "ada", "m1")
    push(store, [session("b")], "bob", "m2")
    Loader(store, {"ada": "shop"}).load()
    teams = "SELECT person, team FROM sessions ORDER BY 1"
    assert Lake(store).rows(teams) == [("ada", "shop"), ("bob", None)]
    Loader(store, {"ada": "tools", "bob": "shop"}).load()
    assert Lake(store).rows(teams) == [("ada", "tools"), ("bob", "shop")]


# ------------------------------------------------------------------------------------------------- hostile and odd


def test_a_document_of_a_later_edition_waits_for_a_later_release(store: Store) -> None:
    good, later = document(session("a"), seq=1), changed(document(session("b"), seq=1), edition=2)
    put(store, [good, later], 1)
    (problem,) = problems(store)
    assert isinstance(problem, StoreError)
    assert problem.hint == "Update pollux."
    assert [one.key for one in shown(store)] == ["claude:a"]
    assert [one.path for one in store.paths("news")], "the news wait"


def test_an_earlier_state_is_shown_while_the_last_one_is_damaged(store: Store) -> None:
    push(store, [session("a", 2)], seq=1)
    damaged = document(session("a", 4), seq=2)
    store.put_if_absent(damaged.path, b"no document")
    put(store, [damaged], 2)
    (problem,) = problems(store)
    assert isinstance(problem, Unreadable)
    assert [(one.seq, one.messages) for one in shown(store)] == [(1, 2)]


@pytest.mark.parametrize(
    "fields",
    [
        {"month": "../../elsewhere"},
        {"month": "2026-11' OR 1=1"},
        {"machine": "m2"},
        {"key": "claude:somebody-else"},
        {"seq": 7},
    ],
)
def test_a_document_that_is_not_what_its_path_says_is_not_loaded(store: Store, fields: dict[str, object]) -> None:
    honest = document(session("a"))
    forged = changed(honest, **fields)
    store.put_if_absent(honest.path, forged.encode())
    told = NewsEntry(key=honest.key, path=honest.path, seq=honest.seq, state=honest.state)
    piece = News(machine="m1", person="ada", seq=1, documents=(told,))
    store.put_if_absent(piece.path, msgspec.json.encode(piece))
    assert len(problems(store)) == 1
    assert not shown(store)


def test_nobody_tells_of_documents_of_others(store: Store) -> None:
    theirs = document(session("a"), "bob", "m2")
    store.put_if_absent(theirs.path, theirs.encode())
    told = NewsEntry(key=theirs.key, path=theirs.path, seq=1, state=theirs.state)
    piece = News(machine="m2", person="bob", seq=1, documents=(told,))
    store.put_if_absent("news/eve/m1/0000000000000001.json", msgspec.json.encode(piece))
    assert len(problems(store)) == 1
    assert not shown(store)


def test_the_path_says_whose_a_document_is(store: Store) -> None:
    claimed = changed(document(session("a")), person="boss")
    path = document(session("a")).path.replace(document(session("a")).state, claimed.state)
    store.put_if_absent(path, claimed.encode())
    told = NewsEntry(key=claimed.key, path=path, seq=1, state=claimed.state)
    piece = News(machine="m1", person="boss", seq=1, documents=(told,))
    store.put_if_absent("news/ada/m1/0000000000000001.json", msgspec.json.encode(piece))
    assert not problems(store)
    assert [one.person for one in shown(store)] == ["ada"]


def test_nobody_replaces_what_another_person_pushed(store: Store) -> None:
    push(store, [session("a", 4)], "ada", "m1", 1)
    Loader(store).load()
    push(store, [session("a", 2, words="forged")], "eve", "m1", 2)
    assert not problems(store)
    assert sorted((one.person, one.counts) for one in shown(store)) == [("ada", True), ("eve", False)]
    assert Lake(store).rows("SELECT DISTINCT person, text FROM messages WHERE role = 'user'") == [("ada", "hello")]


def test_the_last_name_of_a_person_counts_in_one_load(store: Store) -> None:
    push(store, [session("a", 4)], "ada", "m1", 1)
    push(store, [session("a", 4)], "ada.l", "m1", 2)
    assert not problems(store)
    assert sorted((one.person, one.counts) for one in shown(store)) == [("ada", False), ("ada.l", True)]
    assert Lake(store).rows("SELECT person, COUNT(*) FROM messages GROUP BY 1") == [("ada.l", 4)]


@pytest.mark.parametrize("path", ["../../../elsewhere", "../../ada/m1/claude/a/1-x.json.zst", "\0", "x" * 5000])
def test_news_cannot_lead_elsewhere(store: Store, path: str) -> None:
    entry = NewsEntry(key="claude:a", path=f"sessions/eve/m1/{path}", seq=1, state="x")
    piece = News(machine="m1", person="eve", seq=1, documents=(entry,))
    store.put_if_absent(piece.path, msgspec.json.encode(piece))
    push(store, [session("a")])
    assert len(problems(store)) == 1
    assert [one.person for one in shown(store)] == ["ada"]


def _put_odd(store: Store, data: bytes) -> None:
    """A document that is none, with its news."""
    odd = document(session("odd"), "eve", "m9")
    store.put_if_absent(odd.path, data)
    entry = NewsEntry(key=odd.key, path=odd.path, seq=odd.seq, state=odd.state)
    store.put_if_absent(
        "news/eve/m9/1.json", msgspec.json.encode(News(machine="m9", person="eve", seq=1, documents=(entry,)))
    )


def test_names_that_would_draw_on_a_terminal_are_not_loaded(store: Store) -> None:
    push(store, [msgspec.structs.replace(session("a"), agent="cl\x1b[31maude")], "eve", "m9")
    for name in (b"m\x1b[31m", b"m\xff"):
        folder = Path(store.url, "news", "eve", os.fsdecode(name))
        folder.mkdir()
        (folder / "1.json").write_text("{")
    push(store, [session("a")])
    assert ["nobody can name" in str(problem) for problem in problems(store)] == [True]
    assert [one.key for one in shown(store)] == ["claude:a"]


def test_what_is_too_deep_stops_nobody(store: Store) -> None:
    deep = b'{"edition":1,"session":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    _put_odd(store, zstandard.compress(deep))
    store.put_if_absent("news/eve/m9/2.json", deep)
    push(store, [session("a")])
    assert len(problems(store)) == 2
    assert [one.key for one in shown(store)] == ["claude:a"]


def test_documents_are_shown_in_groups_by_what_they_are_unpacked(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "_BYTES", 150_000)
    push(store, [session(f"s{number}", words="a" * 20_000) for number in range(6)])
    assert Loader(store).load().sessions == 6
    assert len({one.batch for one in known(Delta(store))}) == 3


def test_news_that_are_too_large_are_not_read(store: Store) -> None:
    store.put_if_absent("news/eve/m9/1.json", b"[" * (5 << 20))
    push(store, [session("a")])
    assert [str(problem) for problem in problems(store)] == ["news/eve/m9/1.json: No piece of news is that large."]
    assert [one.key for one in shown(store)] == ["claude:a"]


@pytest.mark.parametrize(("kind", "name"), [("news", "eve//1.json"), ("sessions", "eve/m9/../1.json")])
def test_a_name_that_no_path_has_stops_nobody_else(bucket: Store, s3_server: str, kind: str, name: str) -> None:
    """Whoever may write below a prefix may write such names into a bucket."""
    import boto3

    place = bucket.url.removeprefix("s3://").split("/")
    boto3.client("s3", endpoint_url=s3_server).put_object(Bucket=place[0], Key=f"{place[1]}/{kind}/{name}", Body=b"{")
    push(bucket, [session("a")])
    result = Loader(bucket).load(again=kind == "sessions")
    assert result.sessions == 1
    for (problem,) in (result.problems, tidy(bucket).problems) if kind == "sessions" else (result.problems,):
        assert f"{kind}/eve" in str(problem)
        assert problem.hint == ODD_NAME
    with pytest.raises(Unreadable, match="invalid path"):
        erase(bucket, Tombstone(person="eve", at="now"))


def test_what_is_too_large_is_not_unpacked(store: Store) -> None:
    packer = zstandard.ZstdCompressor().compressobj(size=1 << 40)
    _put_odd(store, packer.compress(b"0" * (1 << 20)) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK))
    push(store, [session("a")])
    assert "larger than any session" in str(problems(store)[0])
    assert [one.key for one in shown(store)] == ["claude:a"]


@pytest.mark.parametrize("is_pipe", [True, False])
def test_what_is_no_file_or_claims_to_be_huge_stops_nobody(store: Store, is_pipe: bool) -> None:
    _put_odd(store, b"")
    (place,) = Path(store.url, "sessions", "eve").rglob("*.zst")
    if is_pipe:
        place.unlink()
        os.mkfifo(place)
    else:
        os.truncate(place, 1 << 40)
    push(store, [session("a")])
    told = [str(problem) for problem in problems(store)]
    assert ["larger than any document" in text for text in told] == ([] if is_pipe else [True])
    assert [one.key for one in shown(store)] == ["claude:a"]


def test_news_that_are_damaged_or_tell_of_nothing_stop_nobody(store: Store) -> None:
    store.put_if_absent("news/README", b"somebody's")
    store.put_if_absent("news/eve/m9/0000000000000001.json", b"{")
    store.put_if_absent("news/eve/m9/0000000000000002.json", b"\xff" * 50)
    gone = document(session("gone"), "eve", "m9", 3)
    put(store, [gone], 3)
    store.delete([gone.path])
    push(store, [session("a")])
    told = sorted(str(problem) for problem in problems(store))
    assert [text.partition(":")[0] for text in told] == [f"news/eve/m9/{number:016}.json" for number in (1, 2)]
    assert [one.key for one in shown(store)] == ["claude:a"]


def test_words_that_look_like_sql_are_words(store: Store) -> None:
    odd = "'; DROP TABLE sessions; -- \" \\ \x00 ％ \U0001f600"
    key = "it's\"odd"
    push(store, [session(key, words=odd)], seq=1)
    Loader(store).load()
    push(store, [session(key, 4, words=odd)], seq=2)
    Loader(store).load()
    assert Lake(store).rows("SELECT DISTINCT text FROM messages WHERE role = 'user'") == [(odd,)]


def test_a_place_without_a_lake_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no lake"):
        Loader(open_store(str(tmp_path))).load()


def test_a_table_that_somebody_changed_is_told(store: Store) -> None:
    place = f"{store.url}/tables/usage_all"
    write_deltalake(place, pa.table({"month": ["2026-11"], "key": [1]}), mode="overwrite", schema_mode="overwrite")
    push(store, [session("a")])
    with pytest.raises(StoreError, match="another program changed it"):
        Loader(store).load()
    assert not shown(store)


def test_a_column_that_came_later_is_added(store: Store) -> None:
    push(store, [session("a")])
    Loader(store).load()
    table = Delta(store).open(USAGE)
    old = [name for name in TABLES[USAGE].schema().names if name != "reasoning"]
    kept = pa.table(table.scan(old, None))
    write_deltalake(table, kept, mode="overwrite", schema_mode="overwrite", partition_by=["month"])
    push(store, [session("b")], seq=2)
    Loader(store).load()
    assert Lake(store).rows("SELECT COUNT(*), COUNT(reasoning) FROM usage") == [(2, 0)]


def test_tables_are_made_anew_from_the_documents(store: Store) -> None:
    push(store, [session("a", 6), session("b \u00fc/1", 4)], "ada", "m1", 1)
    push(store, [session("a", 4)], "bob", "m2", 2)
    push(store, [session("c")], "eve", "m3", 3)
    Loader(store).load()
    erase(store, Tombstone(person="eve", at="now"))
    store.put_if_absent("sessions/ada/notes.txt", b"somebody's")
    store.put_if_absent("sessions/ada/m1/claude/a/0000000000000009-x.json.zst", b"damaged")
    question = "SELECT person, key, seq, state, counts, messages FROM stored.sessions ORDER BY ALL"
    used = "SELECT person, key, number, input FROM usage ORDER BY ALL"
    before = Lake(store).rows(question), Lake(store).rows(used)
    shutil.rmtree(Path(store.url, "tables"))
    Delta(store).create()
    again = Loader(store).load(again=True)
    assert (again.sessions, len(again.problems)) == (3, 1)
    assert "0000000000000009-x" in str(again.problems[0])
    assert (Lake(store).rows(question), Lake(store).rows(used)) == before
    assert Loader(store).load(again=True).unchanged == 3


# ------------------------------------------------------------------------------------------- tables changed by others


def _with_rows_of_others(store: Store) -> None:
    rows = pa.table(Delta(store).open(SESSIONS).scan(TABLES[SESSIONS].schema().names, None)).to_pylist()
    odd = pa.Table.from_pylist([{**rows[0], "key": None, "summary": "{"}], schema=TABLES[SESSIONS].schema())
    write_deltalake(Delta(store).open(SESSIONS), odd, mode="append")


def _without_a_column(store: Store) -> None:
    table = Delta(store).open(SESSIONS)
    rest = [name for name in TABLES[SESSIONS].schema().names if name != "seq"]
    write_deltalake(table, pa.table(table.scan(rest, None)), mode="overwrite", schema_mode="overwrite")


def _with_another_partition(store: Store) -> None:
    table = Delta(store).open(USAGE)
    rows = pa.table(table.scan(TABLES[USAGE].schema().names, None))
    write_deltalake(table, rows, mode="overwrite", schema_mode="overwrite", partition_by=["person"])


def _gone(store: Store) -> None:
    shutil.rmtree(Path(store.url, "tables", "usage_all"))


def _only_appended_to(store: Store) -> None:
    Delta(store).open(SESSIONS).alter.set_table_properties({"delta.appendOnly": "true"})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_with_rows_of_others, "rows that pollux did not write"),
        (_without_a_column, "The column seq of the table sessions is not as pollux made it"),
        (_with_another_partition, "The partition of the table usage_all is not as pollux made it"),
        (_gone, "The table usage_all of the lake .* is gone"),
        (_only_appended_to, "append-only"),
    ],
)
def test_a_table_that_others_changed_is_told_by_whoever_cannot_go_on(
    store: Store, change: Callable[[Store], None], words: str
) -> None:
    push(store, [session("a")])
    Loader(store).load()
    change(store)
    asked: list[Callable[[], object]] = [lambda: erase(store, Tombstone(person="ada", at="now"))]
    if change is not _only_appended_to:
        asked += [lambda: tidy(store), lambda: LakeSessions(Lake(store)).listed(Filter())]
    for ask in asked:
        with pytest.raises((StoreError, OutputError, Unreadable), match=words):
            ask()
