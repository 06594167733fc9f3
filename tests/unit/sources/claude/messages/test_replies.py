from __future__ import annotations

import json

import pytest

from pollux.model import Thinking, ToolCall
from pollux.sources.claude.format.schema import SETTING, Line
from pollux.usage.service import Grouping
from tests.unit.sources.claude.conftest import (
    SID,
    Home,
    Json,
    call,
    calls,
    codes,
    conversation,
    model,
    result,
    usage,
    user,
)


def test_lines_of_one_reply_are_one_message_and_paid_once(home: Home) -> None:
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    session = home.session(user("Hi"), model(thinking, stop=None), model("Hello", stop=None), call())
    message = session.messages[1]
    assert [type(part).__name__ for part in message.parts] == ["Thinking", "Text", "ToolCall"]
    assert (session.usage.input, session.usage.cached, session.usage.cache_write) == (15, 3, 2)
    assert (session.usage.output, session.usage.total, session.usage.requests) == (5, 20, 1)
    assert message.usage is not None
    assert message.usage.native["input_tokens"] == 10


def test_results_may_stand_between_the_lines_of_a_reply(home: Home) -> None:
    session = home.session(
        user("Hi"),
        call("toolu_1", command="one"),
        result("toolu_1", "1"),
        call("toolu_2", command="two"),
        result("toolu_2", "2"),
    )
    assert [(c.id, c.output) for c in calls(session)] == [("toolu_1", "1"), ("toolu_2", "2")]
    assert session.usage.requests == 1


def test_largest_output_counts_wherever_it_stands(home: Home) -> None:
    lines = [model("a", figures=usage(2)), model("b", figures=usage(360)), model("c", figures=usage(3))]
    session = home.session(user("Hi"), *lines)
    assert session.usage.output == 360
    assert session.exact is True


def test_reply_without_an_end_is_a_lower_bound(home: Home) -> None:
    session = home.session(user("Hi"), model("a", stop=None), model("b", stop=None))
    message = session.messages[1]
    assert message.usage is not None
    assert message.usage.exact is False
    assert session.exact is False


def test_interrupted_reply_keeps_its_words(home: Home) -> None:
    stopped = user([{"type": "text", "text": "[Request interrupted by user]"}])
    session = home.session(user("Hi"), model("I start and", stop=None, isAbortedMidStream=True), stopped)
    assert conversation(session) == [("human", "Hi"), ("model", "I start and")]
    assert session.exact is False


def test_same_message_of_two_requests_is_two_replies(home: Home) -> None:
    session = home.session(
        user("Hi"), model("a", requestId="req_1"), model("b", requestId="req_2"), model("c", requestId="req_2")
    )
    assert [m.text for m in session.messages[1:]] == ["a", "b\nc"]


def test_compaction_is_billed_and_not_recorded(home: Home) -> None:
    from tests.unit.sources.claude.conftest import system

    session = home.session(user("Hi"), model("Hello"), system("compact_boundary", "Conversation compacted", root=True))
    assert session.exact is False


@pytest.mark.parametrize("records", [[user("Hi")], [user("Hi"), user("Again"), model("Hello")]])
def test_unanswered_prompts_leave_a_doubt(home: Home, records: list[dict[str, object]]) -> None:
    assert home.session(*records).exact is None


def test_hidden_and_empty_thinking(home: Home) -> None:
    session = home.session(
        user("Hi"),
        model({"type": "redacted_thinking", "data": "c2VjcmV0"}),
        model({"type": "thinking", "thinking": "", "signature": "x"}, thinkingDisplay="omitted"),
        model("Yes."),
    )
    parts = session.messages[1].parts
    assert [part.text for part in parts if isinstance(part, Thinking)] == ["", ""]
    assert parts[0].extra["data"] == "c2VjcmV0"  # type: ignore[union-attr]


def test_reply_that_goes_on_after_the_token_limit_is_another_message(home: Home) -> None:
    session = home.session(
        user("Hi"), model("cut", stop="max_tokens"), user("Output token limit hit.", isMeta=True), model("on", "msg_2")
    )
    assert conversation(session) == [("human", "Hi"), ("model", "cut"), ("model", "on")]
    assert session.usage.requests == 2


def test_odd_figures_are_kept_and_not_believed(home: Home) -> None:
    odd = {"input_tokens": "many", "output_tokens": -5, "cache_read_input_tokens": 10**400}
    session = home.session(user("Hi"), model("Hello", figures=odd))
    message = session.messages[1]
    assert message.usage is not None
    assert (message.usage.input, message.usage.output, message.usage.cached) == (None, None, None)
    assert message.usage.native["input_tokens"] == "many"
    assert session.exact is False


