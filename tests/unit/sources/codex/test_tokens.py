"""What it cost: figures that are repeated, restarted, estimated and overwritten."""

from __future__ import annotations

from typing import Any

from tests.unit.sources.codex.conftest import (
    ONE,
    TWO,
    Home,
    answer,
    call,
    event,
    figures,
    line,
    meta,
    prompt,
    reply,
    sent,
    tokens,
)


def used(home: Home, name: str = ONE) -> tuple[Any, ...]:
    usage = home.sessions()[name].usage
    return usage.input, usage.cached, usage.output, usage.reasoning, usage.requests


def record(name: str, given: int, thread: str = ONE) -> dict[str, Any]:
    usage = {**figures(given), "cache_write_input_tokens": 4}
    return line("token_usage_record", {"response_id": name, "thread_id": thread, "turn_id": "t", "usage": usage})


def test_no_figures_are_unknown_not_zero(home: Home) -> None:
    home.rollout(meta(), *prompt("Hello"), reply("Hi"))
    usage = home.only().usage
    assert (usage.input, usage.output, usage.total, usage.exact) == (None, None, None, None)


def test_repeated_events_count_once(home: Home) -> None:
    first, second = figures(100, 10, 5, 2), figures(120, 90, 7, 3)
    total = figures(220, 100, 12, 5)
    once = tokens(first, first)
    home.rollout(
        meta(),
        *prompt("Go"),
        call(),
        once,
        answer(),
        once,
        once,
        reply("Done"),
        tokens(total, second),
        tokens(total, second),
    )
    assert used(home) == (220, 100, 12, 5, 2)
    assert home.only().usage.exact is True


def test_estimates_after_a_compaction_add_nothing(home: Home) -> None:
    first = figures(100)
    estimate = {**figures(0, out=0), "total_tokens": 7488}
    home.rollout(meta(), *prompt("Go"), reply("Done"), tokens(first, first), tokens(first, estimate))
    assert used(home)[0] == 100


def test_a_counter_that_starts_again(home: Home) -> None:
    first, second = figures(100), figures(70)
    home.rollout(
        meta(), *prompt("Go"), reply("1"), tokens(first, first), *prompt("On"), reply("2"), tokens(second, second)
    )
    assert used(home)[0] == 170


def test_a_total_overwritten_by_an_overflow(home: Home) -> None:
    first, last = figures(100), figures(50)
    full = {**figures(0, out=0), "total_tokens": 258400}
    home.rollout(
        meta(),
        *prompt("Go"),
        reply("1"),
        tokens(first, first),
        tokens(full, full),
        *prompt("On"),
        reply("2"),
        tokens(last, last),
    )
    assert used(home)[0] == 150


def test_a_missed_event_is_made_up_for(home: Home) -> None:
    first, last = figures(100), figures(50)
    home.rollout(meta(), *prompt("Go"), reply("1"), tokens(first, first), reply("2"), tokens(figures(400, out=9), last))
    assert used(home)[:3] == (400, 0, 9)


def test_figures_before_their_response(home: Home) -> None:
    first = figures(100)
    home.rollout(meta(), *prompt("Go"), tokens(first, first), reply("1"))
    (message,) = [m for m in home.only().messages if m.role == "assistant"]
    assert message.usage is not None
    assert message.usage.input == 100
    assert message.usage.native["last_token_usage"]["total_tokens"] == 101


def test_records_of_responses_are_preferred_and_counted_once(home: Home) -> None:
    first, second = figures(100), figures(60)
    home.rollout(
        meta(),
        *prompt("Go"),
        call(),
        record("r1", 100),
        answer(),
        tokens(first, first),
        reply("Done"),
        record("r2", 60),
        record("r2", 60),
        tokens(figures(160, out=2), second),
    )
    assert used(home)[0] == 160
    assert home.only().usage.cache_write == 8


def test_a_resumed_old_thread_mixes_both(home: Home) -> None:
    first, second = figures(100), figures(60)
    old = (*prompt("Go"), reply("1"), tokens(first, first))
    new = (*prompt("On"), tokens(first, first), reply("2"), record("r1", 60), tokens(figures(160, out=2), second))
    home.rollout(meta(), *old, *new)
    assert used(home)[0] == 160


def test_the_copy_in_a_compaction_is_not_added(home: Home) -> None:
    copy = {"response_id": "r1", "usage": figures(100)}
    folded = line("compacted", {"message": "", "latest_token_usage_record": copy})
    home.rollout(meta(), *prompt("Go"), reply("1"), record("r1", 100), folded)
    assert used(home)[0] == 100


def test_a_fork_pays_only_for_itself(home: Home) -> None:
    first, second = figures(100), figures(60)
    old = (*prompt("Go"), reply("1", id="msg_1"), tokens(first, first))
    home.rollout(meta(), *old)
    own = (sent("On", at="06:10:00.000"), reply("2", at="06:10:01.000"), tokens(figures(160, out=2), second))
    home.rollout(meta(TWO, at="06:09:00.000"), meta(), *old, *own, name=TWO)
    assert used(home)[0] == 100
    assert used(home, TWO)[0] == 60


def test_a_summary_that_was_inherited_is_no_gap(home: Home) -> None:
    first = figures(100)
    old = (*prompt("Go"), tokens(first, first), reply("1", id="msg_1"), line("compacted", {"message": "SUMMARY"}))
    home.rollout(meta(), *old)
    own = (sent("On", at="06:10:00.000"), reply("2", at="06:10:01.000"), tokens(figures(60), figures(60)))
    home.rollout(meta(TWO, at="06:09:00.000"), meta(), *old, *own, name=TWO)
    assert [home.sessions()[name].usage.exact for name in (ONE, TWO)] == [False, True]


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


def test_a_part_that_no_figure_stands_for_is_unknown(home: Home) -> None:
    given = {"input_tokens": 100, "total_tokens": 100}
    home.rollout(meta(), *prompt("Go"), reply("1"), tokens(given, given))
    assert used(home) == (100, None, None, None, 1)
