"""`pollux scan`: the secrets in sessions, without showing them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pollux.cli.options.common import common, json_option, open_library
from pollux.cli.options.complete import sessions
from pollux.cli.options.filters import filter_from_options, narrowing
from pollux.cli.options.group import Command
from pollux.cli.options.redaction import private, redactor
from pollux.errors import RequestError, Unreadable

if TYPE_CHECKING:
    from datetime import datetime

    from pollux.cli.terminal.screen import Screen
    from pollux.export.secrets import Secrets

FOUND = 6
"""The exit status with `--fail` where there are secrets."""


@click.command("scan", cls=Command, short_help="Find secrets in sessions, without showing them.")
@click.argument("keys", metavar="KEY…", nargs=-1, shell_complete=sessions)
@click.option(
    "--all", "everything", is_flag=True, help="All sessions, including sub-agents; the next four options select some."
)
@narrowing
@private
@click.option(
    "--fail", is_flag=True, help=f"End with status {FOUND} where there are secrets, with 0 where there are none."
)
@json_option
@common()
@click.pass_context
def command(
    ctx: click.Context,
    /,
    keys: tuple[str, ...],
    everything: bool,
    agent: str | None,
    project: str | None,
    since: datetime | None,
    until: datetime | None,
    words: tuple[str, ...],
    emails: bool,
    fail: bool,
    as_json: bool,
) -> None:
    """Find secrets in sessions, and say where they are without showing them.

    \b
    pollux scan last
    pollux scan --all --since 2w
    pollux scan --all --fail
    """
    if everything == bool(keys):
        problem = "Either name sessions or say --all, not both." if keys else "Which session?"
        raise RequestError(problem, "Try: pollux scan last, or: pollux scan --all")
    from pollux.cli.terminal.progress import bar
    from pollux.cli.terminal.screen import Screen
    from pollux.export.secrets import secrets
    from pollux.library.jobs import Job
    from pollux.library.library import Filter

    library, screen = open_library(ctx, quiet=as_json), Screen(ctx)
    remover = redactor(library, words, emails=emails)
    selection = filter_from_options(agent, project, since, until, everything=True)
    jobs = library.jobs(selection) if everything else [Job.of(library.session(key)) for key in keys]
    if not jobs:
        from pollux.cli.render.empty import explain_empty_home

        if not as_json:
            explain_empty_home(ctx, screen, library)
        raise library.index.absence(agent)(
            "There are no such sessions.", library.index.hint(selection, "Try: pollux list --all")
        )
    result = secrets(jobs, remover, bar(ctx, "Scanning", quiet=as_json))
    if as_json:
        from pollux.answers.export import secrets_document

        screen.json(secrets_document(result))
    else:
        _show(screen, result, {one.summary.key: one.short for one in library.list(Filter(everything=True))})
    if result.unread:
        raise Unreadable(f"{len(result.unread)} of the sessions could not be read.", "Try: pollux doctor")
    ctx.exit((FOUND if fail else 0) if result.findings else 0 if fail else 1)


def _show(screen: Screen, result: Secrets, short: dict[str, str]) -> None:
    from pollux.cli.terminal.screen import talk
    from pollux.draw.table import Column, table
    from pollux.text.escape import visible
    from pollux.text.figures import plural

    session, message = Column("session", whole=True), Column("message", sacrifice=2)
    field, rule = Column("field", sacrifice=3), Column("secret", flexible=True, least=10)
    count, head = Column("count", right=True), Column("begins", sacrifice=1)
    for finding in result.findings:
        agent, _, id = finding.key.partition(":")
        session.add(visible(f"{agent}:{short.get(finding.key, id)}"), "id")
        message.add(visible(finding.short_message or ""))
        field.add(finding.field)
        rule.add(finding.rule, "warn")
        count.add(f"{finding.count:,}")
        head.add(finding.head or "", "dim")
    if result.findings:
        screen.lines(table(screen, [session, message, field, rule, count, head]))
        places = sum(finding.count for finding in result.findings)
        sessions = len({finding.key for finding in result.findings})
        talk(f"{plural(places, 'secret')} in {sessions:,} of {plural(result.sessions, 'session')}.")
    else:
        talk(f"No secrets in {plural(result.sessions, 'session')}.")
