from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given, settings, strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from pollux.writers.safe_markdown import LONGEST, code, fence, plain, safe_markdown

# The very pieces of which trouble is made.
PIECES = st.sampled_from(
    [
        *(
            "```",
            "~~~",
            "````",
            "`",
            "``",
            "<b>",
            "</b>",
            "<!--",
            "-->",
            "<details>",
            "</details>",
            "<script>",
            "<pre>",
        ),
        *("<?", "<![CDATA[", "<!X", "<http://a>", "<a@b.c>", "\\", "\\<", "[a]:", "[a]:b", "[x](<y>)", "'", "(", "|"),
        *("|-|-|", "word", "#", "##", "######", "===", "---", "-", "=", "*", "+", ">", "1.", "2)", "&lt;", "["),
    ]
)
SPACES = st.sampled_from(["", " ", "  ", "    ", "\t", "\n", "\n", "\n\n"])
TROUBLE = st.lists(st.tuples(PIECES, SPACES).map("".join), max_size=25).map("".join)
ANYTHING = TROUBLE | st.text(max_size=60)


def parsed(document: str) -> list[Token]:
    return MarkdownIt("commonmark", {"maxNesting": 300}).parse(document)


def everything(tokens: list[Token]) -> list[Token]:
    return [inner for token in tokens for inner in (token, *(token.children or ()))]


def headings(tokens: list[Token]) -> list[tuple[int, str, str]]:
    return [(t.level, t.tag, tokens[n + 1].content) for n, t in enumerate(tokens) if t.type == "heading_open"]


@pytest.mark.slow
@settings(max_examples=400)
@given(ANYTHING, ANYTHING)
@example("</b>+``\n   <!X````+\n``", "")
@example("- a\n  ```", "  ```\n<b>")
@example("[a]: b '`'\n <b>`", "[a]: b\n2. ``` \n <b> ```")
@example("a\nb`\n---\n`c <x>`", "\\<x>")
def test_nothing_leaves_its_place(first: str, second: str) -> None:
    tokens = parsed(f"# T\n\n## You\n\n{safe_markdown(first)}\n\n### Assistant\n\n{safe_markdown(second)}\n\n## End\n")
    ours = [(0, "h1", "T"), (0, "h2", "You"), (0, "h3", "Assistant"), (0, "h2", "End")]
    assert [heading for heading in headings(tokens) if heading[1] in ("h1", "h2", "h3")] == ours
    assert not [token.content for token in everything(tokens) if token.type.startswith("html")]


TAME = ["a", "架", "`b`", "**c**", "- ", "1. ", "> ", "\n", "\n\n", "    ", "```\n", "# ", "===", "  "]


@settings(max_examples=200)
@given(st.lists(st.sampled_from(TAME)))
def test_markdown_without_html_reads_as_before(pieces: list[str]) -> None:
    text = "".join(pieces)

    def rendered(markdown: str) -> str:
        page = MarkdownIt("commonmark").render(markdown)
        return " ".join(re.sub(r"(</?h)\d", r"\1", page).replace("</code>", " </code>").replace("<br />", " ").split())

    assert rendered(safe_markdown(text)) == rendered(text.strip("\n"))


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain *words*", "plain *words*"),
        ("\n \n  words\n\n", "  words"),
        ("<b>x</b> `<b>` a < b", r"\<b>x\</b> `<b>` a < b"),
        (r"\<b> \\<b>", r"\<b> \\\<b>"),
        ("see <https://a.b/c> or <ada@example.com>", "see <https://a.b/c> or <ada@example.com>"),
        ("# One\n\n## Two", "#### One\n\n##### Two"),
        ("#### Four\n\n###### Six", "#### Four\n\n###### Six"),
        ("### Three", "#### Three"),
        ("Title\n=====\n\nand\nmore #\n---\nx", "#### Title\n\n##### and more \\#\nx"),
        ("- item\n  ---", "- #### item"),
        ("```\nopen", "```\nopen\n```"),
        ("~~~~ py\n```", "~~~~ py\n```\n~~~~"),
        ("```\nclosed\n```", "```\nclosed\n```"),
        ("- ```\n  open in a list", "- ```\n  open in a list"),
        ("```html\n<details>\n```", "```html\n<details>\n```"),
        ("[a]: https://a.b\n\nsee [a]", "[a]: https://a.b\n\nsee [a]"),
        ('[a]: https://a.b "x`"', '\\[a]: https://a.b "x`"'),
        ("|`|<b>`|\n|-|-|", "|`|\\<b>`|\n|-|-|"),
        ("\x1b]0;title\x07<b>", "␛]0;title␇\\<b>"),
    ],
)
def test_rewriting(text: str, safe: str) -> None:
    assert safe_markdown(text) == safe


def test_what_is_too_long_or_too_deep_is_shown_as_it_is() -> None:
    long = "<b>\n" * LONGEST
    assert safe_markdown(long).startswith("```text\n<b>\n")
    deep = "> " * 500 + "<b>"
    assert safe_markdown(deep) == f"```text\n{deep}\n```"


@pytest.mark.slow
@pytest.mark.parametrize(
    "bit", ["`", "` `` ", "<", "[", "> ", "- ", "# \n", "a\n=\n", "```\n", "1) ", "|", "\\", "[a]:\n"]
)
def test_does_not_take_for_ever(bit: str) -> None:
    started = time.process_time()
    safe_markdown("<b>" + bit * (60_000 // len(bit)))
    assert time.process_time() - started < 20


@given(st.text("`~\n ab<>", max_size=40))
def test_a_fence_holds_whatever_it_is_given(text: str) -> None:
    tokens = parsed(f"{fence(text)}\n\n## End\n")
    assert [token.type for token in tokens] == ["fence", "heading_open", "inline", "heading_close"]
    assert tokens[0].content == text + "\n"


@given(st.text("`~ ab<>*\\", max_size=20))
def test_a_code_span_holds_whatever_it_is_given(text: str) -> None:
    children = parsed(f"x {code(text)} y")[1].children or []
    if text.strip():
        assert [(t.type, t.content) for t in children] == [("text", "x "), ("code_inline", text), ("text", " y")]


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=30) | TROUBLE)
@example("1. x")
@example("a #")
@example("snake_case __init__ _x_")
@example("&lt; &amp &#65;")
def test_plain_text_shows_as_it_is(text: str) -> None:
    text = " ".join(text.split())
    page = MarkdownIt("commonmark").parse(f"# {plain(text)}\n\n{plain(text)}\n")
    for inline in (token for token in page if token.type == "inline"):
        assert "".join(child.content for child in inline.children or []) == text
        assert {child.type for child in inline.children or []} <= {"text"}
    opened = [token.type for token in page if token.type.endswith("open")]
    assert opened == ["heading_open"] + ["paragraph_open"] * bool(text)
