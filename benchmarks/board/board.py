# pyright: basic
"""
The board: kernels that others wrote, and ours, with several compilers on the same inputs.

    python benchmarks/board/board.py ours=BIN tileiras=BIN [NAME=BIN …] [--only TEXT,…]
        [--skip TEXT,…] [--rounds 4] [--fill 12] [--json FILE]

`BIN` is a folder with a command `tileiras` that cuTile finds; `tileiras-xdsl --install-as-tileiras`
makes one for this compiler. Cases are TileGym's ops (`tilegym_cases.py`) and the kernels of
`benchmarks/gpu`; all are launched as cuTile does. A process for each compiler makes the same
inputs; they are timed in turn, in bursts after a pause, kernel by kernel by CUPTI. Before that,
many processes fill the caches (`--fill`).

Prints the ratio of the second compiler's time to the first one's for each kernel of each case,
above 1 where the first is faster, then geometric means by kernel and by pair, and the worst ten.
Ratios of further compilers are to the first one, too. What fails, or gives other results with one
compiler, is listed. It needs torch, cuda-tile, tilegym and a GPU.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import select
import subprocess
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory

WORKER = Path(__file__).with_name("worker.py")
PATIENCE = 90.0
"""Seconds after which a request is given up."""
PAUSE = 0.03
"""Seconds of idleness before a burst, so that clocks are the same for all."""
BURST = 20_000.0
"""Microseconds that a burst should take."""
FEWEST, MOST = 5, 50
"""Calls of a burst."""
CLOSE = 0.02
"""By how much a norm of results may differ."""
SHORT = 10.0
"""Microseconds up to which a kernel counts as short."""


class Compiler:
    """A process with one compiler, replaced when it breaks."""

    def __init__(self, name: str, folder: str, cache: str):
        self.name = name
        # The toolkit that belongs to the compiler: the folder is part of it, or lies beside it.
        parent = Path(folder).absolute().parent
        home = parent if (parent / "nvvm").exists() else parent / "cuda"
        self.environment = {
            **os.environ,
            "PATH": os.pathsep.join((str(Path(folder).absolute()), os.environ["PATH"])),
            "CUDA_TILE_CACHE_DIR": cache,
            "TILEGYM_DISABLE_AUTOTUNE": "1",
            **({"CUDA_HOME": str(home)} if home.exists() else {}),
        }
        self.process: subprocess.Popen[bytes] | None = None

    def ask(self, *request: object) -> dict:
        """The answer to a request."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, str(WORKER)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self.environment,
            )
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
        answer = process.stdout.readline() if ready else b""
        if answer:
            return json.loads(answer)
        self.close()
        return {"error": "no answer in time" if not ready else "the process died"}

    def close(self) -> None:
        """Ends the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def list_cases(compiler: Compiler, only: list[str], skip: list[str]) -> list[str]:
    """The names of the cases that contain one of some texts, and none of others."""
    command = [sys.executable, str(WORKER), "--list"]
    output = subprocess.run(
        command, env=compiler.environment, check=True, stdout=subprocess.PIPE, text=True
    )
    names = output.stdout.splitlines()
    names = [name for name in names if not any(text in name for text in skip)]
    return [name for name in names if not only or any(text in name for text in only)]


def fill(compilers: dict[str, str], caches: str, names: list[str], processes: int) -> None:
    """Compiles everything, so that it is in the caches of the compilers."""

    def compile_some(choice: tuple[str, int]) -> None:
        who, first = choice
        compiler = Compiler(who, compilers[who], f"{caches}/{who}")
        for name in names[first::processes]:
            compiler.ask("fill", name)
        compiler.close()

    choices = [(who, first) for first in range(processes) for who in compilers]
    with ThreadPoolExecutor(len(choices)) as threads:
        list(threads.map(compile_some, choices))


def run_case(name: str, compilers: list[Compiler], rounds: int) -> dict:
    """What the compilers' kernels take: microseconds of each round, by compiler and kernel."""
    errors: dict[str, str] = {}
    digests: dict[str, list[float]] = {}
    times: dict[str, dict[str, list[float]]] = {}
    for compiler in compilers:
        answer = compiler.ask("prepare", name)
        if "error" in answer:
            errors[compiler.name] = answer["error"]
        else:
            digests[compiler.name] = answer["ok"]
            times[compiler.name] = defaultdict(list)
    running = [compiler for compiler in compilers if compiler.name in times]
    calls = FEWEST
    for turn in range(-1, rounds):
        for compiler in running:
            time.sleep(PAUSE)
            answer = compiler.ask("time", calls)
            if "error" in answer:
                errors[compiler.name] = answer["error"]
                times.pop(compiler.name, None)
                continue
            if turn >= 0:
                for kernel, value in answer["ok"].items():
                    times[compiler.name][kernel].append(value)
            elif total := sum(answer["ok"].values()):
                calls = max(FEWEST, min(MOST, int(BURST / total)))
        running = [compiler for compiler in running if compiler.name in times]
    for compiler in compilers:
        compiler.ask("drop")
    return {"errors": errors, "digests": digests, "times": times}


