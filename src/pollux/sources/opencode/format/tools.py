"""OpenCode's tool names, historic ones included, in the names and kinds all agents share."""

from __future__ import annotations

NAMES = {
    "bash": ("shell_exec", "execute"),
    "read": ("file_read", "read"),
    "list": ("file_read", "read"),
    "lsp": ("file_read", "read"),
    "write": ("file_write", "edit"),
    "edit": ("file_edit", "edit"),
    "multiedit": ("file_edit", "edit"),
    "patch": ("file_edit", "edit"),
    "apply_patch": ("file_edit", "edit"),
    "glob": ("file_search", "search"),
    "grep": ("file_search", "search"),
    "codesearch": ("web_access", "fetch"),
    "webfetch": ("web_access", "fetch"),
    "websearch": ("web_access", "fetch"),
    "task": ("agent_spawn", "agent"),
    "todowrite": ("planning", "plan"),
    "todoread": ("planning", "plan"),
    "plan_exit": ("planning", "plan"),
    "plan_enter": ("planning", "plan"),
    "question": ("user_interaction", "communicate"),
    "skill": ("skill", "other"),
    "batch": ("batch", "other"),
    "invalid": ("invalid", "other"),
}
INVALID = "invalid"
"""The client's own tool, in the place of a call that could not be made."""

ADDED_WORDS = " ".join(("mcp", *sorted({shared for shared, _ in NAMES.values()})))
"""The words that a reading adds to those of its records."""


def canonical(name: str) -> tuple[str, str]:
    """The shared name of a tool and what it does. The tool of a server is called `<server>_<tool>`."""
    return NAMES.get(name) or (("mcp", "other") if "_" in name else (name.lower(), "other"))
