"""`pollux friction`: where the work did not go smoothly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pollux.cli.options.choice import Amount, Several
from pollux.cli.options.common import common, json_option, open_library
from pollux.cli.options.complete import sessions
from pollux.cli.options.filters import filter_from_options, narrowing_cases
from pollux.cli.options.group import Command
from pollux.errors import RequestError

if TYPE_CHECKING:
    from pollux.library.friction.values import FrictionReport
    from pollux.library.library import Library

KINDS = ("failed", "repeated", "undone", "interrupted", "compacted")


@click.command("friction", cls=Command, short_help="Failed and repeated calls, undone edits, interruptions.")
@click.argument("key", required=False, shell_complete=sessions)
@click.option("--kind", "kinds", type=Several(KINDS), help="Only cases of these kinds.")
@narrowing_cases
@click.option("--limit", "-n", metavar="N", type=Amount(), default=50, show_default=True, help="At most N cases.")
@json_option
@common()
@click.pass_context
def command(
    ctx: click.Context,
    /,
    key: str | None,
    kinds: tuple[str, ...] | None,
    limit: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Tell where the work did not go smoothly: in one session, or in all, the newest case first.

    These are calls that failed, calls that were made again with the same arguments after they had failed, edits that
    were undone, interruptions by the user, and compactions. They are facts from the records, each with its message:
    nothing is graded.

    \b
    pollux friction last
    pollux friction --project tidewatch --since 1w
    pollux friction --kind failed,repeated
    """
    from pollux.cli.terminal.screen import Screen, talk

    if key is not None and any(value is not None for value in options.values()):
        raise RequestError("KEY and options that choose sessions cannot be combined.", "Leave out one of them.")
    library, screen = open_library(ctx, quiet=as_json), Screen(ctx)
    report = _report(library, key, kinds or KINDS, limit, options)
    if as_json:
        from pollux.answers.friction import friction_document

        screen.json(friction_document(report))
    else:
        if not report.sessions and not report.sessions_unknown:
            from pollux.cli.render.empty import explain_empty_home

            explain_empty_home(ctx, screen, library)
            selection = filter_from_options(**options)
            raise library.index.absence(selection.agent)(
                "No session matches.", library.index.hint(selection, "Try: pollux list")
            )
        from pollux.draw.friction import friction_lines

        screen.lines(friction_lines(screen, report, str(library.user_home)))
        if report.more:
            talk(screen.paint(f"There are more cases. Try: --limit {limit * 4}", "dim"))
    ctx.exit(0 if report.cases else library.index.absence(options["agent"]).exit_code)


def _report(
    library: Library, key: str | None, kinds: tuple[str, ...], limit: int, options: dict[str, Any]
) -> FrictionReport:
    from msgspec.structs import replace

    from pollux.library.friction.values import FrictionKind

    wanted = tuple(FrictionKind(kind) for kind in kinds)
    if key is None:
        selection = filter_from_options(**options)
        library.homes.require_agent(selection.agent)
        return library.friction.newest(selection, wanted, limit)
    report = library.friction.of(library.session(key), wanted)
    return replace(report, cases=report.cases[:limit], more=len(report.cases) > limit)
