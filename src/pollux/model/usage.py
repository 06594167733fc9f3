"""Tokens used, in one meaning for every agent."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from pollux.model.base import NOTHING, Extra, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


class Figures(Value, frozen=True, kw_only=True):
    """Tokens as the contract counts them. None is 'not recorded', never zero.

    `input` is every prompt token, `cached` and `cache_write` are parts of it; `output` is every generated token,
    `reasoning` is part of it. `cache_write_long` is the part of `cache_write` that is kept for an hour, which costs
    more.
    """

    input: int | None = None
    cached: int | None = None
    cache_write: int | None = None
    cache_write_long: int | None = None
    output: int | None = None
    reasoning: int | None = None
    requests: int | None = None

    @property
    def total(self) -> int | None:
        """All tokens, read and written."""
        return None if self.input is None or self.output is None else self.input + self.output

    @property
    def known(self) -> int | None:
        """The known part of the total: only one half of it where the other was not recorded."""
        return _sum((self.input, self.output))


FIGURES: tuple[str, ...] = Figures.__struct_fields__
"""The names of the figures. They are declared above and nowhere else."""

values: Callable[[Figures], tuple[int | None, ...]] = attrgetter(*FIGURES)
"""The figures of a request or of several, in the order of `FIGURES`."""

UNKNOWN = values(Figures())
"""The figures where none was recorded."""


def by_name(figures: Iterable[int | None]) -> dict[str, Any]:
    """Such values, each under its name."""
    return dict(zip(FIGURES, figures, strict=True))


class Usage(Figures, frozen=True, kw_only=True):
    """What a request used, or several.

    `exact` is False where the files are known to hold less than was used, None where that cannot be known. `native`
    keeps the vendor's own figures. `line`, `file` and `row` are where the figures stand, where that is not the
    message's own place. `each` holds the requests that were added up, where there were several: what a request costs
    depends on its own size.
    """

    exact: bool | None = None
    native: Extra = NOTHING
    line: int | None = None
    file: str | None = None
    row: str | None = None
    each: tuple[Usage, ...] = ()


class Total:
    """A sum of figures that grows. A figure that was never recorded stays None."""

    __slots__ = ("values",)

    def __init__(self, figures: Iterable[int | None] = UNKNOWN) -> None:
        self.values = list(figures)
        """The sums, in the order of `FIGURES`."""

    def add(self, figures: Iterable[int | None]) -> None:
        """Add the `values` of a request, or of several."""
        sums = self.values
        for index, figure in enumerate(figures):
            if figure is not None:
                before = sums[index]
                sums[index] = figure if before is None else before + figure

    @property
    def figures(self) -> Figures:
        """The sums by their names."""
        return Figures(**by_name(self.values))

    def usage(self, *, exact: bool | None) -> Usage:
        """The sums as usage."""
        return Usage(**by_name(self.values), exact=exact)


def add(usages: Iterable[Usage], *, exact: bool | None) -> Usage:
    """The sum of all usages. A figure that was never recorded stays None."""
    sums = [_sum(figures) for figures in zip(*map(values, usages), strict=True)]
    return Usage(**by_name(sums or UNKNOWN), exact=exact)


NOTHING_USED = Usage(input=0, cached=0, output=0, requests=0, exact=True)
"""The figures of a session that certainly paid for no request."""


def combine_exact(exactness: Iterable[bool | None]) -> bool | None:
    """The exactness of a sum: True where all are, False where one is too low, else None."""
    distinct = set(exactness)
    return False if False in distinct else None if None in distinct else True


def _sum(figures: Sequence[int | None]) -> int | None:
    known = [figure for figure in figures if figure is not None] if None in figures else figures
    return sum(known) if known else None  # type: ignore[arg-type] # none of them is None
