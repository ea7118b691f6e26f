"""
Machine code as objects: what each instruction makes its warp wait for, and how many registers are
live behind it.

From Volta on an instruction has 128 bits. Bits 105 to 125 tell the scheduler of warps what it does
not find out itself:

    105–108  stall: cycles until the warp may issue its next instruction
    109      0 if the scheduler should rather go on with another warp
    110–112  the barrier that is released when the result has been written, 7 for none
    113–115  the barrier that is released when the operands have been read, 7 for none
    116–121  the barriers that are waited for, one bit for each
    122–125  operands to be kept in the reuse cache

Fixed latencies are stalls, others barriers; a warp has six of them. NVIDIA does not document this.
It was found by measurements: Jia, Maggioni, Staiger and Scarpazza, "Dissecting the NVIDIA Volta GPU
Architecture via Microbenchmarking", 2018, arXiv:1804.06826, section 2.1; Huerta, Abaie Shoushtary,
Cruz and González, "Analyzing Modern NVIDIA GPU cores", 2025, arXiv:2503.20481, section 4, for
Ampere and Blackwell. Registers that are live are counted by nvdisasm (`--life-range-mode count`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, overload

from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.libdevice import find_program, run_program

# NVIDIA's disassembler

NVDISASM_VARIABLE: Final = "TILEIRAS_XDSL_NVDISASM"


def find_nvdisasm() -> Path:
    """The nvdisasm of this machine; `MissingToolError` if there is none."""
    return find_program("nvdisasm", NVDISASM_VARIABLE, "shows machine code", "sass")


def disassemble(cubin: bytes, options: Sequence[str] = ()) -> str:
    """The code of a cubin; options are those of nvdisasm."""
    program = find_nvdisasm()
    with TemporaryDirectory(prefix="tileiras-") as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(cubin)
        child = run_program(program, ["--print-code", *options, str(path)])
    if child.returncode != 0:
        raise BackendError(f"nvdisasm failed: {child.stderr.strip() or child.returncode}")
    return child.stdout


# Instructions

FIRST_CONTROL_BIT: Final = 105
CONTROL_BITS: Final = 21
NO_BARRIER: Final = 7
BARRIERS: Final = 6
MAX_ROWS: Final = 1500
"""Instructions in a table of a notebook."""

STYLE: Final = """\
.tileiras-sass div { max-height: 40em; overflow: auto; }
.tileiras-sass td { padding: 0 .6em; text-align: right; white-space: nowrap; }
.tileiras-sass td:last-child { text-align: left; white-space: pre; font-family: monospace; }
.tileiras-sass td[style] {
  background: linear-gradient(to left, #3b82f655 var(--part), transparent var(--part)); }"""

SECTION: Final = re.compile(r"\s*\.section\s+\.text\.([^,\s]+)")
"""Where the code of a function begins."""
_CODE: Final = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+(.*?;)\s*/\* 0x([0-9a-f]{16}) \*/")
_REST: Final = re.compile(r"\s*/\* 0x([0-9a-f]{16}) \*/(?:\s*// \|(.*)\|)?")
_COUNTS: Final = re.compile(r"\s*// \|((?:\s*U?(?:GPR|PRED)\s*\|)+)")
_OPCODE: Final = re.compile(r"(?:@!?U?P\w+\s+)?(\S+)")


@dataclass(frozen=True)
class Control:
    """What an instruction tells the scheduler of warps."""

    bits: int
    """The 21 bits, the lowest of which is bit 105 of the instruction."""

    @staticmethod
    def of(encoding: int) -> Control:
        """That of an instruction of 128 bits."""
        return Control(encoding >> FIRST_CONTROL_BIT & (1 << CONTROL_BITS) - 1)

    @property
    def stall(self) -> int:
        """Cycles until the warp may issue its next instruction."""
        return self.bits & 15

    @property
    def yields(self) -> bool:
        """Whether the scheduler should rather go on with another warp."""
        return not self.bits >> 4 & 1

    @property
    def write_barrier(self) -> int | None:
        """The barrier that is released when the result has been written."""
        return _barrier(self.bits >> 5 & 7)

    @property
    def read_barrier(self) -> int | None:
        """The barrier that is released when the operands have been read."""
        return _barrier(self.bits >> 8 & 7)

    @property
    def waits(self) -> tuple[int, ...]:
        """The barriers that are waited for."""
        return tuple(n for n in range(BARRIERS) if self.bits >> (11 + n) & 1)

    @property
    def reuse(self) -> tuple[int, ...]:
        """The operands that are kept for the next instruction, from 0."""
        return tuple(n for n in range(4) if self.bits >> (17 + n) & 1)

    def __str__(self) -> str:
        """As in CuAssembler: barriers waited for, read and write barrier, yield, stall."""
        waits = "".join(str(n) if n in self.waits else "-" for n in range(BARRIERS))
        read, write = (
            "-" if barrier is None else barrier
            for barrier in (self.read_barrier, self.write_barrier)
        )
        return f"B{waits}:R{read}:W{write}:{'Y' if self.yields else '-'}:S{self.stall:02}"


def _barrier(field_bits: int) -> int | None:
    return None if field_bits == NO_BARRIER else field_bits


@dataclass(frozen=True)
class SassInstruction:
    """An instruction of a kernel."""

    function: str
    offset: int
    """In bytes, from the beginning of its function."""
    text: str
    encoding: int = field(repr=False)
    """All 128 bits."""
    registers: int
    """How many registers are live."""
    predicates: int = 0
    uniform_registers: int = 0
    uniform_predicates: int = 0

    @property
    def control(self) -> Control:
        """What it tells the scheduler."""
        return Control.of(self.encoding)

    @property
    def stall(self) -> int:
        """Cycles until the warp may issue its next instruction."""
        return self.control.stall

    @property
    def opcode(self) -> str:
        """Its name without modifiers: `HGMMA`."""
        match = _OPCODE.match(self.text)
        return "" if match is None else match[1].partition(".")[0]

    def __str__(self) -> str:
        return f"{self.offset:5x}  {self.control}  {self.registers:3}  {self.text}"


class Sass(Sequence[SassInstruction]):
    """
    The instructions of a cubin, in the order of its code. As a string, a line for each with its
    control bits and the registers that are live; in a notebook, a table.
    """

    def __init__(self, instructions: Iterable[SassInstruction]):
        self._all = tuple(instructions)

    @staticmethod
    def of(cubin: bytes) -> Sass:
        """That of a cubin; `MissingToolError` if there is no nvdisasm."""
        options = ("--print-instruction-encoding", "--life-range-mode", "count")
        return Sass(read_sass(disassemble(cubin, options)))

    @overload
    def __getitem__(self, index: int) -> SassInstruction: ...
    @overload
    def __getitem__(self, index: slice) -> Sass: ...
    def __getitem__(self, index: int | slice) -> SassInstruction | Sass:
        return Sass(self._all[index]) if isinstance(index, slice) else self._all[index]

    def __len__(self) -> int:
        return len(self._all)

    def of_function(self, name: str) -> Sass:
        """The instructions of a kernel."""
        return Sass(each for each in self._all if each.function == name)

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of the kernels."""
        return tuple(dict.fromkeys(each.function for each in self._all))

    @property
    def pressure(self) -> int:
        """The most registers that are live at once."""
        return max((each.registers for each in self._all), default=0)

    @property
    def stalls(self) -> int:
        """The cycles of all stalls, of each instruction once."""
        return sum(each.stall for each in self._all)

    def find(self, opcode: str) -> Sass:
        """The instructions whose text has a name: `find("HGMMA")`."""
        return Sass(each for each in self._all if opcode in each.text)

    def __str__(self) -> str:
        lines: list[str] = []
        for name in self.functions:
            own = self.of_function(name)
            lines.append(f"{name}: {own.summary}")
            lines += map(str, own)
        return "\n".join(lines)

    @property
    def summary(self) -> str:
        """One line."""
        return (
            f"{len(self)} instructions, at most {self.pressure} registers live, "
            f"{self.stalls} cycles of stalls"
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """A table with bars for registers and stalls, of this many instructions as pages bear."""
        most = max(self.pressure, 1)
        head = "".join(
            f'<th title="{escape(title)}">{name}</th>'
            for name, title in (
                ("offset", "in bytes"),
                ("stall", "cycles until the warp may issue its next instruction"),
                ("waits", "barriers that are waited for"),
                ("sets", "barriers that are released when operands are read (R), results written"),
                ("live", "registers that are live"),
                ("instruction", ""),
            )
        )
        rows: list[str] = []
        for each in self._all[:MAX_ROWS]:
            control = each.control
            waits = " ".join(map(str, control.waits))
            sets = " ".join(_named_barriers(control))
            stall, live = control.stall, each.registers
            rows.append(
                f"<tr><td>{each.offset:x}<td style=--part:{100 * stall // 15}%>{stall}"
                f"<td>{waits}<td>{sets}<td style=--part:{100 * live // most}%>{live}"
                f"<td>{escape(each.text)}"
            )
        left = len(self) - len(rows)
        more = f"<p>and {left} more, such as <code>[{MAX_ROWS}:]</code></p>" if left else ""
        return (
            f'<div class="tileiras-sass"><style>{STYLE}</style>'
            f"<p>{escape(', '.join(self.functions))}: {self.summary}</p>"
            f"<div><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
            f"</div>{more}</div>"
        )


def _named_barriers(control: Control) -> Iterator[str]:
    if control.read_barrier is not None:
        yield f"R{control.read_barrier}"
    if control.write_barrier is not None:
        yield f"W{control.write_barrier}"


def read_sass(text: str) -> Iterator[SassInstruction]:
    """The instructions in what nvdisasm prints with encodings and numbers of live registers."""
    function = ""
    columns: list[str] = []
    lines = iter(text.splitlines())
    for line in lines:
        if (section := SECTION.match(line)) is not None:
            function = section[1]
        elif (counts := _COUNTS.match(line)) is not None:
            columns = [name.strip() for name in counts[1].split("|")]
        elif (code := _CODE.match(line)) is not None:
            rest = _REST.match(next(lines, ""))
            if rest is None:
                continue
            cells = (rest[2] or "").split("|")
            live = {name: int(cell) for name, cell in zip(columns, cells) if cell.strip()}
            yield SassInstruction(
                function,
                int(code[1], 16),
                code[2].removesuffix(";").strip(),
                int(rest[1], 16) << 64 | int(code[3], 16),
                live.get("GPR", 0),
                live.get("PRED", 0),
                live.get("UGPR", 0),
                live.get("UPRED", 0),
            )
