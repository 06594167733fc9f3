"""`pollux stats`: what was used, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pollux.cli.common import common, json_option, library
from pollux.cli.complete import sessions
from pollux.cli.filters import narrowing, timezone_option, wanted
from pollux.errors import NotFound, RequestError

if TYPE_CHECKING:
    from pollux.accounts import Stats
    from pollux.cli.screen import Screen
    from pollux.library import Filter, Library

BY = ("agent", "model", "project", "day", "week", "month", "tool", "session")


@click.command("stats")
@click.argument("key", required=False, shell_complete=sessions)
@click.option("--by", type=click.Choice(BY), help="What to tell it by.  [default: day]")
@narrowing
@timezone_option
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(), help="Draw a chart as an SVG picture.")
@click.option("--of", "what", type=click.Choice(["tokens", "cost"]), help="What the chart shows.  [default: tokens]")
@click.option("--stack", type=click.Choice(["agent", "model"]), help="What its columns are made of.  [default: agent]")
@click.option("--force", is_flag=True, help="Overwrite the picture.")
@common()
@click.pass_context
def command(
    ctx: click.Context,
    /,
    key: str | None,
    by: str | None,
    timezone: str | None,
    as_json: bool,
    as_csv: bool,
    output: str | None,
    what: str | None,
    stack: str | None,
    force: bool,
    **options: Any,
) -> None:
    """Show how many tokens were used, and what they cost.

    With a KEY: where the tokens of one session went, turn by turn.

    \b
    pollux stats --by project --since 1w
    pollux stats --by model --since 2026-11
    pollux stats --by tool
    pollux stats --by day --of cost -o chart.svg
    pollux stats last
    """
    from pollux.accounts import By, Of
    from pollux.cli.screen import Screen

    if (as_json, as_csv, output is not None).count(True) > 1:
        raise RequestError("--json, --csv and -o exclude each other.", "Leave out all but one of them.")
    if output is None and (what or stack or force):
        raise RequestError("--of, --stack and --force are for a chart.", "Try: -o chart.svg")
    asked = wanted(**options)
    shelf, screen = library(ctx, quiet=as_json or as_csv), Screen(ctx)
    if key is not None:
        if as_csv or output is not None or by is not None or timezone is not None or asked != _all():
            raise RequestError("One session is told turn by turn.", "Leave out the other options, or KEY.")
        _one(screen, shelf, key, as_json)
        return
    shelf.know(asked.agent)
    chosen = By(by or "day")
    if output is not None:
        if chosen is By.TOOL:
            raise RequestError("There is no chart of tools.", "Try: pollux stats --by tool")
        from pollux.cli.drawing import draw_stats

        of, layer = Of(what or "tokens"), By(stack or "agent")
        draw_stats(shelf, chosen, of, layer, asked, timezone, output, force=force)
        return
    if chosen is By.TOOL:
        _tools(ctx, screen, shelf, asked, as_json=as_json, as_csv=as_csv)
        return
    found = shelf.accounts.stats(chosen, asked, timezone)
    if as_json or as_csv:
        _for_programs(screen, found, as_csv)
        ctx.exit(0 if found.rows else 1)
    if not found.rows:
        _nothing(ctx, screen, shelf)
    _show(screen, shelf, found)


def _all() -> Filter:
    from pollux.library import Filter

    return Filter(everything=True)


def _one(screen: Screen, shelf: Library, key: str, as_json: bool) -> None:
    """One session, looked into."""
    session = shelf.session(key)
    found, family = shelf.accounts.profile(session), shelf.family_usage(session)
    cost = shelf.accounts.cost(session)
    costs = [*shelf.accounts.costs(shelf.accounts.family(session)[1:]).values(), cost]
    family_cost = sum(known) if (known := [one for one in costs if one is not None]) else None
    if as_json:
        from pollux.cli.documents import profile_document

        screen.json(profile_document(session, found, family, cost, family_cost))
        return
    from pollux.cli.portrait import Told, portrait

    told = Told(str(shelf.places.home), family, cost, family_cost)
    screen.lines(portrait(screen, session, found, told))


def _show(screen: Screen, shelf: Library, found: Stats) -> None:
    from pollux.accounts import By
    from pollux.cli.accounting import accounting, remarks
    from pollux.cli.screen import talk
    from pollux.cli.words import tilde

    home, titles = str(shelf.places.home), dict[str, tuple[str, str]]()
    if found.by is By.SESSION:
        every = shelf.list(_all())
        titles = {one.summary.key: (one.short, one.summary.title or "") for one in every}
    screen.lines(accounting(screen, found, home, titles))
    settings = tilde(str(shelf.places.settings), home)
    for line in remarks(screen, found, shelf.accounts.prices, settings):
        talk(line)


def _for_programs(screen: Screen, found: Stats, as_csv: bool) -> None:
    from pollux.cli.documents import row_document, table_of

    rows, total = [row_document(row) for row in found.rows], row_document(found.total)
    if as_csv:
        screen.readable(table_of(total, rows))
        return
    total["unpriced_models"] = list(found.unpriced_models)
    screen.json({"by": found.by.value, "rows": rows, "total": total})


def _tools(ctx: click.Context, screen: Screen, shelf: Library, asked: Filter, *, as_json: bool, as_csv: bool) -> None:
    from pollux.cli.documents import table_of, tool_document

    rows, total = shelf.accounts.tools(asked)
    documents = [tool_document(row) for row in rows]
    if as_csv:
        screen.readable(table_of(tool_document(total), documents))
    elif as_json:
        screen.json({"by": "tool", "rows": documents, "total": tool_document(total)})
    elif rows:
        from pollux.cli.accounting import tool_table

        screen.lines(tool_table(screen, rows, total))
    else:
        raise NotFound("No tool was called.", "Try: pollux stats")
    ctx.exit(0 if rows else 1)


def _nothing(ctx: click.Context, screen: Screen, shelf: Library) -> None:
    """Say why there is nothing."""
    from pollux.cli.empty import nothing

    if shelf.count():
        raise NotFound("Nothing was used then and there.", "Try: pollux stats, or: pollux list")
    nothing(ctx, screen, shelf)
