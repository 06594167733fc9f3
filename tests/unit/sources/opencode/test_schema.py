"""The shapes of records."""

from __future__ import annotations

from pollux.sources.opencode.format.schema import Part, Span, Times, UsualPart


def test_usual_parts_keep_the_order_of_all_parts() -> None:
    """What is left of a part is kept in the order of its shape, whichever that is."""
    for few, many in ((UsualPart, Part), (Span, Times)):
        fields = [name for name in many.__struct_fields__ if name in few.__struct_fields__]
        assert list(few.__struct_fields__) == fields
