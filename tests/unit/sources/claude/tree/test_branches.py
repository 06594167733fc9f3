from __future__ import annotations

import pytest

from pollux.model import Session
from pollux.sources.claude.format.schema import Line, SlimRecord
from pollux.sources.claude.tree.tree import Tree
from tests.unit.sources.claude.conftest import (
    SID,
    SUMMARY,
    Home,
    Json,
    attachment_line,
    call,
    compaction,
    in_chain,
    model,
    result,
    user,
)


def fates(session: Session) -> list[tuple[str, str]]:
    return [(m.text, m.fate.value) for m in session.messages if m.text and m.author != "client"]


def test_edited_prompt_leaves_a_rewound_branch(home: Home) -> None:
    first, answer = user("Hi"), model("Hello")
    old, old_answer = user("Sonny?"), model("Who?", "msg_2")
    new = user("Sunny?", parentUuid=answer["uuid"])
    session = home.session(
        first, answer, old, old_answer, call("toolu_2", message="msg_3"), new, model("Yes.", "msg_4")
    )
    assert fates(session) == [
        ("Hi", "live"),
        ("Hello", "live"),
        ("Sonny?", "rewound"),
        ("Who?", "rewound"),
        ("Sunny?", "live"),
        ("Yes.", "live"),
    ]


def test_edit_of_the_very_first_prompt(home: Home) -> None:
    again = user("Hello", root=True)
    session = home.session(user("Helo"), model("?"), again, model("Hi.", "msg_2"))
    assert fates(session) == [("Helo", "rewound"), ("?", "rewound"), ("Hello", "live"), ("Hi.", "live")]


def test_siblings_are_seen_through_what_the_client_put_between(home: Home) -> None:
    first, answer = user("Hi"), model("Hello")
    between = attachment_line("date", date="today", parentUuid=answer["uuid"])
    session = home.session(first, answer, user("Old"), between, user("New"))
    assert fates(session) == [("Hi", "live"), ("Hello", "live"), ("Old", "rewound"), ("New", "live")]


def test_prompt_after_a_crash_rewinds_nothing(home: Home) -> None:
    text, call_record = model("Starting.", stop=None), call()
    session = home.session(
        user("Run"), text, call_record, user("Carry on", parentUuid=text["uuid"]), model("Ok", "msg_2")
    )
    assert {message.fate.value for message in session.messages} == {"live"}


def test_prompts_in_a_row_are_no_rivals(home: Home) -> None:
    session = home.session(user("One"), user("Two"), attachment_line("queued_command", prompt="Three"), model("Ok"))
    assert {message.fate.value for message in session.messages} == {"live"}


def test_prompts_that_a_turn_absorbed_are_no_rivals(home: Home) -> None:
    """Two results of one reply, and behind each a prompt that was typed meanwhile."""
    one, other = call("toolu_1"), call("toolu_2")
    absorbed = [
        attachment_line("queued_command", prompt="Metric.", parentUuid=one["uuid"]),
        attachment_line("queued_command", prompt="Celsius.", parentUuid=other["uuid"]),
    ]
    session = home.session(user("Go"), one, other, *absorbed, model("Both.", "msg_2"))
    assert {message.fate.value for message in session.messages} == {"live"}


def test_what_hangs_on_a_rewound_prompt_may_stand_before_it(home: Home) -> None:
    """Records are not always written in the order of the tree."""
    first, answer, old = user("Hi"), model("Hello"), user("Old")
    old["parentUuid"] = answer["uuid"]
    late = model("To the old one", "msg_2", parentUuid=old["uuid"])
    new = user("New", parentUuid=answer["uuid"])
    assert fates(home.session(first, answer, late, old, new))[2:] == [
        ("Old", "rewound"),
        ("To the old one", "rewound"),
        ("New", "live"),
    ]


# ------------------------------------------------------------------------------------------------------ folds


def test_what_was_folded_is_compressed(home: Home) -> None:
    session = home.session(
        user("One"), model("1"), compaction(), user("Sum", **SUMMARY), user("Two"), model("2", "msg_2")
    )
    assert fates(session) == [("One", "compressed"), ("1", "compressed"), ("Two", "live"), ("2", "live")]


