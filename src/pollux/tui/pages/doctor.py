"""What pollux could read, and what not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.doctor import diagnosis
from pollux.draw.empty import places_table
from pollux.tui.pages.page import Choice, Page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.draw.canvas import Canvas
    from pollux.library.library import Library


class DoctorPage(Page):
    """The account of `pollux doctor`."""

    title = "Doctor"
    command = "doctor"

    def lines(self, canvas: Canvas, library: Library, choice: Choice) -> Iterator[str]:
        """The account of all files."""
        _ = choice  # the account is about all files, at any time
        report = library.doctor()
        if report.files:
            yield from diagnosis(canvas, report, str(library.user_home), every_file=False)
        else:
            yield from places_table(canvas, library)
