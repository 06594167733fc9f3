"""Appends records to the archive, and updates the index."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pollux.archive.packs import SUFFIX, Content, PackWriter, Record, State, begin, recognise, scan
from pollux.archive.survey import active_packs
from pollux.system.files import fsync_folder, opened

if TYPE_CHECKING:
    from pollux.archive.archive import Archive

LARGEST_PACK = 1 << 30
_SETTLE = 1 << 26


class Appender:
    """Appends to the last pack, and keeps the index in step."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._writer = self._opened()
        self._unsettled = 0

    def _opened(self) -> PackWriter:
        """A writer at the end of the last pack, or of a new one if that is full or damaged."""
        packs = active_packs(self._archive.folder)
        last = max((path for path in packs if path.stem.isdecimal()), key=lambda path: int(path.stem), default=None)
        if last is None or packs[last] > LARGEST_PACK or not self._is_whole(last):
            path = self._archive.folder / f"{self._archive.index.next_number():06}{SUFFIX}"
            begin(path)
            fsync_folder(path.parent)
            return PackWriter(path)
        writer = PackWriter(last)
        place = self._archive.index.reach(last.name)
        with opened(last) as file:
            for item in scan(file, place):
                place = item.end if isinstance(item, Record) or not item.torn else item.offset
        writer.cut(place)
        return writer

    def _is_whole(self, path: Path) -> bool:
        """Can a pack be appended to? A pack with missing bytes is not, because it may be repaired."""
        with opened(path) as file:
            return recognise(file, path) and path.name not in self._archive.index.gaps()

    def write(self, head: Content | State, payload: bytes = b"") -> None:
        """Append a record."""
        if self._writer.end > LARGEST_PACK:
            self.close()
            self._writer = self._opened()
        record = self._writer.write(head, payload)
        self._archive.index.gather()
        self._archive.index.add(self._writer.path.name, record)
        self._archive.index.reached(self._writer.path.name, record.end)
        self._unsettled += record.length
        if self._unsettled > _SETTLE:
            self._writer.settle()
            self._unsettled = 0

    def close(self) -> None:
        """Write everything to the disk."""
        self._archive.index.settle()
        self._writer.settle()
        self._writer.close()
        self._archive.index.settle_ends()
