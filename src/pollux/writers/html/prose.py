"""What was said. Replies are Markdown; prompts are shown as they were typed, but for fenced code.

No address is loaded: a picture from elsewhere becomes a link to it. Only addresses of the web and of mail are links.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, MutableMapping, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pollux.text.escape import visible
from pollux.writers.html.code import code
from pollux.writers.html.markup import Html, end, escape, join, start, tag
from pollux.writers.html.pictures import inside
from pollux.writers.safe_markdown import LONGEST, NESTING, understood

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict

TOP_HEADING = 3
"""The level of the highest heading in a text: ours are the levels above it."""

LONG_CELL = 32
"""Characters: a longer cell of a table is given room, or a longer word beside it would leave it one letter wide."""

MARKS = 2_000
"""A paragraph with more signs that may mean something in Markdown is no prose: it is shown as it is, for the time to
make sense of them would grow with their square."""

CELLS = 20_000
"""Cells of the tables of one text: a row may stand for many by leaving them out. What follows is shown as it is."""

_MARK = re.compile(r"[\[\]!*_~`<&\\]")
_TAG = re.compile(r"<[^>]*>")
_TARGET = re.compile(r'(?:href|title|alt)="([^"]*)"')
_WORD = re.compile(r"[^\W\d_][^\W_]*")
_OUTSIDE = re.compile(r"(?:https?://|mailto:)[^\s]+", re.IGNORECASE)
# Hebrew, Arabic and the others that are written from right to left.
_LEFTWARD = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]")
_BLOCKS = frozenset(
    {"blockquote_open", "bullet_list_open", "heading_open", "ordered_list_open", "paragraph_open", "table_open"}
)


def markdown(text: str) -> Html:
    """A text in Markdown; one that is too long or too deeply nested to be prose, as it is."""
    text = visible(text).strip("\n").rstrip()
    if len(text) > LONGEST:
        return literal(text)
    tokens = _parser().parse(text)
    if not understood(tokens, text.split("\n")):
        return literal(text)
    _adapt(tokens)
    if _LEFTWARD.search(text) is not None:
        _turn(tokens)
    parser = _parser()
    rendered = parser.renderer.render(tokens, parser.options, {})
    return literal(text) if _lost(text, rendered) else tag("div", Html(rendered), class_="prose")


def typed(text: str) -> Html:
    """A text as it was typed: every character in its place, fenced code as code."""
    text = visible(text).strip("\n").rstrip()
    if len(text) > LONGEST or ("```" not in text and "~~~" not in text):
        return literal(text)
    lines = text.split("\n")
    return tag("div", join(_around(lines, _fences().parse(text))), class_="typed")


def literal(text: str) -> Html:
    """A text as it is."""
    return tag("div", text, class_="literal")


def _around(lines: list[str], tokens: Sequence[Token]) -> Iterator[Html]:
    position = 0
    for token in tokens:
        if token.type == "fence" and token.map is not None and token.level == 0:
            if "\n".join(lines[position : token.map[0]]).strip():
                yield literal("\n".join(lines[position : token.map[0]]).strip("\n"))
            yield code(token.content, language=_language(token), label=token.info)
            position = token.map[1]
    if "\n".join(lines[position:]).strip():
        yield literal("\n".join(lines[position:]).strip("\n"))


def _language(fence: Token) -> str:
    return fence.info.split()[0] if fence.info.split() else ""


def _lost(text: str, rendered: str) -> set[str]:
    """Words that Markdown's rules make disappear, such as those of a cell too many in a row of a table."""
    # Markup may be all that stands between two words, as the end of a block is, and it may divide one, as colours do.
    missing = _words(text) - _words(html.unescape(_TAG.sub(" ", rendered)))
    if not missing:
        return missing
    whole = html.unescape(_TAG.sub("", rendered))
    targets = " ".join(unquote(html.unescape(target)) for target in _TARGET.findall(rendered))
    return (missing & _words(html.unescape(text))) - _words(whole) - _words(targets) - _words(unquote(whole))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text))


def _adapt(tokens: Sequence[Token]) -> None:
    """Move headings below ours; say by a class how a cell of a table is aligned, and whether it needs room."""
    for token, inner in pairwise(tokens):
        if token.type in ("th_open", "td_open"):
            aligned = str(token.attrs.pop("style", "")).removeprefix("text-align:")
            room = "long" if len(inner.content) > LONG_CELL else ""
            if classes := " ".join(filter(None, (aligned, room))):
                token.attrs["class"] = classes
    headings = [token for token in tokens if token.type in ("heading_open", "heading_close")]
    shift = max(0, TOP_HEADING - min((int(token.tag[1]) for token in headings), default=TOP_HEADING))
    for token in headings:
        token.tag = f"h{min(6, int(token.tag[1]) + shift)}"


