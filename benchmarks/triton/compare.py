# pyright: basic
"""
Triton kernels by Triton's own compiler and by this one, in one run, launched by Triton.

    python benchmarks/triton/compare.py [CASE …] [--rounds 5] [--json FILE]

Prints for each case whether both results are right against torch in float64, microseconds in
interleaved bursts with idle gaps, the ratio of Triton's time to ours, and what the first call took
with each. It needs torch, Triton and a GPU.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import sys
import time
import traceback
from pathlib import Path
from statistics import fmean, median

import torch
import triton

sys.path.insert(0, str(Path(__file__).parent))
from cases import CASES

import tileiras_xdsl.triton as open_triton

PAUSE = 0.02
"""Seconds of idleness before a burst."""
BURST = 4000.0
"""Microseconds that a burst should take."""


def make():
    """A `triton.jit` of its own for a compiler."""
    return functools.cache(lambda function: triton.jit(function))


def clock(launch, calls: int) -> float:
    """Microseconds of a launch."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    time.sleep(PAUSE)
    launch()
    begin.record()
    for _ in range(calls):
        launch()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e3 / calls


def main() -> None:
    """Runs the cases."""
    parser = argparse.ArgumentParser(description="Times Triton kernels with two compilers.")
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    results = {}
    # Descriptors that kernels make take scratch memory from Triton.
    triton.set_allocator(lambda size, _, __: torch.empty(size, dtype=torch.int8, device="cuda"))
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, Triton {triton.__version__}")
    for name, build in CASES.items():
        if given.cases and name not in given.cases:
            continue
        compilers = {"triton": make(), "ours": make()}
        found = results[name] = {}
        launches, values = {}, {}
        for who, jit in compilers.items():
            # The same numbers for both, and outputs that nobody has written yet.
            torch.manual_seed(7)
            launch, output, expected, tolerance = build()
            launches[who] = functools.partial(launch, jit)
            start = time.perf_counter()
            try:
                if who == "ours":
                    with open_triton.use(fallback=False):
                        launches[who]()
                else:
                    launches[who]()
                torch.cuda.synchronize()
            except Exception as error:
                text = str(error).strip().splitlines()
                found[who] = {"error": f"{type(error).__name__}: {text[0] if text else ''}"}
                if "CUDA error" in str(error) or "illegal" in str(error):
                    traceback.print_exc()
                    sys.exit(1)
                continue
            value = (output() if callable(output) else output).double().clone()
            values[who] = value
            found[who] = {"first_s": time.perf_counter() - start}
        if expected is None:
            expected = values.get("triton")
        for who, value in values.items():
            error = (value - expected.double()).abs().max().item()
            found[who]["error_max"] = error
            found[who]["right"] = bool(error <= tolerance)
        working = [who for who in compilers if who in values]
        calls = max(1, min(50, int(BURST / max(1.0, clock(launches[working[0]], 2)))))
        times = {who: [] for who in working}
        for _ in range(given.rounds):
            for who in working:
                times[who].append(clock(launches[who], calls))
        for who in working:
            found[who]["us"] = median(times[who])
        line = f"{name:22}"
        for who in compilers:
            entry = found[who]
            if "us" in entry:
                right = "right" if entry["right"] else f"WRONG {entry['error_max']:.2g}"
                line += f" {who} {entry['us']:9.1f} us {right} first {entry['first_s']:.2f} s;"
            else:
                line += f" {who} {entry['error'][:150]};"
        if len(working) == 2:
            found["ratio"] = found["triton"]["us"] / found["ours"]["us"]
            line += f" ratio {found['ratio']:.3f}"
        print(line, flush=True)
        if given.json:
            given.json.write_text(json.dumps(results, indent=1))
    ratios = [found["ratio"] for found in results.values() if "ratio" in found]
    if ratios:
        mean = math.exp(fmean(map(math.log, ratios)))
        print(f"{len(ratios)} cases, geometric mean {mean:.3f}, lowest {min(ratios):.3f}")


if __name__ == "__main__":
    main()
