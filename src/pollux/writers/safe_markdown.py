"""Markdown that somebody else wrote, made safe for use inside a document of ours.

Prompts and replies are Markdown, and stay so. But an open fence, an open HTML comment or a `<details>` without an end
would swallow everything after it, and a heading could pass for one of ours. So HTML becomes plain text, an open fence
is closed, and headings move below ours. Nothing is dropped.

The text is parsed without the rules for HTML blocks and link definitions, because that is how the result will read:
every `<` outside of code is escaped, and so is every definition but the plainest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from pollux.text.escape import visible

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

TOP_HEADING = 4
"""The level of the highest heading in a text: ours are the levels above it."""

LONGEST = 200_000
"""A longer text is a paste, not prose: it is shown as it is."""

NESTING = 90

# A text without any of these cannot do harm, and need not be parsed.
_HARMFUL = re.compile(r"<[A-Za-z/!?]|```|~~~|^[ \t>*+\-\d.)]*#|^[ \t>]*(?:=+|-+)[ \t]*$|\]:", re.MULTILINE)
_ESCAPED = r"\\[!-/:-@\[-`{-~]"
_AUTOLINK = r"<[A-Za-z][A-Za-z0-9+.\-]{1,31}:[^\x00-\x20<>]*>|<[A-Za-z0-9.!#$%&'*+/=?^_`{|}~\-]+@[A-Za-z0-9.\-]+>"
_INLINE = re.compile(rf"{_ESCAPED}|{_AUTOLINK}|`+|<(?=[A-Za-z/!?])")
_TICKS = re.compile("`+")
_LINE_START = re.compile(r"(\n[ \t>]*)<(?=[A-Za-z/!?])")
_BLANK_START = re.compile(r"\A(?:[ \t]*\n)+")
_LABEL = re.compile(r"\[(?:[^\[\]\\]|\\.)+\]:", re.DOTALL)
_DEFINITION = re.compile(r"\[[^\[\]\\`<>\n]+\]: ?[^\s`<>\"'(]+[ ]*")
_TABLE = re.compile(r"^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*$", re.MULTILINE)
_MARKERS_ONLY = re.compile(r"[\s>*+\-\d.)]*")
_CLOSING = re.compile(r"(^|[ \t])(#+)$")


def safe_markdown(text: str) -> str:
    """The same Markdown, which cannot affect the text after it; it needs a blank line before and after."""
    text = _BLANK_START.sub("", visible(text)).rstrip()
    if len(text) > LONGEST:
        return fence(text, "text")
    if _HARMFUL.search(text) is None:
        return text
    tokens = _parser().parse(text)
    lines = text.split("\n")
    if not understood(tokens, lines):
        return fence(text, "text")
    return "\n".join(_rewritten(tokens, lines)) + _closing(tokens, lines)


def fence(text: str, language: str = "") -> str:
    """A code block that nothing in the text can end."""
    ticks = "`" * (max(2, _longest_run(text)) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def code(text: str) -> str:
    """A text of one line as a code span; its backticks stay inside."""
    if not text.strip():
        return "*(empty)*"
    ticks = "`" * (_longest_run(text) + 1) if "`" in text else "`"
    pad = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def plain(text: str) -> str:
    """A text of one line that shows as the characters it has, wherever in a line it stands."""
    text = re.sub(r"[\\`*\[<]|(?<![^\W_])_|_(?![^\W_])|~(?=~)|&(?=#?\w+;)", r"\\\g<0>", text.strip())
    text = re.sub(r"^([-+>#=~|:]|\d+(?=[.)]))", _not_a_marker, text)
    return _CLOSING.sub(r"\1\\\2", text)


def _not_a_marker(match: re.Match[str]) -> str:
    mark = match.group()
    return f"{mark}\\" if mark.isdigit() else f"\\{mark}"


def _longest_run(text: str) -> int:
    return max((len(run.group()) for run in _TICKS.finditer(text)), default=0)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": NESTING}).disable(["html_block", "reference"])
    parser.core.ruler.enableOnly(["block"])
    return parser


def understood(tokens: Iterable[Token], lines: Sequence[str]) -> bool:
    """Does every line belong to a token? The parser gives up on text that is nested too deeply."""
    leaves = ("inline", "fence", "code_block", "hr", "heading_open", "table_open")
    known_lines = {n for t in tokens if t.type in leaves and t.map for n in range(*t.map)}
    return all(n in known_lines or _MARKERS_ONLY.fullmatch(line) for n, line in enumerate(lines))


def _rewritten(tokens: Sequence[Token], lines: list[str]) -> list[str]:
    levels = [int(token.tag[1]) for token in tokens if token.type == "heading_open"]
    shift = max(0, TOP_HEADING - min(levels, default=TOP_HEADING))
    removed_lines: set[int] = set()
    for opening, token in pairwise(tokens):
        if token.type != "inline" or opening.map is None:
            continue
        first, end = opening.map
        if opening.type == "heading_open":
            _heading(lines, first, opening, token.content, min(6, int(opening.tag[1]) + shift))
            removed_lines.update(range(first + 1, end))
        else:
            lines[first:end] = _without_html("\n".join(lines[first:end])).split("\n")
            if _defines(token.content):
                lines[first] = lines[first].replace("[", "\\[", 1)
    return [line for n, line in enumerate(lines) if n not in removed_lines]


def _heading(lines: list[str], first: int, opening: Token, content: str, level: int) -> None:
    """Write a heading anew, at its new level; one that was underlined becomes one line."""
    line = lines[first]
    top = content.split("\n", 1)[0]
    if opening.markup.startswith("#"):
        prefix = line[: line.index("#")]
    else:
        prefix = line.rstrip()[: -len(top)] if line.rstrip().endswith(top) else line[: line.index(top)]
    words = _CLOSING.sub(r"\1\\\2", _without_html(content.replace("\n", " ")))
    lines[first] = f"{prefix}{'#' * level} {words}".rstrip()


def _defines(content: str) -> bool:
    """Could this paragraph define a link in a way that changes how the rest of it reads?"""
    if _LABEL.match(content) is None:
        return False
    return not all(_DEFINITION.fullmatch(line) for line in content.split("\n"))


def _without_html(text: str) -> str:
    """The text with every `<` escaped that may open a tag. Code spans and links in angle brackets stay."""
    if "<" not in text:
        return text
    if "|" in text and _TABLE.search(text) is not None:
        # Where a parser knows tables, a code span ends with its cell.
        return "".join(_span(piece) for piece in re.split(r"([|\n])", text))
    return _span(text)


def _span(text: str) -> str:
    pieces: list[str] = []
    position = 0
    while (match := _INLINE.search(text, position)) is not None:
        pieces.append(text[position : match.start()])
        position = match.end()
        piece = match.group()
        if piece == "<":
            piece = "\\<"
        elif piece[0] == "`":
            closing = next((run.end() for run in _TICKS.finditer(text, position) if run.group() == piece), None)
            if closing is not None:
                # At the start of a line a tag would end the paragraph, and with it the code span.
                piece, position = _LINE_START.sub(r"\1\\<", text[match.start() : closing]), closing
        pieces.append(piece)
    return "".join(pieces) + text[position:]


def _closing(tokens: Sequence[Token], lines: Sequence[str]) -> str:
    """The end of a fence that the text leaves open; inside a list or a quotation it ends by itself."""
    last = tokens[-1] if tokens else None
    if last is None or last.type != "fence" or last.map is None:
        return ""
    mark = re.escape(last.markup[0])
    closed = last.map[1] - last.map[0] > 1 and re.fullmatch(
        rf" {{0,3}}{mark}{{{len(last.markup)},}}[ \t]*", lines[last.map[1] - 1]
    )
    return "" if closed else f"\n{last.markup}"
