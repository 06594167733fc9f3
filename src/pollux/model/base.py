"""What all model values share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

Extra = Mapping[str, Any]
"""What the source recorded and the model has no word for, kept as it was."""


class Value(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A frozen record. Values form trees, never cycles, so the garbage collector need not watch them."""
