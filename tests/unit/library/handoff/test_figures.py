"""The figures in docs/handoff.md are those of the corpus.

POLLUX_UPDATE_TRANSCRIPTS=1 writes them anew. Read the difference before you keep it.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import pytest

from pollux import registry
from pollux.model import Kind
from pollux.writers.native.account import Account, Carried
from pollux.writers.native.draft import NothingLive, draft
from pollux.writers.native.options import AS_IT_WAS
from tests.unit.writers.native.corpus import corpus_sessions

PAGE = Path(__file__).parents[4] / "docs" / "handoff.md"
ORIGINS = ("claude", "codex", "copilot", "gemini", "opencode", "qwen")
TARGETS = ("claude", "codex", "copilot", "gemini", "opencode", "qwen")
HOW = {Carried.NATIVE: "changed", Carried.TEXT: "as text", Carried.LEFT_OUT: "left out"}
TABLE = re.compile(r"(?<=\n\n)\| from \|.*?\n\n.*?\n\n\| how \|.*?\n(?=\n)", re.DOTALL)


def accounts(origin: str, to: str) -> list[Account]:
    """What becomes of the corpus's sessions of one agent on their way to another."""
    found = []
    for session in corpus_sessions():
        if session.agent == origin and session.kind is not Kind.PROMPTS:
            try:
                _, account = draft(
                    session,
                    AS_IT_WAS,
                    import_module(f"pollux.sources.{to}.native").FORMAT,
                    id="3f0a7c11-9b7d-4c0e-8a52-000000000001",
                    folder="/",
                    at=datetime(2026, 11, 20, tzinfo=UTC),
                    agent_title=registry.source(origin).title,
                )
            except NothingLive as error:
                account = error.account
            assert account.messages.total == len(session.messages)
            found.append(account)
    return found


def figures() -> str:
    ways = {(origin, to): accounts(origin, to) for origin in ORIGINS for to in TARGETS}
    lines = [
        "| from | to | sessions | messages | as they were | as text | left out |",
        "|---|---|---|---|---|---|---|",
    ]
    for (origin, to), found in ways.items():
        sums = [sum(getattr(one.messages, way) for one in found) for way in ("total", "native", "text", "left_out")]
        lines.append(f"| {origin} | {to} | {len(found)} | " + " | ".join(map(str, sums)) + " |")
    lines += ["", "What did not go over as it was, on the way to Claude Code:", ""]
    lines += ["| how | what | why | times |", "|---|---|---|---|"]
    items = [item for (_, to), found in ways.items() if to == "claude" for one in found for item in one.items]
    counts = Counter((HOW[item.carried], item.what, item.why) for item in items)
    lines += [f"| {how} | {what} | {why} | {count} |" for (how, what, why), count in sorted(counts.items())]
    return "\n".join(lines) + "\n"


@pytest.mark.slow
def test_the_page_has_the_figures_of_the_corpus() -> None:
    text = PAGE.read_text("utf-8")
    assert TABLE.search(text) is not None
    new = TABLE.sub(lambda _: figures(), text)
    if os.environ.get("POLLUX_UPDATE_TRANSCRIPTS"):
        PAGE.write_text(new, "utf-8")
    assert new == text