def is_close(first: list[float], second: list[float]) -> bool:
    """Whether digests may be of the same results."""
    return len(first) == len(second) and all(
        math.isclose(a, b, rel_tol=CLOSE, abs_tol=1e-6) for a, b in zip(first, second, strict=True)
    )


def geometric(values) -> float:
    """The geometric mean."""
    return math.exp(fmean(map(math.log, values)))


def plain_name(kernel: str) -> str:
    """The name of a kernel without the types and constants that cuTile or C++ adds."""
    return re.sub(r"_K[a-z]\d+_.*|[<(].*", "", kernel.removeprefix("void "))


def report(results: dict[str, dict], who: list[str]) -> None:
    """Prints ratios, means, and the worst."""
    first = who[0]
    for name, found in results.items():
        for compiler, error in found["errors"].items():
            print(f"failed: {name} with {compiler}: {error}")
        digests = found["digests"]
        for compiler in who[1:]:
            if {first, compiler} <= digests.keys():
                pair = digests[first], digests[compiler]
                if not is_close(*pair):
                    print(f"other results: {name} with {compiler}: {pair}")
    for other in who[1:]:
        rows: list[tuple[float, float, float, str, str]] = []
        for name, found in results.items():
            times = found["times"]
            for kernel in times.get(first, {}):
                if kernel in times.get(other, {}):
                    ours, theirs = (median(times[n][kernel]) for n in (first, other))
                    if ours > 0:
                        rows.append((theirs / ours, ours, theirs, name, kernel))
        if not rows:
            continue
        rows.sort()
        by_kernel: dict[str, list[float]] = defaultdict(list)
        for ratio, *_, kernel in rows:
            by_kernel[plain_name(kernel)].append(ratio)
        kernels = {kernel: geometric(ratios) for kernel, ratios in by_kernel.items()}
        long = [row[0] for row in rows if max(row[1:3]) > SHORT]
        print(f"\n{other} / {first}   {first} us   {other} us  case, kernel")
        for ratio, ours, theirs, name, kernel in rows:
            print(f"{ratio:8.3f} {ours:10.2f} {theirs:10.2f}  {name}, {plain_name(kernel)}")
        print(f"\n{len(rows)} pairs of case and kernel, {len(kernels)} kernels")
        print(f"geometric mean by kernel {geometric(kernels.values()):.3f}")
        print(f"geometric mean by pair   {geometric(row[0] for row in rows):.3f}")
        below = sum(ratio < 0.95 for ratio in kernels.values())
        print(f"kernels below 0.95: {below}; pairs: {sum(row[0] < 0.95 for row in rows)}")
        if long:
            slow = sum(ratio < 1 for ratio in long)
            mean = f"{geometric(long):.3f}, {slow} below 1"
            print(f"longer than {SHORT:g} us: {len(long)} pairs, {mean}")
        print("the worst ten kernels:")
        for kernel, ratio in sorted(kernels.items(), key=lambda item: item[1])[:10]:
            print(f"  {ratio:.3f} {kernel}")


def main() -> None:
    """Runs the board."""
    parser = argparse.ArgumentParser(description="Times kernels with several compilers.")
    parser.add_argument("compilers", nargs="+", metavar="NAME=BIN")
    parser.add_argument("--only", default="")
    parser.add_argument("--skip", default="")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--fill", type=int, default=12)
    parser.add_argument("--limit", type=float, default=math.inf, help="seconds, then no new case")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    start = time.monotonic()
    folders = dict(text.split("=", 1) for text in given.compilers)
    with TemporaryDirectory() as caches:
        compilers = [Compiler(n, folder, f"{caches}/{n}") for n, folder in folders.items()]
        only, skip = (
            [text for text in each.split(",") if text] for each in (given.only, given.skip)
        )
        names = list_cases(compilers[0], only, skip)
        if given.fill:
            fill(folders, caches, names, given.fill)
        print(
            f"caches filled after {time.monotonic() - start:.0f} s, {len(names)} cases", flush=True
        )
        results: dict[str, dict] = {}
        for name in names:
            if time.monotonic() - start > given.limit:
                print(f"no time for {len(names) - len(results)} cases")
                break
            results[name] = run_case(name, compilers, given.rounds)
            if given.json:
                given.json.write_text(json.dumps(results))
        for compiler in compilers:
            compiler.close()
    print(f"timed after {time.monotonic() - start:.0f} s")
    report(results, list(folders))


if __name__ == "__main__":
    main()
