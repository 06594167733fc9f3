"""Conversations kept as the API saw them: `/chat save`, `/chat share`, `/restore`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pollux.model import Author, Context, Kind, Message, Origin, Part, Role, Session, Text, ToolResult, Unknown
from pollux.sources.gemini import records, schema
from pollux.sources.gemini.calls import asked
from pollux.sources.gemini.content import (
    ACKNOWLEDGEMENTS,
    client_parts,
    is_client_text,
    is_summary,
    loose_ends,
    model_parts,
    pieces,
    plain_text,
    text_of,
)
from pollux.sources.gemini.references import prompt_parts
from pollux.wire import Notes, shown, tidy

if TYPE_CHECKING:
    from pollux.sources.base import File
    from pollux.sources.gemini.bundle import GeminiBundle


CONTEXT, CONTEXT_END = "<session_context>", "</session_context>"


def session(found: records.History, bundle: GeminiBundle, file: File, notes: Notes) -> Session:
    """A saved conversation as a session of kind `checkpoint`: no times, no figures."""
    saved = found.checkpoint
    turns = [*(saved.history or ()), *((saved.clientHistory or ()) if not saved.history else ())]
    messages = _messages(turns, shown(file.path), notes)
    project, evidence = bundle.project()
    extra: dict[str, Any] = dict(saved.extra)
    for name in ("authType", "toolCall", "commitHash", "messageId"):
        if (value := getattr(saved, name)) is not None:
            extra[name] = value
    if saved.history and saved.clientHistory:
        extra["clientHistory"] = tidy(saved.clientHistory)
    return Session(
        agent=bundle.agent,
        id=bundle.id,
        kind=Kind.CHECKPOINT,
        title=bundle.tag,
        project=project,
        project_evidence=evidence,
        project_hash=bundle.hash,
        messages=tuple(messages),
        notices=notes.all(),
        files=tuple(shown(held.path) for held in bundle.files),
        extra=extra,
    )


def _messages(turns: list[schema.Content], file: str, notes: Notes) -> list[Message]:
    answers = _answers(turns)
    messages: list[Message] = []
    for number, turn in enumerate(turns):
        message = schema.Message(content=turn.parts or [], type="gemini" if turn.role == "model" else "user")
        text = plain_text(message)
        if turn.role == "model":
            role = Role.ASSISTANT
            author = Author.CLIENT if text.strip() in ACKNOWLEDGEMENTS else Author.MODEL
            parts = [_call(part, answers) for part in model_parts(message, set())]
        else:
            role = Role.USER
            if turn.role != "user":
                notes.add(
                    "role.unknown",
                    f"A turn has the role {turn.role!r}, which we do not know.",
                    subject=f"role {turn.role!r}",
                )
            author, parts = _said(message, text, answers)
        messages.append(
            Message(
                id=f"turn-{number}",
                role=role,
                author=author,
                parts=tuple(parts),
                origin=Origin(file=file, item=number),
                extra={
                    **turn.extra,
                    **({} if turn.role in ("user", "model", None) else {"role": turn.role}),
                    **_ends(message),
                },
            )
        )
    return messages


def _role(turn: schema.Content) -> dict[str, Any]:
    return {"role": turn.role} if turn.role not in ("user", "model", None) else {}


def _ends(message: schema.Message) -> dict[str, Any]:
    ends = loose_ends(message, dict)
    return {"pieces": ends} if ends else {}


def _said(message: schema.Message, text: str, answers: Answers) -> tuple[Author, list[Part]]:
    """Who speaks in a user's turn. A shared conversation fuses the context with the first prompt: they are parted."""
    if any(not isinstance(p, str) and p.functionResponse is not None for p in pieces(message.content)):
        return Author.CLIENT, [_reference(part, answers) for part in client_parts(message)]
    if is_summary(message):
        return Author.CLIENT, client_parts(message)
    if is_client_text(text):
        items = [part for item in pieces(message.content) for part in _parted(item)]
        context = [item for item in items if is_client_text(plain_text(schema.Message(content=item)))]
        prompt = [item for item in items if not is_client_text(plain_text(schema.Message(content=item)))]
        if context and prompt:
            return Author.HUMAN, [
                *prompt_parts(schema.Message(content=prompt)),
                *(_context(part) for part in client_parts(schema.Message(content=context))),
            ]
        return Author.CLIENT, client_parts(message)
    return Author.HUMAN, prompt_parts(message)


def _parted(item: str | schema.Part) -> list[str | schema.Part]:
    """The context and the prompt that follows it in the same text."""
    text = text_of(item)
    end = text.find(CONTEXT_END) + len(CONTEXT_END)
    if not text.lstrip().startswith(CONTEXT) or end < len(CONTEXT_END) or not text[end:].strip():
        return [item]
    rest = {} if isinstance(item, str) else item.extra
    return [schema.Part(text=text[:end], extra=rest), schema.Part(text=text[end:].lstrip())]


def _context(part: Part) -> Part:
    return Context(source="session", text=part.text) if type(part) is Text else part


class Answers:
    """Tools' answers waiting for their calls: by id, or by name in order where old releases gave the call no id."""

    def __init__(self) -> None:
        self.by_id: dict[str, schema.FunctionResponse] = {}
        self.by_name: dict[str | None, list[schema.FunctionResponse]] = {}
        self.taken: set[int] = set()

    def take(self, call: schema.FunctionCall) -> schema.FunctionResponse | None:
        """The answer to a call; it is not given to another."""
        found = self.by_id.get(call.id) if call.id is not None else None
        if found is None and call.id is None:
            found = next((r for r in self.by_name.get(call.name, ()) if id(r) not in self.taken), None)
        if found is not None:
            self.taken.add(id(found))
        return found


def _answers(turns: list[schema.Content]) -> Answers:
    answers = Answers()
    for turn in turns:
        for item in turn.parts or ():
            if not isinstance(item, str) and item.functionResponse is not None:
                response = item.functionResponse
                if response.id is not None:
                    answers.by_id.setdefault(response.id, response)
                answers.by_name.setdefault(response.name, []).append(response)
    return answers


def _call(part: Part, answers: Answers) -> Part:
    if (
        type(part) is not Unknown
        or not isinstance(part.raw, dict)
        or not isinstance(part.raw.get("functionCall"), dict)
    ):
        return part
    raw = part.raw["functionCall"]
    name, given = raw.get("name"), raw.get("id")
    if not isinstance(name, str | None) or not isinstance(given, str | None):
        return part
    rest = {key: value for key, value in part.raw.items() if key != "functionCall"}
    call = schema.FunctionCall(
        id=given,
        name=name,
        args=raw.get("args"),
        extra={k: v for k, v in raw.items() if k not in ("id", "name", "args")},
    )
    return asked(call, answers.take(call), rest)


def _reference(part: Part, answers: Answers) -> Part:
    """An answer that found its call keeps only the reference."""
    if type(part) is not ToolResult:
        return part
    held = answers.by_id.get(part.call or "")
    known = held is not None and id(held) in answers.taken
    if not known and part.call is not None:
        known = any(id(r) in answers.taken and r.id == part.call for r in answers.by_name.get(part.name, ()))
    return ToolResult(call=part.call, name=part.name, extra=part.extra) if known else part
