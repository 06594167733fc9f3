"""The walk that all outputs for people share."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

from pollux.model import (
    Author,
    Fate,
    Message,
    Part,
    Role,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from pollux.writers.transcript import (
    Block,
    Branch,
    CallBlock,
    FiguresBlock,
    Heading,
    NoteBlock,
    ResultBlock,
    Speaker,
    SummaryBlock,
    TextBlock,
    ThinkingBlock,
    heading,
    is_blank,
    walk,
)
from tests.unit.writers.kitchen_sink import SESSION


def message(*parts: Part, role: Role = Role.ASSISTANT, author: Author = Author.MODEL, **rest: object) -> Message:
    return Message(id="m", role=role, author=author, parts=parts, **rest)  # type: ignore[arg-type]


def said(words: str, fate: Fate = Fate.LIVE, *, inherited: bool = False) -> Message:
    return message(Text(text=words), fate=fate, inherited=inherited)


def test_every_part_of_every_message_is_a_block() -> None:
    blocks = [block for block in walk(SESSION.messages) if not isinstance(block, Branch)]
    headed = [block.message for block in blocks if isinstance(block, Heading)]
    assert headed == [one for one in SESSION.messages if one.parts or one.usage or one.role is Role.SYSTEM]
    parts = sum(len(one.parts) for one in SESSION.messages if one.role is not Role.SYSTEM)
    texts = sum(len(block.texts) for block in blocks if isinstance(block, NoteBlock))
    others = [block for block in blocks if not isinstance(block, Heading | FiguresBlock | NoteBlock)]
    of_system = sum(len(one.parts) for one in SESSION.messages if one.role is Role.SYSTEM)
    assert len(others) + texts == parts + of_system


def test_blocks_come_in_the_order_of_the_parts() -> None:
    call = ToolCall(id="1", name="ls", canonical="list", tool_kind="read", input={"path": "/a", "deep": True})
    one = message(Thinking(text="Hm."), call, Text(text="Done."), usage=Usage(input=1, output=2))
    assert [type(block) for block in walk([one])] == [Heading, ThinkingBlock, CallBlock, TextBlock, FiguresBlock]
    brief = next(block for block in walk([one]) if isinstance(block, CallBlock))
    assert [argument.text for argument in brief.arguments] == ["/a"]
    assert not brief.is_whole


def test_blocks_are_made_when_they_are_asked_for() -> None:
    visited: list[str] = []

    def choose(one: Message, blocks: Iterator[Block]) -> Iterator[Block]:
        visited.append(one.text)
        return blocks

    blocks = walk((said(str(number)) for number in range(10)), choose)
    assert [type(block) for block in islice(blocks, 2)] == [Heading, TextBlock]
    assert visited == ["0"]


def test_a_message_without_a_chosen_block_has_no_heading() -> None:
    blocks = walk([said("a"), said("b")], lambda one, blocks: blocks if one.text == "b" else ())
    assert [block.number for block in blocks if isinstance(block, Heading)] == [1]


def test_a_branch_is_announced_with_its_length() -> None:
    messages = [said("a"), said("b", Fate.REWOUND), said("c", Fate.REWOUND), said("d"), said("e", inherited=True)]
    branches = [block for block in walk(messages) if isinstance(block, Branch)]
    assert [(branch.fate, branch.inherited, branch.count) for branch in branches] == [
        (Fate.REWOUND, False, 2),
        (None, False, 1),
        (None, True, 1),
    ]


@pytest.mark.parametrize(
    ("role", "author", "speaker"),
    [
        (Role.USER, Author.HUMAN, Speaker.YOU),
        (Role.USER, Author.MODEL, Speaker.TASK),
        (Role.USER, Author.CLIENT, Speaker.CLIENT),
        (Role.ASSISTANT, Author.MODEL, Speaker.ASSISTANT),
        (Role.SYSTEM, Author.HUMAN, Speaker.COMMAND),
        (Role.SYSTEM, Author.CLIENT, Speaker.NOTICE),
    ],
)
def test_who_speaks(role: Role, author: Author, speaker: Speaker) -> None:
    assert heading(message(role=role, author=author)).speaker is speaker


def test_a_line_of_the_interface_has_no_fate() -> None:
    one = message(Text(text="x"), role=Role.SYSTEM, author=Author.CLIENT, fate=Fate.COMPRESSED, inherited=True)
    assert heading(one).fate is None
    assert heading(one).marks == ("inherited",)


@pytest.mark.parametrize(
    ("part", "blank"),
    [
        (Text(text=" \n"), True),
        (Text(text="a"), False),
        (Thinking(text="", subject="Plan"), False),
        (Thinking(text=" "), True),
        (SummaryPart(text=""), True),
        (ToolResult(call="1"), True),
        (ToolResult(call="1", output=""), False),
    ],
)
def test_what_is_blank(part: Part, blank: bool) -> None:
    (block,) = (
        block
        for block in walk([message(part)])
        if isinstance(block, TextBlock | ThinkingBlock | SummaryBlock | ResultBlock)
    )
    assert is_blank(block) is blank


def test_an_error_without_words_is_not_blank() -> None:
    levels: dict[str, bool] = {}
    for level in ("error", "info"):
        one = message(role=Role.SYSTEM, author=Author.CLIENT, extra={"level": level})
        levels[level] = any(is_blank(block) for block in walk([one]) if isinstance(block, NoteBlock))
    assert levels == {"error": False, "info": True}
