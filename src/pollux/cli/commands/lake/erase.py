"""`pollux lake erase`: take a person, a machine or a session out of a lake."""

from __future__ import annotations

import click

from pollux.cli.commands.lake.options import lake_argument
from pollux.cli.options.common import common, json_option
from pollux.cli.options.group import Command
from pollux.errors import RequestError


@click.command("erase", cls=Command, short_help="Take a person or a session out of a lake.")
@lake_argument
@click.option("--person", metavar="NAME", required=True, help="Whose sessions are erased.")
@click.option("--machine", metavar="ID", help="Only those of this machine.")
@click.option("--session", "key", metavar="KEY", help="Only this session.")
@click.option("--yes", is_flag=True, help="Do not ask first.")
@json_option
@common()
@click.pass_context
def command(
    ctx: click.Context, lake: str, person: str, machine: str | None, key: str | None, yes: bool, as_json: bool
) -> None:
    """Erase what a person pushed, for good: documents and rows. A tombstone keeps it from coming back.

    A load that was stopped may have left files with it; `pollux lake tidy`, a day later, removes those, too. Only then
    is the erasure complete.

    \b
    pollux lake erase s3://acme/lake --person p17
    pollux lake erase s3://acme/lake --person p17 --session claude:3274cde4-46bd-475d-a1b3-c05a33f7637f
    """
    from pollux.cli.terminal.screen import Screen, talk
    from pollux.lake.documents import Tombstone, check_person
    from pollux.lake.erase import erase
    from pollux.lake.store import open_store
    from pollux.system.clock import now
    from pollux.text.figures import plural
    from pollux.writers.json import stamp

    screen, store = Screen(ctx), open_store(lake)
    grave = Tombstone(person=check_person(person), machine=machine, key=key, at=stamp(now()) or "")
    if not yes:
        if as_json or not screen.terminal:
            raise RequestError("What is erased does not come back.", "Add --yes to do it.")
        click.confirm(f"Erase what {person} pushed for good?", abort=True, err=True)
    erased = erase(store, grave)
    if as_json:
        from pollux.answers.lake import done_document

        screen.json(done_document(erased))
        return
    screen.lines([f"{plural(erased.sessions, 'session')} and {plural(erased.documents, 'document')} erased"])
    talk("It is complete after `pollux lake tidy`, a day from now: a load that was stopped may have left files.")
