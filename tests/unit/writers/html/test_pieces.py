"""The pieces a page is made of, one by one."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable

import pytest

from pollux.model import Attachment, Session, Status, Text, Usage
from pollux.writers import diffs
from pollux.writers.base import WriterContext
from pollux.writers.html.calls import call as shown_call
from pollux.writers.html.code import code
from pollux.writers.html.markup import Html, escape, tag
from pollux.writers.html.pictures import attachment, inside, source
from pollux.writers.html.prose import markdown, typed
from pollux.writers.html.terminal import terminal
from pollux.writers.lexing import LONGEST
from pollux.writers.transcript import CallBlock
from tests.unit.writers.html.page_parser import Page, written
from tests.unit.writers.kitchen_sink import ASSISTANT, MODEL, SESSION, call, message

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(20)).decode()


def test_what_is_no_markup_is_escaped() -> None:
    assert tag("b", "<i>", Html("<i></i>"), None, title='"<', hidden=False, open=True) == (
        '<b title="&quot;&lt;" open>&lt;i&gt;<i></i></b>'
    )
    assert escape("a\u202eb\x1b") == r"a\u202eb␛"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m on", '<span class="f1">red</span> on'),
        ("\x1b[1;4;92mx\x1b[22;24;39my", '<span class="b u f10">x</span>y'),
        ("\x1b[38;5;196mx\x1b[m", '<span class="f9">x</span>'),
        ("\x1b[48;2;0;0;120mx", '<span class="g4">x</span>'),
        ("\x1b[38;5;250mx", '<span class="f7">x</span>'),
        ("\x1b[2J\x1b]0;t\x07", "␛[2J␛]0;t␇"),
        ("a\r\nb\rc", "a\nb␍c"),
        ("\x1b[38mx \x1b[999999999999999999999mz", "x z"),
    ],
)
def test_terminal_text_keeps_colours_and_obeys_nothing_else(text: str, expected: str) -> None:
    assert terminal(text) == f'<pre class="screen" tabindex="0">{expected}</pre>'


def test_colours_go_on_from_chunk_to_chunk() -> None:
    output = terminal("\x1b[32m" + "\n".join(str(n) for n in range(1000)))
    assert output.count('<span class="chunk"><span class="f2">') == 3


def test_a_comment_on_the_last_line_is_one() -> None:
    assert code("ls # why", language="bash").endswith('<span class="c"># why</span></code></pre>')
    assert code("", language="bash").endswith("<code></code></pre>")


def test_code_is_coloured_by_language_or_by_ending_and_loses_nothing() -> None:
    text = "\n\n  def f(x):  # why\n    return 'a<b'\n"
    for output in (code(text, language="python"), code(text, file="/a/b.py")):
        assert '<span class="k">def</span>' in output
        assert '<span class="c"># why</span>' in output
        assert "".join(Page(output).words) == text.rstrip("\n")
    assert "<span" not in code(text, language="no such language")
    assert "<span" not in code("x = 1\n" * LONGEST, language="python")


def test_markdown_is_rendered_and_refuses_what_could_do_something() -> None:
    output = markdown(
        "# H\n\n**b** `c` [w](https://a.example/?q=1&r) [p](src/a.py) ![i](https://a.example/i.png)\n\n<b>x</b>"
    )
    assert "<h3>H</h3>" in output
    assert '<a href="https://a.example/?q=1&amp;r" rel="noopener noreferrer" target="_blank">w</a>' in output
    assert '<span>p</span><code class="target">(src/a.py)</code>' in output
    assert ">i (picture)</a>" in output
    assert "<img" not in output
    assert "&lt;b&gt;x&lt;/b&gt;" in output


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n|---|---|\n| one | two | three too many |",
        "> " * 200 + "deep",
        "[a](x 'the title')",
        "[ref]: https://a.example/ref\n\nwords",
        "```python extra words\ncode\n```",
        "![alternative](data:image/png;base64,AAAA)",
        "&amp; &copy; &#x41; \\* a\\_b",
        "* [ ] open\n* [x] done\n\n1) one\n2) two",
    ],
)
def test_no_word_is_lost_in_markdown(text: str) -> None:
    page = Page(markdown(text))
    page_text = " ".join(page.words)
    assert not [
        word
        for word in re.findall(r"[a-z]{2,}", text.lower())
        if word not in page_text.lower() and word not in {"amp", "copy"}
    ]


def test_words_that_only_markup_keeps_apart_are_not_taken_for_lost() -> None:
    """The label of a block, its first word, its last and the next paragraph's: each occurs nowhere else."""
    output = markdown("Before\n\n```python\ndef f(): ...\n# remark\n```\n\n```diff\n+ newer\n```\nAfter **bo**ld")
    assert output.startswith('<div class="prose">')
    assert output.count("<pre") == 2


