"""What the list can be narrowed down by, with counts: each value is a link that adds a term to the query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING

from pollux.model.names import project_name
from pollux.text.escape import one_line
from pollux.text.figures import number
from pollux.text.filter_term import filter_term
from pollux.web.pages.layout import agent_mark, list_address
from pollux.web.terms import has_terms, with_terms, without_terms
from pollux.writers.html.markup import Html, tag

if TYPE_CHECKING:
    from pollux.web.asking import Answer, Question

FEW, MOST = 6, 40
"""So many values of a facet are shown at once, and when it is unfolded."""

_ONE = ("model", "tool")
"""A message has one of these: what has a second one, too, is not found."""

NAMES = {
    "agent": "Agent",
    "project": "Project",
    "is": "Marked",
    "tag": "Tag",
    "model": "Model",
    "branch": "Branch",
    "tool": "Tool",
    "failed": "Failed calls",
    "day": "Day",
}


def facets(answer: Answer) -> Html:
    """All facets that have values."""
    groups = [
        _facet(name, values, answer.question) for name, values in answer.facets.items() if values and name in NAMES
    ]
    inner = tag("details", tag("summary", "Narrow down"), *groups, class_="narrow", open=True)
    return tag("nav", inner if groups else None, aria_label="Narrow down", class_="side facets")


def _facet(name: str, values: dict[str, int], question: Question) -> Html:
    shown, most = list(values.items())[:MOST], max(values.values())
    projects = told_apart(value for value, _ in shown) if name == "project" else {}
    rows = [_value(name, value, count, question, most, projects.get(value)) for value, count in shown]
    chosen = [row for row, is_chosen in rows if is_chosen]
    others = [row for row, is_chosen in rows if not is_chosen]
    if chosen and name in _ONE:
        others, values = [], {}
    few, more = others[:FEW], others[FEW:]
    rest = len(values) - len(rows)
    left = tag("li", f"{rest:,} more: type {name}:…", class_="left") if rest and name != "day" else None
    unfold = None
    if more:
        inner = tag("ul", *more, left)
        unfold = tag("details", tag("summary", f"{number(len(values) - FEW)} more"), inner)
    return tag("section", tag("h2", NAMES[name]), tag("ul", *chosen, *few), unfold, class_="facet")


def told_apart(paths: Iterable[str]) -> dict[str, str]:
    """The name of each project, with as many folders above it as tell those of the same name apart."""
    every = list(paths)
    names = {path: project_name(path) for path in every}
    for depth in range(2, 8):
        same = Counter(names.values())
        for path in every:
            if same[names[path]] > 1:
                names[path] = "/".join(path.rstrip("/\\").replace("\\", "/").split("/")[-depth:])
    return names


def _value(  # noqa: PLR0913, PLR0917
    name: str, value: str, count: int, question: Question, most: int, words: str | None
) -> tuple[Html, bool]:
    query = question.query
    terms = (f"since:{value}", f"until:{value}") if name == "day" else (filter_term(name, value),)
    chosen = has_terms(query, *terms)
    to = without_terms(query, *terms) if chosen else with_terms(query, *terms)
    # The length of the bar, in tenths: a policy without inline styles allows classes only.
    share = max(1, round(10 * count / most)) if most else 0
    link = tag(
        "a",
        tag("span", _shown(name, value, words), class_="value"),
        tag("span", f"{count:,}", class_="count"),
        href=list_address(to, everything=question.everything),
        title=f"{'Without' if chosen else 'Only'} {' '.join(map(one_line, terms))}",
        aria_current="true" if chosen else None,
        class_=f"w{share}",
    )
    return tag("li", link), chosen


def _shown(name: str, value: str, words: str | None) -> Html:
    if name == "agent":
        return agent_mark(value)
    if name == "project":
        return tag("span", one_line(words or project_name(value), 60))
    if name == "day":
        day = date.fromisoformat(value)
        return tag("span", f"{day.day} {day:%b %Y}, {day:%a}")
    return tag("span", one_line("any" if name == "failed" else value, 60))
