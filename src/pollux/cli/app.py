"""The group of all commands, and the one place where errors become sentences and exit statuses."""

from __future__ import annotations

import difflib
import json
import os
import sys
import traceback
from importlib import import_module
from typing import NoReturn

import click

from pollux import __version__
from pollux.cli.common import common
from pollux.errors import OutputError, PolluxError, RequestError

COMMANDS = {
    "list": "pollux.cli.commands.list",
    "show": "pollux.cli.commands.show",
    "export": "pollux.cli.commands.export",
    "projects": "pollux.cli.commands.projects",
    "doctor": "pollux.cli.commands.doctor",
    "agents": "pollux.cli.commands.agents",
    "writers": "pollux.cli.commands.writers",
    "completion": "pollux.cli.commands.completion",
}
"""In the order in which `pollux --help` shows them. Each module has a `command`."""

INTERRUPTED = 130
BUG = 70


class Commands(click.Group):
    """Loads a command's module when the command is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Every command's name."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of this name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the named command, or say which one was probably meant."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            close = difflib.get_close_matches(name, COMMANDS, n=1)
            hint = f"Did you mean: pollux {close[0]}?" if close else f"Known: {', '.join(COMMANDS)}."
            raise RequestError(f"No command is called {name!r}.", hint)
        return super().resolve_command(ctx, args)


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="pollux", message="%(prog)s %(version)s")
@common(hidden=False)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Find and read the sessions of your coding agents.

    Without a command: the list of sessions, newest first.
    """
    if ctx.invoked_subcommand is None:
        listing = cli.get_command(ctx, "list")
        assert listing is not None  # noqa: S101 (it stands in the table above)
        with listing.make_context("list", [], parent=ctx) as inner:
            listing.invoke(inner)


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        # Content may hold characters the terminal's encoding lacks, and paths may be no text at all.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _let_go_of_stdout()
        return 0
    except OSError as error:
        _let_go_of_stdout()
        failed = OutputError(f"The output cannot be written: {error.strerror or error}.")
        return _report(failed, arguments)
    return status


def _run(arguments: list[str]) -> int:
    try:
        status = cli.main(arguments, prog_name="pollux", complete_var="_POLLUX_COMPLETE", standalone_mode=False)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        return _report(_as_request(error), arguments)
    except (PolluxError, BrokenPipeError) as error:
        if isinstance(error, BrokenPipeError):
            raise
        return _report(error, arguments)
    except OSError as error:
        if error.filename is None:  # only a stream has no name: the output's
            raise
        return _bug(error, arguments)
    except Exception as error:  # noqa: BLE001 (the last line of defence: a bug is reported in one sentence)
        return _bug(error, arguments)
    return status if isinstance(status, int) else 0


def _as_request(error: click.ClickException) -> PolluxError:
    """click's complaint in our form."""
    hint = None
    if isinstance(error, click.UsageError) and error.ctx is not None:
        hint = f"Try: {error.ctx.command_path} --help"
    sentence = error.format_message().strip()
    return RequestError(sentence if sentence.endswith((".", "?", "!")) else f"{sentence}.", hint)


def _bug(error: Exception, arguments: list[str]) -> int:
    _debug(error)
    told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    wrong = PolluxError(f"Something went wrong inside pollux ({told}).", "POLLUX_DEBUG=1 shows where. Please report it.")
    _report(wrong, arguments)
    return BUG


def _report(error: PolluxError, arguments: list[str]) -> int:
    """One sentence and one hint on stderr; one JSON object where JSON was asked for."""
    from pollux.cli.clean import clean

    _debug(error)
    sentence, hint = clean(str(error)), clean(error.hint) if error.hint is not None else None
    if wants_json(arguments):
        print(json.dumps({"error": sentence, "hint": hint}), file=sys.stderr)
    else:
        print(f"pollux: {sentence}", file=sys.stderr)
        if hint is not None:
            print(hint, file=sys.stderr)
    return error.exit_code


def _debug(error: BaseException) -> None:
    if os.environ.get("POLLUX_DEBUG", "") not in ("", "0"):
        traceback.print_exception(error)


def wants_json(arguments: list[str]) -> bool:
    """Is the caller a program? Asked before the arguments are understood, since that may be what fails."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options or "--jsonl" in options


def _let_go_of_stdout() -> None:
    """Nobody reads any more. Python would complain when it flushes at the end."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        pass


def end(status: int) -> NoReturn:
    """End the command with an exit status."""
    raise click.exceptions.Exit(status)
