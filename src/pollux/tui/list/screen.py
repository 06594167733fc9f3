"""The first screen: a search field, and the sessions."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from textual.message import Message
from textual.widgets import Input, Static

from pollux.draw.width import wrap
from pollux.text.escape import one_line
from pollux.tui.bindings import bindings
from pollux.tui.keys import LIST, of_place
from pollux.tui.latest import Latest
from pollux.tui.list.acting import Acting, SearchField
from pollux.tui.list.layout import PLACEHOLDER, SIGN, preview_columns, shows_status
from pollux.tui.list.question import HITS, MORE, Answer, Question
from pollux.tui.list.rows import DrawnRow
from pollux.tui.list.session_list import SessionList
from pollux.tui.widgets.footer import FooterLine
from pollux.tui.widgets.line_list import LineList
from pollux.tui.widgets.status import Status
from pollux.tui.widgets.still import SideBySide
from pollux.tui.widgets.text_view import TextView

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textual.app import ComposeResult

    from pollux.tui.canvas import StripCanvas
    from pollux.tui.list.answering import Listed
    from pollux.tui.list.rows import ChosenRow, Row
    from pollux.tui.opening.first import First

_LONG = 0.5
"""Seconds after which the screen says that it waits for an answer."""

_SCOPES = {"project": "this project", "all": "all sessions", "everything": "all kinds of sessions"}


class ListScreen(Acting):
    """Searches as you type. The rows of the answer before stay until the next answer is there."""

    PLACE = LIST
    BINDINGS = bindings(LIST)
    AUTO_FOCUS = "SearchField"

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
        self._answered: Question | None = None
        self._waiting: tuple[str, Callable[[ChosenRow], None]] | None = None
        self._status = ""
        self._named: tuple[str, ...] = ()
        self._more = False
        self._remark = self._said = self._problem = ""
        self._may_grow = self._grows = False
        self._asked, self._is_slow = 0.0, False
        self._latest: Latest[Question] | None = None
        self._listed: Listed | None = None

    # ------------------------------------------------------------------ parts

    def compose(self) -> ComposeResult:
        """The parts of the screen."""
        with SideBySide(id="top"):
            yield Static(SIGN, id="sign")
            yield SearchField(self.question.text, placeholder=PLACEHOLDER, select_on_focus=False)
            yield Status()
        with SideBySide(id="body"):
            yield SessionList(self.app.entries, self.app.agents, self._renew_preview, self._ask_for_more)
            yield TextView(self._emptiness, id="empty")
            yield TextView(self._preview, id="preview", edge=True)
        yield FooterLine(of_place(LIST, self.app.keys))

    def on_mount(self) -> None:
        """Show what is known already; ask for the rest."""
        self._latest = Latest(
            self._answer,
            lambda found: self.post_message(self.Answered(found)),  # type: ignore[arg-type]
            self.app.fail,
            self.app.close_library,
        )
        self.query_one("#empty").display = False
        first = self._first
        if first is not None:
            rows: list[Row] = [DrawnRow(line, key) for line, key in first.lines]
            self._show(Answer(self.question, rows, first.sessions))

    def _answer(self, question: Question) -> Answer:
        """Ask the library, in a thread: with its first question, pollux is imported."""
        from pollux.tui.list.answering import Listed, answer

        if self._listed is None:
            self._listed = Listed()
        report = self._latest.give_up if self._latest is not None else lambda _: None
        return answer(self.app.library, question, before=self._listed, report=report)

    def on_unmount(self) -> None:
        """Let the thread end."""
        if self._latest is not None:
            self._latest.close()

    def on_resize(self) -> None:
        """A narrow terminal has room for the list only."""
        self.place_parts()

    def place_parts(self) -> None:
        """Divide the screen among its parts."""
        self.query_one("#preview").display = self.wants_preview and preview_columns(self.size.width) > 0
        self.query_one(Status).display = shows_status(self.size.width)

    # ------------------------------------------------------------------ asking

    def ask(self, **changes: object) -> None:
        """Ask the question, changed in some way."""
        self.question = self.question._replace(**changes)  # type: ignore[arg-type]
        self._asked = monotonic()
        if self._latest is not None:
            self._latest.ask(self.question)

    def wait(self) -> None:
        """Say so where an answer takes long: words that are not indexed yet are looked for in all sessions."""
        is_slow = self._answered != self.question and monotonic() - self._asked > _LONG
        if is_slow != self._is_slow:
            self._is_slow = is_slow
            self._tell()

    @property
    def command(self) -> str:
        """The command line that gives the same answer."""
        if self._named and self._answered == self.question:
            from pollux.tui.list.by_id import show_command

            return show_command(self.question.text.strip(), self._named)
        return self.question.command

    @property
    def is_opening(self) -> bool:
        """Shall something be done with a row that is not there yet?"""
        return self._waiting is not None

    def with_row(self, act: Callable[[ChosenRow], None]) -> None:
        """Do something with the row under the cursor; where what was typed has no answer yet, as soon as it has one."""
        if self._answered is None or not self._answered.is_like(self.question._replace(text=self.field.value)):
            self._waiting = self.field.value, act
        elif (row := self.sessions.row) is not None:
            act(row)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Another text is typed: what was to be done with a row of the one before is not done any more."""
        if self._waiting is not None and self._waiting[0] != self.field.value:
            self._waiting = None
            self.app.opened()
        if event.value != self.question.text:
            self.ask(text=event.value, hits=HITS)

    def on_list_screen_answered(self, event: Answered) -> None:
        """Show the answer, if it still is one."""
        self.app.answered()
        self._grows = False
        if event.found.question == self.question:
            self._may_grow, self._is_slow = event.found.may_grow, False
            self._show(event.found)

    def _show(self, found: Answer) -> None:
        shown = self.sessions
        is_in_vain = found.unread_files is None and not self.app.keeping_up.could_store  # the list says why
        self._remark = "" if is_in_vain else found.remark
        self._answered, self._status, self._more = found.question, found.status, found.more
        if found.rows is not None:
            shows = found.question.query, found.question.scope
            same = shows == self._shown
            self._shown, self._named = shows, found.named
            shown.unfolded = found.question.unfolded
            shown.dated = found.question.is_search
            shown.learn(found.entries)
            if same and found.rows == shown.rows:
                shown.update()
            else:
                shown.show(found.rows, keep=same)
            self._show_emptiness()
        self._tell()
        waiting = self._waiting
        if waiting is not None and found.question.text == waiting[0]:
            self._waiting = None
            if found.rows is not None:
                self.with_row(waiting[1])
            self.app.opened()

    def _show_emptiness(self) -> None:
        """Where there is nothing to list, say why."""
        empty = self.query_one("#empty", TextView)
        empty.display = not self.sessions.rows and self.app.is_open and not self.app.keeping_up.is_looking
        self.sessions.display = not empty.display
        if empty.display:
            empty.changed(top=True)

    def _emptiness(self, canvas: StripCanvas) -> Iterable[str]:
        if not self.app.is_open or self.sessions.rows:
            return ()
        if self.question.query or self.question.scope == "project":
            why = wrap(f"Nothing like that. {self._remark}", canvas.columns)
            return ("", *why, "", "Esc clears the search.")
        from pollux.draw.empty import places_table
        from pollux.errors import PolluxError

        try:
            return ("", *places_table(canvas, self.app.library))
        except PolluxError as error:  # the cache was cleared meanwhile, or cannot be used at all
            problem = self.app.library.index.cache_problem
            if problem is None and not self.app.keeping_up.could_store:
                problem = "What was read could not be stored: `pollux sync` says why."
            hint = "`pollux list` and `pollux search` work without it." if problem else "F5 reads the sessions again."
            return ("", *wrap(one_line(problem or str(error)), canvas.columns), "", hint)

    def _tell(self) -> None:
        """Say how many sessions there are, and of which."""
        words = self._status
        words += f" · {_SCOPES[self.question.scope]}" if self.question.scope != "all" else ""
        if self.app.keeping_up.is_looking or self._is_slow:
            words += " · searching …" if self._is_slow else " · looking …"
        self.query_one(Status).say(words)
        if self._remark:
            self.footer.say(self._remark, "warn")
        elif self.footer.sentence == self._said:
            self.footer.quiet()
        self._said = self._remark

    def synced(self) -> None:
        """The cache is newer now: show what changed."""
        self.sessions.forget()
        self._show_emptiness()
        self.ask()
        if (problem := self.app.library.marks.problem) is not None and problem != self._problem:
            self.footer.say(problem, "warn")
            self._problem = problem

    def grow(self) -> None:
        """More files may be read now: ask for what is not on the list yet, unless that was asked already."""
        if self._may_grow and not self._grows and self._answered == self.question:
            self._grows = True
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

    def _ask_for_more(self) -> None:
        """The person has come to the last of what was found."""
        if self._more and self._answered == self.question:
            self.ask(hits=self.question.hits * MORE)

    def _renew_preview(self) -> None:
        """Preview the session under the cursor: at once, so that the list and its preview are one frame."""
        view = self.query_one("#preview", TextView)
        if view.display and self.app.is_open:
            view.changed(top=True)

    def on_line_list_chosen(self, _event: LineList.Chosen) -> None:
        """A click on the selected row opens it."""
        self.action_open()
