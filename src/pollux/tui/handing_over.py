"""Handing a session over to another agent: what would be written is shown first."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from pollux.errors import CannotResume, PolluxError
from pollux.library.redaction import redactor
from pollux.text.shell import shell_line
from pollux.tui.lending import lend
from pollux.tui.overlays.ask import Ask
from pollux.tui.overlays.handoff import HandoffScreen
from pollux.tui.overlays.menu import Menu, numbered

if TYPE_CHECKING:
    from pollux.library.handoff.plan import HandoffPlan
    from pollux.tui.app import PolluxApp


class Wanted(NamedTuple):
    """What was chosen: the agent, the folder if it is another one than the session's, and whether without secrets."""

    agent: str
    folder: str | None = None
    clean: bool = False

    @property
    def options(self) -> list[str]:
        """The same on the command line."""
        within = ["--in", self.folder] if self.folder else []
        return ["--to", self.agent, *within, *(["--redact"] if self.clean else [])]


class HandingOver:
    """The way from a key to another agent and back."""

    def __init__(self, app: PolluxApp, key: str) -> None:
        self._app = app
        self._key = key

    def choose(self) -> None:
        """Ask to which agent. Nobody goes on with the sample."""
        if self._app.is_sample:
            self._app.say("The bundled sample is invented and read-only: no agent can go on with it.", "warn")
            return
        agents = self._app.library.handoff.agents()
        choices = numbered((title, name) for name, title in agents.items())
        self._app.push_screen(Menu("Hand over to", choices), self._chose)

    def _chose(self, agent: str | None) -> None:
        if agent is not None:
            self._plan(Wanted(agent))

    def _plan(self, wanted: Wanted) -> None:
        """Plan it in a thread, as the whole session is read; then show the plan, if the person still waits for it."""
        self._app.say("Reading …")
        self._app.run_worker(self._show(wanted), exclusive=True, group="handoff")

    async def _show(self, wanted: Wanted) -> None:
        app, screen = self._app, self._app.screen
        try:
            plan = await asyncio.to_thread(self._planned, wanted)
        except CannotResume as error:
            if error.reason == "folder" and app.screen is screen:
                app.quiet()
                self._ask_folder(f"{error} Another folder to go on in", wanted)
            else:
                self._say(error)
        except PolluxError as error:
            self._say(error)
        else:
            if app.screen is screen:
                app.quiet()
                home = str(app.library.user_home)
                app.push_screen(HandoffScreen(plan, home), lambda choice: self._act(plan, choice, wanted))

    def _planned(self, wanted: Wanted) -> HandoffPlan:
        library = self._app.library
        try:
            remover = redactor(library.settings_file, library.user_home) if wanted.clean else None
            return library.handoff.plan(self._key, wanted.agent, folder=wanted.folder, redactor=remover)
        finally:
            library.close()  # what this thread has open

    def _ask_folder(self, question: str, wanted: Wanted) -> None:
        def typed(folder: str | None) -> None:
            if folder:
                self._plan(wanted._replace(folder=folder))

        self._app.push_screen(Ask(question, wanted.folder or self._app.here), typed)

    def _act(self, plan: HandoffPlan, choice: str | None, wanted: Wanted) -> None:
        match choice:
            case "go":
                self._write(plan, go=True)
            case "write":
                self._write(plan, go=False)
            case "redact":
                self._plan(wanted._replace(clean=not wanted.clean))
            case "folder":
                self._ask_folder("Go on in", wanted)
            case "copy":
                line = shell_line("pollux", "handoff", self._key, *wanted.options)
                self._app.copy(line, line)

    def _write(self, plan: HandoffPlan, *, go: bool) -> None:
        handoff = self._app.library.handoff
        try:
            handoff.write(plan)
            if go:
                handoff.take_over(plan)
        except PolluxError as error:
            self._say(error)
            return
        undo = shell_line("pollux", "handoff", plan.key or plan.id, "--undo")
        if go:
            lend(self._app, plan, plan.agent_title)
        else:
            self._app.action_sync()
            self._app.say(f"Written: {plan.line} goes on with it, and {undo} takes it back.")

    def _say(self, error: PolluxError) -> None:
        self._app.say(" ".join(filter(None, [str(error), error.hint])), "warn")
