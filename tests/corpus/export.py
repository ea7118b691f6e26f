"""
Export the kernels of the corpus as TileIR bytecode and as text.

`python tests/corpus/export.py` rewrites the files next to this script;
`python tests/corpus/export.py --check` only reports how they would change.

Needs `cuda-tile` (the front end) and `nvidia-cuda-tileiras` (the disassembler); no GPU.
"""

from __future__ import annotations

import argparse
import filecmp
import io
import json
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import cuda.tile
import nvidia.cu13
from cuda.tile import TileUnsupportedFeatureError, _ir2bytecode
from cuda.tile._bytecode import DebugAttrId, DebugAttrTable
from cuda.tile.compilation import export_kernel
from kernels import KERNELS, CorpusKernel

HERE = Path(__file__).resolve().parent
VERSIONS = ("13.1", "13.2", "13.3", "13.4")
DEBUG_VERSIONS = ("13.1", "13.4")
FIRST_TARGET_INDEPENDENT = "13.3"
FOLDERS = ("bytecode", "text", "bytecode_debug", "text_debug", "rejected")
VERSIONS_FILE = "versions.json"
DISASSEMBLER = Path(next(iter(nvidia.cu13.__path__))) / "bin" / "tileirdisasm"

EXAMPLES = (
    *("access_hints", "all_entry_hints", "array_slices", "assertions"),
    *("atomic_half", "best_with_payload"),
    *("causal_attention", "dependent_launch", "dimension_orders", "e5m3_scales"),
    *("float_arithmetic_f32", "for_with_break", "fp8_conversions_e4m3", "gather_1d"),
    *("insertions", "large_tables", "long_prefix_sum"),
    *("masked_gather_scatter", "matmul_fp4_mxfp4", "mixed_widths"),
    *("nan_propagation", "pack_tiles", "padding_modes", "prints"),
    *("rounding_modes", "running_maximum", "scalar_access", "skipping_view", "split_k_matmul"),
    *("unchecked_shift", "unchecked_views", "vector_add", "xor_checksum"),
)
"""The kernels whose text is kept, at the last version: to read, and for tests without the tool."""


Availability = dict[str, list[str] | dict[str, str]]
"""The `versions` of a kernel, or those in which it is `rejected`, and why others are `missing`."""


class CorpusError(Exception):
    """A kernel did not export as its registration says."""


@contextmanager
def no_locations() -> Iterator[None]:
    """Make the front end write no debug information."""
    original = _ir2bytecode.DebugAttrMap

    def anonymous(table: DebugAttrTable, symbol: str, anonymize: bool):
        return original(table, symbol, anonymize=True)

    with mock.patch.object(_ir2bytecode, "DebugAttrMap", anonymous):
        yield


@contextmanager
def relative_locations() -> Iterator[None]:
    """Make the front end name source files relative to the corpus or to its own package."""
    file, loc = DebugAttrTable.file, DebugAttrTable.loc
    package = Path(cuda.tile.__file__).parents[2]

    def relative(path: str) -> str:
        for root in (HERE, package):
            if Path(path).is_relative_to(root):
                return Path(path).relative_to(root).as_posix()
        raise CorpusError(f"{path} would not be the same on another machine")

    def relative_file(self: DebugAttrTable, name: str, directory: str) -> DebugAttrId:
        return file(self, name, relative(directory))

    def relative_loc(
        self: DebugAttrTable, scope: DebugAttrId, filename: str, line: int, column: int
    ) -> DebugAttrId:
        return loc(self, scope, relative(filename), line, column)

    with (
        mock.patch.object(DebugAttrTable, "file", relative_file),
        mock.patch.object(DebugAttrTable, "loc", relative_loc),
    ):
        yield


def to_bytecode(kernel: CorpusKernel, version: str) -> bytes:
    """The bytecode of one kernel."""
    buffer = io.BytesIO()
    export_kernel(
        kernel.kernel,
        kernel.signatures,
        buffer,
        gpu_code=None if version >= FIRST_TARGET_INDEPENDENT else kernel.gpu_code,
        output_format="tileir_bytecode",
        bytecode_version=version,
    )
    return buffer.getvalue()


