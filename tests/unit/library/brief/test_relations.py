"""Other sessions that belong to a session."""

from __future__ import annotations

from pollux.library.brief.one_session import About, Material
from pollux.library.brief.values import Section
from pollux.model import Kind, Link, Status
from tests.unit.library.brief.made import call, items_of, model, session, told


def test_sub_agents_with_their_answers() -> None:
    items = items_of(
        Section.LINKED,
        model(call("agent", {"agent_name": "scout", "prompt": "Look."}, "Output: found it", child="claude:child")),
        model(call("agent", {"ids": ["x"]}, "waiting")),
        model(call("agent", {"prompt": "No."}, "refused", Status.CANCELLED)),
        model(call("agent", {"prompt": "Bad."}, "error", Status.ERROR)),
    )
    assert [told(item) for item in items] == [
        ("sub-agent", "agent: scout, prompt=Look.", "session claude:child", "found it"),
        ("about sub-agents", "agent: ids=x", "", "waiting"),
    ]


def test_origins_and_heirs() -> None:
    links = tuple(
        Link(kind=kind, target=target, evidence="e")
        for kind, target in (("forked_from", "claude:a"), ("copy_of", "claude:abcdef12"), ("odd", "x:y"))
    )
    whole = session(model("x"), kind=Kind.SUBAGENT, parent="claude:p", links=links)
    material = Material(whole, About(name="claude:abcdef12", heirs=("codex:h",)))
    assert [(item.what, item.text) for item in material.items if item.section is Section.LINKED] == [
        ("forked from", "claude:a"),
        ("odd", "x:y"),
        ("sub-agent of", "claude:p"),
        ("handed over to", "codex:h"),
    ]
