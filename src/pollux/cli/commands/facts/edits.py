"""`pollux edits`: the files that agents changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pollux.cli.options.choice import Amount
from pollux.cli.options.common import common, json_option, open_library
from pollux.cli.options.complete import sessions
from pollux.cli.options.filters import filter_from_options, narrowing_edits
from pollux.cli.options.group import Command

if TYPE_CHECKING:
    from typing import NoReturn

    from pollux.cli.terminal.screen import Screen
    from pollux.library.library import Filter, Library


@click.command("edits", cls=Command, short_help="The files that agents changed, newest first.")
@click.argument("path", required=False, type=click.Path())
@click.option("--session", "key", metavar="KEY", shell_complete=sessions, help="Only edits of this session.")
@narrowing_edits
@click.option("--limit", "-n", metavar="N", type=Amount(), default=50, show_default=True, help="At most N edits.")
@click.option("--diff", is_flag=True, help="Show what changed.")
@json_option
@common()
@click.pass_context
def command(
    ctx: click.Context,
    /,
    path: str | None,
    key: str | None,
    limit: int,
    diff: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """List the files that agents changed, newest first: what was done, in which message, and why.

    With PATH, it is the history of one file through all agents, or of all files in a folder. PATH is as for file: in a
    search: a whole path, the end of one (parser.py, src/parser.py), or a pattern. A path that begins with ./ or ../
    begins in the present directory.

    These are the edits that agents made with their tools for editing, with those that failed or were taken back. Files
    that a command changed are not among them.

    \b
    pollux edits
    pollux edits tables.py --diff
    pollux edits --project tidewatch --since 1w
    pollux edits ./src --agent claude
    pollux edits --session last --diff
    """
    from pollux.cli.terminal.screen import Screen, talk
    from pollux.wire import display_path

    selection = filter_from_options(**options)
    library, screen = open_library(ctx, quiet=as_json), Screen(ctx)
    library.homes.require_agent(selection.agent)
    wanted = library.session(key).key if key is not None else None
    found = library.edits.newest(selection, display_path(path) if path is not None else None, limit, key=wanted)
    differences = library.edits.differences(found.edits) if diff else None
    if as_json:
        from pollux.answers.edits import edits_document

        screen.json(edits_document(found, differences))
        ctx.exit(0 if found.edits else library.index.absence(selection.agent).exit_code)
    if not found.edits:
        _nothing(ctx, screen, library, selection, path)
    from pollux.draw.edits import edit_blocks, edit_table

    home = str(library.user_home)
    if differences is None:
        screen.lines(edit_table(screen, found.edits, home))
    else:
        screen.lines(edit_blocks(screen, found.edits, differences, home))
    if found.more:
        talk(screen.paint(f"There are more edits. Try: --limit {limit * 4}", "dim"))


def _nothing(ctx: click.Context, screen: Screen, library: Library, selection: Filter, path: str | None) -> NoReturn:
    """Say why there is nothing."""
    from pollux.cli.render.empty import explain_empty_home
    from pollux.text.shell import shell_word

    explain_empty_home(ctx, screen, library)
    hint = f"Try: pollux search file:{shell_word(path)}" if path is not None else "Try: pollux list"
    sentence = "No edit of such a file was found." if path is not None else "No edit was found."
    raise library.index.absence(selection.agent)(sentence, library.index.hint(selection, hint))
