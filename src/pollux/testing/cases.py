"""The properties as a list of cases, one for each file and property: for `pytest.mark.parametrize`, or a loop."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from pollux.testing.bench import Bench, Failure, bench
from pollux.testing.capabilities import undeclared
from pollux.testing.chooser import Chooser
from pollux.testing.homes import Home, homes
from pollux.testing.isolation import others_served
from pollux.testing.lost_words import nothing_lost
from pollux.testing.odd_values import odd_values
from pollux.testing.subject import Subject
from pollux.testing.truncation import cut_anywhere
from pollux.testing.unknown_keys import planted_keys

SMALL = 8192
SEED = "pollux"
_SHOWN = 12
_FILES = 12
"""So many files of a home are damaged while all others are read."""

_LARGE = 65536

_FILE: dict[str, tuple[Callable[[Bench, Chooser], None], int, int]] = {
    # property, how many places of a larger file are tried, how many bytes make a part of an exhaustive run
    "cut": (cut_anywhere, 40, 8192),
    "odd": (odd_values, 6, 65536),
    "planted": (planted_keys, 8, 65536),
}


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One property of one file, or of a whole home (`file` is empty)."""

    home: Home
    file: str
    name: str
    chooser: Chooser

    def __str__(self) -> str:
        part = f"-{self.chooser.part + 1}of{self.chooser.parts}" if self.chooser.parts > 1 else ""
        return f"{self.name}-{self.home.name}{'-' if self.file else ''}{_short(self.file)}{part}"

    def failures(self) -> list[Failure]:
        """Try the case; an empty list means success."""
        if self.name == "lost":
            return nothing_lost(self.home)
        if self.name == "offers":
            sentences = undeclared(self.home.subject.source)
            return [
                Failure(home=self.home.name, file="", done="asked for", happened=sentence) for sentence in sentences
            ]
        if self.name == "others":
            return others_served(self.home, self.chooser)
        run, chooser = _FILE[self.name][0], self.chooser
        failures: list[Failure] = []
        if self.name == "cut" and not chooser.thorough and len(self.home.family(self.file)) > 1:
            # Every byte with the file alone, and about every eighth with its family.
            with bench(self.home, self.file, alone=True) as here:
                run(here, chooser)
            failures, chooser = here.failures, chooser.fewer(len(here.raw) // 8 + 1)
        with bench(self.home, self.file) as here:
            run(here, chooser)
        return failures + here.failures

    def check(self) -> None:
        """Try the case. Raises AssertionError with the first failures, and the seed that repeats them."""
        failures = self.failures()
        if failures:
            lines = "\n".join(f"  {failure}" for failure in failures[:_SHOWN])
            raise AssertionError(f"{len(failures)} failures (POLLUX_SEED={self.chooser.seed}), the first:\n{lines}")


def cases(
    subject: Subject, folder: Path, *, exhaustive: bool | None = None, seed: str | None = None, small: int = SMALL
) -> list[Case]:
    """Every case of every home in a folder.

    Files up to `small` bytes are tried in every place, larger files in a sample that depends on the seed
    (`POLLUX_SEED`). With `exhaustive` (`POLLUX_EXHAUSTIVE=1`) they are tried in every place, too.
    """
    everywhere = os.environ.get("POLLUX_EXHAUSTIVE", "") not in ("", "0") if exhaustive is None else exhaustive
    chosen_seed = seed or os.environ.get("POLLUX_SEED") or SEED
    return [case for home in homes(subject, folder) for case in _of(home, chosen_seed, small, everywhere=everywhere)]


def _of(home: Home, seed: str, small: int, *, everywhere: bool) -> Iterator[Case]:
    plain = Chooser(seed, thorough=everywhere)
    yield Case(home=home, file="", name="offers", chooser=plain)
    yield Case(home=home, file="", name="lost", chooser=plain)
    yield Case(home=home, file="", name="others", chooser=plain if everywhere else plain.fewer(_FILES))
    for file in home.files:
        size = (home.path / file).stat().st_size
        for name, (_, most, share) in _FILE.items():
            parts = -(-size // share) if everywhere and size > small else 1
            limit = most if size > small and not everywhere else None
            for part in range(parts):
                chooser = Chooser(seed, limit, part, parts, thorough=everywhere and size <= _LARGE)
                yield Case(home=home, file=file, name=name, chooser=chooser)


def _short(file: str) -> str:
    """A path that fits into a test's name: hashes are cut."""
    return "/".join(step[:8] if len(step) == 64 else step for step in Path(file).parts[1:])
