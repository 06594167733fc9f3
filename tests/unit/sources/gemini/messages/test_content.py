"""Who speaks, and what a message is made of."""

from __future__ import annotations

from typing import Any

import pytest

from pollux.model import Attachment, Context, FileReference, Message, Text, Thinking, ToolCall, ToolResult, Unknown
from tests.unit.sources.gemini.conftest import LOG, Home, call, document, gemini, header, info, user

PIXEL = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}


def prompt(home: Home, content: Any, **more: Any) -> Message:
    home.log(LOG, header(), user("u0", "first"), user("u1", content, **more), gemini("g1", "fine"))
    return next(message for message in home.only().messages if message.id == "u1")


@pytest.mark.parametrize(
    "content",
    [
        "<session_context>\nx\n</session_context>",
        "<hook_context>x</hook_context>",
        "This is the Gemini CLI. We are setting up the context for our chat.\nx",
        "- **Workspace Directories:**\n  - /x",
        "[Function Response: read_file]<image/png>",
        "System: Please continue.",
        "System: Potential loop detected. Details: x. Please take a step back.",
        "\n<state_snapshot>x</state_snapshot>",
        [{"functionResponse": {"id": "c", "name": "read_file", "response": {"output": "x"}}}, PIXEL],
    ],
)
def test_what_the_client_wrote_is_nobodys_prompt(home: Home, content: Any) -> None:
    assert prompt(home, content).author == "client"


@pytest.mark.parametrize(
    "text",
    [
        "/home/me/x.py fails, why?",
        "? what",
        "Please read <session_context> tags",
        "\n hello",
        "System: Linux. Which one?",
    ],
)
def test_what_a_person_may_well_type_is_a_prompt(home: Home, text: str) -> None:
    message = prompt(home, text)
    assert (message.author, message.text) == ("human", text)


EXPANDED = (
    "Read @a.md please\n--- Content from referenced files ---\n"
    "Content from @a.md:\n# A\n\nbody\nContent from @b c.md:\nB\n--- End of content ---"
)


@pytest.mark.parametrize(
    "content",
    [
        EXPANDED,
        [EXPANDED],
        {"text": EXPANDED},
        [
            {"text": "Read @a.md please"},
            {"text": "\n--- Content from referenced files ---"},
            {"text": "\nContent from @a.md:\n"},
            {"text": "# A\n\nbody"},
            {"text": "\nContent from @b c.md:\n"},
            {"text": "B"},
            {"text": "\n--- End of content ---"},
        ],
    ],
)
@pytest.mark.parametrize("display", [None, "Read @a.md please"])
def test_files_a_prompt_brought_in_are_not_its_words(home: Home, content: Any, display: str | None) -> None:
    more = {"displayContent": [{"text": display}]} if display else {}
    message = prompt(home, content, **more)
    assert message.text == "Read @a.md please"
    files = [(part.path, part.text) for part in message.parts if isinstance(part, FileReference)]
    assert files == [("a.md", "# A\n\nbody"), ("b c.md", "B")]


def test_words_after_the_files_belong_to_the_prompt(home: Home) -> None:
    message = prompt(home, EXPANDED + "\nand hurry")
    assert message.text == "Read @a.md please\nand hurry"


def test_a_file_without_an_end_mark_reaches_to_the_end(home: Home) -> None:
    message = prompt(home, "Read @a\n--- Content from referenced files ---\nContent from @a:\ntext goes on")
    assert message.text == "Read @a"
    assert [part.text for part in message.parts if isinstance(part, FileReference)] == ["text goes on"]


def test_a_picture_in_a_prompt_is_an_attachment(home: Home) -> None:
    message = prompt(
        home,
        [
            {"text": "What is @logo.png"},
            {"text": "\n--- Content from referenced files ---"},
            PIXEL,
            {"text": "\n--- End of content ---"},
        ],
    )
    assert message.text == "What is @logo.png"
    assert [(part.media_type, part.data) for part in message.parts if isinstance(part, Attachment)] == [
        ("image/png", "AAAA")
    ]


