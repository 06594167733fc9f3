"""Columns over time, each a stack of series."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pollux.usage.charts.svg import OTHERS, Label, box, picture, rule, text, ticks, wide

WIDTH, PLOT = 900, 252
LEFT, RIGHT, TOP, BOTTOM = 64, 42, 58, 32
LINE = 18
LABELS = 10
"""The greatest number of labels below the columns."""

Spans = Sequence[tuple[str | None, Mapping[str, float]]]
"""Spans of time in their order, each with its value by series; None is a gap that was cut."""


def columns(title: str, subtitle: str, spans: Spans, label: Label) -> str:
    """The largest series have colours of their own; the others share one."""
    totals: dict[str, float] = {}
    for _, values in spans:
        for name, value in values.items():
            totals[name] = totals.get(name, 0) + value
    ranked = sorted(totals, key=lambda name: (-totals[name], name))
    legend = list(_legend(ranked))
    top = TOP + LINE * (1 + max(line for line, *_ in legend)) if legend else TOP
    body = [
        text(LEFT, 26, title, more='font-size="16" font-weight="600"'),
        text(LEFT, 44, subtitle, "soft"),
        *(piece for line, x, style, name in legend for piece in _entry(line, x, style, name)),
        *_plot(spans, ranked, label, top),
    ]
    return picture(WIDTH, top + PLOT + BOTTOM, title, body)


def _legend(ranked: Sequence[str]) -> Iterator[tuple[int, float, str, str]]:
    """Each name with its line, its place in the line, and its colour."""
    few = len(ranked) <= OTHERS + 1
    line, x = 0, float(LEFT)
    for place, name in enumerate(ranked if few else [*ranked[:OTHERS], f"{len(ranked) - OTHERS} others"]):
        taken = 15 + wide(name) + 16
        if x + taken > WIDTH - RIGHT and x > LEFT:
            line, x = line + 1, float(LEFT)
        yield line, x, _style(place), name
        x += taken


def _entry(line: int, x: float, style: str, name: str) -> Iterator[str]:
    y = TOP + LINE * line
    yield box((x, y - 3, 10, 10), style, round_=2)
    yield text(x + 15, y + 6, name, "soft")


def _style(place: int) -> str:
    return f"s{min(place, OTHERS)}"


def _plot(spans: Spans, ranked: Sequence[str], label: Label, top: float) -> Iterator[str]:
    scale = ticks(max((sum(values.values()) for _, values in spans), default=0))
    floor = top + PLOT
    for tick in scale:
        y = floor - PLOT * tick / scale[-1]
        yield rule(LEFT, y, WIDTH - LEFT - RIGHT)
        yield text(LEFT - 8, y + 4, label(tick), "soft", 'text-anchor="end"')
    each = (WIDTH - LEFT - RIGHT) / max(len(spans), 1)
    gap, every = min(each * 0.15, 6), -(-len(spans) // LABELS)
    for number, (span, values) in enumerate(spans):
        x, y = LEFT + number * each, floor
        for place, name in enumerate(ranked):
            if value := values.get(name, 0):
                high = PLOT * value / scale[-1]
                y -= high
                yield box((x + gap / 2, y, each - gap, high), _style(place), f"{span} · {name}: {label(value)}")
        if span is None:
            yield text(x + each / 2, floor - 6, "…", "soft", 'text-anchor="middle"')
        elif number % every == 0:
            yield text(x + each / 2, floor + 18, span, "soft", 'text-anchor="middle"')
