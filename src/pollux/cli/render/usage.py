"""What was used, on this machine or by all people of a lake: as a table, or for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pollux.errors import RequestError
from pollux.usage.service import Grouping, Measure, UsageService

if TYPE_CHECKING:
    from pollux.cli.terminal.screen import Screen
    from pollux.library.library import Filter


class UsageView(NamedTuple):
    """Shows what was used. `form` is `csv` or `json` for programs.

    `titles` makes short ids and titles of sessions, by their keys; `lacking` finds the agents with unread files.
    """

    screen: Screen
    usage: UsageService
    home: str
    settings: str
    titles: Callable[[], Mapping[str, tuple[str, str]]]
    lacking: Callable[[], Sequence[str]] = list
    form: str | None = None

    def show(self, order: Sequence[Grouping], selection: Filter, timezone: str | None, of: str | None) -> bool:
        """Show tokens, or calls of tools. Were there any?"""
        if Grouping.TOOL not in order:
            return self._tokens(order, selection, timezone, Measure(of) if of is not None else None)
        if of is not None:
            raise RequestError("Calls of tools have neither tokens nor a cost.", "Leave out --of.")
        return self._tools(order, selection, timezone)

    def _tokens(self, order: Sequence[Grouping], selection: Filter, timezone: str | None, of: Measure | None) -> bool:
        from pollux.answers.usage import stats_csv, stats_document

        first, *within = order
        stats = self.usage.stats(first, selection, timezone, within=within, of=of)
        if self.form == "csv":
            self.screen.readable(stats_csv(order, stats.rows, stats.total))
        elif self.form == "json":
            self.screen.json(stats_document(stats, self.lacking()))
        elif stats.rows:
            from pollux.cli.terminal.screen import talk
            from pollux.draw.stats import remarks, stats_table
            from pollux.text.figures import tilde

            self.screen.lines(stats_table(self.screen, stats, self.home, self._titles(order)))
            for line in remarks(self.screen, stats, self.usage.prices, tilde(self.settings, self.home)):
                talk(line)
        return bool(stats.rows)

    def _tools(self, order: Sequence[Grouping], selection: Filter, timezone: str | None) -> bool:
        from pollux.answers.usage import stats_csv, tools_document

        rows, total = self.usage.tools(selection, timezone, by=order)
        if self.form == "csv":
            self.screen.readable(stats_csv(order, rows, total))
        elif self.form == "json":
            self.screen.json(tools_document(order, rows, total, self.lacking()))
        elif rows:
            from pollux.draw.stats import tool_table

            self.screen.lines(tool_table(self.screen, order, rows, total, self.home, self._titles(order)))
        return bool(rows)

    def _titles(self, order: Sequence[Grouping]) -> Mapping[str, tuple[str, str]]:
        return self.titles() if Grouping.SESSION in order else {}
