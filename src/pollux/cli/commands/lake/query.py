"""`pollux lake query`: any question, in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pollux.cli.commands.lake.options import lake_argument, open_lake
from pollux.cli.options.common import common, json_option
from pollux.cli.options.group import Command
from pollux.errors import NotFound, RequestError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.cli.terminal.screen import Screen


@click.command("query", cls=Command, short_help="Ask a lake in SQL.")
@lake_argument
@click.argument("statement", metavar="SQL")
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values.")
@common()
@click.pass_context
def command(ctx: click.Context, lake: str, statement: str, as_json: bool, as_csv: bool) -> None:
    """Ask a lake anything, in the SQL of DuckDB, which reads the tables and changes nothing.

    The tables are sessions, messages, tool_calls and usage: only what counts, each thing once. docs/lake.md has their
    columns.

    \b
    pollux lake query s3://acme/lake "SELECT person, SUM(input) FROM usage GROUP BY person"
    pollux lake query s3://acme/lake "SELECT name, COUNT(*) FROM tool_calls GROUP BY ALL" --json
    """
    from pollux.cli.terminal.screen import Screen

    if as_json and as_csv:
        raise RequestError("--json and --csv cannot be combined.", "Leave out one of them.")
    from pollux.answers.lake import query_document

    names, rows = open_lake(lake).query(statement)
    documents = query_document(names, rows)
    screen = Screen(ctx)
    if as_json:
        screen.json(documents)
    elif as_csv:
        from pollux.answers.lake import query_csv

        screen.readable(query_csv(names, documents))
    elif documents:
        screen.lines(_table(screen, names, documents))
    else:
        raise NotFound("No row matches.", "Try: another condition.")
    ctx.exit(0 if documents else NotFound.exit_code)


def _table(screen: Screen, names: list[str], rows: list[dict[str, Any]]) -> Iterator[str]:
    """The rows as a table."""
    from pollux.draw.table import Column, table
    from pollux.text.escape import one_line
    from pollux.text.figures import NONE

    columns = []
    for name in names:
        values = [row[name] for row in rows]
        column = Column(one_line(name), right=all(isinstance(value, int | float | None) for value in values))
        for value in values:
            column.add(NONE if value is None else one_line(str(value)))
        columns.append(column)
    return table(screen, columns)
