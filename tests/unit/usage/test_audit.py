from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from pollux.model import Fate, Gap, Kind, Link, Message, Origin, Session, Tally, Usage
from tests.unit.usage.small_sessions import NOON, reply, session, token_usage, usage_of


def placed(message: Message, line: int, **changes: object) -> Message:
    return msgspec.structs.replace(message, origin=Origin(file="/log.jsonl", line=line), **changes)


def audited(tmp_path: Path, talk: Session) -> list[tuple[int | None, bool, str]]:
    audit = usage_of(tmp_path, talk).audit(talk)
    return [(item.line, item.counted, item.rule) for item in audit.items]


def test_each_figure_has_its_line_and_its_rule(tmp_path: Path) -> None:
    link = Link(kind="forked_from", target="gemini:first", evidence="says so")
    talk = session(
        placed(reply(token_usage(1, 1), inherited=True), 2),
        placed(reply(token_usage(1, 1)), 5, extra={"lines": [{"line": 6}, {"line": 7}]}),
        placed(reply(token_usage(1, 1)), 9, fate=Fate.REWOUND),
        placed(reply(msgspec.structs.replace(token_usage(1, 1), line=12, exact=False)), 11),
    )
    assert audited(tmp_path, msgspec.structs.replace(talk, links=(link,))) == [
        (2, False, "inherited from gemini:first: that session is not here, so nobody counts it"),
        (5, True, "counted once (again on lines 6, 7)"),
        (9, True, "counted; rewound later"),
        (12, True, "counted; at least: the reply has no end"),
    ]


def test_a_figure_that_was_inherited_twice_counts_where_it_was_used(tmp_path: Path) -> None:
    def named(id: str, *, inherited: bool = True) -> Message:
        return placed(reply(token_usage(1, 1), inherited=inherited), 2, id=id)

    def fork(id: str, origin: str, *messages: Message) -> Session:
        link = Link(kind="forked_from", target=origin, evidence="says so")
        return msgspec.structs.replace(session(*messages, id=id), links=(link,))

    first = session(named("a", inherited=False), id="first")
    second = fork("second", "gemini:first", named("a"), named("b", inherited=False))
    third = fork("third", "gemini:second", named("a"), named("b"), named("c", inherited=False))
    audit = usage_of(tmp_path, first, second, third).audit(third)
    assert [item.rule for item in audit.items] == [
        "inherited from gemini:first: counted there",
        "inherited from gemini:second: counted there",
        "counted",
    ]


def test_a_figure_whose_origin_is_gone_counts_in_another_copy(tmp_path: Path) -> None:
    def copy(line: int, *, inherited: bool) -> Message:
        return placed(reply(token_usage(1, 1), inherited=inherited), line, id="a")

    link = Link(kind="forked_from", target="gemini:first", evidence="says so")
    other = session(copy(4, inherited=False), id="other")
    same_id = session(placed(reply(token_usage(1, 1), at=NOON + timedelta(1)), 4, id="a"), id="another")
    fork = msgspec.structs.replace(session(copy(2, inherited=True), id="fork"), links=(link,))
    (item,) = usage_of(tmp_path, same_id, other, fork).audit(fork).items
    assert item.rule == "inherited from gemini:other: counted there"


def test_a_figure_without_a_known_origin_does_not_name_one(tmp_path: Path) -> None:
    talk = session(placed(reply(token_usage(1, 1), inherited=True), 2))
    assert audited(tmp_path, talk) == [(2, False, "inherited from another session: not counted here")]


@pytest.mark.parametrize("kind", [Kind.PROMPTS, Kind.CHECKPOINT])
def test_typed_lines_and_checkpoints_count_nothing(tmp_path: Path, kind: Kind) -> None:
    link = Link(kind="forked_from", target="gemini:first", evidence="says so")
    talk = msgspec.structs.replace(session(placed(reply(token_usage(1, 1), inherited=True), 2)), links=(link,))
    first = msgspec.structs.replace(session(id="first"), kind=kind)
    (item,) = usage_of(tmp_path, first, talk).audit(talk).items
    assert item.rule == "inherited from gemini:first: that session is not here, so nobody counts it"


@pytest.mark.parametrize("scope", ["session", "family"])
def test_an_agent_that_counts_what_was_inherited(tmp_path: Path, scope: str) -> None:
    tally = Tally(name="total", scope=scope, total=13, rule="Its rule.", file="/log.jsonl", line=9)
    talk = session(reply(token_usage(1, 1), inherited=True), reply(token_usage(10, 1)))
    talk = msgspec.structs.replace(talk, tallies=(tally,))
    usage = usage_of(tmp_path, talk)
    for (verdict,) in (usage.audit(talk).verdicts, usage.audit_all().verdicts):
        assert verdict.difference == 2
        assert verdict.why.startswith("The agent also counts what this session inherited.")


