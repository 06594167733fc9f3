"""A lake: the sessions of many people and machines in an object store, and open tables over them."""

from __future__ import annotations
