"""The application: its screens, and what they share."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from textual.app import App
from textual.events import Event, Key, Paste

from pollux.tui.bindings import bindings, keymap
from pollux.tui.colourless import Colourless
from pollux.tui.keeping_up import KeepingUp
from pollux.tui.keys import ANYWHERE, KEYS, of_place
from pollux.tui.list.screen import ListScreen
from pollux.tui.opening.collector import spare_the_collector
from pollux.tui.opening.endings import on_ending
from pollux.tui.palettes import DARK, PALETTES
from pollux.tui.themes import theme
from pollux.tui.typed import TypedKeys
from pollux.tui.widgets.footer import FooterLine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from textual.filter import LineFilter
    from textual.screen import Screen

    from pollux.library.library import Library, ListEntry
    from pollux.tui.keys import Key as TableKey
    from pollux.tui.list.question import Question
    from pollux.tui.opening.first import First
    from pollux.tui.pages.page import Page


class PolluxApp(App[None]):
    """Holds the library. The list is its first screen and stays below all others."""

    CSS_PATH = Path(__file__).with_name("app.tcss")
    BINDINGS = bindings(ANYWHERE)
    ENABLE_COMMAND_PALETTE = False
    VERTICAL_BREAKPOINTS = [(0, "-low"), (12, "-high")]
    TITLE = "pollux"
    greeting = ""
    """What the last line says first."""
    is_sample = False
    """Are the sessions the bundled sample?"""

    def __init__(
        self,
        open_library: Callable[[], Library],
        question: Question,
        first: First | None = None,
        keys: tuple[TableKey, ...] = KEYS,
        palette: str = DARK.name,
    ) -> None:
        self.environ = dict(os.environ)  # before Textual takes NO_COLOR out of it
        super().__init__()
        self.animation_level = "none"
        self.keys = keys
        self.here = question.project or ""
        self.is_open = False
        self._open_library = open_library
        self._opening = Lock()
        self._library: Library | None = None
        self.last_read: str | None = None
        self.ended_by: int | None = None
        self.dropped_signals: list[int] = []
        self.list_screen = ListScreen(question, first)
        self.typed = TypedKeys(self, self._take)
        self.keeping_up = KeepingUp(self)
        self._is_starting = True
        for one in PALETTES.values():
            self.register_theme(theme(one))
        self.theme = palette
        self.set_keymap(keymap(keys))

    async def on_event(self, event: Event) -> None:
        """What is typed is taken key by key."""
        if isinstance(event, (Key, Paste)) and not event.is_forwarded:
            await self.typed.add(event)
        else:
            await super().on_event(event)

    async def _take(self, event: Key | Paste) -> None:
        """Take a key. With it, what the last line said has been read."""
        if isinstance(event, Key):
            self.quiet()
        await super().on_event(event)

    @property
    def is_opening(self) -> bool:
        """Is what the next key is meant for not there yet?"""
        return self._is_starting or getattr(self.screen, "is_opening", False)

    def opened(self) -> None:
        """It is there now."""
        self.call_later(self.typed.go_on)

    def leaves(self, event: Key) -> bool:
        """Does a key lead away from what is being opened?"""
        if self._is_starting:
            return False
        ways = ((self.place, "back"), (ANYWHERE, "leave"))
        return any(event.key in key.keys and (key.place, key.action) in ways for key in self.keys)

    @property
    def library(self) -> Library:
        """The library, opened when it is first needed: by then the first screen is drawn."""
        with self._opening:
            if self._library is None:
                self._library = self._open_library()
            return self._library

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What is done to every line."""
        return [Colourless()] if self.no_color else super().get_line_filters()

    def entries(self, keys: Iterable[str]) -> list[ListEntry]:
        """Summaries of a few sessions; none where the cache cannot be asked now."""
        from pollux.errors import PolluxError

        try:
            return self.library.index.entries(keys)
        except PolluxError:
            return []

    def close_library(self) -> None:
        """Let go of what this thread has open."""
        if self._library is not None:
            self._library.close()

    def agents(self) -> list[str]:
        """The names of all agents."""
        from pollux import registry

        return registry.source_names()

    def get_default_screen(self) -> Screen[None]:
        """The list."""
        return self.list_screen

    def on_mount(self) -> None:
        """What ends it from outside gives the terminal back first."""
        on_ending(self._end, has_terminal=not self.is_headless)
        if self.dropped_signals:  # while Textual was imported
            self._end(self.dropped_signals[0])

    def on_unmount(self) -> None:
        """Nobody looks for changes any more."""
        self.keeping_up.end()

    def _end(self, number: int) -> None:
        self.ended_by = number
        self.exit()

    def fail(self, error: Exception) -> None:
        """End with what went wrong inside of a thread."""
        self.call_later(self._handle_exception, error)

    @property
    def failure(self) -> Exception | None:
        """What went wrong inside, if that ended the app."""
        return self._exception

    def _fatal_error(self) -> None:
        """Give the terminal back, and write nothing: `failure` is told as that of every command is."""
        self._close_messages_no_wait()

    def on_ready(self) -> None:
        """The first frame is drawn: look for what changed."""
        self._is_starting = False
        self.opened()
        self.list_screen.ask()
        if self.greeting:
            self.say(self.greeting)

    def answered(self) -> None:
        """The library has answered for the first time: look for what changed."""
        if not self.is_open:
            self.is_open = True
            spare_the_collector()
            self.keeping_up.begin()

    # ------------------------------------------------------------------ what screens ask for

    def say(self, sentence: str, style: str = "text") -> None:
        """Say what happened, in the last line of the screen."""
        for footer in self.screen.query(FooterLine):
            footer.say(sentence, style)

    def quiet(self) -> None:
        """Take back what was said."""
        for footer in self.screen.query(FooterLine):
            footer.quiet()

    def read(self, key: str, message: str | None = None) -> None:
        """Open a session."""
        from pollux.tui.reader.screen import ReaderScreen

        self.last_read = key
        self.push_screen(ReaderScreen(key, message), lambda _: self.returned())

    def returned(self) -> None:
        """A session was closed."""
        if isinstance(self.screen, ListScreen):
            self.list_screen.returned()

    def marked(self, key: str) -> None:
        """Something was marked or read: the list shows it."""
        if self.is_running and self.list_screen.is_attached:
            self.list_screen.sessions.redraw_session(key)

    def copy(self, text: str, name: str) -> None:
        """Copy a text, and say how."""
        from pollux.tui.clipboard import copy

        self.say(f"{name}: {copy(text, self.copy_to_clipboard)}.")

    def resume(self, key: str, *, fork: bool = False) -> None:
        """Go on with a session in its agent."""
        from pollux.tui.resuming import Resuming

        Resuming(self, key).plan(fork=fork)

    def hand_over(self, key: str) -> None:
        """Hand a session over to another agent."""
        from pollux.tui.handing_over import HandingOver

        HandingOver(self, key).choose()

    # ------------------------------------------------------------------ actions

    @property
    def place(self) -> str:
        """Where the person is, as the table of keys has it."""
        return getattr(self.screen, "PLACE", ANYWHERE)

    def action_help(self) -> None:
        """All keys."""
        from pollux.tui.overlays.help import Help

        if not self.screen.is_modal:
            self.push_screen(Help(self.place, self.keys))

    def action_palette(self) -> None:
        """All commands by name."""
        from pollux.tui.overlays.palette import Palette

        if not self.screen.is_modal:
            self.push_screen(Palette(of_place(self.place, self.keys)), self._run_chosen)

    async def _run_chosen(self, key: TableKey | None) -> None:
        if key is not None:
            await self.run_action(key.action, self if key.place == ANYWHERE else self.screen)

    def _open_page(self, page: Page) -> None:
        from pollux.tui.pages.screen import PageScreen

        if self.screen.is_modal:
            return
        if isinstance(self.screen, PageScreen):
            self.pop_screen()
        self.push_screen(PageScreen(page))

    def action_usage(self) -> None:
        """What was used, and what it cost."""
        from pollux.tui.pages.usage import UsagePage

        self._open_page(UsagePage())

    def action_timeline(self) -> None:
        """What was used when."""
        from pollux.tui.pages.timeline import TimelinePage

        self._open_page(TimelinePage())

    def action_doctor(self) -> None:
        """What pollux could read, and what not."""
        from pollux.tui.pages.doctor import DoctorPage

        self._open_page(DoctorPage())

    def action_sync(self) -> None:
        """Look for what changed."""
        self.keeping_up.look()

    def action_leave(self) -> None:
        """Leave."""
        self.exit()

    def action_theme(self) -> None:
        """The next theme."""
        names = list(PALETTES)
        self.theme = names[(names.index(self.theme) + 1) % len(names)]
        self.refresh(layout=False)
        self.say(f"Colours: {self.theme.removeprefix('pollux-')}")
