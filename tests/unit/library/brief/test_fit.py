"""Lines within a number of tokens."""

from __future__ import annotations

from hypothesis import given, strategies as st

from pollux.library.brief.citing import Citations
from pollux.library.brief.fit import fitting_lines, line_cost
from pollux.library.brief.layout import line_text, section_title
from pollux.library.brief.telling import Telling
from pollux.library.brief.values import Importance, Item, Line, Section
from tests.unit.library.brief.made import human, session

CITATIONS = Citations(session(*(human("x") for _ in range(40))), "claude:abc")
ITEMS = st.builds(
    lambda section, text, importance, place: Item(
        section=section, what="asked", text=text, importance=importance, places=(place,)
    ),
    st.sampled_from(list(Section)),
    st.text(max_size=400),
    st.sampled_from(list(Importance)),
    st.integers(0, 39),
)


def tellings(items: list[Item]) -> list[Telling]:
    return [Telling(item, CITATIONS, 10_000) for item in items]


def cost(lines: list[Line | None]) -> int:
    sections = {line.section for line in lines if line is not None}
    titles = sum(line_cost(line) for section in sections for line in section_title(section))
    return titles + sum(line_cost(line_text(line)) for line in lines if line is not None)


@given(st.lists(ITEMS, max_size=30), st.integers(0, 2000))
def test_the_room_is_never_exceeded_and_all_is_told_if_there_is_room(items: list[Item], room: int) -> None:
    lines = fitting_lines(tellings(items), room)
    assert len(lines) == len(items)
    assert cost(lines) <= room
    assert lines == fitting_lines(tellings(items), room)
    whole = fitting_lines(tellings(items), 1_000_000)
    assert all(line is not None and not line.shortened for line in whole)


def item(importance: Importance, place: int, text: str = "some words", section: Section = Section.COURSE) -> Item:
    return Item(section=section, what="asked", text=text, importance=importance, places=(place,))


def test_what_matters_most_and_is_newest_is_told_first() -> None:
    items = [
        item(Importance.ROUTINE, 3),
        *(item(Importance.PROMPT, place) for place in range(3)),
        item(Importance.STATE, 0),
    ]
    shown = [[line is not None for line in fitting_lines(tellings(items), room)] for room in (20, 30, 45, 100)]
    assert shown[0] == [False, False, False, False, True]
    assert shown[1] == [False, False, False, True, True]
    assert shown[-1] == [True] * 5


def test_many_of_one_kind_leave_room_for_others() -> None:
    items = [
        *(item(Importance.PROMPT, place % 40) for place in range(500)),
        item(Importance.CHANGE, 0, section=Section.CHANGED),
    ]
    assert fitting_lines(tellings(items), 300)[-1] is not None
