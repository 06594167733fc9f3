"""What a session takes over from another: who is whose fork, and what is counted where."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

from tests.unit.sources.claude.conftest import (
    CWD,
    OTHER,
    PROJECT,
    SID,
    SUMMARY,
    Home,
    Json,
    call,
    compaction,
    in_chain,
    model,
    user,
)
from tests.unit.sources.claude.forks import LATER, REAL, branched, check_fork, forked_from, own, renamed


def test_fork_whose_copies_got_the_new_id(home: Home) -> None:
    shared = in_chain([user("42"), model("Noted.")])
    home.log(SID, *shared)
    home.log(OTHER, *renamed(shared, OTHER), *own(OTHER, shared[-1]))
    check_fork(home.sessions())


def test_fork_whose_copies_kept_the_parents_id(home: Home) -> None:
    shared = in_chain([user("42"), model("Noted.")])
    home.log(SID, *shared)
    home.log(OTHER, *shared, *own(OTHER, shared[-1]))
    check_fork(home.sessions())


def test_fork_of_which_only_the_prompts_kept_the_parents_id(home: Home) -> None:
    shared = in_chain([user("42"), model("Noted.")])
    home.log(SID, *shared)
    home.log(OTHER, shared[0], *renamed(shared[1:], OTHER), *own(OTHER, shared[-1]))
    check_fork(home.sessions())


def test_parent_that_went_on_after_the_fork(home: Home) -> None:
    shared = in_chain([user("42"), model("Noted.")])
    fork = own(OTHER, shared[-1])
    later = user("Thanks", parentUuid=shared[-1]["uuid"])
    home.log(SID, *shared, later)
    home.log(OTHER, *renamed(shared, OTHER), *fork)
    check_fork(home.sessions())


def test_copies_count_in_the_fork_if_the_parent_is_gone(home: Home) -> None:
    shared = in_chain([user("42"), model("Noted.")])
    home.log(OTHER, shared[0], *renamed(shared[1:], OTHER), *own(OTHER, shared[-1]))
    fork = home.only()
    assert not any(message.inherited for message in fork.messages)
    assert (fork.usage.requests, fork.exact) == (2, True)
    assert fork.links[0].target == f"claude:{SID}"


def test_another_id_on_a_later_record_makes_no_fork(home: Home) -> None:
    """A resumed client may begin under an id that it throws away; copies stand first."""
    session = home.session(user("Hi"), model("Hello"), user("More", sessionId=OTHER), model("Yes.", "msg_2"))
    assert session.links == ()
    assert not any(message.inherited for message in session.messages)


def test_same_words_in_two_sessions_are_no_fork(home: Home) -> None:
    home.log(SID, user("Hi"), model("Hello"))
    home.log(OTHER, user("Hi", sessionId=OTHER), model("Hello", sessionId=OTHER))
    assert [session.links for session in home.sessions().values()] == [(), ()]


def test_the_same_short_ids_in_two_sessions_are_no_fork(home: Home) -> None:
    for name, day in ((SID, "04"), (OTHER, "05")):
        mine: Json = {"sessionId": name, "timestamp": f"2026-11-{day}T10:00:00.000Z"}
        home.log(name, user("go", uuid="u1", **mine), model("gone", uuid="a1", parentUuid="u1", **mine))
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (SID, OTHER)] == [[], []]
    assert [sessions[name].usage.requests for name in (SID, OTHER)] == [1, 1]


def test_two_forks_of_one_session_are_not_each_others(home: Home) -> None:
    records = in_chain([user("Remember 42."), model("Noted.")])
    home.log(SID, *records)
    for number, name in enumerate((OTHER, LATER)):
        home.log(name, *renamed(records, name), *own(name, records[1], number))
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (SID, OTHER, LATER)] == [[], [SID], [SID]]


def test_fork_of_a_fork(home: Home) -> None:
    records = in_chain([user("Remember 42."), model("Noted.")])
    home.log(SID, *records)
    copied = [*renamed(records, OTHER), *own(OTHER, records[1])]
    home.log(OTHER, *copied)
    home.log(LATER, *renamed(copied, LATER), *own(LATER, copied[-1], 10))
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (SID, OTHER, LATER)] == [[], [SID], [OTHER]]
    assert sum(session.usage.requests or 0 for session in sessions.values()) == 3


def test_fork_copies_only_what_is_live(home: Home) -> None:
    """What was rewound, and a call that a crash left unanswered, stay behind; they are older than the fork's words."""
    first, answer, dead = user("Remember 42."), model("Noted."), user("Forget it.")
    records = in_chain([first, answer, dead, call("toolu_9", message="msg_2")])
    last = user("Doubled?", parentUuid=answer["uuid"])
    home.log(SID, *records, last)
    home.log(OTHER, *renamed([first, answer, last], OTHER), *own(OTHER, last))
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (SID, OTHER)] == [[], [SID]]
    assert not any(message.inherited for message in sessions[SID].messages)
    assert sessions[OTHER].usage.requests == 1


