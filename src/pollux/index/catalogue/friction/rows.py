"""The rows of the friction in a session."""

from __future__ import annotations

from pollux.index.catalogue.friction.find import frictions
from pollux.index.catalogue.rollups import Row, micros
from pollux.model import Session

_LARGEST = 1 << 31
"""No exit code is as large."""


def friction_rows(session: Session) -> list[Row]:
    """The rows of a session in order."""
    return [
        (
            *(case.kind, case.message_id, case.place, micros(case.at), micros(case.moment), case.fate, case.inherited),
            *(case.what, case.status, _storable(case.exit_code), case.earlier, case.edits_between, case.undoing),
        )
        for case in frictions(session)
    ]


def _storable(code: int | None) -> int | None:
    return code if code is not None and -_LARGEST <= code <= _LARGEST else None