def test_a_hooks_words_are_told_apart_from_the_prompt(home: Home) -> None:
    message = prompt(home, [{"text": "Go"}, {"text": "<hook_context>be careful</hook_context>"}])
    assert message.text == "Go"
    assert [part.text for part in message.parts if isinstance(part, Context)] == [
        "<hook_context>be careful</hook_context>"
    ]


def test_a_custom_command_is_shown_as_typed_and_its_expansion_kept(home: Home) -> None:
    message = prompt(home, [{"text": "Long instructions"}], displayContent="/review main.py")
    assert message.text == "/review main.py"
    assert [(part.source, part.text) for part in message.parts if isinstance(part, Context)] == [
        ("expansion", "Long instructions")
    ]


def test_thoughts_and_calls_in_the_content_are_not_said_twice(home: Home) -> None:
    content = [
        {"text": "**Plan**\nread first", "thought": True, "thoughtSignature": "sig"},
        {"text": "On it."},
        {"functionCall": {"id": "c1", "name": "read_file", "args": {"file_path": "a"}}},
    ]
    thought = {"subject": "Plan", "description": "read first", "timestamp": "2026-11-15T06:00:02.000Z"}
    home.log(LOG, header(), user("u1", "go"), gemini("g1", content, thoughts=[thought], toolCalls=[call("c1")]))
    parts = home.only().messages[1].parts
    assert [type(part) for part in parts] == [Thinking, Text, ToolCall]


def test_a_call_only_in_the_content_is_joined_with_its_answer(home: Home) -> None:
    records = [
        {"functionCall": {"id": "c1", "name": "read_file", "args": {"file_path": "a"}}, "thoughtSignature": "s"},
        {"functionCall": {"id": "c2", "name": "glob", "args": {}}},
    ]
    answer = [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"error": "no such file"}}}]
    home.log(LOG, header(), user("u1", "go"), gemini("g1", records, tokens=None), user("u2", answer))
    _, turn, result = home.only().messages
    assert [(p.name, p.status.value, p.output) for p in turn.parts if isinstance(p, ToolCall)] == [
        ("read_file", "error", "no such file"),
        ("glob", "unfinished", None),
    ]
    assert [(p.call, p.output) for p in result.parts if isinstance(p, ToolResult)] == [("c1", None)]


def test_parts_of_unknown_kinds_are_kept(home: Home) -> None:
    odd = [{"hologram": {"x": 1}}, {"executableCode": {"language": "PYTHON", "code": "1"}}, 7]
    home.log(LOG, header(), user("u1", "go"), gemini("g1", odd))
    assert [part.raw for part in home.only().messages[1].parts if isinstance(part, Unknown)] == [
        {"hologram": {"x": 1}},
        {"executableCode": {"language": "PYTHON", "code": "1"}},
        7,
    ]


def test_lines_of_the_interface_are_the_systems(home: Home) -> None:
    home.log(
        LOG,
        header(),
        user("u1", "go"),
        gemini("g1", "ok"),
        info("e1", "API error", level="error"),
        info("w1", "careful", level="warning"),
    )
    assert [(m.role.value, m.extra["level"], m.text) for m in home.only().messages[2:]] == [
        ("system", "error", "API error"),
        ("system", "warning", "careful"),
    ]


def test_tool_use_prompts_are_input_and_thoughts_are_output(home: Home) -> None:
    turn = gemini("g1", "ok")
    turn["tokens"] = {"input": 100, "output": 20, "cached": 50, "thoughts": 5, "tool": 7, "total": 132}
    home.log(LOG, header(), user("u1", "go"), turn)
    usage = home.only().messages[1].usage
    assert usage is not None
    assert (usage.input, usage.cached, usage.output, usage.reasoning, usage.total, usage.cache_write) == (
        107,
        50,
        25,
        5,
        132,
        None,
    )
    assert usage.native["total"] == 132


