"""Where Gemini CLI looks for servers and skills. If folder trust is on, it starts servers only in trusted folders."""

from __future__ import annotations

from pathlib import Path

from pollux.sources.tool_host import Scope, ServerSettings, SkillFolder, Surroundings
from pollux.system.named_path import named_path

_NAMES = ("mcpServers",)
_PATIENCE = 600.0
_NOTE = "Gemini CLI starts servers only in folders that you trust, unless folder trust is off."


def _home(around: Surroundings) -> Path:
    """What the agent takes for the home directory."""
    named = around.environ.get("GEMINI_CLI_HOME", "")
    return named_path(named) if named else around.home


def home_folder(around: Surroundings) -> Path:
    """The agent's own folder."""
    return _home(around) / ".gemini"


def server_settings(around: Surroundings) -> list[ServerSettings]:
    """For the user, and for the project."""
    return [
        ServerSettings(
            scope=scope,
            file=folder / "settings.json",
            format="json",
            names=_NAMES,
            patience=_PATIENCE,
            add=("gemini", "mcp", "add", "-s", str(scope)),
            note=_NOTE,
        )
        for scope, folder in ((Scope.USER, home_folder(around)), (Scope.PROJECT, around.folder / ".gemini"))
    ]


def skill_folders(around: Surroundings) -> list[SkillFolder]:
    """For the user, and for the project: folders that several agents read."""
    return [
        SkillFolder(scope=Scope.USER, folder=_home(around) / ".agents" / "skills"),
        SkillFolder(scope=Scope.PROJECT, folder=around.folder / ".agents" / "skills"),
    ]
