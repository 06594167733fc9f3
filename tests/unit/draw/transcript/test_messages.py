"""The terminal draws the blocks that every output for people draws."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from pollux.draw.canvas import Canvas
from pollux.draw.transcript.blocks import BRIEF, FULL
from pollux.draw.transcript.messages import Reader
from pollux.model import Author, Message, Part, Role, Text, Thinking, ToolResult, Usage
from pollux.writers.transcript import Block, walk
from tests.unit.writers.kitchen_sink import SESSION


def reader(*, full: bool = False) -> Reader:
    return Reader(Canvas(), FULL if full else BRIEF)


def message(*parts: Part, author: Author = Author.MODEL, usage: Usage | None = None) -> Message:
    role = Role.ASSISTANT if author is Author.MODEL else Role.USER
    return Message(id="m", role=role, author=author, parts=parts, usage=usage)


def drawn(*messages: Message, full: bool = False) -> list[str]:
    one = reader(full=full)
    return [*one.lines(walk(messages)), *one.rest()]


def test_lines_come_before_later_messages_are_looked_at() -> None:
    visited: list[Block] = []

    def noting(blocks: Iterator[Block]) -> Iterator[Block]:
        for block in blocks:
            visited.append(block)
            yield block

    messages = [message(Text(text=f"text {number}")) for number in range(100)]
    lines = list(islice(reader().lines(noting(walk(messages))), 3))
    assert lines == ["", "Model", "  text 0"]
    assert len(visited) == 2


def test_every_message_of_the_kitchen_sink_is_drawn_by_itself_and_together() -> None:
    for full in (False, True):
        assert drawn(*SESSION.messages, full=full)
        for one in SESSION.messages:
            drawn(one, full=full)


def test_a_message_without_anything_to_read_has_no_heading() -> None:
    nothing = message(usage=Usage(input=1, output=1))
    answer = message(ToolResult(call="1", name="ls"), author=Author.CLIENT)
    assert drawn(nothing, answer) == []
    assert drawn(answer, full=True) == ["", "Client", "  · answer to ls, see above"]


def test_the_same_model_goes_on_without_another_heading() -> None:
    lines = drawn(
        message(Thinking(text="Hm.")), message(Text(text="Yes.")), message(Text(text="Ok."), author=Author.HUMAN)
    )
    assert lines == ["", "Model", "  thinking", "    Hm.", "", "  Yes.", "", "You", "  Ok."]


def test_markdown_in_thinking_is_laid_out_like_that_of_replies() -> None:
    """Codex CLI begins a thought with a line in stars."""
    thought = message(Thinking(text="**Reading on**\n\nSee `tides.py`:\n\n- one\n- two"))
    shown = Reader(Canvas(color=True, markdown=True), BRIEF)
    lines = [*shown.lines(walk([thought])), *shown.rest()]
    assert "    \x1b[2m\x1b[1mReading on\x1b[0m" in lines
    plain = [re.sub(r"\x1b\[\d+m", "", line) for line in lines]
    assert plain[3:] == ["    Reading on", "", "    See tides.py:", "", "    • one", "    • two"]
    assert all(line.startswith("    \x1b[2m") for line in lines[3:] if line)
    assert "    **Reading on**" in drawn(thought)


def test_texts_of_the_client_share_a_line_where_there_are_many() -> None:
    texts = [message(Text(text=f"context {number}"), author=Author.CLIENT) for number in range(5)]
    assert drawn(*texts[:2]) == ["", "  · client: context 0", "  · client: context 1"]
    assert drawn(*texts) == ["", "  · client: 5 texts, 45 characters: text"]
