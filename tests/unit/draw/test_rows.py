"""A list that is drawn a line at a time."""

from __future__ import annotations

from datetime import UTC, date, datetime

from pollux.draw.rows import Look, RowDrawer
from pollux.library.library import ListEntry
from pollux.model import HANDED_OVER, Link, Session, summarize


class Plain:
    """A canvas without colours."""

    columns = 90

    def paint(self, text: str, *_styles: str) -> str:
        return text


def entry(*links: Link) -> ListEntry:
    at = datetime(2026, 10, 16, 12, tzinfo=UTC)
    session = Session(agent="parrot", id="1", title="Birds", project="/work/birds", ended=at, links=links)
    return ListEntry(summary=summarize(session), family_usage=None, short="1")


DRAWER = RowDrawer(Plain(), ["parrot"], date(2026, 11, 16))  # type: ignore[arg-type]


def test_another_day_moves_no_column() -> None:
    today, before = (DRAWER.session(entry(), Look(other_day=other)) for other in (False, True))
    assert "16 Oct" in before
    assert "16 Oct" not in today
    assert [line.index("parrot") for line in (today, before)] == [11, 11]
    assert [line.index("Birds") for line in (today, before)] == [today.index("Birds")] * 2
    assert len(today) == len(before)


def test_a_handed_over_session_says_so_unless_it_stands_under_its_origin() -> None:
    heir = entry(Link(kind=HANDED_OVER, target="x:1", evidence="it says so"))
    assert "  handed over: Birds" in DRAWER.session(heir)
    assert "  └ Birds" in DRAWER.session(heir, Look(depth=1))
