"""A JSON document reads back as the session it was written from."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from pollux.model import Message, Notice, Origin, Session, Usage
from pollux.writers.base import Options, WriterContext
from pollux.writers.json import WRITER
from pollux.writers.json_reader import begins, session_of
from tests.unit.writers.full_session import EVERYTHING

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=3)
MOMENTS = st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))]))
FIGURES = st.none() | st.integers(0, 2**60)
USAGES = st.builds(
    Usage,
    input=FIGURES,
    output=FIGURES,
    cache_write_long=FIGURES,
    line=FIGURES,
    exact=st.none() | st.booleans(),
    native=OBJECTS,
)


def document(session: Session) -> bytes:
    pieces: list[str] = []
    WRITER.write(session, pieces.append, Options(), WriterContext(family_usage=Usage(input=1), cost_usd=0.5))
    return "".join(pieces).encode()


def parts() -> st.SearchStrategy[Any]:
    """Parts of every kind, made by taking those there are and changing what is recorded with them."""
    every = [part for message in EVERYTHING.messages for part in message.parts]
    whole = [part for part in every if "\\ud" not in ascii(part)]
    return st.sampled_from(whole)


MESSAGES = st.builds(
    Message,
    id=TEXTS,
    at=st.none() | MOMENTS,
    parts=st.lists(parts(), max_size=3).map(tuple),
    model=st.none() | TEXTS,
    usage=st.none() | USAGES,
    origin=st.none() | st.builds(Origin, file=TEXTS, line=FIGURES, item=FIGURES),
    extra=OBJECTS,
)
SESSIONS = st.builds(
    Session,
    agent=TEXTS,
    id=TEXTS,
    title=st.none() | TEXTS,
    started=st.none() | MOMENTS,
    ended=st.none() | MOMENTS,
    messages=st.lists(MESSAGES, max_size=3).map(tuple),
    notices=st.lists(st.builds(Notice, code=TEXTS, text=TEXTS, file=st.none() | TEXTS, line=FIGURES), max_size=2).map(
        tuple
    ),
    links=st.just(EVERYTHING.links),
    files=st.lists(TEXTS, max_size=2).map(tuple),
    tallies=st.just(()) | st.just(EVERYTHING.tallies),
    extra=OBJECTS,
)


@pytest.mark.slow
@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(SESSIONS)
def test_reads_back_equal(session: Session) -> None:
    written = document(session)
    for form in (written, _set_anew(written), _set_anew(written, indent=2), _set_anew(written, sort_keys=True)):
        assert begins(form)
        assert session_of(form) == session_of(written)
    # A document says how exact the sum is, which lacks what a request does not tell.
    assert session_of(written) == msgspec.structs.replace(session, exact=session.usage.exact)


def test_a_session_with_everything_reads_back() -> None:
    again = session_of(document(EVERYTHING))
    assert document(again) == document(EVERYTHING)  # but for half characters, which JSON does not have


def test_a_title_that_was_made_up_is_not_recorded() -> None:
    one = Session(agent="a", id="1", messages=EVERYTHING.messages[1:2])
    assert session_of(document(one)).title is None


@pytest.mark.parametrize(
    "wrong",
    [
        b"",
        b"{",
        b'{"key":"a:b"}',
        document(EVERYTHING)[:-30],
        document(EVERYTHING).replace(b'{"key":"gemini', b'{"key":"x'),
    ],
)
def test_what_is_none_is_refused(wrong: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        session_of(wrong)


def test_the_latest_moment_there_is() -> None:
    late = datetime.max.replace(tzinfo=timezone(timedelta(hours=-12)))
    assert session_of(document(Session(agent="a", id="1", ended=late))).ended == late


def _set_anew(document: bytes, **style: Any) -> bytes:
    """As another program would write it."""
    return json.dumps(json.loads(document), **style).encode()


def test_threads_may_read_their_first_documents_at_the_same_moment() -> None:
    """In a process of its own, as it would crash: msgspec learns what a session is, slowly, while others need it."""
    script = """if True:
        import sys, threading, time
        from msgspec import _utils
        from pollux.writers.json_reader import session_of

        document, bases = sys.stdin.buffer.read(), _utils._get_class_mro_and_typevar_mappings

        def slowly(kind):
            time.sleep(0.005)
            return bases(kind)

        _utils._get_class_mro_and_typevar_mappings = slowly
        threads = [threading.Thread(target=session_of, args=(document,)) for _ in range(20)]
        for thread in threads:
            thread.start()
            time.sleep(0.004)
        for thread in threads:
            thread.join()
    """
    subprocess.run([sys.executable, "-c", script], input=document(EVERYTHING), check=True, timeout=60)
