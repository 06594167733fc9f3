"""Handing a session over to another agent: what would be written is shown first."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pollux.errors import CannotResume, PolluxError
from pollux.text.shell import shell_line
from pollux.tui.lending import lend
from pollux.tui.overlays.ask import Ask
from pollux.tui.overlays.handoff import HandoffScreen
from pollux.tui.overlays.menu import Menu, numbered

if TYPE_CHECKING:
    from pollux.library.handoff.plan import HandoffPlan
    from pollux.tui.app import PolluxApp


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
            self._plan(agent)

    def _plan(self, agent: str, folder: str | None = None) -> None:
        """Plan it in a thread, as the whole session is read; then show the plan, if the person still waits for it."""
        self._app.say("Reading …")
        self._app.run_worker(self._show(agent, folder), exclusive=True, group="handoff")

    async def _show(self, agent: str, folder: str | None) -> None:
        app, screen = self._app, self._app.screen
        try:
            plan = await asyncio.to_thread(self._planned, agent, folder)
        except CannotResume as error:
            if error.reason == "folder" and app.screen is screen:
                app.quiet()
                self._ask_folder(f"{error} Another folder to go on in", agent, folder)
            else:
                self._say(error)
        except PolluxError as error:
            self._say(error)
        else:
            if app.screen is screen:
                app.quiet()
                home = str(app.library.user_home)
                app.push_screen(HandoffScreen(plan, home), lambda choice: self._act(plan, choice, folder))

    def _planned(self, agent: str, folder: str | None) -> HandoffPlan:
        library = self._app.library
        try:
            return library.handoff.plan(self._key, agent, folder=folder)
        finally:
            library.close()  # what this thread has open

    def _ask_folder(self, question: str, agent: str, before: str | None) -> None:
        def typed(folder: str | None) -> None:
            if folder:
                self._plan(agent, folder)

        self._app.push_screen(Ask(question, before or self._app.here), typed)

    def _act(self, plan: HandoffPlan, choice: str | None, folder: str | None) -> None:
        match choice:
            case "go":
                self._write(plan, go=True)
            case "write":
                self._write(plan, go=False)
            case "folder":
                self._ask_folder("Go on in", plan.agent, folder)
            case "copy":
                within = ("--in", folder) if folder else ()
                line = shell_line("pollux", "handoff", self._key, "--to", plan.agent, *within)
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
