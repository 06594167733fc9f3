"""What the kit has to know about Gemini CLI's files."""

from __future__ import annotations

from pollux.registry import source
from pollux.testing.subject import Open, Spare, Subject

GEMINI = Subject(
    source=source("gemini"),
    spares=(
        Spare(place="lastUpdated", reason="bookkeeping that the next record overwrites; the newest becomes `ended`"),
        Spare(place="type", values=frozenset({"user", "gemini"}), reason="becomes `role` and `author`"),
        Spare(
            place="toolCalls.[].status",
            values=frozenset({"success", "error", "cancelled"}),
            reason="becomes `status`, where success is called ok",
        ),
    ),
    opens=(
        Open(place="args", reason="a tool's arguments are whatever the tool takes"),
        Open(place="response", reason="a tool's answer is whatever the tool gives"),
        Open(place="resultDisplay", reason="what a tool shows is whatever the tool draws"),
    ),
)
