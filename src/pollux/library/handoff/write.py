"""Writes a planned hand-over: all of it or nothing, with a record of it."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from pollux.archive import restore
from pollux.archive.restore import FileToWrite
from pollux.errors import OutputError, PolluxError
from pollux.library.handoff.plan import HandoffPlan
from pollux.library.handoff.record import HandedOver, HandoffRecord, Step, WrittenFile, folders_to_make
from pollux.library.handoff.undo import take_back
from pollux.sources.handoff_place import AppendedLine
from pollux.system.files import append, opened
from pollux.system.termination import termination_raises
from pollux.wire import display_path


def write(plan: HandoffPlan, record: HandoffRecord) -> None:
    """Write the files of a plan. The record comes first, so that whatever is written can be found and undone.

    Raises `OutputError` and `StoreError`.
    """
    require_new(plan.contents[0][1].place)
    new = [file for restored, file in plan.contents if restored.missing]
    folders = folders_to_make(file.place for file in new)
    entry = _entry(plan, new, folders)
    with termination_raises():
        record.add(entry)
        try:
            restore.write(plan.contents)
            _give_to_owner(folders, [file.place for file in new])
            if plan.appended is not None:
                _append(plan.appended)
        except BaseException:
            for undo in (take_back, record.remove):
                with contextlib.suppress(PolluxError):  # the first error is the one to tell
                    undo(entry)
            raise


def require_new(file: Path) -> None:
    """Raise `OutputError` where a file exists."""
    if os.path.lexists(file):
        raise OutputError(f"{display_path(file)} exists already.", "Nothing was written. Try the same again.")


def _entry(plan: HandoffPlan, new: Iterable[FileToWrite], folders: Iterable[Path]) -> HandedOver:
    """The record of a plan."""
    files = [WrittenFile(path=os.fsencode(file.place), sha256=file.sha, beside=file.beside) for file in new]
    if (line := plan.appended) is not None:
        digest = hashlib.sha256(line.line).hexdigest()
        files.append(WrittenFile(path=os.fsencode(line.path), sha256=digest, appended=True))
    return HandedOver(
        step=Step.WRITTEN,
        id=plan.id,
        at=plan.at,
        origin=plan.origin,
        agent=plan.agent,
        key=plan.key,
        files=tuple(files),
        folders=tuple(map(os.fsencode, folders)),
    )


def _append(line: AppendedLine) -> None:
    """Add a line to a file, by one write: another program may add one at the same time. Raises `OutputError`."""
    try:
        is_new = not os.path.lexists(line.path)
        append(line.path, line.line if is_new or _ends_with_newline(line.path) else b"\n" + line.line)
        if is_new:
            line.path.chmod(0o600)
            _give_to_owner((), [line.path])
    except OSError as error:
        raise OutputError(f"{display_path(line.path)} cannot be written: {error.strerror or error}.") from error


def _ends_with_newline(path: Path) -> bool:
    with opened(path, buffer=0) as file:
        size = file.seek(0, os.SEEK_END)
        if not size:
            return True
        file.seek(size - 1)
        return file.read(1) == b"\n"


def _give_to_owner(folders: Iterable[Path], files: Iterable[Path]) -> None:
    """Give what root wrote to the owner of the folder around it: the agent of that user must be able to write there."""
    if getattr(os, "geteuid", lambda: 1)() != 0:
        return
    for place in (*reversed(list(folders)), *files):
        with contextlib.suppress(OSError):
            above = place.parent.stat()
            os.chown(place, above.st_uid, above.st_gid, follow_symlinks=False)
