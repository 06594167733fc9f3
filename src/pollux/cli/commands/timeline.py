"""`pollux timeline`: a calendar of what was done."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import click

from pollux.cli.options.choice import Choice
from pollux.cli.options.common import common, json_option, open_library
from pollux.cli.options.filters import filter_from_options, narrowing, timezone_option
from pollux.cli.options.group import Command
from pollux.cli.options.paths import NamedPath
from pollux.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pollux.cli.terminal.screen import Screen
    from pollux.library.library import Filter, Library
    from pollux.usage.service import Measure
    from pollux.usage.sums import Row


@click.command("timeline", cls=Command)
@click.option(
    "--of",
    "what",
    type=Choice(["sessions", "prompts", "tokens", "cost"]),
    default="tokens",
    show_default=True,
    help="What the calendar shows.",
)
@narrowing
@timezone_option
@click.option("--output", "-o", metavar="FILE", type=NamedPath(), help="Draw the calendar as an SVG picture.")
@click.option("--force", is_flag=True, help="Overwrite the picture.")
@json_option
@common()
@click.pass_context
def command(
    ctx: click.Context,
    /,
    what: str,
    timezone: str | None,
    output: str | None,
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Show a calendar of sessions, prompts, tokens or dollars a day.

    \b
    pollux timeline
    pollux timeline --of prompts --project tidewatch
    pollux timeline --of cost --since 2026 -o calendar.svg
    """
    from pollux.cli.render.empty import nothing
    from pollux.cli.terminal.screen import Screen, talk
    from pollux.usage.service import Measure

    if as_json and output is not None:
        raise RequestError("--json and -o cannot be combined.", "Leave out one of them.")
    selection = filter_from_options(**options)
    library, screen = open_library(ctx, quiet=as_json), Screen(ctx)
    library.homes.require_agent(selection.agent)
    of = Measure(what)
    amounts = library.usage.timeline(of, selection, timezone)
    days = {day: value for day, value in amounts.items() if day is not None}
    if as_json:
        from pollux.answers.usage import timeline_document

        screen.json(timeline_document(of, amounts, _total(library, of, selection)))
        ctx.exit(0 if days else library.index.absence(selection.agent).exit_code)
    if not days and not library.count():
        nothing(ctx, screen, library)
    if not days:
        asks = any(options.values())
        hint = library.index.hint(selection, "Try: pollux timeline, or: pollux list" if asks else "Try: pollux list")
        untimed = _untimed_remark(library, of, selection, amounts)
        raise library.index.absence(selection.agent)(untimed or "Nothing matches.", hint)
    if output is not None:
        from pollux.cli.options.picture import picture
        from pollux.usage.charts.pictures import timeline_picture

        target = picture(library, output, force=force)
        target.write(timeline_picture(of, days, _at_least_mark(library, of, selection)))
        if sentence := _untimed_remark(library, of, selection, amounts):
            talk(sentence)
        return
    from pollux.draw.calendar import calendar_lines

    screen.lines(calendar_lines(screen, of, days, _span(screen, days), _at_least_mark(library, of, selection)))
    for line in _remarks(screen, library, of, selection, _untimed_remark(library, of, selection, amounts)):
        talk(line)


def _untimed_remark(
    library: Library, of: Measure, selection: Filter, amounts: Mapping[date | None, float]
) -> str | None:
    """A sentence about what has no time, and so is on no day."""
    from pollux.text.figures import plural
    from pollux.usage.labels import label
    from pollux.usage.service import Grouping

    if None not in amounts:
        return None
    amount = label(of, amounts[None])
    if of in ("tokens", "cost"):
        total, timed_total = (
            library.usage.stats(Grouping.AGENT, selection, timed=timed_total).total for timed_total in (False, True)
        )
        requests = (total.usage.requests or 0) - (timed_total.usage.requests or 0)
        amount = f"{amount}{' tokens' if of == 'tokens' else ''} of {plural(requests, 'request')}"
    return f"Without a time, and so on no day: {amount}."


def _total(library: Library, of: Measure, selection: Filter) -> Row | None:
    """The tokens and dollars of all days, if these are shown."""
    from pollux.usage.service import Grouping

    return library.usage.stats(Grouping.AGENT, selection, timed=True).total if of in ("tokens", "cost") else None


def _at_least_mark(library: Library, of: Measure, selection: Filter) -> str:
    """The mark before a sum that is known to be too low."""
    from pollux.usage.labels import at_least

    total = _total(library, of, selection)
    return at_least(of, total) if total is not None else ""


def _remarks(screen: Screen, library: Library, of: Measure, selection: Filter, untimed: str | None) -> Iterator[str]:
    from pollux.draw.stats import remarks
    from pollux.draw.width import wrap
    from pollux.text.figures import tilde
    from pollux.usage.service import Grouping

    if untimed is not None:
        yield from (screen.paint(line, "dim") for line in wrap(untimed, screen.columns))
    if of in ("tokens", "cost"):
        stats = library.usage.stats(Grouping.AGENT, selection, timed=True)
        settings = tilde(str(library.settings_file), str(library.user_home))
        yield from remarks(screen, stats, library.usage.prices, settings, cost=of == "cost")


def _span(screen: Screen, days: dict[date, float]) -> tuple[date, date]:
    """As many weeks back as there is room for."""
    from pollux.draw.calendar import room

    last = max(days)
    earliest = last - timedelta(days=last.weekday()) - timedelta(weeks=room(screen) - 1)
    return max(min(days), earliest), last
