"""What can be done in the list."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pollux.tui.list.question import SCOPES, Question
from pollux.tui.list.rows import ChosenRow
from pollux.tui.list.session_list import SessionList
from pollux.tui.widgets.field import Field
from pollux.tui.widgets.footer import FooterLine
from pollux.tui.widgets.still import StillScreen

if TYPE_CHECKING:
    from pollux.library.library import ListEntry
    from pollux.tui.app import PolluxApp


class SearchField(Field):
    """The field that everything is typed into. What it does not need itself goes to the list."""

    def at_end(self) -> bool:
        """Is the cursor behind all letters?"""
        return self.cursor_position >= len(self.value)

    def at_start(self) -> bool:
        """Is the cursor before all letters?"""
        return self.cursor_position == 0


class Acting(StillScreen):
    """The parts of the list, and an action for each of its keys."""

    app: PolluxApp
    question: Question
    wants_preview = True

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

    @property
    def command(self) -> str:
        """The command line that gives the same answer."""
        raise NotImplementedError

    def ask(self, **changes: object) -> None:
        """Ask the question, changed in some way."""
        raise NotImplementedError

    def place_parts(self) -> None:
        """Divide the screen among its parts."""
        raise NotImplementedError

    def with_row(self, act: Callable[[ChosenRow], None]) -> None:
        """Do something with the row under the cursor; where what was typed has no answer yet, as soon as it has one."""
        raise NotImplementedError

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

    def action_open(self) -> None:
        """Open the session, at the passage."""
        self.with_row(lambda row: self.app.read(row.key, self.sessions.passage_of(row)))

    def action_command(self) -> None:
        """Show and copy the command line of the question."""
        self.app.copy(self.command, self.command)

    def action_copy(self) -> None:
        """Copy the session's key."""
        self.with_row(lambda row: self.app.copy(row.key, row.key))

    def action_star(self) -> None:
        """Star the session, or take the star away."""
        self.with_row(self._star)

    def _star(self, row: ChosenRow) -> None:
        from pollux.tui.list.marking import toggle_star

        if (entry := self.sessions.entry(row.key)) is not None:
            self.app.say(toggle_star(self.app.library, entry))
            self.app.marked(entry.summary.key)

    def action_facets(self) -> None:
        """Choose what to narrow the list down by."""
        from pollux.tui.list.narrowing import Narrowing

        self.app.push_screen(Narrowing(self.question), self._narrow)

    def _narrow(self, term: str | None) -> None:
        """Add a term to what is typed."""
        if term is not None:
            self.field.value = f"{self.field.value.rstrip()} {term} ".lstrip()
            self.field.cursor_position = len(self.field.value)

    def action_preview(self) -> None:
        """Show or hide the preview."""
        self.wants_preview = not self.wants_preview
        self.place_parts()

    def action_resume(self) -> None:
        """Go on with the session."""
        self.with_row(lambda row: self.app.resume(row.key))

    def action_fork(self) -> None:
        """Go on with a copy of the session."""
        self.with_row(lambda row: self.app.resume(row.key, fork=True))

    def action_handoff(self) -> None:
        """Hand the session over to another agent."""
        self.with_row(lambda row: self.app.hand_over(row.key))

    def action_back(self) -> None:
        """Clear the text and the scope; with nothing to clear, leave."""
        if self.field.value:
            self.field.value = ""
        elif self.question.scope != "all":
            self.ask(scope="all")
        else:
            self.app.exit()
