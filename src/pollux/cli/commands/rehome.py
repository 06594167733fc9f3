"""`pollux rehome`: a project was moved, and its history with it."""

from __future__ import annotations

import click

from pollux.cli.common import common, json_option, library
from pollux.errors import NotFound, RequestError


@click.command("rehome")
@click.argument("old", required=False)
@click.argument("new", required=False)
@click.option("--undo", is_flag=True, help="Forget the move from OLD.")
@json_option
@common()
@click.pass_context
def command(ctx: click.Context, old: str | None, new: str | None, undo: bool, as_json: bool) -> None:
    """Show the history of a project that was moved from OLD under its NEW path.

    pollux remembers it in its own data; the agents' files stay as they are. Without a path: what was moved.

    \b
    pollux rehome ~/code/weather ~/work/weather
    pollux rehome ~/code/weather --undo
    """
    from pollux.cli.clean import one_line
    from pollux.cli.screen import Screen, talk
    from pollux.cli.words import plural

    shelf, screen = library(ctx, quiet=as_json), Screen(ctx)
    if old is not None and undo and new is None:
        after = shelf.moves.undo(old)
        talk(f"What is under {one_line(after)} because of this move is shown where it was.")
    elif old is not None and new is not None and not undo:
        before, after = shelf.rehome(old, new)
        moved = sum(one.summary.project is not None and one.summary.project_evidence == "moved" for one in shelf.list())
        talk(f"{one_line(before)} is now {one_line(after)}; {plural(moved, 'session')} moved in all.")
    elif old is not None:
        raise RequestError("A move has two ends.", "Try: pollux rehome OLD NEW, or pollux rehome OLD --undo")
    moves = shelf.moves.all()
    if as_json:
        screen.json([{"old": before, "new": after} for before, after in moves.items()])
    elif old is None and not moves:
        raise NotFound("No project was moved.", "Try: pollux rehome OLD NEW")
    elif old is None:
        screen.lines(f"{one_line(before)} → {one_line(after)}" for before, after in moves.items())
