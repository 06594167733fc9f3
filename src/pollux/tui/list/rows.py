"""The rows of the list: days, sessions with their sub-agents, and what a search found."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from pollux.draw.families import families

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from pollux.draw.results import Group
    from pollux.library.library import Hit, ListedKey

_SECOND = 1_000_000
_DAY = 86_400


class DayRow(NamedTuple):
    """The heading of a day; None where no time is known."""

    moment: int | None


class SessionRow(NamedTuple):
    """A session, `depth` levels below the one that started it or that it was handed over from.

    It has so many `children`, which are sub-agents. `other_day`: it was last used on another day than the heading's.
    """

    key: str
    depth: int = 0
    children: int = 0
    other_day: bool = False


class PassageRow(NamedTuple):
    """A passage of the session above it."""

    key: str
    hit: Hit


class MoreRow(NamedTuple):
    """How many passages of the session above are not shown."""

    key: str
    left: int


class DrawnRow(NamedTuple):
    """A row of the first screen, as another process drew it; without a key it is a heading, or not drawn yet."""

    line: str
    key: str


Row = DayRow | SessionRow | PassageRow | MoreRow | DrawnRow
ChosenRow = SessionRow | PassageRow


def moment_of(row: DayRow) -> datetime | None:
    """The time of a day's newest session."""
    return None if row.moment is None else datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=row.moment)


def rows_by_day(listed: Sequence[ListedKey], unfolded: Collection[str], *, everything: bool) -> list[Row]:
    """The sessions by day. A sub-agent stands under its parent, if that is unfolded, and else nowhere.

    A handed-over session stands under its origin, and both on the day of the newest of them.
    Without `everything`, saved checkpoints and logs of prompts are left out.
    """
    known = {one.key for one in listed}
    children: dict[str, list[ListedKey]] = {}
    top = []
    for one in listed:
        if one.kind == "subagent" and one.parent in known:
            children.setdefault(one.parent, []).append(one)
        elif everything or one.kind in ("main", "subagent"):
            top.append(one)
    return list(_with_days(top, children, unfolded))


def _with_days(
    top: Sequence[ListedKey], children: dict[str, list[ListedKey]], unfolded: Collection[str]
) -> Iterator[Row]:
    midnight: float | None = float("inf")
    for family in families(top, lambda one: one.key, lambda one: one.origin):
        newest = max((one.moment for one, _ in family if one.moment is not None), default=None)
        if newest is None:
            if midnight is not None:
                yield DayRow(None)
                midnight = None
        elif midnight is None or newest / _SECOND < midnight:
            yield DayRow(newest)
            midnight = _midnight(newest)
        for one, depth in family:
            is_older = one.moment is not None and midnight is not None and one.moment / _SECOND < midnight
            for row in _family(one, children, unfolded, depth, set()):
                yield row._replace(other_day=True) if is_older else row


def _family(
    one: ListedKey, children: dict[str, list[ListedKey]], unfolded: Collection[str], depth: int, above: set[str]
) -> Iterator[SessionRow]:
    """A session and its unfolded sub-agents, the oldest first; one that is its own ancestor is not followed."""
    mine = children.get(one.key, ())
    yield SessionRow(one.key, depth, len(mine))
    if one.key in unfolded and one.key not in above:
        for child in reversed(mine):
            yield from _family(child, children, unfolded, depth + 1, above | {one.key})


def _midnight(moment: int) -> float:
    """The beginning of the local day of a moment, in seconds."""
    try:
        here = time.localtime(moment / _SECOND)
        return time.mktime((here.tm_year, here.tm_mon, here.tm_mday, 0, 0, 0, 0, 0, -1))
    except (OverflowError, OSError, ValueError):  # a time beyond what the system can tell
        return moment / _SECOND // _DAY * _DAY


def rows_of_hits(groups: Iterable[Group]) -> list[Row]:
    """The sessions that were found, each with its passages."""
    rows: list[Row] = []
    for group in groups:
        key = group.hits[0].key
        rows.append(SessionRow(key))
        rows += [PassageRow(key, hit) for hit in group.hits if hit.kind != "title"]
        if group.more:
            rows.append(MoreRow(key, group.more))
    return rows
