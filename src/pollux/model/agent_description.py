"""The facts that other formats need about the program that recorded a session."""

from __future__ import annotations

from pollux.model.base import Value


class AgentDescription(Value, frozen=True, kw_only=True):
    """The names that other formats have for a recording program, and what a session says of its git checkout.

    `program` is the program's own name and `harness` its name in normalized events. `vendor` serves its models. `trace`
    is the name of its files where they are signed. `answered` says that a call's time is the time of its outcome.
    `branch`, `revision` and `repository` are those of the git checkout.
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
