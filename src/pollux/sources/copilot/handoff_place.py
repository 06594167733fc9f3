"""Where Copilot CLI finds a conversation that was handed over: in a folder with the session's id as its name.

What the folder says about the session, with its title, is in a small file beside the events.
"""

from __future__ import annotations

from datetime import UTC

from pollux.errors import CannotResume
from pollux.sources.copilot import find
from pollux.sources.copilot.resume_command import PROGRAM
from pollux.sources.handoff_place import HandoffPlace, HandoffRequest, NewFile
from pollux.sources.resume_command import home_variable
from pollux.text.surrogates import replace_surrogates
from pollux.writers.json import encode

INSTRUCTIONS = "AGENTS.md"


def handoff_place(request: HandoffRequest) -> HandoffPlace:
    """`session-state/<id>/events.jsonl`, and `copilot --resume ID`."""
    root = next((root for root in request.roots if root.name == find.FOLDER), None)
    if root is None:
        raise CannotResume(
            "home",
            f"Copilot CLI looks for sessions only in a folder {find.FOLDER!r}, and cannot be told to look in "
            f"{request.roots[0]}.",
            f"Name a folder {find.FOLDER!r}.",
        )
    folder = root / request.id
    return HandoffPlace(
        file=folder / find.EVENTS_NAME,
        root=root,
        words=(PROGRAM.name, "--resume", request.id),
        environ=home_variable(request, "COPILOT_HOME", root.parent, request.home / ".copilot"),
        beside=(NewFile(path=folder / find.WORKSPACE_NAME, content=_workspace(request)),),
    )


def _workspace(request: HandoffRequest) -> bytes:
    """The session's id, folder, title and time, as lines of YAML; a text in quotation marks is one of JSON, too."""
    at = request.at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds")
    title = replace_surrogates(" ".join((request.title or "").split()))
    lines = {"id": request.id, "cwd": encode(replace_surrogates(request.folder))}
    if title:
        lines |= {"name": encode(title), "user_named": "true"}
    lines |= {"summary_count": "0", "fork_count": "0", "created_at": f"{at}Z", "updated_at": f"{at}Z"}
    return "".join(f"{name}: {value}\n" for name, value in lines.items()).encode()
