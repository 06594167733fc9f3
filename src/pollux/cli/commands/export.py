"""`pollux export`: sessions in other formats."""

from __future__ import annotations

import os
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from pollux.cli.options.choice import Choice
from pollux.cli.options.common import common, open_library
from pollux.cli.options.complete import formats, sessions
from pollux.cli.options.filters import fate_option, filter_from_options, narrowing
from pollux.cli.options.group import Command
from pollux.cli.options.paths import NamedPath
from pollux.cli.options.redaction import private, redactor
from pollux.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pollux.export.service import Exporter
    from pollux.library.jobs import Job
    from pollux.model import Session
    from pollux.system.output_file import OutputFile
    from pollux.writers.base import Options, Writer

TRY = "Try: pollux export last --to markdown, or: pollux export --all --to markdown -o FOLDER"


@click.command("export", cls=Command)
@click.argument("keys", metavar="KEY…", nargs=-1, shell_complete=sessions)
@click.option("--to", "-t", "to", metavar="FORMAT", shell_complete=formats, help="The format; `--list` names them all.")
@click.option(
    "--output",
    "-o",
    metavar="FILE-OR-FOLDER",
    type=NamedPath(),
    help="Where to write. One session goes to stdout by default.",
)
@click.option(
    "--all", "everything", is_flag=True, help="All sessions, including sub-agents; the next four options select some."
)
@narrowing
@click.option(
    "--by",
    type=Choice(["session", "day"]),
    default="session",
    show_default=True,
    help="One file for each session, or for each project and day. (day: markdown, text)",
)
@click.option("--list", "listing", is_flag=True, help="List the formats and what each is for.")
@click.option(
    "--thinking",
    is_flag=True,
    help="Include the model's thinking. (markdown, text, openai, sharegpt, gemini, claude, codex, copilot, qwen)",
)
@click.option(
    "--tools",
    type=Choice(["none", "brief", "full"]),
    default="brief",
    show_default=True,
    help="How much to show of tool calls. (markdown, text)",
)
@click.option("--tokens", is_flag=True, help="Include token figures. (markdown, text)")
@click.option("--notices", is_flag=True, help="Include the client's info and warning lines. (markdown, text)")
@fate_option
@click.option("--front-matter", is_flag=True, help="Begin with the facts in YAML. (markdown, text)")
@click.option(
    "--compat",
    metavar="NAME",
    help="The dialect of another program: session-signals has eight types of events. (events)",
)
@click.option("--cbor", is_flag=True, help="In CBOR instead of JSON. (vac)")
@click.option("--content", is_flag=True, help="Include texts, not only times. (otel)")
@click.option(
    "--ids",
    type=Choice(["own", "short"]),
    default="own",
    show_default=True,
    help="Ids of tool calls: the agent's own, or call_1, call_2, … (atif, otel, openai, hf, acp)",
)
@click.option("--redact", is_flag=True, help="Replace secrets, home directories and user names.")
@private
@click.option("--share", is_flag=True, help="For sharing: --redact and --redact-emails, as html unless --to is given.")
@click.option(
    "--json-report", "report_file", metavar="FILE", type=NamedPath(), help="Write a report of what the format left out."
)
@click.option("--force", is_flag=True, help="Overwrite FILE, and files in FOLDER that pollux did not write.")
@common()
@click.pass_context
def command(
    ctx: click.Context,
    /,
    keys: tuple[str, ...],
    to: str | None,
    output: str | None,
    everything: bool,
    agent: str | None,
    project: str | None,
    since: datetime | None,
    until: datetime | None,
    by: str,
    listing: bool,
    cbor: bool,
    redact: bool,
    words: tuple[str, ...],
    emails: bool,
    share: bool,
    report_file: str | None,
    force: bool,
    **style: Any,
) -> None:
    """Write sessions in another format.

    \b
    pollux export last --to markdown
    pollux export 3274cde4 -o session.md --redact
    pollux export --all --to json -o backup/
    pollux export --all --project weather --since 2w --to markdown --by day -o transcripts/
    """
    if listing:
        from pollux.cli.commands.writers import command as writers

        ctx.invoke(writers)
        return
    writer = _writer("html" if share and to is None else to, output)
    if cbor:
        writer = _in_cbor(writer)
    _require_supported(ctx, writer)
    if style["compat"] is not None and writer.name != "events":
        raise RequestError("--compat works only with --to events.", "Leave it out, or try: --to events")
    if everything == bool(keys):
        raise RequestError("Either name sessions or say --all, not both." if keys else "Which session?", TRY)
    if keys and any(value is not None for value in (agent, project, since, until)):
        raise RequestError(
            "--agent, --project, --since and --until narrow --all down, not sessions that you name.", TRY
        )
    folder = _folder(output, writer, several=everything or len(keys) > 1)
    if report_file == "-":
        raise RequestError("--json-report needs a file name.", "Try: --json-report report.json")
    _check(writer, by, folder, style)
    from pollux.export.service import Exporter
    from pollux.library.jobs import Job

    library = open_library(ctx)
    remover = redactor(library, words, emails=emails or share) if redact or share or words or emails else None
    exporter = Exporter(library, writer, _options(style), remover)
    sessions = _once(library.session(key) for key in keys)
    exporter.protect(sessions)
    report = exporter.target(report_file, force=force) if report_file is not None else None
    selection = filter_from_options(agent, project, since, until, everything=True)
    jobs = library.jobs(selection) if everything else [Job.of(session) for session in sessions]
    if not jobs:
        from pollux.cli.render.empty import explain_empty_home
        from pollux.cli.terminal.screen import Screen

        explain_empty_home(ctx, Screen(ctx), library)
        raise library.index.absence(agent)(
            "There are no such sessions to export.", library.index.hint(selection, "Try: pollux list --all")
        )
    if folder:
        _to_folder(ctx, exporter, jobs, str(output), by, redacts=remover is not None, force=force)
    else:
        _to_file(ctx, exporter, sessions[0], output, force=force)
    if report is not None:
        _report(exporter, report)


