"""`pollux rehome`: a project was moved, and its history with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pollux.cli.options.common import common, json_option, open_library, writing
from pollux.cli.options.group import Command
from pollux.errors import NotFound, RequestError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.library.library import Library
    from pollux.library.rehome import Plan

_DONE = {"rename": "renamed", "rewrite": "rewritten"}


@click.command("rehome", cls=Command, short_help="Show the history of a moved project under its new path.")
@click.argument("old", required=False)
@click.argument("new", required=False)
@click.option(
    "--in-place", is_flag=True, help="Also change the agents' files, so that they find it too. Shows the changes first."
)
@click.option("--yes", is_flag=True, help="Do not ask before changing an agent's files.")
@click.option("--undo", is_flag=True, help="Forget the move from OLD, and put back what it changed.")
@json_option
@common()
@click.pass_context
def command(
    ctx: click.Context, old: str | None, new: str | None, in_place: bool, yes: bool, undo: bool, as_json: bool
) -> None:
    """Show the history of a project that was moved from OLD under its NEW path.

    pollux remembers it in its own data; the agents' files stay as they are, unless --in-place and --yes say otherwise.
    Without a path: what was moved.

    \b
    pollux rehome ~/code/weather ~/work/weather
    pollux rehome ~/code/weather ~/work/weather --in-place
    pollux rehome ~/code/weather --undo
    """
    if old is not None:
        writing(ctx)
    library = open_library(ctx, quiet=as_json)
    if yes and not in_place:
        raise RequestError("--yes needs --in-place.", "Try: pollux rehome OLD NEW --in-place --yes")
    if old is not None and new is not None and in_place and not undo:
        _move_in_place(ctx, library, old, new, yes=yes, as_json=as_json)
        return
    if old is not None and undo and new is None and not in_place:
        _undo(library, old)
    elif old is not None and new is not None and not undo:
        _move(library, old, new)
    elif old is not None or undo or in_place:
        raise RequestError("Give both paths.", "Try: pollux rehome OLD NEW, or pollux rehome OLD --undo")
    _tell(ctx, library, every=old is None, as_json=as_json)


def _move(library: Library, old: str, new: str) -> None:
    from pollux.cli.terminal.screen import talk
    from pollux.text.escape import one_line
    from pollux.text.figures import plural

    before, after, there = library.rehome.show(old, new)
    talk(f"{one_line(before)} is now {one_line(after)}, with {plural(there, 'session')}.")


def _undo(library: Library, old: str) -> None:
    from pollux.cli.terminal.screen import talk
    from pollux.text.escape import one_line
    from pollux.text.figures import tilde

    after, back = library.rehome.undo(old)
    talk(f"What is under {one_line(after)} because of this move is shown where it was.")
    for path in back:
        talk(f"  back as it was: {one_line(tilde(path, str(library.user_home)))}")


def _move_in_place(ctx: click.Context, library: Library, old: str, new: str, *, yes: bool, as_json: bool) -> None:
    from pollux.cli.terminal.screen import Screen, talk

    screen = Screen(ctx)
    plan = library.rehome.carry_out(old, new) if yes else library.rehome.plan(old, new)
    if as_json:
        from pollux.answers.projects import plan_document

        screen.json(plan_document(plan))
        return

    screen.lines(_plan_lines(plan, str(library.user_home)))
    if not yes and plan.steps and screen.terminal:
        click.confirm("Change it?", abort=True, err=True)
        library.rehome.carry_out(old, new)
        yes = True
    if yes:
        talk("Done. pollux rehome OLD --undo puts everything back.")
    elif plan.steps:
        talk("Nothing was changed. Add --yes to do it.")


def _tell(ctx: click.Context, library: Library, *, every: bool, as_json: bool) -> None:
    from pollux.cli.terminal.screen import Screen
    from pollux.text.escape import one_line

    screen, moves = Screen(ctx), library.projects.moves()
    if as_json:
        from pollux.answers.projects import moves_document

        screen.json(moves_document(moves))
    elif every and not moves:
        raise NotFound("No project was moved.", "Try: pollux rehome OLD NEW")
    elif every:
        screen.lines(f"{one_line(before)} → {one_line(after)}" for before, after in moves.items())


def _plan_lines(plan: Plan, home: str) -> Iterator[str]:
    """Each renaming, each file that gets other bytes and what in it, and what stays."""
    from pollux.text.escape import one_line
    from pollux.text.figures import tilde

    for step in plan.steps:
        verb = _DONE[step.change] if plan.done else step.change
        yield f"{verb:9}  {one_line(tilde(step.path, home))}"
        yield (
            f"{'to':>9}  {one_line(tilde(step.to, home))}"
            if step.to is not None
            else f"{'':9}  {one_line(step.what or '')}"
        )
    if not plan.steps:
        yield "Nothing in the agents' files has to change."
    for left in plan.left:
        yield f"{'left':9}  {left.agent}: {one_line(left.why)}"
