"""The agents themselves go on with what pollux writes for them, from sessions of every agent."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pollux.model import Session, ToolCall
from pollux.writers.native.options import DraftOptions
from tests.agents.conftest import CLIS, in_full, need
from tests.agents.handed_over import ANSWER, PROMPT, HandedOver, arrived, difference, expected, is_suitable
from tests.unit.writers.native.corpus import CORPUS, sessions_of

NEWEST = {"gemini": "0.61.0", "claude": "2.1.325", "codex": "0.166.0"}
NEWEST |= {"copilot": "1.0.102", "opencode": "1.18.33", "qwen": "0.24.4"}
OLDER = {"gemini": "0.44.0", "claude": "2.1.112", "codex": "0.145.0", "copilot": "1.0.40", "qwen": "0.15.10"}
SLOW = ("opencode",)
"""Agents that take half a minute to answer: test_handoff.py hands over to them, too."""
RICH = {"gemini": "gemini/0.61.0", "claude": "claude/2.1.325", "codex": "codex/0.166.0"}
RICH |= {"copilot": "copilot/1.0.102", "opencode": "opencode/1.18.33", "qwen": "qwen/0.24.4"}
HOMES = sorted(f"{home.parts[-3]}/{home.parts[-2]}" for home in CORPUS.glob("*/*/home"))
TARGETS = [
    *(
        pytest.param(agent, release, id=f"to-{agent}-{release}", marks=in_full if agent in SLOW else ())
        for agent, release in NEWEST.items()
    ),
    *(pytest.param(agent, release, id=f"to-{agent}-{release}", marks=in_full) for agent, release in OLDER.items()),
]


@cache
def suitable(home: str) -> list[Session]:
    """The sessions of a home, one of each shape, with the most calls first."""
    shapes: dict[Any, Session] = {}
    for session in sessions_of(CORPUS / home / "home"):
        if is_suitable(session):
            shapes.setdefault(_shape(session), session)
    return sorted(shapes.values(), key=_calls, reverse=True)


def _shape(session: Session) -> Any:
    return tuple(
        (message.role, message.author, message.fate, tuple(type(part) for part in message.parts))
        for message in session.messages
    )


def _calls(session: Session) -> int:
    return sum(isinstance(part, ToolCall) for message in session.messages for part in message.parts)


def judge(harness: ModuleType, handed: HandedOver, release: str) -> None:
    """The agent goes on in the same file, all of the conversation arrives in order, and no service would refuse it."""
    report = handed.resume(harness, CLIS, release)
    assert report["resumed"], report["stderr"]
    assert report["same_session"]
    assert report["would_be_refused"] == []
    assert difference(list(expected(handed.conversation)), arrived(report), handed.agent) is None
    assert handed.grown


@pytest.mark.parametrize(("agent", "release"), TARGETS)
@pytest.mark.parametrize("source", RICH)
def test_the_agent_goes_on_and_once_more(
    harness: ModuleType, source: str, agent: str, release: str, tmp_path: Path
) -> None:
    need(agent, release)
    handed = HandedOver(suitable(RICH[source])[0], agent, tmp_path)
    judge(harness, handed, release)
    again = handed.resume_again(harness, CLIS, release)
    assert again["resumed"], again["stderr"]
    prompt = f'"{PROMPT}"' if agent == "opencode" else PROMPT  # `opencode run` keeps it in quotation marks
    wanted = [*expected(handed.conversation), prompt, ANSWER]
    assert difference(wanted, arrived(again), agent) is None


@in_full
@pytest.mark.parametrize(("agent", "release"), TARGETS)
@pytest.mark.parametrize("home", HOMES)
def test_every_shape_of_session(harness: ModuleType, home: str, agent: str, release: str, tmp_path: Path) -> None:
    need(agent, release)
    sessions = suitable(home)
    for number, session in enumerate(sessions):
        judge(harness, HandedOver(session, agent, tmp_path / str(number)), release)


@in_full
@pytest.mark.parametrize(
    "options",
    [
        pytest.param(DraftOptions(tools="told", thinking=True), id="told"),
        pytest.param(DraftOptions(fate="all", thinking=True), id="all"),
        pytest.param(DraftOptions(fit=700), id="fit"),
    ],
)
@pytest.mark.parametrize(("agent", "release"), TARGETS)
@pytest.mark.parametrize("source", RICH)
def test_what_a_person_may_ask(
    harness: ModuleType, source: str, agent: str, release: str, options: DraftOptions, tmp_path: Path
) -> None:
    need(agent, release)
    handed = HandedOver(suitable(RICH[source])[0], agent, tmp_path, options)
    assert handed.account.items
    judge(harness, handed, release)
