"""Whatever texts a session holds: the page keeps its structure, holds them all, and none becomes markup."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from pollux.model import Session
from pollux.writers.base import Options
from tests.unit.writers.html.page_parser import check
from tests.unit.writers.kitchen_sink import SESSION
from tests.unit.writers.test_properties import OPTIONS, SESSIONS

pytestmark = pytest.mark.slow


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(SESSIONS, OPTIONS)
def test_any_session_keeps_the_structure(session: Session, options: Options) -> None:
    check(session, options)


def test_the_kitchen_sink_keeps_the_structure() -> None:
    check(SESSION)
    check(SESSION, Options(live_only=True))
