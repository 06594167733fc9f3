"""Small parts: the newest question, lines that keep the names of their styles, keys, the first screen."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from pollux.draw.width import width
from pollux.library.library import Filter, Library
from pollux.library.sample import HOME
from pollux.model import Author, Message, Role, Text, ToolCall
from pollux.tui.canvas import StripCanvas, broken, plain, split
from pollux.tui.latest import Latest
from pollux.tui.looks import looks
from pollux.tui.opening.first import FirstScreen, draw_first
from pollux.tui.palettes import DARK, LIGHT, palette_name
from pollux.tui.pick.terminal import split_keys
from pollux.tui.reader.document import SHORT, Document
from pollux.tui.reader.words import code_blocks
from pollux.tui.strips import strip
from tests.tui.driving import environment
from tests.waiting import until


def test_questions_that_are_overtaken_are_dropped() -> None:
    begun, go_on, heard, ended = threading.Event(), threading.Event(), list[object](), list[int]()
    asked: list[int] = []

    def answer(question: int) -> int:
        asked.append(question)
        begun.set()
        go_on.wait(10)
        return question

    latest: Latest[int] = Latest(answer, heard.append, heard.append, lambda: ended.append(1))
    latest.ask(1)
    begun.wait(10)
    for question in (2, 3, 4):
        latest.ask(question)
    assert latest.overtaken
    go_on.set()
    until(lambda: heard)
    latest.close()
    assert (asked, heard, ended) == ([1, 4], [4], [1])


def test_an_answer_that_nobody_waits_for_may_give_up() -> None:
    begun, heard = threading.Event(), list[object]()

    def answer(question: int) -> int:
        begun.set()
        until(lambda: question > 1 or latest.overtaken)
        latest.give_up(None)
        return question

    latest: Latest[int] = Latest(answer, heard.append, heard.append, lambda: None)
    latest.ask(1)
    begun.wait(10)
    latest.ask(2)
    until(lambda: heard)
    latest.close()
    assert heard == [2]


def test_what_goes_wrong_inside_of_an_answer_is_told() -> None:
    failed, ended = list[object](), list[int]()
    latest: Latest[int] = Latest(lambda question: 1 // question, failed.append, failed.append, lambda: ended.append(1))
    latest.ask(0)
    until(lambda: ended)
    latest.close()
    assert [type(error) for error in failed] == [ZeroDivisionError]


CODE = """Before
```python
one
```
between ```not``` two
  ~~~~ text
two
```
~~~
  ~~~~
- in a list
  ```
  three
  `````
"""


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        (CODE, ["one\n", "two\n```\n~~~\n", "  three\n"]),
        ("```\r\none\r\n```\r\n", ["one\r\n"]),
        ("```\nit ends within\n\n", ["it ends within\n"]),
        ("```\n", [""]),
        ("no code, `` ``` ``", []),
    ],
)
def test_the_code_blocks_of_a_message(text: str, blocks: list[str]) -> None:
    assert code_blocks(Message(id="1", role=Role.ASSISTANT, author=Author.MODEL, parts=(Text(text=text),))) == blocks


def test_fences_that_are_never_closed_take_no_time() -> None:
    def seconds(lines: int) -> float:
        message = Message(id="1", role=Role.ASSISTANT, author=Author.MODEL, parts=(Text(text="````x\n```x\n" * lines),))
        begun = time.process_time()
        assert len(code_blocks(message)) == 1
        return time.process_time() - begun

    assert seconds(200_000) < 30 * seconds(20_000)


def test_a_line_keeps_the_names_of_its_styles() -> None:
    canvas = StripCanvas(20)
    line = "a " + canvas.paint("b", "bold", "warn") + " c"
    assert split(line) == [("a ", ""), ("b", "bold warn"), (" c", "")]
    assert plain(line) == "a b c"
    drawn = strip(line, looks(DARK.name), 8)
    assert drawn.text == "a b c   "
    assert strip(line, looks(LIGHT.name), 3).text == "a b"


def test_no_letter_has_more_marks_than_any_language() -> None:
    drawn = strip("e\u0301 z" + "\u0301" * 5000 + " x", looks(DARK.name), 8)
    assert drawn.text == "e\u0301 z" + "\u0301" * 8 + " x   "


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=60), st.integers(4, 30))
def test_a_wide_line_is_broken_and_nothing_is_lost(text: str, columns: int) -> None:
    canvas = StripCanvas(columns)
    lines = broken(canvas.paint(text, "dim"), columns)
    assert "".join(plain(line).lstrip(" ") for line in lines).replace(" ", "") == text.replace(" ", "")
    assert all(width(plain(line)) <= columns for line in lines) or columns < 4


def test_themes() -> None:
    assert palette_name("auto", {}) == DARK.name
    assert palette_name("auto", {"COLORFGBG": "0;15"}) == LIGHT.name
    assert palette_name("contrast", {}) == "pollux-contrast"


def test_keys_of_a_terminal() -> None:
    assert [*split_keys("aé\x1b[A\x1bOB\r\x7f\x1b[200~x\x1b")] == [
        "a",
        "é",
        "up",
        "down",
        "enter",
        "backspace",
        "x",
        "escape",
    ]


def test_the_first_screen_comes_from_another_process(tmp_path: Path) -> None:
    environ = environment(HOME, tmp_path)
    with Library(environ, HOME, hunt=False) as library:
        library.sync()
        expected = draw_first(library, 70, 10)
    first = FirstScreen(lambda: Library(environ, HOME, hunt=False, fresh=False), 70, 10)
    drawn = first.result()
    first.end()
    assert expected.sessions == 15
    assert len(expected.lines) == 10
    assert drawn in (expected, None)  # a busy machine may be too slow


def test_without_a_cache_there_is_no_first_screen(tmp_path: Path) -> None:
    environ = environment(HOME, tmp_path)
    first = FirstScreen(lambda: Library(environ, HOME, hunt=False, fresh=False), 70, 10)
    assert first.result() is None
    first.end()


def test_hidden_calls_are_not_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Library(environment(HOME, tmp_path), HOME, hunt=False) as library:
        sessions = list(library.sessions(Filter(everything=True)))
    session, call = next(
        (session, message)
        for session in sessions
        for message in session.messages
        if message.parts and all(isinstance(part, ToolCall) for part in message.parts)
    )
    many = replace(session, messages=tuple(replace(call, id=f"c{number}") for number in range(1000)))
    document = Document(many, "", SHORT._replace(tools="off"))
    monkeypatch.setattr("pollux.tui.reader.document.piece_lines", None)
    assert all(document.lines(number, 80) == [] for number in range(1, 1001))
