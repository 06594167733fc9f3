"""Replies made so that showing them takes as long as it can: the time grows with the text, and no faster.

As with secrets, each text is tried in two sizes, one four times the other, and what both took is compared.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pollux.draw.transcript.highlight import highlighted
from pollux.index.search.passages import paths_in
from pollux.model import Status, ToolCall
from pollux.sources.claude.group import recognizes
from pollux.sources.claude.messages.authors import command, split_reminders, task_notices
from pollux.sources.gemini_sessions.format.schema import Blob, Message, Part as Piece
from pollux.sources.gemini_sessions.messages.calls import exit_code_of
from pollux.sources.gemini_sessions.messages.references import prompt_parts
from pollux.sources.gemini_sessions.messages.subagents import objective_of
from pollux.sources.gemini_sessions.replay.message_key import visible_letters
from pollux.sources.settings import setting
from pollux.writers.attribution.edits import edits
from pollux.writers.html.code import code
from pollux.writers.html.prose import CELLS, MARKS, markdown, typed
from pollux.writers.lexing import SHORT, TRIED, WORDY, lexed
from pollux.writers.safe_markdown import safe_markdown
from tests.samples import sample

START = "--- Content from referenced files ---"
TIMES = 4
MOST = 9
NOISE = 0.1
TRIES = 5

MARKDOWN = (
    "[a](b) ", "[a]()", "[", "![", "![a](b)", "[a](", "[a](<b", '[a](b "c', "[a]", "]", "[\\", "[*a](b*", "(", "!",
    "*a **a ", "*_", "**a", "a*", "a_ _a", "~~a", "~", "`", "`a``b```c", "<a", "<a@b.c>", "<http:", "<!--", "<![CDATA[",
    "<a b='", "&amp;", "&", "\\*", "\\", "> ", ">a\n", "- ", "* a\n", "* a\n  * b\n", "- a\n\n  b\n", "1. ",
    "1. a\n2) b\n",
    "# a\n", "a\n=\n", "```\n", "> ```\n", "a|b\n-|-\n", "|a", "|", "[a]: b\n", "![](data:image/png;base64,iVBORw0KGgo",
)  # fmt: skip

CODE = (
    "'\\", '"\\', "\n ", "a", "a ", "a\n", "a b\n", "a.", "a. ", "(", "{", "<", "/*", "/*\n", "/**\n", "\n", "`", "$(",
    '"""', "//",
)  # fmt: skip


def took(work: Callable[[str], object], text: str) -> float:
    begun = time.process_time()
    work(text)
    return time.process_time() - begun


def grows(work: Callable[[str], object], make: Callable[[int], str], size: int) -> None:
    """Fail where the time grows faster than the text."""
    large = took(work, make(size * TIMES))
    if large > NOISE:
        pairs = ((took(work, make(size)), took(work, make(size * TIMES))) for _ in range(TRIES))
        assert any(large < max(small, NOISE / TIMES) * MOST for small, large in pairs), (make(20), large)


@pytest.mark.parametrize("work", [markdown, safe_markdown, typed])
def test_markdown(work: Callable[[str], object]) -> None:
    for piece in MARKDOWN:
        grows(work, lambda size, piece=piece: (piece * size)[:size], 6_000)  # type: ignore[misc]


@pytest.mark.parametrize("piece", ["[a](b) ", "[", "[a]()"])
def test_the_longest_reply_is_written_soon(piece: str) -> None:
    assert took(markdown, (piece * 200_000)[:199_000]) < 10


