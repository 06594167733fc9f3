"""Finds secrets in a text.

Most texts hold no secret, and not even the letters that secrets begin with. Searching for a few letters is fast, so
patterns are tried only where those letters stand.

A hostile text may have the letters everywhere while no pattern ever matches. So a pattern sees no more than its rule's
`reach` of the text: each place has a bounded cost, and the cost of the whole text is proportional to its length. Only a
secret that matched is followed beyond that, and its text is not searched again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pollux.model import Value
from pollux.transforms.redact.deobfuscated import views
from pollux.transforms.redact.rule import Rule

PLACEHOLDER = "[secret:"
"""How every replacement begins, so that it is not taken for a secret again."""

_BREAK = re.compile(r"\\?\r?\n[ \t]*(?![\s\0])")
_NEXT_LINE = re.compile(r"\\?\r?\n[ \t]*(?P<piece>(?=[A-Za-z]*\d)[A-Za-z0-9_/+-]{6,})(?![\w=:.({\[])")
_NARROW = 40
_BREAKS = 3
_REACH = 400
_LONGEST_START = 64
_DIGIT = re.compile(r"\d")


class Span(Value, frozen=True, kw_only=True):
    """Where a secret stands in a text, and which rule found it."""

    start: int
    end: int
    rule: Rule


class Finder:
    """Finds secrets by rules. Rules that come first take precedence."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        self._rank = {rule.name: number for number, rule in enumerate(self._rules)}
        self._exact = Roots(rule for rule in self._rules if not rule.any_case)
        self._any_case = Roots(rule for rule in self._rules if rule.any_case)

    def find(self, text: str) -> list[Span]:
        """Every secret, in order. Where two overlap they are one, named by the rule that comes first."""
        spans = list(self._spans(text))
        return self._merge(spans) if spans else spans

    def names(self, text: str) -> set[str]:
        """The rules that find something in a text."""
        return {span.rule.name for span in self._spans(text)}

    def _spans(self, text: str) -> Iterator[Span]:
        """The secrets in every view of a text."""
        readings = views(text)
        if not readings:
            yield from self._spans_in(text)
        for view in readings:
            for span in self._spans_in(view.text):
                if (place := view.origin(span.start, span.end)) is not None:
                    yield Span(start=place[0], end=place[1], rule=span.rule)

    def _spans_in(self, text: str) -> Iterator[Span]:
        for rule in self._exact.possible(text):
            yield from _rule_spans(text, text, rule)
        if self._any_case:
            lowered = _lower(text)
            for rule in self._any_case.possible(lowered):
                yield from _rule_spans(text, lowered, rule)

    def only(self, names: Iterable[str]) -> Finder:
        """A finder with only these rules."""
        chosen_names = set(names)
        return Finder(rule for rule in self._rules if rule.name in chosen_names)

    def _merge(self, spans: list[Span]) -> list[Span]:
        merged: list[Span] = []
        for span in sorted(spans, key=lambda item: (item.start, self._rank[item.rule.name])):
            if not merged or span.start >= merged[-1].end:
                merged.append(span)
                continue
            last = merged.pop()
            rule = min(last.rule, span.rule, key=lambda item: self._rank[item.name])
            merged.append(Span(start=last.start, end=max(last.end, span.end), rule=rule))
        return merged


class Roots:
    """The letters to search for, each with its rules. Letters that contain other letters are searched for by those.

    Letters with the same beginning are searched for together, which takes as long as searching for one of them.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        pairs = [(letters, rule) for rule in rules for letters in rule.letters]
        roots: dict[str, list[Rule]] = {}
        for letters, rule in sorted(pairs, key=lambda pair: len(pair[0])):
            root = next((known for known in roots if known in letters), letters)
            roots.setdefault(root, []).append(rule)
        groups: dict[str, list[str]] = {}
        for root in roots:
            groups.setdefault(root[: min(2, len(root) - 1)], []).append(root)
        self._single = [(group[0], roots[group[0]]) for group in groups.values() if len(group) == 1]
        self._several = [
            (_pattern_of(begin, group), [rule for root in group for rule in roots[root]])
            for begin, group in groups.items()
            if len(group) > 1
        ]

    def __bool__(self) -> bool:
        return bool(self._single or self._several)

    def possible(self, text: str) -> Iterable[Rule]:
        """The rules that may find something in a text."""
        hits = [rules for root, rules in self._single if root in text]
        hits += [rules for pattern, rules in self._several if pattern.search(text) is not None]
        return {rule.name: rule for rules in hits for rule in rules}.values()


def _pattern_of(begin: str, roots: list[str]) -> re.Pattern[str]:
    """A pattern for any of the roots, which all begin with the same letters."""
    return re.compile(f"{re.escape(begin)}(?:{'|'.join(re.escape(root[len(begin) :]) for root in roots)})")


def _lower(text: str) -> str:
    """The text in lower case with the same length: a letter that would become two letters stays."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)


def _rule_spans(text: str, searched: str, rule: Rule) -> Iterator[Span]:
    """The secrets that a rule finds where its letters stand."""
    for letters in rule.letters:
        place = searched.find(letters)
        while place >= 0:
            start = _start(text, place, rule)
            span = _match_at(text, start, rule)
            if span is None and rule.wraps:
                span = _match_wrapped(text, start, rule)
            elif span is not None and rule.grows:
                span = _extend(text, span)
            if span is not None:
                yield span
            place = searched.find(letters, max(place + 1, span.end if span is not None else 0))


def _start(text: str, place: int, rule: Rule) -> int:
    match = rule.before.search(text, max(0, place - _LONGEST_START), place) if rule.before is not None else None
    return place if match is None else match.start()


def _match_at(text: str, start: int, rule: Rule) -> Span | None:
    limit = start + rule.reach
    match = rule.pattern.match(text, start, limit)
    if match is None or (rule.check is not None and not rule.check(match)):
        return None
    if match.end() == limit:
        match = rule.pattern.match(text, start) or match
    begin, end = match.span("secret" if "secret" in rule.pattern.groupindex else 0)
    return None if text.startswith(PLACEHOLDER, begin) else Span(start=begin, end=end, rule=rule)


def _match_wrapped(text: str, start: int, rule: Rule) -> Span | None:
    """A secret that a terminal broke into lines, matched with the lines joined."""
    if text.find("\n", start, start + _REACH) < 0:
        return None
    joined, breaks = text[start : start + _REACH], 0
    before = text[max(0, start - 3) : start]
    removed = 0
    while breaks < _BREAKS and (line_break := _BREAK.search(joined)) is not None:
        joined = joined[: line_break.start()] + joined[line_break.end() :]
        removed += line_break.end() - line_break.start()
        breaks += 1
        match = rule.pattern.match(before + joined, len(before))
        if match is not None and match.end() - len(before) > line_break.start():
            certain = _DIGIT.search(match[0]) is not None and (rule.check is None or rule.check(match))
            return Span(start=start, end=start + len(match[0]) + removed, rule=rule) if certain else None
    return None


def _extend(text: str, span: Span) -> Span:
    """A secret without a fixed length that ends with its line may go on in the next line."""
    end = span.end
    for _ in range(_BREAKS):
        wide = end >= _NARROW and text.find("\n", end - _NARROW, end) < 0
        more = _NEXT_LINE.match(text, end) if wide else None
        if more is None or any(letters in more["piece"] for letters in span.rule.letters):
            break
        end = more.end()
    return span if end == span.end else Span(start=span.start, end=end, rule=span.rule)
