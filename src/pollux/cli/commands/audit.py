"""`pollux audit`: the proof of every figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pollux.cli.options.common import common, json_option, open_library
from pollux.cli.options.complete import sessions
from pollux.cli.options.filters import wanted, whose
from pollux.cli.options.group import Command
from pollux.errors import RequestError

if TYPE_CHECKING:
    from pollux.cli.terminal.screen import Screen
    from pollux.library.library import Library


@click.command("audit", cls=Command, short_help="Prove the token figures, and tell what is missing.")
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

    asked = wanted(**options)
    library, screen = open_library(ctx, quiet=as_json), Screen(ctx)
    if key is None:
        if raw:
            raise RequestError("--raw is for one session.", "Try: pollux audit last --raw")
        library.know(asked.agent)
        _all(ctx, screen, library, asked, as_json)
    elif asked != Filter(everything=True):
        raise RequestError("A KEY names one session already.", "Leave out the options that choose sessions.")
    else:
        _one(screen, library, key, raw=raw, as_json=as_json)


def _one(screen: Screen, library: Library, key: str, *, raw: bool, as_json: bool) -> None:
    session = library.session(key)
    found, bill = library.accounts.audit(session), library.accounts.bill(session)
    if as_json:
        import msgspec

        from pollux.answers.usage import item_document, verdict_document
        from pollux.writers.json import usage_document

        screen.json(
            {
                "key": session.key,
                "usage": usage_document(session.usage),
                "cost_usd": bill.usd,
                "unpriced_requests": bill.unpriced,
                "figures": [item_document(item) for item in found.items],
                "gaps": msgspec.to_builtins(found.gaps),
                "totals_of_the_agent": [verdict_document(verdict) for verdict in found.verdicts],
            }
        )
        return
    from pollux.cli.render.audit import proof

    screen.lines(proof(screen, session, found, bill, str(library.places.home), raw=raw))


def _all(ctx: click.Context, screen: Screen, library: Library, asked: Any, as_json: bool) -> None:
    found = library.accounts.review(asked, priced=as_json)
    if as_json:
        import msgspec

        from pollux.answers.usage import verdict_document

        screen.json(
            {
                "agents": msgspec.to_builtins(found.agents),
                "missing": msgspec.to_builtins(found.missing),
                "totals_of_the_agents": [verdict_document(verdict) for verdict in found.verdicts],
            }
        )
        ctx.exit(0 if found.agents else library.absence(asked.agent).exit_code)
    if not found.agents:
        hint = library.meant(asked, "Try: pollux agents")
        raise library.absence(asked.agent)("No sessions to audit were found.", hint)
    from pollux.cli.render.audit import proof_of_all

    screen.lines(proof_of_all(screen, found))
