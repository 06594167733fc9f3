"""The first screen: a search field, and the sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, Static

from pollux.text.figures import plural
from pollux.tui.bindings import bindings
from pollux.tui.keys import LIST, of_place
from pollux.tui.latest import Latest
from pollux.tui.list.layout import preview_columns
from pollux.tui.list.question import SCOPES, Answer, Question
from pollux.tui.list.rows import DrawnRow, PassageRow
from pollux.tui.list.session_list import SessionList
from pollux.tui.widgets.footer import FooterLine
from pollux.tui.widgets.line_list import LineList
from pollux.tui.widgets.text_view import TextView

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult

    from pollux.library.library import ListEntry
    from pollux.tui.app import PolluxApp
    from pollux.tui.canvas import StripCanvas
    from pollux.tui.first import First
    from pollux.tui.list.rows import Row

_SCOPES = {"project": "this project", "all": "all sessions", "everything": "all kinds of sessions"}


class SearchField(Input):
    """The field that everything is typed into. What it does not need itself goes to the list."""

    def at_end(self) -> bool:
        """Is the cursor behind all letters?"""
        return self.cursor_position >= len(self.value)

    def at_start(self) -> bool:
        """Is the cursor before all letters?"""
        return self.cursor_position == 0


class ListScreen(Screen[None]):
    """Searches as you type. The rows of the answer before stay until the next answer is there."""

    PLACE = LIST
    BINDINGS = bindings(LIST)
    AUTO_FOCUS = "SearchField"
    app: PolluxApp

    class Answered(Message):
        """The library has answered."""

        def __init__(self, found: Answer) -> None:
            super().__init__()
            self.found = found

    def __init__(self, question: Question, first: First | None = None) -> None:
        super().__init__()
        self.question = question
        self._first = first
        self._shown: tuple[str, str] | None = None
        self._sessions = 0
        self._remark = ""
        self._wants_preview = True
        self._latest: Latest[Question] | None = None

    # ------------------------------------------------------------------ parts

    def compose(self) -> ComposeResult:
        """The parts of the screen."""
        with Horizontal(id="top"):
            yield Static("❯", id="sign")
            yield SearchField(self.question.text, placeholder="search everything", select_on_focus=False)
            yield Static(id="status")
        with Horizontal(id="body"):
            yield SessionList(self.app.entries, self.app.agents)
            yield TextView(self._preview, id="preview")
        yield FooterLine(of_place(LIST, self.app.keys))

    @property
    def sessions(self) -> SessionList:
        """The list."""
        return self.query_one(SessionList)

    @property
    def field(self) -> SearchField:
        """The search field."""
        return self.query_one(SearchField)

    @property
    def footer(self) -> FooterLine:
        """The last line."""
        return self.query_one(FooterLine)

    @property
    def chosen(self) -> ListEntry | None:
        """The session under the cursor."""
        row = self.sessions.row
        return self.sessions.entry(row.key) if row is not None else None

    def on_mount(self) -> None:
        """Show what is known already; ask for the rest."""
        self._latest = Latest(
            self._answer,
            lambda found: self.post_message(self.Answered(found)),  # type: ignore[arg-type]
            self.app.close_library,
        )
        first = self._first
        if first is not None:
            rows: list[Row] = [DrawnRow(line, key) for line, key in first.lines]
            self._show(Answer(self.question, rows, first.sessions))

    def _answer(self, question: Question) -> Answer:
        """Ask the library, in a thread: with its first question, pollux is imported."""
        from pollux.tui.list.answering import answer

        return answer(self.app.library, question)

    def on_unmount(self) -> None:
        """Let the thread end."""
        if self._latest is not None:
            self._latest.close()

    def on_resize(self) -> None:
        """A narrow terminal has room for the list only."""
        self._place_preview()

    def _place_preview(self) -> None:
        preview = self.query_one("#preview")
        columns = preview_columns(self.size.width) if self._wants_preview else 0
        preview.display = columns > 0
        preview.styles.width = columns
        self.query_one("#status").display = self.size.width >= 60

    # ------------------------------------------------------------------ asking

    def ask(self, **changes: object) -> None:
        """Ask the question, changed in some way."""
        self.question = self.question._replace(**changes)  # type: ignore[arg-type]
        if self._latest is not None:
            self._latest.ask(self.question)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Another text is typed."""
        if event.value != self.question.text:
            self.ask(text=event.value)

    def on_list_screen_answered(self, event: Answered) -> None:
        """Show the answer, if it still is one."""
        self.app.answered()
        if event.found.question == self.question:
            self._show(event.found)

    def _show(self, found: Answer) -> None:
        shown = self.sessions
        self._remark = found.remark
        if found.rows is not None:
            same = (found.question.text, found.question.scope) == self._shown
            self._shown, self._sessions = (found.question.text, found.question.scope), found.sessions
            shown.unfolded = found.question.unfolded
            shown.dated = bool(found.question.query)
            shown.learn(found.entries)
            shown.show(found.rows, keep=same)
        self._tell()

    def _tell(self) -> None:
        """Say how many sessions there are, and of which."""
        words = f"{self._sessions:,} found" if self.question.query else plural(self._sessions, "session")
        words += f" · {_SCOPES[self.question.scope]}" if self.question.scope != "all" else ""
        if self.app.is_syncing:
            words += " · looking …"
        self.query_one("#status", Static).update(words)
        if self._remark:
            self.footer.say(self._remark, "warn")
        else:
            self.footer.quiet()

    def synced(self) -> None:
        """The cache is newer now: show what changed."""
        self.sessions.forget()
        self.ask()

    def returned(self) -> None:
        """The person is back from a session."""
        self.app.action_sync()

    # ------------------------------------------------------------------ the preview

    def _preview(self, canvas: StripCanvas) -> Iterable[str]:
        if not self.app.is_open:
            return ()
        from pollux.draw.preview import preview

        entry = self.chosen
        return preview(canvas, entry, str(self.app.library.user_home)) if entry is not None else ()

    def on_line_list_moved(self, _event: LineList.Moved) -> None:
        """Preview the session under the cursor."""
        view = self.query_one("#preview", TextView)
        if view.display and self.app.is_open:
            view.changed(top=True)

    def on_line_list_chosen(self, _event: LineList.Chosen) -> None:
        """A click on the selected row opens it."""
        self.action_open()

    def on_key(self) -> None:
        """What the footer said has been read."""
        self.footer.quiet()

    # ------------------------------------------------------------------ actions

    def action_down(self) -> None:
        """The next row."""
        self.sessions.move(1)

    def action_up(self) -> None:
        """The row before."""
        self.sessions.move(-1)

    def action_page_down(self) -> None:
        """A screen further."""
        self.sessions.page(1)

    def action_page_up(self) -> None:
        """A screen back."""
        self.sessions.page(-1)

    def action_first(self) -> None:
        """The first row."""
        self.sessions.go_to(0)

    def action_last(self) -> None:
        """The last row."""
        self.sessions.go_to(self.sessions.count() - 1)

    def action_unfold(self) -> None:
        """Show sub-agents, unless the key moves within the text."""
        row = self.sessions.row
        if not self.field.at_end():
            self.field.action_cursor_right()
        elif row is not None:
            self.ask(unfolded=self.question.unfolded | {row.key})

    def action_fold(self) -> None:
        """Hide sub-agents, unless the key moves within the text."""
        row = self.sessions.row
        if not self.field.at_start():
            self.field.action_cursor_left()
        elif row is not None:
            entry = self.sessions.entry(row.key)
            parent = entry.summary.parent if entry is not None else None
            self.ask(unfolded=self.question.unfolded - {row.key, parent or ""})

    def action_scope(self) -> None:
        """The next scope; without sessions of this project, two are left."""
        scopes = SCOPES if self.question.project else SCOPES[1:]
        place = scopes.index(self.question.scope) if self.question.scope in scopes else 0
        self.ask(scope=scopes[(place + 1) % len(scopes)])
        self._tell()

    def action_open(self) -> None:
        """Open the session, at the passage."""
        row = self.sessions.row
        if row is not None:
            self.app.read(row.key, row.hit.message_id if isinstance(row, PassageRow) else None)

    def action_command(self) -> None:
        """Show and copy the command line of the question."""
        self.app.copy(self.question.command, self.question.command)

    def action_copy(self) -> None:
        """Copy the session's key."""
        if (row := self.sessions.row) is not None:
            self.app.copy(row.key, row.key)

    def action_preview(self) -> None:
        """Show or hide the preview."""
        self._wants_preview = not self._wants_preview
        self._place_preview()

    def action_resume(self) -> None:
        """Go on with the session."""
        if (row := self.sessions.row) is not None:
            self.app.resume(row.key)

    def action_fork(self) -> None:
        """Go on with a copy of the session."""
        if (row := self.sessions.row) is not None:
            self.app.resume(row.key, fork=True)

    def action_back(self) -> None:
        """Clear the text and the scope; with nothing to clear, leave."""
        if self.field.value:
            self.field.value = ""
        elif self.question.scope != "all":
            self.ask(scope="all")
        else:
            self.app.exit()
