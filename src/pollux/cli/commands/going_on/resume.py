"""`pollux resume`: go on with a session in its own agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pollux.cli.options.common import common, json_option, open_library, open_quietly
from pollux.cli.options.complete import sessions
from pollux.cli.options.group import Command
from pollux.cli.options.paths import NamedPath
from pollux.errors import RequestError
from pollux.text.suggest import closest

if TYPE_CHECKING:
    from pollux.model import Summary

_FOR_THE_AGENT = "pollux.for-the-agent"


class _WithArguments(Command):
    """Takes what stands after `--` for the agent, also where no key stands before it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what stands before `--`."""
        if "--" in args:
            end = args.index("--")
            ctx.meta[_FOR_THE_AGENT] = tuple(args[end + 1 :])
            args = args[:end]
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if not (_is_unknown(error, self) or type(error) is click.UsageError):
                raise
            unknown = error.option_name if isinstance(error, click.NoSuchOption) else None
            sentence = f"No such option {unknown!r}" if unknown else error.format_message().rstrip(".")
            hint = "What is for the agent stands after --: pollux resume KEY -- ARGUMENTS"
            raise RequestError(f"{sentence}.", hint) from error

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """The pieces of the usage line."""
        return [*super().collect_usage_pieces(ctx), "[-- ARGUMENTS]"]


def _is_unknown(error: click.UsageError, command: click.Command) -> bool:
    """Is an option no option of a command, nor almost one? Then it is probably the agent's."""
    own = [name.removeprefix("--") for param in command.params for name in param.opts]
    return isinstance(error, click.NoSuchOption) and closest(error.option_name.lstrip("-"), own) is None


@click.command("resume", cls=_WithArguments, short_help="Go on with a session in its own agent.")
@click.argument("key", required=False, shell_complete=sessions)
@click.option("--fork", is_flag=True, help="Go on with a copy; the session itself stays as it is.")
@click.option(
    "--in",
    "folder",
    metavar="DIR",
    type=NamedPath(file_okay=False),
    help="Go on in this folder instead of the session's.",
)
@click.option("--print", "only_print", is_flag=True, help="Print the command for a shell, and do nothing.")
@json_option
@common()
@click.pass_context
def command(
    ctx: click.Context, key: str | None, fork: bool, folder: str | None, only_print: bool, as_json: bool
) -> None:
    """Go on with a session in its own agent, in the folder in which it was held.

    pollux becomes the agent. Before, it keeps the session's files in its archive: `pollux history KEY` shows them.
    What stands after -- goes to the agent. Without KEY: the session that was last used in this folder.

    \b
    pollux resume
    pollux resume 3274cde4
    pollux resume 3274cde4 --fork --in ../other-worktree
    pollux resume last -- --model opus
    pollux resume 3274cde4 --print
    """
    from pollux.cli.terminal.screen import Screen, talk

    if only_print and as_json:
        raise RequestError("--print and --json cannot be combined.", "Leave out one of them.")
    library = open_library(ctx, quiet=as_json) if only_print or as_json else open_quietly(ctx)
    here = library.resume.last_here() if key is None else None
    name = here.key if here is not None else key or ""
    plan = library.resume.plan(name, fork=fork, folder=folder, arguments=ctx.meta.get(_FOR_THE_AGENT, ()))
    if as_json:
        from pollux.answers.resume import resume_document

        Screen(ctx).json(resume_document(plan))
        return
    if here is not None:
        talk(which(here))
    for warning in plan.warnings:
        talk(f"pollux: {warning}")
    if only_print:
        if plan.opened is not None and not plan.fork:
            talk(f"pollux: {plan.opened.sentence}")
        Screen(ctx).readable(f"{plan.line}\n")
        return
    from pollux.cli.terminal.become import become_agent

    plan.require_ready()
    library.resume.keep(plan)
    become_agent(ctx, plan)


def which(session: Summary) -> str:
    """Which session was last used here."""
    from pollux.text.escape import one_line

    title = f": {one_line(session.title)}" if session.title else ""
    return f"pollux: {session.key}{title}"
