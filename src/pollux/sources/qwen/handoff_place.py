"""Where Qwen Code finds a conversation that was handed over: in the folder named after the project's path."""

from __future__ import annotations

from pollux.errors import CannotResume
from pollux.sources.handoff_place import HandoffPlace, HandoffRequest
from pollux.sources.qwen.resume_command import PROGRAM, project_id
from pollux.sources.resume_command import home_variable

INSTRUCTIONS = "QWEN.md"

_FIRST = (0, 4)


def handoff_place(request: HandoffRequest) -> HandoffPlace:
    """`projects/<project>/chats/<id>.jsonl`, and `qwen --resume ID`."""
    if request.is_before(*_FIRST):
        raise CannotResume(
            "release",
            f"Qwen Code {'.'.join(map(str, request.release or ()))} cannot go on with a session.",
            "Update Qwen Code: 0.4 and later can.",
        )
    root = request.roots[0]
    return HandoffPlace(
        file=root / "projects" / project_id(request.folder) / "chats" / f"{request.id}.jsonl",
        root=root,
        words=(PROGRAM.name, "--resume", request.id),
        environ=home_variable(request, "QWEN_RUNTIME_DIR", root, request.home / ".qwen"),
    )
