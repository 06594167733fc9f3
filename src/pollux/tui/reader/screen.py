"""The screen that shows a conversation."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual.message import Message as Event
from textual.widgets import Input

from pollux.draw.transcript.detail import detail_lines
from pollux.draw.transcript.records import Records
from pollux.draw.width import wrap
from pollux.library.file_stamps import file_stamps
from pollux.tui.bindings import bindings
from pollux.tui.keys import READER, of_place
from pollux.tui.latest import Latest
from pollux.tui.reader.copying import Copying
from pollux.tui.reader.document import Document
from pollux.tui.reader.elsewhere import Elsewhere
from pollux.tui.reader.loading import Loaded, load_session, what_became_of, what_changed
from pollux.tui.reader.marking import Marking
from pollux.tui.reader.moving import Moving
from pollux.tui.reader.view import ConversationView
from pollux.tui.widgets.field import Field
from pollux.tui.widgets.footer import FooterLine
from pollux.tui.widgets.still import SideBySide
from pollux.tui.widgets.text_view import TextView
from pollux.tui.widgets.title import TitleLine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult

    from pollux.model import Session
    from pollux.tui.canvas import StripCanvas

WIDE = 112
POLL, FOLLOW = 1.0, 0.2
"""Seconds between two looks at the files."""
_TOOLS = ("off", "short", "full")


class ReaderScreen(Moving, Copying, Marking, Elsewhere):
    """Shows one session. It is read in a thread, and read again when its files change."""

    PLACE = READER
    BINDINGS = bindings(READER)
    AUTO_FOCUS = "ConversationView"

    class Read(Event):
        """The session was read."""

        def __init__(self, loaded: Loaded) -> None:
            super().__init__()
            self.loaded = loaded

    def __init__(self, key: str, message: str | None = None) -> None:
        super().__init__()
        self.key = key
        self.follows = False
        self._at = message
        self._records = Records()
        self._stamps: tuple[object, ...] = ()
        self._looked = self._took = 0.0
        self._is_reading = self._is_gone = False
        self._latest: Latest[str] | None = None

    # ------------------------------------------------------------------ parts

    def compose(self) -> ComposeResult:
        """The parts of the screen."""
        yield TitleLine()
        with SideBySide(id="body"):
            yield ConversationView()
            yield TextView(self._detail, id="detail", edge=True)
        yield Field(placeholder="find", id="find", select_on_focus=False)
        yield FooterLine(of_place(READER, self.app.keys))

    def on_mount(self) -> None:
        """Read the session."""
        library = self.app.library
        self.query_one("#detail").display = False
        self.query_one("#find").display = False
        self._latest = Latest(
            lambda key: load_session(library, key),
            lambda loaded: self.post_message(self.Read(loaded)),  # type: ignore[arg-type]
            self.app.fail,
            library.close,
        )
        self._read()
        self.set_timer(0.3, self._say_reading)
        self.set_interval(FOLLOW, self._look)

    def on_unmount(self) -> None:
        """Let the thread end."""
        if self._latest is not None:
            self._latest.close(0)
        self.remember()

    @property
    def is_opening(self) -> bool:
        """Is it still being read for the first time?"""
        return self.document is None and not self._is_gone

    def _say_reading(self) -> None:
        if self.is_opening:
            self.footer.say("Reading …")

    def _read(self) -> None:
        self._is_reading, self._looked = True, time.monotonic()
        if self._latest is not None:
            self._latest.ask(self.key)

    # ------------------------------------------------------------------ the session, and what becomes of it

    def on_reader_screen_read(self, event: Read) -> None:
        """Show what was read."""
        loaded, self._is_reading = event.loaded, False
        self._took, self._looked = time.monotonic() - self._looked, time.monotonic()
        before = self.session
        if loaded.session is None:
            why = loaded.problem if before is None else what_became_of(before, loaded)
            self._say_gone(why, before)
        else:
            self._stamps = loaded.stamps
            if before is None or self.view.document is None:
                self._open(loaded.session)
            else:
                self._renew(before, loaded.session)
        self.app.opened()

    def _open(self, session: Session) -> None:
        document = Document(session, str(self.app.library.user_home))
        marks = self.app.library.marks
        document.mark(marks.of(self.key), marks.new_from(session))
        self.footer.quiet()
        self.document = document
        self.view.show(document)
        new = session.messages[document.new_from].id if document.new_from is not None else None
        number = document.number_of(self._at or new or "")
        if number is not None:
            self.view.to_piece(number, above=2)

    def _renew(self, before: Session, session: Session) -> None:
        view = self.view
        assert view.document is not None  # noqa: S101 (it was opened before)
        if None in file_stamps(before.files) and len(session.messages) < len(before.messages):
            self._say_gone("A file of this session is gone: this is what was in it.", before)
            return
        at_end = view.is_at_end
        view.document.renew(session)
        if self.follows and at_end:
            view.to_end()
        else:
            view.changed()
        change = what_changed(before, session)
        if not change and self._is_gone:
            self.footer.say("Its files are back, as they were.")
        elif change:
            self.footer.say(change if self.follows else f"{change} F follows.", "warn")
        self._is_gone = False

    def _say_gone(self, sentence: str, before: Session | None) -> None:
        """What was read stays on the screen. Its files are looked at until they can be read again."""
        self._is_gone, self._stamps = True, file_stamps(before.files) if before is not None else ()
        self.footer.say(sentence, "warn")

    def _look(self) -> None:
        """Look whether the files changed. A session that takes long to read is read less often."""
        session, passed = self.session, time.monotonic() - self._looked
        if session is None or self._is_reading or passed < max(FOLLOW if self.follows else POLL, self._took):
            return
        if file_stamps(session.files) != self._stamps:
            self._read()
        else:
            self._looked = time.monotonic()

    # ------------------------------------------------------------------ the detail of a message

    def _detail(self, canvas: StripCanvas) -> Iterable[str]:
        message = self.message
        home = str(self.app.library.user_home)
        if message is None:
            return wrap("No message is chosen here. J goes to the next one, and K to the one before.", canvas.columns)
        return detail_lines(canvas, message, self._records, home)

    def on_conversation_view_moved(self, _event: ConversationView.Moved) -> None:
        """Show the detail of the message that is the current one now."""
        detail = self.query_one("#detail", TextView)
        if detail.display:
            detail.changed(top=True)
        self.note_seen()
        self._tell()

    def _tell(self) -> None:
        """Say which session this is, where one is in it, and which view of it this is."""
        document = self.view.document
        if document is None:
            return
        view = "as it would be resumed" if document.live else "as it happened"
        facts = f"{document.position(self.view.current):,}/{len(document.messages):,} · {view}" + (
            " · following" if self.follows else ""
        )
        self.query_one(TitleLine).say(document.title, facts)

    def action_detail(self) -> None:
        """Show or hide the detail, beside the conversation or in its place."""
        detail = self.query_one("#detail", TextView)
        detail.display = not detail.display
        self._place_detail()
        if detail.display:
            detail.changed(top=True)

    def on_resize(self) -> None:
        """Detail and conversation have other widths."""
        self._place_detail()

    def _place_detail(self) -> None:
        """A narrow terminal shows one of the two."""
        detail = self.query_one("#detail", TextView)
        self.view.display = detail.edge = not detail.display or self.size.width >= WIDE
        self.set_class(detail.display and not self.view.display, "detail-alone")

    # ------------------------------------------------------------------ what is shown

    def action_fates(self) -> None:
        """As it happened, or as it would be resumed."""
        if (document := self.view.document) is not None:
            here = self.message
            document.change(live=not document.live)
            number = document.number_of(here.id) if here is not None else None
            self.view.show(document, (number or 0, 0), number)
            left_out = len(document.session.messages) - len(document.messages)
            live = (
                f"As the agent would resume it: {left_out:,} fewer message{'s' if left_out > 1 else ''}."
                if left_out
                else "All of it is live."
            )
            self.footer.say(live if document.live else "As it happened.")

    def action_tools(self) -> None:
        """Tool calls: off, short, full."""
        if (document := self.view.document) is not None:
            tools = _TOOLS[(_TOOLS.index(document.show.tools) + 1) % len(_TOOLS)]
            document.change(document.show._replace(tools=tools))
            self.view.changed()
            self.footer.say(f"Tool calls: {tools}.")

    def action_thinking(self) -> None:
        """Show or hide thinking."""
        if (document := self.view.document) is not None:
            document.change(document.show._replace(thinking=not document.show.thinking))
            self.view.changed()
            self.footer.say(f"Thinking: {'shown' if document.show.thinking else 'hidden'}.")

    def action_unfold(self) -> None:
        """Unfold the current message."""
        if (document := self.view.document) is not None:
            document.unfold(self.view.current)
            self.view.changed()

    def action_follow(self) -> None:
        """Follow what is being written."""
        self.follows = not self.follows
        if self.follows:
            self.view.to_end()
        self.footer.say("Following: new messages appear at the end." if self.follows else "No longer following.")

    # ------------------------------------------------------------------ elsewhere

    def action_resume(self) -> None:
        """Go on with the session."""
        self.app.resume(self.key)

    def action_fork(self) -> None:
        """Go on with a copy."""
        self.app.resume(self.key, fork=True)

    def action_handoff(self) -> None:
        """Hand the session over to another agent."""
        self.app.hand_over(self.key)

    def action_back(self) -> None:
        """Close what is open: the field, the detail, the screen."""
        field = self.query_one("#find", Input)
        if field.display:
            field.display = False
            self.view.needle = ""
            self.view.focus()
            self.view.refresh()
        elif self.query_one("#detail").display:
            self.action_detail()
        else:
            self.dismiss()
