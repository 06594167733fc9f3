from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pollux.errors import RequestError, StoreError
from pollux.index.search.errors import Busy, Damaged
from pollux.index.search.passages import Facts, PassageKind, passages
from pollux.index.search.query import And, FieldFilter, Node, Query, Sort, Words, parse
from pollux.index.search.word_index import WordIndex
from pollux.model import FileReference, Kind, Status, Thinking
from tests.unit.index.search.small_sessions import (
    edit_call,
    find_sessions,
    hits,
    make_index,
    prompt,
    reply,
    session,
    shell_call,
)

WEATHER = session(
    prompt("Where is the retry logic?", FileReference(path="/home/ada/weather/notes.md", text="umbrella")),
    reply(
        "It lives in fetchWeatherData, see 状态架构设计.",
        Thinking(text="perhaps a café"),
        shell_call("pytest -q", "1 failed: AssertionError", Status.ERROR),
        edit_call("/home/ada/weather/src/main.py", "blosc_getitem"),
        edit_call("C:\\Meine Dateien\\天气预报.ts"),
    ),
    title="Umbrellas for everyone",
    project="/home/ada/weather",
)
BREAD = session(
    prompt("Bake bread"),
    reply("The retry costs flour.", shell_call("ls", "src"), model="claude-sonnet-4-5"),
    prompt("and the logic of yeast", days=3),
    project="/home/ada/Bread",
    agent="claude",
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> WordIndex:
    return make_index(tmp_path_factory.mktemp("words"), WEATHER, BREAD)


@pytest.mark.parametrize(
    ("query", "sessions"),
    [
        ("umbrellas", [0]),
        ("RETRY", [0, 1]),
        ('"retry logic"', [0]),
        ('"logic retry"', []),
        ("retr*", [0, 1]),
        ('"retry log*"', [0]),
        ("retry -flour", [0]),
        ("retry -(flour OR umbrella)", [0]),
        ("flour OR umbrella", [1, 0]),
        ("weather", [0]),
        ("fetchweatherdata", [0]),
        ("fetchWeatherData", [0]),
        ('"fetch weather"', []),
        ("getitem", [0]),
        ("blosc_getitem", [0]),
        ("架构", [0]),
        ("构架", []),
        ("设", [0]),
        ("cafe", [0]),
        ("CAFÉ", [0]),
        ("absent", []),
        ("agent:claude", [1]),
        ("agent:claude retry", [1]),
        ("project:weather retry", [0]),
        ("project:bread retry", [1]),
        ("project:/home/ada retry", [0, 1]),
        ("project:nowhere retry", []),
        ("model:sonnet retry", [1]),
        ("model:gemini-2.5-pro retry", [0]),
        ("model:claude-* retry", [1]),
        ("tool:shell_exec pytest", [0]),
        ("tool:shell", [0, 1]),
        ("tool:edit", [0]),
        ("tool:file_*", [0]),
        ("failed:yes", [0]),
        ("failed:no", [0, 1]),
        ("file:main.py", [0]),
        ("file:main", [0]),
        ("file:MAIN.PY", [0]),
        ("file:src/main.py", [0]),
        ("file:*.py", [0]),
        ("file:src/*.py", [0]),
        ("file:*.md umbrella", [0]),
        ("file:ain.py", []),
        ("file:天气预报.ts", [0]),
        ("file:天气?报*", [0]),
        ('file:"meine dateien"', [0]),
        ("role:user retry", [0]),
        ("in:prompts retry", [0]),
        ("in:replies retry", [1]),
        ("in:thinking cafe", [0]),
        ("in:tools assertionerror", [0]),
        ("in:titles umbrellas", [0]),
        ("in:files umbrella", [0]),
        ("in:prompts umbrella", []),
        ("since:2026-11-03 logic", [1]),
        ("before:2026-11-03 logic", [0]),
        ("until:2026-11-04 logic", [0, 1]),
        ("since:2026-11-03 until:2026-11-04 logic", [1]),
        ("since:2026-11-01 since:2026-11-03 logic", [1]),
        ("until:2026-11-04 before:2026-11-03 logic", [0]),
        ("before:2026-11-03 until:2026-11-04 since:2026-11-01 logic", [0]),
        ("since:2026-11-04 before:2026-11-03 logic", []),
        ("since:2026-11-03 before:2026-11-03 logic", []),
        ("logic -since:2026-11-03", [0]),
        ("retry -agent:claude", [0]),
        ("retry -in:prompts", [1]),
    ],
)
def test_what_a_query_finds(index: WordIndex, query: str, sessions: list[int]) -> None:
    assert sorted(find_sessions(index, query)) == sorted(sessions)


def test_words_of_several_messages_come_after_words_of_one(index: WordIndex) -> None:
    got = [(hit.session, hit.scattered) for hit in hits(index, "retry logic")]
    assert got == [(0, False), (1, True)]
    scores = [hit.score for hit in hits(index, "retry logic")]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    ("query", "sessions"),
    [
        ("bread flour yeast", [1]),
        ("bread flour umbrella", []),
        ("bread flour -yeast", []),
        ("bread flour agent:claude", [1]),
        ("bread flour agent:gemini", []),
        ("file:main.py umbrella", [0]),
        ("failed:yes getitem", [0]),
        ("tool:edit failed:yes umbrella", []),
    ],
)
def test_what_is_found_across_messages(index: WordIndex, query: str, sessions: list[int]) -> None:
    assert find_sessions(index, query) == sessions


