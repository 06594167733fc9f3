"""Adds up the tokens of raw homes on a cluster of one or two workers, and prints what that took as JSON."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from tests.lake.spark_job import session


def cpu_seconds() -> float:
    """What all processes of this session have used: this one, and those of the cluster."""
    ours, ticks = os.getsid(0), 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == ours:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def main() -> None:
    folder, workers = sys.argv[1], int(sys.argv[2])
    spark = session(workers)
    try:
        spark.range(0, 1000, 1, 4 * workers).mapInArrow(lambda batches: batches, "id BIGINT").count()  # all is started
        used, started = cpu_seconds(), time.perf_counter()
        usage = spark.read.format("pollux").option("table", "usage").load(folder)
        rows = usage.where("NOT inherited").groupBy("home").sum("input", "output").collect()
        taken = {"cpu": cpu_seconds() - used, "wall": time.perf_counter() - started}
        assert len(rows) == len(list(Path(folder).iterdir()))
    finally:
        spark.stop()
    print(json.dumps(taken))


if __name__ == "__main__":
    main()
