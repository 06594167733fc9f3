"""Where Qwen Code looks for servers and skills."""

from __future__ import annotations

from pathlib import Path

from pollux.sources.tool_host import Scope, ServerSettings, SkillFolder, Surroundings
from pollux.system.named_path import named_path

_NAMES = ("mcpServers",)
_PATIENCE = 600.0


def home_folder(around: Surroundings) -> Path:
    """The agent's own folder."""
    named = around.environ.get("QWEN_HOME", "")
    return around.folder / named_path(named) if named else around.home / ".qwen"


def server_settings(around: Surroundings) -> list[ServerSettings]:
    """For the user, and for the project."""
    return [
        ServerSettings(
            scope=scope,
            file=folder / "settings.json",
            format="json",
            names=_NAMES,
            patience=_PATIENCE,
            add=("qwen", "mcp", "add", "-s", str(scope)),
        )
        for scope, folder in ((Scope.USER, home_folder(around)), (Scope.PROJECT, around.folder / ".qwen"))
    ]


def skill_folders(around: Surroundings) -> list[SkillFolder]:
    """For the user, and for the project."""
    return [
        SkillFolder(scope=Scope.USER, folder=home_folder(around) / "skills"),
        SkillFolder(scope=Scope.PROJECT, folder=around.folder / ".qwen" / "skills"),
    ]
