"""Where Claude Code finds a conversation that was handed over: in the folder named after the project's path."""

from __future__ import annotations

from pollux.errors import CannotResume
from pollux.sources.claude.rehome import plain_name, short_name
from pollux.sources.claude.resume_command import PROGRAM
from pollux.sources.handoff_place import HandoffPlace, HandoffRequest
from pollux.sources.resume_command import home_variable

INSTRUCTIONS = "CLAUDE.md"

_FIRST_WITH_SHORT_NAMES = (2, 1, 112)


def handoff_place(request: HandoffRequest) -> HandoffPlace:
    """`projects/<project>/<id>.jsonl`, and `claude --resume ID`."""
    root = next((root for root in request.roots if root.name == "projects"), None)
    if root is None:
        raise CannotResume(
            "home",
            f"Claude Code looks for sessions only in a folder 'projects', and cannot be told to look in "
            f"{request.roots[0]}.",
            "Unset CLAUDE_PROJECTS_DIR, or name a folder 'projects'.",
        )
    has_long_names = request.is_before(*_FIRST_WITH_SHORT_NAMES)
    name = plain_name(request.folder) if has_long_names else short_name(request.folder)
    return HandoffPlace(
        file=root / name / f"{request.id}.jsonl",
        root=root,
        words=(PROGRAM.name, "--resume", request.id),
        environ=home_variable(request, "CLAUDE_CONFIG_DIR", root.parent, request.home / ".claude"),
    )
