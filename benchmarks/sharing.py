"""Export and redaction: a whole history to several formats on two processes, and the hunt for secrets on one.

python -m benchmarks.sharing FOLDER [SESSIONS]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import yardsticks
from benchmarks.store import Memory, history, parsed_together
from pollux import registry
from pollux.export.folder import Folder
from pollux.export.run import Export
from pollux.library.library import Filter, Library
from pollux.transforms.redact import RedactionOptions, Redactor
from pollux.writers import Options

SAMPLE = 200
FORMATS = ("markdown", "events", "vac", "atif", "parquet")


def measured(home: Path, folder: Path) -> dict[str, Any]:
    """Megabytes of input a second, beside a bare parse of the same files in the same run."""
    environ = {"HOME": str(home), "XDG_CACHE_HOME": str(folder / "cache"), "XDG_DATA_HOME": str(folder / "data")}
    # In a process of its own, whose memory is not ours.
    command = [sys.executable, "-m", "pollux", "sync"]
    subprocess.run(command, env={**os.environ, **environ}, check=True, capture_output=True)
    library = Library(environ, home, hunt=False)
    jobs = library.jobs(Filter(everything=True))
    files = [file.path for source, root in library.homes.roots() for file in source.find(root.path)]
    size = sum(Path(name).stat().st_size for name in files) / 1e6
    start = time.perf_counter()
    parsed_together(files)
    parse = time.perf_counter() - start
    found: dict[str, Any] = {
        "sessions": len(library.list(Filter(everything=True))),
        "megabytes": size,
        "largest megabytes": max(job.size for job in jobs) / 1e6,
        "bare parse s": parse,
    }
    for name in FORMATS:
        with Memory() as memory, Folder(str(folder / name), forbidden=[]) as opened:
            start = time.perf_counter()
            outcome = Export(registry.writer(name), Options(), opened).run(jobs, {}, {})
            export = time.perf_counter() - start
        assert len(outcome.entries) == found["sessions"]
        found |= {
            f"{name} s": export,
            f"{name} MB/s": size / export,
            f"{name} ratio": export / parse,
            f"{name} peak MB": memory.peak / 1e6,
        }
    return {**found, **_redacting(library)}


def _redacting(library: Library) -> dict[str, Any]:
    """CPU seconds of redaction alone, in sessions that were read before, beside a bare parse of their files."""
    bundles = library._files.bundles()[:SAMPLE]
    files = [file.path for _, bundle in bundles for file in bundle.files]
    size = sum(Path(name).stat().st_size for name in files) / 1e6
    redactor = Redactor(RedactionOptions(home="/home/ada", users=("ada",)))
    spent = parse = 0.0
    for source, bundle in bundles:
        sessions = source.read(bundle).sessions
        start = time.process_time()
        for session in sessions:
            redactor(session)
        middle = time.process_time()
        yardsticks.bare_parse([file.path for file in bundle.files])
        spent, parse = spent + middle - start, parse + time.process_time() - middle
    return {"redaction MB/s": size / spent, "redaction ratio": spent / parse}


if __name__ == "__main__":
    folder, sessions = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    print(json.dumps(measured(history(folder, sessions), folder), indent=1))
