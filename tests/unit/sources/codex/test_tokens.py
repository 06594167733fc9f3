"""What it cost: figures that are repeated, restarted, estimated and overwritten."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from pollux.sources.codex.forks.align import border
from pollux.usage.service import By
from tests.unit.sources.codex.conftest import (
    DAY,
    ONE,
    TWO,
    Home,
    answer,
    call,
    compacted,
    context,
    event,
    figures,
    item,
    line,
    lines,
    meta,
    prompt,
    reply,
    sent,
    shown,
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


PAID = (figures(100), figures(60, out=5))
TOTAL = tokens(figures(160, out=6), PAID[1])


@pytest.mark.parametrize("later", [(), prompt("More")], ids=["killed", "resumed"])
@pytest.mark.parametrize(
    ("talk", "expected"),
    [
        ((shown("Hi"), tokens(PAID[0], PAID[0])), [("Go", None), ("Hi", 100)]),
        ((shown("Hi"), tokens(PAID[0], PAID[0]), shown("Ho"), TOTAL), [("Go", None), ("Hi", 100), ("Ho", 60)]),
        ((reply("Hi"), tokens(PAID[0], PAID[0]), shown("Ho"), TOTAL), [("Go", None), ("Hi", 100), ("Ho", 60)]),
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


BLANK, DOUBLED, TORN = "a blank line", "a doubled line", "a torn line"


@pytest.mark.parametrize("changed", [ONE, TWO], ids=["parent", "fork"])
@pytest.mark.parametrize("how", [BLANK, DOUBLED, TORN])
@pytest.mark.parametrize("place", range(9))
def test_a_fork_with_an_odd_line_pays_only_for_itself(home: Home, place: int, how: str, changed: str) -> None:
    def count(total: int, last: int) -> dict[str, Any]:
        return tokens(figures(total, out=total // 10), figures(last, out=last // 10))

    old = [*prompt("Go"), reply("1", id="msg_1"), count(100, 100)]
    old += [*prompt("And"), reply("2", id="msg_2"), count(300, 200)]
    own = (sent("On", at="06:10:00.000"), reply("3", at="06:10:01.000"), count(360, 60))
    home.rollout(meta(), *old)
    home.rollout(meta(TWO, at="06:09:00.000"), meta(), *old, *own, name=TWO)
    (file,) = home.codex.rglob(f"*{changed}.jsonl")
    written = file.read_bytes().splitlines(keepends=True)
    line = written[place]
    odd = {BLANK: [b"\n", line], DOUBLED: [line, line], TORN: [line[: len(line) * 2 // 3] + b"\n"]}
    written[place : place + 1] = odd[how]
    file.write_bytes(b"".join(written))
    fork = home.sessions()[TWO]
    assert (fork.usage.input, fork.usage.output) == (60, 6)
    assert fork.usage.exact is (None if how == TORN and changed == TWO else True)


def odd(how: str, lines: list[bytes], place: int) -> None:
    """Damage a line, or some."""
    line = lines[place]
    told = json.loads(line)
    match how:
        case "torn":
            lines[place] = line[: len(line) // 2]
        case "gone":
            del lines[place]
        case "nine gone":
            del lines[place : place + 9]
        case "in a list":
            lines[place] = b"[" + line + b"]"
        case "without payload":
            lines[place] = json.dumps({key: told[key] for key in told if key != "payload"}).encode()
        case "of another type":
            lines[place] = json.dumps({**told, "type": "other"}).encode()
        case "edited":
            lines[place] = json.dumps({**told, "payload": {**told["payload"], "redacted": True}}).encode()
        case "one more":
            news = {"timestamp": told["timestamp"], "type": "event_msg", "payload": {"type": "news"}}
            lines.insert(place, json.dumps(news).encode())


def turn(question: str, said: str, before: int, used: int) -> list[dict[str, Any]]:
    """A turn as 0.80 writes it: the settings and the total so far come again and again."""
    so_far = [tokens(figures(before, out=before // 10), figures(used - 1))] if before else []
    total = figures(before + used, out=(before + used) // 10)
    last = tokens(total, figures(used, out=used // 10))
    return [*prompt(question), context(), *so_far, shown(said), reply(said), last]


def at(moment: str, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**record, "timestamp": f"2026-11-15T{moment}Z"} for record in records]


def forked(home: Home, copied: str, went_on: str) -> None:
    """A fork of an old session, which itself goes on."""
    old = [*turn("One", "1", 0, 100), *turn("Two", "2", 100, 200)]
    home.rollout(meta(), *old, *turn("Three", "3", 300, 400))
    own = turn("On", "4", 300, 60)
    own[3] = old[-1]
    home.rollout(meta(TWO, at="06:09:00.000"), *at(copied, [meta(), *old]), *at(went_on, own), name=TWO)


ODD = ("torn", "gone", "in a list", "without payload", "of another type", "edited", "one more")


@pytest.mark.parametrize("changed", [ONE, TWO], ids=["parent", "fork"])
@pytest.mark.parametrize("how", ODD)
@pytest.mark.parametrize("went_on", ["06:09:00.100", "06:10:00.000"], ids=["soon", "later"])
def test_a_fork_never_pays_for_its_parent_again(home: Home, how: str, changed: str, went_on: str) -> None:
    forked(home, "06:09:00.001", went_on)
    (file,) = home.codex.rglob(f"*{changed}.jsonl")
    written = file.read_bytes().splitlines()
    # What a fork is a copy of stands in its second line alone.
    copied = range(1, 14) if changed == ONE else range(2, 15)
    for place in copied:
        lines = list(written)
        odd(how, lines, place)
        file.write_bytes(b"\n".join(lines) + b"\n")
        usage = home.sessions()[TWO].usage
        assert (usage.input, usage.output, usage.requests) == (60, 6, 1), place


@pytest.mark.parametrize("how", ["nine gone", "torn"])
def test_what_came_at_once_is_the_parents_though_it_lost_it(home: Home, how: str) -> None:
    forked(home, "06:09:00.001", "06:10:00.000")
    (file,) = home.codex.rglob(f"*{ONE}.jsonl")
    lines = file.read_bytes().splitlines()
    for place in reversed(range(7, 16)) if how == "torn" else [7]:
        odd(how, lines, place)
    file.write_bytes(b"\n".join(lines) + b"\n")
    usage = home.sessions()[TWO].usage
    assert (usage.input, usage.exact) == (60, None)


def test_a_line_without_a_time_is_no_pause(home: Home) -> None:
    forked(home, "06:09:00.001", "06:10:00.000")
    (file,) = home.codex.rglob(f"*{TWO}.jsonl")
    lines = file.read_bytes().splitlines()
    odd("in a list", lines, 8)
    odd("edited", lines, 9)
    file.write_bytes(b"\n".join(lines) + b"\n")
    usage = home.sessions()[TWO].usage
    assert (usage.input, usage.exact) == (60, None)


def test_where_a_copy_may_go_on_the_figures_are_not_exact(home: Home) -> None:
    forked(home, "06:00:00.000", "06:10:00.000")
    (file,) = home.codex.rglob(f"*{ONE}.jsonl")
    lines = file.read_bytes().splitlines()
    for place in (7, 8):
        odd("edited", lines, place)
    file.write_bytes(b"\n".join(lines) + b"\n")
    session = home.sessions()[TWO]
    assert session.usage.exact is None
    assert any("parent" in gap.why for gap in session.gaps)


def test_an_undamaged_fork_is_exact(home: Home) -> None:
    forked(home, "06:09:00.001", "06:09:00.100")
    usage = home.sessions()[TWO].usage
    assert (usage.input, usage.requests, usage.exact) == (60, 1, True)


def test_a_long_copy_with_many_differences_is_aligned_in_little_time() -> None:
    theirs: list[bytes | None] = [b'{"n":%d}' % n for n in range(40_000)]
    mine = [None if n % 7 == 0 else b'{"edited":%d}' % n if n % 5 == 0 else line for n, line in enumerate(theirs)]
    begun = time.process_time()
    found = border([*mine, b'{"own":1}'], [*theirs, *([None] * 20_000)])
    assert (found.lines, found.sure) == (40_000, True)
    assert time.process_time() - begun < 5


def respelled(value: Any) -> Any:
    """The same with its keys the other way round."""
    if isinstance(value, dict):
        return {key: respelled(value[key]) for key in reversed(value)}
    return [respelled(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), (" ,", " : ")])
@pytest.mark.parametrize("spell", [dict, respelled], ids=["as it was", "other order"])
@pytest.mark.parametrize("changed", [ONE, TWO], ids=["parent", "fork"])
def test_a_fork_that_is_spelled_otherwise_pays_only_for_itself(
    home: Home, separators: tuple[str, str], spell: Any, changed: str
) -> None:
    first, second = figures(100), figures(60)
    old = (*prompt("Gö"), reply("1", id="msg_1"), tokens(first, first))
    own = (sent("On", at="06:10:00.000"), reply("2", at="06:10:01.000"), tokens(figures(160, out=2), second))
    home.rollout(meta(), *old)
    home.rollout(meta(TWO, at="06:09:00.000"), meta(), *old, *own, name=TWO)
    (file,) = home.codex.rglob(f"*{changed}.jsonl")
    told = [json.loads(each) for each in file.read_text().splitlines()]
    file.write_text("".join(json.dumps(spell(each), separators=separators) + "\n" for each in told))
    assert used(home)[0] == 100
    assert used(home, TWO)[0] == 60


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), (" ,", " : ")])
@pytest.mark.parametrize("spell", [dict, respelled], ids=["as it was", "other order"])
def test_a_bare_resume_that_is_spelled_otherwise_inherits_the_old_file(
    home: Home, separators: tuple[str, str], spell: Any
) -> None:
    old = [record["payload"] for record in (sent("Gö"), reply("1", id="msg_1"))]
    own = [record["payload"] for record in (sent("On"), reply("2", id="msg_2"))]
    first = {"timestamp": "2025-08-15T06:00:00.000Z", "instructions": None}
    home.write(f"{DAY}/rollout-2025-08-15T06-00-00-{ONE}.jsonl", lines({"id": ONE, **first}, *old))
    copy = ({"id": TWO, **first}, *old, *own)
    text = "".join(json.dumps(spell(each), separators=separators) + "\n" for each in copy)
    home.write(f"{DAY}/rollout-2025-08-15T07-00-00-{TWO}.jsonl", text)
    messages = home.sessions()[TWO].messages
    assert [(message.text, message.inherited) for message in messages] == [
        ("Gö", True),
        ("1", True),
        ("On", False),
        ("2", False),
    ]


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
    assert home.only().usage.exact is False


@pytest.mark.parametrize(
    ("odd", "field"),
    [({"cached": 10**7}, "cached"), ({"reasoning": 10**7}, "reasoning"), ({"cached": 101}, "cached")],
)
def test_a_part_larger_than_its_whole_is_unknown_and_sums_agree(home: Home, odd: Any, field: str) -> None:
    first, second = figures(100, **odd), figures(90, 80, 7, 2)
    home.rollout(meta(), context("gpt-5.1"), *prompt("Go"), reply("1"), tokens(first, first))
    home.rollout(meta(TWO), context("gpt-5.1"), *prompt("Go"), reply("1"), tokens(second, second), name=TWO)
    session = home.sessions()[ONE]
    assert getattr(session.usage, field) is None
    assert (session.usage.input, session.usage.output, session.usage.exact) == (100, 1, None)
    assert [(notice.code, notice.line) for notice in session.notices] == [("usage.odd", 6)]
    accounts = home.library().usage
    rows = accounts.stats(By.SESSION).rows
    assert accounts.stats(By.AGENT).total.cost_usd == pytest.approx(sum(row.cost_usd or 0 for row in rows))


BAD: tuple[Any, ...] = ("many", -5, 10**18, 1.5, None, [], True)


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", ["input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens"])
def test_a_figure_that_is_none_is_not_nothing(home: Home, name: str, bad: Any) -> None:
    first, second, total = (
        figures(100, 10, 5, 2),
        {**figures(60, 6, 3, 1), name: bad},
        {**figures(160, 16, 8, 3), name: bad},
    )
    home.rollout(
        meta(), *prompt("Go"), reply("1"), tokens(first, first), *prompt("On"), reply("2"), tokens(total, second)
    )
    session = home.only()
    assert session.usage.exact is False
    assert [m.usage.exact for m in session.messages if m.usage is not None] == [True, False]
    assert used(home)[4] == 2
    known = {"input_tokens": 100, "cached_input_tokens": 10, "output_tokens": 5, "reasoning_output_tokens": 2}[name]
    assert known in used(home), "what the other response told stands alone"
    if bad is not None:
        assert any(notice.severity.value != "info" for notice in session.notices)


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", ["input_tokens", "output_tokens"])
def test_what_one_of_the_two_tells_is_enough(home: Home, name: str, bad: Any) -> None:
    first, second, total = figures(100), figures(60), figures(160, out=2)
    start = (meta(), *prompt("Go"), reply("1"), tokens(first, first), *prompt("On"), reply("2"))
    third = (*prompt("More"), reply("3"), tokens(figures(230, out=3), figures(70)))
    for broken in (tokens({**total, name: bad}, second), tokens(total, {**second, name: bad})):
        home.rollout(*start, broken, broken, *third)
        assert used(home)[:3] == (230, 0, 3)
        assert home.only().usage.exact is True


@pytest.mark.parametrize("bad", ["many", 7, []])
def test_figures_of_which_nothing_can_be_read(home: Home, bad: Any) -> None:
    first, second = figures(100), figures(60)
    start = (meta(), *prompt("Go"), reply("1"), tokens(first, first), *prompt("On"), reply("2"))
    home.rollout(*start, event("token_count", info=bad))
    assert (used(home)[0], home.only().usage.exact) == (100, False)
    home.rollout(*start, event("token_count", info={"total_token_usage": bad, "last_token_usage": bad}))
    assert (used(home)[0], home.only().usage.exact) == (100, False)
    one_of_two = event("token_count", info={"total_token_usage": bad, "last_token_usage": second})
    home.rollout(*start, one_of_two, one_of_two)
    assert (used(home)[0], home.only().usage.exact) == (160, None), "it may be a repetition"


def test_a_total_that_no_program_counted(home: Home) -> None:
    first, wild = figures(100), figures(5 * 10**15)
    home.rollout(
        meta(), *prompt("Go"), reply("1"), tokens(first, first), *prompt("On"), reply("2"), tokens(wild, figures(60))
    )
    assert (used(home)[0], home.only().usage.exact) == (160, None)


@pytest.mark.parametrize("bad", BAD)
def test_a_record_of_a_response_with_a_figure_that_is_none(home: Home, bad: Any) -> None:
    spoilt = record("r2", 60)
    spoilt["payload"]["usage"]["output_tokens"] = bad
    home.rollout(meta(), *prompt("Go"), reply("1"), record("r1", 100), *prompt("On"), reply("2"), spoilt)
    assert used(home)[:3] == (160, 0, 1)
    assert home.only().usage.exact is False
    spoilt["payload"]["usage"] = bad
    home.rollout(meta(), *prompt("Go"), reply("1"), record("r1", 100), *prompt("On"), reply("2"), spoilt)
    assert (used(home)[0], home.only().usage.exact) == (100, False)
    home.rollout(
        meta(),
        *prompt("Go"),
        reply("1"),
        record("r1", 100),
        tokens(figures(100), figures(100)),
        *prompt("On"),
        reply("2"),
        spoilt,
        tokens(figures(160, out=2), figures(60)),
    )
    assert (used(home)[0], home.only().usage.exact) == (160, True), "the event beside it tells"


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
            (*prompt("On"), THOUGHT, OVER, STARTED, compacted("SUMMARY"), tokens(figures(160, out=2), figures(60))),
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
    summary = (tokens(figures(160, out=2), second), compacted("SUMMARY"))
    home.rollout(meta(), *prompt("Go"), context("gpt-5.4"), reply("1"), tokens(first, first), *summary)
    assert [m.model for m in home.only().messages if m.usage is not None] == ["gpt-5.4", "gpt-5.4"]


def test_a_turn_names_its_model_late(home: Home) -> None:
    first = figures(100)
    home.rollout(meta(), *prompt("Go"), reply("1"), tokens(first, first), context("gpt-5.4"))
    assert [m.model for m in home.only().messages if m.usage is not None] == ["gpt-5.4"]
