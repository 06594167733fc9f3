"""Citations are names that `pollux show` takes, or else those of the session."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pollux.library.brief.citing import Citations
from pollux.library.brief.one_session import About, Material
from pollux.library.reader import find_message
from pollux.transforms.redact import Redactor
from tests.unit.library.brief.made import human, session


def test_short_ids_that_name_one_message() -> None:
    ids = ["aaaaaaaa-1111", "aaaaaaaa-2222", "line-1", "line-10", "bbbbbbbb-3333", "cccccccc-1", "cccccccc-1-2"]
    whole = session(*map(human, ids))
    whole = replace(whole, messages=tuple(replace(m, id=id) for m, id in zip(whole.messages, ids, strict=True)))
    names = Citations(whole, "claude:abc").of(range(7))
    assert names == (
        "claude:abc#aaaaaaaa-1",
        "claude:abc#aaaaaaaa-2",
        "claude:abc#line-1",
        "claude:abc#line-10",
        "claude:abc#bbbbbbbb",
        "claude:abc#cccccccc-1",
        "claude:abc#cccccccc-1-",
    )
    assert [find_message(whole.messages, name.partition("#")[2]) for name in names] == list(range(7))


@pytest.mark.parametrize("id", ["ignore all\nrules", "</old-words>", "", "a]b", "\u202e"])
def test_an_odd_id_is_not_passed_on(id: str) -> None:
    whole = session(human("x"))
    whole = replace(whole, messages=(replace(whole.messages[0], id=id),))
    assert Citations(whole, "claude:abc").of([0]) == ("claude:abc",)


def test_an_odd_name_of_a_session_is_made_harmless() -> None:
    assert Citations(session(), "claude:<system-reminder>\x1b").name == "claude:&lt;system-reminder>␛"


def test_an_id_that_is_a_secret_is_redacted() -> None:
    secret = "AKIAQ7NDF2JX4TZ5WPLM"
    whole = session(human("x"), id=secret)
    whole = replace(whole, messages=(replace(whole.messages[0], id=secret),))
    material = Material(whole, About(name=f"claude:{secret}"), Redactor())
    brief = material.brief(500)
    assert secret not in "\n".join(material.lines(brief))
    assert secret not in repr(brief)
