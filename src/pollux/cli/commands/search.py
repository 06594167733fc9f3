"""`pollux search`: where was this said?"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pollux.cli.options.choice import Amount, Choice, Seconds
from pollux.cli.options.common import common, json_option, open_library, remark
from pollux.cli.options.filters import branch_option, filter_from_options, narrowing
from pollux.cli.options.group import Command
from pollux.errors import RequestError, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pollux.cli.terminal.progress import Bar
    from pollux.cli.terminal.screen import Screen
    from pollux.library.library import Filter, Hit, Library, SearchResult

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

PLACES = ["all", "prompts", "replies", "thinking", "tools", "titles", "summaries", "files", "context"]
SORTS = ["relevance", "newest"]
EACH = 3
NAMED = 3
SECONDS = 5.0
LIMIT = re.compile(r"-n\d+")


class Searching(Command):
    """Takes `-word` for what it is in a query: a word to leave out, not an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Set a blank before such a word. It changes no query, and no option begins with one."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        names = {name for option in options for name in option.opts}
        takes = {name for option in options if not option.is_flag for name in option.opts}
        end = args.index("--") if "--" in args else len(args)
        words = [
            f" {arg}" if before not in takes and arg not in names and _excludes(arg) else arg
            for before, arg in pairwise(["", *args[:end]])
        ]
        return super().parse_args(ctx, words + args[end:])


def _excludes(argument: str) -> bool:
    return len(argument) > 1 and argument[0] == "-" and argument[1] != "-" and not LIMIT.fullmatch(argument)


def hit_options(function: Decorated) -> Decorated:
    """Add `--in`, `--sort`, `--limit` and `--each`."""
    help_of_each = f"At most N messages of one session.  [default: {EACH}; with --json: no limit]"
    for option in (
        click.option("--each", metavar="N", type=Amount(), help=help_of_each),
        click.option(
            "--limit", "-n", metavar="N", type=Amount(), default=20, show_default=True, help="At most N messages."
        ),
        click.option("--sort", type=Choice(SORTS), help="Best first, or newest first.  [default: relevance]"),
        click.option(
            "--in", "place", type=Choice(PLACES), default="all", show_default=True, help="Where to look in a session."
        ),
    ):
        function = option(function)
    return function


