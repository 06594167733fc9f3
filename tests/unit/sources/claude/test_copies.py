"""Copies are recognised by their ids and words, whatever a release changes in them."""

from __future__ import annotations

import json

import pytest

from tests.unit.sources.claude.conftest import (
    OTHER,
    PROJECT,
    SID,
    SUMMARY,
    Home,
    Json,
    call,
    calls,
    compaction,
    conversation,
    in_chain,
    json_lines,
    model,
    result,
    user,
)
from tests.unit.sources.claude.forks import REAL, check_fork, forked_from, own, renamed


def stamped(records: list[Json], moment: str) -> list[Json]:
    """Copies as 1.0 and early releases of 2.0 make them: all at the moment of the fork."""
    return [{**one, "timestamp": f"{moment}.{place:03}Z"} for place, one in enumerate(records)]


@pytest.mark.parametrize("moment", ["2026-11-16T10:00:00", "2026-11-01T10:00:00"])
@pytest.mark.parametrize("goes_on", [True, False])
def test_fork_whose_copies_have_the_time_of_the_fork(home: Home, moment: str, goes_on: bool) -> None:
    """Also where the clock was set back, and where the parent went on."""
    shared = in_chain([user("42"), model("Noted.", REAL[0])])
    later = [user("Thanks", parentUuid=shared[-1]["uuid"])] if goes_on else []
    home.log(SID, *shared, *later)
    home.log(OTHER, *stamped(renamed(shared, OTHER), moment), *own(OTHER, shared[-1]))
    check_fork(home.sessions())


def test_fork_after_a_fold_in_another_folder(home: Home) -> None:
    records = in_chain(
        [user("One"), model("1"), compaction(), user("Sum", **SUMMARY), user("Two"), model("2", "msg_2")]
    )
    home.log(SID, *records)
    home.log(OTHER, *renamed(records[2:], OTHER), *own(OTHER, records[-1]), project="-work-moved")
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (SID, OTHER)] == [[], [SID]]
    assert (sessions[SID].usage.requests, sessions[OTHER].usage.requests) == (2, 1)


@pytest.mark.parametrize("form", [{}, {"separators": (" , ", " : ")}, {"sort_keys": True}])
def test_fork_is_known_however_its_json_is_spaced_and_ordered(home: Home, form: Json) -> None:
    records = in_chain(
        [user("One"), model("1"), compaction(), user("Sum", **SUMMARY), user("Two"), model("2", REAL[0])]
    )
    fork = [*renamed(records[2:], OTHER), *own(OTHER, records[-1])]
    for name, project, lines in ((SID, PROJECT, records), (OTHER, "-work-moved", fork)):
        home.write(f"{project}/{name}.jsonl", "".join(json.dumps(line, **form) + "\n" for line in lines))
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (SID, OTHER)] == [[], [SID]]
    assert (sessions[SID].usage.requests, sessions[OTHER].usage.requests) == (2, 1)


@pytest.mark.parametrize("form", [{}, {"separators": (" , ", " : ")}, {"sort_keys": True}])
def test_reply_in_a_fork_with_new_uuids_is_known_however_its_json_is_written(home: Home, form: Json) -> None:
    shared = in_chain([user("42"), call("toolu_9", message=REAL[0]), result("toolu_9"), model("Noted.", REAL[1])])
    copies = in_chain([{**line, "uuid": f"c{line['uuid'][1:]}", "parentUuid": None} for line in renamed(shared, OTHER)])
    home.write(f"{PROJECT}/{SID}.jsonl", json_lines(*shared))
    lines = [*copies, *own(OTHER, copies[-1])]
    home.write(f"{PROJECT}/{OTHER}.jsonl", "".join(json.dumps(line, **form) + "\n" for line in lines))
    sessions = home.sessions()
    assert (sessions[SID].usage.requests, sessions[OTHER].usage.requests) == (2, 1)


PICTURE: Json = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aWlp"}}
WORDS: Json = {"type": "text", "text": "What is it?"}


def parted(records: list[Json]) -> list[Json]:
    """The records as 2.0.77 writes them again: a prompt of several parts as several, all under new uuids."""
    again = [user([part], timestamp=records[0]["timestamp"]) for part in (PICTURE, WORDS)]
    again += [{**one, "uuid": user("")["uuid"], "parentUuid": None} for one in records[1:]]
    return in_chain(again)


def test_fork_whose_copies_have_new_uuids(home: Home) -> None:
    records = in_chain([user([PICTURE, WORDS]), model("A cat.", REAL[0])])
    home.log(SID, *records)
    copies = parted(records)
    home.log(OTHER, *renamed(copies, OTHER), *own(OTHER, copies[-1]))
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (SID, OTHER)] == [[], [SID]]
    assert [message.inherited for message in sessions[OTHER].messages] == [True, True, True, False, False]
    assert (sessions[SID].usage.requests, sessions[OTHER].usage.requests) == (1, 1)


def test_session_that_was_written_again_into_its_file(home: Home) -> None:
    records = in_chain(
        [user([PICTURE, WORDS]), call("toolu_1", message=REAL[0]), result("toolu_1", "meow"), model("A cat.", REAL[1])]
    )
    again = parted(records)
    asked = user("Which one?", parentUuid=again[-1]["uuid"])
    home.log(SID, *records, *again, asked, model("Tom.", REAL[2], parentUuid=asked["uuid"]))
    session = home.only()
    assert conversation(session) == [
        ("human", "What is it?"),
        ("model", "A cat."),
        ("human", "Which one?"),
        ("model", "Tom."),
    ]
    assert len(calls(session)) == 1
    assert {message.fate.value for message in session.messages} == {"live"}
    assert session.usage.requests == 3
    assert [kept["uuid"] for kept in session.extra["records"]["again"]] == [one["uuid"] for one in again]


def test_part_of_a_session_that_was_written_again(home: Home) -> None:
    """Only what follows the prompt of several parts gets new uuids; the last prompt was never answered."""
    first = in_chain([user("Hi"), model("Hello", REAL[0])])
    rest = in_chain([user([PICTURE, WORDS], parentUuid=first[-1]["uuid"]), model("A cat.", REAL[1]), user("Continue")])
    again = parted(rest)
    again[0]["parentUuid"] = first[-1]["uuid"]
    twice = user("Continue", parentUuid=again[-1]["uuid"])
    home.log(SID, *first, *rest, *again, twice, model("Tom.", REAL[2], parentUuid=twice["uuid"]))
    session = home.only()
    prompts = [text for author, text in conversation(session) if author == "human"]
    assert prompts == ["Hi", "What is it?", "Continue", "Continue"]
    assert {message.fate.value for message in session.messages} == {"live"}


def test_the_same_words_twice_in_one_reply_are_no_copies(home: Home) -> None:
    session = home.session(user("Hi"), model("Ha", REAL[0]), model("Ha", REAL[0]))
    assert session.messages[1].text == "Ha\nHa"


def test_the_same_long_reply_id_in_two_sessions_is_no_fork(home: Home) -> None:
    """Some vendors give every reply one id; the requests differ."""
    for name in (SID, OTHER):
        records = in_chain([user(f"Ask {name}"), model(f"Answer {name}", REAL[0], requestId=f"req_{name}")])
        home.log(name, *renamed(records, name))
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (SID, OTHER)] == [[], []]
    assert [sessions[name].usage.requests for name in (SID, OTHER)] == [1, 1]
