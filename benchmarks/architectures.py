"""
Compiles many kernels for many architectures, and reports what went wrong.

    python benchmarks/architectures.py [FILE|FOLDER …] [--gpu sm_100,sm_120] [--only SUBSTRING]
        [--tileiras] [--count HMMA,LDSM] [--all] [--json FILE] [--markdown FILE]

Without files, the kernels of `tests/corpus/bytecode` (the last version) and of
`benchmarks/gpu/bytecode`; without architectures, all that `tileiras` has.

| column | is |
| --- | --- |
| registers | of the kernel that has most |
| spills | bytes that threads write to memory; of `tileiras`, instructions that do |
| shared | bytes, static and dynamic |
| columns | of tensor memory |
| mbarriers, cluster | how many there are, and CTAs of a cluster |
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
import struct
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory

from xdsl.utils.exceptions import DiagnosticException

import tileiras_xdsl
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.libdevice import find_program
from tileiras_xdsl.backend.sass import disassemble

ROOT = Path(__file__).parents[1]
FOLDERS = (ROOT / "tests/corpus/bytecode/13.4", ROOT / "benchmarks/gpu/bytecode")
GPUS = "sm_80,sm_86,sm_87,sm_88,sm_89,sm_90,sm_100,sm_103,sm_110,sm_120,sm_121"
KINDS = (
    *("HMMA", "IMMA", "DMMA", "QMMA", "OMMA", "HGMMA", "QGMMA", "IGMMA", "UTCHMMA", "UTCQMMA"),
    *("UTCIMMA", "UTCOMMA", "LDSM", "STSM", "LDGSTS", "UTMALDG", "UTMASTG", "LDTM", "STTM"),
    *("UTCCP", "UTCBAR"),
)
"""Instructions that are counted unless others are asked for."""
SPILLS = ("STL", "LDL")
"""Accesses to memory of a thread."""

_INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_]*)", re.M)
_ALLOCATION = re.compile(r"UTCATOMSWS(?:\.2CTA)?\.FIND_AND_SET\S* UP\w+, UR\w+, (UR\d+) ;")
_MBARRIER = re.compile(r"SYNCS\.EXCH\.64")


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
    columns: int = 0
    mbarriers: int = 0
    cluster: int = 1
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
        numbers += f" {self.columns:>4} columns {self.mbarriers:>3} mbarriers"
        numbers += f" cluster of {self.cluster}" if self.cluster > 1 else ""
        lines = [f"{head} {numbers} {self.instructions:>6} instructions {kinds}"]
        return "\n".join([*lines, *(f"    {remark}" for remark in self.remarks)])


def count_instructions(code: str) -> Counter[str]:
    """How often each instruction is in code, by the first part of its name."""
    return Counter(_INSTRUCTION.findall(code))


def count_columns(code: str) -> int:
    """Columns of tensor memory that code allocates, 32 for each that the instruction asks for."""
    found = _ALLOCATION.search(code)
    if found is None:
        return 0
    moved = re.findall(rf"UMOV {found[1]}, (0x[0-9a-f]+) ;", code[: found.start()])
    return 32 * int(moved[-1], 16) if moved else 0


@dataclass(frozen=True)
class CubinFacts:
    """What a cubin says of its kernels."""

    registers: int = 0
    shared: int = 0
    cluster: int = 1

    @staticmethod
    def of(cubin: bytes) -> CubinFacts:
        """From the sections of the ELF file: that of static shared memory, and attributes."""
        registers, shared, cluster = 0, 0, 1
        for name, size, data in _sections(cubin):
            if name.startswith(".nv.shared."):
                shared = max(shared, size)
            if name.startswith(".nv.info"):
                for attribute, value in _attributes(data):
                    if attribute == _REGISTERS:
                        registers = max(registers, value[1])
                    elif attribute == _CLUSTER:
                        cluster = max(cluster, prod(value))
        return CubinFacts(registers, shared, cluster)


_REGISTERS = 0x2F
_CLUSTER = 0x3D
"""Attributes in `.nv.info`: registers of a function, CTAs of a cluster along each dimension."""


def _sections(cubin: bytes) -> Iterator[tuple[str, int, bytes]]:
    """Names, sizes and contents of the sections of an ELF file of 64 bits."""
    (table,) = struct.unpack_from("<Q", cubin, 40)
    entry, number, names = struct.unpack_from("<HHH", cubin, 58)
    headers = [
        struct.unpack_from("<IIQQQQ", cubin, table + index * entry) for index in range(number)
    ]
    text = headers[names][4]
    for name, kind, _, _, offset, size in headers:
        end = cubin.index(b"\0", text + name)
        contents = b"" if kind == 8 else cubin[offset : offset + size]
        yield cubin[text + name : end].decode(), size, contents


def _attributes(data: bytes) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The attributes of a section that have values of several words."""
    place = 0
    while place + 4 <= len(data):
        form, attribute, size = struct.unpack_from("<BBH", data, place)
        place += 4
        if form == 4:
            yield attribute, struct.unpack_from(f"<{size // 4}I", data, place)
            place += size


def inspect(outcome: Outcome, cubin: bytes, kinds: Sequence[str]) -> Counter[str]:
    """Fills in what cubin and code say, and counts instructions."""
    code, facts = disassemble(cubin), CubinFacts.of(cubin)
    found = count_instructions(code)
    outcome.instructions = sum(found.values())
    outcome.kinds = {kind: found[kind] for kind in kinds}
    outcome.columns, outcome.mbarriers = count_columns(code), len(_MBARRIER.findall(code))
    outcome.registers, outcome.cluster = facts.registers, facts.cluster
    outcome.shared = max(outcome.shared, facts.shared)
    return found


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
        inspect(outcome, made.cubin, kinds)
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
    found = inspect(outcome, cubin, kinds)
    outcome.spills = sum(found[each] for each in SPILLS)
    return outcome


def to_markdown(every: Sequence[Outcome]) -> str:
    """A row for each kernel, ours and, behind a semicolon, that of `tileiras`."""
    lines = [
        "| kernel | GPU | MMAs | loads and stores | instructions | registers | shared | columns "
        "| mbarriers | cluster | spills |",
        "| --- " * 11 + "|",
    ]
    rows: dict[tuple[str, str], list[Outcome]] = {}
    for each in every:
        rows.setdefault((each.name, each.gpu), []).append(each)
    for (name, gpu), made in rows.items():
        cells = [
            [
                *(_kinds(each, lambda kind: "MMA" in kind), _kinds(each, lambda k: "MMA" not in k)),
                *(each.instructions, each.registers, each.shared, each.columns, each.mbarriers),
                *(each.cluster, each.spills),
            ]
            if not each.error
            else [each.error, *[""] * 8]
            for each in made
        ]
        joined = ["; ".join(dict.fromkeys(map(str, column))) for column in zip(*cells, strict=True)]
        lines.append(f"| {name} | {gpu} | {' | '.join(joined)} |")
    return "\n".join(lines) + "\n"


def _kinds(outcome: Outcome, wanted: Callable[[str], bool]) -> str:
    found = ((kind, count) for kind, count in outcome.kinds.items() if count and wanted(kind))
    return ", ".join(f"{count} {kind}" for kind, count in found) or "–"


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
    parser.add_argument("--markdown", type=Path)
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
    if options.markdown is not None:
        options.markdown.write_text(to_markdown(every))
    return int(any(count for (_, word), count in totals.items() if word == "worse"))


if __name__ == "__main__":
    sys.exit(main())
