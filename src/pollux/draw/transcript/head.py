"""What stands above and below a transcript: the facts, and remarks about the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.marks import note_lines, signs
from pollux.draw.times import clock, full as full_time
from pollux.draw.width import wrap, wrap_facts
from pollux.model import NO_MARKS
from pollux.system.clock import local
from pollux.text.escape import one_line
from pollux.text.figures import plural, tilde
from pollux.usage.labels import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pollux.draw.canvas import Canvas
    from pollux.model import Marks, Session, Summary

LINKS = {
    "continues": "continues",
    "forked_from": "forked from",
    "handed_over_from": "handed over from",
    "subagent_of": "sub-agent of",
    "copy_of": "copy of",
}
_DIGEST = 12
KINDS = {"subagent": "sub-agent", "checkpoint": "saved checkpoint", "prompts": "only the prompts are left"}


def head(
    canvas: Canvas, session: Session, home: str, marks: Marks = NO_MARKS, heirs: Sequence[str] = ()
) -> Iterator[str]:
    """Title, facts, key, links, and what the user noted."""
    from pollux.model import summarize

    summary = summarize(session)
    for line in wrap(one_line(marks.name or summary.title or "A session without a title"), canvas.columns):
        yield canvas.paint(line, "bold")
    if marks.name and summary.title:
        for line in wrap(f"its own title: {one_line(summary.title)}", canvas.columns):
            yield canvas.paint(line, "dim")
    for line in (*wrap(signs(marks), canvas.columns), *note_lines(canvas, marks)):
        if line:
            yield canvas.paint(line, "match")
    yield from summary_facts(canvas, summary, home)
    yield canvas.paint(one_line(session.key), "dim")
    if session.kept:
        yield canvas.paint("from what pollux kept: pollux history tells what became of its files", "dim")
    for link in session.links:
        if link.target == session.key:
            continue  # its own second file: the facts count the files
        yield canvas.paint(f"{LINKS.get(link.kind, link.kind)} {one_line(link.target)}", "dim")
    for heir in heirs:
        yield canvas.paint(f"handed over to {one_line(heir)}", "dim")


def summary_facts(canvas: Canvas, summary: Summary, home: str) -> Iterator[str]:
    """What is known of a session without its messages."""
    facts = [summary.agent, *map(one_line, summary.models), _project(summary, home), _span(summary), *_amounts(summary)]
    for line in wrap_facts((fact for fact in facts if fact), canvas.columns):
        yield canvas.paint(line, "dim")
    for line in wrap_facts(_circumstances(summary), canvas.columns):
        yield canvas.paint(line, "dim")


def _circumstances(summary: Summary) -> Iterator[str]:
    """Facts about its surroundings; of many values, the first one and their number."""
    for name, values in summary.facts.items():
        other = [value for value in values if value not in (summary.project, summary.title)]
        if other:
            first = other[0][:_DIGEST] if name == "commit" else other[0]
            yield f"{name} {one_line(first)}" + (f" and {len(other) - 1:,} more" if len(other) > 1 else "")


def _project(summary: Summary, home: str) -> str:
    if summary.project is None:
        return f"unknown project {summary.project_hash[:8]}" if summary.project_hash else ""
    return one_line(tilde(summary.project, home)) + ("?" if summary.project_evidence == "guess" else "")


def _span(summary: Summary) -> str:
    """Start and end; the day is given once if it is the same."""
    if summary.started is None:
        return full_time(summary.ended) if summary.ended is not None else "without a time"
    begun = full_time(summary.started)
    if summary.ended is None or full_time(summary.ended) == begun:
        return begun
    same_day = local(summary.started).date() == local(summary.ended).date()
    return f"{begun} – {clock(summary.ended, seconds=False) if same_day else full_time(summary.ended)}"


def _amounts(summary: Summary) -> Iterator[str]:
    counts = summary.counts
    if summary.kind in KINDS:
        yield KINDS[summary.kind]
    yield plural(counts.prompts, "prompt")
    if counts.tool_calls:
        failed = f" ({counts.failed_tool_calls:,} failed)" if counts.failed_tool_calls else ""
        yield plural(counts.tool_calls, "tool call") + failed
    if summary.usage.known is not None:
        yield f"{tokens(summary.usage)} tokens"
    if len(summary.files) > 1:
        yield plural(len(summary.files), "file")


def remarks(canvas: Canvas, session: Session, home: str, *, full: bool) -> Iterator[str]:
    """The notices about the files. Minor ones are shown only if everything is."""
    notices = [notice for notice in session.notices if full or notice.severity != "info"]
    if not notices:
        return
    yield ""
    yield canvas.paint("About the files", "bold")
    for notice in notices:
        place = one_line(tilde(notice.file, home)) if notice.file else ""
        place += f":{notice.line}" if place and notice.line is not None else ""
        often = f" ({notice.count:,} times)" if notice.count > 1 else ""
        text = f"! {one_line(notice.text)}{often} [{notice.code}]"
        for line in wrap(text, canvas.columns):
            yield canvas.paint(line, "warn" if notice.severity != "info" else "dim")
        if place:
            yield canvas.paint(f"  {place}", "dim")
