"""A search that finds nothing is made wider."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import pytest

from pollux.errors import RequestError
from pollux.index.search.query import parse
from pollux.index.search.word_index import WordIndex
from tests.unit.index.search.small_sessions import (
    edit_call,
    find_sessions,
    make_index,
    prompt,
    reply,
    session,
    shell_call,
)

TEXTS = [
    "The retry logic waits",
    "humidity of the air",
    "we were running the tests",
    "die Häuser am Meer",
    "новая книга о море",
    "ο δρόμος είναι μακρύς",
    "las configuraciones antiguas",
    "projektów jest wiele",
    "the file name is wrong",
    "off by one, said the compiler",
    "the database connection pool is exhausted today",
    "a lighthouse keeper",
    "release 4711 is out",
    "状态架构的设计",
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> WordIndex:
    return make_index(tmp_path_factory.mktemp("words"), *(session(prompt(text)) for text in TEXTS))


def wider(index: WordIndex, text: str) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """The texts that a query finds once it is widened, and what was looked for instead."""
    query = parse(text)
    assert not index.search(query)
    for further in (False, True):
        wide = index.widened(query, further=further)
        if wide is not None and (hits := index.search(wide.query)):
            return [TEXTS[hit.session] for hit in hits], {one.typed: one.instead for one in wide.instead}
    return [], {}


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("retries", 0),
        ("humidities", 1),
        ("run test", 2),
        ("Haus", 3),
        ("книги", 4),
        ("ΔΡΟΜΟΥ", 5),
        ("configuración", 6),
        ("projekty", 7),
        ("humdity", 1),
        ("humitidy", 1),
        ("humuditu", 1),
        ("δρόμοσς", 5),
        ("filename", 8),
        ("humdit*", 1),
        ('"compiler said"', 9),
        ('"exhausted connection pool"', 10),
        ('"conection pool"', 10),
        ('"light house"', 11),
        ("架构设计", 13),
        ("retries -nothing in:prompts", 0),
        ("(retries OR nonsense) logic", 0),
    ],
)
def test_something_like_it_is_found(index: WordIndex, typed: str, text: int) -> None:
    texts, instead = wider(index, typed)
    assert texts[:1] == [TEXTS[text]]
    assert instead


@pytest.mark.parametrize(
    "typed",
    [
        "zzzzzzzz",
        "4712",
        "retries zzzzzzzz",
        "retries agent:claude",
        "retries in:replies",
        "retries -logic",
        '"retry exhausted"',
        "ret",
    ],
)
def test_what_is_not_like_anything_is_not_found(index: WordIndex, typed: str) -> None:
    assert wider(index, typed) == ([], {})


def test_what_is_found_is_marked_and_told(index: WordIndex) -> None:
    wide = index.widened(parse("humdity"), further=False)
    assert wide is not None
    (hit,) = index.search(wide.query)
    assert [hit.snippet[slice(*span)] for span in hit.spans] == ["humidity"]
    assert [(one.typed, one.instead, one.near) for one in wide.instead] == [("humdity", ("humidity",), False)]


def test_words_stay_as_they_were_typed_where_they_occur(tmp_path: Path) -> None:
    index = make_index(tmp_path, session(prompt("retry now")), session(prompt("retries later")))
    wide = index.widened(parse("retry lateer"), further=False)
    assert wide is not None
    assert [hit.session for hit in index.search(wide.query)] == [1]
    assert {one.typed: one.instead for one in wide.instead} == {"retry": ("retries",), "lateer": ("later",)}


def test_a_pasted_text_is_not_widened(index: WordIndex) -> None:
    assert (
        index.widened(parse(" ".join(f"retries{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")), further=False)
        is None
    )


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("project:wether", "No project matches 'wether'. Did you mean: project:weather?"),
        ("project:/home/bob/wether", "No project matches '/home/bob/wether'. Did you mean: project:/home/ada/weather?"),
        ("project:wind-sttion", "No project matches 'wind-sttion'. Did you mean: project:wind-station?"),
        ("-project:wether humidity", "No project matches 'wether'. Did you mean: project:weather?"),
        ("(model:gemni OR model:gemini)", "No model matches 'gemni'. Did you mean: model:gemini?"),
        ("tool:shel_exec", "No tool matches 'shel_exec'. Did you mean: tool:shell_exec?"),
        ("file:src/man.py", "No file matches 'src/man.py'. Did you mean: file:src/main.py?"),
        ("branch:main", "No branch matches 'main'. To search for the text itself, put it in quotes: \"branch:main\""),
    ],
)
def test_a_filter_that_nothing_answers_to_is_told(tmp_path: Path, query: str, sentence: str) -> None:
    worked = session(
        prompt("hi"), reply("yes", shell_call("ls"), edit_call("src/main.py")), project="/home/ada/weather"
    )
    other = session(prompt("hi"), project="/home/ada/wind-station")
    index = make_index(tmp_path, worked, other)
    assert index.unknown_values(parse(query)) == [sentence]
    assert index.unknown_values(parse("project:weather file:main tool:shell model:gemini since:2w failed:yes")) == []


def thousands(kind: str) -> str:
    words = [f"word{number}" for number in range(5_000)]
    return {
        "words": " ".join(words),
        "one word": " ".join(["retry"] * 20_000),
        "either": " OR ".join(words),
        "phrase": f'"{" ".join(words)}"',
        "beginnings": " ".join(f"{word}*" for word in words[:500]),
        "one beginning": " ".join(["r*"] * 2_000),
        "left out": "retry " + " ".join(f"-{word}" for word in words),
        "filters": " ".join(f"project:{word}" for word in words[:1_000]),
        "files": " ".join(f"file:*{word}*" for word in words[:200]),
        "long word": "x" * 200_000,
        "long beginning": "x" * 20_000 + "*",
        "phrases": " ".join(f'"{one} {one}x"' for one in words),
        "signs": "(" * 10_000,
        "hyphens": "-".join(words),
        "han": "架构" * 5_000,
    }[kind]


@pytest.mark.parametrize(
    "kind",
    [
        "words", "one word", "either", "phrase", "beginnings", "one beginning", "left out", "filters", "files",
        "long word", "long beginning", "phrases", "signs", "hyphens", "han",
    ],
)  # fmt: skip
def test_a_query_of_thousands_of_words_is_answered_or_refused(index: WordIndex, kind: str) -> None:
    began = time.process_time()
    with contextlib.suppress(RequestError):  # which is a sentence
        query = parse(thousands(kind))
        index.search(query)
        index.widened(query, further=True)
        index.unknown_values(query)
    assert time.process_time() - began < 10


def test_other_texts_are_not_taken_for_the_same(index: WordIndex) -> None:
    assert find_sessions(index, "й") == []
