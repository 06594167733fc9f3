"""What the kit has to know about Qwen Code's files."""

from __future__ import annotations

from pollux.registry import source
from pollux.testing.subject import Frame, Open, Spare, Subject

_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z"

QWEN = Subject(
    source=source("qwen"),
    spares=(
        Spare(place="timestamp", values=_TIME, reason="a message has the time of its first record"),
        Spare(place="type", values="user|qwen|assistant|tool_result|system", reason="becomes `role` and `author`"),
        Spare(
            place="provenance",
            values="real_user|assistant_output|tool_result|system",
            reason="becomes `author`; kept where it differs from the record's type",
        ),
        Spare(place="role", values="user|model", reason="becomes `role` and `author`"),
        Spare(place="status", values="success", reason="becomes `status`, where success is called ok"),
    ),
    frames=(
        Frame(words=r"\s*--- Content from referenced files ---", reason="what follows becomes a file reference"),
        Frame(words=r"\s*--- End of content ---", reason="what precedes it became a file reference"),
        Frame(words=r"\s*Content from @?(?=[^\n]+:\n)", reason="what follows is a file reference's path"),
    ),
    opens=(
        Open(place="systemPayload", reason="bookkeeping, which is kept and not interpreted"),
        Open(place="resultDisplay", reason="what the client showed of a result"),
        Open(place="error", reason="an error as JavaScript writes it down"),
        Open(place="args", reason="whatever a tool takes"),
        Open(place="response", reason="whatever a tool gives"),
        Open(place="persistedCliFlags", reason="how the agent was started"),
    ),
)
