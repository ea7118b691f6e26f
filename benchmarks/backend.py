"""
Milliseconds from a module of `llvm` and `nvvm` to a cubin, for a small module and a large one:

- translate: the module to LLVM IR text;
- parse: LLVM reads and verifies the text;
- passes: libdevice is linked, LLVM's passes run;
- codegen: LLVM writes PTX;
- ptxas: PTX to a cubin, in a process of its own.

    python benchmarks/backend.py [--arch sm_90] [--opt 3] [--repeat 9]

The large one has the shape of a matmul: fragments of four registers are carried through a loop of
products of a warp, then there is elementwise work on each. Wall time: the median of several turns,
and the fastest and slowest. A turn before these is not counted, so that LLVM is loaded and the part
of libdevice which the small module needs is at hand. Without ptxas that row is left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.backend import nvptx
from tileiras_xdsl.backend.errors import MissingToolError
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.frontend.load import load

STEPS = ("translate", "parse", "passes", "codegen", "ptxas")

_T = TypeVar("_T")

SMALL = """
llvm.func @__nv_expf(f32) -> f32
llvm.func @small(%x: !llvm.ptr<1>)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  %thread = nvvm.read.ptx.sreg.tid.x : i32
  %p = llvm.getelementptr %x[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %v = llvm.load %p : !llvm.ptr<1> -> f32
  %e = llvm.call @__nv_expf(%v) : (f32) -> f32
  llvm.store %e, %p : f32, !llvm.ptr<1>
  llvm.return
}
"""

PRODUCT = (
    "nvvm.mma.sync A[%bits, %bits, %bits, %bits] B[%bits, %bits] C[{}] "
    "{{shape = #nvvm.shape<m = 16, n = 8, k = 16>, layoutA = #nvvm.mma_layout<row>, "
    "layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<f16>, "
    "multiplicandBPtxType = #nvvm.mma_type<f16>}} : (i32, i32, vector<4xf32>) -> vector<4xf32>"
)


def large(fragments: int, steps: int) -> str:
    """A loop with `steps` products for each fragment, then an epilogue."""
    types = ", ".join(["vector<4xf32>"] * fragments)
    zeros = ", ".join(["%zero"] * fragments)
    arguments = ", ".join(f"%acc{i}: vector<4xf32>" for i in range(fragments))
    current = [f"%acc{i}" for i in range(fragments)]
    body: list[str] = []
    for step in range(steps):
        for i in range(fragments):
            body.append(f"  %d{step}_{i} = {PRODUCT.format(current[i])}")
            current[i] = f"%d{step}_{i}"
    values = ", ".join(current)
    epilogue: list[str] = []
    for i, fragment in enumerate(current):
        for lane in range(4):
            name = f"{i}_{lane}"
            epilogue.append(
                f"  %l{name} = llvm.mlir.constant({lane} : i32) : i32\n"
                f"  %v{name} = llvm.extractelement {fragment}[%l{name} : i32] : vector<4xf32>\n"
                f"  %e{name} = llvm.intr.exp2(%v{name}) : (f32) -> f32\n"
                f"  %m{name} = llvm.fmul %e{name}, %half : f32\n"
                f"  %o{name} = llvm.mlir.constant({32 * (4 * i + lane)} : i32) : i32\n"
                f"  %q{name} = llvm.getelementptr %p[%o{name}] "
                ": (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32\n"
                f"  llvm.store %m{name}, %q{name} : f32, !llvm.ptr<1>"
            )
    return "\n".join(
        (
            "llvm.func @large(%x: !llvm.ptr<1>, %n: i32, %bits: i32)",
            "    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {",
            "  %thread = nvvm.read.ptx.sreg.tid.x : i32",
            "  %c0 = llvm.mlir.constant(0 : i32) : i32",
            "  %c1 = llvm.mlir.constant(1 : i32) : i32",
            "  %half = llvm.mlir.constant(5.0e-01 : f32) : f32",
            "  %zero = llvm.mlir.constant(dense<0.0> : vector<4xf32>) : vector<4xf32>",
            f"  llvm.br ^loop(%c0, {zeros} : i32, {types})",
            f"^loop(%i: i32, {arguments}):",
            *body,
            "  %next = llvm.add %i, %c1 : i32",
            '  %more = llvm.icmp "slt" %next, %n : i32',
            f"  llvm.cond_br %more, ^loop(%next, {values} : i32, {types}), ^done",
            "^done:",
            "  %p = llvm.getelementptr %x[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32",
            *epilogue,
            "  llvm.return",
            "}",
        )
    )


class Clock:
    """Milliseconds of each step, of all turns."""

    def __init__(self):
        self.times: dict[str, list[float]] = {step: [] for step in STEPS}

    def measure(self, step: str, work: Callable[[], _T]) -> _T:
        start = perf_counter()
        result = work()
        self.times[step].append(1000 * (perf_counter() - start))
        return result


def turn(
    clock: Clock, module: ModuleOp, target: NvptxTarget, level: int, ptxas: Ptxas | None
) -> tuple[str, str]:
    """LLVM IR and PTX of a module."""
    source = clock.measure("translate", lambda: translate_module(module, target))
    compilation = clock.measure("parse", lambda: nvptx.parse(source, target))
    clock.measure("passes", lambda: nvptx.optimize(compilation, level))
    ptx = clock.measure("codegen", lambda: nvptx.emit(compilation, level))
    if ptxas is not None:
        clock.measure("ptxas", lambda: ptxas.compile(ptx, target))
    return source, ptx


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--arch", default="sm_90")
    arguments.add_argument("--opt", type=int, default=3)
    arguments.add_argument("--repeat", type=int, default=9)
    options = arguments.parse_args()
    target = NvptxTarget.parse(options.arch)
    try:
        ptxas = Ptxas.find()
        print(f"ptxas {ptxas.version}, {target}, level {options.opt}, {options.repeat} turns")
    except MissingToolError as error:
        ptxas = None
        print(error)
    for name, text in (("small", SMALL), ("large", large(fragments=32, steps=4))):
        module = load(text)
        source, ptx = turn(Clock(), module, target, options.opt, ptxas)
        clock = Clock()
        for _ in range(options.repeat):
            turn(clock, module, target, options.opt, ptxas)
        print(
            f"{name}: {sum(1 for _ in module.walk())} ops, {source.count(chr(10))} lines of LLVM "
            f"IR, {ptx.count(chr(10))} lines of PTX"
        )
        print(f"  {'ms':10}{'median':>9}{'least':>9}{'most':>9}")
        for step, times in clock.times.items():
            if times:
                print(f"  {step:10}{median(times):9.2f}{min(times):9.2f}{max(times):9.2f}")


if __name__ == "__main__":
    main()
