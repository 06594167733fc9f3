"""`pollux stats`: what was used, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import click

from pollux.cli.options.choice import Choice, Several
from pollux.cli.options.common import common, json_option, open_library
from pollux.cli.options.complete import sessions
from pollux.cli.options.filters import filter_from_options, narrowing_requests, timezone_option
from pollux.cli.options.group import Command
from pollux.cli.options.paths import NamedPath
from pollux.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pollux.cli.terminal.screen import Screen
    from pollux.library.library import Filter, Library
    from pollux.usage.service import Grouping, Stats

BY = ("agent", "model", "project", "day", "week", "month", "tool", "session")


@click.command("stats", cls=Command)
@click.argument("key", required=False, shell_complete=sessions)
@click.option(
    "--by",
    type=Several(BY),
    multiple=True,
    help="What each row stands for; a second name divides each row: day,model.  [default: day]",
)
@narrowing_requests
@timezone_option
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values.")
@click.option("--output", "-o", metavar="FILE", type=NamedPath(), help="Draw a chart as an SVG picture.")
@click.option(
    "--of",
    "what",
    type=Choice(["tokens", "cost"]),
    help="What bars and charts show, and rows are sorted by.  [default: cost where all is known, else tokens]",
)
@click.option("--stack", type=Choice(["agent", "model"]), help="What divides each column.  [default: agent]")
@click.option("--force", is_flag=True, help="Overwrite the picture.")
@common()
@click.pass_context
def command(
    ctx: click.Context,
    /,
    key: str | None,
    by: tuple[tuple[str, ...], ...],
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

    --since and --until choose requests by the quarter of an hour in which they were made.

    \b
    pollux stats --by project --since 1w
    pollux stats --by day,model --since 2026-11
    pollux stats --by tool
    pollux stats --by day --of cost -o chart.svg
    pollux stats last
    """
    from pollux.cli.terminal.screen import Screen
    from pollux.usage.service import Grouping, Measure

    if (as_json, as_csv, output is not None).count(True) > 1:
        raise RequestError("--json, --csv and -o cannot be combined.", "Leave out all but one of them.")
    if output is None and (stack or force):
        raise RequestError("--stack and --force need a chart.", "Try: -o chart.svg")
    selection = filter_from_options(**options)
    library, screen = open_library(ctx, quiet=as_json or as_csv), Screen(ctx)
    if key is not None:
        if as_csv or output is not None or by or what or timezone is not None or selection != _all():
            raise RequestError(
                "A KEY cannot be combined with these options.",
                "Leave out the other options to see one session turn by turn, or leave out KEY.",
            )
        _one_session(screen, library, key, as_json)
        return
    library.homes.require_agent(selection.agent)
    first, *within = order_of(by)
    of = Measure(what) if what is not None else None
    if output is not None:
        if first is Grouping.TOOL or within:
            raise RequestError("A chart needs exactly one --by, and not tool.", "Try: --by day --stack model")
        from pollux.cli.options.picture import picture
        from pollux.usage.charts.pictures import stats_picture

        target, parts = picture(library, output, force=force), Grouping(stack or "agent")
        target.write(stats_picture(library.usage, first, selection, of=of, stack=parts, timezone=timezone))
        return
    if Grouping.TOOL in (first, *within):
        if of is not None:
            raise RequestError("Calls of tools have neither tokens nor a cost.", "Leave out --of.")
        _tools(ctx, library, (first, *within), selection, timezone, "csv" if as_csv else "json" if as_json else None)
        return
    stats = library.usage.stats(first, selection, timezone, within=within, of=of)
    if as_json or as_csv:
        _for_programs(screen, stats, as_csv, _lacking(library, selection))
        ctx.exit(0 if stats.rows else library.index.absence(selection.agent).exit_code)
    if not stats.rows:
        _nothing(ctx, screen, library, selection)
    _show(screen, library, stats)


