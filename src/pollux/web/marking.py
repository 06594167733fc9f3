"""Marks from a form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.errors import RequestError
from pollux.library.marks.service import Edit, Target

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pollux.library.library import ListEntry

_SWITCHES = {"yes": True, "no": False}


def edit_of(entry: ListEntry, fields: Mapping[str, list[str]]) -> tuple[Target, Edit]:
    """What a form changes in a session's marks. Raises `RequestError` where it makes no sense."""
    given = {name: values[0] for name, values in fields.items()}
    known = {"star", "tag", "untag", "note", "name"}
    if unknown := sorted(given.keys() - known):
        raise RequestError(f"The form has a field {unknown[0][:40]!r}, which is no mark.")
    star = given.get("star")
    if star is not None and star not in _SWITCHES:
        raise RequestError(f"star cannot be {star[:40]!r}.", "It is yes or no.")
    tags = dict.fromkeys(given.get("tag", "").replace(",", " ").split(), True)
    tags |= dict.fromkeys(given.get("untag", "").split(), False)
    note = given.get("note")
    edit = Edit(
        starred=_SWITCHES[star] if star is not None else None,
        tags=tags,
        note=note.replace("\r\n", "\n") if note is not None else None,
        name=given.get("name"),
    )
    return Target(entry.summary.key), edit
