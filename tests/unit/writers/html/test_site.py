"""The index of a site and its search, as files."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest

from pollux.model import Session, Text, summarize
from pollux.writers.base import NO_CONTEXT, Entry, WriterContext
from pollux.writers.html import WRITER
from pollux.writers.html.search_index import SIZE, SearchIndex, words
from pollux.writers.html.site import ASSETS
from tests.unit.writers.html.page_parser import Page
from tests.unit.writers.kitchen_sink import ASSISTANT, CLIENT, HUMAN, MODEL, SESSION, START, USER, message


def session(number: int, *said: str, project: str | None = "/home/ada/weather") -> Session:
    messages = [
        message(n, ASSISTANT if n else USER, MODEL if n else HUMAN, Text(text=text)) for n, text in enumerate(said)
    ]
    context = message(99, USER, CLIENT, Text(text="clientonly"))
    start = START + timedelta(days=number)
    return Session(agent="a", id=f"s{number}", project=project, started=start, messages=(*messages, context))


def finished(*sessions: Session, whole: bool = True) -> dict[str, str]:
    entries = [Entry(summary=summarize(one), file=f"{one.id}.html") for one in reversed(sessions)]
    context = WriterContext(sessions=lambda: sessions) if whole else NO_CONTEXT
    return {name: "".join(pieces) for name, pieces, _ in WRITER.finish(entries, context)}


def held(files: dict[str, str]) -> dict[str, list[int]]:
    """What the files of the search say: the numbers of the sessions that hold each word."""
    result: dict[str, list[int]] = {}
    for name, script in sorted(files.items()):
        if (match := re.fullmatch(r"pollux\.words\((\d+),(.*)\);\n", script, re.DOTALL)) is None:
            continue
        assert name == f"search/{int(match[1]):03}.js"
        for line in json.loads(match[2]).split("\n"):
            word, *steps = line.split(" ")
            total = 0
            result[word] = [total := total + int(step, 36) for step in steps]
    return result


def test_every_session_is_found_by_what_was_said() -> None:
    result = held(finished(session(0, "Rain tomorrow?", "No, sun."), session(1, "RAIN again"), session(2, "状态架构")))
    assert result["rain"] == [0, 1]
    assert result["sun"] == [0]
    assert result["架"] == [2]
    assert result["weather"] == [0, 1, 2]
    assert "clientonly" not in result


def test_without_the_sessions_it_covers_what_a_list_shows_and_says_so() -> None:
    files = finished(session(0, "Rain tomorrow?", "No, sun."), whole=False)
    assert "sun" not in held(files)
    assert "rain" in held(files)
    assert "the first prompt and the last" in files["index.html"]
    assert "prompts and replies" in finished(session(0, "x"))["index.html"]


def test_a_new_session_changes_no_number() -> None:
    older = [session(n, f"word{n}") for n in range(40)]
    before, after = held(finished(*older)), held(finished(*older, session(40, "late")))
    assert all(after[f"word{n}"] == before[f"word{n}"] == [n] for n in range(40))
    assert after["late"] == [40]


def test_many_words_make_several_files_that_are_sorted() -> None:
    index = SearchIndex()
    index.add(3, [" ".join(f"w{n}" for n in range(40_000))])
    files = list(index.files())
    assert len(files) > 2
    assert all(len(script) < 1.2 * SIZE for _, script in files)
    firsts = [first for first, _ in files]
    assert firsts == sorted(firsts)
    assert firsts[0] == "w0"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("snake_case don't 3.14", {"snake", "case", "don", "t", "3", "14"}),
        ("ﬁne ＡＢＣ Straße", {"fine", "abc", "strasse"}),
        ("η ΟΔΟΣ, η οδός", {"η", "οδοσ"}),
        ("x" * 61 + " y", {"y"}),
        ("カタ 한국 abc架", {"カ", "タ", "한", "국", "abc", "架"}),
    ],
)
def test_words(text: str, expected: set[str]) -> None:
    assert words(text) == expected


def test_the_index_is_a_page_like_the_others() -> None:
    many = [SESSION, session(1, "x"), session(2, "y", project=None), session(3, "z")]
    page = Page(finished(*many)["index.html"].replace(" data-words=", " title=").replace(" data-n=", " title="))
    assert [value["class"] for name, value in page.tags if name == "body"] == ["site"]
    assert page.policy.count("'self'") == 1
    assert set(page.targets) == {"./kitchen-sink.html", "./s1.html", "./s2.html", "./s3.html"}
    assert (len(ASSETS.styles), len(ASSETS.scripts)) == (2, 4)


def test_nothing_to_show_is_a_page_too() -> None:
    assert "<dt>Sessions</dt><dd>0</dd>" in finished()["index.html"]


def test_the_index_says_nothing_about_its_making() -> None:
    output = Page(
        finished(session(0, "x"), session(1, "y"))["index.html"]
        .replace(" data-words=", " title=")
        .replace(" data-n=", " title=")
    )
    page_text = " ".join(output.words)
    assert not re.search(
        r"characters|kB|MB|\bwords\b(?! *\.)", page_text.replace("No session holds all these words.", "")
    )


def test_sessions_that_are_not_part_of_the_site_are_not_in_its_search() -> None:
    inside, outside = session(0, "inside"), session(1, "outside")
    entries = [Entry(summary=summarize(inside), file="s0.html")]
    context = WriterContext(sessions=lambda: [inside, outside])
    files = {name: "".join(pieces) for name, pieces, _ in WRITER.finish(entries, context)}
    assert "inside" in held(files)
    assert "outside" not in held(files)