def order_of(by: tuple[tuple[str, ...], ...]) -> list[Grouping]:
    """The divisions of the figures, the outermost first."""
    from pollux.usage.service import Grouping

    order = [Grouping(word) for words in by for word in words] or [Grouping.DAY]
    if len(set(order)) < len(order):
        raise RequestError("--by names one thing twice.", "Try: --by day,model")
    return order


def _all() -> Filter:
    from pollux.library.library import Filter

    return Filter(everything=True)


def _one_session(screen: Screen, library: Library, key: str, as_json: bool) -> None:
    """Show the profile of one session."""
    session = library.session(key)
    profile, family = library.usage.profile(session), library.usage.family(session)
    bill = library.usage.bill(session)
    family_bill = sum(library.usage.bills(library.index.family(session.key)[1:]).values(), bill)
    if as_json:
        from pollux.answers.usage import profile_document

        screen.json(profile_document(session, profile, family, bill, family_bill))
        return
    from pollux.cli.render.profile import ProfileFacts, profile_lines

    context = ProfileFacts(str(library.user_home), family, bill, family_bill)
    screen.lines(profile_lines(screen, session, profile, context))


def _show(screen: Screen, library: Library, stats: Stats) -> None:
    from pollux.cli.terminal.screen import talk
    from pollux.draw.stats import remarks, stats_table
    from pollux.text.figures import tilde
    from pollux.usage.service import Grouping

    home, titles = str(library.user_home), dict[str, tuple[str, str]]()
    if Grouping.SESSION in (stats.by, *stats.within):
        titles = _titles(library)
    screen.lines(stats_table(screen, stats, home, titles))
    settings = tilde(str(library.settings_file), home)
    for line in remarks(screen, stats, library.usage.prices, settings):
        talk(line)


def _titles(library: Library) -> dict[str, tuple[str, str]]:
    """Short ids and titles of sessions, by their keys."""
    return {entry.summary.key: (entry.short, entry.title or "") for entry in library.list(_all())}


def _lacking(library: Library, selection: Filter) -> list[str]:
    """Those of the selected agents with files that could not be read."""
    return sorted(agent for agent in library.index.lacking() if selection.agent in (None, agent))


def _for_programs(screen: Screen, stats: Stats, as_csv: bool, lacking: list[str]) -> None:
    from pollux.answers.usage import stats_csv, stats_document

    if as_csv:
        screen.readable(stats_csv((stats.by, *stats.within), stats.rows, stats.total))
    else:
        screen.json(stats_document(stats, lacking))


def _tools(
    ctx: click.Context,
    library: Library,
    by: Sequence[Grouping],
    selection: Filter,
    timezone: str | None,
    form: str | None,
) -> NoReturn:
    """Calls instead of tokens."""
    from pollux.answers.usage import stats_csv, tools_document
    from pollux.cli.terminal.screen import Screen
    from pollux.usage.service import Grouping

    screen = Screen(ctx)
    rows, total = library.usage.tools(selection, timezone, by=by)
    if form == "csv":
        screen.readable(stats_csv(by, rows, total))
    elif form == "json":
        screen.json(tools_document(by, rows, total, _lacking(library, selection)))
    elif rows:
        from pollux.draw.stats import tool_table

        titles = _titles(library) if Grouping.SESSION in by else {}
        screen.lines(tool_table(screen, by, rows, total, str(library.user_home), titles))
    else:
        raise library.index.absence(selection.agent)(
            "No tool was called.", library.index.hint(selection, "Try: pollux stats")
        )
    ctx.exit(0 if rows else library.index.absence(selection.agent).exit_code)


def _nothing(ctx: click.Context, screen: Screen, library: Library, selection: Filter) -> None:
    """Say why there is nothing."""
    from pollux.cli.render.empty import nothing

    if library.count():
        hint = library.index.hint(selection, "Try: pollux stats, or: pollux list")
        raise library.index.absence(selection.agent)("No usage matches.", hint)
    nothing(ctx, screen, library)
