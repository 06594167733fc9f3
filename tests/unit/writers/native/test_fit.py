"""A conversation is made to fit: prompts stay, results go first, and the account says what was folded."""

from __future__ import annotations

import pytest

from pollux.errors import RequestError
from pollux.model import Fate, FileReference, Message, Session, SummaryPart, Text, ToolResult
from pollux.writers.native import tokens
from pollux.writers.native.account import Account, Carried
from pollux.writers.native.conversation import AnsweredCall, Conversation, Media, Words
from tests.unit.writers.native.test_draft import call, calls, client, drafted, prompt, reply, said, session

LONG = "word " * 4_000
"""5,000 tokens."""


def size(conversation: Conversation) -> int:
    pieces = [piece for turn in conversation.turns for piece in turn.pieces]
    return tokens.of_text(conversation.note) + sum(map(tokens.of_piece, pieces))


def folded(account: Account) -> list[tuple[str, str]]:
    return [(item.message, item.what) for item in account.items if "folded" in item.why]


def long_session() -> Session:
    last = [reply(f"r{number}", Text(text="Short.")) for number in range(10)]
    return session(
        prompt("p1", LONG),
        reply("a1", Text(text=LONG), call("c1", input={"path": "a"}, output=LONG + LONG)),
        prompt("p2", "Go on", FileReference(path="f", text=LONG)),
        reply("a2", call("c2", input={"content": LONG}, output="ok")),
        client("s", SummaryPart(text=LONG)),
        *last,
    )


def test_what_fits_stays_as_it_was() -> None:
    whole, _ = drafted(long_session())
    fitted, account = drafted(long_session(), fit=size(whole))
    assert (fitted, folded(account)) == (whole, [])


@pytest.mark.parametrize(
    ("fit", "expected"),
    [
        (32_000, [("a1", "tool outputs")]),
        (24_000, [("a1", "tool outputs"), ("p2", "texts of referenced files")]),
        (16_000, [("a1", "tool outputs"), ("a2", "tool inputs"), ("p2", "texts of referenced files")]),
        (
            12_000,
            [
                ("a1", "texts of messages"),
                ("a1", "tool outputs"),
                ("p2", "texts of referenced files"),
                ("a2", "tool inputs"),
            ],
        ),
    ],
)
def test_results_go_first_and_the_largest_of_them(fit: int, expected: list[tuple[str, str]]) -> None:
    fitted, account = drafted(long_session(), fit=fit)
    assert size(fitted) <= fit
    assert sorted(folded(account)) == sorted(expected)
    words = [text for role, text in said(fitted.turns) if role == "user"]
    assert words[0] == LONG
    assert any(LONG in text for text in words[1:])


def test_a_line_says_where_it_is() -> None:
    fitted, _ = drafted(long_session(), fit=12_000)
    line = "[folded to save tokens: pollux show 'gemini:s#a1' --full]"
    assert calls(fitted)[0].output == line
    assert ("assistant", line) in said(fitted.turns)
    assert calls(fitted)[1].input == {"folded": line.replace("a1", "a2")}


def test_what_was_said_last_goes_last() -> None:
    given = session(
        prompt("p", "Go"),
        reply("old", call("c1", output=LONG)),
        *(prompt(f"p{number}", "Go on") for number in range(9)),
        reply("new", call("c2", output=LONG + LONG)),
    )
    assert folded(drafted(given, fit=12_000)[1]) == [("old", "tool outputs")]
    assert folded(drafted(given, fit=4_000)[1]) == [("old", "tool outputs"), ("new", "tool outputs")]


def test_what_was_taken_back_goes_first() -> None:
    given = session(
        prompt("1", LONG, fate=Fate.REWOUND), prompt("2", "Go"), reply("3", call(output=LONG)), *long_session().messages
    )
    _, account = drafted(given, fate="all", fit=40_000)
    assert ("1", "texts of messages") in folded(account)
    assert ("3", "tool outputs") not in folded(account)


def test_prompts_alone_do_not_fit() -> None:
    with pytest.raises(RequestError, match=r"1,000 tokens are too few: the prompts alone take about 10,\d{3}"):
        drafted(long_session(), fit=1_000)


def test_too_many_lines_are_left_out_from_the_oldest_on() -> None:
    rounds = [
        (prompt(f"p{n}", f"Prompt {n}"), reply(f"a{n}", call(f"c{n}", output=LONG)), result(n)) for n in range(99)
    ]
    given = session(*(one for turn in rounds for one in turn))
    fitted, account = drafted(given, fit=4_000)
    assert size(fitted) <= 4_000
    words = said(fitted.turns)
    assert [text for role, text in words if role == "user"] == [f"Prompt {n}" for n in range(99)]
    line = "[from here on left out to save tokens, except prompts: pollux show 'gemini:s#a0' --full]"
    assert [text for role, text in words if role == "assistant" and text != "AnsweredCall"] == [line]
    gone = [item.message for item in account.items if item.carried is Carried.LEFT_OUT]
    left = len(calls(fitted))
    assert gone == [id for n in range(99 - left) for id in (f"a{n}", f"r{n}")]
    assert 10 < left < 99
    assert account.parts.total == 3 * 99


def result(number: int) -> Message:
    return client(f"r{number}", ToolResult(call=f"c{number}"))


def test_folded_parts_are_carried_as_text() -> None:
    _, account = drafted(long_session(), fit=12_000)
    assert {item.carried for item in account.items if "folded" in item.why} == {Carried.TEXT}
    assert account.parts.total == sum(len(one.parts) for one in long_session().messages)


def test_tokens_are_a_quarter_of_the_bytes() -> None:
    assert tokens.of_text("abcdefghi") == 3
    assert tokens.of_text("架构") == 2
    assert tokens.of_text("\ud800") == 1
    assert tokens.of_piece(Media(media_type="image/png", data="x" * 10_000)) == 1_608
    picture = Media(media_type="image/png", data="")
    one = AnsweredCall(id="1", name="ls", input={}, output="abcd", failed=False, media=(picture,))
    assert tokens.of_piece(one) == 2 * 8 + 1 + 1 + 1 + 1_600
    assert tokens.of_piece(Words(text="")) == 8
