"""Where Claude Code looks for servers and skills.

The file of the user's settings lies beside its folder, and in it if a variable names the folder. An old installation
has another file, which comes first (2.1.325). The same file has settings of the user's for single projects.
"""

from __future__ import annotations

from pathlib import Path

from pollux.sources.tool_host import Scope, ServerSettings, SkillFolder, Surroundings
from pollux.system.named_path import named_path

_EXTRA = {"type": "stdio"}
_NAMES = ("mcpServers",)


def home_folder(around: Surroundings) -> Path:
    """The agent's own folder."""
    named = around.environ.get("CLAUDE_CONFIG_DIR", "")
    return named_path(named) if named else around.home / ".claude"


def server_settings(around: Surroundings) -> list[ServerSettings]:
    """For the user, for the project, and for the user in the project."""
    own = _user_file(around)
    lock = own.with_name(f"{own.name}.lock")
    return [
        ServerSettings(
            scope=Scope.USER,
            file=own,
            format="json",
            names=_NAMES,
            extra=_EXTRA,
            add=("claude", "mcp", "add", "--scope", "user"),
            dashes=("--",),
            lock=lock,
        ),
        ServerSettings(
            scope=Scope.PROJECT,
            file=around.folder / ".mcp.json",
            format="json",
            names=_NAMES,
            extra=_EXTRA,
            add=("claude", "mcp", "add", "--scope", "project"),
            dashes=("--",),
            note="Claude Code asks once in the project whether it may start the server.",
        ),
        ServerSettings(
            scope=Scope.LOCAL,
            file=own,
            format="json",
            names=("projects", str(around.folder), *_NAMES),
            extra=_EXTRA,
            lock=lock,
        ),
    ]


def skill_folders(around: Surroundings) -> list[SkillFolder]:
    """For the user, and for the project."""
    return [
        SkillFolder(scope=Scope.USER, folder=home_folder(around) / "skills"),
        SkillFolder(scope=Scope.PROJECT, folder=around.folder / ".claude" / "skills"),
    ]


def _user_file(around: Surroundings) -> Path:
    old = home_folder(around) / ".config.json"
    if old.is_file():
        return old
    above = home_folder(around) if around.environ.get("CLAUDE_CONFIG_DIR", "") else around.home
    return above / ".claude.json"
