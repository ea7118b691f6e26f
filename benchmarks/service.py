"""
Milliseconds from bytecode to a cubin of the command behind a warm compile server, and of NVIDIA's
`tileiras`, by turns in one run; and what happens to many commands at once.

    python benchmarks/service.py [FILE …] [--gpu sm_90] [--repeat 7]
    python benchmarks/service.py --clients 200 [--kill]

| column | is |
| --- | --- |
| service | the stand-in `tileiras` that asks a warm server, cache off |
| tileiras | NVIDIA's command on the same bytecode |
| more | how much longer ours takes, at most 50 ms are wanted |
| ratio | of the two, at most 0.5 is wanted of matmuls and attention with d = 128 |

Each turn adds another constant to what the program stores first. Wall time, the median of all
turns. Without a file, the kernels of the GPU benchmarks.

With `--clients`, so many commands are started at once on several kernels, and each result is
compared with that of a command that ran alone; with `--kill`, the server is killed in the middle,
and every command has to end with its result or one line. Ends with 1 if any does not.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic, perf_counter, sleep

from compile_time import KERNELS, find_tileiras, make_variants

from tileiras_xdsl.driver.service import endpoint
from tileiras_xdsl.driver.service.endpoint import connect
from tileiras_xdsl.driver.tools.tileiras_xdsl import install_as_tileiras

WARM_UP_SECONDS = 8.0
CLIENT_KERNELS = ("vector_add", "softmax", "layer_norm", "matmul_128x128x64")
MAX_SECONDS = 600.0


def environment(folder: Path, mode: str) -> dict[str, str]:
    own = {"XDG_RUNTIME_DIR": str(folder), endpoint.ENABLE_VARIABLE: mode}
    return {**os.environ, **own, "TILEIRAS_XDSL_CACHE": "0"}


def find_server(folder: Path) -> int:
    """The process of the server."""
    paths = [path for path in (folder / "tileiras-xdsl").iterdir() if not path.suffix]
    for path in paths:
        if (connection := connect(str(path))) is not None:
            process, _ = endpoint.peer(connection)
            connection.close()
            return process
    raise RuntimeError("there is no server")


def run(command: Path | str, program: bytes, gpu: str, folder: Path) -> float:
    """Milliseconds that a command takes."""
    source = folder / "kernel.tileirbc"
    source.write_bytes(program)
    start = perf_counter()
    subprocess.run(
        [str(command), str(source), "--gpu-name", gpu, "-o", str(folder / "kernel.cubin")],
        check=True,
        capture_output=True,
        env=environment(folder, "require"),
    )
    return 1000 * (perf_counter() - start)


def compare(paths: list[Path], gpu: str, repeat: int, folder: Path) -> None:
    """Prints a line for each kernel."""
    ours, theirs = install_as_tileiras(folder / "bin"), find_tileiras()
    columns = ("service", "tileiras", "more", "ratio")
    print(f"{'kernel':28}", *(f"{column:>9}" for column in columns))
    for path in paths:
        first, *variants = make_variants(path, repeat + 1)
        run(ours, first, gpu, folder)
        times: dict[str, list[float]] = {"service": [], "tileiras": []}
        for program in variants:
            times["service"].append(run(ours, program, gpu, folder))
            if theirs is not None:
                times["tileiras"].append(run(theirs, program, gpu, folder))
        own = median(times["service"])
        cells = [f"{own:9.0f}"]
        if theirs is not None:
            other = median(times["tileiras"])
            cells += [f"{other:9.0f}", f"{own - other:9.0f}", f"{own / other:9.2f}"]
        print(f"{path.stem:28}", *cells, flush=True)


def compare_many(count: int, gpu: str, folder: Path, *, kill: bool) -> int:
    """Runs many commands at once; the number of those that did not do what they should."""
    command = install_as_tileiras(folder / "bin")
    sources = [KERNELS / f"{name}.tileirbc" for name in CLIENT_KERNELS]
    arguments = {path: [str(command), str(path), "--gpu-name", gpu, "-o"] for path in sources}
    expected: dict[Path, bytes] = {}
    for path in sources:
        output = folder / path.stem
        alone = environment(folder, "0")
        subprocess.run([*arguments[path], str(output)], check=True, env=alone)
        expected[path] = output.read_bytes()
    start = monotonic()
    running = [
        (
            path,
            folder / f"{number}.cubin",
            subprocess.Popen(
                [*arguments[path], str(folder / f"{number}.cubin")],
                env=environment(folder, "1"),
                stderr=subprocess.PIPE,
            ),
        )
        for number, path in enumerate((sources * count)[:count])
    ]
    if kill:
        sleep(1.0)
        os.kill(find_server(folder), signal.SIGKILL)
    outcomes: Counter[str] = Counter()
    for path, output, process in running:
        _, err = process.communicate(timeout=MAX_SECONDS)
        if process.returncode == 0:
            outcomes["right" if output.read_bytes() == expected[path] else "WRONG"] += 1
        else:
            is_one_line = err.count(b"\n") == 1 and not output.exists()
            outcomes[f"one line: {err.decode().strip()}" if is_one_line else "BAD END"] += 1
    print(f"{count} commands in {monotonic() - start:.1f} s:", dict(outcomes))
    return outcomes["WRONG"] + outcomes["BAD END"] + (0 if kill else count - outcomes["right"])


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("files", nargs="*", type=Path)
    arguments.add_argument("--gpu", default="sm_90")
    arguments.add_argument("--repeat", type=int, default=7)
    arguments.add_argument("--clients", type=int)
    arguments.add_argument("--kill", action="store_true")
    options = arguments.parse_args()
    with TemporaryDirectory(prefix="tx-") as name:
        folder = Path(name)
        command = install_as_tileiras(folder / "bin")
        required = environment(folder, "require")
        subprocess.run([command, "--version"], env=required, check=True, capture_output=True)
        sleep(WARM_UP_SECONDS)
        try:
            if options.clients is not None:
                return compare_many(options.clients, options.gpu, folder, kill=options.kill)
            paths = options.files or sorted(KERNELS.glob("*.tileirbc"))
            compare(paths, options.gpu, options.repeat, folder)
            return 0
        finally:
            subprocess.run([command, "--server", "stop"], env=required, check=False)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
