"""The rows of sessions, and the tables that they fit into."""

from __future__ import annotations

import pytest

from pollux.index.search.fields import tokens
from pollux.index.search.passages import passages
from pollux.index.search.snippets import fold_roughly
from pollux.lake.rows import rows_of
from pollux.lake.tables import MESSAGES, SESSIONS, TABLES, USAGE
from pollux.model import Author, FileReference, Message, Role, Session, ToolResult, Unknown, Usage
from tests.conformance.answers import answers
from tests.conformance.truth import AGENTS, homes


def message(**fields: object) -> Message:
    return Message(id="m", role=Role.USER, author=Author.HUMAN, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("agent", AGENTS)
def test_rows_have_the_columns_of_their_tables_and_every_word_of_the_session(agent: str) -> None:
    for session in answers(agent, homes(agent)[-1]).sessions.values():
        rows = rows_of(session)
        for name, some in rows.items():
            wanted = [column.name for column in TABLES[name].of_session()]
            assert all(list(row) == wanted for row in some)
        letters = fold_roughly(str([list(row.values()) for some in rows.values() for row in some])).text
        words = {word for passage in passages(session) for word in tokens(passage.text) if word.isascii()}
        assert {word for word in words if word not in letters and not word[0].isdigit()} == set()


def test_a_request_has_a_row_and_a_figure_that_no_column_holds_is_unknown() -> None:
    each = (Usage(input=1, output=2, requests=1), Usage(input=2**70, output=3, requests=1))
    session = Session(agent="x", id="y", messages=(message(usage=Usage(input=5, output=5, each=each)),))
    assert [(row["request"], row["input"], row["output"]) for row in rows_of(session)[USAGE]] == [
        (1, 1, 2),
        (2, None, 3),
    ]
    assert rows_of(session)[SESSIONS][0]["exact"] is None


def test_texts_without_a_column_of_their_own_are_in_other() -> None:
    parts = (
        FileReference(path="/a", text="in the file"),
        ToolResult(call=None, output="the answer"),
        Unknown(raw={"odd": "thing"}),
    )
    (row,) = rows_of(Session(agent="x", id="y", messages=(message(parts=parts),)))[MESSAGES]
    assert all(text in row["other"] for text in ("in the file", "the answer", "odd thing"))


def test_only_columns_without_words_have_statistics_in_the_log() -> None:
    allowed = {"number", "at", "started"}
    assert {name for table in TABLES.values() for name in table.indexed} <= allowed
