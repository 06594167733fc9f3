"""The terms of a query as a person sees them: a facet is a term, so that a click and a typed word are the same."""

from __future__ import annotations

import re

_TERM = re.compile(r'[^\s"]*"[^"]*"\S*|\S+')
_MOVING = re.compile(r'(?:since|until):"?(?:\d+\s?[a-z]|now)', re.IGNORECASE)


def terms_of(query: str) -> list[str]:
    """The terms of a query. A phrase in quotes is one."""
    return _TERM.findall(query)


def with_terms(query: str, *added: str) -> str:
    """The query with these terms, in place of other values of the same filters that take only one."""
    single = {one.partition(":")[0] for one in added} & {"agent", "project", "since", "until"}
    kept = [one for one in terms_of(query) if one.partition(":")[0] not in single and one not in added]
    return " ".join([*kept, *added])


def without_terms(query: str, *removed: str) -> str:
    """The query without these terms."""
    return " ".join(one for one in terms_of(query) if one not in removed)


def has_terms(query: str, *wanted: str) -> bool:
    """Are all these terms in the query?"""
    return {*wanted} <= {*terms_of(query)}


def has_moving_times(query: str) -> bool:
    """Does it name a time that moves on with the clock, as `since:3h`? Days change at midnight only."""
    return _MOVING.search(query) is not None
