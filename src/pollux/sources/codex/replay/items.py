"""The items that the user interface showed, in releases since 0.147: complete, or while they grow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pollux.model import Part, Text, Thinking
from pollux.sources.codex.format.content import picture
from pollux.sources.codex.format.schema import Envelope
from pollux.sources.codex.replay.replay import Replay


def add_item(replay: Replay, payload: dict[str, Any], envelope: Envelope) -> None:
    """Add an item that the user interface showed."""
    item = payload.get("item")
    if type(item) is not dict:
        replay.keep("event_msg/item_completed", payload)
        return
    own = _SHOWN.get(str(item.get("type")))
    if own is not None:
        rest = own(replay, item, envelope)
        payload["item"] = rest
        replay.keep("event_msg/item_completed", payload)
    elif type(name := item.get("id")) is str and (
        name in replay.calls or item.get("type") not in ("CommandExecution", "SubAgentActivity")
    ):
        call = replay.add_call_event(name, payload)
        if call is not None:
            adopt(replay, item)
    else:
        _add_stray_command(replay, payload, item)


def _add_stray_command(replay: Replay, payload: dict[str, Any], item: dict[str, Any]) -> None:
    """A command without a call: a step of a program that the model wrote, or a reviewer's command."""
    if str(item.get("id")).startswith("exec-"):
        program = next((call for call in reversed(replay.calls.values()) if call.name == "exec"), None)
        if program is not None:
            program.add_event({**payload, "line": replay.line})
            return
    adopt(replay, item)
    replay.keep("event_msg/item_completed", payload)


def adopt(replay: Replay, item: dict[str, Any]) -> None:
    """Note which session a call started."""
    match item:
        case {
            "type": "CollabAgentToolCall",
            "tool": "spawn_agent" | "spawnAgent",
            "receiver_thread_ids": [str(child), *_],
        } if (call := replay.calls.get(str(item.get("id")))) is not None:
            call.child = child
        case {"type": "SubAgentActivity", "agent_thread_id": str(child)} if item.get("kind") in (None, "started"):
            free = [call for call in replay.spawns if call.child is None and not call.outcome[2]]
            same_id = [call for call in free if call.id == item.get("id")]
            if free and all(call.child != child for call in replay.spawns):
                (same_id or free)[0].child = child


def _shown_prompt(replay: Replay, item: dict[str, Any], envelope: Envelope) -> dict[str, Any]:
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
    if key in replay.shown and "id" in item:
        return item
    replay.shown.add(key)
    replay.show_prompt(envelope, parts, {})
    return _without_content(item, rest)


def _without_content(item: dict[str, Any], content: list[Any]) -> dict[str, Any]:
    """An item with only the rest of its content."""
    del item["content"]
    if content:
        item["content"] = content
    return item


def _show_text(
    replay: Replay, item: dict[str, Any], text: str, envelope: Envelope, kind: type[Text | Thinking]
) -> None:
    """Add a text once, even if its item is written again as it grows."""
    key = (str(item.get("id")), text)
    if key not in replay.shown:
        replay.shown.add(key)
        replay.show_text(text, envelope, kind)


def _shown_words(replay: Replay, item: dict[str, Any], envelope: Envelope) -> dict[str, Any]:
    content = item.get("content")
    if type(content) is not list:
        return item
    rest: list[Any] = []
    for piece in content:
        if type(piece) is dict and len(piece) == 2 and piece.get("type") == "Text" and type(piece.get("text")) is str:
            _show_text(replay, item, piece["text"], envelope, Text)
        else:
            rest.append(piece)
    return _without_content(item, rest)


def _shown_thoughts(replay: Replay, item: dict[str, Any], envelope: Envelope) -> dict[str, Any]:
    rest: dict[str, Any] = {}
    for key, value in item.items():
        if key not in ("summary_text", "raw_content") or type(value) is not list:
            rest[key] = value
            continue
        for text in value:
            if type(text) is str:
                _show_text(replay, item, text, envelope, Thinking)
            else:
                rest.setdefault(key, []).append(text)
    return rest


def _shown_review(replay: Replay, item: dict[str, Any], envelope: Envelope) -> dict[str, Any]:  # noqa: ARG001
    replay.reviewing = item.get("type") == "EnteredReviewMode"
    return item


_SHOWN: dict[str, Callable[[Replay, dict[str, Any], Envelope], dict[str, Any]]] = {
    "UserMessage": _shown_prompt,
    "AgentMessage": _shown_words,
    "Reasoning": _shown_thoughts,
    "EnteredReviewMode": _shown_review,
    "ExitedReviewMode": _shown_review,
}
