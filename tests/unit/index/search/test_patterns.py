"""Beginnings and patterns find every word they stand for, however many there are."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from pollux.errors import RequestError
from pollux.index.search import patterns
from pollux.index.search.word_index import WordIndex
from tests.unit.index.search.small_sessions import edit_call, find_sessions, make_index, prompt, reply, session

NAMES = [
    *("a.py", "ab.py", "abc.py", "b.py", "ba.ts", "py", ".py", "x.py.py", "test_a.py", "test_b.py", "ä.py", "天.py"),
    *(f"n{number}.py" for number in range(40)),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> WordIndex:
    every = (session(prompt(f"see {name}"), reply("", edit_call(f"/home/src/{name}"))) for name in NAMES)
    return make_index(tmp_path_factory.mktemp("words"), *every)


@pytest.mark.parametrize("most", [2, 6, 20, 200])
@pytest.mark.parametrize(
    "glob", ["*.py", "*", "?.py", "??.*", "*a*", "n*", "n?.py", "*.py*", "test_?.py", "x*py", "zz*"]
)
def test_a_pattern_in_a_row(index: WordIndex, monkeypatch: pytest.MonkeyPatch, glob: str, most: int) -> None:
    monkeypatch.setattr(patterns, "MOST", most)
    plain = {number for number, name in enumerate(NAMES) if fnmatchcase(name.replace("ä", "a"), glob)}
    assert set(find_sessions(index, f"file:src/{glob}", limit=100)) == plain
    assert set(find_sessions(index, f"file:home/*/{glob}", limit=100)) == plain


@pytest.mark.parametrize("most", [2, 4, 200])
def test_a_beginning_in_a_phrase(index: WordIndex, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(patterns, "MOST", most)
    for begin in ("a", "n1", "n", "t"):
        plain = {number for number, name in enumerate(NAMES) if name.replace("ä", "a").startswith(begin)}
        assert set(find_sessions(index, f'"see {begin}*"', limit=100)) == plain


def test_more_words_than_the_index_takes_in_a_row(tmp_path: Path) -> None:
    many = " ".join(f"line n{number:x}" for number in range(patterns.MOST + 100))
    crowded = make_index(tmp_path, session(prompt(many)), session(prompt("line of n1")))
    assert find_sessions(crowded, '"line n*"') == [0]
    assert find_sessions(crowded, "line.n3ff*") == [0]


def test_a_row_that_is_too_long(index: WordIndex) -> None:
    with pytest.raises(RequestError, match="too long"):
        find_sessions(index, f'"{"word " * (patterns.MOST + 1)}n*"')


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("file:home/**/a.py", 2),
        ("file:**/ba.ts", 1),
        ("file:home/**", len(NAMES)),
        ("file:./src/ba.ts", 1),
        ("file:../src/ba", 1),
        ("file:~/src/ba.ts", 1),
        ("file:~/ba.ts", 0),
        ("file:elsewhere/**/a.py", 0),
    ],
)
def test_paths_as_people_write_them(index: WordIndex, monkeypatch: pytest.MonkeyPatch, query: str, count: int) -> None:
    monkeypatch.setenv("HOME", "/home")
    assert len(find_sessions(index, query, limit=100)) == count
