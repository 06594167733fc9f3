"""Which address gives which report."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pollux.web.reports.compare import choose, compare
from pollux.web.reports.edits import edits, file
from pollux.web.reports.friction import friction
from pollux.web.reports.keeping import archive, doctor
from pollux.web.reports.record import record
from pollux.web.reports.stats import audit, stats, stats_file
from pollux.web.reports.timeline import projects, timeline, timeline_file

if TYPE_CHECKING:
    from starlette.responses import Response

    from pollux.library.library import Library
    from pollux.web.reports.asked import Asked

Report = Callable[["Library", "Asked"], "Response"]

REPORTS: dict[str, Report] = {
    "/edits": edits,
    "/file": file,
    "/stats": stats,
    "/audit": audit,
    "/timeline": timeline,
    "/projects": projects,
    "/friction": friction,
    "/archive": archive,
    "/doctor": doctor,
    "/record": record,
    "/compare": choose,
    "/compare/{keys:text}": compare,
}
"""Each address also has a twin that ends with `.json`."""

FILES: dict[str, Report] = {"/stats.csv": stats_file, "/timeline.csv": timeline_file}
"""Files to keep."""
