"""Where OpenCode looks for servers and skills."""

from __future__ import annotations

from pathlib import Path

from pollux.sources.tool_host import Scope, ServerSettings, SkillFolder, Surroundings


def home_folder(around: Surroundings) -> Path:
    """The folder of its settings."""
    named = around.environ.get("XDG_CONFIG_HOME", "")
    return (Path(named) if named else around.home / ".config") / "opencode"


def server_settings(around: Surroundings) -> list[ServerSettings]:
    """For the user, and for the project."""
    return [
        ServerSettings(
            scope=scope,
            file=_file(folder),
            format="json",
            names=("mcp",),
            extra={"type": "local"},
            joined=True,
        )
        for scope, folder in ((Scope.USER, home_folder(around)), (Scope.PROJECT, around.folder))
    ]


def _file(folder: Path) -> Path:
    """The file with settings: with comments if there is one, which OpenCode reads last."""
    commented = folder / "opencode.jsonc"
    return commented if commented.is_file() else folder / "opencode.json"


def skill_folders(around: Surroundings) -> list[SkillFolder]:
    """For the user, and for the project: folders that several agents read."""
    return [
        SkillFolder(scope=Scope.USER, folder=around.home / ".agents" / "skills"),
        SkillFolder(scope=Scope.PROJECT, folder=around.folder / ".agents" / "skills"),
    ]