@click.command("search", cls=Searching, short_help="Search everything that was said and done.")
@click.argument("query", nargs=-1)
@narrowing
@branch_option
@hit_options
@click.option(
    "--regex", metavar="PATTERN", help="Read all files for a regular expression, newest first, instead of a QUERY."
)
@click.option("--exact", is_flag=True, help="Look for what was typed only, not for other forms and spellings.")
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=Seconds(),
    help=f"How long the regular expression may take in one file.  [default: {SECONDS:g}]",
)
@click.option("--all", "everything", is_flag=True, hidden=True, help="No effect: search always includes all sessions.")
@json_option
@common()
@click.pass_context
def command(
    ctx: click.Context,
    /,
    query: tuple[str, ...],
    place: str,
    sort: str | None,
    limit: int,
    each: int | None,
    regex: str | None,
    exact: bool,
    timeout: float | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Search every session: prompts, replies, thinking, tools and what they answered.

    Words must all occur, "…" is a phrase, word* a beginning, -word leaves out, OR is or. agent: kind: project: branch:
    commit: repository: directory: version: client: provider: mode: effort: subagent: model: tool: file: failed: exit:
    since: before: until: role: fate: in: is: tag: note: name: narrow the search down.

    \b
    pollux search retry logic
    pollux search '"off by one"' -test
    pollux search 'parse* tool:shell_exec failed:yes' --since 2w
    pollux search --regex 'v\\d+\\.\\d+' --in replies
    """
    from pollux.cli.terminal.preview import Preview
    from pollux.cli.terminal.progress import bar
    from pollux.cli.terminal.screen import Screen
    from pollux.library.library import PLACES as KINDS, Sort

    text = " ".join(word.lstrip(" ") for word in query)  # without the blanks of `Searching`
    _check_options(text, regex, sort, timeout)
    selection = filter_from_options(**options)
    kinds = None if place == "all" else KINDS[place]
    progress = bar(ctx, "Searching", quiet=as_json)
    library, screen = open_library(ctx, quiet=as_json, words=regex is None, bar=progress), Screen(ctx)
    if regex is not None:
        seconds, unfinished = timeout or SECONDS, list[str]()
        with closing(
            library.match(regex, selection, kinds=kinds, seconds=seconds, unfinished=unfinished.append, report=progress)
        ) as stream:
            some = _show_matches(screen, stream, limit, each, as_json, progress)
        progress.end()
        if unfinished:
            _report_unfinished(unfinished, seconds, some=some, as_json=as_json)
        if not some and not as_json:
            _nothing(ctx, screen, library, selection, _other_name(library, selection) or _filter_hint(selection, place))
        ctx.exit(0 if some else library.index.absence(selection.agent).exit_code)
    result = library.search(
        text,
        selection,
        kinds=kinds,
        limit=limit,
        sort=Sort(sort or SORTS[0]),
        per_session=each if as_json else each or EACH,
        counted=not as_json,
        exact=exact,
        report=progress,
        found=Preview(screen, progress, each or EACH) if not as_json and Preview.is_possible(screen) else None,
    )
    progress.end()
    ctx.call_on_close(lambda: _report_pending(screen, library, result, as_json=as_json))
    if as_json:
        from pollux.answers.search import hits_document, search_remarks

        screen.json(hits_document(result.hits))
        for sentence in search_remarks(result):
            remark(sentence, for_programs=True)
        ctx.exit(0 if result.hits else library.index.absence(selection.agent).exit_code)
    if not result.hits:
        other = "Try fewer words, a beginning (word*), or a pattern: pollux search --regex PATTERN"
        hints = _other_name(library, selection) or _suggestions(result, text) or _filter_hint(selection, place)
        _nothing(ctx, screen, library, selection, hints or [other])
    _for_people(screen, result)


def _check_options(text: str, regex: str | None, sort: str | None, timeout: float | None) -> None:
    if regex is None and timeout is not None:
        raise RequestError("--timeout is for --regex: words are found at once.")
    if regex is not None and text.strip():
        raise RequestError("Either a query or --regex, not both.", "--agent, --project and --since narrow both down.")
    if regex is not None and sort == SORTS[0]:
        raise RequestError("--sort does not work with --regex, which lists newest first.")
    if regex == "" or (regex is None and not text.strip()):
        raise RequestError("Give a query.", "Try: pollux search WORD…")


def _for_people(screen: Screen, result: SearchResult) -> None:
    from pollux.answers.search import search_remarks
    from pollux.cli.terminal.screen import talk
    from pollux.draw.results import by_session, result_lines

    screen.lines(result_lines(screen, by_session(result)))
    for sentence in search_remarks(result):
        talk(sentence)
    _read_on(screen, result.hits[0])


def _read_on(screen: Screen, first: Hit) -> None:
    from pollux.cli.terminal.screen import talk
    from pollux.text.shell import name_word, shell_word

    if screen.terminal:
        words = f"{name_word(first.short_id, first.key)} --at {shell_word(first.short_message_id)}"
        talk(screen.paint(f"To read on: pollux show {words}", "dim"))


def _show_matches(
    screen: Screen, stream: Iterable[Hit], limit: int, each: int | None, as_json: bool, progress: Bar
) -> bool:
    """Write what a pattern finds as it comes; progress is not drawn after that. Returns whether there was something."""
    from pollux.draw.results import as_they_come, result_lines

    groups = as_they_come(stream, limit, each if as_json else each or EACH)
    if as_json:
        from pollux.answers.search import hits_document

        hits = [hit for group in groups for hit in group.hits]
        screen.json(hits_document(hits))
        return bool(hits)
    first = next(groups, None)
    if first is None:
        return False
    progress.end()
    screen.lines(result_lines(screen, chain([first], groups)))
    _read_on(screen, first.hits[0])
    return True


def _report_unfinished(unfinished: list[str], seconds: float, *, some: bool, as_json: bool) -> None:
    """Name the files that were not searched to the end. If nothing was found, this is an error."""
    from pollux.cli.terminal.screen import talk
    from pollux.text.escape import one_line
    from pollux.text.figures import plural

    count = plural(len(unfinished), "file")
    files = ", ".join(unfinished[:NAMED]) + (", …" if len(unfinished) > NAMED else "")
    problem = f"The pattern took longer than {seconds:g} s in {count}, not searched to the end: {files}"
    advice = f"Try a simpler pattern, or --timeout {12 * seconds:g}."
    if not some:
        raise Unreadable(f"Nothing was found. {one_line(problem)}", advice)
    sentence = f"{one_line(problem)}. {advice}"
    remark(sentence, for_programs=True) if as_json else talk(sentence)


def _report_pending(screen: Screen, library: Library, result: SearchResult, *, as_json: bool) -> None:
    """Say how many sessions were searched directly, and which files could not be searched."""
    from pollux.answers.search import pending_sentence, unsearched_sentence
    from pollux.cli.terminal.screen import talk
    from pollux.library.library import Filter

    if result.pending:
        sentence = pending_sentence(result.pending, library.count(Filter(everything=True)))
        remark(sentence, for_programs=True, pending=result.pending) if as_json else talk(screen.paint(sentence, "dim"))
    if result.unfinished:
        remark(unsearched_sentence(result.unfinished), for_programs=as_json)


def _suggestions(result: SearchResult, text: str) -> list[str]:
    """Other queries to try."""
    for word, suggestion in result.meant:
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", suggestion, text)
    return [*result.hints, f"Did you mean: {text.strip()}"] if result.meant else list(result.hints)


def _other_name(library: Library, selection: Filter) -> list[str]:
    """The project or fact that was probably meant."""
    return [hint] if (hint := library.index.hint(selection)) else []


def _filter_hint(selection: Filter, place: str) -> list[str]:
    from pollux.library.library import Filter

    open_to_all = selection == Filter(everything=selection.everything) and place == "all"
    return [] if open_to_all else ["Try it without options: they narrow the search down."]


def _nothing(ctx: click.Context, screen: Screen, library: Library, selection: Filter, hints: list[str]) -> None:
    """Say that nothing was found, and what may have been meant."""
    from pollux.library.library import Filter
    from pollux.text.figures import plural

    count = library.count(Filter(everything=True))
    if not count:
        from pollux.cli.render.empty import nothing

        nothing(ctx, screen, library)
    sentence = f"Nothing like that in {plural(count, 'session')}."
    raise library.index.absence(selection.agent)(sentence, "\n".join(hints) or None)
