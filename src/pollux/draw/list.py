"""The table of sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.families import families, lead
from pollux.draw.marks import STAR
from pollux.draw.table import Column, table
from pollux.draw.times import ago
from pollux.model.names import project_name
from pollux.system.clock import now
from pollux.text.escape import one_line
from pollux.text.figures import HANDED_OVER, KINDS, NONE, number, tilde
from pollux.usage.labels import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pollux.draw.canvas import Canvas
    from pollux.library.library import ListEntry

WIDE, MERGED, NARROW = 130, 100, 80


def listing(
    canvas: Canvas, entries: list[ListEntry], home: str, people: Mapping[str, str] | None = None
) -> Iterator[str]:
    """The sessions as a table; `people` has whose they are, by key, where they are of several."""
    one_agent = len({entry.summary.agent for entry in entries}) == 1
    wide = canvas.columns is None or canvas.columns >= WIDE
    narrow = canvas.columns is not None and canvas.columns < NARROW
    merged = canvas.columns is not None and canvas.columns < MERGED  # kind and title share a column
    mark = Column("")
    time = Column("when")
    person = Column("person", most=20, sacrifice=3)
    agent = Column("agent", sacrifice=9 if one_agent else 2)
    project = Column("project", most=40 if wide else 12 if narrow else 16, path=wide, sacrifice=1)
    id = Column("id", whole=True)
    kind = Column("kind")
    title = Column("title", flexible=True, least=16 if narrow else 30)
    prompts = Column("prompts", right=True, sacrifice=7)
    tools = Column("tools", right=True, sacrifice=8)
    used = Column("tokens", right=True, sacrifice=6)
    present = now()
    for entry, depth in _placed(entries):
        summary = entry.summary
        starred = entry.marks is not None and entry.marks.session.starred
        mark.add((STAR if starred else "") + ("k" if summary.kept else "") + ("!" if entry.troubled else ""), "warn")
        time.add(ago(summary.ended or summary.started, present, brief=narrow), "dim")
        person.add(one_line(people[summary.key]) if people is not None else "")
        agent.add(summary.agent)
        project.add(*_project(entry, home, wide=wide))
        id.add(one_line(entry.short), "id")
        other = KINDS.get(summary.kind, HANDED_OVER if summary.handed_over_from is not None else "")
        kind.add("" if merged else other, "dim")
        title.add(lead(depth) + (f"{other}: " if merged and other and not depth else "") + _title(entry))
        prompts.add(number(summary.counts.prompts))
        tools.add(number(summary.counts.tool_calls))
        used.add(tokens(summary.usage))
    return table(canvas, [mark, time, person, agent, project, id, kind, title, prompts, tools, used])


def _placed(entries: list[ListEntry]) -> Iterator[tuple[ListEntry, int]]:
    """The sessions with their depths."""
    key, origin = (lambda entry: entry.summary.key), (lambda entry: entry.summary.handed_over_from)
    return (placed for family in families(entries, key, origin) for placed in family)


def _title(entry: ListEntry) -> str:
    """The title, and the tags that the user gave."""
    tags = [f"#{one_line(tag)}" for tag in entry.marks.session.tags] if entry.marks is not None else []
    return " ".join([one_line(entry.title) if entry.title else NONE, *tags])


def _project(one: ListEntry, home: str, *, wide: bool) -> tuple[str, str | None]:
    """A project's name, its path where there is room, the first digits of its hash where it is unknown."""
    path = one.summary.project
    if path is None:
        return (one.summary.project_hash[:8], "dim") if one.summary.project_hash else (NONE, "dim")
    name = tilde(path, home) if wide else project_name(path)
    return one_line(name) + ("?" if one.summary.project_evidence == "guess" else ""), None
