from __future__ import annotations

from pathlib import Path

from pollux.model import Author, Context, FileReference, Message, Role, Status, Text, ToolCall
from tests.unit.analysis.books import accounts, reply, session, used


def prompt(text: str, *parts: Context | FileReference, author: Author = Author.HUMAN) -> Message:
    return Message(id=text, role=Role.USER, author=author, parts=(Text(text=text), *parts))


def test_a_session_turn_by_turn(tmp_path: Path) -> None:
    slow = ToolCall(id="1", name="shell", canonical="shell_exec", tool_kind="x", status=Status.OK, seconds=9.5)
    bad = ToolCall(id="2", name="edit", canonical="file_edit", tool_kind="x", status=Status.ERROR, output="12345")
    talk = session(
        prompt("first", FileReference(path="/a", text="0123456789")),
        reply(used(1_000, 10), slow),
        reply(used(3_000, 20), bad),
        prompt("reminder", author=Author.CLIENT),
        prompt("second", Context(source="hook", text="abc")),
        reply(used(2_000, 5)),
        reply(used(500_000, 5), inherited=True),
    )
    found = accounts(tmp_path, talk).profile(talk)
    assert [(t.prompt, t.usage.total, t.context, t.calls, t.failed, t.requests) for t in found.turns] == [
        ("first", 4_030, 3_000, 2, 1, (1_000, 3_000)),
        ("second", 2_005, 2_000, 0, 0, (2_000,)),
    ]
    sent = found.sent
    assert (sent.typed, sent.files, sent.injected, sent.tools) == (len("firstsecond"), 10, len("reminder") + 3, 5)
    assert [call.name for call in found.slowest] == ["shell"]
    assert [(call.name, call.output) for call in found.failed] == [("edit", "12345")]
    costs = [turn.cost_usd for turn in found.turns if turn.cost_usd is not None]
    assert sum(costs) == accounts(tmp_path, talk).cost(talk)
