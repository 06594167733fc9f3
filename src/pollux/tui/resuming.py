"""Going on with a session in its agent: the command is shown first, and the agent has the terminal meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.errors import CannotResume, PolluxError
from pollux.tui.lending import lend
from pollux.tui.overlays.ask import Ask
from pollux.tui.overlays.plan import PlanScreen

if TYPE_CHECKING:
    from pollux.library.resume.plan import ResumePlan
    from pollux.tui.app import PolluxApp


class Resuming:
    """The way from a key to the agent and back."""

    def __init__(self, app: PolluxApp, key: str) -> None:
        self._app = app
        self._key = key

    def plan(self, *, fork: bool = False, folder: str | None = None) -> None:
        """Show the command, or say why there is none. Where the folder is the reason, ask for another one.

        Nobody goes on with the sample.
        """
        if self._app.is_sample:
            self._app.say("The bundled sample is invented and read-only: no agent can go on with it.", "warn")
            return
        try:
            plan = self._app.library.resume.plan(self._key, fork=fork, folder=folder)
        except CannotResume as error:
            if error.reason == "folder":
                self._ask_folder(f"{error} Another folder to go on in", folder, fork=fork)
            else:
                self._say(error)
        except PolluxError as error:
            self._say(error)
        else:
            self._app.push_screen(PlanScreen(plan), lambda choice: self._chosen(plan, choice, folder))

    def _ask_folder(self, question: str, before: str | None, *, fork: bool) -> None:
        def typed(folder: str | None) -> None:
            if folder:
                self.plan(fork=fork, folder=folder)

        self._app.push_screen(Ask(question, before or self._app.here), typed)

    def _chosen(self, plan: ResumePlan, choice: str | None, folder: str | None) -> None:
        match choice:
            case "go":
                self._go(plan)
            case "fork":
                self.plan(fork=not plan.fork, folder=folder)
            case "folder":
                self._ask_folder("Go on in", folder, fork=plan.fork)
            case "handoff":
                self._app.hand_over(self._key)
            case "copy":
                self._app.copy(plan.line, "the command")

    def _go(self, plan: ResumePlan) -> None:
        """Keep the files, give the terminal to the agent, and take it back."""
        try:
            plan.require_ready()
            self._app.library.resume.keep(plan)
        except PolluxError as error:
            self._say(error)
        else:
            lend(self._app, plan, plan.title)

    def _say(self, error: PolluxError) -> None:
        self._app.say(" ".join(filter(None, [str(error), error.hint])), "warn")