def test_part_of_an_unknown_kind(home: Home) -> None:
    session = home.session(user("Hi"), model({"type": "hologram", "beam": 7}))
    assert "part.unknown" in codes(session)


def test_record_of_an_unknown_kind_is_named_with_its_place(home: Home) -> None:
    file = home.log(SID, user("Hi"), {"type": "telepathy", "waves": "gamma"}, model("Hello"))
    session = home.only()
    assert session.extra["unknown"][0]["record"]["waves"] == "gamma"
    report = home.library().doctor()
    assert [(line.what, line.example) for line in report.unknown] == [("record type 'telepathy'", f"{file}:2")]


def test_records_known_from_others_are_kept_without_a_word(home: Home) -> None:
    home.log(SID, user("Hi"), {"type": "pr-link", "prNumber": 7, "sessionId": SID}, model("Hello"))
    session = home.only()
    assert session.extra["records"]["pr-link"][0]["prNumber"] == 7
    assert home.library().doctor().sound


def test_records_are_told_apart_by_their_uuid(home: Home) -> None:
    first = user("Hi")
    session = home.session(first, first, {**first, "message": {"role": "user", "content": "Other"}}, model("Hello"))
    assert conversation(session) == [("human", "Hi"), ("human", "Other"), ("model", "Hello")]


def test_reply_that_was_written_again_is_said_once_with_the_better_figures(home: Home) -> None:
    began = model("Hello", stop=None, figures=usage(1))
    ended = {**began, "message": {**began["message"], "stop_reason": "end_turn", "usage": usage(50)}}
    session = home.session(user("Hi"), began, ended)
    assert conversation(session) == [("human", "Hi"), ("model", "Hello")]
    assert (session.usage.output, session.exact) == (50, True)


def test_prompt_that_was_written_again_in_another_setting_is_said_once(home: Home) -> None:
    first = user("Hi")
    session = home.session(first, model("Hello"), {**first, "gitBranch": "dev", "version": "2.1.31"})
    assert conversation(session) == [("human", "Hi"), ("model", "Hello")]
    assert [(one["line"], one["gitBranch"]) for one in session.extra["records"]["again"]] == [(3, "dev")]


def test_key_order_does_not_matter(home: Home) -> None:
    turned = [dict(reversed(record.items())) for record in (user("Hi"), model("Hello"), call(), result())]
    session = home.session(*turned)
    assert conversation(session) == [("human", "Hi"), ("model", "Hello")]
    assert [part.status.value for part in session.messages[1].parts if isinstance(part, ToolCall)] == ["ok"]


def test_white_space_does_not_matter(home: Home) -> None:
    records = [user("Hi"), model("Hello"), call(), result()]
    home.write(f"-x/{SID}.jsonl", "".join(json.dumps(record) + "\r\n" for record in records))
    session = home.only()
    assert conversation(session) == [("human", "Hi"), ("model", "Hello")]
    assert session.notices == ()


def test_unknown_field_is_kept_and_named(home: Home) -> None:
    session = home.session(user("Hi", novelty="blue"), model("Hello"))
    assert session.messages[0].extra["novelty"] == "blue"
    assert [line.what for line in home.library().doctor().unknown] == ["user.novelty"]


@pytest.mark.parametrize("name", Line.__struct_fields__[SETTING])
def test_what_changes_from_line_to_line_is_told_where_it_changes(home: Home, name: str) -> None:
    one: Json = {name: "one"}
    session = home.session(user("Hi", **one), model("Hello", **one), user("More", **{name: "two"}))
    assert [message.extra.get(name) for message in session.messages] == [None, None, "two"]
    assert session.extra[name] == "one"


# ------------------------------------------------------------------------------------------------------- odd figures

FIGURES = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
ODD_FIGURES = (None, -5, "12", 10**10, 10**30, 1.5, True, [7])


@pytest.mark.parametrize("odd", [odd for odd in ODD_FIGURES if odd is not None], ids=lambda odd: repr(odd)[:12])
@pytest.mark.parametrize(
    ("whole", "name"),
    [
        ("output_tokens_details", "thinking_tokens"),
        ("cache_creation", "ephemeral_1h_input_tokens"),
        ("cache_creation", "ephemeral_5m_input_tokens"),
    ],
)
def test_odd_part_of_a_figure_leaves_nothing_called_exact(home: Home, whole: str, name: str, odd: object) -> None:
    session = home.session(user("Hi"), model("a", figures={**usage(), whole: {name: odd}}))
    used = session.messages[1].usage
    assert used is not None
    assert (used.reasoning, used.cache_write_long, used.input, used.output) == (None, None, 15, 5)
    assert (used.exact, session.exact) == (None, None)
    assert codes(session) == {"usage.odd"}


