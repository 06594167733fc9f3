"""Reads one session from its rows and files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import datetime

from msgspec.structs import replace

from pollux.errors import Unreadable
from pollux.model import Kind, Link, Message, Notice, Origin, Role, Session, Severity, exactness
from pollux.sources.base import Reading, read_with
from pollux.sources.database import session_snapshot
from pollux.sources.handed_over import with_note
from pollux.sources.offloaded_output import output_at
from pollux.sources.opencode import find
from pollux.sources.opencode.bundle import OpenCodeBundle
from pollux.sources.opencode.fates import with_fates
from pollux.sources.opencode.forks import origin_of
from pollux.sources.opencode.format.schema import SessionInfo
from pollux.sources.opencode.format.tokens import release_of
from pollux.sources.opencode.gaps import gaps
from pollux.sources.opencode.messages.ids import usable
from pollux.sources.opencode.messages.messages import Entry, Setting, entries
from pollux.sources.opencode.witnesses.document import document_rows
from pollux.sources.opencode.witnesses.files import gather_files
from pollux.sources.opencode.witnesses.records import Gathered
from pollux.sources.opencode.witnesses.rows import SHAPE, gather_rows, gather_session
from pollux.system.clock import since_epoch
from pollux.wire import Notes, display_path, tidy

_UNNAMED = re.compile(r"(?:New|Child) session - \d{4}-\d\d-\d\dT[\d:.]+Z?(?: \(fork #\d+\))?\Z")


def read(bundle: OpenCodeBundle) -> Reading:
    """A session; none where nothing was said."""
    return read_with(bundle, _read)


def _read(bundle: OpenCodeBundle) -> tuple[list[Session], tuple[Notice, ...]]:
    notes = Notes()
    gathered = _gather(bundle, notes)
    info = gathered.info or SessionInfo()
    began = usable(info.time.created) if info.time is not None else None
    created = _earliest(gathered) if began is None else began
    setting = Setting(
        session=bundle.id,
        is_child=bool(info.parentID),
        release=release_of(info.version) or ((0, 0, 0) if gathered.old_layout else None),
        created=created,
        fetch=_Outputs(bundle, notes).fetch,
    )
    said = with_fates(entries(gathered, setting, notes), info.revert)
    if not said:
        return [], notes.all()
    told = [entry.message for entry in said]
    arrival = with_note(told)
    if arrival.messages is not told:
        said = [replace(entry, message=message) for entry, message in zip(said, arrival.messages, strict=True)]
    damaged = [*(display_path(path) for path in bundle.damage), *gathered.damaged]
    missing = gaps(said, dated=began is not None, damaged=damaged)
    messages = tuple(arrival.messages)
    project = _project(info, gathered)
    session = Session(
        agent=bundle.agent,
        id=bundle.id,
        kind=Kind.SUBAGENT if info.parentID else Kind.MAIN,
        parent=f"{bundle.agent}:{info.parentID}" if info.parentID else None,
        title=info.title if info.title and not _UNNAMED.match(info.title) else None,
        project=project,
        project_evidence="recorded" if project is not None else None,
        started=since_epoch(created, 1000) or min(_times(messages), default=None),
        ended=max((*_times(messages), *_last_completed(gathered)), default=None),
        messages=messages,
        links=(*_links(bundle, info, said), *arrival.links),
        notices=notes.all(),
        files=tuple(dict.fromkeys(gathered.files)),
        exact=exactness(missing),
        gaps=missing,
        extra=_extra(info, gathered, bundle.id),
    )
    return [session], notes.all()


def _gather(bundle: OpenCodeBundle, notes: Notes) -> Gathered:
    """The records of a session, the best witness first: a database goes on after it took over the files.

    Of several databases the one that changed last is the best. What a damaged one lacks may just be lost.
    """
    gathered = Gathered()
    for path, sentences in bundle.damage.items():
        notes.file, notes.line = display_path(path), None
        for sentence in sentences:
            notes.add("file.damaged", sentence, Severity.ERROR)
    for place in sorted(bundle.rows, key=lambda place: place.rows.changed, reverse=True):
        notes.file = display_path(place.database.path)
        try:
            state = session_snapshot(place.database, SHAPE, bundle.id)
            gather_session(state, bundle.id, place.database.path, gathered, notes)
        except Unreadable as error:
            notes.add("file.unreadable", str(error), Severity.ERROR)
            continue
        gathered.files.append(notes.file)
        if place.database.path not in bundle.damage:
            gathered.settle()
    for file in bundle.documents:
        gathered.files.append(display_path(file.path))
        kept = document_rows(file, notes)
        gather_rows(kept.rows, gathered, notes)
        if kept.damaged:
            gathered.damaged.append(display_path(file.path))
        else:
            gathered.settle()
    old = f"{os.sep}storage{os.sep}session{os.sep}"
    older = [file for file in bundle.records if old in file.path and f"{os.sep}project{os.sep}" in file.path]
    gathered.old_layout = bool(older) and not gathered.messages
    newer = [file for file in bundle.records if file not in older]
    for files in (newer, older):
        if files:
            gather_files(files, gathered, notes)
            gathered.settle()
    return gathered


class _Outputs:
    """Long outputs, which lie in files of their own for a week."""

    def __init__(self, bundle: OpenCodeBundle, notes: Notes) -> None:
        self._bundle = bundle
        self._notes = notes

    def fetch(self, name: str, origin: Origin) -> str | None:
        """The full output in a file of this name, which stands at this place; None if it is gone."""
        self._notes.file, self._notes.line = origin.file, origin.line
        path = os.path.join(self._bundle.root, "tool-output", name)  # noqa: PTH118
        file = self._bundle.outputs.get(name)
        self._bundle.depends_on = {**self._bundle.depends_on, display_path(path): file.stamp if file else ""}
        return output_at(path, self._bundle.root, self._notes) if file is not None else None


def _earliest(gathered: Gathered) -> float | None:
    """When a session began of which the own record does not say it: no message of it is then taken for a copy."""
    times = [usable(record.info.time.created) for record in gathered.messages.values() if record.info.time is not None]
    return min((time for time in times if time is not None), default=None)


def _project(info: SessionInfo, gathered: Gathered) -> str | None:
    """The directory of the session; up to 0.5 only its answers name one."""
    if info.directory:
        return info.directory
    places = (record.info.path for _, record in sorted(gathered.messages.items()))
    return next((place.cwd for place in places if place is not None and place.cwd), None)


def _times(messages: tuple[Message, ...]) -> list[datetime]:
    return [message.at for message in messages if message.at is not None]


def _last_completed(gathered: Gathered) -> Iterator[datetime]:
    """When the last answer was complete, if that is known."""
    infos = [record.info for record in gathered.messages.values()]
    times = [info.time.completed for info in infos if info.time is not None and info.time.completed is not None]
    for time in sorted(times, reverse=True):
        if (at := since_epoch(time, 1000)) is not None:
            yield at
            return


def _links(bundle: OpenCodeBundle, info: SessionInfo, said: list[Entry]) -> Iterator[Link]:
    if info.parentID:
        target = f"{bundle.agent}:{info.parentID}"
        yield Link(kind="subagent_of", target=target, evidence="the session names its parent")
    copied = [entry.message for entry in said if entry.message.inherited and entry.message.role is not Role.SYSTEM]
    if copied and (origin := origin_of(bundle, copied)) is not None:
        evidence = "it has messages of the same time that were written before this session"
        yield Link(kind="forked_from", target=f"{bundle.agent}:{origin}", evidence=evidence)


def _extra(info: SessionInfo, gathered: Gathered, id: str) -> dict[str, object]:
    """What the session's record says beyond the conversation."""
    extra: dict[str, object] = tidy(info)
    for name in ("directory", "title", "parentID"):
        if name not in info.extra and (name != "title" or not _UNNAMED.match(info.title or "")):
            extra.pop(name, None)
    if extra.get("id") == id:
        del extra["id"]
    names = {find.DIFF: "session_diff"}
    for name, value in gathered.side.items():
        if value not in (None, []):
            extra[names.get(name, name)] = value
    return extra
