"""Notices that packs are shorter than they were: their tails are lost."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from pollux.archive.pack_lengths import PackLengths
from pollux.archive.packs import MAGIC, SUFFIX, ReplacedPack, State


class LostTails:
    """The part of an index that reports losses.

    `taken` maps the name of a replaced pack to what was taken from it; `spare` are replaced packs that still exist.
    """

    _sql: sqlite3.Connection

    def __init__(self, packs: Path) -> None:
        self._extents = PackLengths(packs)
        self._promised: dict[str, int] = {}
        self.taken: dict[str, ReplacedPack] = {}
        self.spare: frozenset[str] = frozenset()

    def _scanned(self) -> dict[str, int]:
        return dict(self._sql.execute("SELECT name, scanned FROM packs").fetchall())

    def reach(self, name: str) -> int:
        """The position up to which a pack was read, or was taken over."""
        row = self._sql.execute("SELECT scanned FROM packs WHERE name=?", (name,)).fetchone()
        if row is None:
            return self.taken[name].reach if name in self.taken else len(MAGIC)
        return int(row[0])

    def damages(self) -> dict[str, int]:
        """The number of unreadable stretches of each pack. A replaced pack keeps them until it is put back."""
        counts = dict(self._sql.execute("SELECT name, damaged FROM packs WHERE damaged").fetchall())
        reaches = self._scanned()
        for name, pack in self.taken.items():
            if reaches.get(name, 0) < pack.hole:
                counts[name] = counts.get(name, 0) + pack.damaged
        return counts

    def damaged(self) -> int:
        """The number of unreadable stretches of all packs."""
        return sum(self.damages().values())

    def _ends(self) -> dict[str, int]:
        """The last known end of each active or missing pack; from the index if there is no note."""
        ends, reaches = self._promised or self._known_ends(), self._scanned()
        return {name: end for name, end in ends.items() if name in reaches or end > self.reach(name)}

    def _known_ends(self) -> dict[str, int]:
        """The ends of the packs that are shorter now, from the index."""
        return dict(self._sql.execute("SELECT name, reach FROM short").fetchall())

    def learn_end(self, name: str, end: int) -> None:
        """Note that all records of a pack up to its end are known."""
        self._sql.execute(
            "INSERT INTO short VALUES(?, ?) ON CONFLICT DO UPDATE SET reach=MAX(reach, excluded.reach)", (name, end)
        )

    def gaps(self) -> dict[str, int]:
        """How many bytes are missing at the end of packs, by name."""
        return {name: end - reach for name, end in self._ends().items() if end > (reach := self.reach(name))}

    def drop_replaced(self) -> None:
        """Forget the ends of replaced packs: once their replacements are replaced too, no record names them."""
        if self._promised and (ends := self._ends()) != self._promised:
            self._promised = ends
            self._extents.write(self._promised)

    def settle_ends(self) -> None:
        """Write down where packs end, for later runs. A gap stays, unless everything in it is archived again."""
        reaches = self._scanned()
        ends = {name: max(end, reaches.get(name, 0)) for name, end in {**reaches, **self._ends()}.items()}
        self._settle_at(reaches if self._gaps_are_filled() else ends)

    def _settle_at(self, ends: dict[str, int]) -> None:
        if ends != self._promised:
            self._extents.write(ends)
            self._promised = ends
        if not self.gaps() and not self.damaged():
            self._sql.execute("DELETE FROM lost")
            self._sql.execute("DELETE FROM short")

    def _gaps_are_filled(self) -> bool:
        """Are the lost states known, and archived again?"""
        known_ends, ends, gaps = self._known_ends(), self._ends(), self.gaps()
        return bool(gaps) and all(known_ends.get(name, 0) >= ends[name] for name in gaps) and not self.lost()

    def next_number(self) -> int:
        """A number that no pack has or had."""
        names = [*self._scanned(), *self._ends(), *self.taken]
        return 1 + max((int(stem) for name in names if (stem := name.removesuffix(SUFFIX)).isdecimal()), default=0)

    def lost(self) -> list[State]:
        """Known states whose content the archive no longer has for the same file."""
        query = (
            "SELECT * FROM lost l WHERE NOT EXISTS (SELECT 1 FROM states s JOIN files f ON f.id=s.file WHERE "
            "f.agent=l.agent AND f.home=l.home AND f.path=l.path AND s.sha=l.sha) ORDER BY agent, home, path, at"
        )
        return [state_of(row) for row in self._sql.execute(query)]

    def _note_losses(self, before: dict[str, int]) -> None:
        """Note the losses, after all packs were read. If all packs are complete, nothing was lost."""
        for name, reach in before.items():
            if reach > self.reach(name):
                self.learn_end(name, reach)
        if not self.gaps() and not self.damaged():
            self._sql.execute("DELETE FROM lost")
            self._sql.execute("DELETE FROM short")


def state_of(row: tuple[Any, ...]) -> State:
    """The state in a row."""
    agent, home, path, at, change, sha, size, mtime_ns, mode, taken = row
    return State(
        agent=agent,
        home=home,
        path=path,
        at=at,
        change=change,
        sha=sha or None,
        size=size,
        mtime_ns=mtime_ns,
        mode=mode,
        taken=bool(taken),
    )
