"""Homes that random walks left: what is live is what Codex sends when it resumes, and what was cut is not exact."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pollux.model import Author, Fate, Session, Text, ToolCall
from tests.unit.sources.codex.conftest import Home

CORPUS = Path(__file__).parents[3] / "corpus" / "codex"
WALKS = sorted(path.name for path in CORPUS.glob("walk-*"))
MARK = re.compile(r"z(?:q\d+|r\d+_\d+|snap\d+)z")
CALL = re.compile(r"zc\d+_\d+z")


def sessions(home: str, cache: Path) -> dict[str, Session]:
    return Home(CORPUS / home / "home").sessions(XDG_CACHE_HOME=str(cache))


def live(session: Session) -> list[str]:
    """The marks of prompts, replies and calls that are still part of the conversation."""
    results: list[str] = []
    for message in session.messages:
        if message.fate is not Fate.LIVE or message.author is Author.CLIENT:
            continue
        for part in message.parts:
            if isinstance(part, Text):
                results += MARK.findall(part.text)
            elif isinstance(part, ToolCall):
                results += [f"call:{mark}" for mark in CALL.findall(json.dumps(part.input))]
    return results


@pytest.mark.parametrize("home", WALKS)
def test_what_is_live_is_what_is_resumed(tmp_path: Path, home: str) -> None:
    truths = json.loads((CORPUS / home / "oracle.json").read_text("utf-8"))["sessions"]
    result = sessions(home, tmp_path)
    assert {truth["id"]: live(result[truth["id"]]) for truth in truths} == {t["id"]: t["resumed"] for t in truths}


def test_a_response_that_was_cut_is_not_exact(tmp_path: Path) -> None:
    result = sessions("walk-exact-though-cut", tmp_path)["01a1e1c6-85ce-7b71-b01a-6c613ae43155"]
    assert result.usage.exact is False
    assert [(gap.certain, gap.line) for gap in result.gaps] == [(True, 8), (True, 71)]
