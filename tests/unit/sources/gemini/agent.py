"""Gemini CLI 0.57 and later, as far as it writes session logs: what it keeps in mind, and what it records of it."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator

from tests.unit.sources.gemini.conftest import Json, call, context, header, info, user


class Agent:
    """One session. `log` is what is recorded, `truth` what really happened: author, words and fate, turn by turn."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self.log: list[Json] = [header()]
        self.truth: list[list[str]] = []
        self._recorded: list[Json] = []
        self._history: list[Json] = [_turn(context(), [])]
        self._sync()

    def ask(self, words: str, *, tools: int = 0) -> None:
        """A prompt and its answer, with some calls made side by side."""
        turns = [self._say("human", words), self._say("model", f"answer to {words}")]
        self._record(user(self._name(), words), turns[:1])
        if tools:
            calls = [call(f"call-{self._name()}") for _ in range(tools)]
            turn = self._record(_answer(self._name(), ""), [])
            # The model gave its calls no ids: only the record has them.
            content = [{"functionCall": {"name": "read_file", "args": {}}} for _ in calls]
            self._history[-1]["content"] = content
            self._write({**turn, "toolCalls": calls})
            self._record(user(self._name(), [part for call_ in calls for part in call_["result"]]), [])
        self._record(_answer(self._name(), f"answer to {words}"), turns[1:])

    def fail(self, words: str) -> None:
        """A request that the server refuses: the prompt is taken back."""
        self._write(user(self._name(), words))
        self._say("human", words)[2] = "failed"
        self._sync()

    def stop(self, words: str) -> None:
        """Esc while the answer streams."""
        self._write(user(self._name(), words))
        self._say("human", words)[2] = "cancelled"
        self._write(info(self._name(), "Request cancelled."))
        self._sync()

    def deny(self, words: str) -> None:
        """Esc while a call waits for permission: all that went before is recorded again."""
        self._write(user(self._name(), words))
        turn = _answer(self._name(), f"answer to {words}")
        self._write(turn)
        self._write({**turn, "toolCalls": [call(f"call-{self._name()}", "replace", None, "cancelled")]})
        for author, text in (("human", words), ("model", f"answer to {words}")):
            self._say(author, text)[2] = "cancelled"
        self._write(info(self._name(), "Request cancelled."))
        self._history = [self._bare(turn) for turn in _run_together(self._history)]
        for turn in self._history:
            self._write(_message(turn))
        self._sync()

    def compress(self, keep: int) -> None:
        """Everything but the last turns is folded into a summary."""
        kept_turns = _run_together(self._history)[1:][-keep:] if keep else []
        kept_ids = {id(entry) for turn in kept_turns for entry in turn["turns"]}
        for entry in (entry for turn in self._history for entry in turn["turns"] if id(entry) not in kept_ids):
            entry[2] = "compressed"
        summary = [user(self._name(), "<state_snapshot>so far</state_snapshot>"), _answer(self._name(), "", bare=True)]
        summary[1]["content"] = [{"text": "Got it. Thanks for the additional context!"}]
        self.log.append({"$set": {"sessionId": "aaaaaaaa-1"}})
        self._history = [_turn(context(), []), *(_turn(m, []) for m in summary), *map(self._bare, kept_turns)]
        self._recorded = []
        self._sync()
        self._write(info(self._name(), ""))

    def rewind(self, back: int) -> None:
        """Back to before one of the last prompts."""
        prompts = [m["id"] for m in self._recorded if m["type"] == "user" and _typed(m)]
        if not prompts:
            return
        target = prompts[-min(back, len(prompts))]
        self.log.append({"$rewindTo": target})
        place = [m["id"] for m in self._recorded].index(target)
        rewound_ids = {m["id"] for m in self._recorded[place:]}
        for turn in self._history:
            if turn["id"] in rewound_ids:
                for entry in turn["turns"]:
                    entry[2] = "rewound"
        self._recorded = self._recorded[:place]
        self._history = list(self._reloaded())
        self._sync()

    def resume(self) -> None:
        """Another run of the program goes on."""
        self.log.append({"$set": {"sessionId": "aaaaaaaa-1"}})
        self._history = [_turn(context(), []), *self._reloaded()]
        self._sync()

    def reopen(self) -> None:
        """Resumed within the minute in which it was begun: all is recorded again, without figures and calls."""
        turns = list(self._reloaded())
        self.log.append(header(start="06:00:30"))
        self._history, self._recorded = [_turn(context(), [])], []
        self._sync()
        for turn in turns:
            self._history.append(turn)
            self._write(_message(turn))

    def _say(self, author: str, words: str) -> list[str]:
        self.truth.append([author, words, "live"])
        return self.truth[-1]

    def _name(self) -> str:
        return f"m{next(self._numbers)}"

    def _write(self, message: Json) -> Json:
        self.log.append(copy.deepcopy(message))
        places = [n for n, m in enumerate(self._recorded) if m["id"] == message["id"]]
        if places:
            self._recorded[places[0]] = copy.deepcopy(message)
        else:
            self._recorded.append(copy.deepcopy(message))
        return message

    def _record(self, message: Json, turns: list[list[str]]) -> Json:
        self._history.append(_turn(message, turns))
        return self._write(message)

    def _bare(self, turn: Json) -> Json:
        return {**turn, "id": self._name()}

    def _sync(self) -> None:
        """Record the history as it stands; every call of a turn gets the answers to all of them."""
        by_id = {m["id"]: m for m in self._recorded}
        messages = [
            {**by_id[turn["id"]], "content": turn["content"]} if turn["id"] in by_id else _message(turn)
            for turn in self._history
        ]
        for turn in self._history:
            names = {part["functionResponse"]["id"] for part in turn["content"] if "functionResponse" in part}
            for message in messages:
                if any(call["id"] in names for call in message.get("toolCalls", ())):
                    message["toolCalls"] = [{**call, "result": turn["content"]} for call in message["toolCalls"]]
        self._recorded = messages
        self.log.append(copy.deepcopy({"$set": {"messages": messages}}))

    def _reloaded(self) -> Iterator[Json]:
        """The history as it is rebuilt from what was recorded."""
        entries_by_id = {turn["id"]: turn["turns"] for turn in self._history}
        passed: list[list[str]] = []
        for message in self._recorded:
            if message["type"] == "info" or (message["type"] == "user" and _is_context(message)):
                # A prompt that was run together with the context is passed over with it.
                passed = entries_by_id.get(message["id"], [])
                continue
            content = message["content"] if isinstance(message["content"], list) else [{"text": message["content"]}]
            calls = message.get("toolCalls", [])
            if calls and not any("functionCall" in part for part in content):
                content = [*content, *({"functionCall": {"id": c["id"], "name": c["name"], "args": {}}} for c in calls)]
            turns, passed = [*passed, *entries_by_id[message["id"]]], []
            yield {"id": message["id"], "type": message["type"], "content": content, "turns": turns}
            if answers := [part for call in calls for part in call["result"] or ()]:
                name = f"{message['id']}_response"
                yield {"id": name, "type": "user", "content": answers, "turns": entries_by_id.get(name, [])}