def _turn(tokens: Sequence[Token]) -> None:
    """Let each block run as its own words do: to the left, or to the right."""
    for token in tokens:
        if token.type in _BLOCKS:
            token.attrs["dir"] = "auto"


@cache
def _fences() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("zero").enable("fence")


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": NESTING}).enable(["table", "strikethrough"])
    # Definitions of links stay where they are: a page that hides them would lose them.
    parser.disable(["html_block", "html_inline", "reference"])
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005 (`_opening` decides)
    parser.core.ruler.at("inline", _inline)
    parser.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    return parser


def _inline(state: StateCore) -> None:
    """What stands in a paragraph, unless it would take too long to find out."""
    from markdown_it.token import Token

    for token in state.tokens:
        if token.type != "inline":
            continue
        if len(_MARK.findall(token.content)) > MARKS:
            token.children = [Token("text", "", 0, content=token.content)]
        else:
            token.children = []
            state.md.inline.parse(token.content, state.md, state.env, token.children)


def _table(state: StateBlock, first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (markdown-it calls it)
    """A table, unless there were too many cells before."""
    from markdown_it.rules_block import table

    if state.env.get("cells", 0) > CELLS:
        return False
    before = len(state.tokens)
    is_table = table(state, first, end, silent)
    state.env["cells"] = state.env.get("cells", 0) + (len(state.tokens) - before) // 3
    return is_table


# Rules of the renderer: each is handed all tokens and the place of its own.
Rule = Any


def _text(_self: RendererHTML, tokens: Sequence[Token], at: int, *_: Any) -> str:
    return escape(tokens[at].content)


def _code_inline(_self: RendererHTML, tokens: Sequence[Token], at: int, *_: Any) -> str:
    return tag("code", tokens[at].content)


def _code_block(_self: RendererHTML, tokens: Sequence[Token], at: int, *_: Any) -> str:
    return code(tokens[at].content, language=_language(tokens[at]), label=tokens[at].info)


def _image(
    self: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    address = str(tokens[at].attrs.get("src", ""))
    words = self.renderInlineAsText(tokens[at].children, options, env)
    if (picture := inside(address)) is not None:
        return tag("img", src=picture, alt=words, loading="lazy")
    label = f"{words or 'picture'} (picture)"
    return f"{_opening(tokens[at], address)}{escape(label)}{_closing(tokens[at], address, label)}"


def _link_open(_self: RendererHTML, tokens: Sequence[Token], at: int, *_: Any) -> str:
    return _opening(tokens[at], str(tokens[at].attrs.get("href", "")))


def _link_close(_self: RendererHTML, tokens: Sequence[Token], at: int, *_: Any) -> str:
    first = next(n for n in range(at, -1, -1) if tokens[n].type == "link_open")  # links do not nest
    label = "".join(token.content for token in tokens[first:at])
    return _closing(tokens[first], str(tokens[first].attrs.get("href", "")), label)


def _opening(token: Token, address: str) -> Html:
    if _OUTSIDE.fullmatch(address) is None:
        return start("span")
    return start("a", href=address, title=_title(token), rel="noopener noreferrer", target="_blank")


def _closing(token: Token, address: str, label: str) -> Html:
    """What cannot be a link shows where it would have led."""
    if _OUTSIDE.fullmatch(address) is not None:
        return end("a")
    target = " ".join(filter(None, ("" if address == label else address, _title(token))))
    return join([end("span"), tag("code", f"({target})", class_="target") if target else None])


def _title(token: Token) -> str | None:
    return str(token.attrs.get("title", "")) or None


def _table_open(_self: RendererHTML, tokens: Sequence[Token], at: int, *_: Any) -> str:
    turned = "dir" in tokens[at].attrs
    return join([start("div", class_="wide", tabindex="0"), start("table", dir="auto" if turned else None)])


def _table_close(*_: Any) -> str:
    return "</table></div>"


_RULES: dict[str, Rule] = {
    "text": _text,
    "code_inline": _code_inline,
    "code_block": _code_block,
    "fence": _code_block,
    "image": _image,
    "link_open": _link_open,
    "link_close": _link_close,
    "table_open": _table_open,
    "table_close": _table_close,
}
