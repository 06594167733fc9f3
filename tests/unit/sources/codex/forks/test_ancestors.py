"""Several sessions that go on from one file: it is read once, and means something else to each."""

from __future__ import annotations

from pollux.sources.codex.forks.memo import Memo
from tests.unit.sources.codex.conftest import (
    DAY,
    ONE,
    TWO,
    Home,
    answer,
    call,
    calls,
    codes,
    compaction,
    conversation,
    lines,
    meta,
    meta_with_base,
    prompt,
    reply,
    with_ordinals,
)

THREE = "01a1ddc3-0000-7000-8000-000000000004"
CHILD = "01a1ddc4-0000-7000-8000-000000000005"
TALK = (*prompt("Hello"), reply("Hi"))


def test_each_fork_folds_for_itself(home: Home) -> None:
    home.rollout(*with_ordinals(0, meta(), *TALK))
    home.rollout(*with_ordinals(4, meta_with_base(TWO, ONE, 4), *prompt("More"), compaction("SUMMARY")), name=TWO)
    home.rollout(*with_ordinals(4, meta_with_base(THREE, ONE, 4), *prompt("Else")), name=THREE)
    sessions = home.sessions()
    assert [fate for _, _, fate in conversation(sessions[TWO])] == ["compressed"] * 3
    assert [fate for _, _, fate in conversation(sessions[THREE])] == ["live"] * 3
    assert [fate for _, _, fate in conversation(sessions[ONE])] == ["live"] * 2


def test_each_fork_folds_with_the_summaries_before_it(home: Home) -> None:
    home.rollout(*with_ordinals(0, meta(), *TALK, compaction("SUMMARY"), *prompt("On")))
    for name in (TWO, THREE):
        home.rollout(*with_ordinals(7, meta_with_base(name, ONE, 7), *prompt("More")), name=name)
    sessions = home.sessions()
    for name in (TWO, THREE):
        assert [fate for _, _, fate in conversation(sessions[name])] == ["compressed", "compressed", "live", "live"]


def test_each_fork_names_the_agent_that_was_started_before_it(home: Home) -> None:
    home.rollout(meta(CHILD), *TALK, name=CHILD)
    spawn = (call(tool="spawn_agent"), answer(f'{{"agent_id":"{CHILD}"}}'))
    home.rollout(*with_ordinals(0, meta(), *TALK, *spawn))
    for name in (TWO, THREE):
        home.rollout(*with_ordinals(6, meta_with_base(name, ONE, 6), *prompt("More")), name=name)
    sessions = home.sessions()
    assert [calls(sessions[name])[0].child for name in (ONE, TWO, THREE)] == [f"codex:{CHILD}"] * 3


def test_each_fork_tells_of_the_damage_before_it(home: Home) -> None:
    text = lines(*with_ordinals(0, meta(), *TALK)) + "{torn\n"
    home.write(f"{DAY}/rollout-2026-11-15T06-00-00-{ONE}.jsonl", text)
    for name in (TWO, THREE):
        home.rollout(*with_ordinals(4, meta_with_base(name, ONE, 4), *prompt("More")), name=name)
    sessions = home.sessions()
    assert all("line.invalid" in codes(sessions[name]) for name in (ONE, TWO, THREE))


def test_each_fork_is_read_again_when_the_file_before_it_changes(home: Home) -> None:
    home.rollout(*with_ordinals(0, meta(), *TALK))
    for name in (TWO, THREE):
        home.rollout(*with_ordinals(4, meta_with_base(name, ONE, 4), *prompt("More")), name=name)
    home.sessions()
    home.rollout(*with_ordinals(0, meta(), *prompt("Good morning"), reply("Hi")))
    sessions = home.sessions()
    assert [conversation(sessions[name])[0][1] for name in (TWO, THREE)] == ["Good morning"] * 2


def test_what_was_not_asked_for_longest_is_forgotten() -> None:
    memo: Memo[str] = Memo(10)
    memo.put("a", "A", 4)
    memo.put("b", "B", 4)
    assert memo.get("a") == "A"
    memo.put("c", "C", 4)
    memo.put("large", "L", 11)
    assert [memo.get(name) for name in ("a", "b", "c", "large")] == ["A", None, "C", None]
