"""Marks from a form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.errors import RequestError
from pollux.library.marks.service import Edit, Target
from pollux.writers.html.messages import message_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pollux.library.library import ListEntry
    from pollux.model import Message, Session

_SWITCHES = {"yes": True, "no": False}


def edit_of(
    entry: ListEntry, fields: Mapping[str, list[str]], read: Callable[[ListEntry], Session]
) -> tuple[Target, Edit]:
    """What a form changes in the marks of a session, or of one of its messages. Raises `RequestError`."""
    given = {name: values[0] for name, values in fields.items()}
    known = {"star", "tag", "untag", "note", "name", "message"}
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
    named = given.get("message", "").strip()
    if "message" in given and not named:
        raise RequestError("Which message?", "Its id belongs into the form: Details shows the ids.")
    return Target(entry.summary.key, _message(read(entry), named) if named else None), edit


def _message(session: Session, named: str) -> Message:
    """A message by its anchor in the page, its id, or the beginning of its id. Raises `RequestError`."""
    named = named.removeprefix("#")
    by_name = dict(zip(message_names(session.messages), session.messages, strict=True))
    if named in by_name:
        return by_name[named]
    found = [one for one in session.messages if one.id == named] or [
        one for one in session.messages if one.id.startswith(named)
    ]
    if len(found) != 1:
        many = "No message" if not found else "More than one message"
        raise RequestError(f"{many} of this session has an id like {named[:40]!r}.", "Details shows the ids.")
    return found[0]
