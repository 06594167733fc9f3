"""Copilot CLI's tool names, past ones included, with the names and kinds that all agents share."""

from __future__ import annotations

NAMES = {
    "bash": ("shell_exec", "execute"),
    "read_bash": ("shell_exec", "execute"),
    "write_bash": ("shell_exec", "execute"),
    "stop_bash": ("shell_exec", "execute"),
    "list_bash": ("shell_exec", "execute"),
    "powershell": ("shell_exec", "execute"),
    "read_powershell": ("shell_exec", "execute"),
    "write_powershell": ("shell_exec", "execute"),
    "stop_powershell": ("shell_exec", "execute"),
    "list_powershell": ("shell_exec", "execute"),
    "view": ("file_read", "read"),
    "fetch_copilot_cli_documentation": ("file_read", "read"),
    "create": ("file_write", "edit"),
    "edit": ("file_edit", "edit"),
    "apply_patch": ("file_edit", "edit"),
    "glob": ("file_search", "search"),
    "grep": ("file_search", "search"),
    "session_store_sql": ("file_search", "search"),
    "web_fetch": ("web_access", "fetch"),
    "web_search": ("web_access", "fetch"),
    "sql": ("planning", "plan"),
    "report_intent": ("planning", "plan"),
    "update_todo": ("planning", "plan"),
    "exit_plan_mode": ("planning", "plan"),
    "task_complete": ("planning", "plan"),
    "store_memory": ("memory", "think"),
    "skill": ("skill", "other"),
    "task": ("agent_spawn", "agent"),
    "read_agent": ("agent_spawn", "agent"),
    "list_agents": ("agent_spawn", "agent"),
    "write_agent": ("agent_spawn", "agent"),
    "ask_user": ("user_interaction", "communicate"),
}

ADDED_WORDS = " ".join(("mcp", *sorted({shared for shared, _ in NAMES.values()})))
"""The words that a reading adds to those of its files: the shared names of tools."""


def canonical(name: str, *, server: str | None = None) -> tuple[str, str]:
    """The shared name and kind of a tool. An MCP tool names its server; an unknown one keeps its name in lower case."""
    if server is not None:
        return "mcp", "other"
    return NAMES.get(name) or (name.lower(), "other")
