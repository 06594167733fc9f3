"""One session that lies under two roots."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pollux.library.library import Filter, Library
from pollux.usage.stats import Grouping
from tests.unit.sources.gemini.conftest import LOG, Home, Json, call, conversation, gemini, header, user

SHARED = (header(), user("u1", "go"), gemini("g1", "1"))
ONE = (user("u2", "left", "06:00:10"), gemini("g2", "2", "06:00:11", 100))
TWO = (user("u3", "right", "06:00:20"), gemini("g3", "3", "06:00:21", 1000))


@pytest.fixture
def homes(tmp_path: Path) -> tuple[Home, Home]:
    return Home(tmp_path / "a"), Home(tmp_path / "b")


def library(homes: tuple[Home, Home]) -> Library:
    roots = os.pathsep.join(str(home.tmp) for home in homes)
    return homes[0].library(POLLUX_GEMINI_DIR=roots)


@pytest.mark.parametrize("turned", [False, True])
def test_session_that_went_on_under_two_roots_is_one(homes: tuple[Home, Home], turned: bool) -> None:
    for home, records in zip(homes, (ONE, TWO), strict=True):
        home.log(LOG, *SHARED, *records)
    opened = library((homes[1], homes[0]) if turned else homes)
    (listed,) = opened.list(Filter(everything=True))
    assert listed.summary.usage.input == 1110
    assert listed.summary.usage.exact is True
    assert opened.usage.stats(Grouping.AGENT).total.usage.input == 1110
    assert len(listed.summary.files) == 2
    (session,) = opened.sessions()
    assert conversation(session) == [
        ("human", "go", "live"),
        ("model", "1", "live"),
        ("human", "left", "rewound"),
        ("model", "2", "rewound"),
        ("human", "right", "live"),
        ("model", "3", "live"),
    ]
    assert [hit.message_id for hit in opened.search("left").hits] == ["u2"]
    assert opened.sync().changed == 0


def test_each_side_is_read_again_where_the_other_grows(homes: tuple[Home, Home]) -> None:
    for home in homes:
        home.log(LOG, *SHARED)
    opened = library(homes)
    assert [one.summary.usage.requests for one in opened.list()] == [1]
    for home, records, requests in ((homes[1], TWO, 2), (homes[0], ONE, 3)):
        home.log(LOG, *SHARED, *records)
        assert [one.summary.usage.requests for one in library(homes).list()] == [requests]
    (homes[1].tmp / LOG).unlink()
    assert [one.summary.usage.requests for one in library(homes).list()] == [2]


def test_messages_of_both_sides_stand_in_the_order_of_time(homes: tuple[Home, Home]) -> None:
    late = (user("u4", "late", "06:00:30"), gemini("g4", "4", "06:00:31"))
    homes[0].log(LOG, *SHARED, *ONE, *late)
    homes[1].log(LOG, *SHARED, *TWO)
    (session,) = library(homes).sessions()
    assert [text for _, text, _ in conversation(session)] == ["go", "1", "left", "2", "right", "3", "late", "4"]


def test_sub_agents_are_their_parents_under_whichever_root(homes: tuple[Home, Home]) -> None:
    def child(*records: Json) -> tuple[Json, ...]:
        return (header("bbbbbbbb-2", kind="subagent"), user("c1", "Look."), gemini("c2", "Seen."), *records)

    spawned = gemini("g1", "1", toolCalls=[call("call-1", "codebase_investigator", agentId="bbbbbbbb-2")])
    homes[0].log(LOG, header(), user("u1", "go"), spawned)
    homes[1].log(LOG, header(), user("u1", "go"), spawned, *TWO)
    place = "weather/chats/aaaaaaaa-1/bbbbbbbb-2.jsonl"
    homes[0].log(place, *child())
    homes[1].log(place, *child(user("c3", "More.", "06:00:40"), gemini("c4", "More seen.", "06:00:41")))
    opened = library(homes)
    sessions = {session.id: session for session in opened.sessions(Filter(everything=True))}
    assert sessions.keys() == {"aaaaaaaa-1", "bbbbbbbb-2"}
    assert sessions["bbbbbbbb-2"].parent == "gemini:aaaaaaaa-1"
    assert sessions["bbbbbbbb-2"].usage.requests == 2
    family = opened.usage.family(sessions["aaaaaaaa-1"])
    assert family is not None
    assert family.requests == 4


def test_one_id_in_two_projects_stays_two_sessions(homes: tuple[Home, Home]) -> None:
    homes[0].log(LOG, *SHARED)
    homes[1].log("garden/chats/session-2026-11-15T06-00-aaaaaaaa.jsonl", header(project="/work/garden"), *ONE)
    sessions = [session.id.partition("@")[0] for session in library(homes).sessions()]
    assert sessions == ["aaaaaaaa-1", "aaaaaaaa-1"]
    assert library(homes).usage.stats(Grouping.AGENT).total.usage.requests == 2


def test_a_copy_that_was_cut_belongs_to_the_session_of_its_folder(homes: tuple[Home, Home]) -> None:
    homes[0].log(LOG, *SHARED, *ONE)
    homes[0].write("weather/.project_root", "/work/weather")
    homes[1].write(LOG, '{"sessionId": "aaaaaaaa-1", "projectHa')
    (listed,) = library(homes).list(Filter(everything=True))
    assert listed.summary.id == "aaaaaaaa-1"
    assert listed.summary.usage.requests == 2
