from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pollux.model import Author, Fate, Message, Part, Role, Session, Text, Thinking
from pollux.writers.base import Options, Report
from pollux.writers.facts import period
from pollux.writers.loss import ORIGINS
from tests.unit.writers.kitchen_sink import SESSION
from tests.unit.writers.markdown_parser import EVERYTHING, WAYS, check, markdown, text


def session(*messages: Message) -> Session:
    return Session(agent="gemini", id="1", messages=messages)


def said(role: Role, author: Author, words: str, fate: Fate = Fate.LIVE, **extra: str) -> Message:
    return Message(id="m", role=role, author=author, parts=(Text(text=words),), fate=fate, extra=extra)


def prompt(words: str, fate: Fate = Fate.LIVE) -> Message:
    return said(Role.USER, Author.HUMAN, words, fate)


def reply(words: str, fate: Fate = Fate.LIVE) -> Message:
    return said(Role.ASSISTANT, Author.MODEL, words, fate)


def headings(document: str) -> list[str]:
    return [line for line in document.splitlines() if line.startswith("#")]


def dropped(report: Report) -> dict[str, int]:
    return {entry.what: entry.count for entry in report.dropped}


def words_dropped(report: Report) -> dict[str, int]:
    """Without what no transcript ever tells."""
    return {what: count for what, count in dropped(report).items() if what != ORIGINS}


@pytest.mark.parametrize("options", WAYS)
def test_the_kitchen_sink_keeps_its_structure(options: Options) -> None:
    check(SESSION, options)


def test_one_heading_for_all_messages_of_a_turn() -> None:
    page = markdown(session(prompt("a"), reply("b"), reply("c"), prompt("d"), prompt("e"))).text
    assert headings(page) == ["# a", "## You", "### Assistant", "## You", "## You"]


def test_what_became_of_a_message_is_said_in_words() -> None:
    messages = [prompt("a", Fate.REWOUND), reply("b", Fate.REWOUND), reply("c")]
    assert headings(markdown(session(*messages)).text)[1:] == [
        "## You (rewound)",
        "### Assistant (rewound)",
        "### Assistant",
    ]
    assert "━━ You (rewound)\n" in text(session(*messages)).text


def test_only_what_is_live_when_asked() -> None:
    page, report = markdown(session(prompt("gone", Fate.COMPRESSED), prompt("here")), Options(live_only=True))
    assert report.kept == 1
    assert "gone" not in page.split("\n", 1)[1]
    assert words_dropped(report) == {"messages no longer live": 1}


@pytest.mark.parametrize("level", ["error", "warning", "info"])
def test_errors_are_kept_and_other_notices_on_request(level: str) -> None:
    one = session(said(Role.SYSTEM, Author.CLIENT, "Something happened.", level=level))
    assert ("Something happened." in markdown(one).text) is (level == "error")
    assert ("Something happened." in text(one).text) is (level == "error")
    assert f"*{level.title()}*" in markdown(one, Options(notices=True)).text


def test_commands_are_left_out_unless_asked_for() -> None:
    one = session(said(Role.SYSTEM, Author.HUMAN, "/quit"))
    assert dropped(markdown(one).report) == {"typed commands": 1}
    assert "> *Command*: `/quit`" in markdown(one, Options(notices=True)).text


def test_what_the_client_says_is_left_out() -> None:
    page, report = markdown(session(said(Role.USER, Author.CLIENT, "<session_context>"), prompt("hi")), EVERYTHING)
    assert "session_context" not in page
    assert dropped(report)["client messages"] == 1


def test_thinking_only_on_request() -> None:
    parts: tuple[Part, ...] = (Thinking(subject="Plan", text="Hmm."), Text(text="Yes."))
    one = session(Message(id="m", role=Role.ASSISTANT, author=Author.MODEL, parts=parts))
    assert "Hmm." not in markdown(one).text
    assert words_dropped(markdown(one).report) == {"thinking": 1}
    output = markdown(one, Options(thinking=True))
    assert "<details><summary>Thinking: Plan</summary>\n\nHmm.\n\n</details>" in output.text
    assert words_dropped(output.report) == {}


def test_the_report_counts_everything() -> None:
    # Counted by hand from the kitchen sink.
    assert dropped(markdown(SESSION).report) == {
        "client messages": 3,
        "info and warning messages": 3,
        "typed commands": 1,
        "messages with nothing to show": 2,
        "thinking": 2,
        "tool inputs": 7,
        "tool outputs": 2,
        "token figures": 1,
        "attachment data": 2,
        "texts of referenced files": 1,
        "client texts": 2,
        "parts of unknown kind": 1,
        "other recorded details": 5,
        "reader's notices": 2,
        "links to other sessions": 1,
        "ids, times of calls, places in files": 30,
    }


def test_pieces_come_message_by_message() -> None:
    from pollux.writers.markdown import WRITER

    pieces: list[str] = []
    WRITER.write(session(*(prompt("word " * 100) for _ in range(1000))), pieces.append, Options())
    assert len(pieces) > 1000
    assert max(map(len, pieces)) < 2000


def test_an_untitled_session_without_anything() -> None:
    assert markdown(session()).text == "# Untitled session\n\ngemini · 0 prompts, 0 replies · `gemini:1`\n"
    assert text(session()).text == "Untitled session\n\ngemini\n0 prompts, 0 replies\ngemini:1\n"


def test_periods() -> None:
    start = datetime(2026, 11, 15, 6, 16, tzinfo=UTC)
    assert period(start, None) == period(None, start) == period(start, start) == "2026-11-15 06:16 UTC"
    assert period(start, start.replace(hour=7)) == "2026-11-15 06:16–07:16 UTC"
    assert period(start, start.replace(day=16)) == "2026-11-15 06:16 – 2026-11-16 06:16 UTC"
    assert period(None, None) is None
