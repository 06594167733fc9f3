"""What a search found, for people: the sessions, and beneath each the passages that show why."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from pollux.cli.terminal.times import ago
from pollux.cli.terminal.width import pad, width, wrap, wrap_facts
from pollux.system.clock import now
from pollux.text.escape import one_line, visible
from pollux.text.figures import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pollux.cli.terminal.screen import Screen
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


def grouped(result: SearchResult) -> list[Group]:
    """Hits by session, the sessions in the order of their best hits."""
    sessions: dict[str, list[Hit]] = {}
    for hit in result.hits:
        sessions.setdefault(hit.key, []).append(hit)
    return [Group(hits, max(0, result.counts.get(key, 0) - len(hits))) for key, hits in sessions.items()]


def scanned(stream: Iterable[Hit], limit: int, each: int | None) -> Iterator[Group]:
    """Hits that come session by session, until there are enough."""
    left = limit
    for _, hits in groupby(stream, key=lambda hit: hit.key):
        every = list(hits)
        chosen = every[: min(left, each or left)]
        left -= len(chosen)
        yield Group(chosen, len(every) - len(chosen))
        if not left:
            return


def result_lines(screen: Screen, groups: Iterable[Group]) -> Iterator[str]:
    """The lines of what was found."""
    gap = False
    for group in groups:
        if gap:
            yield ""
        gap = True
        yield from _session(screen, group.hits[0])
        # The title stands above already.
        hits = [hit for hit in group.hits if hit.kind != "title"] or group.hits
        wide = max(width(_name(hit)) for hit in hits)
        for hit in hits:
            yield from _passage(screen, hit, wide)
        if group.more:
            yield screen.paint(f"  {group.more:,} more", "dim")


def _session(screen: Screen, hit: Hit) -> Iterator[str]:
    for line in wrap(one_line(hit.title or "A session without a title"), screen.columns):
        yield screen.paint(line, "bold")
    agent, project = hit.key.partition(":")[0], hit.project or ""
    name = project.rstrip("/\\").replace("\\", "/").rpartition("/")[2] or project
    facts = [agent, one_line(name), ago(hit.at, now()) if hit.at else "", KINDS.get(hit.session_kind, "")]
    for line in wrap_facts([*(fact for fact in facts if fact), one_line(hit.short_id)], screen.columns):
        yield screen.paint(line, "dim")


def _name(hit: Hit) -> str:
    return one_line(hit.short_message_id)


def _passage(screen: Screen, hit: Hit, wide: int) -> Iterator[str]:
    """Who said it, the message's name, and the words; on a narrow screen the words stand below."""
    speaker = SPEAKERS[hit.kind]
    lead = f"  {pad(speaker, LABEL)}  {pad(_name(hit), wide)}  "
    style = {"prompt": "human", "reply": "model"}.get(hit.kind, "dim")
    painted = f"  {screen.paint(pad(speaker, LABEL), style)}  {screen.paint(pad(_name(hit), wide), 'id')}  "
    beside = screen.columns is None or screen.columns - width(lead) >= LEAST
    if not beside:
        yield painted.rstrip()
    indent = " " * (width(lead) if beside else 4)
    for number, line in enumerate(_words(screen, hit, width(indent))):
        yield (painted if beside and number == 0 else indent) + line


def _words(screen: Screen, hit: Hit, indent: int) -> list[str]:
    """The passage, wrapped, with what was looked for marked; where it is too long, the lines around the first mark."""
    text, spans = _cleaned(hit.snippet, hit.spans)
    columns = None if screen.columns is None else max(screen.columns - indent, 16)
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
    result = [_marked(screen, start, line, spans) for start, line in visible_lines]
    if begin:
        result[0] = f"…{result[0]}"
    if cut:
        result[-1] = f"{result[-1]}…"
    return result


def _cleaned(text: str, spans: Sequence[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    """The text with control characters made visible, and its spans moved accordingly."""
    cleaned, moved, place = "", [], 0
    for start, end in spans:
        cleaned += visible(text[place:start])
        match = visible(text[start:end])
        moved.append((len(cleaned), len(cleaned) + len(match)))
        cleaned += match
        place = end
    return cleaned + visible(text[place:]), moved


def _marked(screen: Screen, start: int, line: str, spans: Sequence[tuple[int, int]]) -> str:
    """A line that begins at this place of the text, with what was found in it painted."""
    painted, place = "", 0
    for first, last in spans:
        begin, end = max(first - start, place), min(last - start, len(line))
        if begin < end:
            painted += line[place:begin] + screen.paint(line[begin:end], "match")
            place = end
    return painted + line[place:]
