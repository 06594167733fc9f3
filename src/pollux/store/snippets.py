"""The piece of a text that shows best why it was found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice, pairwise
from typing import NamedTuple

from pollux.store.fields import tokens
from pollux.store.found import Span
from pollux.store.query import Both, Either, Node, Words
from pollux.store.words import UNSPACED, camel_spans, stands_alone

WIDTH = 160
_LEAD = 40
_MOST_MARKS = 64
_ASCII = bytes(range(128))
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")


class Snippet(NamedTuple):
    """One line of a text, and the spans in it that were looked for."""

    text: str
    spans: tuple[Span, ...]


class Needle(NamedTuple):
    """A word or phrase to be found: its first word, the pattern of all of it, whether it is one word, a beginning."""

    first: str
    whole: re.Pattern[str]
    alone: bool
    prefix: bool


def needles(node: Node) -> list[Needle]:
    """What a query looks for, ready to be found in many texts."""
    return [needle for words in _looked_for(node) if (needle := _needle(words)) is not None]


def _looked_for(node: Node) -> Iterator[Words]:
    if isinstance(node, Words):
        yield node
    elif isinstance(node, (Both, Either)):
        for each in node.nodes:
            yield from _looked_for(each)


def _needle(words: Words) -> Needle | None:
    found = tokens(words.text)
    if not found:
        return None
    pattern = re.escape(found[0])
    if not stands_alone(found[0][0]):
        # Where a word begins. Behind its first letters, so that these are what is searched for.
        pattern += f"(?<![^\\W_{UNSPACED}]{pattern})"
    for before, after in pairwise(found):
        close = stands_alone(before[-1]) or stands_alone(after[0])
        pattern += ("[\\W_]*" if close else "[\\W_]+") + re.escape(after)
    if words.prefix:
        pattern += "[^\\W_]*"
    elif not stands_alone(found[-1][-1]):
        pattern += f"(?=[\\W_]|$|[{UNSPACED}])"
    return Needle(found[0], re.compile(pattern), len(found) == 1, words.prefix)


def snippet(text: str, looked_for: Sequence[Needle], width: int = WIDTH) -> Snippet:
    """The best line of a text: where most of what was looked for stands close together."""
    folded, places = _folded(text) if looked_for else (text, None)
    marks = sorted({(*span, n) for n, needle in enumerate(looked_for) for span in _found(text, folded, places, needle)})
    return around(text, marks, width)


def around(text: str, marks: Sequence[tuple[int, int, int]], width: int = WIDTH) -> Snippet:
    """The best line of a text in which finds are marked: where each begins and ends, and of what it is one."""
    start = _start(text, marks, width)
    end = min(start + width, len(text))
    if end < len(text) and (space := text.rfind(" ", end - width // 8, end)) > max(
        (mark[1] for mark in marks if mark[0] < end), default=start
    ):
        end = space
    whole = [(s, e) for s, e, _ in marks if start <= s and e <= end]
    return _line(
        text, start, end, whole or [(max(s, start), min(e, end)) for s, e, _ in marks if s < end and e > start]
    )


def _start(text: str, marks: Sequence[tuple[int, int, int]], width: int) -> int:
    """Where the window begins: it holds as many different finds as it can, and a little of what stands before."""
    if not marks or len(text) <= width:
        return 0
    most, chosen = 0, marks[0][0]
    inside = dict[int, int]()
    end, number = 0, len(marks)
    for n, (start, _, what) in enumerate(marks):
        while end < number and marks[end][1] <= start + width - _LEAD:
            inside[marks[end][2]] = inside.get(marks[end][2], 0) + 1
            end += 1
        value = len(inside) * number + end - n  # how many different ones, then how many
        if value > most:
            most, chosen = value, start
        if end == n:
            end = n + 1
        elif inside[what] > 1:
            inside[what] -= 1
        else:
            del inside[what]
    start = max(0, min(chosen - _LEAD, len(text) - width))
    if start == 0:
        return 0
    gap = re.compile(r"\s").search(text, start, chosen)
    return gap.end() if gap is not None else start


def _line(text: str, start: int, end: int, spans: Sequence[Span]) -> Snippet:
    """The window on one line: every run of white space and control characters becomes one space."""
    line = "…" if start else ""
    moved: list[Span] = []
    place = start
    for first, last in _merged(spans):
        line += _BLANKS.sub(" ", text[place:first])
        found = _BLANKS.sub(" ", text[first:last])
        moved.append((len(line), len(line) + len(found)))
        line += found
        place = last
    line += _BLANKS.sub(" ", text[place:end])
    blank = len(line) - len(line.lstrip(" "))
    return Snippet(line.strip(" ") + ("…" if end < len(text) else ""), tuple((s - blank, e - blank) for s, e in moved))


def _merged(spans: Sequence[Span]) -> tuple[Span, ...]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def _found(text: str, folded: str, places: Sequence[int] | None, needle: Needle) -> list[Span]:
    """Where a needle stands in a text: as whole words, or as a part of a camelCase word."""
    spans = [match.span() for match in islice(needle.whole.finditer(folded), _MOST_MARKS)]
    looked_at = spans[-1][1] if len(spans) == _MOST_MARKS else len(folded)
    if needle.alone and folded.count(needle.first, 0, looked_at) > len(spans):
        return _with_parts(text, folded, places, needle)
    return spans if places is None else [(places[start], places[end]) for start, end in spans]


def _with_parts(text: str, folded: str, places: Sequence[int] | None, needle: Needle) -> list[Span]:
    """As `_found`, where some of what looks like the needle is a part of another word."""
    spans: list[Span] = []
    start = folded.find(needle.first)
    while start >= 0 and len(spans) < _MOST_MARKS:
        end = start + 1
        if (whole := needle.whole.match(folded, start)) is not None:
            end = whole.end()
            spans.append((start, end) if places is None else (places[start], places[end]))
        else:
            at = start if places is None else places[start]
            spans += [span for span in camel_spans(text, at) if _is_part(text[slice(*span)], needle)]
        start = folded.find(needle.first, end)
    return list(dict.fromkeys(spans))


def _is_part(part: str, needle: Needle) -> bool:
    folded = _folded(part)[0]
    return folded.startswith(needle.first) if needle.prefix else folded == needle.first


@cache
def _fold(letter: str) -> str:
    """What the index makes of a character."""
    return "".join(tokens(letter)) or letter


def _folded(text: str) -> tuple[str, Sequence[int] | None]:
    """The text as the index compares it, and where each of its characters comes from, unless it is the same place.

    Texts are long, and few of their characters are not ASCII: each of these is looked at once, and replaced as often
    as it occurs.
    """
    if text.isascii():
        return text.lower(), None
    data = text.encode()
    folded = data.lower().decode()
    others = {letter: _fold(letter) for letter in set(data.translate(None, _ASCII).decode())}
    if all(len(fold) == 1 for fold in others.values()):
        for letter, fold in others.items():
            if fold != letter:
                folded = folded.replace(letter, fold)
        return folded, None
    letters = [others.get(letter, letter) for letter in folded]
    places = [place for place, fold in enumerate(letters) for _ in fold]
    return "".join(letters), [*places, len(text)]
