"""Files of one session that begin alike and go on differently."""

from __future__ import annotations

import json
from typing import Any

import pytest
import zstandard

from tests.unit.sources.codex.conftest import (
    DAY,
    ONE,
    REVERT,
    TWO,
    Home,
    call,
    codes,
    conversation,
    event,
    figures,
    lines,
    meta,
    meta_with_base,
    reply,
    sent_prompt,
    tokens,
    typed_prompt,
    with_ordinals,
)

ARCHIVE = "archived_sessions"
Json = dict[str, Any]


def turn(number: int, total: int, last: int) -> list[Json]:
    """A prompt, its answer and its figures, all at moments of their own."""
    at = [f"06:0{number}:0{second}.000" for second in range(3)]
    count = {**tokens(figures(total, out=number), figures(last)), "timestamp": f"2026-11-15T{at[2]}Z"}
    return [
        sent_prompt(f"q{number}", at=at[0]),
        typed_prompt(f"q{number}", at=at[0]),
        reply(f"a{number}", at=at[1]),
        count,
    ]


FIRST = [meta(), *turn(1, 100, 100)]
SECOND, THIRD = turn(2, 300, 200), turn(3, 600, 500)
BOTH = [
    ("human", "q1", "live"),
    ("model", "a1", "live"),
    ("human", "q2", "rewound"),
    ("model", "a2", "rewound"),
    ("human", "q3", "live"),
    ("model", "a3", "live"),
]


@pytest.mark.parametrize("swapped", [False, True])
def test_what_went_on_in_both_folders_is_there_and_counts(home: Home, swapped: bool) -> None:
    home.rollout(*FIRST, *SECOND, place=ARCHIVE if swapped else DAY)
    home.rollout(*FIRST, *THIRD, place=DAY if swapped else ARCHIVE)
    session = home.only()
    assert conversation(session) == BOTH
    assert (session.usage.input, session.usage.requests, session.usage.exact) == (800, 3, True)
    assert codes(session) == {"session.branches"}
    assert len(session.files) == 2
    assert set(home.statuses().values()) == {"read"}


def test_what_went_on_under_another_name_is_there_and_counts(home: Home) -> None:
    home.rollout(*FIRST, *SECOND)
    home.rollout(*FIRST, *THIRD, at="06-30-00")
    session = home.only()
    assert conversation(session) == BOTH
    assert (session.usage.input, session.usage.requests, session.usage.exact) == (800, 3, True)


def test_a_compressed_twin_that_went_on(home: Home) -> None:
    home.rollout(*FIRST, *THIRD)
    packed = zstandard.compress(lines(*FIRST, *SECOND).encode())
    home.write(f"{DAY}/rollout-2026-11-15T06-00-00-{ONE}.jsonl.zst", packed)
    assert conversation(home.only()) == BOTH


def test_three_branches(home: Home) -> None:
    home.rollout(*FIRST, *SECOND)
    home.rollout(*FIRST, *SECOND, *turn(4, 1300, 1000), place=ARCHIVE)
    home.rollout(*FIRST, *SECOND, *turn(5, 2300, 2000), at="06-30-00")
    home.rollout(*FIRST, *THIRD, at="06-31-00")
    session = home.only()
    assert [text for _, text, _ in conversation(session)] == [f"{who}{n}" for n in (1, 2, 3, 4, 5) for who in "qa"]
    assert (session.usage.input, session.usage.requests) == (3800, 5)
    assert [link.kind for link in session.links] == ["continues", "continues", "copy_of"]


def test_branches_that_stand_between_each_other_are_shown_as_they_happened(home: Home) -> None:
    home.rollout(*FIRST, *SECOND, *turn(4, 1300, 1000))
    home.rollout(*FIRST, *THIRD, place=ARCHIVE)
    assert [text for _, text, _ in conversation(home.only())] == ["q1", "a1", "q2", "a2", "q3", "a3", "q4", "a4"]


