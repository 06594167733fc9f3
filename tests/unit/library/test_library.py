"""How a program names sessions and agents."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pollux import Filter, Library
from pollux.errors import UnknownName
from pollux.usage.service import Grouping

HOME = Path(__file__).parents[3] / "src" / "pollux" / "sample" / "home"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    own = str(tmp_path)
    return Library({"HOME": str(HOME), "XDG_DATA_HOME": own, "XDG_CACHE_HOME": own}, HOME, hunt=False)


def test_a_session_by_its_path(library: Library) -> None:
    rows = library.list(limit=1)[0].summary
    file = Path(rows.files[0])
    assert library.session(file) == library.session(str(file)) == library.session(rows.key)


def test_an_agent_nobody_knows_is_refused_by_every_question(library: Library) -> None:
    unknown = Filter(agent="hal")
    for ask in (library.list, library.count, library.watch, lambda asked: list(library.sessions(asked))):
        with pytest.raises(UnknownName, match="No agent is called 'hal'"):
            ask(unknown)


def _talk(*said: str) -> str:
    """A session of Gemini CLI in which each of these was asked and answered; the last at noon, whatever came before."""
    spent = {"input": 100, "output": 10, "cached": 0, "thoughts": 0, "tool": 0, "total": 110}
    messages = [
        {"id": f"{kind}-{words}", "timestamp": "2026-11-15T12:00:00.000Z", "type": kind, "content": words, **more}
        for words in said
        for kind, more in (("user", {}), ("gemini", {"model": "gemini-2.5-pro", "tokens": spent}))
    ]
    return json.dumps({"sessionId": "abcdabcd", "projectHash": "0" * 64, "messages": messages})


@pytest.mark.parametrize("fuller", ["a", "b"])
def test_of_two_copies_that_were_left_at_the_same_moment_the_fuller_counts(tmp_path: Path, fuller: str) -> None:
    for root in "ab":
        file = tmp_path / root / ("0" * 64) / "chats" / "session-2026-11-15T12-00-abcdabcd.json"
        file.parent.mkdir(parents=True)
        file.write_text(_talk("one", "two") if root == fuller else _talk("two"), encoding="utf-8")
    roots = os.pathsep.join(str(tmp_path / root) for root in "ab")
    own = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_DATA_HOME": str(tmp_path / "data")}
    library = Library({"HOME": str(tmp_path), "POLLUX_GEMINI_DIR": roots, **own}, tmp_path, hunt=False)
    (listed,), (short,) = library.list(), library.list(limit=1)
    assert listed == short
    assert listed.summary.usage.total == 220
    assert [prompt.text for prompt in library.session("last").prompts] == ["one", "two"]
    assert [session.usage.total for session in library.sessions()] == [220]
    assert library.usage.stats(Grouping.AGENT).total.usage.total == 220
