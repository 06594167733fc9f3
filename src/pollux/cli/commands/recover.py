"""`pollux recover`: a session from everything that is left of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pollux.cli.common import common, json_option, library
from pollux.cli.complete import sessions
from pollux.errors import NotFound, OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.archive.recover import Recovered
    from pollux.cli.screen import Screen
    from pollux.library import Library


@click.command("recover")
@click.argument("key", required=False, shell_complete=sessions)
@click.option(
    "--output", "-o", metavar="FILE", type=click.Path(path_type=Path), help="Write the session here, for `pollux show`."
)
@json_option
@common()
@click.pass_context
def command(ctx: click.Context, key: str | None, output: Path | None, as_json: bool) -> None:
    """Put a session together again from everything that is left of it.

    Its files, copies and twins of them, logs of typed lines, and every state the archive kept. Each message is as it
    stands in a file, which is named. Without KEY: the sessions of which the agents' own files hold not all.

    \b
    pollux recover
    pollux recover 3274cde4
    pollux recover 3274cde4 -o session.json
    """
    from pollux.cli.screen import Screen

    shelf, screen = library(ctx, quiet=as_json), Screen(ctx)
    if key is None:
        _list(ctx, shelf, screen, as_json)
        return
    found = shelf.keeping.recover(shelf.session(key))
    if output is not None:
        _write(output, _document(found))
    if as_json:
        screen.raw(_document(found))
        return
    from pollux.cli.transcript import transcript

    home = str(shelf.places.home)
    if output is None:
        screen.lines([*_sources(screen, found, home), "", *transcript(screen, found.session, home=home)])
    else:
        screen.lines(_sources(screen, found, home))


def _document(found: Recovered) -> str:
    from pollux.writers.base import Options
    from pollux.writers.json import WRITER

    pieces: list[str] = []
    WRITER.write(found.session, pieces.append, Options())
    return "".join(pieces)


def _write(output: Path, document: str) -> None:
    try:
        with output.open("x", encoding="utf-8", errors="backslashreplace") as file:
            file.write(document)
    except FileExistsError:
        raise OutputError(f"{output} exists already.", "Name another file.") from None
    except OSError as error:
        raise OutputError(f"{output} cannot be written: {error.strerror}.") from error


def _sources(screen: Screen, found: Recovered, home: str) -> Iterator[str]:
    from pollux.cli.clean import one_line
    from pollux.cli.table import Column, table
    from pollux.cli.words import plural, tilde

    amount = plural(len(found.session.messages), "message")
    yield f"{amount}, {found.lost:,} of them in none of the agent's files any more"
    count, file = Column("messages", right=True), Column("file", flexible=True, least=30, path=True)
    for witness in found.witnesses:
        count.add(f"{witness.messages:,}")
        file.add(one_line(tilde(witness.file, home)) if witness.file else "–", "dim")
    yield from table(screen, [count, file], indent="  ")


def _list(ctx: click.Context, shelf: Library, screen: Screen, as_json: bool) -> None:
    found = shelf.keeping.recoverable()
    if as_json:
        screen.json([{"key": told.key, "title": told.title, "from": source} for told, source in found])
        ctx.exit(0 if found else 1)
    if not found:
        raise NotFound("Every session is whole in its agent's own files, as far as pollux saw it.")
    from pollux.cli.clean import one_line
    from pollux.cli.table import Column, table
    from pollux.cli.words import NONE

    key, source, title = Column("key"), Column("from"), Column("title", flexible=True, least=30)
    for told, where in found:
        key.add(one_line(told.key), "id")
        source.add(where)
        title.add(one_line(told.title) if told.title else NONE)
    screen.lines(table(screen, [key, source, title]))
