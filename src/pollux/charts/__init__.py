"""Pictures of figures: values in, SVG text out. They need no script, and suit a light page and a dark one."""

from pollux.charts.bars import bars
from pollux.charts.calendar import calendar
from pollux.charts.columns import columns

__all__ = ["bars", "calendar", "columns"]
