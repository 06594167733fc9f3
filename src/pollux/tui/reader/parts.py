"""What all of the reader's actions work on: its parts, and the current message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.tui.reader.view import ConversationView
from pollux.tui.widgets.footer import FooterLine
from pollux.tui.widgets.still import StillScreen

if TYPE_CHECKING:
    from pollux.model import Message, Session
    from pollux.tui.app import PolluxApp
    from pollux.tui.reader.document import Document


class ReaderParts(StillScreen):
    """The conversation, the last line, and what they show of which session."""

    app: PolluxApp
    key: str
    document: Document | None = None

    @property
    def view(self) -> ConversationView:
        """The conversation."""
        return self.query_one(ConversationView)

    @property
    def footer(self) -> FooterLine:
        """The last line."""
        return self.query_one(FooterLine)

    @property
    def session(self) -> Session | None:
        """The session, as soon as it is read."""
        return self.document.session if self.document is not None else None

    @property
    def message(self) -> Message | None:
        """The current message."""
        document = self.view.document
        found = document.of(self.view.current) if document is not None else ()
        return found[0] if found else None
