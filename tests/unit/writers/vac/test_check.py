"""Our checker and the published schema say the same, and ours says it in words."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from pollux import registry
from pollux.writers.base import Options, WriterContext
from pollux.writers.vac.check import Problem, check
from tests.unit.writers.judges_of_records import fits
from tests.unit.writers.kitchen_sink import SESSION

pieces: list[str] = []
registry.writer("vac").write(SESSION, pieces.append, Options(), WriterContext(knowledge=registry.knowledge))
RECORD: dict[str, Any] = json.loads("".join(pieces))

Change = Callable[[dict[str, Any]], Any]


def entry(record: dict[str, Any], type: str) -> dict[str, Any]:  # noqa: A002
    every = [e for top in record["session"]["entries"] for e in (top, *top.get("children", []))]
    result: dict[str, Any] = next(e for e in every if e["type"] == type)
    return result


WRONG: dict[str, tuple[Change, str]] = {
    "no version": (lambda r: r.pop("version"), "version is missing"),
    "no session": (lambda r: r.pop("session"), "session is missing"),
    "a session that is a list": (lambda r: r.update(session=[]), "session must be an object, and is a list"),
    "a number for an id": (lambda r: r.update(id=7), "id must be a text, and is a number"),
    "a day for a time": (
        lambda r: r.update(created="2026-11-15"),
        "created must be a time like 2026-11-15T05:57:01.123Z, and is '2026-11-15'",
    ),
    "a time before 1970": (
        lambda r: r.update(created=-1),
        "created must be a time or a count of milliseconds, and is a number",
    ),
    "no agent": (lambda r: r["session"].pop("agent-meta"), "session.agent-meta is missing"),
    "no provider": (
        lambda r: r["session"]["agent-meta"].pop("model-provider"),
        "session.agent-meta.model-provider is missing",
    ),
    "models that are no list": (
        lambda r: r["session"]["agent-meta"].update(models="a"),
        "session.agent-meta.models must be a list, and is a text",
    ),
    "surroundings without a folder": (
        lambda r: r["session"].update(environment={}),
        "session.environment.working-dir is missing",
    ),
    "an unknown entry": (
        lambda r: r["session"]["entries"].insert(0, {"type": "poem"}),
        "session.entries[0].type must be one of user, assistant, tool-call, tool-result, reasoning, system-event",
    ),
    "a call without a name": (lambda r: entry(r, "tool-call").pop("name"), ".name is missing"),
    "a result without output": (lambda r: entry(r, "tool-result").pop("output"), ".output is missing"),
    "an error that is a text": (
        lambda r: entry(r, "tool-result").update({"is-error": "no"}),
        ".is-error must be true or false, and is a text",
    ),
    "a thought without content": (lambda r: entry(r, "reasoning").pop("content"), ".content is missing"),
    "an event without a type": (lambda r: entry(r, "system-event").pop("event-type"), ".event-type is missing"),
    "data that is a text": (
        lambda r: entry(r, "system-event").update(data="x"),
        ".data must be an object, and is a text",
    ),
    "fewer than no tokens": (
        lambda r: entry(r, "assistant").update({"token-usage": {"input": -1}}),
        ".token-usage.input must be a whole number, 0 or more, and is a number",
    ),
    "an unknown member in a closed map": (
        lambda r: r.update({"file-attribution": {"files": [], "more": 1}}),
        "file-attribution.more is not allowed here",
    ),
    "a strange contributor": (
        lambda r: r.update(
            {
                "file-attribution": {
                    "files": [{"path": "a", "conversations": [{"ranges": [], "contributor": {"type": "cat"}}]}]
                }
            }
        ),
        "file-attribution.files[0].conversations[0].contributor.type must be one of human, ai, mixed, unknown",
    ),
}
RIGHT: dict[str, Change] = {
    "as it is": lambda _: None,
    "milliseconds": lambda r: r.update(created=1_794_723_751_000),
    "another zone": lambda r: r.update(created="2026-11-15T05:57:01+05:30"),
    "a price": lambda r: entry(r, "assistant").update({"token-usage": {"cost": 0.02}}),
    "members of others": lambda r: r["session"].update(vendorThing={"a": [1, None]}),
    "no entries": lambda r: r["session"].update(entries=[]),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said(name: str) -> None:
    change, sentence = WRONG[name]
    record = copy.deepcopy(RECORD)
    change(record)
    texts = [f"{problem.place} {problem.text}" for problem in check(record)]
    assert len(texts) == 1
    assert texts[0].endswith(sentence)
    assert not fits(record)


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_is_accepted(name: str) -> None:
    record = copy.deepcopy(RECORD)
    RIGHT[name](record)
    assert check(record) == []
    assert fits(record)


def test_what_is_no_object_at_all_is_said() -> None:
    assert check([]) == [Problem(place="the record", text="must be an object, and is a list")]


def test_what_is_missing_stands_in_the_order_of_the_schema() -> None:
    assert [problem.place for problem in check({})] == ["version", "id", "session"]
