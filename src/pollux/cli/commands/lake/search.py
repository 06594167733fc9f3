"""`pollux lake search`: where was this said, by anybody?"""

from __future__ import annotations

from typing import Any

import click

from pollux.cli.commands.lake.options import lake_argument, open_lake, whose
from pollux.cli.commands.search import EACH, SORTS, Searching, hit_options
from pollux.cli.options.common import common, json_option, remark
from pollux.cli.options.filters import branch_option, filter_from_options, narrowing
from pollux.errors import NotFound, RequestError, Unreadable


@click.command("search", cls=Searching, short_help="Search the sessions of a lake.")
@lake_argument
@click.argument("query", nargs=-1)
@narrowing
@branch_option
@whose
@hit_options
@json_option
@common()
@click.pass_context
def command(
    ctx: click.Context,
    /,
    lake: str,
    query: tuple[str, ...],
    person: str | None,
    team: str | None,
    place: str,
    sort: str | None,
    limit: int,
    each: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Search the sessions of a lake, with the queries of `pollux search`.

    All texts of the wanted months, projects and agents are read, so --since and --project make it quicker. Words are
    looked for as they are typed, not in other forms and spellings.

    \b
    pollux lake search s3://acme/lake retry logic since:1w
    pollux lake search s3://acme/lake '"off by one"' --project shop
    """
    from pollux.answers.lake import pushed_hits_document
    from pollux.answers.search import search_remarks, unsearched_sentence
    from pollux.cli.terminal.progress import bar
    from pollux.cli.terminal.screen import Screen
    from pollux.index.search.query import Sort, parse
    from pollux.index.search.session_search import SearchRequest
    from pollux.lake.lists import LakeSessions
    from pollux.lake.search import search
    from pollux.library.library import PLACES as KINDS
    from pollux.registry import source_names
    from pollux.text.figures import plural

    text = " ".join(word.lstrip(" ") for word in query)  # without the blanks of `Searching`
    if not text.strip():
        raise RequestError("Give a query.", f"Try: pollux lake search {lake} WORD…")
    selection = filter_from_options(**options)
    names = {name: getattr(selection, name) for name in ("agent", "project", "since", "until")}
    asked, screen = open_lake(lake, person, team), Screen(ctx)
    progress = bar(ctx, "Searching", quiet=as_json)
    request = SearchRequest(
        limit=limit,
        sort=Sort(sort or SORTS[0]),
        per_session=each if as_json else each or EACH,
        kinds=None if place == "all" else KINDS[place],
        counted=not as_json,
    )
    result = search(asked, parse(text, source_names()).narrowed(*selection.facts, **names), request, progress)
    progress.end()
    if result.unfinished:
        remark(unsearched_sentence(result.unfinished), for_programs=as_json)
    absence = Unreadable if result.unfinished else NotFound
    if as_json:
        screen.json(pushed_hits_document(result.hits))
        for sentence in search_remarks(result):
            remark(sentence, for_programs=True)
        ctx.exit(0 if result.hits else absence.exit_code)
    if not result.hits:
        count = plural(LakeSessions(asked).count_all(), "session")
        raise absence(f"Nothing like that in {count}.", "\n".join(result.hints) or "Try fewer words, or a beginning.")
    from pollux.draw.results import by_session, result_lines

    screen.lines(result_lines(screen, by_session(result)))