def test_the_humans_words_come_before_replies_and_tools(tmp_path: Path) -> None:
    text = "the needle in the hay"
    index = make_index(
        tmp_path,
        session(reply("", shell_call("x", text))),
        session(reply(text)),
        session(reply("", Thinking(text=text))),
        session(prompt(text)),
        session(prompt("x"), title=text),
    )
    assert find_sessions(index, "needle") == [4, 3, 1, 2, 0]


def test_newer_comes_before_older(tmp_path: Path) -> None:
    index = make_index(tmp_path, *(session(prompt("needle", days=days)) for days in (-400, 0, -800)))
    assert find_sessions(index, "needle") == [1, 0, 2]


def test_sorted_by_time(tmp_path: Path) -> None:
    index = make_index(tmp_path, session(prompt("needle needle", days=1)), session(prompt("a needle", days=2)))
    newest = index.search(parse("needle"), sort=Sort.NEWEST)
    assert [hit.session for hit in newest] == [1, 0]


def test_a_message_is_one_hit(tmp_path: Path) -> None:
    index = make_index(
        tmp_path, session(reply("needle", shell_call("needle"), shell_call("needle"), edit_call("needle.py")))
    )
    (hit,) = hits(index, "needle")
    assert (hit.kind, hit.message) == (PassageKind.REPLY, 0)


def test_one_session_does_not_crowd_out_the_others(tmp_path: Path) -> None:
    loud = session(*(prompt("needle") for _ in range(500)))
    index = make_index(
        tmp_path, loud, *(session(reply("", shell_call("x", "a needle, far less loud"))) for _ in range(5))
    )
    got = index.search(parse("needle"), limit=6, per_session=2)
    assert [hit.session for hit in got].count(0) == 2
    assert len(got) == 6
    assert len({hit.session for hit in index.search(parse("needle"), limit=6, per_session=1)}) == 6
    assert index.counts(parse("needle"), [0, 1, 7]) == {0: 500, 1: 1}


def test_kinds_narrow_a_search(index: WordIndex) -> None:
    (hit,) = index.search(parse("retry"), kinds=[PassageKind.REPLY])
    assert hit.session == 1
    assert index.search(parse("retry"), session_kinds=[Kind.SUBAGENT]) == []
    assert len(index.search(parse("retry"), session_kinds=[Kind.MAIN])) == 2


def test_a_hit_says_where_and_why(index: WordIndex) -> None:
    (hit,) = hits(index, "umbrellas")
    assert (hit.kind, hit.message, hit.snippet, hit.spans) == ("title", 0, "Umbrellas for everyone", ((0, 9),))
    (hit,) = hits(index, "assertionerror")
    assert (hit.kind, hit.message) == ("tool", 1)
    assert hit.snippet[slice(*hit.spans[0])] == "AssertionError"


def test_no_query_can_be_taken_for_damage(index: WordIndex) -> None:
    chance = random.Random(5)
    letters = "ab-#~&@!,;:'(){}[]^$+|<>=%\\/é架.*? \t_0\"\ud800İß😀\0~"
    for _ in range(1500):
        value = "".join(chance.choices(letters, k=chance.randrange(1, 12)))
        name = chance.choice(["file", "project", "model", "tool", "agent"])
        several: list[Node] = [FieldFilter(name=name, value=value), Words(text=value), Words(text=value, prefix=True)]
        index.search(Query(text=value, node=And(nodes=(chance.choice(several),))))


@pytest.mark.parametrize("query", [f"{'a' * 5000}*", f"file:{'*a' * 500}", f"file:x/{'a' * 9999}"])
def test_a_query_may_be_too_long(index: WordIndex, query: str) -> None:
    with pytest.raises(RequestError, match="too long"):
        hits(index, query)


# ------------------------------------------------------------------------------------------------- writing


def test_nothing_is_seen_before_a_commit(tmp_path: Path) -> None:
    index = make_index(tmp_path, BREAD)
    with index.writer(heap=20_000_000) as writer:
        writer.add(1, Facts.of(WEATHER), passages(WEATHER))
        assert find_sessions(index, "retry") == [0]
    assert find_sessions(index, "retry") == [0]
    assert WordIndex.open(tmp_path).generation() == 1


def test_a_session_is_forgotten_and_replaced(tmp_path: Path) -> None:
    index = make_index(tmp_path, WEATHER, BREAD)
    with index.writer(heap=20_000_000) as writer:
        writer.forget([0])
        writer.add(0, Facts.of(BREAD), passages(BREAD))
        writer.commit(generation=2)
    assert find_sessions(index, "umbrella") == []
    assert sorted(find_sessions(index, "flour")) == [0, 1]


