"""What a page shows, as its screen asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pollux.text.shell import shell_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pollux.draw.canvas import Canvas
    from pollux.library.library import Filter, Library

PERIODS = {"day": "1d", "week": "7d", "month": "30d", "year": "365d", "all": ""}
"""The periods, and what `--since` has to be for them."""


class Choice(NamedTuple):
    """What was chosen on a page: the period, and what its figures are divided or measured by."""

    period: str = "month"
    by: str = ""

    def criteria(self) -> Filter:
        """The sessions of the period."""
        from pollux.library.library import Filter
        from pollux.system.clock import parse

        since = PERIODS[self.period]
        return Filter(everything=True, since=parse(since) if since else None)


class Page:
    """A page. `options` are what `by` can be; a page without any has no periods either."""

    title: ClassVar[str]
    command: ClassVar[str]
    options: ClassVar[tuple[str, ...]] = ()
    option: ClassVar[str] = "--by"

    def lines(self, canvas: Canvas, library: Library, choice: Choice) -> Iterable[str]:
        """The lines. This may take a while, and is done in a thread."""
        raise NotImplementedError

    def command_line(self, choice: Choice) -> str:
        """The command line that gives the same answer."""
        words = ["pollux", self.command]
        if self.options:
            words += [self.option, choice.by]
            words += ["--since", PERIODS[choice.period]] if PERIODS[choice.period] else []
        return shell_line(*words)
