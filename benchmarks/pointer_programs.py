"""
Random kernels of Triton that compute addresses, run on the CPU beside NumPy.

    python benchmarks/pointer_programs.py [--first 0] [--count 200] [--compiled] [--text]

Each is converted with its views recovered, and run by the interpreter, or compiled. Prints the
seeds of those whose numbers are wrong, how many had views and how many had not; the exit code is 1
if any number was wrong. `--text` prints the programs, too. It needs no Triton.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.pytest.strategies.pointer_programs import random_pointer_program

import tileiras_xdsl as tx


def main() -> int:
    """Runs the programs."""
    parser = argparse.ArgumentParser(description="Random pointers of Triton, beside NumPy.")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--compiled", action="store_true", help="compile for the CPU")
    parser.add_argument("--text", action="store_true", help="print the programs")
    options = parser.parse_args()
    engine = "jit" if options.compiled else "interpreter"
    seen: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.count):
        program = random_pointer_program(seed)
        if options.text:
            print(program.text)
        seen["with views" if program.has_views else "without"] += 1
        if not program.is_right(partial(tx.run, engine=engine)):
            seen["wrong"] += 1
            print(f"wrong: {seed} with {program.numbers}", flush=True)
    print(", ".join(f"{name}: {count}" for name, count in seen.items()))
    return int(bool(seen["wrong"]))


if __name__ == "__main__":
    sys.exit(main())
