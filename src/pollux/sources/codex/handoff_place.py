"""Where Codex CLI finds a conversation that was handed over: among the threads of the day."""

from __future__ import annotations

from pollux.errors import CannotResume
from pollux.sources.codex import find
from pollux.sources.codex.resume_command import PROGRAM
from pollux.sources.handoff_place import HandoffPlace, HandoffRequest
from pollux.sources.resume_command import home_variable

INSTRUCTIONS = "AGENTS.md"


def handoff_place(request: HandoffRequest) -> HandoffPlace:
    """`sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`, by local time, and `codex resume ID`."""
    root = next((root for root in request.roots if root.name == find.LIVE), None)
    if root is None:
        raise CannotResume(
            "home",
            f"Codex CLI looks for sessions only in a folder {find.LIVE!r}, and cannot be told to look in "
            f"{request.roots[0]}.",
            f"Unset CODEX_SESSIONS_DIR, or name a folder {find.LIVE!r}.",
        )
    at = request.at.astimezone()
    return HandoffPlace(
        file=root / f"{at:%Y}" / f"{at:%m}" / f"{at:%d}" / f"rollout-{at:%Y-%m-%dT%H-%M-%S}-{request.id}.jsonl",
        root=root,
        words=(PROGRAM.name, "resume", request.id),
        environ=home_variable(request, "CODEX_HOME", root.parent, request.home / ".codex"),
    )
