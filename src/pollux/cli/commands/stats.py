"""`pollux stats`: what was used, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pollux.cli.options.choice import Choice, Several
from pollux.cli.options.common import common, json_option, open_library
from pollux.cli.options.complete import sessions
from pollux.cli.options.filters import filter_from_options, narrowing_requests, timezone_option
from pollux.cli.options.group import Command
from pollux.cli.options.paths import NamedPath
from pollux.errors import RequestError

if TYPE_CHECKING:
    from pollux.cli.terminal.screen import Screen
    from pollux.library.library import Filter, Library
    from pollux.usage.service import Grouping

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
    order = order_of(by)
    if output is not None:
        if len(order) > 1 or Grouping.TOOL in order:
            raise RequestError("A chart needs exactly one --by, and not tool.", "Try: --by day --stack model")
        from pollux.cli.options.picture import picture
        from pollux.usage.charts.pictures import stats_picture

        target, parts = picture(library, output, force=force), Grouping(stack or "agent")
        of = Measure(what) if what is not None else None
        target.write(stats_picture(library.usage, order[0], selection, of=of, stack=parts, timezone=timezone))
        return
    from pollux.cli.render.usage import UsageView

    view = UsageView(
        screen,
        library.usage,
        home=str(library.user_home),
        settings=str(library.settings_file),
        titles=lambda: {entry.summary.key: (entry.short, entry.title or "") for entry in library.list(_all())},
        lacking=lambda: sorted(agent for agent in library.index.lacking() if selection.agent in (None, agent)),
        form="csv" if as_csv else "json" if as_json else None,
    )
    found = view.show(order, selection, timezone, what)
    if not found and view.form is None:
        _nothing(ctx, screen, library, selection, tools=Grouping.TOOL in order)
    ctx.exit(0 if found else library.index.absence(selection.agent).exit_code)


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


def _nothing(ctx: click.Context, screen: Screen, library: Library, selection: Filter, *, tools: bool) -> None:
    """Say why there is nothing."""
    from pollux.cli.render.empty import nothing

    if tools:
        hint = library.index.hint(selection, "Try: pollux stats")
        raise library.index.absence(selection.agent)("No tool was called.", hint)
    if library.count():
        hint = library.index.hint(selection, "Try: pollux stats, or: pollux list")
        raise library.index.absence(selection.agent)("No usage matches.", hint)
    nothing(ctx, screen, library)
