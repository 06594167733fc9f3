"""Raw homes as tables on somebody else's cluster: a Python data source for Apache Spark.

It may import `answers` and `draw`, and what lies below.

    spark.dataSource.register(pollux.spark.Source)
    spark.read.format("pollux").option("table", "usage").load("/corpus")
"""

from pollux.spark.source import Source

__all__ = ["Source"]
