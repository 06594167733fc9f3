from __future__ import annotations

from hypothesis import given, strategies as st

from pollux.index.catalogue.prefixes import ShortIds, short_id

IDS = st.lists(st.text("ab0-", min_size=1, max_size=14), min_size=1, max_size=12)


@given(IDS)
def test_one_among_others_is_named_as_in_a_list(ids: list[str]) -> None:
    listed = ShortIds(sorted(set(ids)))
    assert [short_id(id, ids) for id in ids] == [listed.of(id) for id in ids]


def test_an_id_that_others_extend_is_its_own_name() -> None:
    assert short_id("abcdefgh", ["abcdefgh", "abcdefgh-1", "zz"]) == "abcdefgh"