def test_fork_at_an_earlier_point(home: Home) -> None:
    """The parent went on before the fork did: but only in the parent the client's books stand between the records."""
    one, two = in_chain([user("Remember 42."), model("Noted.")])
    later = in_chain([user("Doubled?", parentUuid=two["uuid"]), model("84.", "msg_2")])
    home.log(SID, one, {"type": "mode", "mode": "normal", "sessionId": SID}, two, *later)
    home.log(OTHER, *renamed([one, two], OTHER), *own(OTHER, two))
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (SID, OTHER)] == [[], [SID]]


@pytest.mark.parametrize("earlier", [SID, OTHER])
@pytest.mark.parametrize("proof", ["folder", "log", None])
def test_fork_at_an_earlier_point_of_a_session_that_had_gone_on(home: Home, proof: str | None, earlier: str) -> None:
    """Where it lies and where its first prompt was typed tell it; else it is a guess, and said to be one."""
    parent, fork = (SID, OTHER) if earlier == SID else (OTHER, SID)
    shared = renamed(in_chain([user("Remember 42."), model("Noted.")]), parent)
    later = renamed(in_chain([user("Doubled?", parentUuid=shared[-1]["uuid"]), model("84.", "msg_2")]), parent)
    home.log(parent, *shared, *later)
    copies = [*renamed(shared, fork), *own(fork, shared[-1])]
    home.log(fork, *copies, project="-work-elsewhere" if proof == "folder" else PROJECT)
    if proof == "log":
        at = datetime.fromisoformat(shared[0]["timestamp"]).timestamp() * 1000
        typed = {"display": "Remember 42.", "timestamp": int(at), "project": CWD, "sessionId": parent}
        (home.config / "history.jsonl").write_text(json.dumps({**typed, "pastedContents": {}}) + "\n")
    sessions = home.sessions()
    if proof is not None:
        assert [forked_from(sessions[name]) for name in (parent, fork)] == [[], [parent]]
    (link,) = [link for session in sessions.values() for link in session.links]
    assert ("guess" in link.evidence) is (proof is None)
    assert sum(session.usage.requests or 0 for session in sessions.values()) == 3


def test_fork_after_a_fold_begins_with_the_fold(home: Home) -> None:
    records = in_chain(
        [user("One"), model("1"), compaction(), user("Sum", **SUMMARY), user("Two"), model("2", "msg_2")]
    )
    home.log(SID, *records)
    home.log(OTHER, *renamed(records[2:], OTHER), *own(OTHER, records[-1]))
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (SID, OTHER)] == [[], [SID]]
    assert [message.inherited for message in sessions[OTHER].messages] == [True] * 4 + [False] * 2
    assert (sessions[SID].usage.requests, sessions[OTHER].usage.requests) == (2, 1)
    assert sessions[OTHER].exact is True


@pytest.mark.parametrize("parent_is_there", [True, False])
def test_branch_names_the_session_it_was_made_of(home: Home, parent_is_there: bool) -> None:
    records = in_chain([user("Remember 42."), model("Noted.")])
    if parent_is_there:
        home.log(SID, *records)
    home.log(OTHER, *branched(records, OTHER), *own(OTHER, records[1]))
    fork = home.sessions()[OTHER]
    assert forked_from(fork) == [SID]
    assert [message.inherited for message in fork.messages] == [parent_is_there, parent_is_there, False, False]
    assert fork.notices == ()


