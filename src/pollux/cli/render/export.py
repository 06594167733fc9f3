"""An export on the screen, and the lines about one to a file or a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pollux.cli.terminal.screen import talk
from pollux.errors import OutputError, RequestError, Unreadable
from pollux.text.escape import visible
from pollux.text.figures import plural
from pollux.writers.base import Binary, Dataset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pollux.cli.terminal.screen import Screen
    from pollux.export.run import Outcome
    from pollux.export.service import Exporter
    from pollux.model import Session

LARGE_PAGE = 30_000_000
NAMED = 5


def print_session(screen: Screen, exporter: Exporter, session: Session) -> None:
    """Print a session; control characters stay out of a terminal."""
    writer = exporter.writer
    if screen.terminal and isinstance(writer, Binary | Dataset):
        raise RequestError(f"{writer.name} is binary: a terminal cannot show it.", "Try: -o FILE or -o FOLDER/")
    if isinstance(writer, Binary):
        exporter.write(session, screen.raw)
        return
    show = screen.document if writer.suffix.endswith((".json", ".jsonl")) else screen.readable
    exporter.write(session, lambda piece: screen.raw(piece) if isinstance(piece, bytes) else show(piece))


def warn_of_size(exporter: Exporter) -> None:
    """Warn of a page that is so large that a browser opens it slowly."""
    megabytes = exporter.size // 1_000_000
    if exporter.writer.name == "html" and exporter.size > LARGE_PAGE:
        talk(f"The page has {megabytes} MB, which a browser opens slowly. -o FOLDER/ writes it in parts.")


def tell(outcome: Outcome, path: str) -> None:
    """Say where the sessions are, and which files were not touched. Raises where a session was not written."""
    unwritten = set(outcome.unwritten)
    files = [entry.file for entry in outcome.entries if entry.summary.key not in unwritten]
    if files:
        where = str(Path(path) / files[0]) if len(files) == 1 else path
        talk(f"{plural(len(files), 'session')} written to {visible(where)}")
    if outcome.older:
        older = _names(outcome.older)
        talk(f"{plural(len(outcome.older), 'file')} left alone, with sessions that are not in this export: {older}.")
    if outcome.foreign:
        raise OutputError(
            f"{plural(len(outcome.foreign), 'file')} not written, because pollux did not write what is there now: "
            f"{_names(outcome.foreign)}.",
            "--force overwrites.",
        )
    if outcome.unread:
        raise Unreadable(
            f"{plural(len(outcome.unread), 'session')} could not be read: {_names(outcome.unread)}.",
            "See pollux doctor.",
        )


def _names(names: Sequence[str]) -> str:
    return ", ".join(sorted(names)[:NAMED]) + (", …" if len(names) > NAMED else "")
