from __future__ import annotations

from pollux.model import Session
from tests.unit.sources.claude.conftest import (
    SUMMARY,
    Home,
    call,
    fold,
    model,
    put,
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
    between = put("date", date="today", parentUuid=answer["uuid"])
    session = home.session(first, answer, user("Old"), between, user("New"))
    assert fates(session) == [("Hi", "live"), ("Hello", "live"), ("Old", "rewound"), ("New", "live")]


def test_prompt_after_a_crash_rewinds_nothing(home: Home) -> None:
    text, asked = model("Starting.", stop=None), call()
    session = home.session(user("Run"), text, asked, user("Carry on", parentUuid=text["uuid"]), model("Ok", "msg_2"))
    assert {message.fate.value for message in session.messages} == {"live"}


def test_prompts_in_a_row_are_no_rivals(home: Home) -> None:
    session = home.session(user("One"), user("Two"), put("queued_command", prompt="Three"), model("Ok"))
    assert {message.fate.value for message in session.messages} == {"live"}


def test_prompts_that_a_turn_absorbed_are_no_rivals(home: Home) -> None:
    """Two results of one reply, and behind each a prompt that was typed meanwhile."""
    one, other = call("toolu_1"), call("toolu_2")
    absorbed = [
        put("queued_command", prompt="Metric.", parentUuid=one["uuid"]),
        put("queued_command", prompt="Celsius.", parentUuid=other["uuid"]),
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
    session = home.session(user("One"), model("1"), fold(), user("Sum", **SUMMARY), user("Two"), model("2", "msg_2"))
    assert fates(session) == [("One", "compressed"), ("1", "compressed"), ("Two", "live"), ("2", "live")]


def test_prompt_that_made_the_client_fold_is_still_asked(home: Home) -> None:
    session = home.session(
        user("One"), model("1"), user("Two"), fold("auto"), user("Sum", **SUMMARY), model("2", "msg_2")
    )
    assert fates(session) == [("One", "compressed"), ("1", "compressed"), ("Two", "live"), ("2", "live")]


def test_records_that_a_fold_takes_along(home: Home) -> None:
    second, answer = user("Two"), model("2", "msg_2")
    names = {"uuids": [second["uuid"]], "allUuids": [answer["uuid"]]}
    records = [user("One"), model("1"), second, answer]
    session = home.session(*records, fold(preservedMessages=names))
    assert fates(session)[2:] == [("Two", "live"), ("2", "live")]
    stretch = {"headUuid": second["uuid"], "tailUuid": answer["uuid"]}
    session = home.session(*records, fold(preservedSegment=stretch))
    assert fates(session) == [("One", "compressed"), ("1", "compressed"), ("Two", "live"), ("2", "live")]


def test_only_the_last_fold_counts(home: Home) -> None:
    session = home.session(
        user("One"),
        fold(),
        user("Sum", **SUMMARY),
        user("Two"),
        model("2"),
        fold(),
        user("Sum", **SUMMARY),
        user("Three"),
    )
    assert fates(session) == [("One", "compressed"), ("Two", "compressed"), ("2", "compressed"), ("Three", "live")]


def test_results_follow_their_calls(home: Home) -> None:
    session = home.session(user("Hi"), call(), result(), fold(), user("Sum", **SUMMARY), user("On"))
    assert [m.fate.value for m in session.messages[:3]] == ["compressed"] * 3


def test_fold_that_was_rewound_folds_nothing(home: Home) -> None:
    """The human went back to a prompt before the compaction: what it folded is live again, what followed it is not."""
    first, answer, second, reply = user("One"), model("1"), user("Two"), model("2", "msg_2")
    folded = fold()
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
    session = home.session(first, answer, old, new, model("2", "msg_2"), fold(), user("Sum", **SUMMARY), user("On"))
    assert [fate for _, fate in fates(session)] == ["compressed", "compressed", "rewound", *["compressed"] * 2, "live"]


def test_summary_without_a_boundary_is_a_fold(home: Home) -> None:
    session = home.session(user("One"), model("1"), user("Sum", root=True, **SUMMARY), user("Two"), model("2", "msg_2"))
    assert fates(session) == [("One", "compressed"), ("1", "compressed"), ("Two", "live"), ("2", "live")]
    assert session.exact is False


def test_summary_at_the_beginning_is_of_another_session(home: Home) -> None:
    session = home.session(user("Sum", **SUMMARY), user("Two"), model("2"))
    assert fates(session) == [("Two", "live"), ("2", "live")]
    assert session.exact is True
