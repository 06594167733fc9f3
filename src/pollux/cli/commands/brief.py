"""`pollux brief`: what was decided, tried and changed, for an agent to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pollux.cli.commands.search import Searching
from pollux.cli.options.choice import Amount
from pollux.cli.options.common import common, json_option, open_library, remark
from pollux.cli.options.complete import sessions
from pollux.cli.options.paths import NamedPath
from pollux.cli.options.redaction import private as redacting, redactor
from pollux.errors import RequestError

if TYPE_CHECKING:
    from pollux.library.brief.asked import Asked
    from pollux.library.library import Library

TRY = "Try: pollux brief last, or: pollux brief retry logic"


@click.command("brief", cls=Searching, short_help="What was decided, tried and changed, for an agent to read.")
@click.argument("request", metavar="KEY…|QUERY", nargs=-1, shell_complete=sessions)
@click.option(
    "--session", "keys", metavar="KEY", multiple=True, shell_complete=sessions, help="A session, in any case."
)
@click.option("--query", metavar="QUERY", help="A query, in any case; with --session: about these sessions.")
@click.option(
    "--tokens", metavar="N", type=Amount(), default=2000, show_default=True, help="How many tokens it may take."
)
@click.option("--no-redact", is_flag=True, help="Leave secrets, home directories and user names in.")
@redacting
@click.option("--private", is_flag=True, help="Also private sessions, projects and messages.")
@click.option("--output", "-o", metavar="FILE", type=NamedPath(), help="Write to a file.")
@click.option("--force", is_flag=True, help="Overwrite FILE.")
@json_option
@common()
@click.pass_context
def command(
    ctx: click.Context,
    /,
    request: tuple[str, ...],
    keys: tuple[str, ...],
    query: str | None,
    tokens: int,
    no_redact: bool,
    words: tuple[str, ...],
    emails: bool,
    private: bool,
    output: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Tell what was asked, decided, tried and changed in sessions, within a number of tokens, with citations.

    No model is asked: every line is taken from the sessions, and names the message that it is taken from. What has no
    room is counted. The same sessions give the same text.

    If every argument names a session (a key, `last`, six or more characters of an id, a .json or .jsonl file), these
    sessions are told. Otherwise all arguments are one query, as for pollux search, and the best sessions are told.

    \b
    pollux brief last
    pollux brief 3274cde4 01a1b23d --tokens 4000
    pollux brief retry logic project:weather since:2w
    pollux brief --session 3274cde4 --query humidity
    pollux brief last | pbcopy
    """
    from pollux.answers.brief import brief_document, brief_remarks
    from pollux.cli.terminal.screen import Screen, json_text
    from pollux.system.output_file import OutputFile

    if no_redact and (words or emails):
        raise RequestError("--no-redact contradicts --redact-word and --redact-emails.", "Leave out one of them.")
    if force and output is None:
        raise RequestError("--force is for --output.", "Try: -o FILE --force")
    library, screen = open_library(ctx, quiet=as_json, words=True), Screen(ctx)
    target = None
    if output not in (None, "-"):
        target = OutputFile(str(output), forbidden=library.homes.protected_folders(), force=force)
        target.check()
    brief = library.brief.make(
        _asked(library, [word.lstrip(" ") for word in request], keys, query),
        tokens=tokens,
        redactor=None if no_redact else redactor(library, words, emails=emails),
        private=private,
    )
    text = json_text(brief_document(brief)) if as_json else f"{brief.text}\n"
    if target is not None:
        target.write(text)
    elif as_json:
        screen.document(text)
    else:
        screen.readable(text)
    for sentence in brief_remarks(brief):
        remark(sentence, for_programs=as_json)


def _asked(library: Library, words: list[str], keys: tuple[str, ...], query: str | None) -> Asked:
    """What is asked for. Raises `RequestError`."""
    from pollux.library.brief.asked import Asked

    if words and (keys or query is not None):
        raise RequestError("Arguments cannot be combined with --session and --query.", "Leave out one of them.")
    if query is not None and not query.strip():
        raise RequestError("The query is empty.", TRY)
    if keys or query is not None:
        return Asked(names=keys, query=query)
    if not any(word.strip() for word in words):
        raise RequestError("Which sessions?", TRY)
    return library.brief.asked(words)
