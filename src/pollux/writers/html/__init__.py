"""The session as a page: one file to open in a browser, to keep, to share or to print.

Everything that was said and done is in it, the long and the technical folded. `Options` that shorten a transcript do
not shorten a page; only `live_only` does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from pollux.model import Session
from pollux.writers.base import NO_CONTEXT, Entry, Options, Out, Page, Report, WriterContext
from pollux.writers.html.messages import Messages
from pollux.writers.html.page import page
from pollux.writers.html.site import further_pages, pages
from pollux.writers.loss import BYTES, DETAILS, NOTHING, LossCounter

WHY = {
    NOTHING: "empty, or shown with the call they answer",
    BYTES: "a page shows pictures made of pixels, and names all else",
    DETAILS: "a page holds what was said and done",
}


class HtmlPage:
    """One self-contained file a session."""

    name = "html"
    suffix = ".html"
    purpose = "a page for the browser, in one file: all of it, folded, searchable"
    supported_options: tuple[str, ...] = ()

    def write(self, session: Session, out: Out, options: Options, context: WriterContext = NO_CONTEXT) -> Report:
        """Write the page, message by message."""
        tally = LossCounter(WHY)
        tally.drop(DETAILS, bool(session.extra) + len(session.tallies) + (session.project_hash is not None))
        messages = Messages(session, options, context, tally)
        for piece in page(session, context, messages):
            out(piece)
        for part in range(1, len(messages.parts)):
            deque(messages.pieces(part), maxlen=0)  # `further_pages` writes them; here they are only accounted for
        return tally.report()

    def further_pages(self, session: Session, options: Options, context: WriterContext) -> Iterator[Page]:
        """The parts of a large session but for the first."""
        return further_pages(session, options, context)

    def finish(self, entries: Sequence[Entry], context: WriterContext) -> Iterator[Page]:
        """The index and the search of a whole site."""
        return pages(entries, context)


WRITER = HtmlPage()
