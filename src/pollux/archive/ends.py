"""Where packs end and once ended, and what is known to have stood in between: what is lost."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from pollux.archive.extents import Extents
from pollux.archive.packs import MAGIC, SUFFIX, State


class Ends:
    """The part of an index that tells of losses. `replaced` are packs in whose place others stand."""

    _sql: sqlite3.Connection

    def __init__(self, packs: Path) -> None:
        self._extents = Extents(packs)
        self._promised: dict[str, int] = {}
        self.replaced: frozenset[str] = frozenset()

    def _scanned(self) -> dict[str, int]:
        return dict(self._sql.execute("SELECT name, scanned FROM packs").fetchall())

    def reach(self, name: str) -> int:
        """Up to which place a pack is known."""
        row = self._sql.execute("SELECT scanned FROM packs WHERE name=?", (name,)).fetchone()
        return int(row[0]) if row else len(MAGIC)

    def damaged(self) -> int:
        """How many stretches of the packs are no records."""
        return int(self._sql.execute("SELECT COALESCE(SUM(damaged), 0) FROM packs").fetchone()[0])

    def _ends(self) -> dict[str, int]:
        """Where each pack once ended. Where nobody wrote that down, the index may know."""
        ends = self._promised or self._known_ends()
        return {name: end for name, end in ends.items() if name not in self.replaced}

    def _known_ends(self) -> dict[str, int]:
        """Where packs ended of which something is missing, as the index knew them."""
        return dict(self._sql.execute("SELECT name, reach FROM short").fetchall())

    def gaps(self) -> dict[str, int]:
        """How many bytes are missing at the end of packs, by name."""
        return {name: end - reach for name, end in self._ends().items() if end > (reach := self.reach(name))}

    def drop_replaced(self) -> None:
        """Forget the ends of packs that others replace: those may be replaced next, and tell of it no more."""
        if self.replaced & self._promised.keys():
            self._promised = self._ends()
            self._extents.write(self._promised)

    def settle_ends(self) -> None:
        """Write down where packs end, for those who come later. A gap stays one, unless all of it is kept again."""
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
        """Is it known what stood in the gaps, and is all of that kept again?"""
        known, ends, gaps = self._known_ends(), self._ends(), self.gaps()
        return bool(gaps) and all(known.get(name, 0) >= ends[name] for name in gaps) and not self.lost()

    def next_number(self) -> int:
        """A number that no pack has or had."""
        names = [*self._scanned(), *self._ends(), *self.replaced]
        return 1 + max((int(stem) for name in names if (stem := name.removesuffix(SUFFIX)).isdecimal()), default=0)

    def lost(self) -> list[State]:
        """States that were known, and whose files are kept nowhere as they were then."""
        asked = (
            "SELECT * FROM lost l WHERE NOT EXISTS (SELECT 1 FROM states s JOIN files f ON f.id=s.file WHERE "
            "f.agent=l.agent AND f.home=l.home AND f.path=l.path AND s.sha=l.sha) ORDER BY agent, home, path, at"
        )
        return [state_of(row) for row in self._sql.execute(asked)]

    def _note_losses(self, before: dict[str, int]) -> None:
        """All packs were gone through. Where they are whole, what is missing was never promised."""
        short = [(name, reach) for name, reach in before.items() if reach > self.reach(name)]
        self._sql.executemany(
            "INSERT INTO short VALUES(?, ?) ON CONFLICT DO UPDATE SET reach=MAX(reach, excluded.reach)", short
        )
        if not self.gaps() and not self.damaged():
            self._sql.execute("DELETE FROM lost")
            self._sql.execute("DELETE FROM short")


def state_of(row: tuple[Any, ...]) -> State:
    """A state as a row tells it."""
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
