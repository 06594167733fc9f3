"""What changed: the files that were edited, how much, and why the last time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pollux.library.brief.slim import FileEdit, SlimSession, edited_files
from pollux.library.brief.told_calls import CallAt
from pollux.library.brief.values import Importance, Item, Section
from pollux.text.figures import plural


class _Edit(NamedTuple):
    call: CallAt
    edit: FileEdit
    reason: str


def files_changed(slim: SlimSession, calls: Sequence[CallAt]) -> Iterator[Item]:
    """Each file that was edited, in the order of the last edit of each."""
    files: dict[str, list[_Edit]] = {}
    for one in calls:
        if one.unit not in slim.edits:
            continue
        paths, reason = edited_files(one.call)
        for path, edit in zip(paths, slim.edits[one.unit], strict=True):
            name = _relative(path, slim.session.project)
            same = files.pop(name, [])
            same.append(_Edit(one, edit, reason))
            files[name] = same
    for name, edits in files.items():
        last, _, reason = edits[-1]
        yield Item(
            section=Section.CHANGED,
            what="edited",
            text=name,
            note=_amount([one.edit for one in edits]),
            detail=reason or last.message.text,
            importance=Importance.CHANGE,
            places=(last.place,),
            covers=tuple(dict.fromkeys(one.call.unit for one in edits)),
            at=last.message.at,
            fate=last.message.fate,
        )


def _relative(path: str, project: str | None) -> str:
    """Within the project; a file elsewhere keeps its whole path."""
    return path.removeprefix(f"{project.rstrip('/')}/") if project else path


def _amount(edits: list[FileEdit]) -> str:
    """How often, and how many lines, as far as that is known."""
    words = [plural(len(edits), "edit")]
    if all(edit.whole for edit in edits):
        return f"{words[0]}, written as a whole, with {plural(edits[-1].added or 0, 'line')}"
    known = [edit for edit in edits if edit.added is not None]
    if known:
        added, removed = sum(edit.added or 0 for edit in known), sum(edit.removed or 0 for edit in known)
        words.append(f"{'at least ' if len(known) < len(edits) else ''}+{added:,} -{removed:,} lines")
    return ", ".join(words)