def test_branch_in_which_nothing_was_said_yet_names_a_session_that_is_gone(home: Home) -> None:
    home.log(OTHER, *branched(in_chain([user("Remember 42."), model("Noted.")]), OTHER))
    home.log(f"{OTHER} (copy)", *branched(in_chain([user("Remember 42."), model("Noted.")]), OTHER))
    branch = home.only()
    assert (branch.id, forked_from(branch)) == (OTHER, [SID])


@pytest.mark.parametrize("second", [None, "-work-moved/{}", PROJECT + "/{} (copy)", PROJECT + "/backup"])
def test_own_replies_of_a_branch_whose_file_is_there_twice_are_its_own(home: Home, second: str | None) -> None:
    records = in_chain([user("Remember 42."), model("Noted.")])
    file = home.log(OTHER, *branched(records, OTHER), *own(OTHER, records[1]))
    if second is not None:
        home.write(f"{second.format(OTHER)}.jsonl", file.read_text())
    branch = home.only()
    assert not any(message.inherited for message in branch.messages)
    assert (branch.usage.requests, branch.exact) == (2, True)


@pytest.mark.parametrize("branch_is_older", [True, False])
def test_replies_of_a_session_that_is_gone_count_in_the_fork_without_marks(home: Home, branch_is_older: bool) -> None:
    """A record with a mark is a copy; one without may be the original."""
    records = in_chain([user("Remember 42."), model("Noted.")])
    copies = {OTHER: branched(records, OTHER), LATER: renamed(records, LATER)}
    for number, name in enumerate(copies if branch_is_older else reversed(copies), start=8):
        home.log(name, *copies[name], *own(name, records[1], number))
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (OTHER, LATER)] == [[SID], []]
    assert [sessions[name].usage.requests for name in (OTHER, LATER)] == [1, 2]
    library = home.library()
    rules = [item.rule for item in library.usage.audit(library.session(f"claude:{OTHER}")).items]
    assert rules == [f"inherited from claude:{LATER}: counted there", "counted"]


@pytest.mark.parametrize("first", [OTHER, LATER])
def test_replies_of_a_session_that_is_gone_count_in_its_oldest_branch(home: Home, first: str) -> None:
    records = in_chain([user("Remember 42."), model("Noted.")])
    names = sorted((OTHER, LATER), key=lambda name: name != first)
    for number, name in enumerate(names, start=8):
        home.log(name, *branched(records, name), *own(name, records[1], number))
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in names] == [[SID], [SID]]
    assert [sessions[name].usage.requests for name in names] == [2, 1]


def test_copies_count_in_a_parent_that_is_only_kept(home: Home) -> None:
    records = in_chain([user("Remember 42."), model("Noted.")])
    parent = home.log(SID, *records)
    home.log(OTHER, *branched(records, OTHER), *own(OTHER, records[1]))
    home.library().archive.run()
    parent.unlink()
    check_fork(home.sessions())


def test_fork_in_which_nothing_was_said_yet(home: Home) -> None:
    records = renamed(in_chain([user("Remember 42."), model("Noted.")]), OTHER)
    home.log(OTHER, *records)
    home.log(SID, *records)
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (SID, OTHER)] == [[OTHER], []]


def test_fork_of_what_began_again_at_the_beginning(home: Home) -> None:
    """The parent's first prompt was edited: the fork begins with the second one."""
    old = in_chain([user("Helo"), model("?", REAL[0])])
    new = in_chain([user("Hello", root=True), model("Hi.", REAL[1])])
    home.log(SID, *old, *new)
    home.log(OTHER, *renamed(new, OTHER), *own(OTHER, new[-1]), project="-work-moved")
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (SID, OTHER)] == [[], [SID]]
    assert [message.inherited for message in sessions[OTHER].messages] == [True, True, False, False]
