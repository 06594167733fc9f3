"""Independent judges of what the writers write: schemas that others published, read by validators that others wrote."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import cbor2
import pycddl
from jsonschema import Draft202012Validator

from pollux.writers.vac.check import check

SCHEMAS = Path(__file__).parents[2] / "schemas"


@cache
def cddl(start: str = "verifiable-agent-record") -> pycddl.Schema:
    """The published schema. The validator misreads some notations, so these are said in another way.

    A choice in a list is spelled out; `number` is an integer or a float; a rule's name is not the name of a member;
    a pattern is anchored; a named label is its number.
    """
    text = (SCHEMAS / "agent-conversation.cddl").read_text("utf-8")
    named = re.search(r"^entry\s*=\s*((?:[\w-]+\s*/\s*)+[\w-]+)\s*$", text, re.MULTILINE)
    assert named is not None
    union = " / ".join(part.strip() for part in named[1].split("/"))
    text = text[: named.start()] + text[named.end() :]
    text = re.sub(r"\[\s*\*\s*entry\s*\]", f"[* ({union})]", text)
    text = re.sub(r"(:\s*)number\b", r"\1(int / float)", text)
    text = re.sub(r"^session-id\s*=", "session-id-value =", text, flags=re.MULTILINE)
    text = re.sub(r"(session-id:\s*)session-id\b", r"\1session-id-value", text)
    text = re.sub(r'^((?:date-time|uri)-regexp\s*=\s*")(.*)(")\s*$', r"\1^(?:\2)$\3", text, flags=re.MULTILINE)
    text = re.sub(r"&\(\s*[\w-]+\s*:\s*(\d+)\s*\)\s*=>", r"\1 =>", text)
    return pycddl.Schema(re.sub(r"^start\s*=.*$", f"start = {start}", text, flags=re.MULTILINE))


def fits(record: Any, start: str = "verifiable-agent-record") -> bool:
    """Does the published schema accept it?"""
    try:
        cddl(start).validate_cbor(cbor2.dumps(record))
    except pycddl.ValidationError:
        return False
    return True


def judge_vac(text: str) -> None:
    """The published schema and our own checker agree that it is a record."""
    record = json.loads(text)
    assert check(record) == []
    cddl().validate_cbor(cbor2.dumps(record))


@cache
def events_schema(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8")))


def judge_events(text: str, dialect: str = "events") -> None:
    """Every line is an event; they begin and end with the session's; ids tell them apart."""
    events = [json.loads(line) for line in text.splitlines()]
    for event in events:
        events_schema(dialect).validate(event)
    assert [events[0]["type"], events[-1]["type"]] == ["session_start", "session_end"]
    ids = [event["id"] for event in events]
    assert len(set(ids)) == len(ids)
    assert all(event["parent_id"] in ids[: event["seq"]] for event in events if "parent_id" in event)
