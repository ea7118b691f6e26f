"""Small kernels of level 2 that access memory, and ways to run and compile them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.analysis.linear_layout import LinearLayout, blocked
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.dialects.nv_tileas.layout import encode
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.conversion_pass import (
    ConvertTileasToNvgpuPass,
)

from ...harness.kernels import gpu_kernel, gpu_module, num_warps
from ...harness.modules import parse
from ...harness.passes import applied, compile_threads
from ...harness.running import assert_same_bits

Array = npt.NDArray[Any]
Arguments = Sequence[Array | int | float]


@dataclass(frozen=True)
class Kernel:
    """A kernel: its parameters and body, and what to run it with."""

    name: str
    parameters: str
    body: str
    arguments: Callable[[np.random.Generator], Arguments]
    grid: tuple[int, ...] = (1,)
    warps: int = 4
    globals: str = ""
    expected: Sequence[str] = field(default=())
    """What the PTX must have."""

    def text(self) -> str:
        """The kernel as MLIR."""
        return gpu_kernel(
            self.body,
            self.parameters.split(", "),
            name=self.name,
            attributes=[num_warps(self.warps)],
        )


def module_of(kernels: Sequence[Kernel]) -> ModuleOp:
    """A module of some kernels."""
    parts = "".join(dict.fromkeys(kernel.globals for kernel in kernels))
    return parse(gpu_module(parts + "".join(kernel.text() for kernel in kernels)))


def threads_of(module: ModuleOp, arch: str = "sm_80") -> ModuleOp:
    """The code of a thread."""
    return applied(module, ConvertTileasToNvgpuPass(arch))


def check(kernel: Kernel, seed: int = 0, arch: str = "sm_80") -> None:
    """Runs a kernel as tiles and as threads, and compares what both leave in memory."""
    module = module_of([kernel])
    expected = kernel.arguments(np.random.default_rng(seed))
    run(module, grid=kernel.grid, args=expected)
    found = kernel.arguments(np.random.default_rng(seed))
    run(threads_of(module, arch), grid=kernel.grid, args=found, check=["races"])
    assert_same_bits(expected, found, kernel.name)


def compile_all(kernels: Sequence[Kernel], arch: str, ptxas: Ptxas) -> str:
    """The PTX of some kernels, which ptxas has accepted."""
    ptx = compile_threads(threads_of(module_of(kernels), arch), arch, opt=2)
    assert ptxas.compile(ptx, NvptxTarget.parse(arch)).cubin.startswith(b"\x7fELF")
    return ptx


def encoded(layout: LinearLayout) -> str:
    """A layout as MLIR."""
    return str(encode(layout))


def layouts_of(shape: Sequence[int], warps: int = 4) -> dict[str, LinearLayout]:
    """Layouts of a tile: vectors along the last dimension or the first, replicated ones."""
    reverse = list(range(len(shape)))
    wide = blocked(shape, warps, vector=4)
    return {
        "plain": blocked(shape, warps),
        "vectors": wide,
        "transposed": blocked(shape, warps, vector=2, order=reverse),
        "copies": wide.replaced(register=(*wide.register[:1], 0, *wide.register[1:])),
        "warps": wide.replaced(register=(*wide.register, *wide.warp), warp=[0] * len(wide.warp)),
    }
