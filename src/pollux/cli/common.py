"""What every command shares: the options that may stand before or behind its name, and the library it asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from pollux.library import Library

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

COLOR, PAGER, SAMPLE = "pollux.color", "pollux.pager", "pollux.sample"


def common(*, hidden: bool = True) -> Callable[[Decorated], Decorated]:
    """Add `--color`, `--no-pager` and `--sample`; a command's own help leaves them out."""

    def add(function: Decorated) -> Decorated:
        for option in (_sample(hidden), _pager(hidden), _color(hidden)):
            function = option(function)
        return function

    return add


def _keep(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """Remember an option for the whole run, wherever it stood."""

    def keep(ctx: click.Context, _parameter: click.Parameter, value: Any) -> None:
        if value:
            ctx.meta[name] = value

    return keep


def _color(hidden: bool) -> Callable[[Decorated], Decorated]:
    return click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        callback=_keep(COLOR),
        expose_value=False,
        hidden=hidden,
        help="Colours: in a terminal only (auto), always, never. NO_COLOR and FORCE_COLOR are heeded.",
    )


def _pager(hidden: bool) -> Callable[[Decorated], Decorated]:
    return click.option(
        "--no-pager",
        is_flag=True,
        callback=_keep(PAGER),
        expose_value=False,
        hidden=hidden,
        help="Write long output straight to the terminal.",
    )


def _sample(hidden: bool) -> Callable[[Decorated], Decorated]:
    return click.option(
        "--sample",
        is_flag=True,
        callback=_keep(SAMPLE),
        expose_value=False,
        hidden=hidden,
        help="Use the bundled sample history instead of yours.",
    )


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def library(ctx: click.Context, *, quiet: bool = False, hunt: bool = True) -> Library:
    """The user's sessions, or the sample's where that was asked for."""
    from pollux.library import Library

    if not ctx.meta.get(SAMPLE):
        return Library(hunt=hunt)
    from pollux.cli.sample import surroundings

    environ, cwd = surroundings()
    if not quiet:
        click.echo("pollux: this is the bundled sample, not your own history.", err=True)
    return Library(environ, cwd, hunt=False)
