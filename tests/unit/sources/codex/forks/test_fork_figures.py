"""What a copied fork pays for: nothing that its parent paid for already, however damaged either file is."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from pollux.sources.codex.forks.align import end_of_copy
from tests.unit.sources.codex.conftest import (
    DAY,
    ONE,
    TWO,
    Home,
    context,
    figures,
    line,
    lines,
    meta,
    prompt,
    reply,
    sent_prompt,
    shown_reply,
    tokens,
    usage_of,
)


def test_a_fork_pays_only_for_itself(home: Home) -> None:
    first, second = figures(100), figures(60)
    old = (*prompt("Go"), reply("1", id="msg_1"), tokens(first, first))
    home.rollout(meta(), *old)
    own = (sent_prompt("On", at="06:10:00.000"), reply("2", at="06:10:01.000"), tokens(figures(160, out=2), second))
    home.rollout(meta(TWO, at="06:09:00.000"), meta(), *old, *own, name=TWO)
    assert usage_of(home)[0] == 100
    assert usage_of(home, TWO)[0] == 60


BLANK, DOUBLED, TORN = "a blank line", "a doubled line", "a torn line"


@pytest.mark.parametrize("changed", [ONE, TWO], ids=["parent", "fork"])
@pytest.mark.parametrize("how", [BLANK, DOUBLED, TORN])
@pytest.mark.parametrize("place", range(9))
def test_a_fork_with_an_odd_line_pays_only_for_itself(home: Home, place: int, how: str, changed: str) -> None:
    def count(total: int, last: int) -> dict[str, Any]:
        return tokens(figures(total, out=total // 10), figures(last, out=last // 10))

    old = [*prompt("Go"), reply("1", id="msg_1"), count(100, 100)]
    old += [*prompt("And"), reply("2", id="msg_2"), count(300, 200)]
    own = (sent_prompt("On", at="06:10:00.000"), reply("3", at="06:10:01.000"), count(360, 60))
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
    document = json.loads(line)
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
            lines[place] = json.dumps({key: document[key] for key in document if key != "payload"}).encode()
        case "of another type":
            lines[place] = json.dumps({**document, "type": "other"}).encode()
        case "edited":
            lines[place] = json.dumps({**document, "payload": {**document["payload"], "redacted": True}}).encode()
        case "one more":
            news = {"timestamp": document["timestamp"], "type": "event_msg", "payload": {"type": "news"}}
            lines.insert(place, json.dumps(news).encode())


def turn(question: str, said: str, before: int, used: int) -> list[dict[str, Any]]:
    """A turn as 0.80 writes it: the settings and the total so far come again and again."""
    so_far = [tokens(figures(before, out=before // 10), figures(used - 1))] if before else []
    total = figures(before + used, out=(before + used) // 10)
    last = tokens(total, figures(used, out=used // 10))
    return [*prompt(question), context(), *so_far, shown_reply(said), reply(said), last]


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


@pytest.mark.slow
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
    result = end_of_copy([*mine, b'{"own":1}'], [*theirs, *([None] * 20_000)])
    assert (result.lines, result.sure) == (40_000, True)
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
    own = (sent_prompt("On", at="06:10:00.000"), reply("2", at="06:10:01.000"), tokens(figures(160, out=2), second))
    home.rollout(meta(), *old)
    home.rollout(meta(TWO, at="06:09:00.000"), meta(), *old, *own, name=TWO)
    (file,) = home.codex.rglob(f"*{changed}.jsonl")
    document = [json.loads(each) for each in file.read_text().splitlines()]
    file.write_text("".join(json.dumps(spell(each), separators=separators) + "\n" for each in document))
    assert usage_of(home)[0] == 100
    assert usage_of(home, TWO)[0] == 60


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), (" ,", " : ")])
@pytest.mark.parametrize("spell", [dict, respelled], ids=["as it was", "other order"])
def test_a_bare_resume_that_is_spelled_otherwise_inherits_the_old_file(
    home: Home, separators: tuple[str, str], spell: Any
) -> None:
    old = [record["payload"] for record in (sent_prompt("Gö"), reply("1", id="msg_1"))]
    own = [record["payload"] for record in (sent_prompt("On"), reply("2", id="msg_2"))]
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
    own = (sent_prompt("On", at="06:10:00.000"), reply("2", at="06:10:01.000"), tokens(figures(60), figures(60)))
    home.rollout(meta(TWO, at="06:09:00.000"), meta(), *old, *own, name=TWO)
    assert [home.sessions()[name].usage.exact for name in (ONE, TWO)] == [False, True]


def lost(home: Home, *places: int) -> None:
    """Take lines out of the fork's file."""
    (file,) = home.codex.rglob(f"*{TWO}.jsonl")
    lines = file.read_bytes().splitlines()
    file.write_bytes(b"".join(line + b"\n" for place, line in enumerate(lines) if place not in places))


