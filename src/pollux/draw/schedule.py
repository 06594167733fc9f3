"""The timer of the archive, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.times import ago
from pollux.draw.width import wrap
from pollux.system.clock import now
from pollux.text.escape import one_line, visible
from pollux.text.figures import tilde

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.draw.canvas import Canvas
    from pollux.library.doctor import Archiving
    from pollux.library.schedule import Schedule
    from pollux.system.timers import Piece


def timer(canvas: Canvas, schedule: Schedule, home: str, *, changed: bool) -> Iterator[str]:
    """The timer that is installed; then the one that would be, if it differs."""
    installed, planned = schedule.installed, schedule.planned
    if installed is None:
        yield "No timer is installed."
    else:
        state = {True: "", False: ", but it does not run", None: ""}[installed.active]
        style = "bad" if installed.active is False else "good"
        yield canvas.paint(f"{installed.using} runs `pollux archive run` {often(installed.every)}{state}.", style)
        if not changed:
            yield from _pieces(canvas, installed.pieces, home)
            yield ""
    yield f"The archive was last run: {ago(schedule.ran, now()) if schedule.ran is not None else 'never'}."
    if installed is not None and installed.current:
        yield from (canvas.paint(line, "dim") for line in wrap(planned.advice, canvas.columns))
        return
    yield ""
    instead = " instead" if installed is not None else ""
    yield f"With --install, {planned.using} would run it {often(planned.every)}{instead}:"
    yield from _pieces(canvas, planned.pieces, home)


def _pieces(canvas: Canvas, pieces: tuple[Piece, ...], home: str) -> Iterator[str]:
    for piece in pieces:
        yield ""
        yield canvas.paint(f"  {one_line(tilde(piece.place, home))}", "bold")
        yield from (canvas.paint(f"    {visible(line)}".rstrip(), "dim") for line in piece.text.splitlines())


def removed(kinds: list[str]) -> Iterator[str]:
    """The timers that were removed."""
    yield f"The timer of {' and '.join(kinds)} is removed." if kinds else "There was no timer to remove."


def often(every: str | None) -> str:
    """A period in words."""
    if every in ("daily", "weekly"):
        return every
    return f"every {every}" if every is not None else "now and then"


def regularity(canvas: Canvas, state: Archiving) -> Iterator[str]:
    """When the archive was last run, and who runs it."""
    for line in wrap(regularity_words(state), canvas.columns):
        yield canvas.paint(line, "warn" if state.overdue else "dim")


def regularity_words(state: Archiving) -> str:
    """When the archive was last run, and who runs it, as sentences."""
    text = (
        f"The archive was last run: {ago(state.ran, now())}." if state.ran is not None else "The archive was never run."
    )
    if state.every is not None:
        text += f" {state.using} is to run it {often(state.every)}."
        text += " That is overdue: see pollux archive schedule." if state.overdue else ""
    elif state.keeping:
        text += " Every pollux command runs it, and no timer: see pollux archive schedule."
    else:
        text += " No timer runs it: see pollux archive schedule."
    return text
