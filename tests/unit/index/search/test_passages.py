from __future__ import annotations

import msgspec

from pollux.index.search.passages import (
    CUT,
    OUTPUT_HEAD,
    OUTPUT_TAIL,
    Passage,
    PassageKind,
    as_words,
    passages,
    paths_in,
)
from pollux.model import Attachment, Author, Context, FileReference, Status, Text, Thinking, Unknown
from tests.unit.index.search.small_sessions import edit_call, prompt, reply, session, shell_call
from tests.unit.writers.kitchen_sink import SESSION


def kinds(*found: Passage) -> list[tuple[str, str]]:
    return [(passage.kind, passage.text) for passage in found]


def test_words_are_told_apart_by_their_author() -> None:
    context = Context(source="hook", text="added")
    conversation = session(
        prompt("asked", context), reply("answered"), prompt("noted", by=Author.CLIENT), title="named"
    )
    assert kinds(*passages(conversation)) == [
        ("title", "named"),
        ("prompt", "asked"),
        ("context", "hook\nadded"),
        ("reply", "answered"),
        ("context", "noted"),
    ]


def test_a_pasted_file_is_never_the_humans_words() -> None:
    conversation = session(prompt("look at @a.py", FileReference(path="a.py", text="import os")))
    assert kinds(*passages(conversation)) == [("prompt", "look at @a.py"), ("file", "a.py\nimport os")]
    assert [passage.files for passage in passages(conversation)] == [(), ("a.py",)]


def test_neighbours_of_one_kind_are_one_passage() -> None:
    conversation = session(reply("one", Text(text="two"), Thinking(subject="Why", text="so"), Thinking(text="and so")))
    assert kinds(*passages(conversation)) == [("reply", "one\ntwo"), ("thinking", "Why\nso\nand so")]


def test_a_tool_call_holds_everything_about_it() -> None:
    (_, call) = passages(session(reply("go", shell_call("git push --force", "denied", Status.ERROR))))
    assert call.kind is PassageKind.TOOL
    assert call.text == "run_shell_command shell_exec\ncommand git push --force\ndenied"
    assert call.tools == ("shell_exec", "run_shell_command", "execute")
    assert call.failed is True


def test_each_tool_call_is_a_passage() -> None:
    conversation = session(reply("", edit_call("a.py"), edit_call("b.py")))
    assert [passage.files for passage in passages(conversation)] == [("a.py",), ("b.py",)]


def test_a_long_output_is_cut_in_the_middle_and_counted() -> None:
    whole = "a" * OUTPUT_HEAD + "z" * OUTPUT_TAIL
    (record,) = passages(session(reply("", shell_call("x", whole))))
    (cut,) = passages(session(reply("", shell_call("x", "a" * OUTPUT_HEAD + "lost" + "z" * OUTPUT_TAIL))))
    assert record.text.endswith(whole)
    assert not record.cut
    assert cut.text.endswith("a" * OUTPUT_HEAD + CUT + "z" * OUTPUT_TAIL)
    assert cut.cut


def test_arguments_become_words() -> None:
    value = {"todos": [{"text": "one", "done": True}, {"n": 2, "x": None}], "path": "a/b", "deep": {"k": ["v", "w"]}}
    assert as_words(value) == "todos\ntext one\ndone true\ntodos\nn 2\nx\npath a/b\ndeep\nk v\nk w"


def test_a_value_may_be_as_deep_as_it_likes() -> None:
    deep: object = "bottom"
    for _ in range(5000):
        deep = [deep]
    assert as_words(deep) == "bottom"


def test_paths_are_recognised_by_their_key_and_in_patches() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n*** Move to: src/b.py\n*** End Patch"
    assert list(paths_in({"file_path": "x.py", "paths": ["y", "z"], "content": "q", "notebookPath": "n.ipynb"})) == [
        "x.py",
        "y",
        "z",
        "n.ipynb",
    ]
    assert list(paths_in({"input": patch})) == ["src/a.py", "src/b.py"]


def test_attachments_are_found_by_name_and_unknown_parts_by_their_words() -> None:
    attached = Attachment(media_type="image/png", data="AAAA", extra={"displayName": "plan.png"})
    conversation = session(prompt("see", attached, Unknown(raw={"odd": ["thing", 1]})))
    assert kinds(*passages(conversation))[1:] == [
        ("file", "image/png displayName plan.png"),
        ("other", "odd thing\nodd 1"),
    ]


def test_a_question_belongs_to_the_model_that_answered() -> None:
    conversation = session(
        prompt("one"), reply("a", model="m-1"), prompt("two"), reply("b", model="m-2"), prompt("three")
    )
    assert [passage.model for passage in passages(conversation)] == ["m-1", "m-1", "m-2", "m-2", None]


def test_a_passage_without_a_time_has_that_of_the_message_before() -> None:
    conversation = session(prompt("one", days=1), msgspec.structs.replace(prompt("two"), at=None))
    one, two = passages(conversation)
    assert one.at == two.at is not None


def test_no_text_of_a_message_is_left_out() -> None:
    every = "\n".join(passage.text for passage in passages(SESSION))
    for message in SESSION.messages:
        for part in message.parts:
            for text in (getattr(part, "text", None), getattr(part, "output", None)):
                if text and not text.isspace():
                    assert text.replace("\ud83d", "\ufffd") in every
