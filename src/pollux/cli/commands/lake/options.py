"""What the commands share by which sessions leave this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pollux.cli.options.common import remark

if TYPE_CHECKING:
    from pollux.errors import PolluxError
    from pollux.lake.ask import Lake

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def pushing(function: Decorated) -> Decorated:
    """Add LAKE, which the settings may name instead, and `--person`."""
    lake = click.argument("lake", metavar="[LAKE]", required=False)
    person = click.option("--person", metavar="NAME", help="Push as this person, instead of the settings' one.")
    return lake(person(function))


lake_argument = click.argument("lake", metavar="LAKE")
"""The lake that a command works on."""


def whose(function: Decorated) -> Decorated:
    """Add `--person` and `--team`."""
    person = click.option("--person", metavar="NAME", help="Only what this person pushed.")
    team = click.option("--team", metavar="NAME", help="Only what people of this team pushed.")
    return person(team(function))


def open_lake(address: str, person: str | None = None, team: str | None = None) -> Lake:
    """The lake that a command asks."""
    from pollux.lake.ask import Lake
    from pollux.lake.store import open_store

    return Lake(open_store(address), person, team)


def tell_problems(problems: Sequence[PolluxError], what: str, *, for_programs: bool) -> None:
    """Tell the first problems, and raise an error where there is one. `what` says what is wrong."""
    for problem in problems[:5]:
        remark(str(problem), for_programs=for_programs)
    if problems:
        raise type(problems[0])(f"{len(problems)} of the {what}.", problems[0].hint)
