"""What a session is, whichever agent recorded it: plain frozen values.

It may import `errors`, and what lies below.
No I/O, no agent names. `extra` holds what a source knew and the model has no word for.
"""

from pollux.model.agent_description import AgentDescription
from pollux.model.base import NOTHING, Extra, Value
from pollux.model.marks import NO_MARKS, Anchor, Marks, MessageMarks, SessionMarks
from pollux.model.notices import Notice, Severity
from pollux.model.parts import (
    Attachment,
    Context,
    FileReference,
    Part,
    Status,
    Summary as SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from pollux.model.session import (
    FACTS,
    Author,
    Fate,
    Gap,
    Kind,
    Link,
    Message,
    Origin,
    Role,
    Session,
    Tally,
    exactness,
    gap,
)
from pollux.model.summary import Counts, Summary, first_words, is_reply, summarize
from pollux.model.usage import (
    FIGURES,
    NOTHING_USED,
    UNKNOWN,
    Figures,
    Total,
    Usage,
    add,
    by_name,
    combine_exact,
    values,
)

__all__ = [
    "FACTS",
    "FIGURES",
    "NOTHING",
    "NOTHING_USED",
    "NO_MARKS",
    "UNKNOWN",
    "AgentDescription",
    "Anchor",
    "Attachment",
    "Author",
    "Context",
    "Counts",
    "Extra",
    "Fate",
    "Figures",
    "FileReference",
    "Gap",
    "Kind",
    "Link",
    "Marks",
    "Message",
    "MessageMarks",
    "Notice",
    "Origin",
    "Part",
    "Role",
    "Session",
    "SessionMarks",
    "Severity",
    "Status",
    "Summary",
    "SummaryPart",
    "Tally",
    "Text",
    "Thinking",
    "ToolCall",
    "ToolResult",
    "Total",
    "Unknown",
    "Usage",
    "Value",
    "add",
    "by_name",
    "combine_exact",
    "exactness",
    "first_words",
    "gap",
    "is_reply",
    "summarize",
    "values",
]