def test_prompt_that_made_the_client_fold_is_still_asked(home: Home) -> None:
    session = home.session(
        user("One"), model("1"), user("Two"), compaction("auto"), user("Sum", **SUMMARY), model("2", "msg_2")
    )
    assert fates(session) == [("One", "compressed"), ("1", "compressed"), ("Two", "live"), ("2", "live")]


def test_records_that_a_fold_takes_along(home: Home) -> None:
    second, answer = user("Two"), model("2", "msg_2")
    names = {"uuids": [second["uuid"]], "allUuids": [answer["uuid"]]}
    records = [user("One"), model("1"), second, answer]
    session = home.session(*records, compaction(preservedMessages=names))
    assert fates(session)[2:] == [("Two", "live"), ("2", "live")]
    stretch = {"headUuid": second["uuid"], "tailUuid": answer["uuid"]}
    session = home.session(*records, compaction(preservedSegment=stretch))
    assert fates(session) == [("One", "compressed"), ("1", "compressed"), ("Two", "live"), ("2", "live")]


def test_fold_of_what_stands_before_what_it_takes_along(home: Home) -> None:
    """The human folded all up to a prompt: the fold names the record before it, not the last one."""
    first, answer, second, reply = in_chain([user("One"), model("1"), user("Two"), model("2", "msg_2")])
    names = {"uuids": [second["uuid"], reply["uuid"]]}
    for more in (
        {"preservedMessages": names},
        {"preservedSegment": {"headUuid": names["uuids"][0], "tailUuid": names["uuids"][1]}},
    ):
        folded = compaction(**more)
        folded["logicalParentUuid"] = answer["uuid"]
        session = home.session(first, answer, second, reply, folded, user("Sum", **SUMMARY), user("Three"))
        assert [fate for _, fate in fates(session)] == ["compressed", "compressed", "live", "live", "live"]


def test_only_the_last_fold_counts(home: Home) -> None:
    session = home.session(
        user("One"),
        compaction(),
        user("Sum", **SUMMARY),
        user("Two"),
        model("2"),
        compaction(),
        user("Sum", **SUMMARY),
        user("Three"),
    )
    assert fates(session) == [("One", "compressed"), ("Two", "compressed"), ("2", "compressed"), ("Three", "live")]


def test_results_follow_their_calls(home: Home) -> None:
    session = home.session(user("Hi"), call(), result(), compaction(), user("Sum", **SUMMARY), user("On"))
    assert [m.fate.value for m in session.messages[:3]] == ["compressed"] * 3


def test_fold_that_was_rewound_folds_nothing(home: Home) -> None:
    """The human went back to a prompt before the compaction: what it folded is live again, what followed it is not."""
    first, answer, second, reply = user("One"), model("1"), user("Two"), model("2", "msg_2")
    folded = compaction()
    folded["logicalParentUuid"] = reply["uuid"]
    after = [user("Sum", **SUMMARY), user("Three"), model("3", "msg_3")]
    again = user("Two, again", parentUuid=answer["uuid"])
    session = home.session(first, answer, second, reply, folded, *after, again, model("4", "msg_4"))
    assert fates(session) == [
        ("One", "live"),
        ("1", "live"),
        ("Two", "rewound"),
        ("2", "rewound"),
        ("Three", "rewound"),
        ("3", "rewound"),
        ("Two, again", "live"),
        ("4", "live"),
    ]


def test_rewound_and_then_folded(home: Home) -> None:
    first, answer, old = user("One"), model("1"), user("Old")
    new = user("New", parentUuid=answer["uuid"])
    session = home.session(
        first, answer, old, new, model("2", "msg_2"), compaction(), user("Sum", **SUMMARY), user("On")
    )
    assert [fate for _, fate in fates(session)] == ["compressed", "compressed", "rewound", *["compressed"] * 2, "live"]


def test_summary_without_a_boundary_is_a_fold(home: Home) -> None:
    session = home.session(user("One"), model("1"), user("Sum", root=True, **SUMMARY), user("Two"), model("2", "msg_2"))
    assert fates(session) == [("One", "compressed"), ("1", "compressed"), ("Two", "live"), ("2", "live")]
    assert session.exact is False


