"""What all model values share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

Extra = Mapping[str, Any]
"""What the source recorded and the model has no word for, kept as it was."""


class _Nothing(dict[str, Any]):
    """An empty dictionary that stays empty, so that all values can share one instead of making their own."""

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("this dictionary is shared and stays empty")

    __setitem__ = __ior__ = setdefault = update = _refuse

    def __reduce__(self) -> str:
        return "NOTHING"


NOTHING: dict[str, Any] = _Nothing()


class Value(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A frozen record. Values form trees, never cycles, so the garbage collector need not watch them."""
