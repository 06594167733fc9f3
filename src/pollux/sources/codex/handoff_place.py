"""Where Codex CLI finds a conversation that was handed over: among the threads of the day.

Codex CLI lists a thread by its first prompt, unless a line in `session_index.jsonl` names it. It only ever adds lines
to that file, and the last one about a thread counts; so pollux adds one, too. Once Codex CLI has a database of its
threads, its list has only those in there; it adds a thread when it resumes it.
"""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import msgspec

from pollux.errors import CannotResume
from pollux.sources.codex import find
from pollux.sources.codex.resume_command import PROGRAM, present_provider
from pollux.sources.handoff_place import AppendedLine, HandoffPlace, HandoffRequest
from pollux.sources.resume_command import home_variable
from pollux.text.surrogates import replace_surrogates

INSTRUCTIONS = "AGENTS.md"

_UNLISTED = "The list of `codex resume` has it as soon as the command has run once."


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
        appended=_name(request, root),
        environ=home_variable(request, "CODEX_HOME", root.parent, request.home / ".codex"),
        provider=present_provider(root.parent),
        warnings=(_UNLISTED,) if any(root.parent.glob("state_*.sqlite")) else (),
    )


def _name(request: HandoffRequest, root: Path) -> AppendedLine | None:
    """The line that gives a thread its name; None for a conversation without one."""
    name = " ".join((request.title or "").split())
    if not name:
        return None
    updated = request.at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds")
    line = {"id": request.id, "thread_name": replace_surrogates(name), "updated_at": f"{updated}Z"}
    return AppendedLine(
        path=root.parent / "session_index.jsonl", line=msgspec.json.encode(line) + b"\n", what="its name"
    )