def test_summary_at_the_beginning_is_of_another_session(home: Home) -> None:
    session = home.session(user("Sum", **SUMMARY), user("Two"), model("2"))
    assert fates(session) == [("Two", "live"), ("2", "live")]
    assert session.exact is True


# ------------------------------------------------------------------------------------- where the agent would go on


def last_prompt(leaf: str | None, **more: object) -> Json:
    return {"type": "last-prompt", "leafUuid": leaf, "sessionId": SID, **more}


def two_processes() -> tuple[list[Json], list[Json], list[Json]]:
    """What both resumed, and what each of them said."""
    shared = in_chain([user("Hi"), model("Hello")])
    first, second = user("One", parentUuid=shared[1]["uuid"]), user("Two", parentUuid=shared[1]["uuid"])
    return (
        shared,
        [first, model("1", "msg_2", parentUuid=first["uuid"])],
        [second, model("2", "msg_3", parentUuid=second["uuid"])],
    )


def test_of_two_processes_the_one_that_ended_last_goes_on(home: Home) -> None:
    shared, one, two = two_processes()
    home.log(SID, *shared, one[0], two[0], two[1], one[1])
    assert fates(home.only())[2:] == [("One", "live"), ("Two", "rewound"), ("2", "rewound"), ("1", "live")]


def test_the_last_mark_names_the_process_that_goes_on(home: Home) -> None:
    shared, one, two = two_processes()
    marks = [last_prompt(one[1]["uuid"]), last_prompt(two[1]["uuid"])]
    home.log(SID, *shared, one[0], two[0], two[1], one[1], *marks)
    assert fates(home.only())[2:] == [("One", "rewound"), ("Two", "live"), ("2", "live"), ("1", "rewound")]


def test_a_mark_holds_until_another_prompt_is_sent(home: Home) -> None:
    shared, one, two = two_processes()
    home.log(SID, *shared, *one, last_prompt(one[1]["uuid"]), *two)
    assert [fate for _, fate in fates(home.only())[2:]] == ["rewound", "rewound", "live", "live"]
    late = model("1, still", "msg_4", parentUuid=two[1]["uuid"])
    home.log(SID, *shared, *two, *one, last_prompt(one[1]["uuid"]), late)
    assert [fate for _, fate in fates(home.only())[2:]] == ["rewound", "rewound", "live", "live", "rewound"]


def test_human_who_went_back_and_said_nothing_yet(home: Home) -> None:
    records = in_chain([user("Hi"), model("Hello"), user("Sonny?"), model("Who?", "msg_2")])
    home.log(SID, *records, last_prompt(records[1]["uuid"], explicit=True))
    assert [fate for _, fate in fates(home.only())] == ["live", "live", "rewound", "rewound"]
    home.log(SID, *records, last_prompt(None, explicit=True))
    assert [fate for _, fate in fates(home.only())] == ["rewound"] * 4


TIE = "2026-11-15T07:00:00.500Z"


@pytest.mark.parametrize(
    ("version", "fate"), [("2.0.14", "cancelled"), ("2.1.77", "cancelled"), ("2.1.112", "live"), ("2.1.325", "live")]
)
def test_early_releases_go_on_at_the_first_of_the_latest_records(home: Home, version: str, fate: str) -> None:
    """A thought and the reply may be of one millisecond. Resumed by 2.1.77, such a prompt has no reply."""
    thought = model({"type": "thinking", "thinking": "Hm."}, "msg_2", None, timestamp=TIE)
    answer = model("Yes.", "msg_2", timestamp=TIE)
    before = [{**one, "timestamp": "2026-11-15T07:00:00.100Z"} for one in (user("Hi"), model("Hello"), user("Sunny?"))]
    records = [*before, thought, answer]
    session = home.session(*({**record, "version": version} for record in records))
    assert fates(session) == [("Hi", "live"), ("Hello", "live"), ("Sunny?", "live"), ("Yes.", fate)]
    assert fates(
        home.session(
            *({**one, "version": version} for one in (*records, user("Sure?", timestamp="2026-11-15T07:00:01.000Z")))
        )
    )[3] == ("Yes.", "live")


