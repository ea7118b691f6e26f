"""
How fast `cuda_tile` text is parsed, verified and printed, as ratios to xDSL's `arith` on a
module of the same number of ops and of the same shape, in the same run.

    python benchmarks/text.py [--ops 5000] [--repeat 5]

Both modules take turns, CPU time counts, and the fastest run of each step is kept; ratios are
ours over `arith`'s.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable
from io import StringIO

from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func
from xdsl.dialects.test import Test
from xdsl.parser import Parser
from xdsl.printer import Printer

from tileiras_xdsl.dialects.cuda_tile import CudaTile

LIMIT = 1.5
"""Largest ratio that is acceptable."""

ARITH_KINDS = (
    "arith.addi {a}, {b} : {t}",
    "arith.subi {a}, {b} : {t}",
    "arith.xori {a}, {b} : {t}",
    "arith.muli {a}, {b} : {t}",
    "arith.maxsi {a}, {b} : {t}",
)
CUDA_TILE_KINDS = (
    "cuda_tile.addi {a}, {b} : {t}",
    "cuda_tile.subi {a}, {b} : {t}",
    "cuda_tile.xori {a}, {b} : {t}",
    "cuda_tile.muli {a}, {b} : {t}",
    "cuda_tile.maxi {a}, {b} signed : {t}",
)


def body(kinds: tuple[str, ...], ty: str, ops: int) -> str:
    """A chain of ops, each of the two values before it."""
    lines: list[str] = []
    for index in range(ops):
        a, b = (f"%v{index - step}" if index >= step else f"%a{step}" for step in (1, 2))
        lines.append(f"  %v{index} = {kinds[index % len(kinds)].format(a=a, b=b, t=ty)}")
    return "\n".join(lines)


def arith_module(ops: int, ty: str) -> str:
    return (
        f"func.func @f(%a1: {ty}, %a2: {ty}) {{\n{body(ARITH_KINDS, ty, ops)}\n  func.return\n}}\n"
    )


def cuda_tile_module(ops: int, ty: str) -> str:
    return (
        f"cuda_tile.module @m {{ cuda_tile.testing$func @f(%a1: {ty}, %a2: {ty}) {{\n"
        f"{body(CUDA_TILE_KINDS, ty, ops)}\n  cuda_tile.return\n}} }}\n"
    )


def context() -> Context:
    ctx = Context()
    for dialect in (Builtin, Arith, Func, Test, CudaTile):
        ctx.load_dialect(dialect)
    return ctx


def seconds(step: Callable[[], object]) -> float:
    """CPU time of one run, without the garbage collector."""
    gc.collect()
    gc.disable()
    start = time.process_time()
    step()
    elapsed = time.process_time() - start
    gc.enable()
    return elapsed


class Subject:
    """One module and the fastest time of each step on it."""

    def __init__(self, text: str):
        self.text = text
        self.ctx = context()
        self.module = self.parse()
        self.best = {"parse": float("inf"), "verify": float("inf"), "print": float("inf")}

    def parse(self) -> ModuleOp:
        return Parser(self.ctx, self.text).parse_module()

    def print(self) -> None:
        Printer(stream=StringIO()).print_op(self.module)

    def measure(self) -> None:
        steps = {"parse": self.parse, "verify": self.module.verify, "print": self.print}
        for name, step in steps.items():
            self.best[name] = min(self.best[name], seconds(step))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--ops", type=int, default=5000)
    arguments.add_argument("--repeat", type=int, default=5)
    options = arguments.parse_args()
    print(f"{options.ops} ops; µs per op: cuda_tile, arith, ratio (at most {LIMIT})")
    for arith_type, tile_type in (
        ("i32", "!cuda_tile.tile<i32>"),
        ("tensor<16xi32>", "!cuda_tile.tile<16xi32>"),
    ):
        ours = Subject(cuda_tile_module(options.ops, tile_type))
        theirs = Subject(arith_module(options.ops, arith_type))
        for _ in range(options.repeat):
            ours.measure()
            theirs.measure()
        for step in ours.best:
            mine, other = (subject.best[step] / options.ops * 1e6 for subject in (ours, theirs))
            print(
                f"{step:7} {tile_type:24} {mine:7.1f}  {arith_type:15} {other:7.1f}  "
                f"{mine / other:5.2f}"
            )


if __name__ == "__main__":
    main()
