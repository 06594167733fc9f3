"""Sessions of a library in another format, for every view."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pollux.errors import PolluxError
from pollux.export.names import Layout
from pollux.index.catalogue.values import Filter
from pollux.registry import knowledge
from pollux.system.output_file import OutputFile
from pollux.transforms import rewrite_texts
from pollux.usage.rates import dollars
from pollux.writers.base import Binary, Options, Refusing, Report, WriterContext, without_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pollux.export.run import Outcome
    from pollux.library.jobs import Job
    from pollux.library.library import Library
    from pollux.model import Message, Session, SessionMarks, Usage
    from pollux.system.progress import Report as Progressing
    from pollux.transforms.redact import Redactor
    from pollux.usage.sums import Bill
    from pollux.writers.base import Out, Writer


__all__ = [
    "Exporter",
]


class Exporter:
    """Writes sessions in one format, with their prices, their sub-agents, and what is known of their agents.

    >>> Exporter(library, registry.writer("html")).write(library.session("last"), page.append)
    >>> Exporter(library, registry.writer("markdown")).to_folder(library.jobs(Filter()), "transcripts")

    A redactor takes secrets out first. `report` adds up what the format could not hold, and `sessions` counts what was
    written. `size` is how many characters, or bytes, went out that were not for a folder.
    """

    def __init__(
        self, library: Library, writer: Writer, options: Options | None = None, redactor: Redactor | None = None
    ) -> None:
        self.writer = writer
        self.report = Report()
        self.sessions = 0
        self.size = 0
        self._library = library
        self._options = options or Options()
        self._redactor = redactor
        self._context = WriterContext(price=self._price, knowledge=knowledge, marks=self._marks)
        self._forbidden = library.homes.protected_folders()

    # ------------------------------------------------------------------ one session

    def write(self, session: Session, out: Out) -> None:
        """Write a session, piece by piece. Raises `RequestError` where the format has nothing to write of it."""
        clean = self._redacted(session)
        if isinstance(self.writer, Refusing):
            self.writer.check(clean, self._options)
        context = self.context(session)
        if self.writer.name == "json":
            bill = self._library.usage.bill(session)
            context = msgspec.structs.replace(context, cost_usd=bill.usd, unpriced_requests=bill.unpriced)
        write = self.writer.write_bytes if isinstance(self.writer, Binary) else self.writer.write

        def counted(piece: str | bytes) -> None:
            self.size += len(piece)
            out(piece)

        self.report.add(write(clean, counted, self._options, context))
        if self._redactor is not None:
            self.report.add(without_secrets(self._redactor.count))
        self.sessions += 1

    def context(self, session: Session) -> WriterContext:
        """What the writer of a session may ask: prices, sub-agents, marks, and what is known of its agent."""
        family_usage = self._library.usage.family(session)
        return msgspec.structs.replace(self._context, child=self._child, family_usage=family_usage)

    def to_file(self, session: Session, path: str, *, force: bool = False) -> None:
        """Write a session to a file of its own. Raises `OutputError`."""
        with OutputFile(path, forbidden=self._forbidden, force=force).open() as write:
            self.write(session, write)

    # ------------------------------------------------------------------ many sessions

    def to_folder(
        self,
        jobs: Sequence[Job],
        path: str,
        layout: Layout = Layout.SESSION,
        *,
        force: bool = False,
        progress: Progressing = lambda _: None,
    ) -> Outcome:
        """Write each session to its file in a folder, on all cores. Raises `OutputError`."""
        from pollux.export.folder import Folder
        from pollux.export.run import FolderExport

        with Folder(path, forbidden=self._forbidden, force=force) as folder:
            export = FolderExport(
                self.writer,
                self._options,
                folder,
                context=self._context,
                redactor=self._redactor,
                layout=layout,
                progress=progress,
            )
            outcome = export.run(jobs, *self._figures(jobs))
        self.report.add(outcome.report)
        self.sessions += len(outcome.entries)
        return outcome

    def _figures(self, jobs: Sequence[Job]) -> tuple[dict[str, Usage], dict[str, Bill]]:
        """The usage of each session with its descendants, and its cost if the format has costs."""
        keys = {summary.key for job in jobs for summary in job.summaries}
        entries = self._library.list(Filter(everything=True))
        families = {
            entry.summary.key: entry.family_usage
            for entry in entries
            if entry.summary.key in keys and entry.family_usage is not None
        }
        return families, self._library.usage.bills(keys) if self.writer.name in ("json", "html") else {}

    # ------------------------------------------------------------------ what may be written to

    def protect(self, sessions: Iterable[Session]) -> None:
        """Protect the files of these sessions: nothing is written over them."""
        self._forbidden += [Path(file) for session in sessions for file in session.files]

    def target(self, path: str, *, force: bool = False) -> OutputFile:
        """A file for something else that this export writes. Raises `OutputError` where it may not be written."""
        target = OutputFile(path, forbidden=self._forbidden, force=force)
        target.check()
        return target

    # ------------------------------------------------------------------ what the writer may ask

    def _price(self, session: Session) -> Callable[[Message], tuple[float | None, int]]:
        """A function that gives the cost of a message, and the number of its requests without a price."""
        charge = self._library.usage.charge_function(session)

        def price(message: Message) -> tuple[float | None, int]:
            cost, unpriced = charge(message)
            return dollars(cost), unpriced

        return price

    def _marks(self, key: str) -> SessionMarks | None:
        """What the user noted about a session, without secrets if there is a redactor."""
        marks = self._library.marks.of(key)
        if marks is None or self._redactor is None:
            return marks
        redactor = self._redactor
        return rewrite_texts(marks, lambda text, *_: redactor.text(text))

    def _child(self, key: str) -> Session | None:
        """The session of a sub-agent, for a format that contains it in its parent's."""
        try:
            return self._redacted(self._library.session(key))
        except PolluxError:
            return None

    def _redacted(self, session: Session) -> Session:
        return session if self._redactor is None else self._redactor(session)
