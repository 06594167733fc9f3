"""`pollux recover`: a session from everything that is left of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pollux.cli.options.common import common, json_option, open_library, writing
from pollux.cli.options.complete import sessions
from pollux.cli.options.group import Command
from pollux.cli.options.paths import NamedPath
from pollux.errors import NotFound, OutputError, RequestError, UnknownName
from pollux.system.files import replacing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.archive.join_readings import JoinedSession
    from pollux.cli.terminal.screen import Screen
    from pollux.library.library import Library
    from pollux.library.recover import Rebuilt
    from pollux.model import Session

DOCUMENT = "json"


@click.command("recover", cls=Command, short_help="Recover a session from all that is left of it.")
@click.argument("key", required=False, shell_complete=sessions)
@click.option(
    "--to",
    "-t",
    "to",
    metavar="FORMAT",
    help="json, for `pollux show`, or the agent's name: files that it resumes.  [default: json for *.json]",
)
@click.option("--output", "-o", metavar="FILE-OR-FOLDER", type=NamedPath(path_type=Path), help="Where to write.")
@click.option("--in-place", is_flag=True, help="Write files that the agent can resume into the agent's folder.")
@click.option("--yes", is_flag=True, help="Do not ask before writing into an agent's folder.")
@json_option
@common()
@click.pass_context
def command(
    ctx: click.Context,
    key: str | None,
    to: str | None,
    output: Path | None,
    in_place: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Put a session together again from everything that is left of it.

    Its files, copies and twins of them, logs of typed prompts, and every state the archive kept. Each message is as it
    stands in a file, which is named. Without KEY: the sessions that the agents' own files hold only in part.

    In a folder, or with --in-place, it becomes files in the agent's own format, of the agent's own records, that it
    can resume. They are read back and compared first, and no file is ever written over.

    \b
    pollux recover
    pollux recover 3274cde4
    pollux recover 3274cde4 -o session.json
    pollux recover 3274cde4 -o back/
    """
    from pollux.cli.terminal.screen import Screen

    if (key is None and (to or output or in_place)) or (yes and not in_place) or (output and in_place):
        raise RequestError("These options cannot be combined.", "Try: pollux recover KEY -o FOLDER/")
    if in_place:
        writing(ctx)
    library, screen = open_library(ctx, quiet=as_json), Screen(ctx)
    if key is None:
        _list(ctx, library, screen, as_json)
        return
    session = library.recover.session(key)
    if to is not None and to not in (DOCUMENT, session.agent):
        raise UnknownName("format of recovery", to, (DOCUMENT, session.agent))
    if in_place or (output is not None and (to or _format(output, session.agent)) != DOCUMENT):
        if to == DOCUMENT:
            raise RequestError("The agent's folder takes only files of its own format.", f"Try: --to {session.agent}")
        _rebuild(library, screen, session, output, yes=yes, as_json=as_json)
    elif to == session.agent:
        raise RequestError("Choose where to write the files.", "Use -o FOLDER or --in-place.")
    else:
        _show(library, screen, session, output, as_json or (to == DOCUMENT and output is None))


def _format(output: Path, agent: str) -> str:
    """The default format for a place, by its ending."""
    return DOCUMENT if output.suffix.lower() == ".json" and not output.is_dir() else agent


def _show(library: Library, screen: Screen, session: Session, output: Path | None, as_json: bool) -> None:
    recovery = library.recover.join(session)
    if output is not None:
        _write(library, output, _document(library, recovery))
    if as_json:
        screen.document(_document(library, recovery))
        return
    from pollux.draw.transcript import transcript

    home = str(library.user_home)
    if output is None:
        screen.lines([*_sources(screen, recovery, home), "", *transcript(screen, recovery.session, home=home)])
    else:
        screen.lines(_sources(screen, recovery, home))


def _rebuild(
    library: Library, screen: Screen, session: Session, folder: Path | None, *, yes: bool, as_json: bool
) -> None:
    from pollux.cli.terminal.confirm import confirm_writing, file_lines, tell_how_to_go_on
    from pollux.cli.terminal.screen import talk

    rebuilt = library.recover.rebuild(session)
    plan = library.recover.plan(rebuilt, folder)
    files = [file for file, _ in plan]
    if folder is None and not yes:
        confirm_writing(screen, files, str(library.user_home), ask=not as_json)
    library.archive.restore(plan)
    if as_json:
        from pollux.answers.archive import rebuilt_document

        screen.json(rebuilt_document(rebuilt, files))
        return
    screen.lines(file_lines(files))
    for sentence in _remarks(rebuilt, str(library.user_home)):
        talk(sentence)
    if folder is None:
        tell_how_to_go_on(library, session.key)


def _remarks(rebuilt: Rebuilt, home: str) -> Iterator[str]:
    from pollux.text.escape import one_line
    from pollux.text.figures import plural, tilde

    yield f"{plural(rebuilt.messages, 'message')} read back without a difference."
    for left in rebuilt.left:
        where = f" of {one_line(tilde(left.file, home))}" if left.file else ""
        yield f"{plural(left.messages, 'message')}{where} could not go into them: {left.why}."
    for file in rebuilt.files:
        if file.made is not None:
            yield f"{one_line(file.path)}: {file.made}."


def _document(library: Library, recovery: JoinedSession) -> str:
    from pollux.answers.sessions import session_document

    pieces: list[str] = []
    session_document(library, recovery.session, pieces.append)
    return "".join(pieces)


def _write(library: Library, output: Path, document: str) -> None:
    from pollux.system.output_file import to_bytes

    library.homes.protect(output)
    try:
        with replacing(output, over=False) as file:
            file.write(to_bytes(document))
    except FileExistsError:
        raise OutputError(f"{output} exists already.", "Name another file.") from None
    except OSError as error:
        raise OutputError(f"{output} cannot be written: {error.strerror}.") from error


def _sources(screen: Screen, recovery: JoinedSession, home: str) -> Iterator[str]:
    from pollux.draw.table import Column, table
    from pollux.text.escape import one_line
    from pollux.text.figures import plural, tilde

    amount = plural(len(recovery.session.messages), "message")
    yield f"{amount}, {recovery.lost:,} of them in none of the agent's files any more"
    count, file = Column("messages", right=True), Column("file", flexible=True, least=30, path=True)
    for share in recovery.shares:
        count.add(f"{share.messages:,}")
        file.add(one_line(tilde(share.file, home)) if share.file else "–", "dim")
    yield from table(screen, [count, file], indent="  ")


def _list(ctx: click.Context, library: Library, screen: Screen, as_json: bool) -> None:
    sessions = library.recover.all()
    from pollux.cli.render.empty import nothing
    from pollux.library.library import Filter

    if as_json:
        from pollux.answers.archive import recoverable_document

        screen.json(recoverable_document(sessions))
        ctx.exit(0 if sessions else 1)
    if not sessions:
        if not library.count(Filter(everything=True)):
            nothing(ctx, screen, library)
        raise NotFound("Every session is whole in its agent's own files, as far as pollux saw it.")
    from pollux.draw.table import Column, table
    from pollux.text.escape import one_line
    from pollux.text.figures import NONE

    key, source = Column("session", whole=True), Column("from")
    title = Column("title", flexible=True, least=16)
    short = {one.summary.key: one.short for one in library.list(Filter(everything=True))}
    for summary, where in sessions:
        key.add(one_line(f"{summary.agent}:{short.get(summary.key, summary.id)}"), "id")
        source.add(where)
        title.add(one_line(summary.title) if summary.title else NONE)
    screen.lines(table(screen, [key, source, title]))
