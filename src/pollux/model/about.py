"""What other formats want to know of the program that recorded a session."""

from __future__ import annotations

from pollux.model.base import Value


class About(Value, frozen=True, kw_only=True):
    """The names a recording program goes by elsewhere, and what a session tells of its surroundings.

    `program` is its own name, `harness` the one in normalized events, `vendor` whoever serves the models, `trace` what
    its files are called where they are signed. `answered` says that a call's time is that of its outcome. `branch`,
    `revision` and `repository` are those of a git checkout.
    """

    program: str
    harness: str
    vendor: str | None = None
    trace: str | None = None
    answered: bool = False
    version: str | None = None
    branch: str | None = None
    revision: str | None = None
    repository: str | None = None
