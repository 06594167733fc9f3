"""The rows of the list, from places of sessions alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from pollux.library.library import ListedKey
from pollux.tui.list.question import Question
from pollux.tui.list.rows import DayRow, SessionRow, rows_by_day

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


def listed(name: str, hours: float | None, kind: str = "main", parent: str | None = None) -> ListedKey:
    moment = None if hours is None else round((NOON - timedelta(hours=hours)).timestamp() * 1e6)
    return ListedKey(f"a:{name}", kind, None if parent is None else f"a:{parent}", moment)


def shape(rows: list[object]) -> list[object]:
    return [(row.key, row.depth) if isinstance(row, SessionRow) else type(row).__name__ for row in rows]


def test_a_heading_stands_above_each_day() -> None:
    rows = rows_by_day([listed("1", 0), listed("2", 1), listed("3", 48), listed("4", None)], (), everything=False)
    assert shape([*rows]) == ["DayRow", ("a:1", 0), ("a:2", 0), "DayRow", ("a:3", 0), "DayRow", ("a:4", 0)]
    assert rows[-2] == DayRow(None)


def test_sub_agents_are_folded_under_their_parents_at_any_depth() -> None:
    all_rows = [
        listed("p", 0),
        listed("c", 1, "subagent", "p"),
        listed("g", 2, "subagent", "c"),
        listed("x", 3, "subagent", "gone"),
    ]
    assert shape([*rows_by_day(all_rows, (), everything=False)]) == ["DayRow", ("a:p", 0), ("a:x", 0)]
    unfolded = rows_by_day(all_rows, {"a:p", "a:c"}, everything=False)
    assert shape([*unfolded]) == ["DayRow", ("a:p", 0), ("a:c", 1), ("a:g", 2), ("a:x", 0)]
    assert unfolded[1] == SessionRow("a:p", 0, 1)


def test_a_session_that_is_its_own_parent_is_no_trap() -> None:
    loop = [listed("p", 0), listed("c", 1, "subagent", "d"), listed("d", 2, "subagent", "c")]
    assert shape([*rows_by_day(loop, {"a:c", "a:d"}, everything=False)]) == ["DayRow", ("a:p", 0)]


def test_a_handed_over_session_stands_under_its_origin() -> None:
    heir, origin = listed("h", 0)._replace(origin="a:o"), listed("o", 48)
    child = listed("c", 49, "subagent", "o")
    rows = rows_by_day([heir, listed("x", 1), origin, child], {"a:o"}, everything=False)
    assert shape([*rows]) == ["DayRow", ("a:o", 0), ("a:c", 1), ("a:h", 1), ("a:x", 0)]
    assert [row.other_day for row in rows if isinstance(row, SessionRow)] == [True, True, False, False]
    alone = rows_by_day([heir, listed("x", 1)], (), everything=False)
    assert shape([*alone]) == ["DayRow", ("a:h", 0), ("a:x", 0)]


def test_checkpoints_and_logs_are_shown_on_request() -> None:
    some = [listed("k", 0, "checkpoint"), listed("p", 1, "prompts")]
    assert rows_by_day(some, (), everything=False) == []
    assert len(rows_by_day(some, (), everything=True)) == 3


def test_times_beyond_the_calendar_have_a_day() -> None:
    odd = [ListedKey("a:1", "main", None, 1 << 61), ListedKey("a:2", "main", None, -(1 << 61))]
    assert [type(row) for row in rows_by_day(odd, (), everything=False)] == [DayRow, SessionRow, DayRow, SessionRow]


def test_what_is_typed_becomes_a_query_and_a_command() -> None:
    queries = {
        "tide": "tide*",
        "tide ": "tide",
        "tide t": "tide",
        "tide ta": "tide ta*",
        '"high tide"': '"high tide"',
        "agent:codex ti": "agent:codex ti*",
        "t": "",
    }
    assert {text: Question(text).query for text in queries} == queries
    assert Question("tide ").command == "pollux search tide --limit 50 --each 3"
    assert Question("agent:codex is:starred").command == "pollux list agent:codex is:starred"
    assert Question("", "project", "/my code").command == "pollux list --project '/my code'"
    assert Question("", "everything").command == "pollux list --all"
