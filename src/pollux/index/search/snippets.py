"""The line of a text that shows best why it matches."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain, islice, pairwise
from typing import NamedTuple

from pollux.index.search.fields import tokens
from pollux.index.search.prepare.camel_case import camel_spans, in_word
from pollux.index.search.prepare.prepare_text import clean
from pollux.index.search.prepare.unspaced import JOINT, UNSPACED, is_own_word
from pollux.index.search.query import And, Near, Node, Or, Words
from pollux.index.search.results import Span
from pollux.text.folding import fold, has_marks, units

WIDTH = 160
_LEAD = 40
_MOST_MARKS = 16
_MOST_NEEDLES = 48
"""How many words of a pasted text are marked: the longest ones."""
_ASCII = bytes(range(128))
_SPACE = re.compile(r"\s")
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")


class Snippet(NamedTuple):
    """One line of a text, and the matching spans in it."""

    text: str
    spans: tuple[Span, ...]


class Needle(NamedTuple):
    """Words to find side by side. With `prefix` the last one is only a beginning."""

    words: tuple[str, ...]
    prefix: bool

    def whole(self, *, mixed: bool) -> re.Pattern[str]:
        """A pattern for whole words; `mixed`: for a text in which some characters are words of their own."""
        return _pattern(self, UNSPACED if mixed else "")


def needles(node: Node) -> list[Needle]:
    """The needles of a query."""
    distinct = list(dict.fromkeys(_needles(node)))
    return distinct if len(distinct) <= _MOST_NEEDLES else sorted(distinct, key=_length, reverse=True)[:_MOST_NEEDLES]


def _length(needle: Needle) -> int:
    return sum(map(len, needle.words))


def _needles(node: Node) -> Iterator[Needle]:
    if isinstance(node, Words):
        if words := tuple(tokens(node.text)):
            yield Needle(words, node.prefix)
    elif isinstance(node, Near):
        for word in chain.from_iterable(node.words):
            yield Needle((word,), prefix=False)
    elif isinstance(node, (And, Or)):
        for child in node.nodes:
            yield from _needles(child)


@lru_cache(maxsize=256)
def _pattern(needle: Needle, neighbours: str) -> re.Pattern[str]:
    """The pattern of a needle. `neighbours` names characters that may stand next to it: compiling these is slow."""
    words, prefix = needle
    pattern = re.escape(words[0])
    if not is_own_word(words[0][0]):
        # The beginning of a word. The check follows the first letters, so that the search can use these.
        pattern += f"(?<![^\\W_{neighbours}]{pattern})"
    for before, after in pairwise(words):
        close = is_own_word(before[-1]) or is_own_word(after[0])
        pattern += ("[\\W_]*" if close else "[\\W_]+") + re.escape(after)
    if not is_own_word(words[-1][-1]):
        pattern += f"[^\\W_{neighbours}]*" if prefix else f"(?![^\\W_{neighbours}])"
    return re.compile(pattern)


def snippet(text: str, targets: Sequence[Needle], width: int = WIDTH) -> Snippet:
    """The best line of a text: where most needles stand close together."""
    folded = fold_text(text) if targets else FoldedText(text, None, mixed=False)
    matches = [_find_spans(text, folded, needle) for needle in targets]
    rare = [span for spans in matches if len(spans) < _MOST_MARKS for span in spans]
    for needle, spans in zip(targets, matches, strict=True):
        if len(spans) == _MOST_MARKS:  # there may be more, and those near a rarer match matter most
            spans += [span for s, e in rare for span in _find_spans(text, folded, needle, s - width, e + width)]
    marks = {(start, end, n) for n, spans in enumerate(matches) for start, end in spans}
    return snippet_around(text, sorted(marks), width)


def snippet_around(text: str, marks: Sequence[tuple[int, int, int]], width: int = WIDTH) -> Snippet:
    """The best line of a text with these marks. A mark has its start, its end, and the number of its needle."""
    start = _start(text, marks, width)
    end = min(start + width, len(text))
    visible = [(s, e) for s, e, _ in marks if s < end and e > start]
    if end < len(text) and (space := text.rfind(" ", end - width // 8, end)) > max(
        (e for _, e in visible), default=start
    ):
        end = space
    complete = [(s, e) for s, e in visible if start <= s and e <= end]
    return _line(text, start, end, complete or [(max(s, start), min(e, end)) for s, e in visible])


def _start(text: str, marks: Sequence[tuple[int, int, int]], width: int) -> int:
    """Where the window begins: it shows as many different needles as possible, and a little text before them."""
    if not marks or len(text) <= width:
        return 0
    chosen = _fullest(marks, width - _LEAD)
    start = max(0, min(chosen - _LEAD, len(text) - width))
    if start == 0:
        return 0
    gap = _SPACE.search(text, start, chosen)
    return gap.end() if gap is not None else start


def _fullest(marks: Sequence[tuple[int, int, int]], width: int) -> int:
    """The start of the window with the most different needles, and among those with the most marks."""
    if len({what for _, _, what in marks}) == 1:  # then only marks need to be counted
        ends = [end for _, end, _ in marks]
        counts = [bisect_right(ends, start + width, n) - n for n, (start, _, _) in enumerate(marks)]
        return marks[counts.index(max(counts))][0]
    most, chosen, number = 0, marks[0][0], len(marks)
    inside = dict[int, int]()
    end = 0
    for n, (start, _, what) in enumerate(marks):
        limit = start + width
        while end < number and marks[end][1] <= limit:
            inside[marks[end][2]] = inside.get(marks[end][2], 0) + 1
            end += 1
        value = len(inside) * number + end - n
        if value > most:
            most, chosen = value, start
        if end == n:
            end = n + 1
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
    for first, last in _merge(spans):
        line += _BLANKS.sub(" ", text[place:first])
        match = _BLANKS.sub(" ", text[first:last])
        moved.append((len(line), len(line) + len(match)))
        line += match
        place = last
    line += _BLANKS.sub(" ", text[place:end])
    blank = len(line) - len(line.lstrip(" "))
    return Snippet(line.strip(" ") + ("…" if end < len(text) else ""), tuple((s - blank, e - blank) for s, e in moved))


def _merge(spans: Sequence[Span]) -> tuple[Span, ...]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


class FoldedText(NamedTuple):
    """A text as the index compares it. `places` has the original place of each character, unless all are the same.

    `mixed`: some of its characters are words of their own.
    """

    text: str
    places: Sequence[int] | None
    mixed: bool

    def origin(self, start: int, end: int) -> Span:
        """The span of the original text for a span of the folded text."""
        return (start, end) if self.places is None else (self.places[start], self.places[end])

    def place(self, origin: int) -> int:
        """The place in the folded text for a place in the original."""
        return origin if self.places is None else bisect_left(self.places, origin)


def _find_spans(text: str, folded: FoldedText, needle: Needle, begin: int = 0, end: int | None = None) -> list[Span]:
    """The places of a needle in a text or a part of it: as whole words, or as a part of a camelCase word."""
    begin, end = folded.place(max(begin, 0)), folded.place(len(text) if end is None else min(end, len(text)))
    whole = needle.whole(mixed=folded.mixed)
    spans = [match.span() for match in islice(whole.finditer(folded.text, begin, end), _MOST_MARKS)]
    limit = spans[-1][1] if len(spans) == _MOST_MARKS else end
    if len(needle.words) == 1 and folded.text.count(needle.words[0], begin, limit) > len(spans):
        return _find_with_parts(text, folded, needle, begin, end)
    return spans if folded.places is None else list({folded.origin(start, end): None for start, end in spans})


def _find_with_parts(text: str, folded: FoldedText, needle: Needle, begin: int, limit: int) -> list[Span]:
    """As `_find_spans`, where the needle also occurs as a part of other words."""
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
            if "A" <= text[at] <= "Z" or not at or not in_word(text[at - 1]):  # inside a word, a part has a capital
                spans += [span for span in camel_spans(text, at) if _is_part(text[slice(*span)], needle)]
        start = folded.text.find(word, end, limit)
    return list(dict.fromkeys(spans))


def _is_part(part: str, needle: Needle) -> bool:
    folded, (word,) = fold_text(part).text, needle.words
    return folded.startswith(word) if needle.prefix else folded == word


@cache
def fold_unit(unit: str) -> str:
    """A character with its marks as the index folds it."""
    return "".join(_sign(letter) for letter in fold(unit))


@cache
def _sign(letter: str) -> str:
    return "".join(tokens(letter)) or letter


@cache
def _is_word(letter: str) -> bool:
    """Is a character a word of its own? For most characters the answer is known without the large pattern."""
    return JOINT in clean(letter)


def fold_roughly(text: str) -> FoldedText:
    """Fold a text. The places may be missing: that is faster where a character becomes several, or has marks."""
    if (aligned := _fold_in_place(text)) is not None:
        return aligned
    folded = fold(text)
    letters = _beyond_ascii(folded.encode())
    for letter in letters:
        if _sign(letter) != letter:
            folded = folded.replace(letter, _sign(letter))
    return FoldedText(folded, (), mixed=any(map(_is_word, letters)))


def _fold_in_place(text: str) -> FoldedText | None:
    """The folded text, if its characters keep their places.

    Few characters of a long text are not ASCII: each is folded once, and replaced everywhere.
    """
    if text.isascii():
        return FoldedText(text.lower(), None, mixed=False)
    data = text.encode()
    letters = _beyond_ascii(data)
    folds = {letter: fold_unit(letter) for letter in letters}
    if has_marks(letters) or any(len(folded_letter) != 1 for folded_letter in folds.values()):
        return None
    folded = data.lower().decode()
    for letter, folded_letter in folds.items():
        if folded_letter != letter:
            folded = folded.replace(letter, folded_letter)
    return FoldedText(folded, None, mixed=any(map(_is_word, letters)))


def _beyond_ascii(data: bytes) -> set[str]:
    return set(data.translate(None, _ASCII).decode())


def fold_text(text: str) -> FoldedText:
    """Fold a text, with the place of each character."""
    if (aligned := _fold_in_place(text)) is not None:
        return aligned
    mixed = any(map(_is_word, _beyond_ascii(text.encode())))
    pieces, places, place = list[str](), list[int](), 0
    for unit in units(text):
        piece = unit.lower() if unit.isascii() else fold_unit(unit)
        pieces.append(piece)
        places += [place] * len(piece)
        place += len(unit)
    return FoldedText("".join(pieces), [*places, len(text)], mixed)
