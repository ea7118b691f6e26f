"""
Milliseconds from LLVM IR text to a cubin: parsing and verifying, LLVM's passes, its code
generator, and ptxas, for a small module and a large one.

    python benchmarks/backend.py [--arch sm_90] [--level 3] [--repeat 5]

The large one has the shape of a matmul: many registers carried through a loop of inline
assembly, then elementwise work on each. Wall time, the fastest of several turns, so that the
part of libdevice which the small one needs is at hand; without ptxas that column is empty.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

from tileiras_xdsl.backend import nvptx
from tileiras_xdsl.backend.errors import MissingToolError
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.backend.target import NvptxTarget

STEPS = ("parse", "passes", "codegen", "ptxas")

_T = TypeVar("_T")

SMALL = """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @__nv_expf(float)
define ptx_kernel void @small(ptr addrspace(1) %x) "nvvm.reqntid"="128" {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %thread
  %v = load float, ptr addrspace(1) %p
  %e = call float @__nv_expf(float %v)
  store float %e, ptr addrspace(1) %p
  ret void
}
"""


def large(registers: int, steps: int) -> str:
    """A loop with `steps` products of a warp for each four of `registers`, then an epilogue."""
    result = "{ float, float, float, float }"
    lines: list[str] = []
    current = [f"%acc{i}" for i in range(registers)]
    for step in range(steps):
        for first in range(0, registers, 4):
            name, values = f"%d{step}_{first}", current[first : first + 4]
            ties = ", ".join(f"float {value}" for value in values)
            lines.append(
                f"  {name} = call {result} asm sideeffect "
                '"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, '
                '{$8, $8, $8, $8}, {$8, $8}, {$0, $1, $2, $3};", '
                f'"=f,=f,=f,=f,0,1,2,3,r"({ties}, i32 %bits)'
            )
            for k in range(4):
                current[first + k] = f"%s{step}_{first + k}"
                lines.append(f"  {current[first + k]} = extractvalue {result} {name}, {k}")
    body = "\n".join(lines)
    phis = "\n".join(
        f"  %acc{i} = phi float [ 0.0, %entry ], [ {current[i]}, %loop ]" for i in range(registers)
    )
    epilogue = "\n".join(
        f"  %e{i} = call float @llvm.nvvm.ex2.approx.f32(float {value})\n"
        f"  %m{i} = fmul float %e{i}, 0.5\n"
        f"  %q{i} = getelementptr float, ptr addrspace(1) %p, i32 {32 * i}\n"
        f"  store float %m{i}, ptr addrspace(1) %q{i}"
        for i, value in enumerate(current)
    )
    return f"""
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.nvvm.ex2.approx.f32(float)
define ptx_kernel void @large(ptr addrspace(1) %x, i32 %n, i32 %bits) "nvvm.reqntid"="32" {{
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
{phis}
{body}
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %p = getelementptr float, ptr addrspace(1) %x, i32 %thread
{epilogue}
  ret void
}}
"""


class Clock:
    """Milliseconds for each step, the least of all turns."""

    def __init__(self):
        self.best: dict[str, float] = dict.fromkeys(STEPS, float("inf"))

    def measure(self, step: str, work: Callable[[], _T]) -> _T:
        start = perf_counter()
        result = work()
        self.best[step] = min(self.best[step], 1000 * (perf_counter() - start))
        return result


def turn(clock: Clock, source: str, target: NvptxTarget, level: int, ptxas: Ptxas | None) -> str:
    compilation = clock.measure("parse", lambda: nvptx.parse(source, target))
    clock.measure("passes", lambda: nvptx.optimize(compilation, level))
    ptx = clock.measure("codegen", lambda: nvptx.emit(compilation, level))
    if ptxas is not None:
        clock.measure("ptxas", lambda: ptxas.compile(ptx, target))
    return ptx


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--arch", default="sm_90")
    arguments.add_argument("--level", type=int, default=3)
    arguments.add_argument("--repeat", type=int, default=5)
    options = arguments.parse_args()
    target = NvptxTarget.parse(options.arch)
    try:
        ptxas = Ptxas.find()
        print(f"ptxas {ptxas.version}, {target}, level {options.level}")
    except MissingToolError as error:
        ptxas = None
        print(error)
    print(f"{'module':8}{'lines':>7}{'IR kB':>7}{'PTX kB':>8}", *(f"{step:>9}" for step in STEPS))
    for name, source in (("small", SMALL), ("large", large(registers=128, steps=4))):
        clock, ptx = Clock(), ""
        for _ in range(options.repeat):
            ptx = turn(clock, source, target, options.level, ptxas)
        sizes = f"{source.count(chr(10)):7}{len(source) // 1000:7}{len(ptx) // 1000:8}"
        times = (
            f"{clock.best[step]:9.1f}" if clock.best[step] < float("inf") else " " * 9
            for step in STEPS
        )
        print(f"{name:8}{sizes}", *times)


if __name__ == "__main__":
    main()
