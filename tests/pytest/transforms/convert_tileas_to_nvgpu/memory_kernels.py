"""Small kernels of level 2 that access memory, and ways to run and compile them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.analysis.linear_layout import LinearLayout, blocked
from tileiras_xdsl.backend import nvptx
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.dialects.nv_tileas.layout import encode
from tileiras_xdsl.frontend import make_context, parse_bytes
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import make_pass, select_steps
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.conversion_pass import (
    ConvertTileasToNvgpuPass,
)

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
        types = ", ".join(each.partition(": ")[2] for each in self.parameters.split(", "))
        return (
            f'"gpu.func"() <{{function_type = ({types}) -> (), kernel}}> ({{\n'
            f'^entry({self.parameters}):\n{self.body}\n"gpu.return"() : () -> ()\n'
            f'}}) {{sym_name = "{self.name}", nv_tileas.num_warps = {self.warps} : i32}} '
            ": () -> ()\n"
        )


def parse(kernels: Sequence[Kernel]) -> ModuleOp:
    """A module of some kernels."""
    parts = "".join(dict.fromkeys(kernel.globals for kernel in kernels))
    parts += "".join(kernel.text() for kernel in kernels)
    text = f'"gpu.module"() <{{sym_name = "m"}}> ({{\n{parts}}}) : () -> ()\n'
    module = parse_bytes(make_context(), text.encode(), "kernels.mlir")
    module.verify()
    return module


def lower(module: ModuleOp, arch: str = "sm_80") -> ModuleOp:
    """The code of a thread."""
    lowered = module.clone()
    ConvertTileasToNvgpuPass(arch).apply(make_context(), lowered)
    lowered.verify()
    return lowered


def check(kernel: Kernel, seed: int = 0, arch: str = "sm_80") -> None:
    """Runs a kernel as tiles and as threads, and compares what both leave in memory."""
    module = parse([kernel])
    expected = kernel.arguments(np.random.default_rng(seed))
    run(module, grid=kernel.grid, args=expected)
    found = kernel.arguments(np.random.default_rng(seed))
    run(lower(module, arch), grid=kernel.grid, args=found, check=["races"])
    for one, other in zip(expected, found, strict=True):
        if isinstance(one, np.ndarray):
            assert isinstance(other, np.ndarray)
            assert one.tobytes() == other.tobytes(), kernel.name


def compile_all(kernels: Sequence[Kernel], arch: str, ptxas: Ptxas) -> str:
    """The PTX of some kernels, which ptxas has accepted."""
    lowered = lower(parse(kernels), arch)
    for step in select_steps(2, after="nvgpu", to="nvvm"):
        make_pass(step, arch).apply(make_context(), lowered)
    target = NvptxTarget.parse(arch)
    ptx = nvptx.compile_to_ptx(translate_module(lowered, target), target)
    assert ptxas.compile(ptx, target).cubin.startswith(b"\x7fELF")
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
