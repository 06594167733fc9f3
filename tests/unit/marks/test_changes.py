"""The newest change of each mark counts, whatever the order of the lines, and a command can be undone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given, strategies as st

from pollux.marks.changes import Change, Replay, last_command
from pollux.model import Anchor, Marks, SessionMarks

START = datetime(2026, 11, 16, tzinfo=UTC)
KEY = "gemini:1"


def _change(number: int, **fields: object) -> Change:
    given_fields = {"session": KEY, "id": str(number), **fields}
    return Change(at=START + timedelta(seconds=number), **given_fields)  # type: ignore[arg-type]


def _marks(*changes: Change) -> Marks:
    return Replay(changes).sessions().get(KEY, SessionMarks()).session


def test_each_field_has_its_newest_value() -> None:
    assert _marks(
        _change(1, starred=True, note="a"), _change(2, note="b", name="n"), _change(3, private=True)
    ) == Marks(starred=True, note="b", name="n", private=True)
    assert _marks(_change(1, note="a", tags={"x": True}), _change(2, note=None)) == Marks(tags=("x",))


def test_tags_of_all_changes_stay_unless_they_were_removed_later() -> None:
    assert _marks(_change(1, tags={"x": True, "y": True}), _change(2, tags={"z": True, "x": False})).tags == ("y", "z")
    assert _marks(_change(2, tags={"x": True}), _change(1, tags={"x": False})).tags == ("x",)


def test_nothing_is_left_of_marks_that_were_taken_away() -> None:
    assert Replay([_change(1, starred=True), _change(2, starred=False)]).sessions() == {}


def test_a_message_has_its_own_marks() -> None:
    anchor = Anchor(id="m")
    (marks,) = Replay([_change(1, message=anchor, starred=True), _change(2, tags={"x": True})]).sessions().values()
    assert marks.session == Marks(tags=("x",))
    assert marks.messages["m"].marks == Marks(starred=True)
    assert marks.messages["m"].anchor == anchor


def test_what_was_undone_does_not_count() -> None:
    lines = [
        _change(1, starred=True),
        _change(2, starred=False, note="a"),
        _change(3, session="gemini:2", starred=True),
    ]
    assert last_command(lines) == "3"
    lines.append(Change(at=START + timedelta(seconds=4), undoes="3"))
    assert list(Replay(lines).sessions()) == [KEY] or Replay(lines).sessions() == {}
    assert last_command(lines) == "2"
    lines.append(Change(at=START + timedelta(seconds=5), undoes="2"))
    assert _marks(*lines) == Marks(starred=True)
    assert last_command([*lines, _change(6, starred=False)]) == "6"
    lines.append(Change(at=START + timedelta(seconds=6), undoes="1"))
    assert last_command(lines) is None
    assert Replay(lines).sessions() == {}


def test_marks_go_along_with_a_session_that_gets_another_key() -> None:
    old = [_change(1, starred=True), _change(2, session="gemini:2", tags={"x": True})]
    moved = _change(3, id="", becomes="gemini:2")
    assert Replay([*old, moved]).sessions() == {"gemini:2": SessionMarks(session=Marks(starred=True, tags=("x",)))}
    back = _change(4, id="", session="gemini:2", becomes=KEY)
    assert list(Replay([*old, moved, back]).sessions()) == [KEY]


def test_only_what_is_new_is_needed() -> None:
    marks = Marks(starred=True, tags=("x",), note="a")
    change = _change(1, starred=True, tags={"x": True, "y": True, "z": False}, note="a", name="n")
    assert change.needed(marks) == _change(1, tags={"y": True}, name="n")
    assert _change(1, starred=True, tags={"x": True}).needed(marks) is None


CHANGES = st.lists(
    st.builds(
        lambda number, session, message, tags, note, starred: _change(
            number, session=session, message=message, tags=tags, note=note, starred=starred
        ),
        st.integers(0, 10_000),
        st.sampled_from(["gemini:1", "codex:2"]),
        st.none() | st.just(Anchor(id="m")),
        st.dictionaries(st.sampled_from("xyz"), st.booleans()),
        st.none() | st.text(max_size=3),
        st.booleans(),
    ),
    unique_by=lambda change: change.at,
)


@given(CHANGES, st.randoms(use_true_random=False))
def test_the_order_of_lines_does_not_matter(changes: list[Change], random: object) -> None:
    mixed = list(changes)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert Replay(mixed).sessions() == Replay(changes).sessions()
    assert Replay([*mixed, *changes]).sessions() == Replay(changes).sessions()  # joined twice
