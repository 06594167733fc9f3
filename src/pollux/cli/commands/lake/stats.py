"""`pollux lake stats`: what was used by everybody, and what it cost."""

from __future__ import annotations

from typing import Any

import click

from pollux.cli.commands.lake.options import lake_argument, open_lake, whose
from pollux.cli.commands.stats import BY as LOCAL, order_of
from pollux.cli.options.choice import Choice, Several
from pollux.cli.options.common import common, json_option
from pollux.cli.options.filters import filter_from_options, narrowing_requests, timezone_option
from pollux.cli.options.group import Command
from pollux.errors import NotFound, RequestError

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
    from pollux.cli.render.usage import UsageView
    from pollux.cli.terminal.screen import Screen
    from pollux.lake.lists import LakeSessions
    from pollux.lake.usage import usage_of
    from pollux.library.library import Filter
    from pollux.system.directories import Places

    if as_json and as_csv:
        raise RequestError("--json and --csv cannot be combined.", "Leave out one of them.")
    selection, order = filter_from_options(**options), order_of(by)
    asked, places = open_lake(lake, person, team), Places()

    def titles() -> dict[str, tuple[str, str]]:
        every = LakeSessions(asked).listed(Filter(everything=True))
        return {one.entry.summary.key: (one.entry.short, one.entry.title or "") for one in every}

    view = UsageView(
        Screen(ctx),
        usage_of(asked, places),
        home=str(places.home),
        settings=str(places.settings),
        titles=titles,
        form="csv" if as_csv else "json" if as_json else None,
    )
    found = view.show(order, selection, timezone, what)
    if not found and view.form is None:
        raise NotFound("No usage matches.", f"Try: pollux lake stats {lake}, or: pollux lake list {lake}")
    ctx.exit(0 if found else NotFound.exit_code)
