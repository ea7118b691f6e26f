"""
A roofline: what a GPU or CPU can do for kernels that do this many operations for each byte, and
where a kernel is expected to be. Static: the point comes from an estimate, and nothing is measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final

from tileiras_xdsl.cost.cpu import CpuEstimate
from tileiras_xdsl.cost.report import LABEL, Estimate

from .picture import LINE, MARGIN, Canvas, Picture, character_width

Place = Callable[[float, float], tuple[float, float]]
"""Where something of an intensity and a speed is drawn."""
LEFT: Final = 70.0
WIDTH: Final = 560.0
HEIGHT: Final = 300.0
TOP: Final = 68.0
DOT: Final = 5.0
TERA: Final = 1e12


@dataclass(frozen=True)
class Roof:
    """A limit: operations a second, or bytes a second."""

    name: str
    flops: float | None = None
    """TFLOP/s."""
    bandwidth: float | None = None
    """TB/s."""

    def at(self, intensity: float) -> float:
        """TFLOP/s at this many operations for each byte."""
        return self.flops if self.flops is not None else (self.bandwidth or 0.0) * intensity

    def __str__(self) -> str:
        if self.flops is not None:
            return f"{self.name} {self.flops:.4g} TFLOP/s"
        return f"{self.name} {self.bandwidth:.3g} TB/s"


@dataclass(frozen=True)
class Point:
    """A kernel, by the bytes that come from somewhere."""

    name: str
    intensity: float
    """Operations for each byte."""
    flops: float
    """TFLOP/s."""
    source: str
    """Where the bytes come from."""

    @property
    def title(self) -> str:
        return f"{self.name}, bytes of {self.source}"


def find_roofs(estimate: Estimate) -> list[Roof]:
    """Tensor cores, threads, L2 and memory of the GPU of an estimate."""
    rates = estimate.target.rates
    scale = rates.sm_count * rates.gigahertz / 1e3
    # The rate of the products that the kernel has.
    full = estimate.multiply_adds / estimate.ideal if estimate.ideal else 0.0
    roofs = [Roof("tensor cores", flops=2 * full * scale)] if full else []
    roofs.append(Roof("FMA", flops=2 * rates.lanes * scale))
    roofs.append(Roof("L2", bandwidth=rates.l2_bytes * scale))
    roofs.append(Roof("global memory", bandwidth=rates.memory_bytes * scale))
    return roofs


def find_points(estimate: Estimate) -> list[Point]:
    """The kernel by the bytes through L2 and, of a launch, by those of its arrays."""
    rates = estimate.target.rates
    if not estimate.flops or not estimate.clocks:
        return []
    flops = estimate.flops / estimate.clocks * rates.sm_count * rates.gigahertz / 1e3
    sources = {"L2": estimate.num_bytes, "global memory": estimate.array_bytes}
    return [
        Point(estimate.kernel, estimate.flops / num_bytes, flops, name)
        for name, num_bytes in sources.items()
        if num_bytes
    ]


def find_cpu_roofs(estimate: CpuEstimate) -> list[Roof]:
    """FMAs and cache of all cores, and memory."""
    rates = estimate.rates
    return [
        Roof("FMA", flops=rates.cores * rates.flops / TERA),
        Roof("cache", bandwidth=rates.cores * rates.cache / TERA),
        Roof("memory", bandwidth=rates.memory / TERA),
    ]


def find_cpu_points(estimate: CpuEstimate) -> list[Point]:
    """The kernel by the bytes of its tiles and, of a launch, by those of its arrays."""
    operations = estimate.total("operations")
    flops = operations / estimate.microseconds * 1e6 / TERA
    sources = {"cache": estimate.total("bytes"), "memory": estimate.array_bytes}
    return [
        Point(estimate.kernel, operations / num_bytes, flops, name)
        for name, num_bytes in sources.items()
        if num_bytes and operations
    ]


def roofline(estimate: Estimate | CpuEstimate) -> Picture:
    """The picture of a kernel."""
    if isinstance(estimate, CpuEstimate):
        roofs, points = find_cpu_roofs(estimate), find_cpu_points(estimate)
    else:
        roofs, points = find_roofs(estimate), find_points(estimate)
    title = f"Roofline of {estimate.kernel}"
    canvas = Canvas()
    _draw(canvas, estimate, roofs, points)
    lines = [f"{title} ({LABEL})", f"limited by {estimate.limit}", *map(str, roofs)]
    for point in points:
        best = _attainable(roofs, point)
        lines.append(
            f"{point.title}: {point.intensity:.4g} FLOP/byte, {point.flops:.4g} TFLOP/s, "
            f"{point.flops / best:.0%} of the roof"
        )
    if not points:
        lines.append("no operations on floats")
    return canvas.finish(title, "roofline", "\n".join(lines))


def _attainable(roofs: list[Roof], point: Point) -> float:
    """What the fastest unit, and what brings the bytes, allow."""
    units = max(roof.flops for roof in roofs if roof.flops is not None)
    return min(units, *(roof.at(point.intensity) for roof in roofs if roof.name == point.source))


def _draw(
    canvas: Canvas, estimate: Estimate | CpuEstimate, roofs: list[Roof], points: list[Point]
) -> None:
    best = max(roof.flops for roof in roofs if roof.flops is not None)
    slow = min(roof.bandwidth for roof in roofs if roof.bandwidth is not None)
    at = [point.intensity for point in points]
    x0, x1 = floor(log10(min([0.25, *at]))), ceil(log10(max([4 * best / slow, *at])))
    y1 = ceil(log10(best) + 0.1)
    y0 = min([y1 - 4, *(floor(log10(max(point.flops, 1e-6))) for point in points)])

    def place(intensity: float, flops: float) -> tuple[float, float]:
        x = (log10(intensity) - x0) / (x1 - x0)
        y = (log10(flops) - y0) / (y1 - y0)
        return LEFT + x * WIDTH, TOP + (1 - y) * HEIGHT

    limit = estimate.limit.partition(" (")[0]
    canvas.text(MARGIN, MARGIN + 12, f"{estimate.kernel}: limited by {limit}"[:70], "head")
    canvas.text(MARGIN, MARGIN + 28, LABEL, "dim")
    for exponent in range(x0, x1 + 1):
        x, _ = place(10.0**exponent, 10.0**y0)
        canvas.line("rule", (x, TOP), (x, TOP + HEIGHT))
        canvas.text(x, TOP + HEIGHT + LINE, f"{10.0**exponent:g}", "dim", "middle")
    for exponent in range(y0, y1 + 1):
        _, y = place(10.0**x0, 10.0**exponent)
        canvas.line("rule", (LEFT, y), (LEFT + WIDTH, y))
        canvas.text(LEFT - 6, y + 4, f"{10.0**exponent:g}", "dim", "end")
    canvas.text(LEFT + WIDTH / 2, TOP + HEIGHT + 2 * LINE, "FLOP/byte", "dim", "middle")
    canvas.text(MARGIN, TOP - 6, "TFLOP/s", "dim")
    fastest = max(roofs, key=lambda roof: roof.bandwidth or 0.0)
    for roof in roofs:
        with canvas.group(str(roof)):
            _draw_roof(canvas, roof, best, (x0, x1, y0), place, on_left=roof is fastest)
    for point in points:
        x, y = place(point.intensity, point.flops)
        tip = f"{point.title}: {point.intensity:.4g} FLOP/byte, {point.flops:.4g} TFLOP/s"
        with canvas.group(tip):
            above = place(point.intensity, _attainable(roofs, point))
            canvas.line("back", (x, y), above)
            canvas.rectangle(x - DOT, y - DOT, 2 * DOT, 2 * DOT, "c h3")
            canvas.text(x + 9, y + 14, f"{point.flops:.3g} TFLOP/s ({point.source})")


def _draw_roof(
    canvas: Canvas,
    roof: Roof,
    best: float,
    limits: tuple[int, int, int],
    place: Place,
    *,
    on_left: bool,
) -> None:
    """A line; of lines that rise, the leftmost has its label on the left, so as to cross none."""
    x0, x1, y0 = limits
    if roof.flops is not None:
        x, y = place(10.0**x1, roof.flops)
        canvas.line("edge", (LEFT, y), (x, y))
        canvas.text(x, y - 4, str(roof), "small", "end")
        return
    bandwidth = roof.bandwidth or 1.0
    first = max(10.0**x0, 10.0**y0 / bandwidth)
    last = best / bandwidth
    (x, y), (end, top) = place(first, roof.at(first)), place(last, best)
    canvas.line("edge", (x, y), (end, top))
    if on_left:
        room = len(str(roof)) * character_width("small")
        along = min(max(0.0, LEFT + room + 12 - x), end - x)
        y -= along * (y - top) / (end - x)
        canvas.text(x + along - 8, y - 2, str(roof), "small", "end")
    else:
        canvas.text(x + 18, y - 2, str(roof), "small")
