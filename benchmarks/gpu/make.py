"""
Compiles the kernels of `bytecode/` with this compiler, for both ABIs, and with NVIDIA's where that
is installed, and writes what a machine with a GPU needs into a folder:

    python benchmarks/gpu/make.py FOLDER [NAME …] [--gpu sm_90a] [--repeat 1] [--keep-peers] [--ptx]
        [--insert after:PASS=PASS{OPTIONS}]
    python benchmarks/gpu/run.py FOLDER      # there

A name stands for all kernels whose names contain it; those of the folder that are not named stay
as they are. `bundle.json` has the launch records, what ptxas said, how long each case should take
and what binds it (`predict.py`), and how long compiling took, ours warm. `--insert` runs a pass
beside ours, or one of ours again with other options, so that `compare.py` can time the difference.
Where ptxas had to spill registers, or says that it serialized products, the folder is written and
the command fails.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final, TypeVar

from predict import predict_cases

import tileiras_xdsl
from tileiras_xdsl.backend.cuda import find_architecture
from tileiras_xdsl.backend.libdevice import nvidia_package_folders
from tileiras_xdsl.backend.ptxas import Ptxas, PtxasResult
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.driver.compiler.compiled import Compiled
from tileiras_xdsl.targets.machine import ComputeCapability
from tileiras_xdsl.targets.target import target_of

BYTECODE: Final = Path(__file__).parent / "bytecode"
BUNDLE: Final = "bundle.json"
ABIS: Final = ("device-maps", "host-maps")
SCALED: Final = ("_mxf8_", "_mxf4_", "_nvf4_")
"""Block-scaled products, which are measured where tensor cores do them."""
PEER: Final = "tileiras"
COMPILE_TIME_BARS: Final = {"matmul_128x256x64": 0.5, "attention_d128": 0.5}
"""Kernels that must not take longer to compile than this part of NVIDIA's time."""

Entry = dict[str, Any]
"""What the bundle says about a kernel, or about the code of one compiler for it."""

Result = TypeVar("Result")


def find_tileiras() -> str | None:
    """That of NVIDIA's package, or the one on the PATH."""
    folders = [str(folder / "bin") for folder in nvidia_package_folders()]
    return shutil.which(PEER, path=os.pathsep.join(folders)) or shutil.which(PEER)


def measure(work: Callable[[], Result], repeat: int) -> tuple[Result, float]:
    """The result, and the median of milliseconds."""
    times: list[float] = []
    while True:
        start = perf_counter()
        result = work()
        times.append(1000 * (perf_counter() - start))
        if len(times) >= repeat:
            return result, median(times)


def problems_of(result: PtxasResult) -> list[str]:
    """What makes code slow, as ptxas says."""
    problems = [f"{message.code}: {message.text}" for message in result.slow]
    for name, usage in result.functions.items():
        if usage.spill_stores or usage.spill_loads:
            sizes = f"{usage.spill_stores} bytes stored, {usage.spill_loads} loaded"
            problems.append(f"spills in {name}: {sizes}")
    return problems


def find_kernels(names: Sequence[str] = ()) -> list[Path]:
    """Bytecode of the kernels whose names contain one of some names, of all without names."""
    return [
        path
        for path in sorted(BYTECODE.glob("*.tileirbc"))
        if not names or any(name in path.stem for name in names)
    ]