def test_what_was_added_and_forgotten_at_once_is_gone(tmp_path: Path) -> None:
    index = WordIndex.open(tmp_path)
    with index.writer(heap=20_000_000) as writer:
        writer.add(0, Facts.of(BREAD), passages(BREAD))
        writer.forget([0])
        writer.commit(generation=1)
    assert find_sessions(index, "flour") == []
    assert index.size() == 0


def test_the_generation_is_that_of_the_last_commit(tmp_path: Path) -> None:
    index = WordIndex.open(tmp_path)
    assert index.generation() is None
    with index.writer(heap=20_000_000) as writer:
        for generation in (1, 7, 2**40):
            writer.commit(generation)
            assert index.generation() == generation
    assert WordIndex.open(tmp_path).generation() == 2**40


def test_a_reader_sees_new_commits_after_a_refresh(tmp_path: Path) -> None:
    index = make_index(tmp_path, BREAD)
    other = WordIndex.open(tmp_path)
    with index.writer(heap=20_000_000) as writer:
        writer.add(1, Facts.of(WEATHER), passages(WEATHER))
        writer.commit(generation=2)
        assert other.generation() == 1
        other.refresh()
        assert other.generation() == 2
        assert find_sessions(other, "umbrella") == [1]


def test_one_writes_at_a_time(tmp_path: Path) -> None:
    index = WordIndex.open(tmp_path)
    with index.writer(heap=20_000_000), pytest.raises(Busy):
        WordIndex.open(tmp_path).writer(heap=20_000_000)
    WordIndex.open(tmp_path).writer(heap=20_000_000).close()


def test_a_killed_writer_leaves_the_last_commit_and_no_lock(tmp_path: Path) -> None:
    make_index(tmp_path, BREAD)
    program = (
        "import sys, time; from pathlib import Path; from pollux.index.search.word_index import WordIndex\n"
        "writer = WordIndex.open(Path(sys.argv[1])).writer(heap=20_000_000); writer.forget([0])\n"
        "print('writing', flush=True); time.sleep(60)"
    )
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, env=environ
    ) as writing:
        assert writing.stdout is not None
        assert writing.stdout.readline() == b"writing\n"
        index = WordIndex.open(tmp_path)
        with pytest.raises(Busy):
            index.writer(heap=20_000_000)
        writing.send_signal(signal.SIGKILL)
        writing.wait()
    assert find_sessions(index, "flour") == [0]
    index.writer(heap=20_000_000).close()
    assert index.generation() == 1


# ------------------------------------------------------------------------------------------------- damage


@pytest.mark.parametrize("ending", [".store", ".idx", ".term", ".fast", ".fieldnorm", ".pos", "meta.json"])
@pytest.mark.parametrize("harm", ["half", "empty", "noise", "gone"])
def test_damage_is_one_exception(tmp_path: Path, ending: str, harm: str) -> None:
    make_index(tmp_path, WEATHER, BREAD)
    for file in tmp_path.iterdir():
        if not file.name.endswith(ending):
            continue
        content = file.read_bytes()
        file.unlink()
        if harm != "gone":
            file.write_bytes({"half": content[: len(content) // 2], "empty": b"", "noise": b"\xa5" * 99}[harm])
    if (ending, harm) == ("meta.json", "gone"):
        assert WordIndex.open(tmp_path).generation() is None
        return
    with pytest.raises(Damaged):
        hits(WordIndex.open(tmp_path), '"retry logic"')


def test_an_index_of_other_fields_has_to_be_made_anew(tmp_path: Path) -> None:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text")
    tantivy.Index(builder.build(), path=str(tmp_path))
    with pytest.raises(Damaged):
        WordIndex.open(tmp_path)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError):
        WordIndex.open(tmp_path / "file" / "words")


def test_a_folder_that_vanished_is_made_again(tmp_path: Path) -> None:
    make_index(tmp_path / "words", BREAD)
    shutil.rmtree(tmp_path / "words")
    assert WordIndex.open(tmp_path / "words").generation() is None


def test_messages_are_counted_however_many_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = session(*(prompt(f"needle {number}", shell_call("needle")) for number in range(1_500)))
    index = make_index(tmp_path, long, session(prompt("needle"), prompt("hay")))
    assert index.counts(parse("needle"), [0, 1]) == {0: 1_500, 1: 1}
    monkeypatch.setattr("pollux.index.search.ranking._MOST_BUCKETS", 100)
    assert index.counts(parse("needle"), [0, 1]) == {0: 1_500, 1: 1}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("flour bake", [(1, True)]),
        ("flour (in:prompts OR in:titles)", []),
        ("(in:prompts agent:claude) flour", []),
        ("flour (role:user OR role:system)", []),
        ("flour bake -(in:tools OR in:files)", [(1, True)]),
        ("flour bake -(in:replies OR in:files)", []),
        ("flour (tool:shell_exec OR tool:file_edit)", [(1, True)]),
        ("flour (bake in:prompts)", [(1, True)]),
    ],
)
def test_filters_in_groups_hold_for_every_message(
    index: WordIndex, query: str, expected: list[tuple[int, bool]]
) -> None:
    assert [(hit.session, hit.scattered) for hit in hits(index, query)] == expected
