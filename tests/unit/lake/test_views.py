"""The statements that make the views."""

from __future__ import annotations

import pytest

from pollux.lake.views import Engine, statements

LAKE = "s3://acme/it's"


@pytest.mark.parametrize("engine", Engine)
def test_each_engine_gets_every_view_over_the_tables_of_the_lake(engine: Engine) -> None:
    made = statements(engine, LAKE)
    for view in ("sessions", "messages", "tool_calls", "usage"):
        assert any(f"{view} AS SELECT" in one and "VIEW" in one for one in made)
    assert all("s.counts" in one for one in made if "VIEW" in one)
    assert "it''s/tables/usage_all" in " ".join(made) or engine is Engine.SPARK


def test_usage_that_was_inherited_or_copied_is_not_in_its_view() -> None:
    (usage,) = (one for one in statements(Engine.DUCKDB, LAKE) if "VIEW usage" in one)
    assert "NOT a.inherited" in usage
    assert "'checkpoint'" in usage
