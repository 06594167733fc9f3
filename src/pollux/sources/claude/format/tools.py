"""Claude Code's tool names, past ones included, with the names and kinds that all agents share."""

from __future__ import annotations

_SHELL = ("shell_exec", "execute")
_EDIT = ("file_edit", "edit")
_READ = ("file_read", "read")
_SEARCH = ("file_search", "search")
_WEB = ("web_access", "fetch")
_PLAN = ("planning", "plan")
_AGENT = ("agent_spawn", "agent")

NAMES = {
    "Bash": _SHELL,
    "BashOutput": _SHELL,
    "KillShell": _SHELL,
    "KillBash": _SHELL,
    "PowerShell": _SHELL,
    "Monitor": _SHELL,
    "Write": ("file_write", "edit"),
    "Edit": _EDIT,
    "MultiEdit": _EDIT,
    "NotebookEdit": _EDIT,
    "Read": _READ,
    "NotebookRead": _READ,
    "LS": _READ,
    "ReadMcpResourceTool": _READ,
    "ListMcpResourcesTool": _READ,
    "Glob": _SEARCH,
    "Grep": _SEARCH,
    "WebFetch": _WEB,
    "WebSearch": _WEB,
    # The API's own tools, run by the server.
    "web_search": _WEB,
    "web_fetch": _WEB,
    "TodoWrite": _PLAN,
    "TodoRead": _PLAN,
    # A to-do list, not sub-agents.
    "TaskCreate": _PLAN,
    "TaskGet": _PLAN,
    "TaskUpdate": _PLAN,
    "TaskList": _PLAN,
    "EnterPlanMode": _PLAN,
    "ExitPlanMode": _PLAN,
    "exit_plan_mode": _PLAN,
    "Skill": ("skill", "other"),
    "SlashCommand": ("skill", "other"),
    "Task": _AGENT,
    "Agent": _AGENT,
    "AgentOutputTool": _AGENT,
    "TaskOutput": _AGENT,
    "TaskStop": _AGENT,
    "Workflow": _AGENT,
    "SendMessage": _AGENT,
    "ListAgents": _AGENT,
    "AskUserQuestion": ("user_interaction", "communicate"),
    "LSP": ("lsp", "read"),
}

ADDED_WORDS = " ".join(("mcp", *sorted({shared for shared, _ in NAMES.values()})))
"""The words that a reading adds to those of its files: the shared names of tools."""

SPAWNS = frozenset({"Task", "Agent"})
"""The tools that start a sub-agent: renamed in 2.1."""


def canonical(name: str) -> tuple[str, str]:
    """The shared name and kind of a tool; an unknown tool keeps its name in lower case."""
    known = NAMES.get(name)
    if known is not None:
        return known
    return ("mcp", "other") if name.startswith("mcp__") else (name.lower(), "other")
