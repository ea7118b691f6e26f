"""
Compiles the kernels of `bytecode/` with this compiler and, if it is installed, with NVIDIA's, and
writes what a machine with a GPU needs into a folder:

    python benchmarks/gpu/make.py FOLDER [--gpu sm_90] [NAME …]
    python benchmarks/gpu/run.py FOLDER      # there; it needs torch only
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import tileiras_xdsl

HERE = Path(__file__).parent


def find_tileiras() -> str | None:
    """NVIDIA's compiler, on PATH or in the package from PyPI."""
    if found := shutil.which("tileiras"):
        return found
    spec = find_spec("nvidia")
    for place in [] if spec is None else spec.submodule_search_locations or []:
        for path in Path(place).rglob("bin/tileiras"):
            return str(path)
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--gpu", default="sm_90")
    parser.add_argument("--opt", type=int, default=3)
    arguments = parser.parse_args()
    folder: Path = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    peer = find_tileiras()
    records: dict[str, dict[str, Any]] = {}
    for path in sorted((HERE / "bytecode").glob("*.tileirbc")):
        name = path.stem
        if arguments.names and name not in arguments.names:
            continue
        start = perf_counter()
        try:
            compiled = tileiras_xdsl.compile(
                path, gpu=arguments.gpu, opt=arguments.opt, cache=False
            )
        except Exception as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        seconds = perf_counter() - start
        (folder / f"{name}.ours.cubin").write_bytes(compiled.cubin)
        (folder / f"{name}.ptx").write_text(compiled.ptx)
        record = compiled.launch_record
        records[name] = {
            "threads": record.threads,
            "registers": record.registers,
            "shared": record.shared,
            "milliseconds": 1000 * seconds,
        }
        if peer is not None:
            target = folder / f"{name}.tileiras.cubin"
            command = [peer, str(path), "-o", str(target), "--gpu-name", arguments.gpu, "-O3"]
            start = perf_counter()
            subprocess.run(command, check=True)
            records[name]["tileiras_milliseconds"] = 1000 * (perf_counter() - start)
        print(name, json.dumps(records[name]))
    (folder / "records.json").write_text(json.dumps(records, indent=1))


if __name__ == "__main__":
    main()
