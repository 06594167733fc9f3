"""`pollux check`: is a file a valid record?"""

from __future__ import annotations

import click

from pollux.cli.options.common import common, json_option
from pollux.cli.options.group import Command
from pollux.cli.options.paths import NamedPath
from pollux.errors import Unreadable
from pollux.text.shell import shell_word

SHOWN = 20


@click.command("check", cls=Command, short_help="Check a verifiable agent record against its schema.")
@click.argument("file", type=NamedPath())
@json_option
@common()
@click.pass_context
def command(ctx: click.Context, file: str, as_json: bool) -> None:
    """Check a verifiable agent record, in JSON or CBOR, against every rule of its schema.

    \b
    pollux check session.vac.json
    """
    from pollux.cli.terminal.screen import Screen
    from pollux.library.signing import read_file
    from pollux.signing.salted import SCHEME
    from pollux.signing.subject import parse_document
    from pollux.text.escape import visible
    from pollux.text.figures import plural
    from pollux.writers.vac.check import check, entries_in

    screen = Screen(ctx)
    record, kind = parse_document(read_file(file))
    if not kind:
        raise Unreadable(f"{file} is not a record: it is neither JSON nor CBOR.")
    if isinstance(record, dict) and record.get("scheme") == SCHEME:
        raise Unreadable(
            f"{file} is a salted record, which has another schema.", f"Try: pollux verify {shell_word(str(file))}"
        )
    problems = check(record)
    entries = entries_in(record)
    if as_json:
        from pollux.answers.signing import check_document

        screen.json(check_document(problems, entries))
        ctx.exit(Unreadable.exit_code if problems else 0)
    for problem in problems[:SHOWN]:
        screen.lines([visible(f"{problem.place} {problem.text}.")])
    if len(problems) > SHOWN:
        screen.lines([f"… and {len(problems) - SHOWN:,} more; --json tells all."])
    if problems:
        raise Unreadable(f"{file} is no valid record: {plural(len(problems), 'rule')} broken.")
    screen.lines([f"{visible(file)} is a valid record of {plural(entries, 'entry', 'entries')}."])