def export_kernels(root: Path) -> dict[str, Availability]:
    """Write the bytecode of all kernels below `root`; return which versions have which kernel."""
    availability: dict[str, Availability] = {}
    for kernel in sorted(KERNELS, key=lambda kernel: kernel.name):
        versions: list[str] = []
        missing: dict[str, str] = {}
        for version in VERSIONS:
            try:
                with no_locations():
                    bytecode = to_bytecode(kernel, version)
            except TileUnsupportedFeatureError as error:
                missing[version] = error.message
                continue
            versions.append(version)
            folder = "rejected" if kernel.rejected else "bytecode"
            write(root / folder / version / f"{kernel.name}.tileirbc", bytecode)
            if kernel.debug and version in DEBUG_VERSIONS:
                with relative_locations():
                    bytecode = to_bytecode(kernel, version)
                write(root / "bytecode_debug" / version / f"{kernel.name}.tileirbc", bytecode)
        expected = [version for version in VERSIONS if version >= kernel.since]
        if versions != expected:
            raise CorpusError(
                f"{kernel.name} is registered for {expected} but exports to {versions}: {missing}"
            )
        key = "rejected" if kernel.rejected else "versions"
        availability[kernel.name] = {key: versions} | ({"missing": missing} if missing else {})
    return availability


def disassemble(source: Path, target: Path, *flags: str, rejected: bool = False) -> None:
    """Write the text of one bytecode file or, for a rejected one, the diagnostics."""
    result = subprocess.run([DISASSEMBLER, *flags, source], capture_output=True, check=False)
    if rejected == (result.returncode == 0):
        raise CorpusError(f"{source.name}: unexpected outcome\n{result.stderr.decode()}")
    write(target, result.stderr if rejected else result.stdout)


def disassemble_all(root: Path) -> None:
    """Write the texts of the examples, and what is said of the files that are rejected."""
    jobs = []
    with ThreadPoolExecutor() as pool:
        for suffix, flags in (("", ()), ("_debug", ("--print-debug-info",))):
            folder = root / f"bytecode{suffix}"
            for source in sorted(folder.rglob("*.tileirbc")):
                name = source.relative_to(folder).with_suffix(".mlir")
                is_example = source.stem in EXAMPLES and source.parent.name == VERSIONS[-1]
                if not is_example:
                    continue
                target = root / f"text{suffix}" / name
                jobs.append(pool.submit(disassemble, source, target, *flags))
        for source in sorted((root / "rejected").rglob("*.tileirbc")):
            target = source.with_suffix(".stderr")
            jobs.append(pool.submit(disassemble, source, target, rejected=True))
    for job in jobs:
        job.result()


def write(path: Path, content: bytes) -> None:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def export(root: Path) -> None:
    """Write the whole corpus below `root`."""
    availability = export_kernels(root)
    lines = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in availability.items())
    write(root / VERSIONS_FILE, f"{{\n{lines}\n}}\n".encode())
    disassemble_all(root)


def generated_files(root: Path) -> set[Path]:
    """The generated files below `root`, relative to it."""
    files = {
        path.relative_to(root)
        for folder in FOLDERS
        for path in (root / folder).rglob("*")
        if path.is_file()
    }
    if (root / VERSIONS_FILE).exists():
        files.add(Path(VERSIONS_FILE))
    return files


def differences(old: Path, new: Path) -> list[str]:
    """One line for each generated file that differs between two folders."""
    old_files, new_files = generated_files(old), generated_files(new)
    lines = [f"only in the repository: {path}" for path in old_files - new_files]
    lines += [f"missing in the repository: {path}" for path in new_files - old_files]
    lines += [
        f"changed: {path}"
        for path in old_files & new_files
        if not filecmp.cmp(old / path, new / path, shallow=False)
    ]
    return sorted(lines)


def main() -> int:
    """Entry point of the script."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="report differences, write nothing")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", "num_worker_warps is ignored")
    with tempfile.TemporaryDirectory() as scratch:
        new = Path(scratch)
        export(new)
        lines = differences(HERE, new)
        print("\n".join(lines) if lines else "the corpus is up to date")
        if arguments.check:
            return 1 if lines else 0
        for folder in FOLDERS:
            shutil.rmtree(HERE / folder, ignore_errors=True)
            shutil.copytree(new / folder, HERE / folder)
        shutil.copy(new / VERSIONS_FILE, HERE / VERSIONS_FILE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
