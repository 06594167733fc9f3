from __future__ import annotations

from pathlib import Path

import pytest

from pollux.index.search.fact_terms import fact_values
from pollux.index.search.word_index import WordIndex
from tests.unit.index.search.small_sessions import find_sessions, make_index, prompt, reply, session, shell_call

PROJECTS = ("/home/ada/my notes", "/home/ada/my\tnotes\n2", "/home/ada/notes", "/home/ada/my:notes")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> WordIndex:
    sessions = [session(prompt("hello"), reply("hi", shell_call("ls")), project=project) for project in PROJECTS]
    return make_index(tmp_path_factory.mktemp("words"), *sessions)


def test_a_value_with_spaces_is_one_value(index: WordIndex) -> None:
    assert sorted(fact_values(index._index.searcher(), "project")) == sorted(PROJECTS)


@pytest.mark.parametrize(
    ("query", "sessions"),
    [
        ('hello project:"/home/ada/my notes"', [0]),
        ("hello project:/home/ada/notes", [2]),
        ('hello project:"/home/ada/my:notes"', [3]),
        ("hi role:assistant agent:gemini", [0, 1, 2, 3]),
        ("ls tool:run_shell_command failed:no", [0, 1, 2, 3]),
        ("hello agent:project", []),
    ],
)
def test_a_filter_matches_whole_values_of_its_own_fact(index: WordIndex, query: str, sessions: list[int]) -> None:
    assert sorted(find_sessions(index, query)) == sessions


def test_a_session_without_a_project_has_no_value(tmp_path: Path) -> None:
    index = make_index(tmp_path, session(prompt("hello")))
    assert fact_values(index._index.searcher(), "project") == []
