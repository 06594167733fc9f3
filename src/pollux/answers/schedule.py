"""The timer that keeps: `archive schedule`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pollux.library.schedule import InstalledTimer, PlannedTimer, Schedule
    from pollux.system.timers.base import Piece


def schedule_document(schedule: Schedule) -> dict[str, Any]:
    """`pollux archive schedule --json`."""
    installed = schedule.installed
    return {
        "installed": _installed(installed) if installed is not None else None,
        "planned": _planned(schedule.planned),
        "ran": schedule.ran,
    }


def removed_document(timers: Sequence[str]) -> dict[str, Any]:
    """`pollux archive schedule --remove --json`."""
    return {"removed": timers}


def _installed(timer: InstalledTimer) -> dict[str, Any]:
    return {
        "using": timer.using,
        "every": timer.every,
        "active": timer.active,
        "current": timer.current,
        "pieces": _pieces(timer.pieces),
    }


def _planned(timer: PlannedTimer) -> dict[str, Any]:
    return {
        "using": timer.using,
        "every": timer.every,
        "command": timer.command,
        "environment": timer.environment,
        "pieces": _pieces(timer.pieces),
        "advice": timer.advice,
    }


def _pieces(pieces: Iterable[Piece]) -> list[dict[str, str]]:
    return [{"place": piece.place, "text": piece.text} for piece in pieces]
