"""The group of all commands, and the one place where errors become sentences and exit statuses."""

from __future__ import annotations

import contextlib
import os
import signal
import sys

import click

from pollux import __version__
from pollux.cli.options.common import common
from pollux.cli.options.group import LazyGroup
from pollux.cli.terminal import marks
from pollux.errors import OutputError, PolluxError, RequestError, StoreError
from pollux.text.suggest import did_you_mean

COMMANDS = {
    "list": "pollux.cli.commands.list",
    "show": "pollux.cli.commands.show",
    "search": "pollux.cli.commands.search",
    "brief": "pollux.cli.commands.brief",
    "edits": "pollux.cli.commands.facts.edits",
    "compare": "pollux.cli.commands.facts.compare",
    "friction": "pollux.cli.commands.facts.friction",
    "tui": "pollux.cli.commands.views.tui",
    "web": "pollux.cli.commands.views.web",
    "pick": "pollux.cli.commands.views.pick",
    "resume": "pollux.cli.commands.going_on.resume",
    "handoff": "pollux.cli.commands.going_on.handoff",
    "mark": "pollux.cli.commands.mark",
    "mcp": "pollux.cli.commands.mcp.serve",
    "skill": "pollux.cli.commands.mcp.skill",
    "stats": "pollux.cli.commands.stats",
    "audit": "pollux.cli.commands.audit",
    "timeline": "pollux.cli.commands.timeline",
    "watch": "pollux.cli.commands.watch",
    "export": "pollux.cli.commands.export",
    "scan": "pollux.cli.commands.scan",
    "check": "pollux.cli.commands.signing.check",
    "key": "pollux.cli.commands.signing.key",
    "sign": "pollux.cli.commands.signing.sign",
    "verify": "pollux.cli.commands.signing.verify",
    "hide": "pollux.cli.commands.signing.hide",
    "projects": "pollux.cli.commands.projects",
    "archive": "pollux.cli.commands.archive",
    "lake": "pollux.cli.commands.lake",
    "recover": "pollux.cli.commands.recover",
    "history": "pollux.cli.commands.history",
    "rehome": "pollux.cli.commands.rehome",
    "doctor": "pollux.cli.commands.doctor",
    "agents": "pollux.cli.commands.agents",
    "writers": "pollux.cli.commands.writers",
    "sync": "pollux.cli.commands.sync",
    "cache": "pollux.cli.commands.cache",
    "completion": "pollux.cli.commands.completion",
}

COMPLETION = "_POLLUX_COMPLETE"
SIGNALLED = 128
INTERRUPTED = SIGNALLED + signal.SIGINT
BUG = 70


@click.group(
    cls=LazyGroup,
    modules=COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="pollux", message="%(prog)s %(version)s")
@common(hidden=False)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Find and read the sessions of your coding agents.

    Without a command: the terminal UI, or where it cannot be opened the list of sessions, newest first.
    """
    if ctx.invoked_subcommand is None:
        if sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty():
            from pollux.cli.at_once import NEEDED, why_not
            from pollux.cli.commands.views.tui import show

            problem = why_not()
            if problem is None:
                show(ctx)
                return
            if problem is NEEDED:
                click.echo(f"pollux: {problem}", err=True)
        listing = cli.get_command(ctx, "list")
        assert listing is not None  # noqa: S101 (it stands in the table above)
        with listing.make_context("list", [], parent=ctx) as inner:
            listing.invoke(inner)


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit status."""
    _prepare_streams()
    try:
        return _status(arguments)
    finally:
        _let_go()


def _status(arguments: list[str]) -> int:
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt as interrupt:
        return SIGNALLED + getattr(interrupt, "number", signal.SIGINT)
    except BrokenPipeError:  # the reader has gone
        return 0
    except OSError as error:
        _let_go()
        failed = OutputError(f"The output cannot be written: {error.strerror or error}.")
        return _report(failed, arguments)
    return status


