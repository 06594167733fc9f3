"""How OpenCode takes a conversation over: from a file, by `opencode import`, which puts it into its database."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pollux.errors import CannotResume
from pollux.sources.handoff_place import HandoffPlace, HandoffRequest
from pollux.sources.opencode.resume_command import PROGRAM
from pollux.sources.resume_command import home_variable
from pollux.sources.settings import setting

INSTRUCTIONS = "AGENTS.md"

_FIRST = (1, 2, 16)
"""The first release that imports a session into the project of the folder in which it is run."""


def handoff_place(request: HandoffRequest) -> HandoffPlace:
    """A file of ours, `opencode import FILE`, and then `opencode --session ID`."""
    if request.is_before(*_FIRST):
        raise CannotResume(
            "release",
            f"OpenCode {'.'.join(map(str, request.release or ()))} cannot take a session over.",
            f"Update OpenCode: {'.'.join(map(str, _FIRST))} and later can.",
        )
    file = request.own / f"{request.id}.json"
    return HandoffPlace(
        file=file,
        root=None,
        before=(PROGRAM.name, "import", str(file)),
        words=(PROGRAM.name, "--session", request.id),
        environ=_data(request),
        provider=_model(request),
    )


def _data(request: HandoffRequest) -> dict[str, str | None]:
    """The variables that lead OpenCode to its data, and to another database in there."""
    default = request.home / ".local" / "share"
    moved = Path(request.environ.get("XDG_DATA_HOME") or default)
    database = request.environ.get("OPENCODE_DB")
    found = home_variable(request, "XDG_DATA_HOME", moved, default)
    return {**found, "OPENCODE_DB": database} if database else found


def _model(request: HandoffRequest) -> str | None:
    """The model that OpenCode uses now, as `provider/model`: that of its settings, or the last that was chosen."""
    settings = _folder(request, "XDG_CONFIG_HOME", ".config")
    for name in ("opencode.jsonc", "opencode.json"):
        if isinstance(model := setting(settings / name, "model"), str):
            return model
    recent = setting(_folder(request, "XDG_STATE_HOME", ".local", "state") / "model.json", "recent")
    last = recent[0] if isinstance(recent, list) and recent else None
    if isinstance(last, Mapping) and {"providerID", "modelID"} <= last.keys():
        return f"{last['providerID']}/{last['modelID']}"
    return None


def _folder(request: HandoffRequest, variable: str, *default: str) -> Path:
    named = request.environ.get(variable)
    return (Path(named) if named else request.home.joinpath(*default)) / PROGRAM.name
