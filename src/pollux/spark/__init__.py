"""Raw homes as tables on somebody else's cluster: a Python data source for Apache Spark.

It may import `answers` and `draw`, and what lies below.

    spark.dataSource.register(pollux.spark.Source)
    spark.read.format("pollux").option("table", "usage").load("/corpus")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pollux.spark.source import Source

__all__ = ["Source"]


def __getattr__(name: str) -> Any:
    """Import pyspark when the source is first used: homes are read without it. Raises `Missing`."""
    if name != "Source":
        raise AttributeError(f"module 'pollux.spark' has no attribute {name!r}")
    from pollux.spark.source import Source

    return Source
