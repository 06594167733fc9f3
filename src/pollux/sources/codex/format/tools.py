"""Codex CLI's tool names, historic ones included, in the names and kinds all agents share."""

from __future__ import annotations

import re
from typing import Any

NAMES = {
    "shell": ("shell_exec", "execute"),
    "local_shell": ("shell_exec", "execute"),
    "container.exec": ("shell_exec", "execute"),
    "shell_command": ("shell_exec", "execute"),
    "exec_command": ("shell_exec", "execute"),
    "write_stdin": ("shell_exec", "execute"),
    "exec": ("shell_exec", "execute"),
    "apply_patch": ("file_edit", "edit"),
    "view_image": ("file_read", "read"),
    "read_file": ("file_read", "read"),
    "list_dir": ("file_read", "read"),
    "read_mcp_resource": ("file_read", "read"),
    "list_mcp_resources": ("file_read", "read"),
    "list_mcp_resource_templates": ("file_read", "read"),
    "grep_files": ("file_search", "search"),
    "web_search": ("web_access", "fetch"),
    "update_plan": ("planning", "plan"),
    "get_goal": ("planning", "plan"),
    "create_goal": ("planning", "plan"),
    "update_goal": ("planning", "plan"),
    "request_user_input": ("user_interaction", "communicate"),
    "request_user_input_async": ("user_interaction", "communicate"),
    "spawn_agent": ("agent_spawn", "agent"),
    "send_input": ("agent_spawn", "agent"),
    "send_message": ("agent_spawn", "agent"),
    "followup_task": ("agent_spawn", "agent"),
    "resume_agent": ("agent_spawn", "agent"),
    "wait_agent": ("agent_spawn", "agent"),
    "close_agent": ("agent_spawn", "agent"),
    "list_agents": ("agent_spawn", "agent"),
    "interrupt_agent": ("agent_spawn", "agent"),
}
_SHELLS = ("shell", "container.exec", "local_shell", "shell_command", "exec_command")
_NAMED = r"(.*\S|.)[^\S\n]*$"
_HUNK = re.compile(rf"^\*\*\* (Add|Update|Delete) File: {_NAMED}|^\*\*\* Move to: {_NAMED}", re.MULTILINE)

ADDED_WORDS = " ".join(("mcp", "label", *sorted({shared for shared, _ in NAMES.values()})))
"""The words that a reading adds to those of its files: the shared names of tools, and the name of a label."""


def canonical(name: str, namespace: str | None, arguments: Any) -> tuple[str, str]:
    """The shared name of a tool and what it does; a tool we do not know keeps its name in lower case.

    `wait` belongs to sub-agents where it names some, else to a running program.
    """
    names = NAMES.get(name)
    if names is not None and namespace is None:
        return names
    if namespace is not None and namespace.startswith("mcp__"):
        return "mcp", "other"
    if names is not None:
        return names
    if name == "wait":
        return (
            NAMES["wait_agent"]
            if isinstance(arguments, dict) and ("ids" in arguments or "targets" in arguments)
            else NAMES["exec"]
        )
    return ("mcp", "other") if "__" in name else (name.lower(), "other")


def full_name(name: str, namespace: str | None) -> str:
    """An MCP tool under the name it has in every release: `mcp__server__tool`."""
    if namespace is None or not namespace.startswith("mcp__"):
        return name
    return f"{namespace.removesuffix('__')}__{name}"


def patch_of(name: str, arguments: Any) -> str | None:
    """The patch a call applies: its whole input, an argument, or a command `apply_patch` handed to a shell."""
    if name == "apply_patch":
        if isinstance(arguments, dict):
            arguments = arguments.get("input", arguments.get("patch"))
        return arguments if isinstance(arguments, str) else None
    if name not in _SHELLS or not isinstance(arguments, dict):
        return None
    command = arguments.get("command", arguments.get("cmd"))
    words = command if isinstance(command, list) else [command]
    if len(words) == 2 and words[0] in ("apply_patch", "applypatch"):
        return words[1] if isinstance(words[1], str) else None
    last = words[-1] if words else None
    if isinstance(last, str) and "*** Begin Patch" in last and re.search(r"(?:^|[\s;&])apply_?patch\b", last):
        return last
    return None


def hunks(patch: str) -> list[dict[str, str]]:
    """The changes of a patch to each file: `add`, `update`, `delete`, and `move` with the new path."""
    changes: list[dict[str, str]] = []
    for match in _HUNK.finditer(patch):
        if match[1] is not None:
            changes.append({"kind": match[1].lower(), "path": match[2]})
        elif changes:
            changes[-1] = {**changes[-1], "kind": "move", "to": match[3]}
    return changes


def edit_name(changes: list[dict[str, str]]) -> str:
    """A patch that only adds files writes them; any other edits."""
    return "file_write" if changes and all(hunk["kind"] == "add" for hunk in changes) else "file_edit"
