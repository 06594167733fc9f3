"""Trajectories: what failed says so, and sub-agents stand within the session that started them."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from pollux.model import Author, Message, Role, Session, Status, Text, ToolCall, Usage
from pollux.writers.atif import WRITER
from pollux.writers.base import Options, WriterContext
from tests.unit.writers.judges import atif


def started(child: str, status: Status, output: str | None) -> ToolCall:
    return ToolCall(
        id="1", name="task", canonical="agent_spawn", tool_kind="agent", status=status, output=output, child=child
    )


def session(id: str, *parts: ToolCall | Text) -> Session:
    message = Message(id="m", role=Role.ASSISTANT, author=Author.MODEL, parts=parts)
    return Session(agent="a", id=id, messages=(message,))


def written(one: Session, **others: Session) -> dict[str, Any]:
    pieces: list[str] = []
    report = WRITER.write(
        one, pieces.append, Options(), WriterContext(child=lambda key: others.get(key.removeprefix("a:")))
    )
    atif("".join(pieces))
    assert report.kept == 1 + len(others)
    document: dict[str, Any] = json.loads("".join(pieces))
    return document


def test_a_failed_call_keeps_what_it_answered() -> None:
    (step,) = written(session("one", started("a:gone", Status.ERROR, "No such file.")))["steps"]
    (result,) = step["observation"]["results"]
    assert (result["content"], result["extra"]["status"]) == ("No such file.", "error")
    assert step["tool_calls"][0]["extra"]["child"] == "a:gone"


def test_sub_agents_are_embedded_however_deep() -> None:
    inner = session("inner", Text(text="found"))
    middle = session("middle", started("a:inner", Status.UNFINISHED, None))
    whole = written(session("outer", started("a:middle", Status.OK, "done")), middle=middle, inner=inner)
    (child,) = whole["subagent_trajectories"]
    (grandchild,) = child["subagent_trajectories"]
    assert [child["trajectory_id"], grandchild["trajectory_id"]] == ["a:middle", "a:inner"]
    (reference,) = child["steps"][0]["observation"]["results"][0]["subagent_trajectory_ref"]
    assert reference["trajectory_id"] == "a:inner"


def test_a_session_that_started_itself_ends() -> None:
    one = session("one", started("a:one", Status.OK, "round and round"))
    pieces: list[str] = []
    WRITER.write(one, pieces.append, Options(), WriterContext(child=lambda _: msgspec.structs.replace(one)))
    assert "subagent_trajectories" not in json.loads("".join(pieces))


def test_a_cost_that_lacks_requests_is_not_told() -> None:
    """The format cannot say that more was paid."""
    reply = Message(id="m", role=Role.ASSISTANT, author=Author.MODEL, parts=(Text(text="x"),), usage=Usage(input=1))
    for price, cost in (((0.5, 0), 0.5), ((0.5, 1), None)):
        pieces: list[str] = []
        context = WriterContext(price=partial(_always, price))
        WRITER.write(Session(agent="a", id="s", messages=(reply,)), pieces.append, Options(), context)
        document = json.loads("".join(pieces))
        assert document["steps"][0]["metrics"].get("cost_usd") == cost
        assert document["final_metrics"].get("total_cost_usd") == cost


def _always(price: tuple[float, int], _: Session) -> Callable[[Message], tuple[float, int]]:
    return lambda _: price
