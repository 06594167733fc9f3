"""The options that choose sessions, the same for every command that lists them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pollux.cli.options.choice import Choice
from pollux.cli.options.complete import agents, projects
from pollux.system.clock import parse

if TYPE_CHECKING:
    from datetime import datetime

    from pollux.library.library import Filter

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class When(click.ParamType["datetime"]):
    """A point in time, as people type it; `end` takes a whole day's last moment.

    Where a command has the option `--timezone`, it decides what a day is.
    """

    name = "when"

    def __init__(self, *, end: bool = False) -> None:
        self.end = end

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:  # noqa: ARG002
        """The time. Raises `RequestError`."""
        name = ctx.params.get("timezone") if ctx is not None else None
        if not isinstance(name, str):
            return parse(value, end=self.end)
        from pollux.usage.days import zone

        return parse(value, end=self.end, zone=zone(name))


timezone_option = click.option(
    "--timezone",
    metavar="NAME",
    is_eager=True,  # what a day is must be known before the days are read
    help="The time zone of days: Europe/Berlin, UTC.  [default: this machine's]",
)

fate_option = click.option(
    "--fate",
    type=Choice(["live", "all"]),
    default="all",
    show_default=True,
    help="All that is in the files, or only what the agent would resume.",
)


def filters(function: Decorated) -> Decorated:
    """Add `--agent`, `--project`, `--since`, `--until`, `--all`."""
    everything = click.option(
        "--all", "everything", is_flag=True, help="Also sub-agents, checkpoints and sessions with prompts only."
    )
    return narrowing(everything(function))


def whose(function: Decorated) -> Decorated:
    """Add `--agent` and `--project`."""
    options: list[Callable[[Any], Any]] = [
        click.option("--agent", metavar="NAME", shell_complete=agents, help="Only sessions of this agent."),
        click.option(
            "--project",
            metavar="PATH-OR-NAME",
            shell_complete=projects,
            help="Only sessions of this project: a path, a name, part of a name.",
        ),
    ]
    return _added(function, options)


def narrowing(function: Decorated) -> Decorated:
    """Add `--agent`, `--project`, `--since`, `--until`."""
    return whose(_times(function, "sessions"))


def narrowing_requests(function: Decorated) -> Decorated:
    """Add the same options as `narrowing`, where the times choose requests."""
    return whose(_times(function, "requests"))


def narrowing_edits(function: Decorated) -> Decorated:
    """Add the same options as `narrowing`, where the times choose edits."""
    return whose(_times(function, "edits"))


def narrowing_cases(function: Decorated) -> Decorated:
    """Add the same options as `narrowing`, where the times choose cases of something."""
    return whose(_times(function, "cases"))


def _times(function: Decorated, what: str) -> Decorated:
    examples = "3d, 2w, 12h, yesterday, 2026-11-15"
    options: list[Callable[[Any], Any]] = [
        click.option("--since", metavar="WHEN", type=When(), help=f"Only {what} since then: {examples}."),
        click.option("--until", metavar="WHEN", type=When(end=True), help=f"Only {what} until then."),
    ]
    return _added(function, options)


def _added(function: Decorated, options: list[Callable[[Any], Any]]) -> Decorated:
    for option in reversed(options):
        function = option(function)
    return function


branch_option = click.option("--branch", metavar="NAME", help="Only sessions that were on this git branch.")


def filter_from_options(agent: str | None, project: str | None, *times: datetime | None, **more: Any) -> Filter:
    """The options as the library understands them."""
    from pollux.library.filters import filter_of

    return filter_of(agent, project, *times, **more)