def _prepare_streams() -> None:
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller: `pollux list >&-`
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif hasattr(stream, "reconfigure"):
            # The terminal's encoding may lack characters of the output, and a path need not be valid text.
            stream.reconfigure(errors=marks.NAME)


def _run(arguments: list[str]) -> int:
    if instruction := os.environ.get(COMPLETION):
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, "pollux", COMPLETION, instruction)
    try:
        with cli.make_context("pollux", list(arguments)) as ctx:
            cli.invoke(ctx)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        return _report(_as_request(error), arguments)
    except Exception as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # it came while a class was made, in an import
            raise error.__cause__ from None
        # The reader has gone, or the disk is full: only an error of the output has no file name.
        if isinstance(error, OSError) and error.filename is None:
            raise
        return tell(error, arguments)
    return 0


def tell(error: Exception, arguments: list[str]) -> int:
    """Say in a sentence what went wrong, and give the exit status."""
    if isinstance(error, PolluxError):
        return _report(error, arguments)
    if isinstance(error, PermissionError):  # an agent's file would be `Unreadable`, so it is one of pollux's own
        return _report(StoreError(f"{error.filename} cannot be used: {error.strerror}."), arguments)
    return _bug(error, arguments)


def _as_request(error: click.ClickException) -> PolluxError:
    """An error of click as one of ours."""
    hint = None
    if isinstance(error, click.UsageError) and error.ctx is not None:
        hint = f"Try: {error.ctx.command_path} --help"
    if isinstance(error, click.NoSuchOption):
        return RequestError(f"No such option {error.option_name!r}.", _of_lists(error) or _meant(error, hint))
    sentence = " ".join(error.format_message().split())
    return RequestError(sentence if sentence.endswith((".", "?", "!")) else f"{sentence}.", hint)


def _of_lists(error: click.NoSuchOption) -> str | None:
    """A hint where `pollux` was given an option of `pollux list`."""
    if error.ctx is None or error.ctx.parent is not None:
        return None
    listing = cli.get_command(error.ctx, "list")
    names = {name for param in listing.params for name in param.opts} if listing is not None else set()
    return f"Did you mean: pollux list {error.option_name}?" if error.option_name in names else None


def _meant(error: click.NoSuchOption, otherwise: str | None) -> str | None:
    """A hint with the option of the command that was probably meant."""
    names = [name for param in error.ctx.command.params for name in param.opts] if error.ctx is not None else []
    words = [name.removeprefix("--") for name in names if name.startswith("--")]
    return did_you_mean(error.option_name.lstrip("-"), words, otherwise, "--")


def _bug(error: Exception, arguments: list[str]) -> int:
    _debug(error)
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    wrong = PolluxError(
        f"Something went wrong inside pollux ({what}).", "POLLUX_DEBUG=1 shows where. Please report it."
    )
    _report(wrong, arguments)
    return BUG


def _report(error: PolluxError, arguments: list[str]) -> int:
    """Write an error to stderr: a sentence and a hint, or one JSON object where the caller wants JSON."""
    _debug(error)
    with contextlib.suppress(OSError):  # the status still tells that it failed
        _complain(error, as_json=wants_json(arguments))
    return error.exit_code


def _complain(error: PolluxError, *, as_json: bool) -> None:
    from pollux.text.escape import visible

    if as_json:
        from pollux.answers.problems import error_document
        from pollux.cli.terminal.screen import write_to_stderr

        write_to_stderr(error_document(error))
    else:
        hint = f"{visible(error.hint)}\n" if error.hint is not None else ""
        sys.stderr.write(f"pollux: {visible(str(error))}\n{hint}")


def _debug(error: BaseException) -> None:
    if os.environ.get("POLLUX_DEBUG", "") not in ("", "0"):
        import traceback

        traceback.print_exception(error)


def wants_json(arguments: list[str]) -> bool:
    """Does the caller want JSON? This is asked before the arguments are parsed, because parsing may fail."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options or "--jsonl" in options


def _let_go() -> None:
    """Discard output that has no reader. Otherwise Python would complain when it flushes at the end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        except ValueError:  # it is closed
            continue
