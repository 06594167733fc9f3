"""What a reader noticed about damaged or unfamiliar input."""

from __future__ import annotations

from enum import StrEnum

from pollux.model.base import Value


class Severity(StrEnum):
    """How much it matters: nothing was lost, a detail is odd, or a record could not be read."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Notice(Value, frozen=True, kw_only=True):
    """One remark about the input.

    `code` is stable and documented, `text` is for people, `subject` names what was unfamiliar (a record kind, a
    field) so that many notices can be counted together, `count` says how often the same remark was made.
    """

    code: str
    text: str
    severity: Severity = Severity.WARNING
    file: str | None = None
    line: int | None = None
    subject: str | None = None
    count: int = 1