def test_a_prompt_is_shown_as_it_was_typed() -> None:
    output = typed("call __init__ *now*\n\n    keep this\n```python\ndef f(): ...\n```\nend")
    assert "call __init__ *now*\n\n    keep this" in output
    assert '<span class="k">def</span>' in output
    assert '<div class="literal">end</div>' in output


def test_only_pictures_made_of_pixels_are_shown() -> None:
    assert source("image/png", PNG) == f"data:image/png;base64,{PNG}"
    assert source("IMAGE/PNG ", f"{PNG[:10]}\n{PNG[10:]}") == f"data:image/png;base64,{PNG}"
    assert source("image/jpeg", PNG) is None
    assert source("image/svg+xml", base64.b64encode(b"<svg/>").decode()) is None
    assert source("image/png", base64.b64encode(b"<svg/>").decode()) is None
    assert source("image/png", PNG + '" onerror="x') is None
    assert inside(f"data:image/png;base64,{PNG}") is not None
    assert inside(f"data:text/html;base64,{PNG}") is None
    named = attachment(Attachment(media_type="application/pdf", data="AAAA", uri="a.pdf"))
    assert "application/pdf, 3 bytes" in named
    assert "<code>a.pdf</code>" in named


class TestDiffs:
    def test_old_and_new_strings(self) -> None:
        result, rest = diffs.requested_changes(
            {"file_path": "a.py", "old_string": "a\nb\nc", "new_string": "a\nB\nc", "all": 1}
        )
        assert [(diff.file, diff.lines) for diff in result] == [("a.py", (" a", "-b", "+B", " c"))]
        assert rest == {"file_path": "a.py", "all": 1}

    def test_several_edits(self) -> None:
        edits = [{"old_string": "", "new_string": "x"}, {"old_string": "y", "new_string": ""}]
        result, rest = diffs.requested_changes({"file_path": "a.py", "edits": edits})
        assert [diff.lines for diff in result] == [("+x",), ("-y",)]
        assert rest == {"file_path": "a.py"}

    def test_a_patch_of_several_files(self) -> None:
        patch = "*** Begin Patch\n*** Add File: a.py\n+x\n*** Update File: b.py\n@@ def f\n-y\n z\n\n*** End Patch"
        for value, left in ((patch, None), ({"input": patch, "x": 1}, {"x": 1})):
            result, rest = diffs.requested_changes(value)
            assert [diff.file for diff in result] == ["a.py", "b.py"]
            assert result[0].lines == ("@*** Begin Patch", "@*** Add File: a.py", "+x")
            assert result[1].lines == ("@*** Update File: b.py", "@@@ def f", "-y", " z", " ", "@*** End Patch")
            assert rest == left

    @pytest.mark.parametrize(
        "extra",
        [
            {"result": {"filePath": "a.py", "structuredPatch": [
                {"oldStart": 3, "oldLines": 2, "newStart": 3, "newLines": 2, "lines": [" a", "-b", "+B"]}]}},
            {"resultDisplay": {"filePath": "a.py", "fileDiff": "Index\n--- a\n+++ b\n@@ -3,2 +3,2 @@\n a\n-b\n+B\n"}},
        ],
        ids=["hunks", "unified"],
    )  # fmt: skip
    def test_what_the_tool_noted_is_shown_with_the_lines_around(self, extra: dict[str, object]) -> None:
        edit = call("edit", {"file_path": "a.py", "old_string": "b", "new_string": "B"}, Status.OK, "done", extra=extra)
        (noted,) = diffs.recorded_changes(edit)
        assert noted.lines == ("@@@ -3,2 +3,2 @@", " a", "-b", "+B")
        output = shown_call(CallBlock(call=edit, arguments=(), is_whole=True), None)
        assert "@@ -3,2 +3,2 @@" in output
        assert output.count("<del>") == 1

    def test_what_the_tool_noted_does_not_hide_what_was_asked(self) -> None:
        extra = {"result": {"structuredPatch": [{"lines": ["-other", "+thing"]}]}}
        edit = call("edit", {"file_path": "a", "old_string": "b", "new_string": "B"}, Status.OK, "done", extra=extra)
        assert "<del>-b\n</del>" in shown_call(CallBlock(call=edit, arguments=(), is_whole=True), None)

    def test_long_texts_are_not_compared(self) -> None:
        old, new = ("\n".join(f"{word}{n}" for n in range(2000)) for word in "ab")
        diff = diffs.compared(None, old, new)
        assert (diff.removed, diff.added) == (2000, 2000)


