"""The directories people worked in: each leads to its sessions, its edits and its figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pollux import registry
from pollux.text.escape import one_line
from pollux.text.figures import NONE, plural, tilde
from pollux.text.filter_term import filter_term
from pollux.text.shell import shell_line
from pollux.web.pages.layout import list_address
from pollux.web.pages.report import field, heading, nothing, report_page, table
from pollux.web.reports.asked import to
from pollux.writers.html.markup import Html, join, tag

if TYPE_CHECKING:
    from pollux.library.library import Project
    from pollux.web.reports.asked import Asked


def projects_page(asked: Asked, projects: Sequence[Project]) -> str:
    """All projects, or those with a name."""
    name = asked.get("name")
    agents = [agent for agent in registry.source_names() if any(agent in one.agents for one in projects)]
    names = ("project", *agents, "path", "go to")
    rows = [_cells(one, agents, asked.home) for one in projects]
    search = tag(
        "form",
        field("Name", "name", name, "part of a name"),
        tag("button", "Show", type="submit"),
        tag("a", "Clear", href=asked.path) if name else None,
        method="get",
        action=asked.path,
        class_="filters",
    )
    return report_page(
        asked,
        "Projects",
        heading(plural(len(projects), "project"), asked, shell_line("pollux", "projects", *([name] if name else []))),
        search,
        table(names, rows, numeric=range(1, 1 + len(agents)), texts=(1 + len(agents),))
        if rows
        else nothing("No project matches.", asked),
        tag("p", "The numbers count the sessions of each agent.", class_="about below") if rows else None,
    )


def _cells(project: Project, agents: Sequence[str], home: str) -> tuple[str, ...]:
    asked_for = project.path or next((digest[:8] for digest in project.hashes), project.name)
    sessions = list_address(filter_term("project", asked_for))
    ways = [tag("a", "Edits", href=to("/edits", project=asked_for))]
    ways += [tag("a", "Figures", href=to("/stats", by="session", project=asked_for))]
    path = tag("code", one_line(tilde(project.path, home))) if project.path else tag("small", "not known")
    guess = " (a guess)" if project.evidence == "guess" else None
    return (
        tag("a", one_line(project.name), href=sessions),
        *(_count(project, agent, asked_for) for agent in agents),
        join([path, guess]),
        join(ways, Html(" · ")),
    )


def _count(project: Project, agent: str, asked_for: str) -> str:
    count = project.agents.get(agent)
    if not count:
        return NONE
    query = f"{filter_term('agent', agent)} {filter_term('project', asked_for)}"
    return tag("a", f"{count:,}", href=list_address(query), title=f"Sessions of {one_line(agent)}")
