"""`pollux handoff`: go on with a session in another agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pollux.cli.options.choice import Choice
from pollux.cli.options.common import common, json_option, open_library, open_quietly, writing
from pollux.cli.options.complete import agents, sessions
from pollux.cli.options.filters import When
from pollux.cli.options.group import Command
from pollux.cli.options.paths import NamedPath
from pollux.cli.options.redaction import private, redactor
from pollux.errors import RequestError

if TYPE_CHECKING:
    from datetime import datetime

    from pollux.cli.terminal.screen import Screen
    from pollux.library.handoff.plan import HandoffPlan
    from pollux.library.library import Library
    from pollux.model import Session
    from pollux.writers.native.options import DraftOptions

TRY = "Try: pollux handoff KEY --to claude"


class Tokens(click.ParamType[int]):
    """A number of tokens, or `all`, which is 0: no limit."""

    name = "tokens"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ARG002
        """The number. Raises `RequestError`."""
        if value == "all":
            return 0
        text = str(value).replace(",", "").replace("_", "").lower()
        number = text.removesuffix("k")
        if not number.isascii() or not number.isdecimal() or not int(number):
            raise RequestError(f"{value!r} is no number of tokens.", "Try: --fit 100000, --fit 100k, or --fit all")
        return int(number) * (1000 if text.endswith("k") else 1)


@click.command("handoff", cls=Command, short_help="Go on with a session in another agent.")
@click.argument("key", required=False, shell_complete=sessions)
@click.option("--to", "-t", "to", metavar="AGENT", shell_complete=agents, help="The agent to go on in.")
@click.option(
    "--in",
    "folder",
    metavar="DIR",
    type=NamedPath(file_okay=False),
    help="Go on in this folder instead of the session's.",
)
@click.option("--upto", metavar="MESSAGE", help="Only up to this message: its id, or the beginning of it.")
@click.option(
    "--as-of", metavar="WHEN", type=When(end=True), help="As it was at an earlier time, from what the archive keeps."
)
@click.option(
    "--fit",
    metavar="TOKENS",
    type=Tokens(),
    help="Fold old tool results until it fits, or `all`: no limit.  [default: 60% of the window, where it is known]",
)
@click.option(
    "--tools",
    type=Choice(["native", "told"]),
    default="native",
    show_default=True,
    help="Tool calls as calls, or told in words.",
)
@click.option("--thinking", is_flag=True, help="Take the model's thinking along, as text.")
@click.option(
    "--fate",
    type=Choice(["live", "all"]),
    default="live",
    show_default=True,
    help="Only what the agent would resume, or also the rest, as marked text.",
)
@click.option("--redact", is_flag=True, help="Replace secrets, home directories and user names.")
@private
@click.option("--run", is_flag=True, help="Start the agent afterwards.")
@click.option("--yes", is_flag=True, help="Do not ask before writing.")
@click.option(
    "--undo", is_flag=True, help="Remove what the last hand-over of KEY wrote, unless the agent went on with it."
)
@json_option
@common()
@click.pass_context
def command(
    ctx: click.Context,
    /,
    key: str | None,
    to: str | None,
    folder: str | None,
    as_of: datetime | None,
    redact: bool,
    words: tuple[str, ...],
    emails: bool,
    run: bool,
    yes: bool,
    undo: bool,
    as_json: bool,
    **style: Any,
) -> None:
    """Write a session as a session of another agent, which goes on with it. With its own agent: a copy.

    Shows first what would be written, the command that goes on, and what does not go over as it was; then asks. The
    session itself stays as it is, and no file is ever written over. Without KEY: the session that was last used in
    this folder.

    \b
    pollux handoff --to codex
    pollux handoff 3274cde4 --to claude --run
    pollux handoff 3274cde4 --to gemini --in ../other-worktree --redact
    pollux handoff 3274cde4 --to claude --upto 5a7cbec2 --yes
    pollux handoff 3274cde4 --undo
    """
    from pollux.cli.terminal.screen import Screen

    writing(ctx)
    if undo:
        _require_alone(ctx)
        _undo(open_library(ctx, quiet=as_json), Screen(ctx), key, as_json=as_json)
        return
    if to is None:
        raise RequestError("To which agent?", TRY)
    if run and as_json:
        raise RequestError("--run and --json cannot be combined.", "Leave out one of them.")
    library, screen = open_quietly(ctx) if run else open_library(ctx, quiet=as_json), Screen(ctx)
    library.homes.require_agent(to)
    session, upto = _session(library, key, style.pop("upto"), as_of)
    remover = redactor(library, words, emails=emails) if redact or words or emails else None
    plan = library.handoff.plan(session, to, _options(upto, style), folder=folder, redactor=remover)
    if run:
        plan.require_program()
    if as_json:
        from pollux.answers.handoff import handoff_document

        screen.json(handoff_document(library.handoff.write(plan) if yes else plan))
        return
    if _shown_and_agreed(library, screen, plan, yes=yes):
        _write(ctx, library, plan, run=run)


def _session(library: Library, key: str | None, upto: str | None, as_of: datetime | None) -> tuple[Session, str | None]:
    """The session that was named, and the last message of it: `KEY#MESSAGE` and `--upto` say the same."""
    if key is None:
        from pollux.cli.commands.going_on.resume import which
        from pollux.cli.terminal.screen import talk

        here = library.resume.last_here()

        talk(which(here))
        session, message = library.session(here.key), None
    else:
        session, message = library.cited(key)
    if message is not None and upto is not None:
        raise RequestError("A message and --upto cannot be combined.", "Leave out one of them.")
    if as_of is not None:
        session = library.archive.as_of(session, as_of)
    return session, message.id if message is not None else upto


def _options(upto: str | None, style: dict[str, Any]) -> DraftOptions:
    from pollux.writers.native.options import DraftOptions

    return DraftOptions(upto=upto, **style)


def _shown_and_agreed(library: Library, screen: Screen, plan: HandoffPlan, *, yes: bool) -> bool:
    """Show a plan. Is it to be written? Without a terminal nobody can be asked."""
    from pollux.cli.terminal.screen import talk
    from pollux.draw.handoff import handoff_lines

    screen.lines(handoff_lines(screen, plan, str(library.user_home)))
    for warning in plan.warnings:
        talk(f"pollux: {warning}")
    if yes:
        return True
    if not screen.terminal:
        talk("Nothing was written. Add --yes to do it.")
        return False
    return click.confirm("Write it?", abort=True, err=True)


def _write(ctx: click.Context, library: Library, plan: HandoffPlan, *, run: bool) -> None:
    from pollux.cli.terminal.screen import talk

    library.handoff.write(plan)
    if run:
        from pollux.cli.terminal.become import become_agent

        library.handoff.take_over(plan)
        become_agent(ctx, plan)
    talk(f"Written. The command above goes on with it; pollux handoff {plan.key or plan.id} --undo takes it back.")


def _undo(library: Library, screen: Screen, key: str | None, *, as_json: bool) -> None:
    if key is None:
        raise RequestError(
            "Which session?", "Try: pollux handoff KEY --undo, with the new session's key or the old one's"
        )
    undone = library.handoff.undo(key)
    if as_json:
        from pollux.answers.handoff import undone_document

        screen.json(undone_document(undone))
        return
    from pollux.cli.terminal.screen import talk
    from pollux.draw.handoff import undone_lines

    screen.lines(undone_lines(undone, str(library.user_home)))
    if undone.stays is None:
        talk("If the agent has loaded the file already, the session that it began stays.")
    elif undone.stays:
        talk("The agent has taken the session over already: it stays, until it is deleted there.")


def _require_alone(ctx: click.Context) -> None:
    """Raise `RequestError` for an option that means nothing to an undo."""
    from click.core import ParameterSource

    for name in ctx.params:
        if name not in ("key", "undo", "as_json") and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise RequestError("--undo takes only a KEY.", "Try: pollux handoff KEY --undo")
