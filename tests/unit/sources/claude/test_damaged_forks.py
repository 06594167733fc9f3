"""Forks and parents whose files lost records: what they still share is counted once, and doubt is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from pollux.library.library import Filter
from tests.unit.sources.claude.conftest import (
    OTHER,
    PROJECT,
    SID,
    Home,
    Json,
    call,
    in_chain,
    json_lines,
    model,
    result,
    user,
)
from tests.unit.sources.claude.forks import LATER, REAL, forked_from, own, renamed


def shared() -> list[Json]:
    """Two turns; the first reply has two lines."""
    return in_chain(
        [
            user("Look."),
            model("I look.", REAL[0], "tool_use"),
            call("toolu_9", message=REAL[0]),
            result("toolu_9"),
            model("Seen.", REAL[1]),
            user("And?"),
            model("More.", REAL[2]),
        ]
    )


def requests(home: Home) -> int:
    """How many requests the index counts."""
    return sum(entry.summary.usage.requests or 0 for entry in home.library().list(Filter(everything=True)))


@pytest.mark.parametrize("damaged", [SID, OTHER])
@pytest.mark.parametrize("project", [PROJECT, "-work-moved"])
def test_replies_after_a_lost_beginning_are_counted_once(home: Home, damaged: str, project: str) -> None:
    records = shared()
    home.log(SID, *records)
    home.log(OTHER, *renamed(records, OTHER), *own(OTHER, records[-1]), project=project)
    assert requests(home) == 4
    (file,) = home.projects.glob(f"*/{damaged}.jsonl")
    lines = file.read_bytes().splitlines(keepends=True)
    for first in range(1, 7):
        file.write_bytes(b"".join(lines[first:]))
        assert requests(home) == 4
        sessions = home.sessions()
        assert sessions[damaged].exact is None
        assert {forked_from(sessions[SID]) != [], forked_from(sessions[OTHER]) != []} == {True, False}


def test_reply_of_which_each_file_lost_another_line_is_counted_once(home: Home) -> None:
    records = shared()
    home.log(SID, *records[:1], *records[2:])
    copies = renamed(records, OTHER)
    home.log(OTHER, *copies[:2], *copies[3:], *own(OTHER, records[-1]))
    sessions = home.sessions()
    assert (sessions[SID].usage.requests, sessions[OTHER].usage.requests) == (3, 1)


def test_what_the_parent_lost_is_inherited_from_another_fork(home: Home) -> None:
    records = shared()
    home.log(SID, *records[5:])
    home.log(OTHER, *renamed(records[:5], OTHER), *own(OTHER, records[4]))
    home.log(LATER, *renamed(records, LATER), *own(LATER, records[-1], 10))
    assert requests(home) == 5


def test_copies_that_only_the_fork_still_has_are_counted_there(home: Home) -> None:
    """The parent is there, but lost all that was copied."""
    records = shared()
    later = user("Thanks", parentUuid=records[-1]["uuid"])
    home.log(SID, later, model("Welcome.", "msg_7", parentUuid=later["uuid"]))
    home.log(OTHER, *records, *own(OTHER, records[-1]))
    sessions = home.sessions()
    assert forked_from(sessions[OTHER]) == [SID]
    assert (sessions[SID].usage.requests, sessions[OTHER].usage.requests) == (1, 4)
    assert sessions[SID].exact is None


def test_which_one_is_the_fork_is_a_guess_after_damage(home: Home) -> None:
    records = shared()
    home.log(SID, *records[2:], {"type": "mode", "mode": "normal", "sessionId": SID})
    home.log(OTHER, *renamed(records, OTHER), *own(OTHER, records[-1]))
    (link,) = [link for session in home.sessions().values() for link in session.links]
    assert "damaged" in link.evidence


def test_parent_that_lost_its_beginning_stays_the_parent(home: Home) -> None:
    """In the parent, the client's books stand between the records; what is missing before them proves nothing."""
    records = shared()
    books: Json = {"type": "mode", "mode": "normal", "sessionId": SID}
    home.log(SID, *records[2:4], books, *records[4:])
    home.log(OTHER, *renamed(records, OTHER), *own(OTHER, records[-1]))
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (SID, OTHER)] == [[], [SID]]


@pytest.mark.parametrize("field", ["timestamp", "cwd", "version", "requestId"])
def test_copy_of_a_reply_with_an_odd_value_is_a_copy(home: Home, field: str) -> None:
    records = shared()
    home.log(SID, *records[:4], {**records[4], field: [7]}, *records[5:])
    home.log(OTHER, *renamed(records, OTHER), *own(OTHER, records[-1]))
    assert requests(home) == 4


def test_reply_without_a_uuid_is_known_by_its_own_id(home: Home) -> None:
    records = shared()
    home.log(SID, *records[:4], {**records[4], "uuid": 7}, *records[5:])
    copies = renamed(records, OTHER)
    home.log(OTHER, *copies[:4], {**copies[4], "uuid": None}, *copies[5:], *own(OTHER, records[-1]))
    assert requests(home) == 4


def test_index_is_right_while_the_copies_are_being_written(home: Home) -> None:
    """Into another folder, beside a parent without its beginning."""
    records = shared()
    home.log(SID, *records[4:])
    copies = [*renamed(records, OTHER), *own(OTHER, records[-1])]
    for length in range(1, len(copies) + 1):
        home.log(OTHER, *copies[:length], project="-work-moved")
        found = {line["message"]["id"] for line in [*records[4:], *copies[:length]] if line["type"] == "assistant"}
        assert requests(home) == len(found), length


def test_index_is_right_while_copies_with_new_uuids_are_being_written(home: Home) -> None:
    records = shared()
    home.log(SID, *records)
    uuids = {record["uuid"]: user("")["uuid"] for record in records}
    copies = [
        {**record, "uuid": uuids[record["uuid"]], "parentUuid": uuids.get(record["parentUuid"])}
        for record in renamed(records, OTHER)
    ]
    for length in range(1, len(copies) + 1):
        home.log(OTHER, *copies[:length], project="-work-moved")
        assert requests(home) == 3, length


def test_lines_of_a_reply_in_two_damaged_files_of_a_session_are_one_message(home: Home) -> None:
    records = shared()
    paths: list[Path] = []
    for project, lost in ((PROJECT, 1), ("-work-moved", 2)):
        lines = [record for number, record in enumerate(records) if number != lost]
        paths.append(home.write(f"{project}/{SID}.jsonl", json_lines(*lines)))
    session = home.only()
    (reply,) = [message for message in session.messages if message.id == REAL[0]]
    assert len(reply.parts) == 2
    assert session.usage.requests == 3
    assert session.exact is True
    assert reply.origin is not None
    assert {reply.origin.file, reply.extra["lines"][0]["file"]} == set(map(str, paths))


def test_record_of_an_unknown_type_is_not_missing(home: Home) -> None:
    records = shared()
    unknown = {**user("?", parentUuid=records[-1]["uuid"]), "type": "novelty"}
    session = home.session(*records, unknown, model("Well.", "msg_9", parentUuid=unknown["uuid"]))
    assert session.exact is True
