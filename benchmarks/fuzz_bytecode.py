"""
Reads damaged bytecode and reports what comes of it.

    python benchmarks/fuzz_bytecode.py [--count 20000] [--seed 0] [--measure-every 50] [--save DIR]

Half of the mutants have a valid header and section table. Each must end in a module or in a
`BytecodeError` that tells the offset and the section; anything else is listed, written to
`DIR`, and makes the exit code 1, as does a decoder that no mutant reached.
"""

from __future__ import annotations

import argparse
import faulthandler
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.pytest.bytecode.fuzzing import MEMORY_BASE, Fuzzer, Report, run

HANG_SECONDS = 3600


def print_report(report: Report, seconds: float) -> None:
    coverage = report.coverage
    seen = report.modules + report.errors + len(report.failures)
    print(f"{seen} mutants in {seconds:.0f} s")
    print(f"  modules         {report.modules}")
    print(f"  BytecodeErrors  {report.errors}, {len(report.unplaced)} without a place")
    print(f"  anything else   {len(report.failures)}")
    for name, count in sorted(coverage.sections.items()):
        print(f"  section {name:9}{count}")
    for name, hits in (
        ("opcodes", coverage.opcodes),
        ("types", coverage.types),
        ("attributes", coverage.attributes),
        ("debug attributes", coverage.debug),
    ):
        rarest, count = min(hits.items(), key=lambda item: item[1])
        print(f"  {name}: {len(hits)} decoders reached, {rarest:#x} least often ({count})")
    print(f"  never reached: {coverage.missing() or 'nothing'}")
    slowest, kind, data = report.slowest
    print(f"  slowest: {slowest * 1e3:.0f} ms for {len(data)} bytes ({kind})")
    ratio, kind, data = report.largest
    print(
        f"  most memory: {MEMORY_BASE >> 10} KiB and {ratio:.0f} bytes for each byte of "
        f"{len(data)} ({kind})"
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"  peak of the process: {peak >> 10} MiB")
    for kind, data, error in (*report.failures, *report.unplaced):
        print(f"  {kind}, {len(data)} bytes: {type(error).__name__}: {str(error)[:200]}")


def save(report: Report, folder: Path) -> None:
    """Writes the mutants that did not end as they should."""
    folder.mkdir(parents=True, exist_ok=True)
    for index, (kind, data, _) in enumerate((*report.failures, *report.unplaced)):
        (folder / f"{index:04}_{kind}.tileirbc").write_bytes(data)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=20000)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--measure-every", type=int, default=50)
    arguments.add_argument("--save", type=Path)
    options = arguments.parse_args()
    faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
    start = time.perf_counter()
    report = run(Fuzzer(options.seed).mutants(options.count), measure_every=options.measure_every)
    print_report(report, time.perf_counter() - start)
    if options.save is not None:
        save(report, options.save)
    return bool(report.failures or report.unplaced or report.coverage.missing())


if __name__ == "__main__":
    sys.exit(main())
