"""What the user interface showed, as releases since 0.147 write it: items, complete or as they grow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pollux.model import Part, Text, Thinking
from pollux.sources.codex.format.content import picture
from pollux.sources.codex.format.schema import Envelope
from pollux.sources.codex.replay.walk import Walk


def take(walk: Walk, payload: dict[str, Any], envelope: Envelope) -> None:
    """Add what was shown."""
    item = payload.get("item")
    if type(item) is not dict:
        walk.keep("event_msg/item_completed", payload)
        return
    own = _SHOWN.get(str(item.get("type")))
    if own is not None:
        rest = own(walk, item, envelope)
        payload["item"] = rest
        walk.keep("event_msg/item_completed", payload)
    elif type(name := item.get("id")) is str and (
        name in walk.calls or item.get("type") not in ("CommandExecution", "SubAgentActivity")
    ):
        call = walk.add_call_event(name, payload)
        if call is not None:
            adopt(walk, item)
    else:
        _stray(walk, payload, item)


def _stray(walk: Walk, payload: dict[str, Any], item: dict[str, Any]) -> None:
    """A command without a call: a step of a program that the model wrote, or a reviewer's command."""
    if str(item.get("id")).startswith("exec-"):
        program = next((call for call in reversed(walk.calls.values()) if call.name == "exec"), None)
        if program is not None:
            program.add_event({**payload, "line": walk.line})
            return
    adopt(walk, item)
    walk.keep("event_msg/item_completed", payload)


def adopt(walk: Walk, item: dict[str, Any]) -> None:
    """Note which session a call started."""
    match item:
        case {
            "type": "CollabAgentToolCall",
            "tool": "spawn_agent" | "spawnAgent",
            "receiver_thread_ids": [str(child), *_],
        } if (call := walk.calls.get(str(item.get("id")))) is not None:
            call.child = child
        case {"type": "SubAgentActivity", "agent_thread_id": str(child)} if item.get("kind") in (None, "started"):
            free = [call for call in walk.spawns if call.child is None and not call.outcome[2]]
            same_id = [call for call in free if call.id == item.get("id")]
            if free and all(call.child != child for call in walk.spawns):
                (same_id or free)[0].child = child


def _shown_prompt(walk: Walk, item: dict[str, Any], envelope: Envelope) -> dict[str, Any]:
    content = item.get("content")
    if type(content) is not list:
        return item
    parts: list[Part] = []
    rest: list[Any] = []
    for piece in content:
        match piece:
            case {"type": "text", "text": str(text)}:
                parts.append(Text(text=text))
                left = {key: value for key, value in piece.items() if key not in ("type", "text") and value != []}
                rest += [left] if left else []
            case {"type": "image", "image_url": str(url)}:
                parts.append(picture(url))
                rest += [{key: value for key, value in piece.items() if key not in ("type", "image_url")}]
            case _:
                rest.append(piece)
    key = (str(item.get("id")), "UserMessage")
    if key in walk.shown and "id" in item:
        return item
    walk.shown.add(key)
    walk.show_prompt(envelope, parts, {})
    return _left(item, rest)


def _left(item: dict[str, Any], content: list[Any]) -> dict[str, Any]:
    """An item with only the rest of its content."""
    del item["content"]
    if content:
        item["content"] = content
    return item


def _show_text(walk: Walk, item: dict[str, Any], text: str, envelope: Envelope, kind: type[Text | Thinking]) -> None:
    """Add a text once, even if its item is written again as it grows."""
    key = (str(item.get("id")), text)
    if key not in walk.shown:
        walk.shown.add(key)
        walk.show_text(text, envelope, kind)


def _shown_words(walk: Walk, item: dict[str, Any], envelope: Envelope) -> dict[str, Any]:
    content = item.get("content")
    if type(content) is not list:
        return item
    rest: list[Any] = []
    for piece in content:
        if type(piece) is dict and len(piece) == 2 and piece.get("type") == "Text" and type(piece.get("text")) is str:
            _show_text(walk, item, piece["text"], envelope, Text)
        else:
            rest.append(piece)
    return _left(item, rest)


def _shown_thoughts(walk: Walk, item: dict[str, Any], envelope: Envelope) -> dict[str, Any]:
    rest: dict[str, Any] = {}
    for key, value in item.items():
        if key not in ("summary_text", "raw_content") or type(value) is not list:
            rest[key] = value
            continue
        for text in value:
            if type(text) is str:
                _show_text(walk, item, text, envelope, Thinking)
            else:
                rest.setdefault(key, []).append(text)
    return rest


def _shown_review(walk: Walk, item: dict[str, Any], envelope: Envelope) -> dict[str, Any]:  # noqa: ARG001
    walk.reviewing = item.get("type") == "EnteredReviewMode"
    return item


_SHOWN: dict[str, Callable[[Walk, dict[str, Any], Envelope], dict[str, Any]]] = {
    "UserMessage": _shown_prompt,
    "AgentMessage": _shown_words,
    "Reasoning": _shown_thoughts,
    "EnteredReviewMode": _shown_review,
    "ExitedReviewMode": _shown_review,
}
