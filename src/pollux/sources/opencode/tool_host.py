"""Where OpenCode looks for servers and skills."""

from __future__ import annotations

from pathlib import Path

from pollux.sources.tool_host import Scope, ServerSettings, SkillFolder, Surroundings


def home_folder(around: Surroundings) -> Path:
    """The folder of its settings."""
    named = around.environ.get("XDG_CONFIG_HOME", "")
    return (Path(named) if named else around.home / ".config") / "opencode"


def server_settings(_around: Surroundings) -> list[ServerSettings]:
    """None that pollux writes: its settings have comments and a form of their own (`mcp.<name>.command` is a list)."""
    return []


def skill_folders(around: Surroundings) -> list[SkillFolder]:
    """For the user, and for the project: folders that several agents read."""
    return [
        SkillFolder(scope=Scope.USER, folder=around.home / ".agents" / "skills"),
        SkillFolder(scope=Scope.PROJECT, folder=around.folder / ".agents" / "skills"),
    ]
