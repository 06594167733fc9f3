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

_FENCE = re.compile(r" *(`{3,}(?=[^`]*$)|~{3,})")


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
    """The code between fences. Where the last fence is not closed, it reaches to the end."""
    blocks: list[str] = []
    fence, code = "", list[str]()
    for line in message.text.rstrip("\n").split("\n"):
        mark = line.strip()
        if not fence:
            begun = _FENCE.match(line)
            fence, code = begun[1] if begun is not None else "", []
        elif mark.startswith(fence) and not mark.strip(fence[0]):
            blocks.append("".join(code))
            fence = ""
        else:
            code.append(f"{line}\n")
    return [*blocks, "".join(code)] if fence else blocks


def as_markdown(message: Message) -> str:
    """A message as somebody would paste it: what was said, without tools."""
    texts = [part.text for part in message.parts if isinstance(part, (Text, SummaryPart)) and part.text.strip()]
    if not texts:
        texts = [f"    {line}" for text in words_of(message) for line in text.splitlines()]
    return "\n\n".join(texts).strip() + "\n"
