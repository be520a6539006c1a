"""Inline SVG: no script, no font, nothing from outside. Colours come from the page's style sheet by class."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from crag.evaluation.curve import Point

WIDTH, HEIGHT = 460, 260
LEFT, TOP, RIGHT, BOTTOM = 46, 14, 10, 40
BINS = 20


def risk_coverage(points: Sequence[Point]) -> str:
    """Risk over coverage, as steps: between two points a threshold does nothing."""
    top = max([0.1, *(point.risk for point in points)])
    marks, last = [], 0.0
    for point in points:
        marks += [(last, point.risk), (point.coverage, point.risk)]
        last = point.coverage
    path = " ".join(f"{_x(x):.1f},{_y(y / top):.1f}" for x, y in marks)
    return _frame(
        "Risk-coverage curve",
        "share of questions answered",
        "share of those that is wrong",
        f'<polyline class="line" points="{path}"/>',
        top,
    )


def scores(yes: Sequence[float], no: Sequence[float], lower: float, upper: float) -> str:
    """How many answerable and unanswerable questions have which best score, with both thresholds."""
    counted = [(name, _histogram(values)) for name, values in (("yes", yes), ("no", no))]
    top = max([1, *(count for _, bins in counted for count in bins)])
    width = (WIDTH - LEFT - RIGHT) / BINS
    bars = [
        f'<rect class="{name}" x="{_x(at / BINS) + shift * width / 2 + 1:.1f}" y="{_y(count / top):.1f}" '
        f'width="{width / 2 - 1:.1f}" height="{_y(0) - _y(count / top):.1f}"/>'
        for shift, (name, bins) in enumerate(counted)
        for at, count in enumerate(bins)
        if count
    ]
    lines = [
        f'<line class="gate" x1="{_x(gate):.1f}" x2="{_x(gate):.1f}" y1="{TOP}" y2="{_y(0):.1f}"/>'
        f'<text class="small" x="{_x(gate) + 3:.1f}" y="{TOP + 9}">{name} {gate:.2f}</text>'
        for name, gate in (("lower", lower), ("upper", upper))
    ]
    return _frame("Best score of each question", "best passage's score", "questions", "".join(bars + lines), top)


def _histogram(values: Sequence[float]) -> list[int]:
    bins = [0] * BINS
    for value in values:
        bins[min(BINS - 1, max(0, int(value * BINS)))] += 1
    return bins


def _frame(title: str, below: str, beside: str, inner: str, top: float) -> str:
    ticks = "".join(
        f'<text class="small" text-anchor="middle" x="{_x(at):.1f}" y="{HEIGHT - BOTTOM + 14}">{at:.1f}</text>'
        for at in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    )
    heights = "".join(
        f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{_y(at):.1f}" y2="{_y(at):.1f}"/>'
        f'<text class="small" text-anchor="end" x="{LEFT - 5}" y="{_y(at) + 3:.1f}">{at * top:.3g}</text>'
        for at in (0.0, 0.5, 1.0)
    )
    middle = (TOP + HEIGHT - BOTTOM) / 2
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}"><title>{escape(title)}</title>'
        f"{heights}{ticks}{inner}"
        f'<text class="small" text-anchor="middle" x="{(LEFT + WIDTH) / 2:.0f}" y="{HEIGHT - 6}">{escape(below)}</text>'
        f'<text class="small" text-anchor="middle" transform="translate(11 {middle:.0f}) rotate(-90)">'
        f"{escape(beside)}</text></svg>"
    )


def _x(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _y(share: float) -> float:
    return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)
