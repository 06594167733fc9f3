"""`pollux archive`: keep what the agents delete, look after it, have it back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pollux.cli.options.common import SAMPLE, common, json_option, open_library, writing
from pollux.cli.options.complete import sessions
from pollux.cli.options.filters import When
from pollux.cli.options.group import Group
from pollux.cli.options.paths import NamedPath
from pollux.errors import RequestError

if TYPE_CHECKING:
    from pollux.archive.archive import RunResult
    from pollux.archive.transfer import TransferResult
    from pollux.cli.terminal.screen import Screen
    from pollux.library.library import Library


@click.group("archive", cls=Group, invoke_without_command=True)
@json_option
@common()
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Keep every state of the agents' files, and have them back.

    Agents delete sessions after a while, rewrite them and break them. What is kept stays in every list and search,
    marked. Without a command: what is kept.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(status, as_json=as_json)
    elif as_json:
        name = ctx.invoked_subcommand
        raise RequestError(f"--json belongs after {name}.", f"Try: pollux archive {name} --json")


def _answering(name: str, *, writes: bool = False) -> Callable[[Callable[..., None]], click.Command]:
    """A command without arguments, with output for people or for programs; `writes` says that it changes something."""

    def add(function: Callable[..., None]) -> click.Command:
        def answer(ctx: click.Context, as_json: bool = False) -> None:
            from pollux.cli.terminal.screen import Screen

            if writes:
                writing(ctx)
            function(ctx, open_library(ctx, quiet=as_json), Screen(ctx), as_json)

        answer.__doc__ = function.__doc__
        return command.command(name)(json_option(common()(click.pass_context(answer))))

    return add


@command.command("on")
@common()
@click.pass_context
def on(ctx: click.Context) -> None:
    """Archive changes with every command from now on, starting now."""
    from pollux.cli.terminal.screen import talk

    writing(ctx)
    library = open_library(ctx)
    result = library.archive.run()  # where that fails, nothing is turned on
    library.archive.on()
    talk("From now on every pollux command also archives what changed.")
    _tell_run(ctx, result, as_json=False, lossy=library.archive.problem is not None)


@command.command("off")
@common()
@click.pass_context
def off(ctx: click.Context) -> None:
    """Switch the automatic archive off. What was archived stays."""
    from pollux.cli.terminal.screen import talk

    writing(ctx)
    open_library(ctx).archive.off()
    talk("The archive is off. `pollux archive run` still archives once. What was archived stays.")


@_answering("run", writes=True)
def run(ctx: click.Context, library: Library, _screen: Screen, as_json: bool) -> None:
    """Archive what changed, once."""
    result = library.archive.run()
    _tell_run(ctx, result, as_json=as_json, lossy=library.archive.problem is not None)


def _tell_run(ctx: click.Context, result: RunResult, *, as_json: bool, lossy: bool) -> None:
    """Tell what a run kept. The status says whether something could not be read, or is lost."""
    from pollux.cli.terminal.screen import Screen, talk
    from pollux.text.escape import one_line
    from pollux.text.figures import plural, size

    screen = Screen(ctx)
    if as_json:
        from pollux.answers.archive import run_document

        screen.json(run_document(result))
    elif result.busy:
        talk("pollux: another pollux is writing to the archive.")
    else:
        facts = [f"{plural(result.changed, 'file')} kept" if result.changed else "nothing new to keep"]
        if result.stored:
            facts.append(f"{size(result.bytes)} in {size(result.stored)}")
        if result.gone:
            facts.append(f"{result.gone:,} gone since")
        screen.lines([", ".join(facts)])
        for sentence in result.unread:
            talk(f"pollux: not kept: {one_line(sentence)}")
    ctx.exit(4 if lossy else 3 if result.unread else 0)


@_answering("status")
def status(ctx: click.Context, library: Library, screen: Screen, as_json: bool) -> None:
    """Tell what is kept, and what agents will delete within a week."""
    contents = library.archive.status()
    if ctx.meta.get(SAMPLE):
        from msgspec.structs import replace

        contents = replace(contents, folder=None)
    if as_json:
        from pollux.answers.archive import status_document

        screen.json(status_document(contents))
        return
    from pollux.draw.archive import status_lines

    screen.lines(status_lines(screen, contents, str(library.user_home)))


@_answering("verify")
def verify(ctx: click.Context, library: Library, screen: Screen, as_json: bool) -> None:
    """Read everything that is kept, and prove that it is as it was. Ends with status 4 where it is not."""
    verdict = library.archive.verify()
    if as_json:
        from pollux.answers.archive import verdict_document

        screen.json(verdict_document(verdict))
    else:
        from pollux.draw.archive import verdict_lines

        screen.lines(verdict_lines(screen, verdict, str(library.user_home)))
    ctx.exit(0 if verdict.sound else 4)


@command.command("restore")
@click.argument("key", shell_complete=sessions)
@click.option("--output", "-o", metavar="FOLDER", type=NamedPath(path_type=Path), help="Below this folder.")
@click.option("--in-place", is_flag=True, help="Write to the original places.")
@click.option(
    "--as-of",
    metavar="WHEN",
    type=When(end=True),
    help="Restore the state at this time. Default: the last complete state.",
)
@click.option("--yes", is_flag=True, help="Do not ask before writing into an agent's folder.")
@json_option
@common()
@click.pass_context
def restore(
    ctx: click.Context, key: str, output: Path | None, in_place: bool, as_of: datetime | None, yes: bool, as_json: bool
) -> None:
    """Write a session's files as they were, to the byte. No file is ever written over.

    It also writes the files of its sub-agents, and those that it was read with: they say which project it belongs to,
    and what it continues.

    \b
    pollux archive restore 3274cde4 -o back/
    pollux archive restore 3274cde4 --in-place
    """
    from pollux.cli.terminal.confirm import confirm_writing, file_lines, one_place, tell_how_to_go_on
    from pollux.cli.terminal.screen import Screen

    one_place(output, in_place=in_place)
    if in_place:
        writing(ctx)
    library, screen = open_library(ctx, quiet=as_json), Screen(ctx)
    session = library.session(key)
    plan = library.archive.plan(session, output, as_of)
    files = [file for file, _ in plan]
    if in_place and not yes:
        confirm_writing(screen, files, str(library.user_home), ask=not as_json)
    library.archive.restore(plan)
    if as_json:
        from pollux.answers.archive import files_document

        screen.json(files_document(files))
        return
    screen.lines(file_lines(files))
    if in_place:
        tell_how_to_go_on(library, session.key)


@command.command("schedule", short_help="Let a timer archive what changed.")
@click.option("--install", "act", flag_value="install", help="Install the timer, or renew it.")
@click.option("--remove", "act", flag_value="remove", help="Remove it.")
@click.option("--every", metavar="PERIOD", help="How often: 15min, 6h, daily, weekly. Usually 6h.")
@click.option("--using", metavar="TIMER", help="systemd, launchd or cron. Usually what this machine has.")
@json_option
@common()
@click.pass_context
def schedule(ctx: click.Context, act: str | None, every: str | None, using: str | None, as_json: bool) -> None:
    """Have a timer of this machine run `pollux archive run`, so that nobody has to.

    Without an option: what is there, and what would be installed. Nothing is changed then.

    \b
    pollux archive schedule
    pollux archive schedule --install
    pollux archive schedule --install --every daily --using cron
    """
    from pollux.answers.schedule import removed_document, schedule_document
    from pollux.cli.terminal.screen import Screen
    from pollux.draw.schedule import removed, timer

    if ctx.meta.get(SAMPLE):
        raise RequestError("The sample cannot be archived by a timer.", "Leave --sample out.")
    if act == "remove" and (every or using):
        raise RequestError("--remove takes no other options.", "Leave --every and --using out.")
    library, screen = open_library(ctx, quiet=as_json), Screen(ctx)
    home = str(library.user_home)
    if act == "remove":
        timers = library.schedule.remove()
        screen.json(removed_document(timers)) if as_json else screen.lines(removed(timers))
        return
    plan = library.schedule.install(using, every) if act == "install" else library.schedule.show(using, every)
    screen.json(schedule_document(plan)) if as_json else screen.lines(
        timer(screen, plan, home, changed=act == "install")
    )


_file = click.argument("file", type=NamedPath(path_type=Path, dir_okay=False))


@command.command("export", short_help="Write the whole archive into one new file.")
@_file
@json_option
@common()
@click.pass_context
def export(ctx: click.Context, file: Path, as_json: bool) -> None:
    """Write everything that is kept, and your marks, into one new file, for another machine or a backup."""
    from pollux.cli.terminal.screen import talk
    from pollux.text.figures import plural, size

    amount = open_library(ctx, quiet=as_json).archive.export(file)
    if amount.damaged and not as_json:
        talk(f"pollux: {plural(amount.damaged, 'damaged record')} left out. pollux archive verify names the files.")
    marks = f" and {plural(amount.marks, 'change')} of marks" if amount.marks else ""
    line = f"{plural(amount.states, 'state')}{marks} in {size(amount.bytes)}: {file}"
    _tell_transfer(ctx, amount, line, as_json=as_json, damage=4)


@command.command("import")
@_file
@json_option
@common()
@click.pass_context
def import_file(ctx: click.Context, file: Path, as_json: bool) -> None:
    """Add what a file of `pollux archive export` holds. What is kept here already stays as it is.

    Marks are joined with yours: the newest change of each counts.
    """
    from pollux.cli.terminal.screen import talk
    from pollux.text.figures import plural

    writing(ctx)
    amount = open_library(ctx, quiet=as_json).archive.import_file(file)
    if amount.damaged and not as_json:
        talk(f"pollux: {plural(amount.damaged, 'damaged record')} of {file} left out.")
    states = plural(amount.states, "state") if amount.states else ""
    marks = f"{plural(amount.marks, 'change')} of marks" if amount.marks else ""
    line = f"{' and '.join(filter(None, [states, marks]))} added" if states or marks else "nothing new in it"
    _tell_transfer(ctx, amount, line, as_json=as_json, damage=3)


def _tell_transfer(ctx: click.Context, amount: TransferResult, line: str, *, as_json: bool, damage: int) -> None:
    """Tell what was carried, and end with a status of its own where some of it is damaged."""
    from pollux.cli.terminal.screen import Screen

    screen = Screen(ctx)
    if as_json:
        from pollux.answers.archive import transfer_document

        screen.json(transfer_document(amount))
    else:
        screen.lines([line])
    ctx.exit(damage if amount.damaged else 0)


@command.command("prune", short_help="Delete sessions from the archive permanently.")
@click.argument("keys", nargs=-1, metavar="KEY…", shell_complete=sessions)
@click.option("--lost", is_flag=True, help="Delete only what is damaged.")
@click.option("--yes", is_flag=True, help="Do not ask first.")
@json_option
@common()
@click.pass_context
def prune(ctx: click.Context, keys: tuple[str, ...], lost: bool, yes: bool, as_json: bool) -> None:
    """Forget all that is kept of these sessions and their sub-agents, for good.

    Files that other sessions were read from as well stay. The agents' own files are not touched: what is still there
    is kept again by the next sync, where that is on. With --lost, what `pollux archive verify` found damaged or missing
    is given up, and the rest stays as it is.
    """
    from pollux.cli.terminal.screen import Screen
    from pollux.text.figures import plural, size

    writing(ctx)
    if lost == bool(keys):
        raise RequestError("Name sessions, or --lost.", "Try: pollux archive prune --help")
    library, screen = open_library(ctx, quiet=as_json), Screen(ctx)
    chosen = [library.session(key) for key in keys]
    if not yes:
        if as_json or not screen.terminal:
            raise RequestError("Deleted states cannot be restored.", "Add --yes to do it.")
        what = "what cannot be read any more" if lost else plural(len(chosen), "session")
        click.confirm(f"Forget {what} for good?", abort=True, err=True)
    amount = library.archive.prune_lost() if lost else library.archive.prune(chosen)
    if as_json:
        from pollux.answers.archive import transfer_document

        screen.json(transfer_document(amount))
    else:
        screen.lines([f"{plural(amount.states, 'state')} forgotten, {size(max(amount.bytes, 0))} freed"])
