"""
Measures launches: on GPUs, or by whatever else stands in for them.

Launches come in bursts, each behind a flush of L2, and the median counts: first a short burst of
each configuration, then longer ones, by turns, of those that are close to the best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from statistics import median
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

import numpy as np

from .space import TuneError

if TYPE_CHECKING:
    from tileiras_xdsl.compiler.compiled import Compiled

FIRST_BURST: Final = 5
"""Launches of each configuration."""
CLOSE: Final = 1.1
"""How close to the best a configuration has to come to be measured again."""
TURNS: Final = 3
LAST_BURST: Final = 10
"""Launches in each of so many turns."""
WARM_UP: Final = 2


class Timer(Protocol):
    """What measures launches."""

    def identify(self, device: int) -> str:
        """The GPU, its driver, and how it is measured: what results depend on."""
        ...

    def time(
        self,
        compiled: Compiled,
        grid: tuple[int, int, int],
        arguments: Sequence[Any],
        *,
        device: int,
        repeat: int,
    ) -> Sequence[float]:
        """The milliseconds of each of so many launches, after some that do not count."""
        ...

    def launch(
        self,
        compiled: Compiled,
        grid: tuple[int, int, int],
        arguments: Sequence[Any],
        *,
        device: int,
    ) -> None:
        """Launches once, to see what comes out, and waits for it."""
        ...


class GpuTimer:
    """Measures on GPUs, by CUDA events."""

    def __init__(self, *, flush_l2: bool = True):
        self.flush_l2 = flush_l2
        self._moved: dict[tuple[int, int], tuple[Any, Any]] = {}
        """Arrays by their identity and a GPU, with their copies there."""

    def identify(self, device: int) -> str:
        from tileiras_xdsl.backend.cuda import Device

        gpu = Device.get(device)
        flushed = ", L2 flushed" if self.flush_l2 else ""
        return f"{gpu.name}, {gpu.sm_count} SMs, driver {gpu.driver_version}{flushed}"

    def time(
        self,
        compiled: Compiled,
        grid: tuple[int, int, int],
        arguments: Sequence[Any],
        *,
        device: int,
        repeat: int,
    ) -> Sequence[float]:
        kernel, flat = compiled.kernel(device=device), self._flatten(compiled, arguments, device)
        return kernel.time(grid, flat, repeat, WARM_UP, flush_l2=self.flush_l2)

    def launch(
        self,
        compiled: Compiled,
        grid: tuple[int, int, int],
        arguments: Sequence[Any],
        *,
        device: int,
    ) -> None:
        for argument in arguments:
            if self._move(argument, device) is not argument:
                raise TuneError(f"what a reference checks is in arrays of NumPy or on GPU {device}")
        compiled.launch(grid, arguments, device=device)
        compiled.kernel(device=device).synchronize()

    def _flatten(self, compiled: Compiled, arguments: Sequence[Any], device: int) -> Sequence[Any]:
        there = [self._move(argument, device) for argument in arguments]
        return there if compiled.function is None else compiled.function.flatten(there)

    def _move(self, argument: Any, device: int) -> Any:
        """An argument on a GPU: PyTorch's tensors are copied there once, NumPy's at each launch."""
        if isinstance(argument, tuple):
            parts = cast("tuple[Any, ...]", argument)
            moved = tuple(self._move(each, device) for each in parts)
            is_same = all(a is b for a, b in zip(moved, parts, strict=True))
            return parts if is_same else moved
        if isinstance(argument, np.ndarray | np.generic | int | float):
            return argument
        place: Any = getattr(argument, "device", None)
        if getattr(place, "type", None) == "cuda" and place.index == device:
            return argument
        if not callable(getattr(argument, "to", None)):
            if device == 0:
                return argument
            raise TuneError("arrays for several GPUs are those of NumPy or PyTorch")
        key = id(argument), device
        if key not in self._moved:
            self._moved[key] = argument, argument.to(f"cuda:{device}")
        return self._moved[key][1]


@dataclass
class Samples:
    """What was measured of a configuration."""

    milliseconds: list[float] = field(default_factory=list[float])

    @property
    def median(self) -> float:
        return median(self.milliseconds)


def poison(outputs: Mapping[str, Any]) -> None:
    """Fills arrays with what no kernel should leave there."""
    for array in outputs.values():
        is_torch = hasattr(array, "fill_")
        is_float = array.is_floating_point() if is_torch else array.dtype.kind not in "iub"
        value = float("nan") if is_float else 1
        if is_torch:
            array.fill_(value)
        else:
            array.fill(value)


def why_wrong(
    outputs: Mapping[str, Any], expected: Mapping[str, Any], rtol: float, atol: float
) -> str | None:
    """Why outputs are not what is expected; none if they are."""
    for name, wanted in expected.items():
        found = outputs[name]
        if tuple(found.shape) != tuple(wanted.shape):
            return f"'{name}' has shape {tuple(found.shape)}, not {tuple(wanted.shape)}"
        right = _count_close(found, wanted, rtol, atol)
        size = prod(found.shape)
        if right != size:
            return f"{size - right} of {size} elements of '{name}' are wrong"
    return None


def _count_close(found: Any, wanted: Any, rtol: float, atol: float) -> int:
    """How many elements are what they should be; arrays of PyTorch are compared where they are."""
    if hasattr(found, "isclose"):
        there = wanted.to(found.device).double()
        return int(found.double().isclose(there, rtol, atol, equal_nan=True).sum())
    one, other = (np.asarray(array).astype(np.float64) for array in (found, wanted))
    return int(np.isclose(one, other, rtol, atol, equal_nan=True).sum())
