"""Emphasis, code, links and entities within a line of Markdown, in one pass: a lone mark stays as it is."""

from __future__ import annotations

import re
from html import unescape
from html.entities import html5
from typing import TYPE_CHECKING

from pollux.text.escape import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.draw.transcript.layout import Span

_MARK = re.compile(
    r"\\[!-/:-@\[-`{-~]|`+|\*{1,3}|_{1,2}|~~|!?\[|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});"
)
_LINK = re.compile(r'\(<?([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)>?(?: +"([^"]*)")?\)')
_TRIES = 8
"""An emphasis may contain so many marks that do not close it."""
_STYLES = {"*": ("italic",), "**": ("bold",), "***": ("bold", "italic"), "_": ("italic",), "__": ("bold",)}


def spans(text: str, style: tuple[str, ...] = ()) -> Iterator[Span]:
    """A line with its marks turned into styles."""
    plain = place = 0
    hopeless: set[str] = set()  # marks that nothing further on closes
    while (mark := _MARK.search(text, place)) is not None:
        place = mark.end()
        match = None if mark[0] in hopeless else _match_mark(text, mark, style)
        if match is None:
            hopeless.add(mark[0])
        elif match[0]:
            end, inside = match
            yield text[plain : mark.start()], style
            yield from inside
            plain = place = end
    yield text[plain:], style


def _match_mark(text: str, mark: re.Match[str], style: tuple[str, ...]) -> tuple[int, list[Span]] | None:
    """The end and the content of what a mark opens; 0 if it opens nothing, None if nothing closes it."""
    kind, start = mark[0], mark.end()
    if kind[0] == "\\":
        return start, [(kind[1], style)]
    if kind[0] == "`":
        end = _ticks(text, kind, start)
        inside = text[start:end]
        code = inside[1:-1] if inside[:1] == inside[-1:] == " " and inside.strip() else inside
        return None if end is None else (end + len(kind), [(code, (*style, "code"))])
    if kind[0] == "&":
        is_entity = kind[1] == "#" or kind[1:] in html5
        return (start, [(one_line(unescape(kind)), style)]) if is_entity else (0, [])
    if kind[-1] == "[":
        return _link(text, mark, style)
    return _emphasis(text, mark, style)


def _ticks(text: str, kind: str, start: int) -> int | None:
    """The position of a run of exactly as many ticks."""
    while (end := text.find(kind, start)) >= 0:
        start = end + len(kind)
        while text[start : start + 1] == "`":
            start += 1
        if start == end + len(kind):
            return end
    return None


def _link(text: str, mark: re.Match[str], style: tuple[str, ...]) -> tuple[int, list[Span]] | None:
    if mark.start() and (text[mark.start() - 1].isalnum() or text[mark.start() - 1] in ")]"):  # code: f(x)[0](1)
        return 0, []
    start, other = mark.end(), text.find("[", mark.end())
    end = text.find("](", start, other if other >= 0 else len(text))
    if end < 0:
        return None if other < 0 else (0, [])
    label, target = text[start:end], _LINK.match(text, end + 1)
    if target is None:
        return 0, []
    address = target[1] + (f' "{target[2]}"' if target[2] else "")
    text_spans: list[Span] = [(f"[{label}]", (*style, "dim"))] if mark[0] == "![" else [*spans(label, (*style, "link"))]
    return target.end(), [*text_spans, *([(f" ({address})", (*style, "dim"))] if target[1] != label else [])]


def _emphasis(text: str, mark: re.Match[str], style: tuple[str, ...]) -> tuple[int, list[Span]] | None:
    kind, start = mark[0], mark.end()
    before, after = text[mark.start() - 1 : mark.start()] if mark.start() else "", text[start : start + 1]
    if not after or after.isspace() or (before.isalnum() and kind in ("*", "_", "__")):
        return 0, []
    end = start
    for _ in range(_TRIES):
        end = text.find(kind, end + 1)
        if end < 0:
            return None
        if _may_close(text, kind, end):
            break
    else:
        return 0, []
    inside = text[start:end]
    if kind[0] == "_" and " " not in inside:  # a name, as `__init__`
        return 0, []
    styles = ("strike",) if kind == "~~" else _STYLES[kind]
    return end + len(kind), [*spans(inside, (*style, *styles))]


def _may_close(text: str, kind: str, end: int) -> bool:
    """May this mark end an emphasis? Not after a blank, and not as part of a longer mark."""
    before, after = text[end - 1], text[end + len(kind) : end + len(kind) + 1]
    return not before.isspace() and kind[0] not in (before, after) and not (kind[0] == "_" and after.isalnum())
