"""Where Copilot CLI looks for servers and skills."""

from __future__ import annotations

from pathlib import Path

from pollux.sources.tool_host import Scope, ServerSettings, SkillFolder, Surroundings
from pollux.system.named_path import named_path


def home_folder(around: Surroundings) -> Path:
    """The agent's own folder."""
    named = around.environ.get("COPILOT_HOME", "")
    return named_path(named) if named else around.home / ".copilot"


def server_settings(around: Surroundings) -> list[ServerSettings]:
    """For the user. An entry names the tools that may be used: all."""
    return [
        ServerSettings(
            scope=Scope.USER,
            file=home_folder(around) / "mcp-config.json",
            format="json",
            names=("mcpServers",),
            extra={"type": "local", "tools": ["*"]},
        )
    ]


def skill_folders(around: Surroundings) -> list[SkillFolder]:
    """For the user, and for the project."""
    return [
        SkillFolder(scope=Scope.USER, folder=home_folder(around) / "skills"),
        SkillFolder(scope=Scope.PROJECT, folder=around.folder / ".github" / "skills"),
    ]
