"""
Compiles random kernels in which order matters, runs them at every stage with all checks while
other CTAs act, and compares with the tile program.

    python benchmarks/ordered_kernels.py [--count 5000] [--first 0] [--theme NAME] [--seeds 3]
        [--gpu sm_90] [--opt 3] [--abi host-maps] [--show]

Prints each kernel with something wrong, as its seed and how it was compiled; with `--show` its
text, too. Then how many there were of each theme; the exit code is 1 if something was wrong. A
kernel is compiled as its seed says, unless an option says otherwise. `--seeds` is in how many
orders warps and other CTAs act.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.pytest.fuzz.ordered_runs import Report, examine
from tests.pytest.strategies.ordered_kernels import ABIS, OrderedKernel, random_ordered_kernel
from tests.pytest.strategies.ordered_themes import THEMES

from tileiras_xdsl.pipeline import OPT_LEVELS


def draw(seed: int, options: argparse.Namespace) -> OrderedKernel:
    """The kernel of a seed, compiled as options say."""
    kernel = random_ordered_kernel(seed, options.theme)
    asked = {"gpu": options.gpu, "opt": options.opt, "abi": options.abi}
    changes = {name: value for name, value in asked.items() if value is not None}
    return replace(kernel, configuration=replace(kernel.configuration, **changes))


def show(report: Report, *, text: bool) -> None:
    """Prints what is wrong with a kernel, one line for each stage."""
    kernel = report.kernel
    print(f"kernel {kernel.seed} --theme {kernel.theme}: {kernel.configuration}")
    if report.refusal is not None:
        print(f"  refused: {report.refusal}")
    for finding in report.findings:
        print(f"  {finding}")
    if text:
        print(kernel.text)
        for steps in kernel.others:
            print(f"  another CTA: {', '.join(map(str, steps))}")
        if kernel.previous:
            print(f"  the previous grid writes arguments {kernel.previous}")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--theme", choices=list(THEMES))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--gpu")
    parser.add_argument("--opt", type=int, choices=OPT_LEVELS)
    parser.add_argument("--abi", choices=ABIS)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    kernels, wrong, refused = Counter[str](), Counter[str](), Counter[str]()
    start = time.perf_counter()
    for seed in range(options.first, options.first + options.count):
        kernel = draw(seed, options)
        kernels[kernel.theme] += 1
        orders = range(seed, seed + options.seeds)
        report = examine(kernel, ("tileaa", "tileas", "nvgpu", "nvvm"), orders)
        wrong[kernel.theme] += bool(report.findings)
        refused[kernel.theme] += report.refusal is not None
        if report.findings or report.refusal is not None:
            show(report, text=options.show and bool(report.findings))
    seconds = time.perf_counter() - start
    for theme, count in kernels.items():
        print(f"{theme:20}{count:6} kernels{wrong[theme]:6} wrong{refused[theme]:6} refused")
    print(f"{options.count} kernels in {seconds:.0f} s, {wrong.total()} with something wrong")
    return 1 if wrong.total() else 0


if __name__ == "__main__":
    sys.exit(main())