@pytest.mark.parametrize("version", ["2.0.77", "2.1.77"])
def test_early_releases_go_on_at_the_latest_record_when_the_clock_was_set_back(home: Home, version: str) -> None:
    early = "2026-11-15T05:00:00.000Z"
    records = [user("Hi"), model("Hello"), user("More", timestamp=early), model("Yes.", "msg_2", timestamp=early)]
    session = home.session(*({**record, "version": version} for record in records))
    assert fates(session) == [("Hi", "live"), ("Hello", "live"), ("More", "rewound"), ("Yes.", "rewound")]


@pytest.mark.parametrize(("first", "fate"), [("prompt", "cancelled"), ("text", "live"), ("call", "cancelled")])
def test_what_an_early_release_sends_of_a_reply_of_one_millisecond(home: Home, first: str, fate: str) -> None:
    """A text before the other is sent, and a call without its result is not."""
    prompt = user("Hi", timestamp=TIE if first == "prompt" else "2026-11-15T07:00:00.100Z")
    start = {"text": [model("Well.", timestamp=TIE)], "call": [{**call(), "timestamp": TIE}]}
    records = [prompt, *start.get(first, []), model("Yes.", timestamp=TIE)]
    session = home.session(*({**record, "version": "2.1.77"} for record in records))
    assert [message.fate.value for message in session.messages] == ["live", fate]


def test_branch_behind_what_the_client_says_in_the_models_place(home: Home) -> None:
    """Each of two processes puts a filler behind the last record, and its own prompt behind that."""
    shared = in_chain([user("Hi"), model("Hello")])
    fillers = [model("No response requested.", f"filler-{n}", parentUuid=shared[1]["uuid"]) for n in range(2)]
    for filler in fillers:
        filler["message"]["model"] = "<synthetic>"
    one, two = (user(text, parentUuid=filler["uuid"]) for text, filler in zip(("One", "Two"), fillers, strict=True))
    home.log(SID, *shared, fillers[0], one, fillers[1], two, model("2", "msg_2", parentUuid=two["uuid"]))
    assert fates(home.only())[2:] == [("One", "rewound"), ("Two", "live"), ("2", "live")]


def test_reply_that_was_written_before_its_prompt(home: Home) -> None:
    prompt = user("Hi")
    between = attachment_line("date", date="today", parentUuid=prompt["uuid"])
    answer = model("Hello", parentUuid=between["uuid"])
    more = user("More", parentUuid=answer["uuid"])
    home.log(SID, answer, prompt, between, more, model("Yes.", "msg_2", parentUuid=more["uuid"]))
    assert fates(home.only()) == [("Hi", "live"), ("Hello", "live"), ("More", "live"), ("Yes.", "live")]


def test_reply_that_nobody_went_on_from_was_broken_off(home: Home) -> None:
    prompt = user("Hi")
    lost, whole = (
        model(text, name, parentUuid=prompt["uuid"]) for text, name in (("Hel", "msg_1"), ("Hello", "msg_2"))
    )
    home.log(SID, prompt, lost, whole)
    assert fates(home.only()) == [("Hi", "live"), ("Hel", "cancelled"), ("Hello", "live")]


def test_record_whose_parent_is_lost_follows_the_one_before(home: Home) -> None:
    records = in_chain([user("Hi"), model("Hello"), user("More"), model("Yes.", "msg_2")])
    home.log(SID, records[0], *records[2:])
    assert {message.fate.value for message in home.only().messages} == {"live"}


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ((("a", None), ("b", "a"), ("c", "b")), True),
        ((("a", None), ("b", "a"), ("c", "a")), False),
        ((("a", "lost"), ("b", "a")), False),
        ((("a", None), ("b", "a"), ("b", "a")), False),
        ((("a", None), (None, "a")), False),
        ((), False),
    ],
)
def test_chain_has_no_branches(records: tuple[tuple[str | None, str | None], ...], *, expected: bool) -> None:
    lines = [SlimRecord(uuid=uuid, parentUuid=parent) for uuid, parent in records]
    by_uuid: dict[str, Line] = {}
    for line in lines:
        if line.uuid is not None:
            by_uuid.setdefault(line.uuid, line)
    assert Tree(lines, by_uuid).is_chain is expected
