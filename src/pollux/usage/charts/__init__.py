"""Pictures of figures: values in, SVG text out. They need no script, and suit a light page and a dark one."""

from pollux.usage.charts.bars import bars
from pollux.usage.charts.calendar import calendar
from pollux.usage.charts.columns import columns

__all__ = ["bars", "calendar", "columns"]
