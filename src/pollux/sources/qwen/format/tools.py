"""Qwen Code's tools, past ones included, with the names and kinds that all agents share."""

from __future__ import annotations

NAMES = {
    "run_shell_command": ("shell_exec", "execute"),
    "monitor": ("shell_exec", "execute"),
    "write_file": ("file_write", "edit"),
    "edit": ("file_edit", "edit"),
    "replace": ("file_edit", "edit"),
    "notebook_edit": ("file_edit", "edit"),
    "read_file": ("file_read", "read"),
    "read_many_files": ("file_read", "read"),
    "list_directory": ("file_read", "read"),
    "zoom_image": ("file_read", "read"),
    "glob": ("file_search", "search"),
    "grep_search": ("file_search", "search"),
    "search_file_content": ("file_search", "search"),
    "web_fetch": ("web_access", "fetch"),
    "web_search": ("web_access", "fetch"),
    "todo_write": ("planning", "plan"),
    "enter_plan_mode": ("planning", "plan"),
    "exit_plan_mode": ("planning", "plan"),
    "get_goal": ("planning", "plan"),
    "update_goal": ("planning", "plan"),
    "report_findings": ("planning", "plan"),
    "save_memory": ("memory", "think"),
    "skill": ("skill", "other"),
    "task": ("agent_spawn", "agent"),
    "agent": ("agent_spawn", "agent"),
    "create_sub_session": ("agent_spawn", "agent"),
    "send_message": ("agent_spawn", "agent"),
    "list_agents": ("agent_spawn", "agent"),
    "task_stop": ("agent_spawn", "agent"),
    "ask_user_question": ("user_interaction", "communicate"),
}


def canonical(name: str) -> tuple[str, str]:
    """The shared name and kind of a tool; an unknown tool keeps its name in lower case."""
    known = NAMES.get(name)
    if known is not None:
        return known
    return ("mcp", "other") if name.startswith("mcp__") else (name.lower(), "other")
