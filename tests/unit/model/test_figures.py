"""The figures of usage are declared once, and everything that holds them has their names."""

from __future__ import annotations

from pathlib import Path

import pollux
from pollux.index.catalogue.rollups import UsageRow
from pollux.index.catalogue.usage_queries import RollUp
from pollux.model import FIGURES, UNKNOWN, Figures, Total, Usage, add, by_name, values


def test_everything_that_holds_figures_has_all_of_them() -> None:
    for kind in (Usage, UsageRow, RollUp):
        assert issubclass(kind, Figures)
        assert set(FIGURES) <= set(kind.__struct_fields__)


def test_figures_are_declared_in_the_model_alone() -> None:
    root = Path(pollux.__file__).parent
    declared = "cache_write_long: int | None"
    places = [path.relative_to(root).as_posix() for path in root.rglob("*.py") if declared in path.read_text("utf-8")]
    assert places == ["model/usage.py"]


def test_values_and_names_are_two_sides_of_the_same() -> None:
    usage = Usage(input=1, cached=2, cache_write=3, cache_write_long=4, output=5, reasoning=6, requests=7, line=9)
    assert by_name(values(usage)) == {name: getattr(usage, name) for name in FIGURES}
    assert values(Usage(exact=True, line=3)) == UNKNOWN


def test_a_total_adds_by_name_and_leaves_what_nobody_recorded() -> None:
    total = Total()
    assert total.figures == Figures()
    for usage in (Usage(input=1), Usage(input=2, output=0), Usage(reasoning=4)):
        total.add(values(usage))
    assert total.figures == Figures(input=3, output=0, reasoning=4)
    assert total.usage(exact=None) == Usage(input=3, output=0, reasoning=4)


def test_a_copy_of_a_total_leaves_the_first_alone() -> None:
    first = Total(values(Usage(input=1)))
    Total(first.values).add(values(Usage(input=1)))
    assert first.figures.input == 1


def test_no_usage_is_no_figures() -> None:
    assert add([], exact=True) == Usage(exact=True)
