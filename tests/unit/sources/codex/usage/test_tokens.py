"""What it cost: figures that are repeated, restarted, estimated and overwritten."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.sources.codex.conftest import (
    ONE,
    TWO,
    Home,
    answer,
    call,
    compaction,
    context,
    figures,
    line,
    meta,
    meta_with_base,
    prompt,
    reply,
    shown_reply,
    tokens,
    usage_of,
    usage_record,
    with_ordinals,
)


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
    assert usage_of(home) == (220, 100, 12, 5, 2)
    assert home.only().usage.exact is True


def test_estimates_after_a_compaction_add_nothing(home: Home) -> None:
    first = figures(100)
    estimate = {**figures(0, out=0), "total_tokens": 7488}
    home.rollout(meta(), *prompt("Go"), reply("Done"), tokens(first, first), tokens(first, estimate))
    assert usage_of(home)[0] == 100


def test_a_counter_that_starts_again(home: Home) -> None:
    first, second = figures(100), figures(70)
    home.rollout(
        meta(), *prompt("Go"), reply("1"), tokens(first, first), *prompt("On"), reply("2"), tokens(second, second)
    )
    assert usage_of(home)[0] == 170


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
    assert usage_of(home)[0] == 150


def test_a_missed_event_is_made_up_for(home: Home) -> None:
    first, last = figures(100), figures(50)
    home.rollout(meta(), *prompt("Go"), reply("1"), tokens(first, first), reply("2"), tokens(figures(400, out=9), last))
    assert usage_of(home)[:3] == (400, 0, 9)


@pytest.mark.parametrize("again", [False, True])
def test_two_sides_that_stand_in_one_file(home: Home, again: bool) -> None:
    """A turn begins with the figures of the last response of its side."""
    first, second = tokens(figures(100), figures(100)), tokens(figures(300, out=2), figures(200))
    there = tokens(figures(900, out=3), figures(600))
    here = tokens(figures(700, out=3), figures(400))
    more = tokens(figures(1500, out=4), figures(800))
    sides = [reply("a"), there, *([second] if again else []), reply("b"), here, reply("c"), more]
    home.rollout(meta(), *prompt("go"), reply("1"), first, reply("2"), second, *sides)
    assert usage_of(home) == (2100, 0, 5, 0, 5)
    assert home.only().usage.exact is True


def test_two_sides_of_a_file_that_goes_on_from_another(home: Home) -> None:
    old = tokens(figures(100), figures(100))
    home.rollout(*with_ordinals(0, meta(history_mode="paginated"), *prompt("go"), reply("1"), old))
    sides = [
        *(reply("a"), tokens(figures(300, out=2), figures(200))),
        *(reply("b"), tokens(figures(500, out=2), figures(400))),
    ]
    home.rollout(*with_ordinals(5, meta_with_base(TWO, ONE, 5), *sides), name=TWO)
    assert usage_of(home, TWO) == (600, 0, 2, 0, 2)


def test_figures_before_their_response(home: Home) -> None:
    first = figures(100)
    home.rollout(meta(), *prompt("Go"), tokens(first, first), reply("1"))
    (message,) = [m for m in home.only().messages if m.role == "assistant"]
    assert message.usage is not None
    assert message.usage.input == 100
    assert message.usage.native["last_token_usage"]["total_tokens"] == 101


PAID = (figures(100), figures(60, out=5))
TOTAL = tokens(figures(160, out=6), PAID[1])


@pytest.mark.parametrize("later", [(), prompt("More")], ids=["killed", "resumed"])
@pytest.mark.parametrize(
    ("talk", "expected"),
    [
        ((shown_reply("Hi"), tokens(PAID[0], PAID[0])), [("Go", None), ("Hi", 100)]),
        (
            (shown_reply("Hi"), tokens(PAID[0], PAID[0]), shown_reply("Ho"), TOTAL),
            [("Go", None), ("Hi", 100), ("Ho", 60)],
        ),
        ((reply("Hi"), tokens(PAID[0], PAID[0]), shown_reply("Ho"), TOTAL), [("Go", None), ("Hi", 100), ("Ho", 60)]),
        ((tokens(PAID[0], PAID[0]),), [("Go", None), ("", 100)]),
    ],
    ids=["one", "two", "behind a response", "no words"],
)
def test_figures_belong_to_words_that_were_only_shown(
    home: Home, talk: tuple[Any, ...], expected: list[Any], later: tuple[Any, ...]
) -> None:
    home.rollout(meta(), *prompt("Go"), *talk, *later)
    messages = [message for message in home.only().messages if message.text != "More"]
    assert [(m.text, m.usage.input if m.usage is not None else None) for m in messages] == expected
    assert all(message.at is not None for message in messages)


def test_records_of_responses_are_preferred_and_counted_once(home: Home) -> None:
    first, second = figures(100), figures(60)
    home.rollout(
        meta(),
        *prompt("Go"),
        call(),
        usage_record("r1", 100),
        answer(),
        tokens(first, first),
        reply("Done"),
        usage_record("r2", 60),
        usage_record("r2", 60),
        tokens(figures(160, out=2), second),
    )
    assert usage_of(home)[0] == 160
    assert home.only().usage.cache_write == 8


def test_a_resumed_old_thread_mixes_both(home: Home) -> None:
    first, second = figures(100), figures(60)
    old = (*prompt("Go"), reply("1"), tokens(first, first))
    new = (*prompt("On"), tokens(first, first), reply("2"), usage_record("r1", 60), tokens(figures(160, out=2), second))
    home.rollout(meta(), *old, *new)
    assert usage_of(home)[0] == 160


def test_the_copy_in_a_compaction_is_not_added(home: Home) -> None:
    copy = {"response_id": "r1", "usage": figures(100)}
    folded = line("compacted", {"message": "", "latest_token_usage_record": copy})
    home.rollout(meta(), *prompt("Go"), reply("1"), usage_record("r1", 100), folded)
    assert usage_of(home)[0] == 100


def test_calls_of_one_response_that_are_written_one_by_one(home: Home) -> None:
    first, second = figures(100), figures(60)
    home.rollout(
        meta(),
        *prompt("Go"),
        tokens(first, first),
        call("c1"),
        answer("ok", "c1"),
        call("c2"),
        answer("ok", "c2"),
        tokens(figures(160, out=2), second),
        reply("Done"),
    )
    session = home.only()
    assert [m.usage and m.usage.input for m in session.messages if m.role == "assistant"] == [100, None, 60]
    assert session.usage.exact is True


def test_a_summary_names_the_model_of_its_turn(home: Home) -> None:
    first, second = figures(100), figures(60)
    summary = (tokens(figures(160, out=2), second), compaction("SUMMARY"))
    home.rollout(meta(), *prompt("Go"), context("gpt-5.4"), reply("1"), tokens(first, first), *summary)
    assert [m.model for m in home.only().messages if m.usage is not None] == ["gpt-5.4", "gpt-5.4"]


def test_a_turn_names_its_model_late(home: Home) -> None:
    first = figures(100)
    home.rollout(meta(), *prompt("Go"), reply("1"), tokens(first, first), context("gpt-5.4"))
    assert [m.model for m in home.only().messages if m.usage is not None] == ["gpt-5.4"]
