"""What the kit has to know about Gemini CLI's files."""

from __future__ import annotations

from pollux.registry import source
from pollux.testing.subject import Frame, Open, Spare, Subject

_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z"

GEMINI = Subject(
    source=source("gemini"),
    spares=(
        Spare(place="lastUpdated", values=_TIME, reason="overwritten by every record; the newest becomes `ended`"),
        Spare(place="type", values="user|gemini", reason="becomes `role` and `author`"),
        Spare(place="role", values="user|model", reason="becomes `role` and `author`"),
        Spare(place="status", values="success|error|cancelled", reason="becomes `status`, where success is called ok"),
        Spare(place="[].timestamp", values=_TIME, reason="when a line was logged; its prompt has its own time"),
    ),
    frames=(
        Frame(words=r"--- Content from referenced (files|context) ---", reason="what follows is a file_reference"),
        Frame(words=r"^Content from (?=@)", reason="the heading's path is the file_reference's"),
        Frame(words=r"--- End of content ---", reason="the file_reference ends"),
    ),
    opens=(
        Open(place="args", reason="a tool's arguments are whatever the tool takes"),
        Open(place="response", reason="a tool's answer is whatever the tool gives"),
        Open(place="resultDisplay", reason="what a tool shows is whatever the tool draws"),
    ),
)
