"""What a document holds at each level: nothing that must not leave the machine, and all else."""

from __future__ import annotations

import re

import msgspec
import pytest

from pollux.lake.documents import Document, Level
from pollux.lake.figures import SHARED_TOOLS, figures_only
from pollux.lake.journal import Entry
from pollux.lake.prepare import Planned, Preparer, is_number
from pollux.lake.settings import Machine
from pollux.model import Session, summarize
from pollux.registry import SOURCES
from pollux.sources.claude.format.tools import NAMES as CLAUDE
from pollux.sources.codex.format.tools import NAMES as CODEX
from pollux.transforms.redact import RULES, RedactionOptions, Redactor, Rule
from pollux.writers.json_reader import session_of
from tests.unit.lake.test_documents import written
from tests.unit.writers.full_session import EVERYTHING, Path, kind, places, with_text

WORD = "Zanzibar"
EMAIL = "who@secret.example.org"
MACHINE = Machine(id="0" * 16, secret=bytes(32))
PLACES = list({kind(path): path for path in places(EVERYTHING)}.values())


def redactor() -> Redactor:
    return Redactor(RedactionOptions(home="/home/ada", users=("ada",), emails=True))


def document(session: Session, level: Level, *, before: Entry | None = None, name: str | None = None) -> Document:
    preparer = Preparer("p1", MACHINE, redactor)
    planned = Planned(
        key=session.key,
        id=before.id if before is not None else preparer.lake_id(session.key, level),
        level=level,
        month="2026-11",
        seq=5,
        stamp="",
        project=name,
        before=before,
    )
    return preparer.document(session, planned)[0]


def test_whole_is_the_session_itself() -> None:
    assert document(EVERYTHING, Level.WHOLE).read() == session_of(written(EVERYTHING))


def test_redacted_is_what_an_export_gives() -> None:
    session = session_of(re.sub(rb"kitchen-sink|(?<=gemini:)[a-z-]+", b"0a1b2c3d", written(EVERYTHING)))
    made = document(session, Level.REDACTED)
    assert made.read() == session_of(written(redactor()(session)))
    assert made.project == redactor()(session).project


@pytest.mark.parametrize("path", PLACES, ids=kind)
def test_no_secret_leaves_from_any_place(path: Path) -> None:
    made = document(with_text(EVERYTHING, path, EMAIL), Level.REDACTED)
    assert EMAIL.encode() not in msgspec.json.encode(made)


@pytest.mark.parametrize("path", [path for path in PLACES if kind(path) != "messages.*.model"], ids=kind)
def test_figures_have_no_words_from_any_place(path: Path) -> None:
    made = document(with_text(EVERYTHING, path, WORD), Level.FIGURES)
    assert WORD.encode() not in msgspec.json.encode(made)


def test_figures_have_no_secret_in_the_model_either() -> None:
    path = next(path for path in PLACES if kind(path) == "messages.*.model")
    assert EMAIL.encode() not in msgspec.json.encode(document(with_text(EVERYTHING, path, EMAIL), Level.FIGURES))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
@pytest.mark.parametrize("level", [Level.FIGURES, Level.REDACTED])
def test_a_secret_of_every_rule_stays_here(rule: Rule, level: Level) -> None:
    text = rule.example
    (secret,) = (text[span.start : span.end] for span in redactor()._finder.find(text))
    path = next(path for path in PLACES if kind(path).endswith("output"))
    made = document(with_text(EVERYTHING, path, text), level)
    assert secret not in repr(made.read())
    assert made.redactions is not None
    assert made.redactions > 0


def test_figures_count_as_the_session_does() -> None:
    bare, whole = summarize(figures_only(EVERYTHING)), summarize(EVERYTHING)
    for name in ("counts", "models", "started", "ended", "kind", "usage"):
        assert getattr(bare, name) == getattr(whole, name), name


def test_figures_know_the_tools_that_agents_share() -> None:
    shared = {name for names in (CLAUDE, CODEX) for name, _ in names.values()}
    assert shared <= SHARED_TOOLS
    assert len(SOURCES) >= 6


def test_a_project_has_the_name_that_the_user_gave() -> None:
    assert document(EVERYTHING, Level.FIGURES).project is None
    assert document(EVERYTHING, Level.FIGURES, name="shop").read().project == "shop"
    assert document(EVERYTHING, Level.REDACTED, name="shop").project == "shop"


def test_the_same_session_has_the_same_document() -> None:
    assert document(EVERYTHING, Level.REDACTED) == document(EVERYTHING, Level.REDACTED)


@pytest.mark.parametrize(
    ("id", "number"),
    [
        ("3274cde4-46bd-475d-a1b3-c05a33f7637f", True),
        ("ses_5d2b9c1f0ffeJq3VxUaYbKzW8t", True),
        ("ff8d99a7485a-checkpoint", True),
        ("agent-a1b2c3d4", True),
        ("my-secret-plan", False),
        ("session-zanzibar", False),
        ("../home/ada", False),
    ],
)
def test_an_id_that_tells_something_is_hidden(id: str, number: bool) -> None:
    assert is_number(id) is number
    session = msgspec.structs.replace(EVERYTHING, id=id)
    for level in (Level.FIGURES, Level.REDACTED):
        made = document(session, level)
        assert (made.id == id) is number
        assert made.key == made.read().key


def test_an_id_that_was_pushed_stays() -> None:
    first = document(EVERYTHING, Level.WHOLE)
    before = Entry(
        key=first.key, id="as-before", month="2026-10", seq=3, state="x", path="", level=Level.WHOLE, stamp="", bytes=0,
        redactions=None, told=True,
    )  # fmt: skip
    assert document(EVERYTHING, Level.FIGURES, before=before).id == "as-before"


def test_what_was_begun_goes_on_with_its_number() -> None:
    first = document(EVERYTHING, Level.REDACTED)
    before = Entry(
        key=first.key, id=first.id, month="2026-11", seq=3, state=first.state, path="", level=Level.REDACTED, stamp="",
        bytes=0, redactions=0, told=False,
    )  # fmt: skip
    assert document(EVERYTHING, Level.REDACTED, before=before).seq == 3


def test_related_sessions_have_the_lakes_names() -> None:
    session = msgspec.structs.replace(EVERYTHING, parent=f"gemini:{WORD}")
    made = document(session, Level.FIGURES).read()
    assert made.parent == f"gemini:{Preparer('p', MACHINE, redactor).lake_id(f'gemini:{WORD}', Level.FIGURES)}"


def test_half_a_character_goes_too() -> None:
    odd = msgspec.structs.replace(EVERYTHING, id="a\udcff", project="/p/\udcff")
    for level in Level:
        made = document(odd, level)
        assert made.read().key == made.key
