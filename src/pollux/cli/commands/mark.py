"""`pollux mark`: stars, tags, notes and names for sessions and messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pollux.cli.options.common import common, json_option, open_library, remark, writing
from pollux.cli.options.complete import sessions, tags
from pollux.cli.options.group import Command
from pollux.errors import NotFound, RequestError, StoreError

if TYPE_CHECKING:
    from pollux.library.library import Library
    from pollux.library.marks import Edit
    from pollux.library.reader import Citation


@click.command("mark", cls=Command, short_help="Star, tag, name and annotate sessions and messages.")
@click.argument("keys", metavar="[KEY]...", nargs=-1, shell_complete=sessions)
@click.option("--star/--unstar", "starred", default=None, help="Give it a star, or take the star away.")
@click.option("--tag", "added", metavar="TAG", multiple=True, shell_complete=tags, help="Add a tag. Repeatable.")
@click.option("--untag", "removed", metavar="TAG", multiple=True, shell_complete=tags, help="Remove a tag. Repeatable.")
@click.option("--note", metavar="TEXT", help="Set the note; an empty one removes it.")
@click.option("--name", metavar="TEXT", help="Set the name that replaces the title; an empty one removes it.")
@click.option("--private/--public", default=None, help="Hide it from programs that read sessions for others, or not.")
@click.option(
    "--read/--unread", default=None, help="Note that it was read, or that it was not. --read alone: everything."
)
@click.option("--remove", is_flag=True, help="Remove all its marks.")
@click.option("--undo", is_flag=True, help="Undo the last change of marks. Repeat it to go further back.")
@json_option
@common()
@click.pass_context
def command(
    ctx: click.Context,
    keys: tuple[str, ...],
    starred: bool | None,
    added: tuple[str, ...],
    removed: tuple[str, ...],
    note: str | None,
    name: str | None,
    private: bool | None,
    read: bool | None,
    remove: bool,
    undo: bool,
    as_json: bool,
) -> None:
    """Mark sessions and messages: KEY is a session as for `pollux show`, KEY#MESSAGE one of its messages.

    pollux keeps marks in its own data, never in the agents' files. Without an option: the marks of KEY. Without KEY:
    all marks. `pollux list is:starred tag:parser` and `pollux search note:later` find them.

    \b
    pollux mark last --star --tag parser
    pollux mark 3274cde4 --name "The parser, second attempt"
    pollux mark 3274cde4#5a7c --note "why the test was wrong"
    pollux mark 3274cde4 --untag parser --unstar
    pollux mark --undo
    """
    from pollux.library.marks import Edit

    tagged = {**dict.fromkeys(added, True), **dict.fromkeys(removed, False)}
    edit = Edit(starred=starred, private=private, tags=tagged, note=note, name=name)
    changes = edit != Edit()
    _check(keys, changes=changes, read=read, remove=remove, undo=undo)
    if changes or remove or undo or read is not None:
        writing(ctx)
    library = open_library(ctx, quiet=as_json)
    chosen: list[str] | None = None
    if undo:
        chosen = library.marks.undo()
        if not chosen:
            raise NotFound("There is nothing to undo.")
    elif not keys and read:
        library.marks.read_everything()
        return
    elif keys:
        cited = [library.cited(key) for key in keys]
        chosen = list(dict.fromkeys(one.session.key for one in cited))
        _read(library, cited, read=read)
        if changes or remove:
            _change(library, cited, edit, remove=remove)
    _show(ctx, library, chosen, changed=changes or remove or undo or read is not None, as_json=as_json)


def _check(keys: tuple[str, ...], *, changes: bool, read: bool | None, remove: bool, undo: bool) -> None:
    """Raise `RequestError` for options that do not go together."""
    if undo and (keys or changes or remove or read is not None):
        raise RequestError("--undo stands alone.", "Try: pollux mark --undo")
    if remove and changes:
        raise RequestError("--remove removes all marks, so nothing else can be set.", "Try: --unstar, --untag TAG")
    if not keys and (changes or remove or read is False):
        raise RequestError("Name the session or the message.", "Try: pollux mark last --star")


def _change(library: Library, cited: list[Citation], edit: Edit, *, remove: bool) -> None:
    from pollux.cli.terminal.screen import talk
    from pollux.library.marks import Target

    targets = [Target(session.key, message) for session, message in cited]
    changed = library.marks.remove(targets) if remove else library.marks.change(targets, edit)
    if not changed:
        talk("Nothing changed: it was so already.")


def _read(library: Library, cited: list[Citation], *, read: bool | None) -> None:
    for session, message in cited if read is not None else ():
        if read:
            library.marks.read(session, message)
        else:
            library.marks.unread(session.key)


def _show(ctx: click.Context, library: Library, keys: list[str] | None, *, changed: bool, as_json: bool) -> None:
    """Show the marks of these sessions, or all marks. After a change it is no failure that there are none."""
    from pollux.cli.terminal.screen import Screen

    screen, items = Screen(ctx), library.marks.items(keys)
    problem = library.marks.problem
    if problem is not None and not items and not changed:
        raise StoreError(problem)  # nobody knows whether anything is marked
    if problem is not None and problem not in (library.index.problem or ""):
        remark(problem, for_programs=as_json)
    if as_json:
        from pollux.answers.marks import marked_document

        screen.json(marked_document(items))
        ctx.exit(0 if items or changed else NotFound.exit_code)
    if not items and not changed:
        raise NotFound("Nothing is marked.", "Try: pollux mark last --star")
    from pollux.draw.marks import marked_lines

    screen.lines(marked_lines(screen, items))
