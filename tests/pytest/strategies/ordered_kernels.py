"""
Random kernels in which order matters: between the accesses of a CTA, against other CTAs that
set flags and read what is published, and against the previous grid of a dependent launch.

A kernel has one of the `THEMES`, which take turns. It is well ordered: whatever needs an order has
one by tokens, by a flag that is released and acquired, or by a wait for the previous grid; nothing
else is ordered, so that a compiler may move it. Numbers are small integers, so results are exact.
What others do is part of a kernel, and so is how it is compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tileiras_xdsl.interpreter.environment import (
    Add,
    AwaitAcquire,
    OtherBlock,
    PreviousGrid,
    Read,
    Release,
    Write,
)

from .draws import Draws
from .matmul_writer import Array
from .ordered_themes import THEMES
from .ordered_writer import OrderedWriter, Step

GPUS = (*["sm_90"] * 10, "sm_80", "sm_86", "sm_89", "sm_100", "sm_120")
"""Most for Hopper, where warps specialize and copies are asynchronous."""
OPTS = (3, 3, 3, 3, 2, 2, 1, 0)
ABIS = ("device-maps", "host-maps")


@dataclass(frozen=True)
class Configuration:
    """How a kernel is compiled."""

    gpu: str
    opt: int
    abi: str

    @property
    def has_dependent_launches(self) -> bool:
        """Whether a grid can begin before the previous one has ended, as it can since Hopper."""
        return int(self.gpu.removeprefix("sm_")) >= 90

    def __str__(self) -> str:
        return f"--gpu-name {self.gpu} -O{self.opt} --abi {self.abi}"


@dataclass(frozen=True)
class OrderedKernel:
    """A kernel, what it is given, and what happens around it."""

    seed: int
    theme: str
    text: str
    grid: tuple[int, int, int]
    values: tuple[Array | int | float, ...]
    others: tuple[tuple[Step, ...], ...]
    previous: tuple[int, ...]
    """The arguments that the previous grid is still writing."""
    alternatives: tuple[dict[int, Array], ...]
    """Where it matters when others act: arguments with which alone the results are right, too."""
    ignored: frozenset[int]
    """The arguments whose contents do not belong to the result."""
    growing: tuple[tuple[int, int], ...]
    """Pairs of them: no row of the second is anywhere less than one of the first."""
    configuration: Configuration

    def arguments(self) -> list[Any]:
        """Arguments to run the kernel on, which it may change."""
        return [value.copy() if isinstance(value, np.ndarray) else value for value in self.values]

    def surroundings(
        self, arguments: Sequence[Any], reads: dict[str, Array], *, is_dependent: bool = True
    ) -> list[PreviousGrid | OtherBlock]:
        """
        What happens around a run on some arguments; what others read is put aside by name. A
        launch that is not dependent begins when the previous grid has ended.
        """
        found: list[PreviousGrid | OtherBlock] = []
        if self.previous and is_dependent:
            found.append(PreviousGrid([arguments[number] for number in self.previous]))
        for number, steps in enumerate(self.others):
            bound = [
                _bind(step, arguments, reads, f"read {place} of other CTA {number}")
                for place, step in enumerate(steps)
            ]
            found.append(OtherBlock(bound))
        return found


def _bind(
    step: Step, arguments: Sequence[Any], reads: dict[str, Array], name: str
) -> Write | Release | Add | AwaitAcquire | Read:
    """A step on the arrays of a run."""
    array = arguments[step.parameter]

    def keep(value: Any) -> None:
        reads[name] = np.array(value)

    match step.action:
        case "write":
            return Write(array, step.index, step.value)
        case "release":
            return Release(array, step.index, step.value, scope=step.scope)
        case "add":
            return Add(array, step.index, step.value, scope=step.scope)
        case "await":
            return AwaitAcquire(array, step.index, step.value, scope=step.scope)
        case "read":
            return Read(array, step.index, into=keep)


def random_ordered_kernel(seed: int, theme: str | None = None) -> OrderedKernel:
    """The kernel of a seed: of a theme, or of that whose turn it is."""
    theme = theme or list(THEMES)[seed % len(THEMES)]
    draws = Draws.from_seed(f"{theme} {seed}")
    writer = OrderedWriter(draws, np.random.default_rng(seed))
    THEMES[theme](writer)
    body = "\n".join(f"    {line}" for line in [*writer.lines, "return"])
    opening = f"entry @kernel({', '.join(writer.parameters)}){writer.hint} {{"
    text = f"cuda_tile.module @kernels {{\n  {opening}\n{body}\n  }}\n}}\n"
    drawn = (draws.choose(GPUS), draws.choose(OPTS), draws.choose(ABIS))
    configuration = Configuration(*(writer.configuration or drawn))
    return OrderedKernel(
        seed,
        theme,
        text,
        (writer.blocks, 1, 1),
        tuple(writer.arguments),
        tuple(tuple(steps) for steps in writer.others),
        tuple(writer.previous),
        tuple(writer.alternatives),
        frozenset(writer.ignored),
        tuple(writer.growing),
        configuration,
    )
