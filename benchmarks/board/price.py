"""
What the price of a plan costs: CPU milliseconds in which the cost model predicts a kernel that is
lowered already, the best of three.

    python benchmarks/board/price.py [FOLDER] [--only TEXT,…]

`FOLDER` has what `launches.py` found of the cases that others wrote; without it, there are only the
kernels of `benchmarks/gpu`. Nothing is compiled further than the stage `tileas`. It prints each
kernel, and then the median and the largest of those with products and of all.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import median
from typing import Final

from accuracy import ABI, ARCH, Launched, foreign_launches, own_launches
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.cost.model import estimate_fitting
from tileiras_xdsl.cost.warpgroups import UnknownScheduleError
from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.driver.compiler.options import Options
from tileiras_xdsl.frontend.load import Program
from tileiras_xdsl.transforms.common.kernel_spec import get_target, kernels

TIMES: Final = 3


@cache
def lower(bytecode: Path) -> ModuleOp:
    """A kernel at the end of the stage `tileas`."""
    return Compilation(Program.of(bytecode), Options(ARCH, abi=ABI)).lower("tileas")


def price(each: Launched) -> tuple[float, bool] | None:
    """Milliseconds, and whether it has products; None if the model does not understand it."""
    module = lower(each.bytecode)
    (function,), target = kernels(module), get_target(module)
    found: list[float] = []
    estimate = None
    for _ in range(TIMES):
        begin = time.process_time()
        try:
            estimate = estimate_fitting(function, target, each.launch)
        except UnknownScheduleError:
            return None
        found.append((time.process_time() - begin) * 1e3)
    return min(found), bool(estimate and estimate.ideal)


def summarize(words: str, prices: Sequence[float]) -> str:
    """The median and the largest."""
    return f"{words}: {len(prices)}, median {median(prices):.1f} ms, most {max(prices):.1f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    launches = [*own_launches(), *(foreign_launches(given.folder) if given.folder else ())]
    only = [text for text in given.only.split(",") if text]
    prices: list[tuple[float, bool]] = []
    for each in launches:
        name = f"{each.case}, {each.kernel}"
        if only and not any(text in name for text in only):
            continue
        if (found := price(each)) is not None:
            prices.append(found)
            print(f"{found[0]:>9.1f}  {name}", flush=True)
    if products := [time for time, multiplies in prices if multiplies]:
        print(summarize("products", products))
    if prices:
        print(summarize("all", [time for time, _ in prices]))


if __name__ == "__main__":
    main()
