from __future__ import annotations

from typing import Any

from pollux.model import Session
from tests.unit.sources.claude.conftest import (
    OTHER,
    SID,
    Home,
    Json,
    call,
    chained,
    model,
    put,
    result,
    said,
    system,
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


# ------------------------------------------------------------------------------------------------------ folds


def fold(trigger: str = "manual", **more: Any) -> Json:
    kept = {"trigger": trigger, "preTokens": 7, **more}
    return system("compact_boundary", "Conversation compacted", compactMetadata=kept, root=True)


SUMMARY = {"isCompactSummary": True}


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


# ------------------------------------------------------------------------------------------------------ forks


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
    shared = chained([user("42"), model("Noted.")])
    home.log(SID, *shared)
    home.log(OTHER, *renamed(shared, OTHER), *own(OTHER, shared[-1]))
    check_fork(home.sessions())


def test_fork_whose_copies_kept_the_parents_id(home: Home) -> None:
    shared = chained([user("42"), model("Noted.")])
    home.log(SID, *shared)
    home.log(OTHER, *shared, *own(OTHER, shared[-1]))
    check_fork(home.sessions())


def test_fork_of_which_only_the_prompts_kept_the_parents_id(home: Home) -> None:
    shared = chained([user("42"), model("Noted.")])
    home.log(SID, *shared)
    home.log(OTHER, shared[0], *renamed(shared[1:], OTHER), *own(OTHER, shared[-1]))
    check_fork(home.sessions())


def test_parent_that_went_on_after_the_fork(home: Home) -> None:
    shared = chained([user("42"), model("Noted.")])
    fork = own(OTHER, shared[-1])
    later = user("Thanks", parentUuid=shared[-1]["uuid"])
    home.log(SID, *shared, later)
    home.log(OTHER, *renamed(shared, OTHER), *fork)
    check_fork(home.sessions())


def test_fork_whose_parent_is_gone(home: Home) -> None:
    shared = chained([user("42"), model("Noted.")])
    home.log(OTHER, shared[0], *renamed(shared[1:], OTHER), *own(OTHER, shared[-1]))
    fork = home.only()
    assert [message.inherited for message in fork.messages] == [True, True, False, False]
    assert fork.links[0].target == f"claude:{SID}"


def test_same_words_in_two_sessions_are_no_fork(home: Home) -> None:
    home.log(SID, user("Hi"), model("Hello"))
    home.log(OTHER, user("Hi", sessionId=OTHER), model("Hello", sessionId=OTHER))
    assert [session.links for session in home.sessions().values()] == [(), ()]


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
    assert said(session)[0] == ("human", "/clear")
    assert session.usage.requests == 1


def test_results_follow_their_calls(home: Home) -> None:
    session = home.session(user("Hi"), call(), result(), fold(), user("Sum", **SUMMARY), user("On"))
    assert [m.fate.value for m in session.messages[:3]] == ["compressed"] * 3
