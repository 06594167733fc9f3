"""A folder of transcripts that is written again and again.

What has not changed is not touched, so that a repository of transcripts has small differences. What pollux did not
write, or somebody changed since, is never overwritten. A record in the folder tells what is ours: of each file which
sessions it holds and how it read. It is written to before a file is put in its place, so that no crash makes a file
of ours look like somebody else's.

The folder may come from a stranger, with a record and with links in it. A file is ours where the record names it, it
lies in the folder and reads as the record says. Nothing is written, read or taken away through a link.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Annotated, Self

import msgspec

from pollux.errors import OutputError
from pollux.export.drafts import drafts
from pollux.model import Value
from pollux.system.files import LARGE, append, below, count_names, make_folders, opened, read, usual_mode
from pollux.system.target import encoded, failed, protect, replaced

RECORD = ".pollux.jsonl"


class Held(Value, frozen=True, kw_only=True):
    """A file of ours: the format it is in, the sessions it holds, what it reads."""

    file: str
    to: str
    keys: tuple[str, ...]
    hash: Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{32}\Z")]


class Folder:
    """Where an export goes. Used as a context: what is unfinished when it ends was never there."""

    def __init__(self, path: str, *, forbidden: Iterable[Path], force: bool = False) -> None:
        self.path = Path(path)
        self._force = force
        self._forbidden = list(forbidden)
        protect(self.path, self._forbidden)
        self._open = contextlib.ExitStack()
        try:
            make_folders(self.path)
        except FileExistsError:
            raise OutputError(f"{self.path} is a file, and several sessions need a folder.") from None
        except OSError as error:
            raise failed(self.path, error) from error
        self._held: dict[str, Held] = {}
        self._ours: dict[str, set[str]] = {}
        self._read()
        self._mend()

    def __enter__(self) -> Self:
        try:
            self._drafts = self._open.enter_context(drafts(self.path))
        except OSError as error:
            raise failed(self.path, error) from error
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()

    def held(self, to: str) -> Mapping[str, Held]:
        """The files of ours in a format, by name, as they were when the folder was opened."""
        return {name: held for name, held in self._held.items() if held.to == to}

    @contextlib.contextmanager
    def draft(self) -> Iterator[Draft]:
        """A file in the making."""
        try:
            handle, name = tempfile.mkstemp(dir=self._drafts)
            with os.fdopen(handle, "wb") as out:
                draft = Draft(Path(name), out)
                yield draft
        except OSError as error:
            raise failed(self.path, error) from error

    def is_free(self, name: str, draft: Draft) -> bool:
        """May a draft go there: is there nothing, something of ours, or just what it says?"""
        if self._force:
            return True
        try:
            now = _hash(below(self.path, name))
        except OSError as error:
            raise failed(self.path / name, error) from error
        return now in (None, draft.hash) or now in self._ours.get(name, ())

    def keep(self, draft: Draft, name: str, to: str, keys: tuple[str, ...]) -> bool:
        """Put a draft in its place, where it says something new; False where a file there is not ours to change."""
        if not self.is_free(name, draft):
            return False
        held = Held(file=name, to=to, keys=keys, hash=draft.hash)
        try:
            place = below(self.path, name)
            protect(place, self._forbidden)
            now = _hash(place)
            if now != held.hash or self._held.get(name) != held:
                self._note(held)
            if now != held.hash:
                make_folders(place.parent)
                draft.path.chmod(usual_mode())
                draft.path.replace(place)
        except OSError as error:
            raise failed(self.path / name, error) from error
        return True

    def remove(self, name: str) -> None:
        """Take away a file of ours whose sessions are elsewhere now, unless somebody changed it."""
        try:
            place = below(self.path, name)
            protect(place, self._forbidden)
            if _hash(place) in self._ours.get(name, ()):
                place.unlink()
                with contextlib.suppress(OSError):  # where nothing else is in it
                    place.parent.rmdir() if place.parent != self.path else None
        except OSError as error:
            raise failed(self.path / name, error) from error

    def close(self) -> None:
        """Write the record anew, one line a file that is there."""
        self._read()
        try:
            there = [held for name, held in sorted(self._held.items()) if _is_there(self.path / name)]
        except OSError as error:
            raise failed(self.path, error) from error
        lines = b"".join(msgspec.json.encode(held) + b"\n" for held in there)
        if self._record() != lines:
            self._write(lines)

    def _note(self, held: Held) -> None:
        append(self.path / RECORD, msgspec.json.encode(held) + b"\n")

    def _mend(self) -> None:
        """Make the record one to add to: its last line whole, and the file no other's, as after a copy by links."""
        lines = self._record() or b""
        torn = lines != b"" and not lines.endswith(b"\n")
        if torn or count_names(self.path / RECORD) > 1:
            self._write(lines + b"\n")

    def _write(self, lines: bytes) -> None:
        place = self.path / RECORD
        try:
            with replaced(place) as write:
                write(lines)
        except OSError as error:
            raise failed(place, error) from error

    def _record(self) -> bytes | None:
        place = self.path / RECORD
        try:
            return read(place, LARGE) if count_names(place) else None
        except OSError as error:
            raise failed(place, error) from error

    def _read(self) -> None:
        """What the record says. The last word about a file holds, but it may still read as it did before."""
        for line in (self._record() or b"").splitlines():
            # What cannot be understood, as after a crash, says nothing is ours: then nothing is overwritten.
            with contextlib.suppress(msgspec.DecodeError, UnicodeError, OSError):
                held = msgspec.json.decode(line, type=Held)
                below(self.path, held.file)
                self._held[held.file] = held
                self._ours.setdefault(held.file, set()).add(held.hash)


class Draft:
    """Takes text or bytes, and knows what it reads so far."""

    def __init__(self, path: Path, out: IO[bytes]) -> None:
        self.path = path
        self._out = out
        self.size = 0
        self._digest = hashlib.blake2b(digest_size=16)

    def write(self, piece: str | bytes) -> None:
        """Add to it."""
        data = encoded(piece)
        self.size += len(data)
        self._digest.update(data)
        self._out.write(data)

    def mark(self) -> Callable[[], None]:
        """Remember this place; the answer goes back to it."""
        size, digest = self.size, self._digest.copy()

        def back() -> None:
            self._out.seek(size)
            self._out.truncate()
            self.size, self._digest = size, digest

        return back

    @property
    def hash(self) -> str:
        """What tells it from another text."""
        return self._digest.hexdigest()


_OTHER = "no regular file"
"""What a link or a folder reads: nothing that a file could."""


def _is_there(place: Path) -> bool:
    """Does something have this name? Raises `OSError` where the system does not tell: then it is not taken for gone."""
    try:
        place.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return False
        raise
    return True


def _hash(place: Path) -> str | None:
    """What a file reads, None where there is none."""
    if not _is_there(place):
        return None
    if os.path.islink(place) or not os.path.isfile(place):  # noqa: PTH113, PTH114
        return _OTHER
    with opened(place) as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
