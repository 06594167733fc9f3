"""A folder of transcripts that is written again and again.

A file that has not changed is not touched, so that a repository of transcripts has small differences. A file that
pollux did not write, or that somebody changed since, is never overwritten. A record in the folder says which files are
ours: the sessions that each holds, and the hash of its content. The record is written before a file gets its name, so
that no crash makes a file of ours look like somebody else's.

The folder may come from a stranger, with a record and with links in it. A file is ours if the record names it, it lies
in the folder, and its content has the hash of the record. Nothing is written, read or deleted through a link.
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
from pollux.system.decoders import json_decoder
from pollux.system.files import LARGE, append, below, count_names, make_folders, opened, read, usual_mode
from pollux.system.output_file import new_file, protect, to_bytes, write_error

RECORD = ".pollux.jsonl"


class RecordedFile(Value, frozen=True, kw_only=True):
    """A file of ours as the record has it: its format, the sessions that it holds, the hash of its content."""

    file: str
    to: str
    keys: tuple[str, ...]
    hash: Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{32}\Z")]


class Folder:
    """The folder of an export. It is a context manager: at the end, nothing unfinished is left."""

    def __init__(self, path: str, *, forbidden: Iterable[Path], force: bool = False) -> None:
        self.path = Path(path)
        self._force = force
        self._forbidden = list(forbidden)
        protect(self.path, self._forbidden)
        self._open = contextlib.ExitStack()
        try:
            make_folders(self.path)
        except NotADirectoryError as error:
            raise OutputError(f"{error.filename} is a file, and several sessions need a folder.") from None
        except OSError as error:
            raise write_error(self.path, error) from error
        self._files: dict[str, RecordedFile] = {}
        self._hashes: dict[str, set[str]] = {}
        self._read()
        self._mend()

    def __enter__(self) -> Self:
        try:
            self._drafts = self._open.enter_context(drafts(self.path))
        except OSError as error:
            raise write_error(self.path, error) from error
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()

    def files(self, to: str) -> Mapping[str, RecordedFile]:
        """The files of ours in a format, by name, as they were when the folder was opened."""
        return {name: file for name, file in self._files.items() if file.to == to}

    @contextlib.contextmanager
    def draft(self) -> Iterator[Draft]:
        """A file that is being written."""
        try:
            handle, name = tempfile.mkstemp(dir=self._drafts)
            with os.fdopen(handle, "wb") as out:
                draft = Draft(Path(name), out)
                yield draft
        except OSError as error:
            raise write_error(self.path, error) from error

    def is_free(self, name: str, draft: Draft) -> bool:
        """May a draft get this name? Yes, if nothing has it, or a file of ours, or a file with the same content."""
        if self._force:
            return True
        try:
            now = _hash(below(self.path, name))
        except OSError as error:
            raise write_error(self.path / name, error) from error
        return now in (None, draft.hash) or now in self._hashes.get(name, ())

    def keep(self, draft: Draft, name: str, to: str, keys: tuple[str, ...]) -> bool:
        """Move a draft to its place, if its content is new. Returns False where a file there is not ours to change."""
        if not self.is_free(name, draft):
            return False
        file = RecordedFile(file=name, to=to, keys=keys, hash=draft.hash)
        try:
            place = below(self.path, name)
            protect(place, self._forbidden)
            now = _hash(place)
            if now != file.hash or self._files.get(name) != file:
                self._note(file)
            if now != file.hash:
                make_folders(place.parent)
                draft.path.chmod(usual_mode())
                draft.path.replace(place)
        except OSError as error:
            raise write_error(self.path / name, error) from error
        return True

    def remove(self, name: str) -> None:
        """Delete a file of ours whose sessions are elsewhere now, unless somebody changed it."""
        try:
            place = below(self.path, name)
            protect(place, self._forbidden)
            if _hash(place) in self._hashes.get(name, ()):
                place.unlink()
                with contextlib.suppress(OSError):  # only an empty folder can go
                    place.parent.rmdir() if place.parent != self.path else None
        except OSError as error:
            raise write_error(self.path / name, error) from error

    def close(self) -> None:
        """Write the record anew, with one line for each file that exists."""
        self._read()
        try:
            files = [file for name, file in sorted(self._files.items()) if _exists(self.path / name)]
        except OSError as error:
            raise write_error(self.path, error) from error
        lines = b"".join(msgspec.json.encode(file) + b"\n" for file in files)
        if self._record() != lines:
            self._write(lines)

    def _note(self, file: RecordedFile) -> None:
        append(self.path / RECORD, msgspec.json.encode(file) + b"\n")

    def _mend(self) -> None:
        """Make sure that lines can be added: the last line must be whole, and the file must not be a hard link."""
        lines = self._record() or b""
        torn = lines != b"" and not lines.endswith(b"\n")
        if torn or count_names(self.path / RECORD) > 1:
            self._write(lines + b"\n")

    def _write(self, lines: bytes) -> None:
        place = self.path / RECORD
        try:
            with new_file(place) as write:
                write(lines)
        except OSError as error:
            raise write_error(place, error) from error

    def _record(self) -> bytes | None:
        place = self.path / RECORD
        try:
            return read(place, LARGE) if count_names(place) else None
        except OSError as error:
            raise write_error(place, error) from error

    def _read(self) -> None:
        """Read the record. The last line about a file counts, but the file may still have an earlier content."""
        for line in (self._record() or b"").splitlines():
            # A line that makes no sense, as after a crash, makes no file ours: then nothing is overwritten.
            with contextlib.suppress(msgspec.DecodeError, UnicodeError, OSError):
                file = json_decoder(RecordedFile).decode(line)
                below(self.path, file.file)
                self._files[file.file] = file
                self._hashes.setdefault(file.file, set()).add(file.hash)


class Draft:
    """A file that is being written. It knows its size and its hash so far."""

    def __init__(self, path: Path, out: IO[bytes]) -> None:
        self.path = path
        self._out = out
        self.size = 0
        self._digest = hashlib.blake2b(digest_size=16)

    def write(self, piece: str | bytes) -> None:
        """Add text or bytes."""
        data = to_bytes(piece)
        self.size += len(data)
        self._digest.update(data)
        self._out.write(data)

    def mark(self) -> Callable[[], None]:
        """Mark the present position. Calling the result returns to it."""
        size, digest = self.size, self._digest.copy()

        def back() -> None:
            self._out.seek(size)
            self._out.truncate()
            self.size, self._digest = size, digest

        return back

    @property
    def hash(self) -> str:
        """The hash of its content."""
        return self._digest.hexdigest()


_OTHER = "no regular file"
"""The hash of a link or a folder: no file can have it."""


def _exists(place: Path) -> bool:
    """Does something have this name? Raises `OSError` if the system does not say: then nothing counts as gone."""
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
    """The hash of a file's content; None where there is no file."""
    if not _exists(place):
        return None
    if os.path.islink(place) or not os.path.isfile(place):  # noqa: PTH113, PTH114
        return _OTHER
    with opened(place) as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
