"""Carries out an export and keeps the account of what the format could not hold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pollux.cli.clean import clean
from pollux.cli.names import file_name
from pollux.cli.screen import Screen, talk
from pollux.cli.target import Target, replaced
from pollux.cli.words import plural
from pollux.errors import OutputError
from pollux.writers.json import encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import click

    from pollux.model import Session, Usage
    from pollux.writers.base import Options, Report, Writer


class Export:
    """One run of `pollux export`."""

    def __init__(
        self,
        writer: Writer,
        options: Options,
        families: Mapping[str, Usage],
        cost: Callable[[Session], float | None],
        forbidden: list[Path],
    ) -> None:
        self._writer = writer
        self._options = options
        self._families = families
        self._cost = cost
        self._forbidden = forbidden
        self._kept = 0
        self._dropped: dict[tuple[str, str], int] = {}
        self._fabricated: dict[tuple[str, str], None] = {}
        self.count = 0

    def to_stdout(self, session: Session, ctx: click.Context) -> None:
        """Print a session; control characters stay out of a terminal."""
        screen = Screen(ctx)
        if screen.terminal and self._writer.name != "json":
            self._write(session, lambda piece: screen.raw(clean(piece)))
        else:
            self._write(session, screen.raw)

    def to_target(self, sessions: Iterable[Session], output: str, *, several: bool, force: bool) -> None:
        """Write each session to its file and say where they are."""
        target = Target(output, several=several, forbidden=self._forbidden)
        for session in sessions:
            name = file_name(session.agent, session.id, self._writer.suffix)
            with target.open(name, force=force) as write:
                self._write(session, write)
        if several or target.is_folder:
            talk(f"{plural(self.count, 'session')} written to {clean(output if several else str(target.last))}")

    def _write(self, session: Session, write: Any) -> None:
        family = self._families.get(session.key)
        options = msgspec.structs.replace(self._options, family_usage=family, cost_usd=self._cost(session))
        self._add(self._writer.write(session, write, options))
        self.count += 1

    def _add(self, report: Report) -> None:
        self._kept += report.kept
        for dropped in report.dropped:
            what = (dropped.what, dropped.why)
            self._dropped[what] = self._dropped.get(what, 0) + dropped.count
        for made in report.fabricated:
            self._fabricated[made.what, made.why] = None

    def report_to(self, file: str) -> None:
        """Write the account as the contract has it, over all sessions of the run."""
        account = {
            "kept": self._kept,
            "dropped": [{"what": what, "count": count, "why": why} for (what, why), count in self._dropped.items()],
            "fabricated": [{"what": what, "why": why} for what, why in self._fabricated],
            "sessions": self.count,
        }
        Target(file, several=False, forbidden=self._forbidden)
        try:
            with replaced(Path(file)) as write:
                write(encode(account) + "\n")
        except OSError as error:
            raise OutputError(f"{clean(file)} cannot be written: {error.strerror or error}.") from error
