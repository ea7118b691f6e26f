"""
How fast Tile IR bytecode is read and written, per op, against xDSL parsing `arith` text of the
same number of ops in the same run.

    python benchmarks/bytecode.py [--ops 5000] [--repeat 5]

Every op is materialised; verification is counted separately. CPU time, the fastest of
several turns. Reading has to be at least five times as fast as parsing `arith` text.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from text import Subject, arith_module, body, context, seconds
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tileiras_xdsl.frontend.bytecode import read, write

REQUIRED_SPEEDUP = 5.0

KINDS = (
    "cuda_tile.addi {a}, {b} : {t}",
    "cuda_tile.subi {a}, {b} : {t}",
    "cuda_tile.xori {a}, {b} : {t}",
    "cuda_tile.muli {a}, {b} : {t}",
    "cuda_tile.maxi {a}, {b} signed : {t}",
)


def kernel(ops: int) -> ModuleOp:
    """An entry with a chain of integer ops."""
    ty = "!cuda_tile.tile<i32>"
    text = (
        f"cuda_tile.module @m {{ cuda_tile.entry @f(%a1: {ty}, %a2: {ty}) {{\n"
        f"{body(KINDS, ty, ops)}\n  cuda_tile.return\n}} }}\n"
    )
    return Parser(context(), text).parse_module()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--ops", type=int, default=5000)
    arguments.add_argument("--repeat", type=int, default=5)
    options = arguments.parse_args()
    module = kernel(options.ops)
    data = write(module)
    arith = Subject(arith_module(options.ops, "i32"))
    steps: dict[str, Callable[[], object]] = {
        "read": lambda: read(data, verify=False),
        "write": lambda: write(module),
        "verify": module.verify,
        "parse arith": arith.parse,
    }
    best = dict.fromkeys(steps, float("inf"))
    for _ in range(options.repeat):
        for name, step in steps.items():
            best[name] = min(best[name], seconds(step))
    for name, time in best.items():
        print(f"{name:12} {time / options.ops * 1e6:7.1f} µs per op")
    speedup = best["parse arith"] / best["read"]
    print(f"reading is {speedup:.1f} times as fast as parsing arith (at least {REQUIRED_SPEEDUP})")


if __name__ == "__main__":
    main()
