"""What the kit has to know about Codex CLI's files."""

from __future__ import annotations

import zstandard

from pollux.registry import source
from pollux.testing.subject import Frame, Open, Spare, Subject

_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z"

_OPEN = {
    "settings of the harness, which are kept and not interpreted": "sandbox_policy permission_profile"
    " active_permission_profile file_system_sandbox_policy truncation_policy collaboration_mode thread_settings",
    "a snapshot of the harness's state": "payload.state",
    "how much of a plan is used up": "rate_limits",
    "a copy of the conversation, or notes about one": "replacement_history guardian_history retained_context"
    " replacement_history_metadata resume_metadata latest_token_usage_record",
    "the harness's own notes about an item": "metadata content_item_metadata",
    "a catalogue of tools": "payload.tools",
    "whatever a tool takes or gives": "arguments result env",
    "named by paths": "changes",
    "named by agents": "agents_states",
}


def _unpacked(raw: bytes) -> bytes:
    packed = raw.startswith(b"\x28\xb5\x2f\xfd")
    return zstandard.ZstdDecompressor().decompressobj().decompress(raw) if packed else raw


CODEX = Subject(
    source=source("codex"),
    spares=(
        Spare(
            place="timestamp",
            values=_TIME,
            reason="a message has the time of its first line",
        ),
        Spare(
            place="type",
            values="session_meta|response_item|event_msg|token_usage_record|message|reasoning|(function|custom_tool|local_shell|web_search)_call"
            "|(function_call|custom_tool_call)_output|(input|output|summary|reasoning)_text|input_image|token_count|compacted"
            "|(user|agent)_message|agent_reasoning|text|Text",
            reason="becomes the kind of message or part",
        ),
        Spare(place="role", values="user|assistant", reason="becomes `role` and `author`"),
        Spare(place="status", values="completed", reason="becomes `status`, where completed is called ok"),
        Spare(place="kind", values="plain", reason="every typed prompt has this kind up to 0.47"),
        Spare(place="record_type", values="state", reason="a mark of the API's state, of which nothing else is said"),
    ),
    frames=(Frame(words=r"data:image/png;base64,", reason="an attachment has its media type and its bytes apart"),),
    opens=tuple(Open(place=place, reason=reason) for reason, places in _OPEN.items() for place in places.split()),
    unpacked=_unpacked,
)
