"""`pollux audit`: the proof of every figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pollux.cli.options.common import common, json_option, open_library
from pollux.cli.options.complete import sessions
from pollux.cli.options.filters import filter_from_options, whose
from pollux.cli.options.group import Command
from pollux.errors import RequestError

if TYPE_CHECKING:
    from pollux.cli.terminal.screen import Screen
    from pollux.library.library import Library


@click.command("audit", cls=Command, short_help="Prove the token figures, and say what is missing.")
@click.argument("key", required=False, shell_complete=sessions)
@click.option("--raw", is_flag=True, help="Show the vendor's own record of each figure.")
@whose
@json_option
@common()
@click.pass_context
def command(ctx: click.Context, /, key: str | None, raw: bool, as_json: bool, **options: Any) -> None:
    """Prove the token figures: where each stands, what was counted and why, what is missing.

    Without a KEY: how sure the figures of all sessions are.

    \b
    pollux audit
    pollux audit last
    pollux audit 3274cde4 --raw
    """
    from pollux.cli.terminal.screen import Screen
    from pollux.library.library import Filter

    selection = filter_from_options(**options)
    library, screen = open_library(ctx, quiet=as_json), Screen(ctx)
    if key is None:
        if raw:
            raise RequestError("--raw is for one session.", "Try: pollux audit last --raw")
        library.homes.require_agent(selection.agent)
        _all(ctx, screen, library, selection, as_json)
    elif selection != Filter(everything=True):
        raise RequestError("A KEY names one session already.", "Leave out the options that choose sessions.")
    else:
        _one(screen, library, key, raw=raw, as_json=as_json)


def _one(screen: Screen, library: Library, key: str, *, raw: bool, as_json: bool) -> None:
    session = library.session(key)
    evidence, bill = library.usage.audit(session), library.usage.bill(session)
    if as_json:
        from pollux.answers.audit import audit_document

        screen.json(audit_document(session, evidence, bill))
        return
    from pollux.cli.render.audit import audit_lines

    screen.lines(audit_lines(screen, session, evidence, bill, str(library.user_home), raw=raw))


def _all(ctx: click.Context, screen: Screen, library: Library, selection: Any, as_json: bool) -> None:
    history = library.usage.audit_all(selection, priced=as_json)
    if as_json:
        from pollux.answers.audit import history_document

        screen.json(history_document(history))
        ctx.exit(0 if history.agents else library.index.absence(selection.agent).exit_code)
    if not history.agents:
        from pollux.cli.render.empty import explain_empty_home

        explain_empty_home(ctx, screen, library)
        hint = library.index.hint(selection, "Try: pollux agents")
        raise library.index.absence(selection.agent)("No sessions to audit were found.", hint)
    from pollux.cli.render.audit import history_lines

    screen.lines(history_lines(screen, history))
