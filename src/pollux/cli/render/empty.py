"""What to say when there is nothing to show."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from pollux.cli.terminal.screen import talk
from pollux.draw.empty import places_table

if TYPE_CHECKING:
    import click

    from pollux.cli.terminal.screen import Screen
    from pollux.library.library import Library


def explain_empty_home(ctx: click.Context, screen: Screen, library: Library) -> None:
    """Say where pollux looked if there is no session of any kind. Otherwise do nothing."""
    from pollux.library.library import Filter

    if not library.count(Filter(everything=True)):
        nothing(ctx, screen, library)


def nothing(ctx: click.Context, screen: Screen, library: Library) -> NoReturn:
    """Say where pollux looked, and what it could not read."""
    talk("\n".join(places_table(screen, library)))
    ctx.exit(library.index.absence().exit_code)
