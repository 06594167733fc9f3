"""Writing to the archive: records go behind the last one, and the index hears of each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pollux.archive.packs import SUFFIX, Content, PackWriter, Record, State, begin, recognise, scan
from pollux.archive.survey import standing
from pollux.system.files import fsync_folder, opened

if TYPE_CHECKING:
    from pollux.archive.keep import Archive

LARGEST_PACK = 1 << 30
_SETTLE = 1 << 26


class Appender:
    """Appends to the last pack, and keeps the index in step."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._pen = self._taken()
        self._unsettled = 0

    def _taken(self) -> PackWriter:
        packs = standing(self._archive.folder)
        last = max((path for path in packs if path.stem.isdecimal()), key=lambda path: int(path.stem), default=None)
        if last is None or packs[last] > LARGEST_PACK or not self._is_whole(last):
            path = self._archive.folder / f"{self._archive.index.next_number():06}{SUFFIX}"
            begin(path)
            fsync_folder(path.parent)
            return PackWriter(path)
        pen = PackWriter(last)
        place = self._archive.index.reach(last.name)
        with opened(last) as file:
            for found in scan(file, place):
                place = found.end if isinstance(found, Record) or not found.torn else found.offset
        pen.cut(place)
        return pen

    def _is_whole(self, path: Path) -> bool:
        """Can a pack be appended to? One of which something is missing is left as it is: somebody may mend it."""
        with opened(path) as file:
            return recognise(file, path) and path.name not in self._archive.index.gaps()

    def write(self, head: Content | State, payload: bytes = b"") -> None:
        """Append a record."""
        if self._pen.end > LARGEST_PACK:
            self.close()
            self._pen = self._taken()
        record = self._pen.write(head, payload)
        self._archive.index.gather()
        self._archive.index.add(self._pen.path.name, record)
        self._archive.index.reached(self._pen.path.name, record.end)
        self._unsettled += record.length
        if self._unsettled > _SETTLE:
            self._pen.settle()
            self._unsettled = 0

    def close(self) -> None:
        """Everything is on the disk."""
        self._archive.index.settle()
        self._pen.settle()
        self._pen.close()
        self._archive.index.settle_ends()
