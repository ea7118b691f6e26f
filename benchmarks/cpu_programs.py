"""
Runs random programs compiled for the CPU of this machine, and compares with the interpreter.

    python benchmarks/cpu_programs.py [--count 5000] [--first 0] [--jobs 2]
    python benchmarks/cpu_programs.py --show 17                # the text of a seed

Integers, and floats that are determined, have to be equal; what no two implementations compute to
the same bit has bounds (`tests/pytest/strategies/wide_programs.py`). Prints each difference with
the seed of its program, and why programs are refused, with how often; the exit code is 1 if there
was a difference. A program that ends the process is a difference.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.pytest.fuzz.cpu_runs import examine
from tests.pytest.strategies.wide_programs import random_wide_program

BATCH = 25
"""Programs that a process is given at a time."""


def examine_in_child(seeds: range) -> Iterator[tuple[int, str]]:
    """What comes of programs in a process of their own, or several if one ends it."""
    while seeds:
        readable, writable = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(readable)
            with os.fdopen(writable, "w") as pipe:
                for seed in seeds:
                    try:
                        found = examine(seed)
                    except Exception:
                        found = traceback.format_exc(limit=-4)
                    print(json.dumps(found), file=pipe, flush=True)
            os._exit(0)
        os.close(writable)
        with os.fdopen(readable) as pipe:
            lines = [json.loads(line) for line in pipe]
        _, status = os.waitpid(child, 0)
        yield from zip(seeds, lines, strict=False)
        seeds = seeds[len(lines) :]
        if seeds:
            yield seeds[0], f"ends the process with status {status}"
            seeds = seeds[1:]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int)
    options = parser.parse_args()
    if options.show is not None:
        print(random_wide_program(options.show).module)
        return 0
    end = options.first + options.count
    batches = [range(at, min(at + BATCH, end)) for at in range(options.first, end, BATCH)]
    refusals, failed, start = Counter[str](), 0, time.perf_counter()

    def examine(seeds: range) -> list[tuple[int, str]]:
        return list(examine_in_child(seeds))

    with ThreadPoolExecutor(options.jobs) as pool:
        for results in pool.map(examine, batches):
            for seed, found in results:
                if found.startswith("refused: "):
                    refusals[re.sub(r"^.*?error: |'tile<.*?>'|[0-9]+", "", found)] += 1
                elif found:
                    failed += 1
                    print(f"program {seed}: {found}", flush=True)
    seconds = time.perf_counter() - start
    for reason, count in refusals.most_common():
        print(f"refused {count}: {reason}")
    refused = refusals.total()
    print(f"{options.count} programs in {seconds:.0f} s, {refused} refused, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
