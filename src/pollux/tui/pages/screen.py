"""The screen of a page: its lines are made in a thread, for the width of the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from textual.message import Message

from pollux.errors import PolluxError
from pollux.text.figures import plural
from pollux.tui.bindings import bindings
from pollux.tui.canvas import StripCanvas
from pollux.tui.keys import PAGES, of_place
from pollux.tui.latest import Latest
from pollux.tui.pages.page import Choice, Page
from pollux.tui.scrolling import Scrolling
from pollux.tui.widgets.footer import FooterLine
from pollux.tui.widgets.text_view import TextView
from pollux.tui.widgets.title import TitleLine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult

    from pollux.tui.app import PolluxApp

_ALWAYS = ("copy", "back", "help", "palette")
_PERIODS = {"day": "a day", "week": "a week", "month": "a month", "year": "a year", "all": "all time"}


class _Question(NamedTuple):
    choice: Choice
    columns: int


class PageScreen(Scrolling):
    """Shows one page. What was made before stays until the new lines are there."""

    PLACE = PAGES
    BINDINGS = bindings(PAGES)
    app: PolluxApp

    class Made(Message):
        """The lines are made, without what so many files hold that are not read yet."""

        def __init__(self, question: _Question, lines: list[str], unread_files: int) -> None:
            super().__init__()
            self.question = question
            self.lines = lines
            self.unread_files = unread_files

    def __init__(self, page: Page) -> None:
        super().__init__()
        self._page = page
        self._choice = Choice("all", page.options[0] if page.options else "")
        self._lines: list[str] = []
        self._unread_files = 0
        self._latest: Latest[_Question] | None = None

    def compose(self) -> ComposeResult:
        """The parts of the screen."""
        yield TitleLine()
        yield TextView(self._shown, id="page")
        yield FooterLine([key for key in of_place(PAGES, self.app.keys) if self._page.options or key.action in _ALWAYS])

    @property
    def view(self) -> TextView:
        """The lines."""
        return self.query_one(TextView)

    def on_mount(self) -> None:
        """Make the lines."""
        app = self.app  # a screen that was left meanwhile has none any more
        self._latest = Latest(lambda question: self._make(app, question), self._hear, app.fail, app.close_library)

    def on_unmount(self) -> None:
        """Let the thread end."""
        if self._latest is not None:
            self._latest.close(0)

    def on_resize(self) -> None:
        """The lines are made for a width."""
        self._ask()

    def _ask(self, **changes: str) -> None:
        self._choice = self._choice._replace(**changes)
        self._tell(done=False)
        if self._latest is not None:
            self._latest.ask(_Question(self._choice, max(self.size.width - 3, 20)))

    def _make(self, app: PolluxApp, question: _Question) -> object:
        """Ask the library, in a thread."""
        try:
            lines = list(self._page.lines(StripCanvas(question.columns), app.library, question.choice))
        except PolluxError as error:
            lines = [str(error), error.hint or ""]
        return self.Made(question, lines, app.library.index.unread_files)

    def _hear(self, made: object) -> None:
        assert isinstance(made, self.Made)  # noqa: S101 (the thread gives nothing else)
        self.post_message(made)

    def on_page_screen_made(self, event: Made) -> None:
        """Show the lines."""
        if event.question.choice == self._choice:
            self._lines, self._unread_files = event.lines, event.unread_files
            self.view.changed()
            self._tell(done=True)

    def _shown(self, _canvas: StripCanvas) -> Iterable[str]:
        return self._lines

    def _tell(self, *, done: bool) -> None:
        page, choice = self._page, self._choice
        facts = f"by {choice.by} · {_PERIODS[choice.period]}" if page.options else ""
        facts += f" · {plural(self._unread_files, 'file')} unread" if self._unread_files else ""
        facts += "" if done else " · adding up …"
        self.query_one(TitleLine).say(page.title, facts)

    # ------------------------------------------------------------------ actions

    @property
    def scrolled(self) -> TextView:
        """The lines."""
        return self.view

    def _period(self, period: str) -> None:
        if self._page.options:
            self._ask(period=period)

    def action_day(self) -> None:
        """The last day."""
        self._period("day")

    def action_week(self) -> None:
        """The last week."""
        self._period("week")

    def action_month(self) -> None:
        """The last month."""
        self._period("month")

    def action_year(self) -> None:
        """The last year."""
        self._period("year")

    def action_all(self) -> None:
        """All time."""
        self._period("all")

    def action_by(self) -> None:
        """Divide or measure by the next thing."""
        if options := self._page.options:
            self._ask(by=options[(options.index(self._choice.by) + 1) % len(options)])

    def action_copy(self) -> None:
        """Copy the command line of this page."""
        line = self._page.command_line(self._choice)
        self.app.copy(line, line)

    def action_back(self) -> None:
        """Close the page."""
        self.dismiss()
