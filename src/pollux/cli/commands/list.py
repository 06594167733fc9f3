"""`pollux list`: the sessions, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pollux.cli.options.choice import Amount
from pollux.cli.options.common import SAMPLE, common, json_option, open_library
from pollux.cli.options.filters import branch_option, filter_from_options, filters
from pollux.cli.options.group import Command
from pollux.errors import NotFound, RequestError, Unreadable

if TYPE_CHECKING:
    from pollux.cli.terminal.screen import Screen
    from pollux.library.library import Filter, Library, ListEntry


@click.command("list", cls=Command)
@click.argument("query", nargs=-1)
@filters
@branch_option
@click.option("--limit", "-n", metavar="N", type=Amount(), help="At most N sessions.")
@json_option
@click.option("--jsonl", is_flag=True, help="Print one JSON object a line.")
@common()
@click.pass_context
def command(
    ctx: click.Context, /, query: tuple[str, ...], limit: int | None, as_json: bool, jsonl: bool, **options: Any
) -> None:
    """List sessions, newest first.

    Words narrow the list to sessions that have all of them in the title, the prompts or the project. agent: project:
    since: before: until: branch: commit: repository: directory: version: client: provider: mode: effort: subagent: do
    so by what is known of the session, and is: tag: note: name: by how you marked it.

    \b
    pollux list --since 3d
    pollux list branch:main retry
    pollux list weather --agent gemini
    """
    from pollux.cli.terminal.screen import Screen, talk
    from pollux.library.filters import filter_words
    from pollux.wire import display_path

    if as_json and jsonl:
        raise RequestError("--json and --jsonl cannot be combined.", "Leave out one of them.")
    for_programs = as_json or jsonl
    selection = filter_from_options(
        **options, words=tuple(display_path(word) for text in query for word in filter_words(text))
    )
    library, screen = open_library(ctx, quiet=for_programs, early=True), Screen(ctx)
    entries = library.list(selection, limit)
    if for_programs:
        _for_programs(screen, library, entries, jsonl)
        ctx.exit(0 if entries else library.index.absence(selection.agent).exit_code)
    if not entries:
        _nothing(ctx, screen, library, selection)
    from pollux.draw.list import listing

    lines = list(listing(screen, entries, str(library.user_home)))
    screen.lines(lines)
    is_early = library.index.unread_files > 0
    if screen.terminal:
        every = library.count(selection) if limit is not None and not is_early else len(entries)
        more = any(selection.agent in (None, agent) for agent in library.index.lacking())
        hidden = bool(library.index.unreadable_paths)
        # A narrow terminal has no room for the column of tokens.
        tokens = "tokens" in lines[0]
        for line in _remarks(screen, entries, every, more=more, hidden=hidden, tokens=tokens):
            talk(screen.paint(line, "dim"))
    if screen.terminal and not is_early and not ctx.meta.get(SAMPLE) and library.archive.should_suggest():
        from pollux.text.figures import size

        room = size(library.archive.estimate())
        talk(screen.paint(f"Agents delete old sessions. `pollux archive on` keeps them, in about {room}.", "dim"))


def _for_programs(screen: Screen, library: Library, entries: list[ListEntry], jsonl: bool) -> None:
    from pollux.answers.sessions import list_document

    documents = list_document(library.usage, entries)
    if jsonl:
        screen.json_lines(documents)
    else:
        screen.json(documents)


def _nothing(ctx: click.Context, screen: Screen, library: Library, selection: Filter) -> None:
    """Say why there is nothing."""
    from pollux.cli.render.empty import explain_empty_home
    from pollux.library.library import Filter
    from pollux.text.figures import plural

    explain_empty_home(ctx, screen, library)
    every = library.count(Filter(everything=True))
    ordinary = library.count()
    if not ordinary and selection == Filter():
        sentence = f"No ordinary sessions were found, but {plural(every, 'other')}."
        raise (Unreadable if library.index.lacking() else NotFound)(sentence, "Try: pollux list --all")
    total = every if selection.everything else ordinary
    hint = "Try: pollux list --all" if every > total else "Try: pollux list"
    hint = library.index.hint(selection, hint if selection.project is None else "Try: pollux projects")
    raise library.index.absence(selection.agent)(f"No session of {total:,} matches.", hint)


def _remarks(
    screen: Screen, entries: list[ListEntry], every: int, *, more: bool, hidden: bool, tokens: bool
) -> list[str]:
    """What the list leaves out, and the meaning of its marks; of those at `tokens` only where the column is shown."""
    from pollux.draw.width import wrap
    from pollux.text.figures import least, plural
    from pollux.usage.labels import too_low

    remarks = []
    if len(entries) < every:
        remarks.append(f"{len(entries):,} of {least(plural(every, 'session'), more=more)}.")
    if tokens and (low := sum(entry.summary.usage.exact is False for entry in entries)):
        remarks.append(f"≥ {too_low(low, plural(len(entries), 'session'))}")
    if odd := sum(entry.troubled for entry in entries):
        remarks.append(f"! {plural(odd, 'session')} with damaged or odd files: see pollux doctor.")
    if from_archive := sum(entry.summary.kept for entry in entries):
        why = "deleted or cut, or that cannot be read now" if hidden else "deleted or cut"
        remarks.append(f"k {plural(from_archive, 'session')} that the agent has {why}, and that pollux kept.")
    return [line for text in remarks for line in wrap(text, screen.columns)]