@pytest.mark.parametrize("places", [(1,), (0, 1)], ids=["copied", "both"])
@pytest.mark.parametrize("orphan", [False, True])
def test_a_fork_whose_first_lines_are_lost_is_known_by_its_times(
    home: Home, places: tuple[int, ...], orphan: bool
) -> None:
    forked(home, "06:09:00.001", "06:10:00.000")
    lost(home, *places)
    if orphan:
        next(home.codex.rglob(f"*{ONE}.jsonl")).unlink()
    usage = home.sessions()[TWO].usage
    assert (usage.input, usage.requests, usage.exact) == (60, 1, None)


def test_a_fork_that_never_went_on_and_lost_its_first_lines_is_not_exact(home: Home) -> None:
    forked(home, "06:09:00.001", "06:10:00.000")
    lost(home, 0, 1, *range(16, 30))
    assert home.sessions()[TWO].usage.exact is None


def test_a_fork_that_names_its_parent_only_in_its_own_first_line(home: Home) -> None:
    old = turn("One", "1", 0, 100)
    home.rollout(meta(), *old)
    own = at("06:10:00.000", turn("On", "2", 100, 60))
    home.rollout(
        meta(TWO, at="06:09:00.000", forked_from_id=ONE), *at("06:09:00.001", old), *own, name=TWO, at="06-09-00"
    )
    usage = home.sessions()[TWO].usage
    assert (usage.input, usage.requests, usage.exact) == (60, 1, True)


def test_a_fork_that_lost_its_own_prompt_pays_for_its_answer(home: Home) -> None:
    forked(home, "06:09:00.001", "06:10:00.000")
    (file,) = home.codex.rglob(f"*{TWO}.jsonl")
    prompts = [n for n, text in enumerate(file.read_text().splitlines()) if '"On"' in text]
    lost(home, *prompts)
    session = home.sessions()[TWO]
    assert (session.usage.input, session.usage.requests) == (60, 1)
    assert [message.text for message in session.messages if not message.inherited] == ["4"]


def test_a_fork_of_one_side_of_a_session_that_branched(home: Home) -> None:
    old, more = turn("One", "1", 0, 100), at("06:05:00.000", turn("Two", "2", 100, 200))
    other = at("06:06:00.000", turn("Other", "3", 100, 400))
    home.rollout(meta(), *old, *other)
    home.rollout(meta(), *old, *more, place="archived_sessions")
    copied = at("06:09:00.001", [meta(), *old, *more])
    own = at("06:10:00.000", turn("On", "4", 300, 60))
    home.rollout(meta(TWO, at="06:09:00.000"), *copied, *own, name=TWO)
    sessions = home.sessions()
    assert (sessions[ONE].usage.input, sessions[TWO].usage.input) == (700, 60)


def test_a_fork_that_lost_its_own_first_line_is_known_by_its_name(home: Home) -> None:
    forked(home, "06:09:00.001", "06:10:00.000")
    lost(home, 0)
    sessions = home.sessions()
    assert (sessions[ONE].usage.input, sessions[TWO].usage.input, sessions[TWO].usage.requests) == (700, 60, 1)


def test_a_file_that_somebody_renamed_is_the_same_session(home: Home) -> None:
    file = home.rollout(*at("05:00:00.000", [meta(), *turn("One", "1", 0, 100)]))
    file.rename(file.with_name(file.name.replace(ONE, TWO)))
    assert set(home.sessions()) == {ONE}


def test_a_parent_that_only_the_archive_has_shows_where_a_copy_ends(home: Home) -> None:
    first, second = turn("One", "1", 0, 100), turn("Two", "2", 100, 200)
    parent = home.rollout(meta(), *first, *second)
    # The copy took a moment, so the times do not show where it ends.
    copied = [*at("06:09:00.001", [meta(), *first]), *at("06:09:00.101", second)]
    home.rollout(meta(TWO, at="06:09:00.000"), *copied, *at("06:10:00.000", turn("On", "3", 300, 60)), name=TWO)
    library = home.library()
    library.archive.run()
    library.archive.on()
    library.close()
    parent.unlink()
    fork = home.sessions()[TWO]
    assert (fork.usage.input, fork.usage.requests, fork.usage.exact) == (60, 1, True)
    assert not fork.kept
