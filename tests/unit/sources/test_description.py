"""What each agent is called elsewhere, and what its sessions tell of their surroundings."""

from __future__ import annotations

import pytest

from pollux import registry
from pollux.model import AgentDescription, Session, Status, ToolCall


def describe(agent: str, **extra: object) -> AgentDescription:
    known = registry.knowledge(agent)
    assert known is not None
    return known.describe(Session(agent=agent, id="s", extra=extra))


@pytest.mark.parametrize("agent", list(registry.SOURCES))
def test_every_agent_of_ours_is_known(agent: str) -> None:
    description = describe(agent)
    assert description.program.startswith(agent)
    assert description.harness == description.program.replace("-", "_")
    assert description.vendor or agent == "opencode"  # it asks the models of any vendor
    assert description.trace is not None
    assert description.trace.startswith(agent)


def test_what_sessions_tell_is_told() -> None:
    claude = describe("claude", version="2.1.325", gitBranch="main")
    assert (claude.version, claude.branch) == ("2.1.325", "main")
    assert [describe("claude", gitBranch=name).branch for name in ("", "HEAD")] == [None, None]
    git = {"branch": "main", "commit_hash": "abc", "repository_url": "https://example.com/r"}
    codex = describe("codex", meta={"cli_version": "0.166.0", "model_provider": "azure", "git": git})
    assert (codex.version, codex.vendor, codex.branch, codex.revision) == ("0.166.0", "azure", "main", "abc")


@pytest.mark.parametrize("odd", [None, 7, "", [], {"git": 3}])
def test_what_is_odd_is_not_told(odd: object) -> None:
    assert describe("codex", meta=odd) == describe("codex")
    assert describe("claude", version=odd if odd != "" else None).branch is None


def test_an_agent_nobody_reads_is_not_known() -> None:
    assert registry.knowledge("parrot") is None


def test_a_result_is_told_as_it_was_written_only_where_that_is_known() -> None:
    call = ToolCall(id="c", name="ls", canonical="ls", tool_kind="other", status=Status.OK, output="text")
    knowing = {name: registry.knowledge(name) for name in registry.SOURCES}
    answers = {name: known.answer(call) for name, known in knowing.items() if known is not None}
    response = {"functionResponse": {"id": "c", "name": "ls", "response": {"output": "text"}}}
    assert answers == {name: [response] if name == "gemini" else None for name in answers}
    assert {"gemini", "claude", "codex"} <= answers.keys()