@pytest.mark.parametrize("place", range(1, 9))
@pytest.mark.parametrize("torn", [DAY, ARCHIVE])
def test_a_twin_with_a_torn_line_says_nothing_new(home: Home, place: int, torn: str) -> None:
    whole = [json.dumps(record) + "\n" for record in (*FIRST, *SECOND)]
    cut = [text if number != place else text[:30] + "\n" for number, text in enumerate(whole)]
    name = f"rollout-2026-11-15T06-00-00-{ONE}.jsonl"
    home.write(f"{torn}/{name}", "".join(cut))
    home.write(f"{ARCHIVE if torn == DAY else DAY}/{name}", "".join(whole))
    session = home.only()
    assert [text for _, text, fate in conversation(session) if fate == "live"] == ["q1", "a1", "q2", "a2"]
    assert (session.usage.input, session.usage.requests, session.usage.exact) == (300, 2, True)


def test_a_line_that_only_the_older_twin_has_is_not_lost(home: Home) -> None:
    whole = [json.dumps(record) + "\n" for record in (*FIRST, *SECOND)]
    name = f"rollout-2026-11-15T06-00-00-{ONE}.jsonl"
    home.write(f"{ARCHIVE}/{name}", "".join(whole))
    home.write(f"{DAY}/{name}", "".join([*whole[:3], whole[3][:30] + "\n", *whole[4:], *map(json.dumps, THIRD[:1])]))
    session = home.only()
    assert ("model", "a1", "live") in conversation(session)
    assert session.usage.input == 300


def test_two_files_that_lost_different_lines_are_joined(home: Home) -> None:
    whole = [json.dumps(record) + "\n" for record in (*FIRST, *SECOND)]
    name = f"rollout-2026-11-15T06-00-00-{ONE}.jsonl"
    home.write(f"{ARCHIVE}/{name}", "".join(whole[3:]))
    home.write(f"{DAY}/{name}", "".join([*whole[:7], whole[7][:30] + "\n", whole[8]]))
    session = home.only()
    assert conversation(session) == [(who, text, "live") for who, text, _ in BOTH[:4]]
    assert (session.usage.input, session.usage.requests, session.exact) == (300, 2, True)
    assert not codes(session)
    origins = [message.origin for message in session.messages if message.origin is not None]
    assert [(ARCHIVE in origin.file, origin.line) for origin in origins] == [
        (False, 2),
        (False, 4),
        (False, 6),
        (True, 5),
    ]
    figures_of_answer = session.messages[-1].usage
    assert figures_of_answer is not None
    assert (DAY in (figures_of_answer.file or ""), figures_of_answer.line) == (True, 9)
    assert len(session.files) == 2


def test_two_copies_without_their_first_line_are_one_session(home: Home) -> None:
    whole = [json.dumps(record) + "\n" for record in (*FIRST, *SECOND)]
    name = f"rollout-2026-11-15T06-00-00-{ONE}"
    home.write(f"{DAY}/{name}.jsonl", "".join(whole[1:]))
    home.write(f"{DAY}/{name} (copy).jsonl", "".join(whole[2:]))
    session = home.only()
    assert (session.id, session.usage.input, session.usage.requests) == (ONE, 300, 2)


@pytest.mark.parametrize("place", range(150, 1500, 150))
@pytest.mark.parametrize("cut", [DAY, ARCHIVE])
def test_a_twin_that_was_cut_anywhere_says_nothing_new(home: Home, place: int, cut: str) -> None:
    answer = event("item_completed", at="06:01:01.600", item={"type": "CommandExecution", "id": "c1", "exit_code": 0})
    whole = lines(*FIRST[:3], call(at="06:01:01.500"), answer, *FIRST[4:], *SECOND)
    name = f"rollout-2026-11-15T06-00-00-{ONE}.jsonl"
    home.write(f"{ARCHIVE if cut == DAY else DAY}/{name}", whole)
    expected = conversation(home.only())
    home.write(f"{cut}/{name}", whole[:place])
    assert conversation(home.only()) == expected
    assert not codes(home.only())


