"""Carries out an export: to the screen, to a file, to a folder; and says what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pollux.cli.terminal.figures import plural
from pollux.cli.terminal.screen import Screen, talk
from pollux.errors import OutputError, PolluxError, RequestError, Unreadable
from pollux.export import Export, Folder, Job, Layout, Outcome, Target, redacted
from pollux.model import summarize
from pollux.registry import knowledge
from pollux.text.escape import visible
from pollux.usage.rates import dollars
from pollux.writers.base import Binary, Dataset, Report
from pollux.writers.json import encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import click

    from pollux.export.target import Write
    from pollux.library.library import Library, Progress
    from pollux.model import Message, Session, Usage
    from pollux.transforms.redact import Redactor
    from pollux.usage.sums import Bill
    from pollux.writers.base import Options, Writer

LARGE_PAGE = 30_000_000
NAMED = 5


class Exporting:
    """One run of `pollux export`."""

    def __init__(self, library: Library, writer: Writer, options: Options, redactor: Redactor | None) -> None:
        self._library = library
        self._writer = writer
        self._options = msgspec.structs.replace(options, price=self._price, knowledge=knowledge)
        self._redactor = redactor
        self._forbidden = library.homes.own()
        self.report = Report()
        self.sessions = 0

    def protect(self, sessions: Iterable[Session]) -> None:
        """Nothing is written over the files of these sessions, wherever they lie."""
        self._forbidden += [Path(file) for session in sessions for file in session.files]

    def to_stdout(self, session: Session, ctx: click.Context) -> None:
        """Print a session; control characters stay out of a terminal."""
        screen = Screen(ctx)
        if screen.terminal and isinstance(self._writer, Binary | Dataset):
            raise RequestError(
                f"{self._writer.name} is no text that a terminal could show.", "Try: -o FILE or -o FOLDER/"
            )
        if isinstance(self._writer, Binary):
            self._write(session, screen.raw)
            return
        show = screen.document if self._writer.suffix.endswith((".json", ".jsonl")) else screen.readable
        self._write(session, lambda piece: screen.raw(piece) if isinstance(piece, bytes) else show(piece))

    def to_file(self, session: Session, path: str, *, force: bool) -> None:
        """Write a session to a file of its own."""
        with Target(path, forbidden=self._forbidden, force=force).open() as write:
            self._write(session, write)

    def target(self, path: str, *, force: bool) -> Target:
        """A file that this run will write. Raises `OutputError` where it may not."""
        target = Target(path, forbidden=self._forbidden, force=force)
        target.check()
        return target

    def _warn(self, size: int) -> None:
        """Say what a browser will do with a page that is very large, and what to do about it."""
        if self._writer.name == "html" and size > LARGE_PAGE:
            talk(f"The page has {size // 1_000_000} MB, which a browser opens slowly. -o FOLDER/ writes it in parts.")

    def _write(self, session: Session, out: Write) -> None:
        whole = self._writer.name == "json"
        options = msgspec.structs.replace(
            self._options, child=self._child, family_usage=self._library.usage.family(session)
        )
        if whole:
            bill = self._library.usage.bill(session)
            options = msgspec.structs.replace(options, cost_usd=bill.usd, unpriced_requests=bill.unpriced)
        shown = session if self._redactor is None else self._redactor(session)
        write = self._writer.write_bytes if isinstance(self._writer, Binary) else self._writer.write
        sizes: list[int] = []

        def counted(piece: str | bytes) -> None:
            sizes.append(len(piece))
            out(piece)

        self.report.add(write(shown, counted, options))
        self._warn(sum(sizes))
        if self._redactor is not None:
            self.report.add(redacted(self._redactor))
        self.sessions += 1

    def _price(self, session: Session) -> Callable[[Message], tuple[float | None, int]]:
        """What each message of a session cost, and how many of its requests are not in that."""
        charge = self._library.usage.charging(session)

        def price(message: Message) -> tuple[float | None, int]:
            cost, unpriced = charge(message)
            return dollars(cost), unpriced

        return price

    def _child(self, key: str) -> Session | None:
        """A sub-agent's session, for a format that holds it within the one that started it."""
        try:
            session = self._library.session(key)
        except PolluxError:
            return None
        return session if self._redactor is None else self._redactor(session)

    def to_folder(
        self, jobs: Sequence[Job], path: str, layout: Layout, *, force: bool, progress: Callable[[Progress], None]
    ) -> None:
        """Write each session to its file, and say where they are and what was left alone."""
        with Folder(path, forbidden=self._forbidden, force=force) as folder:
            export = Export(
                self._writer, self._options, folder, redactor=self._redactor, layout=layout, progress=progress
            )
            outcome = export.run(jobs, *self._figures(jobs))
        self.report.add(outcome.report)
        self.sessions = len(outcome.entries)
        _tell(outcome, path)

    def _figures(self, jobs: Sequence[Job]) -> tuple[dict[str, Usage], dict[str, Bill]]:
        """What each session used with its descendants, and what it cost where the format tells it."""
        from pollux.library.library import Filter

        keys = {told.key for job in jobs for told in job.summaries}
        listed = self._library.list(Filter(everything=True))
        families = {one.summary.key: one.family_usage for one in listed if one.summary.key in keys}
        return families, self._library.usage.bills(keys) if self._writer.name in ("json", "html") else {}

    def report_to(self, target: Target) -> None:
        """Write the account as the contract has it, over all sessions of the run."""
        with target.open() as write:
            write(encode({**self.report.as_json(), "sessions": self.sessions}) + "\n")


def as_job(session: Session) -> Job:
    """A session that was read already."""
    return Job(summaries=(summarize(session),), load=lambda: [session])


def _tell(outcome: Outcome, path: str) -> None:
    left = set(outcome.left)
    files = [entry.file for entry in outcome.entries if entry.summary.key not in left]
    if files:
        where = str(Path(path) / files[0]) if len(files) == 1 else path
        talk(f"{plural(len(files), 'session')} written to {visible(where)}")
    if outcome.older:
        older = _listed(outcome.older)
        talk(f"{plural(len(outcome.older), 'file')} left alone, with sessions that are not in this export: {older}.")
    if outcome.foreign:
        raise OutputError(
            f"{plural(len(outcome.foreign), 'file')} not written, because pollux did not write what is there now: "
            f"{_listed(outcome.foreign)}.",
            "--force overwrites.",
        )
    if outcome.unread:
        raise Unreadable(
            f"{plural(len(outcome.unread), 'session')} could not be read: {_listed(outcome.unread)}.",
            "pollux doctor tells why.",
        )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(sorted(names)[:NAMED]) + (", …" if len(names) > NAMED else "")
