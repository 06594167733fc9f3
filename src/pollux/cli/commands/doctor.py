"""`pollux doctor`: the account of every file."""

from __future__ import annotations

import click
from msgspec.structs import replace

from pollux.cli.options.common import SAMPLE, common, json_option, open_library
from pollux.cli.options.group import Command


@click.command("doctor", cls=Command)
@click.option("--all", "every_file", is_flag=True, help="List every file, including files without problems.")
@click.option("--strict", is_flag=True, help="End with status 3 where anything is unreadable or unknown.")
@json_option
@common()
@click.pass_context
def command(ctx: click.Context, every_file: bool, strict: bool, as_json: bool) -> None:
    """Account for every file in the agents' folders.

    What was read, what was left alone and why, what cannot be read, and what no known release of an agent writes: the
    first sign that a format has changed.
    """
    from pollux.cli.terminal.screen import Screen, talk
    from pollux.library.library import Filter

    library, screen = open_library(ctx, quiet=as_json, gaps=False), Screen(ctx)
    report = library.doctor()
    if ctx.meta.get(SAMPLE):
        # No agent works in the sample, so nothing will be deleted.
        report = replace(report, retention=())
    sound = report.sound
    archive_count = library.count(Filter(everything=True)) if not report.files else 0
    if as_json:
        from pollux.answers.doctor import doctor_document

        screen.json(doctor_document(report))
    elif report.files:
        from pollux.draw.doctor import diagnosis

        screen.lines(diagnosis(screen, report, str(library.user_home), every_file=every_file))
    elif archive_count:
        from pollux.text.figures import plural

        talk(f"The agents have no files here. The archive holds {plural(archive_count, 'session')}: pollux list.")
    else:
        from pollux.cli.render.empty import nothing

        nothing(ctx, screen, library)
    if not (report.files or archive_count):
        ctx.exit(1)
    ctx.exit(3 if strict and not sound else 0)
