"""The piece of a text that shows best why it was found."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain, islice, pairwise
from typing import NamedTuple

from pollux.index.search.fields import tokens
from pollux.index.search.query import Both, Either, Near, Node, Words
from pollux.index.search.results import Span
from pollux.index.search.words import JOINT, UNSPACED, camel_spans, clean, stands_alone
from pollux.text.folding import fold, has_marks, units

WIDTH = 160
_LEAD = 40
_MOST_MARKS = 64
_MOST_NEEDLES = 48
"""Of a pasted text so many words are marked, the longest: these tell the most."""
_ASCII = bytes(range(128))
_SPACE = re.compile(r"\s")
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")


class Snippet(NamedTuple):
    """One line of a text, and the spans in it that were looked for."""

    text: str
    spans: tuple[Span, ...]


class Needle(NamedTuple):
    """Words in a row to be found, the last of them perhaps only a beginning."""

    words: tuple[str, ...]
    prefix: bool

    def whole(self, *, mixed: bool) -> re.Pattern[str]:
        """What finds it as whole words; `mixed`: in a text in which some characters are words of their own."""
        return _pattern(self, UNSPACED if mixed else "")


def needles(node: Node) -> list[Needle]:
    """What a query looks for, ready to be found in many texts."""
    every = list(dict.fromkeys(_needles(node)))
    return every if len(every) <= _MOST_NEEDLES else sorted(every, key=_length, reverse=True)[:_MOST_NEEDLES]


def _length(needle: Needle) -> int:
    return sum(map(len, needle.words))


def _needles(node: Node) -> Iterator[Needle]:
    if isinstance(node, Words):
        if found := tuple(tokens(node.text)):
            yield Needle(found, node.prefix)
    elif isinstance(node, Near):
        for word in chain.from_iterable(node.words):
            yield Needle((word,), prefix=False)
    elif isinstance(node, (Both, Either)):
        for each in node.nodes:
            yield from _needles(each)


@lru_cache(maxsize=256)
def _pattern(needle: Needle, beside: str) -> re.Pattern[str]:
    """Made when first needed: where all characters that may stand `beside` it are named, that takes a while."""
    words, prefix = needle
    pattern = re.escape(words[0])
    if not stands_alone(words[0][0]):
        # Where a word begins. Behind its first letters, so that these are what is searched for.
        pattern += f"(?<![^\\W_{beside}]{pattern})"
    for before, after in pairwise(words):
        close = stands_alone(before[-1]) or stands_alone(after[0])
        pattern += ("[\\W_]*" if close else "[\\W_]+") + re.escape(after)
    if not stands_alone(words[-1][-1]):
        pattern += f"[^\\W_{beside}]*" if prefix else f"(?![^\\W_{beside}])"
    return re.compile(pattern)


def snippet(text: str, looked_for: Sequence[Needle], width: int = WIDTH) -> Snippet:
    """The best line of a text: where most of what was looked for stands close together."""
    folded = _folded(text) if looked_for else Folded(text, None, mixed=False)
    found = [_found(text, folded, needle) for needle in looked_for]
    rare = [span for spans in found if len(spans) < _MOST_MARKS for span in spans]
    for needle, spans in zip(looked_for, found, strict=True):
        if len(spans) == _MOST_MARKS:  # there may be more, and those beside a rarer find tell the most
            spans += [near for s, e in rare for near in _found(text, folded, needle, s - width, e + width)]
    marks = {(start, end, n) for n, spans in enumerate(found) for start, end in spans}
    return around(text, sorted(marks), width)


def around(text: str, marks: Sequence[tuple[int, int, int]], width: int = WIDTH) -> Snippet:
    """The best line of a text in which finds are marked: where each begins and ends, and of what it is one."""
    start = _start(text, marks, width)
    end = min(start + width, len(text))
    seen = [(s, e) for s, e, _ in marks if s < end and e > start]
    if end < len(text) and (space := text.rfind(" ", end - width // 8, end)) > max((e for _, e in seen), default=start):
        end = space
    whole = [(s, e) for s, e in seen if start <= s and e <= end]
    return _line(text, start, end, whole or [(max(s, start), min(e, end)) for s, e in seen])


def _start(text: str, marks: Sequence[tuple[int, int, int]], width: int) -> int:
    """Where the window begins: it holds as many different finds as it can, and a little of what stands before."""
    if not marks or len(text) <= width:
        return 0
    chosen = _fullest(marks, width - _LEAD)
    start = max(0, min(chosen - _LEAD, len(text) - width))
    if start == 0:
        return 0
    gap = _SPACE.search(text, start, chosen)
    return gap.end() if gap is not None else start


def _fullest(marks: Sequence[tuple[int, int, int]], width: int) -> int:
    """Where the window begins that holds the most different finds, and of such windows the one with the most finds."""
    most, chosen, number = 0, marks[0][0], len(marks)
    single = len({what for _, _, what in marks}) == 1  # then nothing need be counted but finds
    inside = dict[int, int]()
    end = 0
    for n, (start, _, what) in enumerate(marks):
        limit = start + width
        while end < number and marks[end][1] <= limit:
            if not single:
                inside[marks[end][2]] = inside.get(marks[end][2], 0) + 1
            end += 1
        value = len(inside) * number + end - n
        if value > most:
            most, chosen = value, start
        if end == n:
            end = n + 1
        elif single:
            continue
        elif inside[what] > 1:
            inside[what] -= 1
        else:
            del inside[what]
    return chosen


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


class Folded(NamedTuple):
    """A text as the index compares it, and where each of its characters comes from, unless it is the same place.

    `mixed`: some of its characters are words of their own.
    """

    text: str
    places: Sequence[int] | None
    mixed: bool

    def origin(self, start: int, end: int) -> Span:
        """Where a part of it stands in the text that was folded."""
        return (start, end) if self.places is None else (self.places[start], self.places[end])

    def place(self, origin: int) -> int:
        """Where a place of the text that was folded is in it."""
        return origin if self.places is None else bisect_left(self.places, origin)


def _found(text: str, folded: Folded, needle: Needle, begin: int = 0, end: int | None = None) -> list[Span]:
    """Where a needle stands in a text, or in a part of it: as whole words, or as a part of a camelCase word."""
    begin, end = folded.place(max(begin, 0)), folded.place(len(text) if end is None else min(end, len(text)))
    whole = needle.whole(mixed=folded.mixed)
    spans = [match.span() for match in islice(whole.finditer(folded.text, begin, end), _MOST_MARKS)]
    looked_at = spans[-1][1] if len(spans) == _MOST_MARKS else end
    if len(needle.words) == 1 and folded.text.count(needle.words[0], begin, looked_at) > len(spans):
        return _with_parts(text, folded, needle, begin, end)
    return spans if folded.places is None else list({folded.origin(start, end): None for start, end in spans})


def _with_parts(text: str, folded: Folded, needle: Needle, begin: int, limit: int) -> list[Span]:
    """As `_found`, where some of what looks like the needle is a part of another word."""
    spans: list[Span] = []
    (word,), pattern = needle.words, needle.whole(mixed=folded.mixed)
    start = folded.text.find(word, begin, limit)
    while start >= 0 and len(spans) < _MOST_MARKS:
        end = start + 1
        if (whole := pattern.match(folded.text, start)) is not None:
            end = whole.end()
            spans.append(folded.origin(start, end))
        else:
            at = folded.origin(start, start)[0]
            spans += [span for span in camel_spans(text, at) if _is_part(text[slice(*span)], needle)]
        start = folded.text.find(word, end, limit)
    return list(dict.fromkeys(spans))


def _is_part(part: str, needle: Needle) -> bool:
    folded, (word,) = _folded(part).text, needle.words
    return folded.startswith(word) if needle.prefix else folded == word


@cache
def _fold(unit: str) -> str:
    """What the index makes of a character and its marks."""
    return "".join(_sign(letter) for letter in fold(unit))


@cache
def _sign(letter: str) -> str:
    return "".join(tokens(letter)) or letter


@cache
def _is_word(letter: str) -> bool:
    """Is a character a word of its own? The answer for most is known without a look at all that are."""
    return JOINT in clean(letter)


def _folded(text: str) -> Folded:
    """Texts are long, and few of their characters are not ASCII: each is looked at once, and replaced everywhere."""
    if text.isascii():
        return Folded(text.lower(), None, mixed=False)
    data = text.encode()
    letters = set(data.translate(None, _ASCII).decode())
    mixed = any(map(_is_word, letters))
    if not has_marks(letters):
        folded = data.lower().decode()
        folds = {letter: _fold(letter) for letter in letters}
        if all(len(each) == 1 for each in folds.values()):
            for letter, each in folds.items():
                if each != letter:
                    folded = folded.replace(letter, each)
            return Folded(folded, None, mixed)
    pieces, places, place = list[str](), list[int](), 0
    for unit in units(text):
        piece = unit.lower() if unit.isascii() else _fold(unit)
        pieces.append(piece)
        places += [place] * len(piece)
        place += len(unit)
    return Folded("".join(pieces), [*places, len(text)], mixed)
