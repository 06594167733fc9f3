"""A regular expression that would take for ever: it ends, what was found is kept, and what was left out is named."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from pollux.library.library import Hit, Library
from tests.cli.program import Pollux
from tests.cli.session_text import session

ENDLESS = "(x+x+)+y"
ROW = "x" * 60


@pytest.fixture
def empty(tmp_path: Path) -> Pollux:
    """A home in which no agent was ever used."""
    return Pollux(tmp_path)


def test_it_ends_and_says_so(empty: Pollux) -> None:
    empty.file("p/chats/session-2026-11-15T05-00-aaaa.json", session("aaaa", f"{ROW} needle"))
    result = empty("search", "--regex", ENDLESS, "--timeout", "0.2")
    assert result.returncode == 3  # nobody knows whether there is something
    assert "Nothing was found. The pattern took longer than 0.2 s in 1 file" in result.stderr
    assert "session-2026-11-15T05-00-aaaa.json" in result.stderr
    assert "--timeout 2.4" in result.stderr
    assert json.loads(empty("search", "--regex", ENDLESS, "--timeout", "0.2", "--json").stdout) == []


def test_the_other_files_are_searched(empty: Pollux) -> None:
    empty.file("p/chats/session-2026-11-15T05-00-aaaa.json", session("aaaa", ROW))
    empty.file("p/chats/session-2026-11-15T05-01-bbbb.json", session("bbbb", "xxy"))
    result = empty("search", "--regex", ENDLESS, "--timeout", "0.2", "--json")
    assert result.returncode == 0
    assert {hit["key"] for hit in json.loads(result.stdout)} == {"gemini:bbbb"}
    assert "not searched to the end" in json.loads(result.stderr)["warning"]
    (line,) = empty("search", "--regex", ENDLESS, "--timeout", "0.2").stderr.splitlines()
    assert "not searched to the end" in line


def test_what_stood_before_is_found(empty: Pollux) -> None:
    written = json.loads(session("aaaa", "xxy"))
    written["messages"].append({**written["messages"][0], "id": "m3", "content": ROW})
    empty.file("p/chats/session-2026-11-15T05-00-aaaa.json", json.dumps(written))
    result = empty("search", "--regex", ENDLESS, "--timeout", "0.2", "--json")
    assert {hit["message_id"] for hit in json.loads(result.stdout)} == {"m1", "m2"}


def test_a_patient_search_says_nothing(empty: Pollux) -> None:
    empty.file("p/chats/session-2026-11-15T05-00-aaaa.json", session("aaaa", "xxy"))
    result = empty("search", "--regex", ENDLESS)
    assert (result.returncode, result.stderr) == (0, "")
    assert empty("search", "words", "--timeout", "2").returncode == 2


@pytest.mark.parametrize("large", [False, True], ids=["alone", "in processes"])
@pytest.mark.parametrize("threaded", [False, True], ids=["main", "thread"])
def test_the_library(empty: Pollux, tmp_path: Path, large: bool, threaded: bool) -> None:
    """However the work is shared out, and whichever thread asks."""
    for number in range(3):
        filler = "z" * (2 << 20) if large else ""
        empty.file(f"p/chats/session-2026-11-15T05-0{number}-aaa{number}.json", session(f"aaa{number}", filler + ROW))
    results: list[Hit] = []
    left: list[str] = []

    def ask() -> None:
        library = Library({"HOME": str(empty.home)}, tmp_path, hunt=False)
        results.extend(library.match(ENDLESS, seconds=0.1, unfinished=left.append))

    if threaded:
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    else:
        ask()
    assert not results
    assert len(left) == 3
