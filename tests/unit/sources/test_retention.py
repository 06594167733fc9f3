"""When agents delete sessions, by their own settings, and that those settings are read as the agents read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pollux import registry
from pollux.sources.base import Retention


def told(agent: str, root: Path, settings: str | None) -> Retention | None:
    root.mkdir(parents=True)
    if settings is not None:
        (root.parent / "settings.json").write_text(settings, "utf-8")
    result: Retention | None = registry.source(agent).retention(root)  # type: ignore[attr-defined]
    return result


@pytest.mark.parametrize(
    ("agent", "settings", "days", "stated"),
    [
        ("gemini", None, 30, False),
        ("gemini", "{}", 30, False),
        ("gemini", '{"general": {"sessionRetention": {"enabled": false}}}', None, True),
        ("gemini", '{// keep\n"general": {"sessionRetention": {"maxAge": "12w"}}}', 84, True),
        ("gemini", '{"general": {"sessionRetention": {"maxAge": "soon", "enabled": true}}}', 30, True),
        ("gemini", "no JSON", 30, False),
        ("claude", None, 30, False),
        ("claude", '{"cleanupPeriodDays": 365, "note": "a // b"}', 365, True),
        ("claude", '{"cleanupPeriodDays": "many"}', 30, False),
        ("claude", "[]", 30, False),
    ],
)
def test_what_the_settings_say(tmp_path: Path, agent: str, settings: str | None, days: float, stated: bool) -> None:
    result = told(agent, tmp_path / "home" / "sessions", settings)
    assert result is not None
    assert (result.days, result.stated) == (days, stated)
    assert result.file == str(tmp_path / "home" / "settings.json")


def test_an_agent_that_deletes_nothing_says_so(tmp_path: Path) -> None:
    assert told("codex", tmp_path / "home" / "sessions", None) is None


@pytest.mark.parametrize(
    ("settings", "days", "stated"),
    [(None, 30, False), ('{"general": {"cleanupPeriodDays": 365}}', 365, True), ('{"general": {}}', 30, False)],
)
def test_qwen_code_deletes_sub_agents_alone(tmp_path: Path, settings: str | None, days: float, stated: bool) -> None:
    root = tmp_path / ".qwen"
    root.mkdir()
    if settings is not None:
        (root / "settings.json").write_text(settings, "utf-8")
    result: Retention = registry.source("qwen").retention(root)  # type: ignore[attr-defined]
    assert (result.days, result.stated, result.file) == (days, stated, str(root / "settings.json"))
    assert result.concerns(str(root / "projects/-p/subagents/s/agent-a.jsonl"))
    assert not result.concerns(str(root / "projects/-p/chats/s.jsonl"))
    moved = registry.source("qwen").retention(tmp_path / "runtime")  # type: ignore[attr-defined]
    assert moved.file == "settings.json"
