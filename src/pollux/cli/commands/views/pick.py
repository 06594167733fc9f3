"""`pollux pick`: choose a session in the terminal, and print its name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from pollux.cli.options.common import OR_SAMPLE, SAMPLE, common, open_library, remark
from pollux.cli.options.filters import branch_option, filter_from_options, narrowing
from pollux.cli.options.group import Command
from pollux.cli.terminal.dumb import dumb
from pollux.errors import CannotResume, RequestError

if TYPE_CHECKING:
    from pollux.library.library import Library
    from pollux.model import Summary


@click.command("pick", cls=Command, short_help="Choose a session in the terminal, and print its key.")
@click.argument("query", nargs=-1)
@narrowing
@branch_option
@click.option("--id", "output", flag_value="id", help="Print the agent's own id.")
@click.option("--path", "output", flag_value="path", help="Print the path of its file.")
@click.option("--command", "output", flag_value="command", help="Print the command that goes on with it.")
@common()
@click.pass_context
def command(ctx: click.Context, /, query: tuple[str, ...], output: str | None, **options: Any) -> None:
    """Choose a session in the terminal, and print its key: a list for scripts.

    Type to search, ↑ and ↓ to move, Enter to take it. Esc leaves with the exit status 1, and nothing is printed.

    \b
    pollux show $(pollux pick)
    claude -r $(pollux pick --agent claude --id)
    """
    if (why := dumb()) is not None:
        raise RequestError(f"This terminal ({why}) cannot show a list to choose from.", "Try: pollux list")
    criteria = filter_from_options(**options)
    library = _library(ctx)
    library.homes.require_agent(criteria.agent)
    entry = import_module("pollux.tui.pick.picker").pick(library, criteria, " ".join(query))
    if entry is None:
        ctx.exit(1)
    from pollux.cli.terminal.screen import Screen

    Screen(ctx).readable(f"{_line(library, entry.summary, output)}\n")


def _line(library: Library, session: Summary, output: str | None) -> str:
    match output:
        case "id":
            return _resumable_id(library, _conversation(library, session))
        case "path":
            if not session.files:
                raise RequestError(f"{session.key} has no file of its own.")
            return session.files[0]
        case "command":
            return library.resume.plan(_conversation(library, session).key).line
        case _:
            return session.key


def _conversation(library: Library, session: Summary) -> Summary:
    """The session itself; for a sub-agent's, which no agent goes on with, the one that it worked for."""
    above, seen = session, set[str]()
    while above.kind == "subagent" and above.parent is not None and above.key not in seen:
        seen.add(above.key)
        parents = library.index.entries([above.parent])
        if not parents:
            return session
        above = parents[0].summary
    if above.kind == "subagent":
        return session
    if above is not session:
        remark(f"{session.key} is a sub-agent. Taken instead: its parent {above.key}.", for_programs=False)
    return above


def _resumable_id(library: Library, session: Summary) -> str:
    """The id, if the agent goes on with the session by it. Raises `RequestError` where it does not."""
    if session.id.startswith("-"):  # `claude -r $(pollux pick --id)` would take it as an option
        raise RequestError(f"The id of {session.key} looks like an option.", "Its key does not: pollux pick")
    if session.id not in _words(library, session):
        sentence = f"{session.agent} finds {session.key} no more by its id, only by its file."
        raise RequestError(sentence, "Try: pollux pick --command")
    return session.id


def _words(library: Library, session: Summary) -> tuple[str, ...]:
    """The words of the command that goes on with a session: in its own folder, or, if that is gone, by its id in this.

    Raises `CannotResume` where no such command does.
    """
    try:
        return library.resume.plan(session.key).words
    except CannotResume as error:
        if error.reason != "folder":
            raise
        try:
            words = library.resume.plan(session.key, folder=".").words
        except CannotResume as other:
            raise (error if other.reason == "elsewhere" else other) from None
        if session.id not in words:
            raise
        return words


def _library(ctx: click.Context) -> Library:
    """The sessions as the cache has them: another process looks for what changed meanwhile."""
    if ctx.meta.get(SAMPLE) or ctx.meta.get(OR_SAMPLE):
        return open_library(ctx, quiet=True, words=True)
    from pollux.library.library import Library

    return ctx.with_resource(Library(fresh=False, complete_later=True))
