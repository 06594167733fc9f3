"""The files that agents changed, as a table, or each with its difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.table import Column, table
from pollux.draw.times import ago, full
from pollux.draw.width import cut, wrap
from pollux.model import Fate, Status
from pollux.model.names import project_name
from pollux.system.clock import now
from pollux.text.escape import one_line, visible
from pollux.text.figures import KINDS, NONE, tilde
from pollux.writers.calls import OUTCOMES
from pollux.writers.changed_files import Change

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pollux.draw.canvas import Canvas
    from pollux.library.edits.values import FileEdit
    from pollux.writers.changed_files import Difference

_NARROW = 80
_NOUNS = {
    Change.EDITED: "edit",
    Change.WRITTEN: "write",
    Change.ADDED: "add",
    Change.DELETED: "delete",
    Change.MOVED: "move",
}
_STYLES = {"+": "added", "-": "removed", "@": "dim"}


def edit_table(canvas: Canvas, edits: Sequence[FileEdit], home: str) -> Iterator[str]:
    """The edits as a table."""
    narrow = canvas.columns is not None and canvas.columns < _NARROW
    one_agent = len({edit.agent for edit in edits}) == 1
    when = Column("when")
    agent = Column("agent", sacrifice=9 if one_agent else 5)
    project = Column("project", most=16, sacrifice=8)
    file = Column("file", most=40, path=True)
    what = Column("what")
    message = Column("message", whole=True, sacrifice=2)
    why = Column("why", flexible=True, least=12, sacrifice=3)
    present = now()
    for edit in edits:
        when.add(ago(edit.at, present, brief=narrow), "dim")
        agent.add(one_line(edit.agent))
        project.add(one_line(project_name(edit.project)) if edit.project else NONE, "dim")
        file.add(_file(edit, home))
        what.add(_what(edit), _style(edit))
        message.add(one_line(f"{edit.short_id}#{edit.short_message_id}"), "id")
        why.add(_why(edit), "dim")
    return table(canvas, [when, agent, project, file, what, message, why])


def edit_blocks(
    canvas: Canvas, edits: Sequence[FileEdit], differences: Sequence[Difference | None], home: str
) -> Iterator[str]:
    """Each edit with its difference."""
    gap = False
    for edit, difference in zip(edits, differences, strict=True):
        if gap:
            yield ""
        gap = True
        yield from _head(canvas, edit, difference, home)
        yield from _lines(canvas, difference)


def _head(canvas: Canvas, edit: FileEdit, difference: Difference | None, home: str) -> Iterator[str]:
    title = one_line(tilde(edit.path, home))
    words = ", ".join(filter(None, (_what(edit), _size(difference))))
    yield f"{canvas.paint(title, 'bold')}  {canvas.paint(words, _style(edit) or 'dim')}"
    facts = [
        full(edit.at) if edit.at is not None else "",
        edit.agent,
        KINDS.get(edit.kind, ""),
        one_line(edit.title) if edit.title else "",
    ]
    line = f"{' · '.join(fact for fact in facts if fact)} · "
    name = f"{edit.short_id}#{edit.short_message_id}"
    room = canvas.columns - len(name) if canvas.columns is not None else len(line)
    yield canvas.paint(cut(line, room), "dim") + canvas.paint(one_line(name), "id")
    if edit.prompt is not None:
        for line in wrap(f"why: {_why(edit)}", canvas.columns):
            yield canvas.paint(line, "dim")


def _lines(canvas: Canvas, difference: Difference | None) -> Iterator[str]:
    if difference is None:
        yield canvas.paint("  What changed is not recorded.", "dim")
        return
    if difference.whole:
        yield canvas.paint("  The whole file as it was written; what it held before is not recorded.", "dim")
    for line in difference.lines:
        text = visible(line[1:] if line[0] == "@" else line).replace("\n", " ")
        yield f"  {canvas.paint(text, *([_STYLES[line[0]]] if line[0] in _STYLES else []))}".rstrip()


def _file(edit: FileEdit, home: str) -> str:
    return one_line(edit.project_path or tilde(edit.path, home))


def _what(edit: FileEdit) -> str:
    """What was done, how that ended unless it went well, and what became of the turn."""
    words = [edit.change.value]
    if edit.status is not Status.OK:
        ending = "without result" if edit.status is Status.UNFINISHED else OUTCOMES[edit.status]
        words = [f"{_NOUNS[edit.change]} {ending}"]
    if edit.fate is not Fate.LIVE:
        words.append(edit.fate.value)
    return ", ".join(words)


def _style(edit: FileEdit) -> str | None:
    if edit.status is Status.OK:
        return None if edit.fate is Fate.LIVE else "warn"
    return "bad" if edit.status is Status.ERROR else "warn"


def _size(difference: Difference | None) -> str:
    if difference is None:
        return ""
    known = [("+", difference.added), ("−", difference.removed)]
    return " ".join(f"{mark}{count:,}" for mark, count in known if count is not None)


def _why(edit: FileEdit) -> str:
    return one_line(edit.prompt.text) if edit.prompt is not None and edit.prompt.text else NONE
