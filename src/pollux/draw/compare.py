"""Two sessions side by side, for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pollux.draw.table import Column, table
from pollux.draw.times import full
from pollux.draw.width import wrap
from pollux.model import Fate
from pollux.text.escape import one_line
from pollux.text.figures import NONE, duration, money, number, plural, tilde
from pollux.usage.labels import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.draw.canvas import Canvas
    from pollux.library.compare.values import Comparison, FileCount, Side, Stretch, ToolCount

_LINKS = {
    "forked_from": "was forked from",
    "continues": "continues",
    "handed_over_from": "was handed over from",
    "subagent_of": "is a sub-agent of",
    "copy_of": "is a copy of",
}


def comparison_lines(canvas: Canvas, comparison: Comparison, home: str) -> Iterator[str]:
    """What both share, said once, then each for itself: figures, prompts, tools, files."""
    sides = (comparison.first, comparison.second)
    for letter, side in zip("AB", sides, strict=True):
        yield from _head(canvas, letter, side)
    yield ""
    yield from wrap(relation(comparison), canvas.columns)
    parts = [side.own for side in sides]
    if comparison.shared is not None:
        parts = [comparison.shared, *parts]
    titles = (["shared"] if comparison.shared is not None else []) + ["A", "B"]
    yield ""
    yield from _figures(canvas, titles, parts)
    for title, part in zip(titles, parts, strict=True):
        yield from _prompts(canvas, title, part)
    yield from _counted(
        canvas,
        "tool",
        titles,
        [[(one.name, told_tool(one)) for one in part.tools] for part in parts],
        lambda name: name,
    )
    yield from _counted(
        canvas,
        "file",
        titles,
        [[(one.path, told_file(one)) for one in part.files] for part in parts],
        lambda path: tilde(path, home),
    )


def _head(canvas: Canvas, letter: str, side: Side) -> Iterator[str]:
    title = one_line(side.title) if side.title else "A session without a title"
    for line in wrap(f"{letter}  {title}", canvas.columns):
        yield canvas.paint(line, "bold")
    started = side.summary.started
    facts = [side.summary.agent, full(started) if started is not None else "", one_line(side.short_id)]
    yield canvas.paint(f"   {' · '.join(fact for fact in facts if fact)}", "dim")


def relation(comparison: Comparison) -> str:
    """How the two belong together, and where they part."""
    words = []
    if comparison.link is not None:
        letters = ("A", "B") if comparison.link_of == comparison.first.summary.key else ("B", "A")
        words.append(f"{letters[0]} {_LINKS.get(comparison.link.kind, 'refers to')} {letters[1]}.")
    if comparison.shared is None:
        words.append("They share no message.")
    else:
        words.append(f"They share {plural(comparison.shared.messages, 'message')}, and part after that.")
        for letter, side in (("A", comparison.first), ("B", comparison.second)):
            if side.parted_at is not None:
                words.append(f"{letter} goes on with {one_line(f'{side.short_id}#{side.parted_at}')}.")
    return " ".join(words)


def _figures(canvas: Canvas, titles: Sequence[str], parts: Sequence[Stretch]) -> Iterator[str]:
    name = Column("")
    columns = [Column(title, right=True) for title in titles]
    for row, cell in FIGURES.items():
        name.add(row, "dim")
        for column, part in zip(columns, parts, strict=True):
            column.add(cell(part))
    return table(canvas, [name, *columns])


def _calls(part: Stretch) -> str:
    failed = sum(one.failed for one in part.tools)
    every = number(sum(one.calls for one in part.tools))
    return f"{every} ({failed:,} failed)" if failed else every


FIGURES: dict[str, Callable[[Stretch], str]] = {
    "messages": lambda part: number(part.messages),
    "prompts": lambda part: number(len(part.prompts)),
    "replies": lambda part: number(part.replies),
    "tool calls": _calls,
    "files changed": lambda part: number(sum(one.edits > 0 for one in part.files)),
    "tokens": lambda part: tokens(part.usage),
    "cost": lambda part: money(part.cost_usd, at_least=part.unpriced_requests > 0 or part.usage.exact is False),
    "duration": lambda part: duration(part.seconds),
    "models": lambda part: ", ".join(map(one_line, part.models)) or NONE,
}
"""What is told of each side."""


def _prompts(canvas: Canvas, title: str, part: Stretch) -> Iterator[str]:
    if not part.prompts:
        return
    yield ""
    yield canvas.paint(f"Prompts, {title}", "head", "bold")
    for prompt in part.prompts:
        fate = f" ({prompt.fate})" if prompt.fate is not Fate.LIVE else ""
        words = one_line(prompt.text, 200) or NONE
        yield from wrap(f"- {words}{fate}", canvas.columns)


def _counted(
    canvas: Canvas,
    what: str,
    titles: Sequence[str],
    parts: Sequence[Sequence[tuple[str, str]]],
    shown: Callable[[str], str],
) -> Iterator[str]:
    """A table with a row for each name that occurs in a part."""
    names = dict.fromkeys(name for part in parts for name, _ in part)
    if not names:
        return
    yield ""
    first = Column(what, flexible=True, least=16, path=what == "file")
    columns = [Column(title, right=True) for title in titles]
    cells = [dict(part) for part in parts]
    for name in names:
        first.add(one_line(shown(name)))
        for column, by_name in zip(columns, cells, strict=True):
            column.add(by_name.get(name, NONE))
    yield from table(canvas, [first, *columns])


def told_tool(count: ToolCount) -> str:
    """How often a tool was called, and how often that went wrong."""
    wrong = [(count.failed, "failed"), (count.cancelled, "cancelled"), (count.unfinished, "without result")]
    words = ", ".join(f"{amount:,} {word}" for amount, word in wrong if amount)
    return f"{count.calls:,} ({words})" if words else f"{count.calls:,}"


def told_file(count: FileCount) -> str:
    """How often a file was edited, and how often that went wrong."""
    edits = plural(count.edits, "edit")
    return f"{edits} ({count.unsuccessful:,} unsuccessful)" if count.unsuccessful else edits
