"""`pollux lake stats`: what was used by everybody, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pollux.cli.commands.lake.options import lake_argument, open_lake, whose
from pollux.cli.commands.stats import BY as LOCAL, order_of
from pollux.cli.options.choice import Choice, Several
from pollux.cli.options.common import common, json_option
from pollux.cli.options.filters import filter_from_options, narrowing_requests, timezone_option
from pollux.cli.options.group import Command
from pollux.errors import NotFound, RequestError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pollux.cli.terminal.screen import Screen
    from pollux.lake.ask import Lake
    from pollux.library.library import Filter
    from pollux.system.directories import Places
    from pollux.usage.service import Grouping, Stats, UsageService

BY = ("person", "team", *LOCAL)


@click.command("stats", cls=Command, short_help="Show what was used by everybody, and what it cost.")
@lake_argument
@click.option(
    "--by",
    type=Several(BY),
    multiple=True,
    help="What each row stands for; a second name divides each row: person,model.  [default: day]",
)
@narrowing_requests
@whose
@timezone_option
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values.")
@click.option(
    "--of",
    "what",
    type=Choice(["tokens", "cost"]),
    help="What bars show, and rows are sorted by.  [default: cost where all is known, else tokens]",
)
@common()
@click.pass_context
def command(
    ctx: click.Context,
    /,
    lake: str,
    by: tuple[tuple[str, ...], ...],
    person: str | None,
    team: str | None,
    timezone: str | None,
    as_json: bool,
    as_csv: bool,
    what: str | None,
    **options: Any,
) -> None:
    """Show how many tokens all people used, and what they cost by this machine's prices.

    It counts as `pollux stats` does at home. A session that was pushed from several machines counts once.

    \b
    pollux lake stats s3://acme/lake --by person
    pollux lake stats s3://acme/lake --by team,model --since 2026-11
    pollux lake stats s3://acme/lake --by tool
    """
    from pollux.cli.terminal.screen import Screen
    from pollux.lake.usage import usage_of
    from pollux.system.directories import Places
    from pollux.usage.service import Grouping, Measure

    if as_json and as_csv:
        raise RequestError("--json and --csv cannot be combined.", "Leave out one of them.")
    selection, order = filter_from_options(**options), order_of(by)
    asked, screen, places = open_lake(lake, person, team), Screen(ctx), Places()
    usage, form = usage_of(asked, places), "csv" if as_csv else "json" if as_json else None
    if Grouping.TOOL in order:
        if what is not None:
            raise RequestError("Calls of tools have neither tokens nor a cost.", "Leave out --of.")
        found = _tools(screen, asked, usage, order, selection, timezone, form, places)
    else:
        first, *within = order
        stats = usage.stats(first, selection, timezone, within=within, of=Measure(what) if what is not None else None)
        found = _stats(screen, asked, usage, stats, form, places)
    if not found and form is None:
        raise NotFound("No usage matches.", f"Try: pollux lake stats {lake}, or: pollux lake list {lake}")
    ctx.exit(0 if found else NotFound.exit_code)


def _stats(screen: Screen, lake: Lake, usage: UsageService, stats: Stats, form: str | None, places: Places) -> bool:
    """Show tokens. Were there any?"""
    from pollux.answers.usage import stats_csv, stats_document
    from pollux.cli.terminal.screen import talk
    from pollux.draw.stats import remarks, stats_table
    from pollux.text.figures import tilde

    order, home = (stats.by, *stats.within), str(places.home)
    if form == "csv":
        screen.readable(stats_csv(order, stats.rows, stats.total))
    elif form == "json":
        screen.json(stats_document(stats))
    elif stats.rows:
        screen.lines(stats_table(screen, stats, home, _titles(lake, order)))
        for line in remarks(screen, stats, usage.prices, tilde(str(places.settings), home)):
            talk(line)
    return bool(stats.rows)


def _tools(
    screen: Screen,
    lake: Lake,
    usage: UsageService,
    order: Sequence[Grouping],
    selection: Filter,
    timezone: str | None,
    form: str | None,
    places: Places,
) -> bool:
    """Show calls. Were there any?"""
    from pollux.answers.usage import stats_csv, tools_document
    from pollux.draw.stats import tool_table

    rows, total = usage.tools(selection, timezone, by=order)
    if form == "csv":
        screen.readable(stats_csv(order, rows, total))
    elif form == "json":
        screen.json(tools_document(order, rows, total))
    elif rows:
        screen.lines(tool_table(screen, order, rows, total, str(places.home), _titles(lake, order)))
    return bool(rows)


def _titles(lake: Lake, order: Sequence[Grouping]) -> dict[str, tuple[str, str]]:
    """Short ids and titles of sessions, by their keys."""
    from pollux.lake.lists import LakeSessions
    from pollux.library.library import Filter
    from pollux.usage.service import Grouping

    if Grouping.SESSION not in order:
        return {}
    every = LakeSessions(lake).listed(Filter(everything=True))
    return {one.entry.summary.key: (one.entry.short, one.entry.title or "") for one in every}
