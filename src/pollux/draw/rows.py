"""Lists that are drawn a line at a time: sessions by day, each on one line, and beneath them what a search found.

Unlike a table, its columns do not depend on the rows, so that a list of many needs only those that are seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pollux.draw.families import lead
from pollux.draw.marks import STAR
from pollux.draw.results import SPEAKERS, highlight, make_visible
from pollux.draw.times import clock
from pollux.draw.width import cut, pad, steady, width
from pollux.model.names import project_name
from pollux.system.clock import local
from pollux.text.escape import one_line
from pollux.text.figures import HANDED_OVER, KINDS, NONE
from pollux.usage.labels import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

    from pollux.draw.canvas import Canvas
    from pollux.library.library import Hit, ListEntry

SHAPES = "◆●■▲▼◇○□△▽"
"""Each agent has a shape, so that colour need not tell them apart."""

_NARROW, _WIDE = 66, 100
_LABEL = max(map(len, SPEAKERS.values()))


class Look(NamedTuple):
    """What a list shows of a session besides its facts. `children` is how many sub-agents it has.

    With `dated`, it says when the session was last used; otherwise only at what time, since the day is above it.
    `other_day`: it was last used on another day than that one.
    """

    depth: int = 0
    children: int = 0
    is_unfolded: bool = False
    dated: bool = False
    other_day: bool = False


class RowDrawer:
    """Draws the lines of a list, for a canvas of fixed width."""

    def __init__(self, canvas: Canvas, agents: Sequence[str], today: date) -> None:
        self._canvas = canvas
        self._columns = canvas.columns or 80
        self._shapes = dict(zip(agents, SHAPES, strict=False))
        self._today = today
        self._is_narrow = self._columns < _NARROW
        self._agent = 1 if self._is_narrow else max((len(agent) for agent in agents), default=0) + 2
        self._project = 0 if self._is_narrow else 20 if self._columns >= _WIDE else 12

    def day(self, moment: datetime | None) -> str:
        """The heading of a day, with a line to the right edge."""
        words = "No time is known" if moment is None else day_name(local(moment).date(), self._today)
        rule = "─" * max(self._columns - width(words) - 3, 0)
        return f" {self._canvas.paint(words, 'dim', 'bold')} {self._canvas.paint(rule, 'faint')}"

    def session(self, entry: ListEntry, look: Look = Look()) -> str:  # noqa: B008 (an immutable value)
        """A session on one line."""
        paint, summary = self._canvas.paint, entry.summary
        moment = summary.ended or summary.started
        mark = paint(self._mark(entry), "accent")
        # A date takes the place before the time, so that the columns stay where they are.
        dated, space = look.dated or look.other_day, "" if look.other_day and not look.dated else " "
        time = pad(self._time(moment, dated=dated), 6 if dated else 5)
        shape = self._shapes.get(summary.agent, "·")
        agent = shape if self._is_narrow else pad(f"{shape} {one_line(summary.agent)}", self._agent)
        cells = [f"{mark}{space}{paint(time, 'dim')}", paint(cut(agent, self._agent), "dim")]
        if self._project:
            cells.append(paint(pad(cut(self._project_name(entry), self._project), self._project), "dim"))
        figures = [paint(text, "dim") for text in self._figures(entry)]
        fixed = 5 + len(space) + width(time) + self._agent + (9 if figures else 0)
        fixed += self._project + 2 if self._project else 0
        cells.append(self._title(entry, look, self._columns - fixed - 1))
        return "  ".join([*cells, *figures])

    @staticmethod
    def _mark(entry: ListEntry) -> str:
        """A star, or a point where something is new."""
        if entry.marks is not None and entry.marks.session.starred:
            return STAR
        return "•" if entry.unread else " "

    def _time(self, moment: datetime | None, *, dated: bool) -> str:
        if moment is None:
            return NONE
        day = local(moment).date()
        if not dated or day == self._today:
            return clock(moment, seconds=False)
        return f"{day.day} {day:%b}" if day.year == self._today.year else f"{day:%b} {day:%y}"

    def _title(self, entry: ListEntry, look: Look, room: int) -> str:
        summary = entry.summary
        warning = ("k" if summary.kept else "") + ("!" if entry.troubled else "")
        before = lead(look.depth)
        tail = f" {'▾' if look.is_unfolded else '▸'}{look.children}" if look.children else ""
        tail += f" {warning}" if warning else ""
        tail += "".join(f" #{one_line(tag)}" for tag in entry.marks.session.tags) if entry.marks is not None else ""
        kind = KINDS.get(summary.kind, HANDED_OVER if summary.handed_over_from is not None else "")
        words = steady(one_line(entry.title, 400)) if entry.title else NONE
        if kind and not look.depth:
            words = f"{kind}: {words}"
        space = max(room - width(before) - width(tail), 4)
        title = cut(words, space)
        line = self._canvas.paint(before, "faint") + title
        line += self._canvas.paint(tail, "warn" if warning else "dim")
        return line + " " * max(room - width(before) - width(title) - width(tail), 0)

    def _project_name(self, entry: ListEntry) -> str:
        summary = entry.summary
        if summary.project is None:
            return summary.project_hash[:8] if summary.project_hash else NONE
        return steady(one_line(project_name(summary.project))) + ("?" if summary.project_evidence == "guess" else "")

    def _figures(self, entry: ListEntry) -> list[str]:
        return [] if self._is_narrow else [pad(tokens(entry.summary.usage), 7, right=True)]

    def passage(self, hit: Hit) -> str:
        """A passage that was found, on one line, its matches painted."""
        indent = " " * (4 if self._is_narrow else 10)
        room = max(self._columns - len(indent) - _LABEL - 3, 10)
        text, spans = make_visible(" ".join(hit.snippet.split("\n")), hit.spans)
        begin = _begin(text, spans, room)
        line = ("…" if begin else "") + text[begin:]
        shift = begin - (1 if begin else 0)
        words = cut(line, room)
        label = pad(SPEAKERS[hit.kind], _LABEL)
        shown = highlight(self._canvas, 0, words, [(start - shift, end - shift) for start, end in spans])
        return f"{indent}{self._canvas.paint(label, 'dim')}  {shown}"

    def more(self, count: int) -> str:
        """How many more passages of the session were found."""
        indent = " " * ((4 if self._is_narrow else 10) + _LABEL + 2)
        return indent + self._canvas.paint(f"{count:,} more", "dim")


def day_name(day: date, today: date) -> str:
    """`Today`, `Yesterday`, `Saturday 14 November`, with the year if it is another one."""
    passed = (today - day).days
    if passed in (0, 1):
        return "Today" if passed == 0 else "Yesterday"
    name = f"{day:%A} {day.day} {day:%B}"
    return name if day.year == today.year else f"{name} {day.year}"


def _begin(text: str, spans: Sequence[tuple[int, int]], room: int) -> int:
    """Where a passage begins on its line, so that its first match is seen."""
    if not spans or spans[0][1] < room - 2:
        return 0
    start = max(0, spans[0][0] - room // 3)
    blank = text.find(" ", start, spans[0][0])
    return blank + 1 if blank >= 0 else start