@pytest.mark.parametrize("odd", ODD_FIGURES, ids=lambda odd: repr(odd)[:12])
@pytest.mark.parametrize("name", FIGURES)
def test_odd_figure_is_unknown_and_nothing_is_called_exact(home: Home, name: str, odd: object) -> None:
    good, bad = usage(), {**usage(), name: odd}
    records = [user("Hi"), model("a", "msg_1", figures=good), user("On"), model("b", "msg_2", figures=bad)]
    session = home.session(*records)
    used = session.messages[3].usage
    assert used is not None
    missing = [getattr(used, field) for field in ("input", "cached", "cache_write", "output")]
    assert None in missing or (name == "input_tokens" and used.input is None)
    too_low = False if used.total is None else None  # without a whole half more was used for certain
    assert (used.exact, session.exact, session.usage.exact) == (None, too_low, too_low)
    assert used.native[name] == odd
    assert codes(session) == {"usage.missing" if odd is None else "usage.odd"}
    assert [gap.why for gap in session.gaps] == ["A reply has only a part of its figures."]
    library = home.library()
    assert library.usage.stats(Grouping.AGENT).total.usage.exact is too_low
    assert library.usage.audit_all().missing
    listed = library.list()[0].summary
    assert (listed.usage.exact, listed.notice_count) == (too_low, 1)
    assert (listed.usage.input, listed.usage.output) == (session.usage.input, session.usage.output)


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ({"output_tokens_details": {"thinking_tokens": 10**9}}, "reasoning"),
        ({"output_tokens_details": {"thinking_tokens": -1}}, "reasoning"),
        ({"cache_creation": {"ephemeral_1h_input_tokens": 50}}, "cache_write_long"),
        ({"cache_creation": {"ephemeral_1h_input_tokens": "x"}}, "cache_write_long"),
    ],
)
def test_part_that_cannot_be_is_unknown(home: Home, more: Json, name: str) -> None:
    session = home.session(user("Hi"), model("a", figures={**usage(), **more}))
    assert getattr(session.usage, name) is None
    assert (session.usage.exact, codes(session)) == (None, {"usage.odd"})


def test_figure_that_is_not_there_at_all(home: Home) -> None:
    figures = usage()
    del figures["output_tokens"]
    session = home.session(user("Hi"), model("a", figures=figures))
    assert (session.usage.input, session.usage.output, session.usage.total) == (15, None, None)
    assert (session.usage.known, session.exact) == (15, False)


@pytest.mark.parametrize("absent", [True, False])
def test_reply_without_figures_is_a_request_of_unknown_price(home: Home, absent: bool) -> None:
    """Said alike by the list, the session, its turns, its audit and the sums."""
    silent = model("b", "msg_2")
    silent["message"]["usage"] = None
    if absent:
        del silent["message"]["usage"]
    session = home.session(user("Hi"), model("a", "msg_1"), user("On"), silent)
    assert (session.usage.requests, session.usage.exact) == (2, False)
    books = home.library().usage
    total = books.stats(Grouping.AGENT).total
    assert (total.usage.requests, total.unpriced_causes.figures, total.silent, total.too_low) == (2, 1, 0, 1)
    assert books.bill(session) == books.bills([session.key])[session.key]
    assert books.bill(session).unpriced == 1
    assert [turn.unpriced_requests for turn in books.profile(session).turns] == [0, 1]
    audit = books.audit(session)
    assert [item.rule for item in audit.items if item.counted] == ["counted", "a request without figures"]
    assert [(gap.why, gap.certain) for gap in audit.gaps] == [("A reply has no figures.", True)]


def test_right_figure_on_another_line_of_the_reply(home: Home) -> None:
    odd = {**usage(), "output_tokens": "12"}
    session = home.session(user("Hi"), model("a", figures=odd), model("b", figures=usage(12)))
    assert (session.usage.output, session.exact, session.notices) == (12, True, ())


def test_vendor_that_does_not_speak_of_a_cache(home: Home) -> None:
    session = home.session(user("Hi"), model("a", figures={"input_tokens": 10, "output_tokens": 5}))
    assert (session.usage.input, session.usage.cached, session.usage.output) == (10, None, 5)
    assert session.exact is None
