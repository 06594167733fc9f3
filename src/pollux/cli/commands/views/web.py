"""`pollux web`: the web UI."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import click

from pollux.cli.options.common import NO_SYNC, OR_SAMPLE, SAMPLE, common, open_library
from pollux.cli.options.group import Command
from pollux.errors import needs
from pollux.system.directories import Places

if TYPE_CHECKING:
    from pollux.library.library import Library


@click.command("web", cls=Command, short_help="Open the web UI: the whole history in a browser.")
@click.option("--port", type=click.IntRange(1, 65535), metavar="N", help="Use this port instead of a free one.")
@click.option("--no-open", is_flag=True, help="Print the address instead of opening a browser.")
@click.option("--url", metavar="URL", help="Where a tunnel or a proxy shows the server.")
@common()
@click.pass_context
def command(ctx: click.Context, port: int | None, no_open: bool, url: str | None) -> None:
    """Open the web UI in a browser.

    Only this machine can reach it, and only the browser that was opened here is answered. Ctrl-C ends it.

    \b
    pollux web
    pollux web --no-open --port 8765
    """
    with needs("The web UI", "web"):
        view = import_module("pollux.web.run")  # a view is started by its name: none imports another
    is_sample = bool(ctx.meta.get(SAMPLE))
    if ctx.meta.get(OR_SAMPLE):
        open_library(ctx, quiet=True)
        is_sample = bool(ctx.meta.get(SAMPLE))
    wish = view.Wish(
        port=port, url=url, opens=not no_open, file=None if is_sample else Places().web, is_sample=is_sample
    )
    view.run(lambda: _open(ctx), wish, lambda sentence: click.echo(sentence))  # noqa: PLW0108


def _open(ctx: click.Context) -> Library:
    """The sessions: the server brings them up to date by itself, and leaves no process behind.

    They are not let go of at the end, which would wait for a thread that brings them up to date: Ctrl-C ends at once.
    """
    if ctx.meta.get(SAMPLE):
        return open_library(ctx, quiet=True, words=True)
    from pollux.cli.terminal.progress import Bar
    from pollux.library.library import Library

    bar = Bar()
    ctx.call_on_close(bar.close)
    return Library(fresh=not ctx.meta.get(NO_SYNC), complete_later=True, report=bar)
