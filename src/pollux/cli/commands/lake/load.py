"""`pollux lake load`: fold what was pushed into the tables."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pollux.cli.commands.lake.options import lake_argument, tell_problems
from pollux.cli.options.common import common, json_option
from pollux.cli.options.group import Command
from pollux.errors import RequestError

if TYPE_CHECKING:
    from pollux.lake.load import Part


class _PartType(click.ParamType["Part"]):
    """One of several parts, such as 2/8."""

    name = "part"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Part:  # noqa: ARG002
        """The part. Raises `RequestError`."""
        from pollux.lake.load import Part

        found = re.fullmatch(r"(\d{1,4})/(\d{1,4})", str(value))
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            raise RequestError(f"--part cannot be {value!r}.", "Try: --part 2/8, the second of eight parts.")
        return Part(int(found[1]), int(found[2]))


@click.command("load", cls=Command, short_help="Fold what was pushed into the tables.")
@lake_argument
@click.option(
    "--part", metavar="N/M", type=_PartType(), help="Load only the N-th of M parts; other loaders the others."
)
@click.option(
    "--teams",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='Which people belong to which team: a TOML file with lines such as ada = "shop".',
)
@click.option("--again", is_flag=True, help="Load all documents that lie there, into tables that were made anew.")
@json_option
@common()
@click.pass_context
def command(ctx: click.Context, lake: str, part: Part | None, teams: Path | None, again: bool, as_json: bool) -> None:
    """Fold what was pushed since the last time into the tables.

    Any number of loaders may run at once, and each may be stopped at any moment: nothing is lost, and nothing counts
    twice. A timer can start it.

    \b
    pollux lake load s3://acme/lake
    pollux lake load s3://acme/lake --part 2/8
    """
    from pollux.cli.terminal.progress import bar
    from pollux.cli.terminal.screen import Screen
    from pollux.lake.load import ALL, Loader, read_teams
    from pollux.lake.store import open_store

    progress = bar(ctx, "Loading", quiet=as_json)
    loader = Loader(open_store(lake), read_teams(teams) if teams is not None else None)
    result = loader.load(part or ALL, progress, again=again)
    progress.end()
    screen = Screen(ctx)
    if as_json:
        from pollux.answers.lake import done_document

        screen.json(done_document(result))
    else:
        from pollux.cli.render.lake import load_line

        screen.lines([load_line(result)])
    tell_problems(result.problems, "documents or news could not be loaded", for_programs=as_json)
