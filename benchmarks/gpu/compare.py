"""
Times the code of two compilers, or of two versions of one, for the same kernels by turns:

    python benchmarks/gpu/compare.py BEFORE AFTER [--only gemm,attention] [--json FILE]
        [--least 0.99]

Both are folders that `make.py` wrote. Code that is the same in both is left out. The results of
both are checked; the table has the rate of AFTER as part of that of BEFORE, the median over bursts
that take turns. The exit code is 1 if a result is wrong or a ratio is below `--least`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from run import ABIS, Launcher, Settings, flatten, make_burst, replace_missing, time_burst


def find_pairs(folders: list[Path], kernel: str) -> dict[str, list[dict[str, Any]]]:
    """The codes for a kernel that differ, by ABI: before and after."""
    bundles = [json.loads((folder / "bundle.json").read_text())["kernels"] for folder in folders]
    codes = [bundle.get(kernel, {}).get("code", {}) for bundle in bundles]
    return {
        abi: [code[abi] for code in codes]
        for abi in ABIS
        if all(abi in code for code in codes)
        and len({code[abi]["sha256"] for code in codes}) == len(codes)
    }


def measure(case: Any, abi: str, codes: list[dict[str, Any]], settings: list[Settings]) -> Any:
    """How one case does with two codes: what is wrong, and the times of each."""
    import torch
    from cases import compare

    from tileiras_xdsl.backend.launch_record import LaunchRecord

    torch.manual_seed(time.time_ns())
    inputs = case.make("cuda")
    expected = inputs.expected()
    problems: list[str] = []
    bursts: list[Any] = []
    for code, setting in zip(codes, settings, strict=True):
        image = (setting.folder / code["file"]).read_bytes()
        record = LaunchRecord.from_dict(code["record"])
        launch = Launcher(image, record, inputs.grid, flatten(inputs.arrays))
        inputs.output.reset()
        launch()
        torch.cuda.synchronize()
        found = compare(case, inputs.output, expected)
        problems += [f"{setting.folder.name}: {text}" for text in found.problems]
        bursts.append(make_burst(launch, setting.launches, graph=setting.graph))
        bursts[-1]()
        torch.cuda.synchronize()
    times: list[list[float]] = [[] for _ in bursts]
    for number in range(settings[0].bursts):
        # Who comes second finds the clocks of the other: they change places.
        order = (0, 1) if number % 2 == 0 else (1, 0)
        for at in order:
            times[at].append(time_burst(bursts[at], settings[at]))
    return {"name": case.name, "abi": abi, "problems": problems, "times": times}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs=2, type=Path, metavar="FOLDER")
    parser.add_argument("--only", help="groups, separated by commas")
    parser.add_argument("--bursts", type=int, default=6)
    parser.add_argument("--launches", type=int, default=15)
    parser.add_argument("--idle", type=float, default=0.15)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--least", type=float, default=0.99)
    options = parser.parse_args()
    replace_missing()
    import torch
    from cases import CASES

    torch.backends.cuda.matmul.allow_tf32 = False
    settings = [
        Settings(folder, options.bursts, options.launches, options.idle, graph=True, small=False)
        for folder in options.folders
    ]
    groups = None if options.only is None else options.only.split(",")
    rows: list[Any] = []
    failed = False
    print(f"{torch.cuda.get_device_name()}, {time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC")
    for case in CASES:
        if groups is not None and case.group not in groups:
            continue
        for abi, codes in find_pairs(options.folders, case.kernel).items():
            row = measure(case, abi, codes, settings)
            before, after = map(median, row["times"])
            row["ratio"] = before / after
            rows.append(row)
            is_slow = row["ratio"] < options.least
            failed |= is_slow or bool(row["problems"])
            rates = "".join(f"{1e3 * case.work / value:>10.4g}" for value in (before, after))
            said = "; ".join([*row["problems"], *(["SLOWER"] if is_slow else [])])
            print(f"{case.name:<36}{abi:<12}{rates} {case.unit:<8}{row['ratio']:>7.3f}  {said}")
            sys.stdout.flush()
            if options.json is not None:
                options.json.write_text(json.dumps(rows, indent=1))
        torch.cuda.empty_cache()
    print(f"{len(rows)} compared, least {min((row['ratio'] for row in rows), default=1):.3f}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