def test_a_paragraph_full_of_marks_is_shown_as_it_is() -> None:
    few = "[a](https://example.org) "
    assert "<a href" in markdown(few * (MARKS // 8))
    many = markdown(few * MARKS + "\n\n**bold**")
    assert "<a href" not in many
    assert "[a](https://example.org)" in many
    assert "<strong>bold</strong>" in many


def test_tables_that_leave_out_their_cells() -> None:
    wide = "|a" * 500 + "\n" + "|-" * 500 + "\n" + "|\n" * 200 + "\n"
    shown = markdown(wide * 20)
    assert "<table" in shown
    assert shown.count("<td") < 10 * CELLS


@pytest.mark.parametrize("language", sorted(TRIED))
def test_code(language: str) -> None:
    texts = [text for piece in CODE for text in (f"{piece}\n", (piece * 500)[:900].replace("\n", " ") + "\n")]
    for text in sample(texts, len(texts) // 2, language):
        grows(lambda code: lexed(code, language), lambda size, text=text: (text * size)[:size], 2_000)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("language", "piece"), [("actionscript", "'\\"), ("amdgpu", "a"), ("c", "\n "), ("java", "a\n")]
)
def test_code_that_once_took_minutes(language: str, piece: str) -> None:
    text = (piece * 60_000)[:59_000]
    assert took(lambda text: code(text, language=language), text) < 2
    assert took(lambda text: list(highlighted(text[:19_000], language, color=True)), text) < 2
    assert "<span" not in code(text, language=language)


def test_code_as_people_write_it_has_colours() -> None:
    python = 'def f(a):\n    """Says it."""\n    return "b"  # and ends\n\n\n' * 200
    java = "/**\n * Says what it does, at some length and in whole sentences\n */\nint f(int a) { return 1; }\n" * 200
    for text, language in ((python, "python"), (java, "java"), ("x = 1\n" * 100, "nim")):
        assert "<span" in code(text, language=language)
    assert len("x = 1\n" * 100) < SHORT
    assert "java" in WORDY


def _patched(text: str) -> None:
    call = ToolCall(id="c", name="patch", canonical="patch", tool_kind="edit", input={"patch": text}, status=Status.OK)
    list(edits(call))


READ: dict[str, tuple[Callable[[str], Any], Callable[[int], str]]] = {
    "names of a command": (command, lambda n: "<command-name>" * n),
    "arguments of a command": (command, lambda n: "<command-name>a</command-name>" + "<command-args>" * n),
    "tags of a notice": (task_notices, lambda n: "<task-notification>" + "<result>" * n + "<status></status>"),
    "blocks before a prompt": (split_reminders, lambda n: "<system-reminder>a</system-reminder>" * 3 * n),
    "garbage before a transcript": (lambda text: recognizes(Path("a.jsonl"), text.encode()), lambda n: "\n" * 2 * n),
    "comments": (visible_letters, lambda n: "<!--" * n),
    "comments with one end": (visible_letters, lambda n: "<!---->" + "<!--" * n),
    "an objective": (objective_of, lambda n: "<objective>" + " " * n + "x"),
    "hooks": (lambda text: prompt_parts(Message(content=text)), lambda n: "<hook_context>" * n),
    "blanks behind a hook": (lambda text: prompt_parts(Message(content=text)), lambda n: "<hook_context>" + " " * n),
    "files of a prompt": (
        lambda text: prompt_parts(Message(content=text)),
        lambda n: f"{START}\n" + "Content from @a:\nb\n" * n + "--- End of content ---",
    ),
    "files of a prompt without end": (
        lambda text: prompt_parts(Message(content=text)),
        lambda n: f"{START}\n" + "Content from @a:\nb\n" * n,
    ),
    "expansions of a prompt": (
        lambda text: prompt_parts(Message(content=text)),
        lambda n: f"{START}\na\n--- End of content ---\n" * n,
    ),
    "files of a patch": (_patched, lambda n: "*** Begin Patch\n*** Add File: a" + " " * n + "x"),
    "moves of a patch": (_patched, lambda n: "*** Begin Patch\n*** Move to: a" + " " * n + "x"),
    "paths of a patch": (lambda text: list(paths_in({"patch": text})), lambda n: "*** Move to: a" + " " * n + "x"),
}


@pytest.mark.parametrize(("work", "make"), READ.values(), ids=READ)
def test_words_of_a_session(work: Callable[[str], object], make: Callable[[int], str]) -> None:
    grows(work, make, 8_000)


def test_attachments_of_a_prompt() -> None:
    def attached(text: str) -> None:
        pieces = [Piece(inlineData=Blob(mimeType="image/png", data=str(number))) for number in range(len(text))]
        found = prompt_parts(Message(content=[*pieces], displayContent=[Piece(text="Look"), *pieces]))
        assert len(found) == len(text) + 1

    grows(attached, lambda size: "a" * size, 2_000)


def test_the_last_lines_of_a_command() -> None:
    text = "\nExit Code: 0" + "\n" * 950 + "</untrusted_context>x"
    assert took(lambda text: [exit_code_of(text) for _ in range(20)], text) < NOISE


@pytest.mark.parametrize("piece", ['\\"', "/*", '"\\'])
def test_settings(tmp_path: Path, piece: str) -> None:
    file = tmp_path / "settings.json"

    def work(text: str) -> None:
        file.write_text(text)
        assert setting(file, "a") is None

    grows(work, lambda size: "{" + piece * size, 10_000)
