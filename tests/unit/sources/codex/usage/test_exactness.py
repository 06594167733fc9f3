"""Whether the figures are all there: what was cut, killed and refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.sources.codex.conftest import (
    Home,
    answer,
    call,
    compaction,
    event,
    figures,
    item,
    line,
    meta,
    prompt,
    reply,
    tokens,
)


def test_exactness(home: Home) -> None:
    first = figures(100)
    home.rollout(meta(), *prompt("Go"), call(), tokens(first, first), answer())
    assert home.only().usage.exact is None, "killed before the model could answer"
    home.rollout(meta(), *prompt("Go"), reply("1"), tokens(first, first), *prompt("On"), call())
    assert home.only().usage.exact is False, "a response without figures"
    home.rollout(meta(), *prompt("Go"), tokens(first, first), reply("1"), line("compacted", {"message": "SUMMARY"}))
    assert home.only().usage.exact is False, "the summary's request is in no figure"
    home.rollout(meta(), *prompt("Go"), call(), tokens(first, first), event("turn_aborted", reason="interrupted"))
    assert home.only().usage.exact is True, "interrupted after a whole response"


THOUGHT = item("reasoning", summary=[{"type": "summary_text", "text": "Hm"}])
OVER = event("turn_aborted", reason="interrupted")
STARTED = event("task_started", turn_id="t")
DONE = event("task_complete", turn_id="t", last_agent_message=None)
FIRST = (meta(), *prompt("Go"), reply("1"), tokens(figures(100), figures(100)))


@pytest.mark.parametrize(
    ("rest", "exact"),
    [
        ((*prompt("On"), THOUGHT), False),
        ((*prompt("On"), THOUGHT, OVER), False),
        ((*prompt("On"), reply("I look."), OVER), False),
        ((*prompt("On"), THOUGHT, OVER, *prompt("Again"), reply("2"), tokens(figures(160, out=2), figures(60))), False),
        (
            (*prompt("On"), THOUGHT, OVER, STARTED, compaction("SUMMARY"), tokens(figures(160, out=2), figures(60))),
            False,
        ),
        ((*prompt("On"), OVER), None),
        ((*prompt("On"), call(), tokens(figures(160, out=2), figures(60)), answer(), OVER), None),
        (
            (*prompt("On"), call(), tokens(figures(160, out=2), figures(60)), answer("aborted by user after 1s"), OVER),
            True,
        ),
        (
            (*prompt("On"), call(), tokens(figures(160, out=2), figures(60)), answer("patch rejected by user"), OVER),
            True,
        ),
        ((*prompt("On"), call(), tokens(figures(160, out=2), figures(60))), True),
        ((*prompt("On"), call(), tokens(figures(160, out=2), figures(60)), answer("aborted")), True),
        ((STARTED,), None),
        ((STARTED, OVER), None),
        ((STARTED, DONE), True),
    ],
)
def test_what_was_cut_is_not_exact(home: Home, rest: tuple[Any, ...], exact: bool | None) -> None:
    home.rollout(*FIRST, *rest)
    assert home.only().usage.exact is exact


def failed(message: str, kind: Any = "other") -> dict[str, Any]:
    return event("task_complete", turn_id="t", error={"message": message, "codex_error_info": kind})


@pytest.mark.parametrize(
    ("error", "exact"),
    [
        (failed('{"error": {"message": "no"}}'), True),
        (failed('{"detail": "no such model"}'), True),
        (failed("unexpected status 404 Not Found: no, url: x"), True),
        (failed("unexpected status 401 Unauthorized", {"http_connection_failed": {"http_status_code": 401}}), True),
        (failed("exceeded", {"response_too_many_failed_attempts": {"http_status_code": 429}}), True),
        (failed("You've hit your usage limit.", "usage_limit_exceeded"), True),
        (failed("We're currently experiencing high demand", "internal_server_error"), True),
        (failed("Selected model is at capacity.", "server_overloaded"), True),
        (failed("stream disconnected before completion: closed"), None),
        (failed("cut", {"response_stream_disconnected": {"http_status_code": 500}}), None),
        (failed("cut", {"http_connection_failed": {"http_status_code": None}}), None),
        (failed("{ torn"), None),
        (failed("request timed out"), None),
        (DONE, None),
    ],
)
def test_a_request_that_was_refused_cost_nothing(home: Home, error: dict[str, Any], exact: bool | None) -> None:
    home.rollout(*FIRST, STARTED, *prompt("On"), error)
    assert home.only().usage.exact is exact
    after_a_tool = (call(), tokens(figures(160, out=2), figures(60)), answer())
    home.rollout(*FIRST, STARTED, *prompt("On"), *after_a_tool, error)
    assert home.only().usage.exact is exact
    home.rollout(meta(), STARTED, *prompt("On"), error)
    assert home.only().usage.exact is exact, "nothing else was asked"
    home.rollout(*FIRST, STARTED, *prompt("On"), THOUGHT, error)
    assert home.only().usage.exact is False, "what was written had cost something"


def test_a_prompt_within_a_turn(home: Home) -> None:
    whole = (call(), tokens(figures(160, out=2), figures(60)), answer())
    end = (reply("2"), tokens(figures(230, out=3), figures(70)))
    home.rollout(*FIRST, STARTED, *prompt("On"), *whole, *prompt("And this"), *end)
    assert home.only().usage.exact is True
    home.rollout(*FIRST, *prompt("On"), *whole, *prompt("And this"), *end)
    assert home.only().usage.exact is None, "before turns were written it may have been killed"
    newer = event("task_started", turn_id="t", turn_attribution={"turn_id": "t"})
    home.rollout(*FIRST, newer, *prompt("On"), *whole, *prompt("And this"), *end)
    assert home.only().usage.exact is None, "it may have cut a request"
    home.rollout(*FIRST, newer, *prompt("On"), *prompt("And this"), *end)
    assert home.only().usage.exact is None, "the first request may have been cut"
    home.rollout(*FIRST, newer, *prompt("On"), THOUGHT, *prompt("And this"), *end)
    assert home.only().usage.exact is False, "it was cut"
