# pyright: basic
"""
Profiles kernels on a GPU: what their warps do and when, beside what is predicted.

    python benchmarks/gpu/profile_kernels.py [--save FOLDER] [--only gemm,attention] [--repeat 20]

Inputs are random, outputs are poison before the launch whose records are kept, and its results are
compared with float64. It needs torch, the CUDA driver, and what compiling needs. The exit code is 1
if a result is wrong.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "src"), str(Path(__file__).parent)]

GEMM = "gemm_f16_4096x4096x4096_128x128x64"
BUILDS = {
    "gemm": (GEMM, 2, "device-maps"),
    "gemm_persistent": (GEMM, 3, "device-maps"),
    "gemm_persistent_host_maps": (GEMM, 3, "host-maps"),
    "attention_d128": ("attention_d128", 3, "device-maps"),
    "attention_d128_host_maps": ("attention_d128", 3, "host-maps"),
    "attention_causal_d128": ("attention_causal_d128", 3, "device-maps"),
}
"""A case, an optimization level and an ABI; only level 3 makes kernels persistent."""

KEPT_CTAS, KEPT_RECORDS = 2, 1700
"""Of a profile that is saved."""


def main() -> int:
    import torch
    from cases import CASES, compare

    import tileiras_xdsl as tx

    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--save", type=Path, help="where profiles and traces are written")
    parser.add_argument("--only", default="", help="names that contain one of these")
    parser.add_argument("--repeat", type=int, default=20)
    options = parser.parse_args()
    wanted = [word for word in options.only.split(",") if word]
    cases = {case.name: case for case in CASES}
    wrong = 0
    for name, (case_name, opt, abi) in BUILDS.items():
        if wanted and not any(word in name for word in wanted):
            continue
        case = cases[case_name]
        inputs = case.make("cuda")
        inputs.output.reset()
        flat = [
            value for array in inputs.arrays for value in (array, *array.shape, *array.stride())
        ]
        program = ROOT / "benchmarks" / "gpu" / "bytecode" / f"{case.kernel}.tileirbc"
        settings = {"opt": opt, "abi": abi, "repeat": options.repeat, "records": 4096}
        profile = tx.profile(program, inputs.grid, flat, **settings)
        torch.cuda.synchronize()
        comparison = compare(case, inputs.output, inputs.expected())
        wrong += not comparison.right
        state = "right" if comparison.right else f"WRONG: {'; '.join(comparison.problems)}"
        rate = case.work / profile.plain.milliseconds * 1e3
        print(f"== {name}, -O{opt}, {abi}: {state}; {rate:.0f} {case.unit} without marks")
        print(profile, flush=True)
        print(f"registers {profile.plain.registers} and {profile.marked.registers}")
        if options.save is not None:
            options.save.mkdir(parents=True, exist_ok=True)
            profile.keep(KEPT_CTAS, KEPT_RECORDS).save(options.save / f"{name}.json")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
