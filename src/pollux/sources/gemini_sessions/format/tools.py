"""Tools of Gemini CLI, past ones included, and of early Qwen Code, with the names and kinds that all agents share."""

from __future__ import annotations

NAMES = {
    "run_shell_command": ("shell_exec", "execute"),
    "shell": ("shell_exec", "execute"),
    "write_file": ("file_write", "edit"),
    "replace": ("file_edit", "edit"),
    "edit_file": ("file_edit", "edit"),
    "edit": ("file_edit", "edit"),
    "read_file": ("file_read", "read"),
    "read_many_files": ("file_read", "read"),
    "list_directory": ("file_read", "read"),
    "read_mcp_resource": ("file_read", "read"),
    "list_mcp_resources": ("file_read", "read"),
    "get_internal_docs": ("file_read", "read"),
    "glob": ("file_search", "search"),
    "search_file_content": ("file_search", "search"),
    "grep_search": ("file_search", "search"),
    "search_files": ("file_search", "search"),
    "web_fetch": ("web_access", "fetch"),
    "google_web_search": ("web_access", "fetch"),
    "web_search": ("web_access", "fetch"),
    "write_todos": ("planning", "plan"),
    "enter_plan_mode": ("planning", "plan"),
    "exit_plan_mode": ("planning", "plan"),
    "update_topic": ("planning", "plan"),
    "save_memory": ("memory", "think"),
    "activate_skill": ("skill", "other"),
    "invoke_agent": ("agent_spawn", "agent"),
    "delegate_to_agent": ("agent_spawn", "agent"),
    "generalist": ("agent_spawn", "agent"),
    "cli_help": ("agent_spawn", "agent"),
    # A sub-agent that other programs count as a search: the shared name says so, the kind says what it is.
    "codebase_investigator": ("file_search", "agent"),
    "complete_task": ("planning", "plan"),
    "ask_user": ("user_interaction", "communicate"),
    # Qwen Code's own.
    "todo_write": ("planning", "plan"),
    "task": ("agent_spawn", "agent"),
}

# The arguments that hold a sub-agent's task, by the tool's name.
TASKS = {
    "codebase_investigator": ("objective",),
    "delegate_to_agent": ("objective", "request", "question", "prompt", "task"),
    "generalist": ("request",),
    "cli_help": ("question",),
    "invoke_agent": ("prompt", "objective", "request"),
}

ADDED_WORDS = " ".join(("mcp", *sorted({shared for shared, _ in NAMES.values()})))
"""The words that a reading adds to those of its files: the shared names of tools."""


def canonical(name: str) -> tuple[str, str]:
    """The shared name and kind of a tool; an unknown tool keeps its name in lower case."""
    known = NAMES.get(name)
    if known is not None:
        return known
    if name.startswith("tracker_"):
        return "planning", "plan"
    if name.startswith("mcp_") or "__" in name:
        return "mcp", "other"
    return name.lower(), "other"
