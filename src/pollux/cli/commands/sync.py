"""`pollux sync`: take in what changed. Every command does, so this is for those who want it done beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pollux.cli.options.common import SAMPLE, common, json_option, open_library
from pollux.cli.options.group import Command
from pollux.errors import StoreError

if TYPE_CHECKING:
    from pollux.library.library import Library


@click.command("sync", cls=Command)
@json_option
@click.option("--background", is_flag=True, hidden=True, help="Do what another command left to do, and say nothing.")
@click.option("--in-steps", is_flag=True, hidden=True, help="The newest sessions first, then all, and say nothing.")
@common()
@click.pass_context
def command(ctx: click.Context, as_json: bool, background: bool, in_steps: bool) -> None:
    """Bring the cache up to date.

    Every command does that first: nobody needs this one. It is for a timer, or before a first search through a large
    history. It may be interrupted at any time, and goes on where it was.
    """
    from pollux.cli.terminal.screen import Screen, talk

    if background or in_steps:
        from pollux.library.library import Library

        index = ctx.with_resource(Library()).index
        index.complete() if background else index.catch_up(later=True)
        ctx.exit(0 if index.cache_problem is None else StoreError.exit_code)
    library, screen = open_library(ctx, quiet=as_json, words=True), Screen(ctx)
    try:
        outcome = library.sync()
    except KeyboardInterrupt:
        if not as_json:
            talk("pollux: interrupted. What was read is kept, and the next run goes on from there.")
        raise
    if as_json:
        from pollux.answers.cache import sync_document

        screen.json(sync_document(outcome))
    elif not outcome.busy:
        from pollux.text.figures import plural, size

        facts = [f"{plural(outcome.sessions, 'session')} in {plural(outcome.files, 'file')}"]
        if outcome.removed:
            facts.append(f"{outcome.removed:,} gone")
        if outcome.kept:
            facts.append(f"{outcome.kept:,} deleted by {'its agent' if outcome.kept == 1 else 'their agents'} and kept")
        if outcome.changed:
            facts.append(f"{outcome.changed:,} read ({size(outcome.bytes)}, {outcome.seconds:.1f} s)")
        screen.lines([", ".join(facts) if len(facts) > 1 else f"{facts[0]}, nothing new"])
    ctx.exit(StoreError.exit_code if outcome.busy or _lost(ctx, library) else 0)


def _lost(ctx: click.Context, library: Library) -> bool:
    """Was all that was read forgotten again, for want of a cache? The sample has none."""
    return library.index.cache_problem is not None and not ctx.meta.get(SAMPLE)
