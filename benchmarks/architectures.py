"""
Compiles many kernels for many architectures, and reports what went wrong.

    python benchmarks/architectures.py [FILE|FOLDER …] [--gpu sm_100,sm_120] [--only SUBSTRING]
        [--tileiras] [--count HMMA,LDSM] [--all] [--json FILE]

Without files, the kernels of `tests/corpus/bytecode` (the last version) and of
`benchmarks/gpu/bytecode`; without architectures, all that `tileiras` has.

| column | is |
| --- | --- |
| registers, spills | of the kernel that has most, and bytes that threads write to memory |
| shared | bytes, static and dynamic |
| instructions | of all kernels, and of each kind that was asked for |

A line is printed for each kernel that fails, spills or has remarks of ptxas about slow code, with
`--all` for every one. With `--tileiras`, NVIDIA's `tileiras` compiles the same bytecode, and its
numbers are on a second line; a kernel whose spills that has, too, is not reported. Kernels are
compiled, nothing is run. The exit code is 1 if one fails, or spills where `tileiras` does not.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from xdsl.utils.exceptions import DiagnosticException

import tileiras_xdsl
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.nvdisasm import disassemble
from tileiras_xdsl.backend.search import find_program

ROOT = Path(__file__).parents[1]
FOLDERS = (ROOT / "tests/corpus/bytecode/13.4", ROOT / "benchmarks/gpu/bytecode")
GPUS = "sm_80,sm_86,sm_87,sm_88,sm_89,sm_90,sm_100,sm_103,sm_110,sm_120,sm_121"
KINDS = (
    *("HMMA", "IMMA", "DMMA", "QMMA", "OMMA", "HGMMA", "QGMMA", "IGMMA", "UTCHMMA", "UTCQMMA"),
    *("UTCIMMA", "UTCOMMA", "LDSM", "STSM", "LDGSTS", "UTMALDG", "UTMASTG", "LDTM", "STTM"),
)
"""Instructions that are counted unless others are asked for."""
SPILLS = ("STL", "LDL")
"""Accesses to memory of a thread."""

_INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_]*)", re.M)


@dataclass
class Outcome:
    """What became of a kernel for an architecture."""

    name: str
    gpu: str
    by: str = "ours"
    error: str = ""
    registers: int = 0
    spills: int = 0
    shared: int = 0
    instructions: int = 0
    kinds: dict[str, int] = field(default_factory=dict[str, int])
    remarks: list[str] = field(default_factory=list[str])

    @property
    def is_good(self) -> bool:
        """Whether there is nothing to report."""
        return not (self.error or self.spills or self.remarks)

    def __str__(self) -> str:
        head = f"{self.gpu:<8}{self.by:<9}{self.name:<44}"
        if self.error:
            return f"{head} {self.error}"
        kinds = " ".join(f"{kind} {count}" for kind, count in self.kinds.items() if count)
        numbers = f"{self.registers:>4} registers {self.spills:>5} spilled {self.shared:>7} shared"
        lines = [f"{head} {numbers} {self.instructions:>6} instructions {kinds}"]
        return "\n".join([*lines, *(f"    {remark}" for remark in self.remarks)])


def count_instructions(cubin: bytes) -> Counter[str]:
    """How often each instruction is in a cubin, by the first part of its name."""
    return Counter(_INSTRUCTION.findall(disassemble(cubin)))


def compile_ours(path: Path, gpu: str, kinds: Sequence[str], *, counts: bool) -> Outcome:
    """A kernel by this compiler."""
    outcome = Outcome(path.stem, gpu)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = tileiras_xdsl.compile(path, gpu=gpu, cache=False)
    except (DiagnosticException, BackendError, TimeoutError) as error:
        outcome.error = str(error).strip().splitlines()[0][:200]
        return outcome
    outcome.registers = max((each.registers or 0 for each in made.records), default=0)
    outcome.spills = sum(each.spill_stores + each.spill_loads for each in made.records)
    outcome.shared = max((each.shared or 0) + each.static_shared for each in made.records)
    outcome.remarks = [each for each in made.warnings if "ptxas" in each or "serialized" in each]
    if counts:
        found = count_instructions(made.cubin)
        outcome.instructions = sum(found.values())
        outcome.kinds = {kind: found[kind] for kind in kinds}
    return outcome


def compile_theirs(path: Path, gpu: str, kinds: Sequence[str], program: Path) -> Outcome:
    """A kernel by `tileiras`; its cubin does not say how much is spilled, but instructions do."""
    outcome = Outcome(path.stem, gpu, "tileiras")
    with TemporaryDirectory() as folder:
        made = Path(folder, "kernel.cubin")
        command = [str(program), "--gpu-name", gpu, str(path), "-o", str(made)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            message = (done.stderr or done.stdout).strip().splitlines()
            outcome.error = message[0][:200] if message else f"exit code {done.returncode}"
            return outcome
        cubin = made.read_bytes()
    found = count_instructions(cubin)
    outcome.spills = sum(found[each] for each in SPILLS)
    outcome.instructions = sum(found.values())
    outcome.kinds = {kind: found[kind] for kind in kinds}
    return outcome


def find_files(places: Sequence[Path], only: str) -> Iterator[Path]:
    """The bytecode of kernels in files and folders."""
    for place in places:
        for path in [place] if place.is_file() else sorted(place.rglob("*.tileirbc")):
            if only in path.stem:
                yield path


def main() -> int:
    parser = argparse.ArgumentParser(description="Compiles kernels for architectures.")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--gpu", default=GPUS)
    parser.add_argument("--only", default="")
    parser.add_argument("--tileiras", action="store_true")
    parser.add_argument("--count", default="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    kinds = [kind for kind in options.count.split(",") if kind] or KINDS
    theirs = None
    if options.tileiras:
        theirs = find_program("tileiras", "TILEIRAS", "is compared with", "nvidia-cuda-tileiras")
    paths = [*find_files(options.files or FOLDERS, options.only)]
    every: list[Outcome] = []
    totals: Counter[tuple[str, str]] = Counter()
    for gpu in options.gpu.split(","):
        for path in paths:
            counts = options.all or theirs is not None
            ours = compile_ours(path, gpu, kinds, counts=counts)
            made = [ours]
            if theirs is not None:
                made.append(compile_theirs(path, gpu, kinds, theirs))
            every += made
            is_worse = not ours.is_good and not (
                len(made) > 1 and ours.spills and made[1].spills and not ours.error
            )
            totals[gpu, "kernels"] += 1
            totals[gpu, "failed"] += bool(ours.error)
            totals[gpu, "spilled"] += bool(ours.spills)
            totals[gpu, "worse"] += is_worse
            totals[gpu, "with remarks"] += bool(ours.remarks)
            if options.all or is_worse:
                print(*made, sep="\n", flush=True)
        words = ("kernels", "failed", "spilled", "with remarks")
        print(f"{gpu}: {', '.join(f'{totals[gpu, word]} {word}' for word in words)}", flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(each) for each in every], indent=1))
    return int(any(count for (_, word), count in totals.items() if word == "worse"))


if __name__ == "__main__":
    sys.exit(main())
