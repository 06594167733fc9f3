"""What a search found, for people: the sessions, and beneath each the passages that show why."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from pollux.draw.marks import signs
from pollux.draw.times import ago
from pollux.draw.width import pad, width, wrap, wrap_facts
from pollux.model.names import project_name
from pollux.system.clock import now
from pollux.text.escape import one_line, visible
from pollux.text.figures import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pollux.draw.canvas import Canvas
    from pollux.library.library import Hit, SearchResult

SPEAKERS = {
    "title": "title",
    "prompt": "you",
    "summary": "summary",
    "reply": "model",
    "thinking": "thinking",
    "tool": "tool",
    "file": "file",
    "context": "client",
    "other": "other",
}
LABEL = max(map(len, SPEAKERS.values()))
LINES = 3
LEAST = 40


class Group(NamedTuple):
    """The hits of one session, best first, and how many more hits it has."""

    hits: Sequence[Hit]
    more: int


def by_session(result: SearchResult) -> list[Group]:
    """Hits by session, the sessions in the order of their best hits."""
    sessions: dict[str, list[Hit]] = {}
    for hit in result.hits:
        sessions.setdefault(hit.key, []).append(hit)
    return [Group(hits, max(0, result.counts.get(key, 0) - len(hits))) for key, hits in sessions.items()]


def as_they_come(stream: Iterable[Hit], limit: int, each: int | None) -> Iterator[Group]:
    """Hits that come session by session, until there are enough."""
    left = limit
    for _, hits in groupby(stream, key=lambda hit: hit.key):
        session_hits = list(hits)
        visible_hits = session_hits[: min(left, each or left)]
        left -= len(visible_hits)
        yield Group(visible_hits, len(session_hits) - len(visible_hits))
        if not left:
            return


def result_lines(canvas: Canvas, groups: Iterable[Group]) -> Iterator[str]:
    """The lines of all groups."""
    gap = False
    for group in groups:
        if gap:
            yield ""
        gap = True
        yield from _session(canvas, group.hits[0])
        # The title is above already.
        hits = [hit for hit in group.hits if hit.kind != "title"] or group.hits
        wide = max(width(_name(hit)) for hit in hits)
        for hit in hits:
            yield from _passage(canvas, hit, wide)
        if group.more:
            yield canvas.paint(f"  {group.more:,} more", "dim")


def _session(canvas: Canvas, hit: Hit) -> Iterator[str]:
    for line in wrap(one_line(hit.shown_title or "A session without a title"), canvas.columns):
        yield canvas.paint(line, "bold")
    agent, name = hit.key.partition(":")[0], project_name(hit.project or "")
    facts = [
        one_line(hit.person or ""),
        agent,
        one_line(name),
        ago(hit.at, now()) if hit.at else "",
        KINDS.get(hit.session_kind, ""),
        signs(hit.marks),
    ]
    for line in wrap_facts([*(fact for fact in facts if fact), one_line(hit.short_id)], canvas.columns):
        yield canvas.paint(line, "dim")


def _name(hit: Hit) -> str:
    return one_line(hit.short_message_id)


def _passage(canvas: Canvas, hit: Hit, wide: int) -> Iterator[str]:
    """Who said it, the message's name, and the words; on a narrow canvas the words are below."""
    speaker = SPEAKERS[hit.kind]
    lead = f"  {pad(speaker, LABEL)}  {pad(_name(hit), wide)}  "
    style = {"prompt": "human", "reply": "model"}.get(hit.kind, "dim")
    styled_lead = f"  {canvas.paint(pad(speaker, LABEL), style)}  {canvas.paint(pad(_name(hit), wide), 'id')}  "
    fits = canvas.columns is None or canvas.columns - width(lead) >= LEAST
    if not fits:
        yield styled_lead.rstrip()
    indent = " " * (width(lead) if fits else 4)
    for number, line in enumerate(_words(canvas, hit, width(indent))):
        yield (styled_lead if fits and number == 0 else indent) + line


def _words(canvas: Canvas, hit: Hit, indent: int) -> list[str]:
    """The wrapped passage with its matches marked; of a long one, the lines around the first match."""
    text, spans = make_visible(hit.snippet, hit.spans)
    columns = None if canvas.columns is None else max(canvas.columns - indent, 16)
    lines: list[tuple[int, str]] = []
    place = 0
    for line in wrap(text, columns):
        place = text.index(line.strip(), place)
        lines.append((place, line.strip()))
        place += len(line.strip())
    first = next((n for n, (start, line) in enumerate(lines) if spans and spans[0][0] < start + len(line)), 0)
    begin = max(0, min(first - 1, len(lines) - LINES))
    visible_lines = lines[begin : begin + LINES]
    cut = begin + LINES < len(lines)
    # The mark of what is left out needs room.
    if cut and columns is not None and width(visible_lines[-1][1]) >= columns:
        visible_lines[-1] = (visible_lines[-1][0], visible_lines[-1][1].rpartition(" ")[0] or visible_lines[-1][1])
    result = [highlight(canvas, start, line, spans) for start, line in visible_lines]
    if begin:
        result[0] = f"…{result[0]}"
    if cut:
        result[-1] = f"{result[-1]}…"
    return result


def make_visible(text: str, spans: Sequence[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    """The text with control characters made visible, and its spans moved accordingly."""
    result, result_spans, place = "", [], 0
    for start, end in spans:
        result += visible(text[place:start])
        match = visible(text[start:end])
        result_spans.append((len(result), len(result) + len(match)))
        result += match
        place = end
    return result + visible(text[place:]), result_spans


def highlight(canvas: Canvas, start: int, line: str, spans: Sequence[tuple[int, int]]) -> str:
    """A line that begins at this place of the text, with what was found in it painted."""
    painted, place = "", 0
    for first, last in spans:
        begin, end = max(first - start, place), min(last - start, len(line))
        if begin < end:
            painted += line[place:begin] + canvas.paint(line[begin:end], "match")
            place = end
    return painted + line[place:]
