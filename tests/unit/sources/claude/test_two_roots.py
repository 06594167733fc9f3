"""Forks and sessions under two roots."""

from __future__ import annotations

import pytest

from pollux.library.library import Filter
from pollux.model import Fate
from tests.unit.sources.claude.conftest import (
    OTHER,
    PROJECT,
    SID,
    Home,
    in_chain,
    model,
    user,
)
from tests.unit.sources.claude.forks import REAL, branched, check_fork, elsewhere, own, renamed


@pytest.mark.parametrize("moved", [SID, OTHER])
def test_fork_whose_parent_lies_under_another_root(home: Home, moved: str) -> None:
    shared = in_chain([user("42"), model("Noted.", REAL[0])])
    home.log(SID, *shared)
    home.log(OTHER, *renamed(shared, OTHER), *own(OTHER, shared[-1]))
    elsewhere(home, moved)
    check_fork(home.sessions())


def test_fork_is_read_again_when_its_parent_comes_and_goes_under_another_root(home: Home) -> None:
    shared = in_chain([user("42"), model("Noted.", REAL[0])])
    home.log(OTHER, *renamed(shared, OTHER), *own(OTHER, shared[-1]))
    assert home.sessions()[OTHER].usage.requests == 2
    home.log(SID, *shared)
    elsewhere(home, SID)
    check_fork(home.sessions())
    assert home.library().sync().changed == 0
    (home.path / ".config" / "claude" / "projects" / PROJECT / f"{SID}.jsonl").unlink()
    assert home.sessions()[OTHER].usage.requests == 2


def test_branch_under_two_roots_whose_parent_is_gone(home: Home) -> None:
    shared = in_chain([user("42"), model("Noted.", REAL[0])])
    file = home.log(OTHER, *branched(shared, OTHER), *own(OTHER, shared[-1]))
    text = file.read_text()
    elsewhere(home, OTHER)
    file.write_text(text)
    branch = home.only()
    assert not any(message.inherited for message in branch.messages)
    assert (branch.usage.requests, branch.exact) == (2, True)


def test_fork_whose_parent_is_only_kept(home: Home) -> None:
    shared = in_chain([user("42"), model("Noted.", REAL[0])])
    parent = home.log(SID, *shared)
    home.log(OTHER, *renamed(shared, OTHER), *own(OTHER, shared[-1]))
    library = home.library()
    library.archive.run()
    parent.unlink()
    sessions = home.sessions()
    assert sessions[SID].kept
    check_fork(sessions)
    assert home.library().sync().changed == 0


@pytest.mark.parametrize("later", [False, True])
def test_session_that_went_on_under_two_roots_is_one(home: Home, later: bool) -> None:
    shared = in_chain([user("42"), model("Noted.", REAL[0])])
    one = [user("One", parentUuid=shared[-1]["uuid"]), model("1", REAL[1])]
    two = [user("Two", parentUuid=shared[-1]["uuid"]), model("2", REAL[2])]
    for branch in (one, two):
        branch[1]["parentUuid"] = branch[0]["uuid"]
        if not later:  # both were left at the same time
            branch[1]["timestamp"] = "2026-11-15T07:30:00.000Z"
    home.log(SID, *shared, *one)
    elsewhere(home, SID)
    home.log(SID, *shared, *two)
    session = home.only()
    assert session.usage.requests == 3
    assert len(session.files) == 2
    (listed,) = home.library().list(Filter(everything=True))
    assert listed.summary.usage.requests == 3
    assert home.library().sync().changed == 0


def test_two_sides_of_a_session_stand_in_the_order_in_which_they_happened(home: Home) -> None:
    shared = in_chain([user("Begin"), model("Begun.", REAL[0])])
    first, second = user("One"), user("Two")
    one = in_chain([first, model("1", REAL[1])])
    two = in_chain([second, model("2", REAL[2])])
    late = in_chain([user("Three"), model("3", "msg_01dddddddddddddddddddddd")])
    first["parentUuid"] = second["parentUuid"] = shared[-1]["uuid"]
    late[0]["parentUuid"] = one[-1]["uuid"]
    home.log(SID, *shared, *one, *late)
    elsewhere(home, SID)
    home.log(SID, *shared, *two)
    session = home.only()
    assert [message.text for message in session.messages] == ["Begin", "Begun.", "One", "Two", "1", "2", "Three", "3"]
    assert [message.text for message in session.messages if message.fate is not Fate.LIVE] == ["Two", "2"]
