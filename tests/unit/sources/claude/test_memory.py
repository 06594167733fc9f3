from __future__ import annotations

import gc

import pytest

from pollux.model import ToolResult
from tests.unit.sources.claude.conftest import SID, Home, call, in_chain, model, result, user


@pytest.mark.slow
def test_reading_leaves_nothing_for_the_garbage_collector(home: Home) -> None:
    records = user("Hi"), call(), result(detail={"stdout": "done"}), model("Hello", "msg_2")
    home.session(*records)
    gc.collect()
    gc.disable()
    try:
        ((source, bundle),) = home.library()._files.bundles()
        gc.collect()
        assert len(source.read(bundle).sessions) == 1
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_text_that_stands_in_a_result_twice_is_held_once(home: Home) -> None:
    text = "a long output"
    for detail in ({"stdout": text}, {"type": "text", "file": {"content": text, "filePath": "a.py"}}):
        session = home.session(user("Hi"), model("Hello"), result("toolu_9", text, detail))
        part = session.messages[-1].parts[0]
        assert isinstance(part, ToolResult)
        assert part.output == text
        kept = part.extra["result"]
        assert kept.get("file", kept).get("content", kept.get("stdout")) is part.output


def test_line_written_again_after_newer_fields_appeared_is_still_a_copy(home: Home) -> None:
    first, reply = user("Hi"), model("Hello", effort="high")
    newer = user("More", promptSource="typed")
    home.log(SID, *in_chain([first, reply, newer]), first)
    assert [message.text for message in home.only().messages] == ["Hi", "Hello", "More"]
