"""Lending the terminal to an agent: it has all of it until it ends."""

from __future__ import annotations

import contextlib
import signal
import subprocess
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from pollux.tui.opening.terminal import OpenedTerminal

if TYPE_CHECKING:
    from pollux.system.programs import Start
    from pollux.tui.app import PolluxApp


def lend(app: PolluxApp, plan: Start, title: str) -> None:
    """Give the terminal to an agent, take it back, and say how it ended. `title` is the agent's."""
    try:
        with app.suspend(), OpenedTerminal().lent():
            status = _run(plan, app.environ)
        app.typed.forget()
    except SuspendNotSupported:
        app.copy(plan.line, "This terminal cannot be lent. The command")
    except OSError as error:
        app.say(f"{plan.program} cannot be started: {error.strerror}.", "bad")
    else:
        app.action_sync()
        app.say(f"Back from {title}.{_ended(status)}")


def _run(plan: Start, environ: dict[str, str]) -> int:
    """Run the agent to its end. A key that interrupts is for the agent."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        done = subprocess.run(  # noqa: S603 (the agent's own command, which was shown)
            plan.words, executable=plan.program, cwd=plan.folder, env=plan.environment(environ), check=False
        )
    finally:
        signal.signal(signal.SIGINT, before)
    return done.returncode


def _ended(status: int) -> str:
    """How it ended, unless that was well."""
    with contextlib.suppress(ValueError):  # no signal's number
        return f" It was ended by {signal.Signals(-status).name}."
    return f" It ended with the status {status}." if status else ""