def _answer(name: str, words: str, *, bare: bool = False) -> Json:
    figures = {"input": 10, "output": 2, "cached": 0, "thoughts": 0, "tool": 0, "total": 12}
    message = {"id": name, "timestamp": "2026-11-15T06:00:02.000Z", "type": "gemini", "content": words, "thoughts": []}
    return {**message, "tokens": None} if bare else {**message, "tokens": figures, "model": "gemini-2.5-pro"}


def _turn(message: Json, turns: list[list[str]]) -> Json:
    content = message["content"] if isinstance(message["content"], list) else [{"text": message["content"]}]
    return {"id": message["id"], "type": message["type"], "content": content, "turns": turns}


def _message(turn: Json) -> Json:
    message = {"id": turn["id"], "timestamp": "2026-11-15T07:00:09.000Z", "type": turn["type"]}
    return {**message, "content": turn["content"], **({"tokens": None} if turn["type"] == "gemini" else {})}


def _run_together(history: list[Json]) -> list[Json]:
    together: list[Json] = []
    for turn in history:
        if together and together[-1]["type"] == turn["type"]:
            last = together[-1]
            together[-1] = {
                **last,
                "content": [*last["content"], *turn["content"]],
                "turns": [*last["turns"], *turn["turns"]],
            }
        else:
            together.append(dict(turn))
    return together


def _is_context(message: Json) -> bool:
    return bool(message["content"]) and "<session_context>" in message["content"][0].get("text", "")


def _typed(message: Json) -> bool:
    return any("text" in part for part in message["content"]) and "<state_snapshot>" not in str(message["content"])
