"""Finds secrets in a text.

Most texts hold none, and most of those none of the letters that secrets begin with: to look for a few letters is quick.
Patterns are tried only where letters were found.

A text may be made so that the letters stand everywhere and no pattern ever holds. So a pattern sees no more than its
rule's `reach` of the text: each place costs at most so much, and the whole text costs in proportion to its length. Only
a secret that was found is followed beyond that, and what belongs to it is not looked at again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pollux.model import Value
from pollux.transforms.redact.rule import Rule
from pollux.transforms.redact.view import views

PLACEHOLDER = "[secret:"
"""How every replacement begins: what was taken out is not found again."""

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
    """Some rules; those that come first have the say."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        self._rank = {rule.name: number for number, rule in enumerate(self._rules)}
        self._exact = Roots(rule for rule in self._rules if not rule.any_case)
        self._any_case = Roots(rule for rule in self._rules if rule.any_case)

    def find(self, text: str) -> list[Span]:
        """Every secret, in order. Where two overlap they are one, named by the rule that comes first."""
        found = list(self._every(text))
        return self._merged(found) if found else found

    def names(self, text: str) -> set[str]:
        """The rules that find something in a text."""
        return {span.rule.name for span in self._every(text)}

    def _every(self, text: str) -> Iterator[Span]:
        """What is found in a text, however it is read."""
        every = views(text)
        if not every:
            yield from self._written(text)
        for view in every:
            for span in self._written(view.text):
                if (place := view.origin(span.start, span.end)) is not None:
                    yield Span(start=place[0], end=place[1], rule=span.rule)

    def _written(self, text: str) -> Iterator[Span]:
        for rule in self._exact.possible(text):
            yield from _at(text, text, rule)
        if self._any_case:
            lowered = _lowered(text)
            for rule in self._any_case.possible(lowered):
                yield from _at(text, lowered, rule)

    def only(self, names: Iterable[str]) -> Finder:
        """A finder with these of the rules."""
        wanted = set(names)
        return Finder(rule for rule in self._rules if rule.name in wanted)

    def _merged(self, found: list[Span]) -> list[Span]:
        merged: list[Span] = []
        for span in sorted(found, key=lambda one: (one.start, self._rank[one.rule.name])):
            if not merged or span.start >= merged[-1].end:
                merged.append(span)
                continue
            last = merged.pop()
            rule = min(last.rule, span.rule, key=lambda one: self._rank[one.name])
            merged.append(Span(start=last.start, end=max(last.end, span.end), rule=rule))
        return merged


class Roots:
    """The letters to look for, and the rules each may lead to. Where some are part of others, they are looked for.

    Those that begin alike are looked for together, which takes as long as to look for one of them.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        every = [(letters, rule) for rule in rules for letters in rule.letters]
        roots: dict[str, list[Rule]] = {}
        for letters, rule in sorted(every, key=lambda one: len(one[0])):
            root = next((known for known in roots if known in letters), letters)
            roots.setdefault(root, []).append(rule)
        alike: dict[str, list[str]] = {}
        for root in roots:
            alike.setdefault(root[: min(2, len(root) - 1)], []).append(root)
        self._single = [(each[0], roots[each[0]]) for each in alike.values() if len(each) == 1]
        self._several = [
            (_any_of(begin, each), [rule for root in each for rule in roots[root]])
            for begin, each in alike.items()
            if len(each) > 1
        ]

    def __bool__(self) -> bool:
        return bool(self._single or self._several)

    def possible(self, text: str) -> Iterable[Rule]:
        """The rules that may find something in a text."""
        found = [rules for root, rules in self._single if root in text]
        found += [rules for several, rules in self._several if several.search(text) is not None]
        return {rule.name: rule for rules in found for rule in rules}.values()


def _any_of(begin: str, roots: list[str]) -> re.Pattern[str]:
    """Looks for one of the roots, which all begin with the same letters."""
    return re.compile(f"{re.escape(begin)}(?:{'|'.join(re.escape(root[len(begin) :]) for root in roots)})")


def _lowered(text: str) -> str:
    """The text in small letters, each in its place: the few letters that would become two are left."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(small if len(small := each.lower()) == 1 else each for each in text)


def _at(text: str, searched: str, rule: Rule) -> Iterator[Span]:
    """What a rule finds where its letters stand."""
    for letters in rule.letters:
        place = searched.find(letters)
        while place >= 0:
            start = _start(text, place, rule)
            span = _matched(text, start, rule)
            if span is None and rule.wraps:
                span = _wrapped(text, start, rule)
            elif span is not None and rule.grows:
                span = _continued(text, span)
            if span is not None:
                yield span
            place = searched.find(letters, max(place + 1, span.end if span is not None else 0))


def _start(text: str, place: int, rule: Rule) -> int:
    begun = rule.before.search(text, max(0, place - _LONGEST_START), place) if rule.before is not None else None
    return place if begun is None else begun.start()


def _matched(text: str, start: int, rule: Rule) -> Span | None:
    limit = start + rule.reach
    found = rule.pattern.match(text, start, limit)
    if found is None or (rule.check is not None and not rule.check(found)):
        return None
    if found.end() == limit:
        found = rule.pattern.match(text, start) or found
    begin, end = found.span("secret" if "secret" in rule.pattern.groupindex else 0)
    return None if text.startswith(PLACEHOLDER, begin) else Span(start=begin, end=end, rule=rule)


def _wrapped(text: str, start: int, rule: Rule) -> Span | None:
    """A secret that a terminal broke into lines: as it reads with the lines joined."""
    if text.find("\n", start, start + _REACH) < 0:
        return None
    joined, breaks = text[start : start + _REACH], 0
    before = text[max(0, start - 3) : start]
    taken = 0
    while breaks < _BREAKS and (at := _BREAK.search(joined)) is not None:
        joined = joined[: at.start()] + joined[at.end() :]
        taken += at.end() - at.start()
        breaks += 1
        found = rule.pattern.match(before + joined, len(before))
        if found is not None and found.end() - len(before) > at.start():
            sure = _DIGIT.search(found[0]) is not None and (rule.check is None or rule.check(found))
            return Span(start=start, end=start + len(found[0]) + taken, rule=rule) if sure else None
    return None


def _continued(text: str, span: Span) -> Span:
    """A secret of no certain length that ends where its line does may go on in the next."""
    end = span.end
    for _ in range(_BREAKS):
        wide = end >= _NARROW and text.find("\n", end - _NARROW, end) < 0
        more = _NEXT_LINE.match(text, end) if wide else None
        if more is None or any(letters in more["piece"] for letters in span.rule.letters):
            break
        end = more.end()
    return span if end == span.end else Span(start=span.start, end=end, rule=span.rule)
