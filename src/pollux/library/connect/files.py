"""The files that are changed: read before, and written as a whole with a copy of what was there."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from pollux.errors import OutputError
from pollux.library.connect.plan import ConnectPlan, Step
from pollux.sources.tool_host import Scope
from pollux.system.clock import now
from pollux.system.files import LARGE, below, make_folders, make_private_folder, read, replacing, usual_mode, write_file
from pollux.system.locks import owner, write_lock
from pollux.system.termination import termination_raises
from pollux.wire import display_path

_NOTHING = "Nothing was written."
_PATIENCE, _STALE, _PAUSE = 5.0, 10.0, 0.05
"""How long (seconds) pollux waits for an agent that writes its settings, and after which time a lock is forgotten."""


def real_place(file: Path, scope: Scope, folder: Path) -> Path:
    """The file that would be written. Raises `OutputError` for a link that leads nowhere, or any link in a project.

    A user may keep settings elsewhere, behind a link. A project may come from a stranger.
    """
    try:
        if scope is Scope.PROJECT:
            below(folder, file.relative_to(folder).as_posix())
            if file.is_symlink():
                raise OutputError(f"{display_path(file)} is a link, which is not followed in a project.", _NOTHING)
            return file
        real = Path(os.path.realpath(file))
        if file.is_symlink() and not real.exists():
            raise OutputError(f"{display_path(file)} is a link to {display_path(real)}, which is missing.", _NOTHING)
    except OSError as error:
        raise OutputError(f"{display_path(file)} cannot be written: {error.strerror}.", _NOTHING) from error
    return real


def content_of(file: Path) -> bytes | None:
    """A file; None if there is none. Raises `OutputError`."""
    try:
        return read(file, LARGE)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise OutputError(f"{display_path(file)} cannot be read: {error.strerror or error}.", _NOTHING) from error


def write(plan: ConnectPlan, copies: Path) -> ConnectPlan:
    """Change every file, or none. Raises `OutputError`, also where a file was changed since the plan was made."""
    done: list[Step] = []
    with termination_raises(), _alone(copies):
        try:
            done.extend(_change(step, copies) for step in plan.changes)  # what was done is in it if one fails
        except BaseException:
            for step in reversed(done):
                with contextlib.suppress(OutputError, OSError):  # the first error is the one to tell
                    _put(replace(step, before=step.after, after=step.before))
            raise
    copied = {step.place: step for step in done}
    return replace(plan, written=True, steps=tuple(copied.get(step.place, step) for step in plan.steps))


@contextlib.contextmanager
def _alone(copies: Path) -> Iterator[None]:
    """One pollux at a time."""
    try:
        make_private_folder(copies)
        lock = copies / ".lock"
        with write_lock(lock, lambda _: None) as right:
            if right is None:
                raise OutputError(f"{owner(lock)} is changing the agents' settings.", f"{_NOTHING} Try again.")
            yield
    except OSError as error:
        raise OutputError(f"{display_path(copies)} cannot be used: {error.strerror or error}.", _NOTHING) from error


def _change(step: Step, copies: Path) -> Step:
    """Change one file, with a copy of it as it was."""
    with _agent_waits(step.lock):
        if content_of(step.place) != step.before:
            step = _planned_again(step)
        if step.before == step.after:  # another pollux did it meanwhile
            return step
        _require_writable(step.place)
        copy = _keep(step, copies) if step.before is not None and not step.own else None
        try:
            _put(step)
        except OSError as error:
            raise OutputError(
                f"{display_path(step.place)} cannot be written: {error.strerror or error}.", _NOTHING
            ) from error
    return replace(step, copy=copy)


def _planned_again(step: Step) -> Step:
    """The same change of a file that was changed meanwhile. Raises `OutputError` where it would not be the same."""
    new = step.again() if step.again is not None else step
    present = content_of(step.place)
    if new.before == present and (new.is_same_as(step) or not new.change.writes):
        return new
    if present == step.after:
        return replace(step, before=present)
    raise OutputError(f"{display_path(step.place)} was changed meanwhile.", f"{_NOTHING} Try the same again.")


def _require_writable(place: Path) -> None:
    """Raise `OutputError` for a file that its owner protects: another could still be put in its place."""
    with contextlib.suppress(FileNotFoundError):
        status = place.stat()
        if not status.st_mode & stat.S_IWUSR or not os.access(place, os.W_OK):
            raise OutputError(f"{display_path(place)} is read-only.", _NOTHING)


def _keep(step: Step, copies: Path) -> Path:
    """Keep a file as it was. Raises `OutputError`."""
    moment = now().strftime("%Y%m%d-%H%M%S")
    name = f"{moment}-{step.agents[0]}-{step.place.name}"
    for number in range(1, 1000):
        copy = copies / (name if number == 1 else f"{name}.{number}")
        try:
            write_file(copy, step.before or b"", over=False, durable=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise OutputError(
                f"{display_path(copy)} cannot be written: {error.strerror or error}.", _NOTHING
            ) from error
        return copy
    raise OutputError(f"{display_path(copies)} has too many copies of one moment.", _NOTHING)


def _put(step: Step) -> None:
    """Put the new file in its place, or take it away."""
    place = step.place
    if step.after is None:
        place.unlink(missing_ok=True)
        for folder in place.parents:
            if folder == step.base or not folder.is_relative_to(step.base):
                break
            try:
                folder.rmdir()
            except OSError:  # something else is in it
                break
        return
    private = step.scope is not Scope.PROJECT
    made = [folder for folder in place.parents if not folder.exists()]
    mode, owned = _rights(place, private=private)
    try:
        make_folders(place.parent, 0o700 if private else 0o777)
        with replacing(place, mode=mode, durable=True) as file:
            file.write(step.after)
    except BaseException:
        for folder in made:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise
    for path in (*made, place):
        _give(path, owned)


def _rights(place: Path, *, private: bool) -> tuple[int, os.stat_result]:
    """The rights of a file, or of a new one; and what has the owner that it should have."""
    try:
        status = place.stat()
    except FileNotFoundError:
        above = next(folder for folder in place.parents if folder.exists())
        return 0o600 if private else usual_mode(), above.stat()
    return stat.S_IMODE(status.st_mode), status


def _give(path: Path, owned: os.stat_result) -> None:
    """Give what root wrote to the user whose file it is."""
    if getattr(os, "geteuid", lambda: 1)() == 0:
        with contextlib.suppress(OSError):
            os.chown(path, owned.st_uid, owned.st_gid, follow_symlinks=False)


@contextlib.contextmanager
def _agent_waits(lock: Path | None) -> Iterator[None]:
    """Take the lock that an agent takes when it writes its settings. Raises `OutputError` if it does not let go."""
    if lock is None or not lock.parent.is_dir():
        yield
        return
    until = time.monotonic() + _PATIENCE
    while not _make(lock):
        with contextlib.suppress(OSError):
            if time.time() - lock.stat().st_mtime > _STALE:
                lock.rmdir()
                continue
        if time.monotonic() > until:
            raise OutputError(f"An agent is writing to {display_path(lock.with_suffix(''))}.", f"{_NOTHING} Try again.")
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            lock.rmdir()


def _make(lock: Path) -> bool:
    try:
        lock.mkdir()
    except FileExistsError:
        return False
    except OSError as error:
        raise OutputError(f"{display_path(lock)} cannot be made: {error.strerror}.", _NOTHING) from error
    return True
