"""What a session takes over from another: who is whose fork, and what is counted where."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

from pollux.library.library import Filter
from pollux.model import Fate, Session
from tests.unit.sources.claude.conftest import (
    CWD,
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
    usage,
    user,
)


def renamed(records: list[Json], name: str) -> list[Json]:
    return [{**record, "sessionId": name} for record in records]


def own(name: str, before: Json, number: int = 9) -> list[Json]:
    prompt = user("And halved?", sessionId=name, parentUuid=before["uuid"])
    return [prompt, model("21.", f"msg_{number}", sessionId=name, parentUuid=prompt["uuid"])]


def check_fork(sessions: dict[str, Session]) -> None:
    fork, parent = sessions[OTHER], sessions[SID]
    assert [message.inherited for message in fork.messages] == [True, True, False, False]
    assert not any(message.inherited for message in parent.messages)
    assert [(link.kind, link.target) for link in fork.links] == [("forked_from", f"claude:{SID}")]
    assert parent.links == ()
    assert fork.usage.requests == 1
    assert fork.started == fork.messages[2].at


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


def test_fork_whose_parent_is_gone(home: Home) -> None:
    shared = in_chain([user("42"), model("Noted.")])
    home.log(OTHER, shared[0], *renamed(shared[1:], OTHER), *own(OTHER, shared[-1]))
    fork = home.only()
    assert [message.inherited for message in fork.messages] == [True, True, False, False]
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


LATER = "00000000-0000-4000-8000-00000000000c"


def test_the_same_short_ids_in_two_sessions_are_no_fork(home: Home) -> None:
    for name, day in ((SID, "04"), (OTHER, "05")):
        mine: Json = {"sessionId": name, "timestamp": f"2026-11-{day}T10:00:00.000Z"}
        home.log(name, user("go", uuid="u1", **mine), model("gone", uuid="a1", parentUuid="u1", **mine))
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (SID, OTHER)] == [[], []]
    assert [sessions[name].usage.requests for name in (SID, OTHER)] == [1, 1]


def forked_from(session: Session) -> list[str]:
    return [link.target.removeprefix("claude:") for link in session.links if link.kind == "forked_from"]


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


def test_figures_that_only_the_copy_of_a_reply_has(home: Home) -> None:
    begun, ended = (
        model("Noted.", stop=stop, figures=usage(output)) for stop, output in ((None, 3), ("end_turn", 360))
    )
    shared = in_chain([user("42"), begun])
    copy = {**ended, **{name: begun[name] for name in ("uuid", "parentUuid", "timestamp")}}
    home.log(SID, *shared)
    file = home.log(OTHER, *renamed([shared[0], copy], OTHER), *own(OTHER, copy))
    library = home.library()
    parent = library.session(f"claude:{SID}")
    assert (parent.usage.output, parent.exact) == (360, True)
    items = library.usage.audit(parent).items
    assert [(item.counted, item.line, item.native["output_tokens"]) for item in items] == [
        (True, 2, 360),
        (False, 2, 3),
    ]
    assert (items[0].file, items[1].file) == (str(file), parent.files[0])
    assert "only this copy" in items[0].rule
    assert library.session(f"claude:{OTHER}").usage.output == 5


@pytest.mark.parametrize("outputs", [(360, 500), (500, 360)])
def test_of_several_copies_the_one_with_the_most_output_counts(home: Home, outputs: tuple[int, int]) -> None:
    shared = in_chain([user("42"), model("Noted.", stop=None, figures=usage(3))])
    home.log(SID, *shared)
    for name, output in zip((OTHER, OTHER.replace("b", "c")), outputs, strict=True):
        ended = model("Noted.", figures=usage(output))
        copy = {**ended, **{key: shared[1][key] for key in ("uuid", "parentUuid", "timestamp")}}
        home.log(name, *renamed([shared[0], copy], name), *own(name, copy, output))
    parent = home.sessions()[SID]
    assert (parent.usage.output, parent.exact) == (500, True)
    assert [line["usage"]["output_tokens"] for line in parent.messages[1].extra["lines"]] == [3]


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
    copies = [{**one, "forkedFrom": {"sessionId": SID, "messageUuid": one["uuid"]}} for one in renamed(records, OTHER)]
    home.log(OTHER, *copies, *own(OTHER, records[1]))
    fork = home.sessions()[OTHER]
    assert forked_from(fork) == [SID]
    assert [message.inherited for message in fork.messages] == [True, True, False, False]
    assert fork.notices == ()


def test_fork_in_which_nothing_was_said_yet(home: Home) -> None:
    records = renamed(in_chain([user("Remember 42."), model("Noted.")]), OTHER)
    home.log(OTHER, *records)
    home.log(SID, *records)
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (SID, OTHER)] == [[OTHER], []]


def test_calls_that_a_fork_took_over_started_agents_of_its_parent(home: Home) -> None:
    results = result("toolu_1", "Done", {"status": "completed", "agentId": "a1234567"})
    records = in_chain([user("Ask."), call("toolu_1", "Agent", prompt="Look"), results, model("Ok.", "msg_2")])
    home.log(SID, *records)
    inside: Json = {"isSidechain": True, "agentId": "a1234567"}
    agent = json_lines(*in_chain([user("Look", **inside), model("Seen.", "msg_3", **inside)]))
    home.write(f"{PROJECT}/{SID}/subagents/agent-a1234567.jsonl", agent)
    home.log(OTHER, *renamed(records, OTHER), *own(OTHER, records[-1]))
    fork = home.sessions()[OTHER]
    assert [tool_call.child for tool_call in calls(fork)] == ["claude:a1234567"]
    assert fork.usage.requests == 1


def test_large_output_of_a_call_that_a_fork_took_over_lies_with_the_parent(home: Home) -> None:
    home.write(f"{PROJECT}/{SID}/tool-results/b1.txt", "all of it")
    cut = f"<persisted-output>\nFull output saved to: /old/{SID}/tool-results/b1.txt\n\nPreview:\nall"
    records = in_chain([user("Go."), call(), result("toolu_1", cut), model("Ok.", "msg_2")])
    home.log(SID, *records)
    home.log(OTHER, *renamed(records, OTHER), *own(OTHER, records[-1]))
    assert [tool_call.output for session in home.sessions().values() for tool_call in calls(session)] == [
        "all of it"
    ] * 2


def test_agents_inside_a_transcript_that_is_forked_are_paid_once(home: Home) -> None:
    """1.0: they are not part of the conversation, and their records stand between its own."""
    inside: Json = {"isSidechain": True}
    call_record = call("toolu_1", "Task", prompt="Look")
    agent = in_chain([user("Look", **inside), model("Seen.", "msg_3", **inside)])
    records = in_chain([user("Ask."), call_record])
    records += [*agent, *in_chain([result(parentUuid=call_record["uuid"]), model("Ok.", "msg_2")])]
    home.log(SID, *records)
    home.log(OTHER, *renamed(records, OTHER), *own(OTHER, records[-1]))
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (SID, OTHER)] == [[], [SID]]
    assert sum(session.usage.requests or 0 for session in sessions.values()) == 4


def test_side_question_begins_with_what_was_said_before_it(home: Home) -> None:
    records = in_chain([user("Remember 42."), model("Noted.")])
    home.log(SID, *records)
    inside: Json = {"isSidechain": True, "agentId": "aside_question-1"}
    prompt_record = user("By the way?", parentUuid=records[1]["uuid"], **inside)
    lines = [*records, prompt_record, model("Yes.", "msg_2", parentUuid=prompt_record["uuid"], **inside)]
    home.write(f"{PROJECT}/{SID}/subagents/agent-aside_question-1.jsonl", json_lines(*lines))
    side = home.sessions()["aside_question-1"]
    assert [message.inherited for message in side.messages] == [True, True, False, False]
    assert (side.title, side.usage.requests) == ("By the way?", 1)


def test_session_after_clear_is_another(home: Home) -> None:
    home.log(SID, user("Hi"), model("Hello"))
    typed = "<command-name>/clear</command-name><command-message>clear</command-message><command-args></command-args>"
    home.log(
        OTHER,
        user(typed, sessionId=OTHER),
        user("Now", sessionId=OTHER),
        model("Fresh.", sessionId=OTHER, session_id=SID),
    )
    session = home.sessions()[OTHER]
    assert conversation(session)[0] == ("human", "/clear")
    assert session.usage.requests == 1


# ------------------------------------------------------------------------- copies are known by their ids and words


REAL = ("msg_01aaaaaaaaaaaaaaaaaaaaaa", "msg_01bbbbbbbbbbbbbbbbbbbbbb", "msg_01cccccccccccccccccccccc")


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


def test_fork_of_what_began_again_at_the_beginning(home: Home) -> None:
    """The parent's first prompt was edited: the fork begins with the second one."""
    old = in_chain([user("Helo"), model("?", REAL[0])])
    new = in_chain([user("Hello", root=True), model("Hi.", REAL[1])])
    home.log(SID, *old, *new)
    home.log(OTHER, *renamed(new, OTHER), *own(OTHER, new[-1]), project="-work-moved")
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (SID, OTHER)] == [[], [SID]]
    assert [message.inherited for message in sessions[OTHER].messages] == [True, True, False, False]


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
    prompt_record = user("Which one?", parentUuid=again[-1]["uuid"])
    home.log(SID, *records, *again, prompt_record, model("Tom.", REAL[2], parentUuid=prompt_record["uuid"]))
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
    assert [record["uuid"] for record in session.extra["records"]["again"]] == [one["uuid"] for one in again]


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


def elsewhere(home: Home, *names: str) -> None:
    """Move transcripts to the other folder that the agent may write to."""
    for name in names:
        file = home.projects / PROJECT / f"{name}.jsonl"
        other = home.path / ".config" / "claude" / "projects" / PROJECT / file.name
        other.parent.mkdir(parents=True, exist_ok=True)
        file.rename(other)


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


def test_the_same_long_reply_id_in_two_sessions_is_no_fork(home: Home) -> None:
    """Some vendors give every reply one id; the requests differ."""
    for name in (SID, OTHER):
        records = in_chain([user(f"Ask {name}"), model(f"Answer {name}", REAL[0], requestId=f"req_{name}")])
        home.log(name, *renamed(records, name))
    sessions = home.sessions()
    assert [forked_from(sessions[name]) for name in (SID, OTHER)] == [[], []]
    assert [sessions[name].usage.requests for name in (SID, OTHER)] == [1, 1]