def test_the_policy_allows_this_very_script_and_style_and_nothing_else() -> None:
    page = Page(written(SESSION)[0])
    hashes = {
        kind: base64.b64encode(hashlib.sha256(text[0].encode()).digest()).decode() for kind, text in page.blocks.items()
    }
    assert page.policy == (
        f"default-src 'none'; img-src data:; style-src 'sha256-{hashes['style']}'; "
        f"script-src 'sha256-{hashes['script']}'; base-uri 'none'; form-action 'none'"
    )


def test_sub_agents_are_linked_within_a_site() -> None:
    spawn = message(1, ASSISTANT, MODEL, call("task", {}, Status.OK, "done", child="a:child"))
    session = Session(agent="a", id="parent", messages=(spawn,))
    text, _ = written(
        session, context=WriterContext(files={"a:parent": "x/a-parent.html", "a:child": "y/a child.html"})
    )
    assert 'href="./../y/a%20child.html"' in text
    assert 'href="./../index.html"' in text


SELF = Session(
    agent="a", id="self", messages=(message(1, ASSISTANT, MODEL, call("task", {}, Status.OK, "", child="a:self")),)
)


@pytest.mark.parametrize("child", [lambda _: None, lambda _: SELF])
def test_a_sub_agent_that_cannot_be_nested_is_named(child: Callable[[str], Session | None]) -> None:
    text, _ = written(SELF, context=WriterContext(child=child))
    assert "<code>a:self</code></p>" in text


@pytest.mark.parametrize(
    ("prices", "exact", "whole", "first"),
    [
        ([(0.5, 0), (0.25, 0)], True, "$0.7500", "$0.5000"),
        ([(0.5, 0), (None, 3)], True, "at least $0.5000", "$0.5000"),
        ([(0.5, 1), (0.25, 0)], True, "at least $0.7500", "at least $0.5000"),
        ([(0.5, 0), (0.25, 0)], False, "at least $0.7500", "at least $0.5000"),
    ],
)
def test_a_cost_that_lacks_something_says_so(
    prices: list[tuple[float | None, int]], exact: bool, whole: str, first: str
) -> None:
    replies = [
        message(n, ASSISTANT, MODEL, Text(text="x"), usage=Usage(input=1, output=1, exact=exact)) for n in range(2)
    ]
    one = Session(agent="a", id="s", messages=tuple(replies), exact=exact)
    costs = dict(zip((reply.id for reply in replies), prices, strict=True))
    page, _ = written(one, context=WriterContext(price=lambda _: lambda reply: costs[reply.id]))
    assert f"<dt>Cost</dt><dd>{whole}</dd>" in page
    assert f" tokens, {first} · " in page
