from __future__ import annotations

from pathlib import Path

import msgspec

from pollux.model import (
    Author,
    Context,
    FileReference,
    Gap,
    Message,
    Origin,
    Role,
    Status,
    Text,
    ToolCall,
    exactness,
)
from tests.unit.usage.small_sessions import reply, session, token_usage, usage_of


def prompt(text: str, *parts: Context | FileReference, author: Author = Author.HUMAN) -> Message:
    return Message(id=text, role=Role.USER, author=author, parts=(Text(text=text), *parts))


def test_a_session_turn_by_turn(tmp_path: Path) -> None:
    slow = ToolCall(id="1", name="shell", canonical="shell_exec", tool_kind="x", status=Status.OK, seconds=9.5)
    bad = ToolCall(id="2", name="edit", canonical="file_edit", tool_kind="x", status=Status.ERROR, output="12345")
    talk = session(
        prompt("first", FileReference(path="/a", text="0123456789")),
        reply(token_usage(1_000, 10), slow),
        reply(token_usage(3_000, 20), bad),
        prompt("reminder", author=Author.CLIENT),
        prompt("second", Context(source="hook", text="abc")),
        reply(token_usage(2_000, 5)),
        reply(token_usage(500_000, 5), inherited=True),
    )
    profile = usage_of(tmp_path, talk).profile(talk)
    assert [(t.prompt, t.usage.total, t.context, t.calls, t.failed, t.requests) for t in profile.turns] == [
        ("first", 4_030, 3_000, 2, 1, (1_000, 3_000)),
        ("second", 2_005, 2_000, 0, 0, (2_000,)),
    ]
    sent = profile.sent
    assert (sent.typed, sent.files, sent.injected, sent.tools) == (len("firstsecond"), 10, len("reminder") + 3, 5)
    assert [call.name for call in profile.slowest] == ["shell"]
    assert [(call.name, call.output) for call in profile.failed] == [("edit", "12345")]
    costs = [turn.cost_usd for turn in profile.turns if turn.cost_usd is not None]
    assert sum(costs) == usage_of(tmp_path, talk).cost(talk)


def test_a_gap_makes_its_own_turn_uncertain(tmp_path: Path) -> None:
    talk = session(
        *(
            msgspec.structs.replace(message, origin=Origin(file="/f", line=line))
            for line, message in enumerate(
                [prompt("one"), reply(token_usage(10, 1)), prompt("two"), reply(token_usage(20, 2)), prompt("none")],
                start=1,
            )
        )
    )

    def exact(*gaps: Gap) -> list[bool | None]:
        conversation = msgspec.structs.replace(talk, gaps=gaps, exact=exactness(gaps))
        return [turn.usage.exact for turn in usage_of(tmp_path, conversation).profile(conversation).turns]

    assert exact() == [True, True, True]
    assert exact(Gap(why="?", certain=True, file="/f", line=4)) == [True, False, True]
    assert exact(Gap(why="?", certain=False, line=2)) == [None, True, True]
    assert exact(Gap(why="?", certain=False)) == [None, None, None]
    last = usage_of(tmp_path, talk).profile(msgspec.structs.replace(talk, exact=True)).turns[-1]
    assert (last.usage.total, last.usage.requests) == (0, 0)
