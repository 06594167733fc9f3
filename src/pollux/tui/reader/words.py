"""What can be found in a message, and what can be copied of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from pollux.model import (
    Context,
    FileReference,
    Message,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)

_FENCE = re.compile(r"^( *)(`{3,}|~{3,})[^\n]*\n(.*?)^ *\2[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)


def words_of(message: Message) -> Iterator[str]:
    """Every text in a message."""
    for part in message.parts:
        match part:
            case Text(text=text) | SummaryPart(text=text) | Context(text=text):
                yield text
            case Thinking(subject=subject, text=text):
                yield f"{subject or ''}\n{text}"
            case ToolCall(name=name, input=asked, output=output):
                yield name
                yield asked if isinstance(asked, str) else json.dumps(asked, ensure_ascii=False, default=str)
                yield output or ""
            case ToolResult(output=output):
                yield output or ""
            case FileReference(path=path, text=text):
                yield f"{path}\n{text or ''}"


def code_blocks(message: Message) -> list[str]:
    """The code between fences, and what tools were told to write or run where there is none."""
    return [match[3] for match in _FENCE.finditer(message.text)]


def as_markdown(message: Message) -> str:
    """A message as somebody would paste it: what was said, without tools."""
    texts = [part.text for part in message.parts if isinstance(part, (Text, SummaryPart)) and part.text.strip()]
    if not texts:
        texts = [f"    {line}" for text in words_of(message) for line in text.splitlines()]
    return "\n\n".join(texts).strip() + "\n"
