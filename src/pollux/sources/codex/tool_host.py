"""Where Codex CLI looks for servers and skills. It reads a project's settings only in folders that the user trusts."""

from __future__ import annotations

from pathlib import Path

from pollux.sources.tool_host import Scope, ServerSettings, SkillFolder, Surroundings
from pollux.system.named_path import named_path

_NAMES = ("mcp_servers",)
_PATIENCE = 10.0


def home_folder(around: Surroundings) -> Path:
    """The agent's own folder."""
    named = around.environ.get("CODEX_HOME", "")
    return named_path(named) if named else around.home / ".codex"


def server_settings(around: Surroundings) -> list[ServerSettings]:
    """For the user, and for the project."""
    return [
        ServerSettings(
            scope=Scope.USER,
            file=home_folder(around) / "config.toml",
            format="toml",
            names=_NAMES,
            patience=_PATIENCE,
            add=("codex", "mcp", "add"),
            dashes=("--",),
        ),
        ServerSettings(
            scope=Scope.PROJECT,
            file=around.folder / ".codex" / "config.toml",
            format="toml",
            names=_NAMES,
            patience=_PATIENCE,
            note="Codex CLI reads this file only if you trust the folder.",
        ),
    ]


def skill_folders(around: Surroundings) -> list[SkillFolder]:
    """For the user, and for the project: folders that several agents read."""
    return [
        SkillFolder(scope=Scope.USER, folder=around.home / ".agents" / "skills"),
        SkillFolder(scope=Scope.PROJECT, folder=around.folder / ".agents" / "skills"),
    ]