class Maker:
    """Compiles into a folder."""

    def __init__(
        self,
        folder: Path,
        gpu: str = "sm_90a",
        repeat: int = 1,
        *,
        keep_peers: bool = False,
        ptx: bool = False,
        insert: Mapping[str, str] | None = None,
    ):
        self.folder = folder
        self.gpu = gpu
        self.repeat = repeat
        self.keep_peers = keep_peers
        self.ptx = ptx
        self.insert = insert
        self.tileiras = find_tileiras()
        self.ptxas = Ptxas.find()

    def make(self, paths: Sequence[Path]) -> list[str]:
        """Compiles kernels; all that is wrong with them."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / BUNDLE
        bundle: dict[str, Any] = {"kernels": {}}
        if file.exists():
            bundle = json.loads(file.read_text())
        bundle["gpu"], bundle["ptxas"] = self.gpu, self.ptxas.version
        kernels: dict[str, Entry] = bundle["kernels"]
        # The first compilation imports everything.
        tileiras_xdsl.compile(BYTECODE / "vector_add.tileirbc", gpu=self.gpu, cache=False)
        print(f"{'milliseconds':<28}{'device':>9}{'host':>9}{PEER:>9}")
        for path in filter(self.is_for, paths):
            kernels[path.stem] = self.kernel(path, kernels.get(path.stem, {}))
            print(describe(path.stem, kernels[path.stem]), flush=True)
            file.write_text(json.dumps(bundle, indent=1))
        return complaints({path.stem: kernels[path.stem] for path in filter(self.is_for, paths)})

    def is_for(self, path: Path) -> bool:
        """Whether tensor cores of the GPU do the products of a kernel."""
        target = target_of(ComputeCapability.parse(self.gpu))
        has_scales = target.has("tcgen05") or target.has("mma.block_scale")
        return has_scales or not any(word in path.stem for word in SCALED)

    def kernel(self, path: Path, before: Entry) -> Entry:
        """All code for a kernel; `before` is what an earlier run wrote."""
        program = path.read_bytes()
        digest = hashlib.sha256(program).hexdigest()
        entry: Entry = {"sha256": digest, "code": {}, "errors": {}}
        for abi in ABIS:
            try:
                entry["code"][abi] = self.ours(path.stem, program, abi)
            except Exception as error:
                entry["errors"][abi] = f"{type(error).__name__}: {error}"
        theirs = before.get("code", {}).get(PEER)
        if self.keep_peers and theirs is not None and before.get("sha256") == digest:
            entry["code"][PEER] = theirs
        elif self.tileiras is not None:
            try:
                entry["code"][PEER] = self.theirs(path, self.tileiras)
            except subprocess.CalledProcessError as error:
                entry["errors"][PEER] = error.stderr.strip()
        return entry

    def ours(self, name: str, program: bytes, abi: Any) -> Entry:
        def work() -> Compiled:
            return tileiras_xdsl.compile(
                program, gpu=self.gpu, abi=abi, cache=False, insert=self.insert
            )

        with warnings.catch_warnings():
            # What the compiler warns of is part of the bundle.
            warnings.simplefilter("ignore")
            compiled, milliseconds = measure(work, self.repeat)
        said = self.ptxas.compile(compiled.ptx, NvptxTarget.parse(self.gpu))
        file = f"{name}.{abi}.cubin"
        (self.folder / file).write_bytes(compiled.cubin)
        if self.ptx:
            (self.folder / f"{name}.{abi}.ptx").write_text(compiled.ptx)
        return {
            "file": file,
            "sha256": hashlib.sha256(compiled.cubin).hexdigest(),
            "record": compiled.launch_record.to_dict(),
            "predictions": predict_cases(compiled, name),
            "milliseconds": milliseconds,
            "warnings": list(compiled.warnings),
            "ptxas": [f"{message.kind}: {message.text}" for message in said.messages],
            "problems": problems_of(said),
        }

    def theirs(self, path: Path, tileiras: str) -> Entry:
        file = f"{path.stem}.{PEER}.cubin"
        # It knows architectures without their suffix.
        gpu = self.gpu.rstrip("a")
        command = [tileiras, str(path), "-o", str(self.folder / file), "--gpu-name", gpu, "-O3"]

        def work() -> object:
            return subprocess.run(command, check=True, capture_output=True, text=True)

        _, milliseconds = measure(work, self.repeat)
        return {"file": file, "milliseconds": milliseconds}


def describe(name: str, entry: Entry) -> str:
    """A line about a kernel."""
    cells = [f"{name:<28}"]
    for who in (*ABIS, PEER):
        code = entry["code"].get(who)
        cells.append("   failed" if code is None else f"{code['milliseconds']:9.0f}")
    code = entry["code"].get(ABIS[0])
    if code is not None:
        record = code["record"]
        threads = "x".join(map(str, record["threads"]))
        cells.append(f"  {threads}, {record['registers']} registers, {record['static_shared']} B")
    return "".join(cells)


def complaints(kernels: dict[str, Entry]) -> list[str]:
    """All that is wrong with a bundle."""
    found: list[str] = []
    for name, entry in kernels.items():
        found += [f"{name}, {who}: {error}" for who, error in entry["errors"].items()]
        for abi in ABIS:
            problems = entry["code"].get(abi, {}).get("problems", ())
            found += [f"{name}, {abi}: {problem}" for problem in problems]
        factor = COMPILE_TIME_BARS.get(name)
        times = [entry["code"].get(who, {}).get("milliseconds") for who in (ABIS[0], PEER)]
        if factor is not None and None not in times and times[0] > factor * times[1]:
            found.append(
                f"{name}: compiled in {times[0]:.0f} ms, more than {factor} of {times[1]:.0f}"
            )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--gpu", help="the architecture (default: that of the GPU here, or sm_90a)")
    parser.add_argument("--repeat", type=int, default=1, help="how often each is compiled")
    parser.add_argument("--keep-peers", action="store_true", help="keep the folder's peer code")
    parser.add_argument("--ptx", action="store_true", help="write PTX too")
    parser.add_argument("--insert", help="a pass that runs too, and where: after:PASS=PASS")
    arguments = parser.parse_args()
    names: list[str] = arguments.names
    paths = find_kernels(names)
    if not paths:
        sys.exit(f"no kernel has one of {', '.join(names)} in its name")
    maker = Maker(
        arguments.folder,
        arguments.gpu or find_architecture("sm_90a"),
        arguments.repeat,
        keep_peers=arguments.keep_peers,
        ptx=arguments.ptx,
        insert=arguments.insert and dict([arguments.insert.split("=", 1)]),
    )
    found = maker.make(paths)
    for text in found:
        print(text, file=sys.stderr)
    if found:
        sys.exit(f"{len(found)} complaints; the bundle was written all the same")


if __name__ == "__main__":
    main()
