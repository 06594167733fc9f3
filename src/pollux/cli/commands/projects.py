"""`pollux projects`: the directories people worked in."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from pollux.cli.options.common import SAMPLE, common, json_option, open_library
from pollux.cli.options.complete import projects
from pollux.cli.options.group import Command
from pollux.cli.options.paths import NamedPath
from pollux.errors import NotFound, RequestError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.cli.terminal.screen import Screen
    from pollux.library.library import Library, Project

EVIDENCE = {
    "moved": "your word: pollux rehome",
    "recorded": "recorded in the session",
    "history": "the log of typed prompts",
    "marker": "the agent's own note",
    "registry": "the agent's list of projects",
    "hash": "its hash fits",
    "guess": "a guess, from paths in the sessions",
}


@click.command("projects", cls=Command, short_help="List the projects that have sessions.")
@click.argument("name", required=False, shell_complete=projects)
@click.option(
    "--add", metavar="PATH", type=NamedPath(), help="Tell pollux a project's path, so that it recognises the hash."
)
@json_option
@common()
@click.pass_context
def command(ctx: click.Context, name: str | None, add: str | None, as_json: bool) -> None:
    """List the projects that have sessions, or those whose name or path fits NAME.

    Some agents write down only a hash of a project's path. Where pollux cannot find the path that belongs to it, the
    first digits of the hash stand for the project; `--add` tells it.
    """
    from pollux.cli.terminal.screen import Screen, talk

    if add is not None and ctx.meta.get(SAMPLE):
        raise RequestError("The sample history is read-only.", "Leave out --sample, or --add.")
    library, screen = open_library(ctx, quiet=as_json), Screen(ctx)
    if add is not None:
        _teach(library, add)
        name = name or add
    matches = library.projects.all(name)
    if as_json:
        from pollux.answers.projects import projects_document

        screen.json(projects_document(matches))
        ctx.exit(0 if matches or add is not None else library.index.absence().exit_code)
    if add is not None and not matches:
        return
    if not matches:
        _nothing(ctx, screen, library, name)
    screen.lines(_table(screen, matches, str(library.user_home), library.index.lacking()))
    if any(project.path is None for project in matches):
        talk("`pollux projects --add PATH` tells pollux a path it could not find.")


def _teach(library: Library, path: str) -> None:
    from pollux.cli.terminal.screen import talk
    from pollux.text.escape import visible

    # A link stays a link: agents hash the path they were started with.
    absolute = os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111
    digest = library.projects.add(absolute)
    talk(f"Remembered: {digest[:8]} is {visible(absolute)}")


def _table(screen: Screen, projects: list[Project], home: str, lacking: set[str]) -> Iterator[str]:
    from pollux.draw.table import Column, table
    from pollux.text.escape import one_line
    from pollux.text.figures import NONE, least, tilde

    name = Column("project", most=30)
    narrow = screen.columns is not None and screen.columns < 80
    path = Column("path", flexible=True, least=14 if narrow else 24, path=True, sacrifice=1)
    agents = Column("sessions", whole=not narrow)
    evidence = Column("known by", sacrifice=2)
    for project in projects:
        known = project.path is not None
        guess = "?" if project.evidence == "guess" else ""
        name.add(one_line(project.name) + guess, None if known else "dim")
        path.add(one_line(tilde(project.path, home)) if project.path is not None else NONE)
        counts = ((agent, least(f"{count:,}", more=agent in lacking)) for agent, count in project.agents.items())
        agents.add(", ".join(f"{agent} {count}" for agent, count in counts))
        why = EVIDENCE.get(project.evidence or "", project.evidence or "")
        evidence.add(why or "unknown", "dim")
    return table(screen, [name, path, agents, evidence])


def _nothing(ctx: click.Context, screen: Screen, library: Library, name: str | None) -> None:
    """Say why there is nothing."""
    from pollux.cli.render.empty import nothing

    if name is not None and library.projects.all():
        near = library.projects.closest(name)
        hint = f"Did you mean: {near}?" if near is not None else "Try: pollux projects"
        raise NotFound(f"No project matches {name!r}.", hint)
    nothing(ctx, screen, library)
