"""What the kit has to know about Claude Code's files."""

from __future__ import annotations

from pollux.registry import source
from pollux.testing.subject import Open, Spare, Subject

CLAUDE = Subject(
    source=source("claude"),
    spares=(
        Spare(place="type", values="user|assistant|system|attachment", reason="becomes `role` and `author`"),
        Spare(place="type", values="message", reason="what every API message is"),
        Spare(place="content.[].type", values="text|tool_use|tool_result|image", reason="becomes the type of a part"),
        Spare(place="content.[].type", values="thinking|redacted_thinking", reason="becomes the type of a part"),
        Spare(place="source.type", values="base64", reason="an attachment's `data` always is"),
        Spare(place="role", values="user|assistant", reason="becomes `role` and `author`"),
    ),
    opens=(
        Open(place="input", reason="a tool's arguments are whatever the tool takes"),
        Open(place="content.[].content", reason="a tool's answer is whatever the tool gives"),
        Open(place="toolUseResult", reason="a tool's structured result is whatever the tool gives"),
        Open(place="usage", reason="the API's own figures, kept whole as `native`"),
        Open(place="modelUsage", reason="figures by the models' names"),
        Open(place="pastedContents", reason="pasted texts by their numbers"),
        Open(place="todos", reason="the agent's list of things to do, as its tool defines it"),
        Open(place="trackedFileBackups", reason="backups by the files' names"),
        Open(place="shape", reason="the tools as they were offered to the model"),
        Open(place="attachment.tools", reason="the tools as they were offered to the model"),
        Open(place="params", reason="a request to the API as it was sent"),
        Open(place="cacheControl", reason="a request to the API as it was sent"),
        Open(place="attachment.snapshot", reason="what the client found out about the machine"),
        Open(place="attachment.context", reason="what the client found out about the machine"),
        Open(place="attachment.identity", reason="what the client tells the model about itself"),
        Open(place="attachment.files", reason="instructions as the client found them"),
        Open(place="attachment.content", reason="what a tool read for a prompt, as the tool gives it"),
        Open(place="error", reason="the API's own error"),
    ),
)
