"""A job of Spark, in a process of its own: reads raw homes with two workers, and prints what it found as JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import count, sum as total

import pollux.spark

USED = ["input", "cached", "output", "reasoning", "requests"]


def session(workers: int = 2) -> SparkSession:
    """A cluster on this machine: each worker has a process, a core and a gigabyte of its own."""
    own = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(f"local-cluster[{workers},1,1024]")
    for name, value in own.items():
        builder = builder.config(name, value)
    started: SparkSession = builder.getOrCreate()
    started.dataSource.register(pollux.spark.Source)
    return started


def rows(frame: DataFrame) -> list[dict[str, Any]]:
    return [row.asDict() for row in frame.collect()]


def main() -> None:
    folder = sys.argv[1]
    spark = session()
    try:
        read = {
            table: spark.read.format("pollux").option("table", table).load(folder)
            for table in ("sessions", "messages", "tool_calls", "usage", "problems")
        }
        sessions = read["sessions"].cache()
        counted = sessions.where("kind <> 'checkpoint'").select("home", "key", "agent")
        used = read["usage"].where("NOT inherited").join(counted, ["home", "key"])
        by_session = ["home", "key"]
        found = {
            "tasks": sessions.rdd.getNumPartitions(),
            "workers": spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1,
            "sessions": rows(sessions.select("home", "key", "title")),
            "messages": rows(read["messages"].groupBy(by_session).agg(count("*").alias("count"))),
            "calls": rows(read["tool_calls"].groupBy(by_session).agg(count("*").alias("count"))),
            "usage": rows(used.groupBy("home", "agent").agg(*(total(name).alias(name) for name in USED))),
            "problems": rows(read["problems"]),
            "columns": {table: frame.dtypes for table, frame in read.items()},
            "some": rows(spark.read.format("pollux").schema("key STRING, prompts BIGINT").load(folder).limit(1)),
        }
    finally:
        spark.stop()
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