def test_no_figures_are_null_not_zero(home: Home) -> None:
    home.log(LOG, header(), user("u1", "go"), gemini("g1", "ok", tokens=None))
    usage = home.only().usage
    assert (usage.input, usage.output, usage.total, usage.requests, usage.exact) == (None, None, None, None, None)


def test_half_the_figures_are_not_exact(home: Home) -> None:
    home.log(LOG, header(), user("u1", "go"), gemini("g1", "ok", tokens=None) | {"tokens": {"output": 5}})
    usage = home.only().usage
    assert (usage.input, usage.output, usage.total, usage.exact) == (None, 5, None, False)


_MISSING = object()


@pytest.mark.parametrize("odd", [-3, "x", 1.5, None, _MISSING], ids=["less", "text", "half", "null", "-"])
@pytest.mark.parametrize("name", ["input", "output", "cached", "thoughts", "tool"])
def test_a_figure_that_is_odd_or_missing_is_unknown_and_nothing_is_exact(home: Home, name: str, odd: Any) -> None:
    figures: dict[str, Any] = {"input": 100, "output": 20, "cached": 100, "thoughts": 5, "tool": 7, "total": 132}
    del figures[name]
    if odd is not _MISSING:
        figures[name] = odd
    home.log(LOG, header(), user("u1", "go"), {**gemini("g1", "words"), "tokens": figures})
    session = home.only()
    used = session.usage
    assert used.exact is (False if used.total is None else None)
    assert [gap.why for gap in session.gaps] == ["An answer has only a part of its figures."]
    known = {"input": 107, "output": 25, "cached": 100, "reasoning": 5}
    gone = odd is None or odd is _MISSING
    unknown: dict[str, dict[str, int | None]] = {
        "input": {"input": None},
        "output": {"output": None},
        "cached": {"cached": None},
        "thoughts": {"reasoning": None, "output": 20 if gone else None},
        "tool": {"input": 100 if gone else None},
    }
    assert {figure: getattr(used, figure) for figure in known} == {**known, **unknown[name]}
    assert {notice.code for notice in session.notices} == (set() if gone else {"field.type"})


@pytest.mark.parametrize(("cached", "known", "exact"), [(107, 107, True), (108, None, None)])
def test_no_more_can_be_cached_than_was_read(home: Home, cached: int, known: int | None, exact: bool | None) -> None:
    figures = {"input": 100, "output": 20, "cached": cached, "thoughts": 5, "tool": 7, "total": 132}
    home.log(LOG, header(), user("u1", "go"), {**gemini("g1", "words"), "tokens": figures})
    session = home.only()
    assert (session.usage.input, session.usage.cached, session.usage.exact) == (107, known, exact)
    assert [notice.code for notice in session.notices] == ([] if exact else ["usage.odd"])


def test_calls_without_figures_are_not_exact(home: Home) -> None:
    home.log(LOG, header(), user("u1", "go"), gemini("g1", "", tokens=None, toolCalls=[call("c1")]), gemini("g2", "ok"))
    assert home.only().usage.exact is None


def test_words_of_which_no_output_is_counted_have_figures_of_an_open_stream(home: Home) -> None:
    figures = {"input": 10, "output": 0, "cached": 0, "thoughts": 0, "tool": 0, "total": 10}
    home.log(LOG, header(), user("u1", "go"), {**gemini("g1", "words"), "tokens": figures})
    used = home.only().usage
    assert (used.input, used.output, used.exact) == (10, None, False)


def test_a_document_in_which_nothing_tells_the_release_may_lack_calls_and_their_figures(home: Home) -> None:
    place = "weather/chats/session-2026-11-15T06-00-aaaaaaaa.json"
    first, reply = {**user("u1", "go"), "content": "go"}, gemini("g1", "1")
    for messages, exact in (
        ([first, reply], None),
        ([first, {**reply, "toolCalls": [call("c1")]}, gemini("g2", "2")], True),
        ([first, reply, info("i1", "hello")], True),
        ([user("u1", "go"), reply], True),
    ):
        home.document(place, document(messages))
        assert home.only().usage.exact is exact
