"""`pollux export`: sessions in other formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pollux.cli.common import common, library
from pollux.cli.complete import formats, sessions
from pollux.errors import NotFound, RequestError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pollux.library import Library
    from pollux.model import Session
    from pollux.writers.base import Options, Writer


@click.command("export")
@click.argument("keys", metavar="KEY…", nargs=-1, shell_complete=sessions)
@click.option("--to", "-t", "to", metavar="FORMAT", shell_complete=formats, help="The format; `--list` names them all.")
@click.option(
    "--output",
    "-o",
    metavar="FILE-OR-FOLDER",
    type=click.Path(),
    help="Where to write. One session goes to stdout by default.",
)
@click.option("--all", "everything", is_flag=True, help="Every session of every kind, each in its own file.")
@click.option("--list", "listing", is_flag=True, help="List the formats and what each is for.")
@click.option("--thinking", is_flag=True, help="With the model's thinking. (markdown, text)")
@click.option(
    "--tools",
    type=click.Choice(["none", "brief", "full"]),
    default="brief",
    show_default=True,
    help="How much of the tool calls. (markdown, text)",
)
@click.option("--tokens", is_flag=True, help="With token figures. (markdown, text)")
@click.option("--notices", is_flag=True, help="With the client's info and warning lines. (markdown, text)")
@click.option(
    "--fate",
    type=click.Choice(["live", "all"]),
    default="all",
    show_default=True,
    help="All that is in the files, or only what the agent would resume.",
)
@click.option(
    "--json-report", "report_file", metavar="FILE", type=click.Path(), help="Write what the format could not hold."
)
@click.option("--force", is_flag=True, help="Overwrite FILE.")
@common()
@click.pass_context
def command(
    ctx: click.Context,
    /,
    keys: tuple[str, ...],
    to: str | None,
    output: str | None,
    everything: bool,
    listing: bool,
    report_file: str | None,
    force: bool,
    **style: Any,
) -> None:
    """Write sessions in another format.

    \b
    pollux export last --to markdown
    pollux export 3274cde4 -o session.md
    pollux export --all --to json -o backup/
    """
    if listing:
        from pollux.cli.commands.writers import command as writers

        ctx.invoke(writers)
        return
    writer = _writer(to, output)
    if everything == bool(keys):
        problem = "Either name sessions or say --all, not both." if keys else "Which session?"
        raise RequestError(
            problem, "Try: pollux export last --to markdown, or: pollux export --all --to markdown -o FOLDER"
        )
    several = everything or len(keys) > 1
    if several and output in (None, "-"):
        raise RequestError(
            "Several sessions need a folder to go to.",
            f"Try: -o FOLDER, as in: pollux export --all --to {writer.name} -o sessions/",
        )
    shelf = library(ctx)
    chosen = _every(shelf) if everything else [shelf.session(key) for key in keys]
    options = _options(style)
    whole = writer.name == "json"
    families = _families(shelf, chosen, everything) if whole else {}
    cost = shelf.accounts.cost if whole else _no_cost
    from pollux.cli.exporting import Export

    export = Export(writer, options, families, cost, [root.path for _, root in shelf.roots()])
    if output in (None, "-"):
        export.to_stdout(next(iter(chosen)), ctx)
    else:
        export.to_target(chosen, str(output), several=several, force=force)
    if report_file is not None:
        export.report_to(report_file)
    if everything and export.count == 0:
        raise NotFound("There are no sessions to export.", "Try: pollux agents")


def _writer(to: str | None, output: str | None) -> Writer:
    """The format asked for, or the one the file's ending tells."""
    from pollux import registry

    if to is not None:
        return registry.writer(to)
    if output is not None:
        fitting = [w for name in registry.writer_names() if output.endswith((w := registry.writer(name)).suffix)]
        if len(fitting) == 1:
            return fitting[0]
    raise RequestError("Which format?", f"Try: --to FORMAT. Known: {', '.join(registry.writer_names())}.")


def _options(style: dict[str, Any]) -> Options:
    from pollux.writers.base import Options

    fate = style.pop("fate")
    return Options(**style, live_only=fate == "live")


def _no_cost(_: Session) -> None:
    """Formats for people do not tell it."""


def _every(shelf: Library) -> Iterable[Session]:
    from pollux.library import Filter

    return shelf.sessions(Filter(everything=True))


def _families(shelf: Library, chosen: Iterable[Session], everything: bool) -> dict[str, Any]:
    """What each session's family used, by key."""
    from pollux.library import Filter

    if everything:
        return {one.summary.key: one.family_usage for one in shelf.list(Filter(everything=True))}
    return {session.key: shelf.family_usage(session) for session in chosen}