def test_the_review_has_the_costs_that_the_audit_has(tmp_path: Path) -> None:
    def told(scope: str) -> Tally:
        return Tally(name=scope, scope=scope, total=1, rule="Its rule.")

    talk = session(reply(token_usage(10, 1)))
    talk = msgspec.structs.replace(talk, tallies=(told("session"), told("family"), told("thread")))
    child = session(reply(token_usage(1_000, 100)), id="two", parent=talk.key)
    usage = usage_of(tmp_path, talk, child)
    costs = {verdict.tally.scope: verdict.cost_usd for verdict in usage.audit_all().verdicts}
    assert costs == {verdict.tally.scope: verdict.cost_usd for verdict in usage.audit(talk).verdicts}
    assert costs["session"] == costs["thread"]
    assert (costs["family"] or 0) > (costs["session"] or 0) > 0


def test_figures_that_were_passed_over_are_told_with_their_own_line(tmp_path: Path) -> None:
    poorer = {"line": 6, "usage": {"output_tokens": 3}, "usage_line": 5}
    older = {"message": {"usage": {"native": {"output": 2}}, "origin": {"line": 3}}}
    talk = session(placed(reply(token_usage(1, 360)), 5, extra={"lines": [poorer], "replaced": [older]}))
    assert audited(tmp_path, talk) == [
        (5, True, "counted"),
        (5, False, "replaced by the line of the same reply with the most output"),
        (3, False, "replaced by a later writing of the same message"),
    ]


def test_requests_that_share_a_message_are_told_one_by_one(tmp_path: Path) -> None:
    each = tuple(msgspec.structs.replace(token_usage(10, n), line=n) for n in (3, 4))
    talk = session(placed(reply(Usage(input=20, output=7, requests=2, each=each)), 1))
    assert audited(tmp_path, talk) == [(3, True, "counted; one of 2 requests"), (4, True, "counted; one of 2 requests")]


@pytest.mark.parametrize(
    ("theirs", "gaps", "difference", "why"),
    [
        (11, (), 0, "They agree."),
        (20, (), 9, "The agent counts what its files do not hold. Its rule."),
        (
            20,
            (Gap(why="It was folded.", certain=True),),
            9,
            "The agent counts what its files do not hold. It was folded.",
        ),
        (5, (), -6, "The agent's own total is too low. Its rule."),
    ],
)
def test_an_agents_own_total_is_compared_and_explained(
    tmp_path: Path, theirs: int, gaps: tuple[Gap, ...], difference: int, why: str
) -> None:
    tally = Tally(name="total", scope="session", rule="Its rule.", total=theirs)
    talk = msgspec.structs.replace(session(reply(token_usage(10, 1))), tallies=(tally,), gaps=gaps)
    usage = usage_of(tmp_path, talk)
    (verdict,) = usage.audit(talk).verdicts
    assert (verdict.ours, verdict.difference, verdict.why) == (11, difference, why)
    (again,) = usage.audit_all().verdicts
    assert (again.ours, again.difference, again.why) == (11, difference, why)


def test_a_scope_says_what_is_compared(tmp_path: Path) -> None:
    scopes = ("session", "family", "thread")
    tallies = tuple(Tally(name=scope, scope=scope, rule="", total=0) for scope in scopes)
    main = session(reply(token_usage(10, 1)), reply(token_usage(100, 0), inherited=True), id="main")
    main = msgspec.structs.replace(main, tallies=tallies)
    child = session(reply(token_usage(1000, 0)), id="child", parent="gemini:main")
    usage = usage_of(tmp_path, main, child)
    assert {verdict.tally.scope: verdict.ours for verdict in usage.audit(main).verdicts} == {
        "session": 11,
        "family": 1011,
        "thread": 111,
    }
    assert {v.tally.scope: v.ours for v in usage.audit_all().verdicts} == {"session": 11, "family": 1011, "thread": 111}


def test_the_review_counts_how_sure_the_sums_are(tmp_path: Path) -> None:
    gap = Gap(why="It was folded.", certain=True)
    low = msgspec.structs.replace(session(reply(token_usage(1, 1)), id="low", exact=False), gaps=(gap, gap))
    result = usage_of(
        tmp_path, low, session(reply(token_usage(1, 1)), id="good"), session(id="empty", exact=None)
    ).audit_all()
    (agent,) = result.agents
    assert (agent.requests, agent.exact, agent.at_least, agent.unknown) == (2, 1, 1, 1)
    (missing,) = result.missing
    assert (missing.why, missing.times, missing.sessions, missing.example) == (gap.why, 2, 1, "gemini:low")
