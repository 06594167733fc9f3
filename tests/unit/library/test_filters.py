from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pollux import Filter
from pollux.errors import RequestError
from pollux.library.filters import filter_of, filter_words, has_only_filters, query_words


def test_without_anything_every_session_is_wanted() -> None:
    assert filter_of() == Filter(everything=True)


def test_words_may_be_options_and_facts() -> None:
    wanted = filter_of(words=["agent:Codex", "branch:main", "Project:weather", "retry", "odd:", ":odd"])
    assert (wanted.agent, wanted.project, wanted.facts) == ("codex", "weather", (("branch", "main"),))
    assert wanted.words == ("retry", "odd:", ":odd")


def test_days_begin_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    wanted = filter_of(words=["since:2026-11-14", "before:2026-11-15"])
    assert wanted.since == datetime(2026, 11, 14, tzinfo=UTC)
    assert wanted.until == datetime(2026, 11, 14, 23, 59, 59, 999999, tzinfo=UTC)


def test_what_is_said_twice_is_refused() -> None:
    with pytest.raises(RequestError, match="agent:codex is a second one"):
        filter_of("gemini", words=["agent:codex"])
    with pytest.raises(RequestError, match="empty name"):
        filter_of(project="")


def test_a_value_in_quotes_may_have_spaces() -> None:
    text = 'project:"two words" agent:codex'
    assert has_only_filters(text)
    assert query_words(text) == ['project:"two words"', "agent:codex"]
    assert filter_of(words=filter_words(text)).project == "two words"
    assert not has_only_filters('"two words"')
    assert not has_only_filters('project:"two')
    assert filter_words('say "two words"') == ["say", '"two', 'words"']
