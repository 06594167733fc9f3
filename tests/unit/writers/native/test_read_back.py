"""pollux reads what it wrote for an agent: the same words in the same order, as one session."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from pollux.model import Kind, Session
from pollux.writers.native.conversation import Conversation, id_for
from pollux.writers.native.draft import NothingLive, draft
from pollux.writers.native.ids import made_id
from pollux.writers.native.options import DraftOptions
from tests.samples import sample
from tests.unit.writers.native.corpus import corpus_sessions
from tests.unit.writers.native.read_back import difference, place, read, read_words, written_words

AT = datetime(2026, 11, 20, tzinfo=UTC)
WAYS = {
    "usual": DraftOptions(),
    "everything": DraftOptions(thinking=True, fate="all"),
    "told": DraftOptions(tools="told"),
}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("agent", ["gemini", "claude", "codex", "copilot", "opencode", "qwen"])
def test_the_words_come_back_in_order(agent: str, way: str, tmp_path: Path) -> None:
    target = import_module(f"pollux.sources.{agent}.native").FORMAT
    written: dict[str, Conversation] = {}
    sessions = suitable(agent)
    for session in sessions if way == "usual" else sample(sessions, 150, agent, way):
        try:
            one, _ = draft(
                session,
                WAYS[way],
                target,
                id=id_for(target, made_id(f"{session.key} {len(written)}"), AT),
                folder=session.project or "/",
                at=AT,
                agent_title="Another agent",
            )
        except NothingLive:
            continue
        written[one.id] = one
        place(target, one, tmp_path / "home")
    found = read(tmp_path / "home", tmp_path)
    assert len(written) > (300 if way == "usual" else 75)
    assert set(found) == set(written)
    for id, conversation in written.items():
        assert difference(written_words(conversation), read_words(found[id])) is None
        # These two keep titles in another file.
        assert found[id].title == (None if agent in ("codex", "copilot") else conversation.title)
        assert found[id].usage.total in {None, 0}


@cache
def suitable(agent: str) -> list[Session]:
    """All sessions; for Gemini CLI without sub-agents, whose task marks a sub-agent within another session's file."""
    sessions = corpus_sessions()
    return [one for one in sessions if one.kind is not Kind.SUBAGENT] if agent == "gemini" else sessions