def test_figures_that_only_one_side_has_of_a_common_answer(home: Home) -> None:
    home.rollout(*FIRST[:-1], *turn(3, 500, 500))
    home.rollout(*FIRST, *SECOND, place=ARCHIVE)
    session = home.only()
    assert conversation(session) == BOTH
    assert (session.usage.input, session.usage.requests, session.usage.exact) == (800, 3, True)


def test_an_answer_that_only_one_side_has(home: Home) -> None:
    call_record = call(at="06:01:01.500")
    output = event("item_completed", at="06:01:01.600", item={"type": "CommandExecution", "id": "c1", "exit_code": 0})
    home.rollout(*FIRST[:3], call_record, output, *SECOND)
    home.rollout(*FIRST[:3], call_record, *THIRD, place=ARCHIVE)
    assert [text for _, text, _ in conversation(home.only()) if text] == ["q1", "q2", "a2", "q3", "a3"]


def test_a_roll_back_on_one_side_decides_what_is_live(home: Home) -> None:
    home.rollout(*FIRST, *SECOND)
    back = event("thread_rolled_back", at="06:02:30.000", num_turns=1)
    home.rollout(*FIRST, back, *THIRD, place=ARCHIVE)
    assert [fate for _, _, fate in conversation(home.only())] == ["rewound"] * 4 + ["live"] * 2


def test_a_revert_of_a_session_that_branched(home: Home) -> None:
    home.rollout(*with_ordinals(0, *FIRST, *SECOND), place=ARCHIVE)
    home.rollout(*with_ordinals(0, *FIRST, *THIRD))
    own = with_ordinals(5, meta_with_base(ONE, ONE, 5), *turn(4, 1100, 1000))
    home.rollout(*own, name=f"{ONE}_{REVERT}", at="06-10-00")
    session = home.only()
    assert [fate for _, _, fate in conversation(session)] == [*["live"] * 2, *["rewound"] * 4, *["live"] * 2]
    assert session.usage.input == 1800


def test_a_file_that_a_newer_release_rewrote_says_nothing_new(home: Home) -> None:
    home.rollout(*FIRST, *SECOND, place=ARCHIVE)
    rewritten = with_ordinals(0, meta(history_mode="paginated"), *FIRST[1:], *SECOND)
    home.rollout(*rewritten)
    session = home.only()
    assert [fate for _, _, fate in conversation(session)] == ["live"] * 4
    assert (session.usage.input, session.usage.requests) == (300, 2)
    assert not codes(session)


def test_lines_without_times(home: Home) -> None:
    def say(role: str, text: str) -> Json:
        kind = "input_text" if role == "user" else "output_text"
        return {"type": "message", "id": text, "role": role, "content": [{"type": kind, "text": text}]}

    start = {"id": ONE, "timestamp": "2026-11-15T06:00:00.000Z", "instructions": None}
    common = [start, say("user", "q1"), say("assistant", "a1")]
    home.rollout(*common, say("user", "q2"), say("assistant", "a2"), place=ARCHIVE)
    home.rollout(*common, say("user", "q3"), say("assistant", "a3"))
    session = home.only()
    assert conversation(session) == BOTH
    assert not any(message.inherited for message in session.messages)


def test_documents(home: Home) -> None:
    def document(*texts: str) -> str:
        items = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": t}]} for t in texts]
        return json.dumps({"session": {"timestamp": "2025-04-20T06:00:00.000Z", "id": TWO}, "items": items}, indent=2)

    home.write(f"{ARCHIVE}/rollout-2025-04-20-{TWO}.json", document("one", "two"))
    home.write(f"sessions/rollout-2025-04-20-{TWO}.json", document("one", "three"))
    assert conversation(home.only()) == [
        ("human", "one", "live"),
        ("human", "two", "rewound"),
        ("human", "three", "live"),
    ]