def _to_folder(
    ctx: click.Context, exporter: Exporter, jobs: Sequence[Job], output: str, by: str, *, redacts: bool, force: bool
) -> None:
    from pollux.cli.render.export import tell
    from pollux.cli.terminal.progress import bar
    from pollux.export.names import Layout

    progress = bar(ctx, "Scanning" if redacts else "Exporting", "Exporting")
    tell(exporter.to_folder(jobs, output, Layout(by), force=force, progress=progress), output)


def _to_file(ctx: click.Context, exporter: Exporter, session: Session, output: str | None, *, force: bool) -> None:
    from pollux.cli.render.export import print_session, warn_of_size
    from pollux.cli.terminal.screen import Screen

    if output in (None, "-"):
        print_session(Screen(ctx), exporter, session)
    else:
        exporter.to_file(session, str(output), force=force)
    warn_of_size(exporter)


def _report(exporter: Exporter, target: OutputFile) -> None:
    """Write a report of what the format left out."""
    from pollux.answers.export import report_document
    from pollux.cli.terminal.screen import json_text

    target.write(json_text(report_document(exporter)))


def _folder(output: str | None, writer: Writer, *, several: bool) -> bool:
    """Do sessions go to a folder? Raises `RequestError` where they need one, and none is named."""
    there = output is not None and (output.endswith(("/", os.sep)) or os.path.isdir(output))  # noqa: PTH112
    if several and output in (None, "-"):
        raise RequestError(
            "Several sessions need a folder to go to.",
            f"Try: -o FOLDER, as in: pollux export --all --to {writer.name} -o sessions/",
        )
    if several and output is not None and not there and _fitting(output) and not os.path.lexists(output):
        raise RequestError(f"{output} is a file's name, and several sessions need a folder.", f"Try: -o {output}/")
    return several or there


def _fitting(output: str) -> list[Writer]:
    """The formats whose files have names that end like this one."""
    from pollux import registry

    writers = map(registry.writer, registry.writer_names())
    return [writer for writer in writers if output.lower().endswith(writer.suffix)]


def _check(writer: Writer, by: str, folder: bool, style: dict[str, Any]) -> None:
    from pollux.writers.base import Dataset, Joinable

    if isinstance(writer, Dataset):
        writer.ready()
        if by == "day":
            raise RequestError(f"{writer.name} writes one file for each agent and month.", "Leave out --by day.")
    if by == "day" and not folder:
        raise RequestError("--by day needs a folder.", "Try: -o FOLDER/")
    if by == "day" and not isinstance(writer, Joinable):
        raise RequestError(f"In {writer.name} every session has a file of its own.", "Leave out --by day.")
    if by == "day" and style["front_matter"]:
        raise RequestError("Front matter is about one session, and --by day puts several into a file.")


def _once(sessions: Iterable[Session]) -> list[Session]:
    """Each session once, even if it was named several times."""
    by_key: dict[str, Session] = {}
    for session in sessions:
        if by_key.setdefault(session.key, session) != session:
            raise RequestError(f"{session.key} was named twice, and reads differently.", "Export them one by one.")
    return list(by_key.values())


def _require_supported(ctx: click.Context, writer: Writer) -> None:
    """Raise `RequestError` for an option that the format does not support."""
    from click.core import ParameterSource

    from pollux import registry
    from pollux.writers.base import STYLE

    for name in STYLE:
        is_given = ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if is_given and name not in writer.supported_options:
            formats = [one for one in registry.writer_names() if name in registry.writer(one).supported_options]
            option = f"--{name.replace('_', '-')}"
            raise RequestError(f"{writer.name} does not support {option}.", f"{option} is for {', '.join(formats)}.")


def _writer(to: str | None, output: str | None) -> Writer:
    """The named format, or the one of the file's ending."""
    from pollux import registry

    if to is not None:
        return registry.writer(to)
    if output is not None:
        fitting = [
            w for name in registry.writer_names() if output.lower().endswith((w := registry.writer(name)).suffix)
        ]
        closest = max((len(w.suffix) for w in fitting), default=0)
        if len(best := [w for w in fitting if len(w.suffix) == closest]) == 1:
            return best[0]
    raise RequestError("Name a format.", f"Try: --to FORMAT. Known: {', '.join(registry.writer_names())}.")


def _in_cbor(writer: Writer) -> Writer:
    from pollux.writers.base import HasCbor

    if not isinstance(writer, HasCbor):
        raise RequestError(f"There is no {writer.name} in CBOR.", "Leave out --cbor, or try: --to vac")
    return writer.cbor


def _options(style: dict[str, Any]) -> Options:
    from pollux.writers.base import Options

    fate = style.pop("fate")
    return Options(**style, live_only=fate == "live")
