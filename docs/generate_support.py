"""
Fills in the tables of docs/support.md and docs/reference/operations.md from what passes, dialects
and interpreters know:

    python docs/generate_support.py            # writes both
    python docs/generate_support.py --check    # fails if that would change something

A table stands between `<!-- table: mma -->` and `<!-- end -->`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    FloatTF32Type,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation
from xdsl.irdl import RangeLengthConstraint, RangeOf, VarConstraint

from tileiras_xdsl.analysis.mma_instructions import choose_mma_instruction
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.base import CudaTileOperation, TypeSet
from tileiras_xdsl.dialects.cuda_tile.enums import AtomicMode
from tileiras_xdsl.dialects.cuda_tile.memory import atomic_mode_error
from tileiras_xdsl.dialects.cuda_tile.types import FloatNV8E5M3FNUType, TileType
from tileiras_xdsl.dialects.nv_tileaa import NvTileaa
from tileiras_xdsl.dialects.nv_tileas import NvTileas
from tileiras_xdsl.interpreter import run
from tileiras_xdsl.interpreter.machine import TILES
from tileiras_xdsl.targets.machine import ComputeCapability
from tileiras_xdsl.targets.target import Target, all_targets, target_of, with_suffix
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu import conversion_pass as to_threads
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.lowering_registry import LOWERINGS
from tileiras_xdsl.transforms.tileaa.convert_cuda_tile_to_tileaa import conversion_pass as to_tileaa
from tileiras_xdsl.transforms.tileas.convert_tileaa_to_tileas import (
    KEPT_OPS,
    RENAMED,
)
from tileiras_xdsl.transforms.tileas.kernel_model.wgmma_selection import ACCUMULATORS

DOCS = Path(__file__).parent
FILES = (DOCS / "support.md", DOCS / "reference" / "operations.md")
TABLE = re.compile(r"(<!-- table: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)

REGISTERED = (run, to_threads)
"""Importing these registers what ops do, and how they are lowered."""

NO = "–"

ARCHITECTURES = tuple(
    target
    for target in all_targets().values()
    if with_suffix(target.capability) == target.capability
)
"""Those that code is compiled for."""
ELEMENTS: tuple[Attribute, ...] = (
    *(i1, i8, i16, i32, i64),
    *(f16, BFloat16Type(), f32, f64, FloatTF32Type()),
    *(Float8E4M3FNType(), Float8E5M2Type(), Float8E8M0FNUType(), FloatNV8E5M3FNUType()),
    Float4E2M1FNType(),
)
DOT_TYPES: tuple[tuple[Attribute, Attribute], ...] = (
    *((f16, f32), (f16, f16), (BFloat16Type(), f32), (FloatTF32Type(), f32), (f32, f32)),
    *((Float8E4M3FNType(), f32), (Float8E5M2Type(), f32), (Float8E4M3FNType(), f16)),
    *((i8, i32), (f64, f64)),
)
"""Types of operands and of accumulators."""
RAW_FLOATS = DOT_TYPES.index((f32, f32))
WARPGROUPS = "sm_90a"

Row = Sequence[str]


def table(head: Row, rows: Iterable[Row]) -> str:
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def code(value: object) -> str:
    return f"`{value}`"


def yes(condition: bool) -> str:
    return "yes" if condition else NO


# Architectures, types and MMA instructions


RUN = {"sm_80": "its PTX, on an H200", "sm_90a": "on an H200"}
"""Architectures whose code we have run; that of all others only compiles."""


def architectures() -> str:
    """The features of each architecture that passes use."""

    def row(target: Target) -> Row:
        shared, relative = target.shared, target.relative
        version = relative.ptx_version if relative else target.ptx_version
        mma = choose_mma_instruction(Float8E4M3FNType(), Float8E4M3FNType(), f32, target)
        return (
            code(target),
            f"{version // 10}.{version % 10}",
            f"{shared.static // 1024} KiB",
            f"{shared.limit(asks=True) // 1024} KiB",
            yes(mma is not None and mma.operand_type is None),
            "WGMMA" if target.has("wgmma") else "`tcgen05`" if target.has("tcgen05") else NO,
            RUN.get(target.name, "never"),
        )

    head = (
        *("architecture", "PTX from", "shared memory", "with `host-maps`", "FP8 MMA"),
        *("MMA from shared memory, warp specialization", "run on hardware by us"),
    )
    return table(head, map(row, ARCHITECTURES))


def mma() -> str:
    """The MMA instruction for each pair of operand and accumulator types."""

    def cell(operand: Attribute, accumulator: Attribute, rounds: bool, name: str) -> str:
        target = target_of(ComputeCapability.parse(name))
        found = choose_mma_instruction(operand, operand, accumulator, target, rounds=rounds)
        if found is None:
            return NO if name == WARPGROUPS else "FMA"
        shape = f"m{found.instruction.m}n{found.instruction.n}k{found.instruction.k}"
        is_converted = found.operand_type is not None and found.operand_type != operand
        suffix = f", as {found.operand_type}" if is_converted else ""
        if name != WARPGROUPS:
            return f"{code(shape)}{suffix}"
        # WGMMA takes operands as they are in memory, or rounded to tf32.
        is_taken = not is_converted or isinstance(found.operand_type, FloatTF32Type)
        return yes(is_taken and str(accumulator) in ACCUMULATORS) + (suffix if is_taken else "")

    def row(operand: Attribute, accumulator: Attribute, rounds: bool) -> Row:
        name = f"{code(operand)} that may be rounded" if rounds else code(operand)
        names = ("sm_80", "sm_89", WARPGROUPS)
        cells = (cell(operand, accumulator, rounds, each) for each in names)
        return name, code(accumulator), *cells

    rows = [row(operand, accumulator, False) for operand, accumulator in DOT_TYPES]
    rows.insert(RAW_FLOATS + 1, row(f32, f32, True))
    head = ("operands", "accumulator", "sm_80 to sm_88", "from sm_89 on", "WGMMA, sm_90a")
    return table(head, rows)


def types() -> str:
    """What can be done with elements of each type."""

    def row(element: Attribute) -> Row:
        tile = TileType(element, [8])
        modes = [mode.keyword for mode in AtomicMode if atomic_mode_error(mode, element) is None]
        return (
            code(str(element).removeprefix("!cuda_tile.")),
            yes(_takes((ct.AddIOp, ct.AddFOp), tile)),
            yes(_takes((ct.AndIOp, ct.ExpOp), tile)),
            yes(_takes((ct.MmaFOp, ct.MmaIOp, ct.MmaFScaledOp), tile)),
            yes(_takes((ct.FToFOp, ct.IToFOp), tile)),
            ", ".join(map(code, modes)) or NO,
        )

    head = ("element", "`+ - ×`", "bits or functions", "dot operand", "conversion", "atomics")
    return table(head, map(row, ELEMENTS))


def _takes(operations: Iterable[type[CudaTileOperation]], tile: TileType) -> bool:
    """Whether the first operand of one of some ops may be such a tile."""
    return any(_first_operand(operation).contains(tile) for operation in operations)


def _first_operand(operation: type[CudaTileOperation]) -> TypeSet:
    constraint: object = operation.get_irdl_definition().operands[0][1].constr
    while not isinstance(constraint, TypeSet):
        match constraint:
            case RangeLengthConstraint() | VarConstraint():
                constraint = constraint.constraint  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            case RangeOf():
                constraint = constraint.constr  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            case _:
                raise TypeError(f"{operation.name} has no set of types")
    return constraint


# Operations


def _on_cpu() -> set[str]:
    return set(TILES)


def level0() -> str:
    """The ops of `cuda_tile`."""
    patterns = to_tileaa.make_patterns(ComputeCapability.parse("sm_90"))
    known = _on_cpu() | {"cuda_tile.module", "cuda_tile.entry", "cuda_tile.global"}
    operations = [each for each in ct.CudaTile.operations if "$" not in each.name]

    def row(operation: type[Operation]) -> Row:
        assert issubclass(operation, CudaTileOperation)
        name = operation.name
        return code(name), operation.SINCE, yes(name in known), yes(operation in patterns)

    head = ("op", "in bytecode since", "on the CPU", "converted")
    return table(head, map(row, sorted(operations, key=lambda each: each.name)))


def level1() -> str:
    """The ops of `nv_tileaa`."""
    known = _on_cpu() | {"nv_tileaa.global"}
    others = {
        "nv_tileaa.dot": "`nv_tileas.dot`",
        "nv_tileaa.mmaf_scaled": "a dot of f32",
        "nv_tileaa.yield": "`nv_tileas.yield`",
        "nv_tileaa.create_mem_token": "discharged, or an mbarrier",
        "nv_tileaa.join_mem_token": "discharged, or mbarriers",
        "nv_tileaa.create_queue": "a pipeline",
        "nv_tileaa.queue.put": "a producer of the pipeline",
        "nv_tileaa.queue.get": "a consumer of the pipeline",
        "nv_tileaa.queue.yield": "`nv_tileas.async.pipeline.yield`",
        "nv_tileaa.execute": "`nv_tileas.async.pipeline.agent_switch`",
    }

    def becomes(operation: type[Operation]) -> str:
        if operation in RENAMED:
            return code(operation.name.replace("nv_tileaa", "nv_tileas"))
        if operation in KEPT_OPS:
            return "stays"
        return others.get(operation.name, NO)

    operations = sorted(NvTileaa.operations, key=lambda each: each.name)
    rows = [(code(each.name), yes(each.name in known), becomes(each)) for each in operations]
    return table(("op", "on the CPU", "at level 2"), rows)


def level2() -> str:
    """The ops of level 2, of either dialect."""
    known = _on_cpu() | {"nv_tileaa.global"}
    structure = {"nv_tileas.yield", "nv_tileas.async.pipeline.yield", "nv_tileaa.global"}
    operations = {each.name for each in (*NvTileas.operations, *KEPT_OPS)}

    def row(name: str) -> Row:
        return code(name), yes(name in known), yes(name in LOWERINGS or name in structure)

    return table(("op", "on the CPU", "lowered to threads"), map(row, sorted(operations)))


TABLES: dict[str, Callable[[], str]] = {
    "architectures": architectures,
    "mma": mma,
    "types": types,
    "level0": level0,
    "level1": level1,
    "level2": level2,
}


# The file


def fill(text: str) -> str:
    """The text with all of its tables regenerated."""
    return TABLE.sub(lambda match: f"{match[1]}{TABLES[match[2]]()}{match[3]}", text)


def missing(text: str) -> Iterator[str]:
    """The names of tables that have no place."""
    there = {match[2] for match in TABLE.finditer(text)}
    yield from (name for name in TABLES if name not in there)


def main() -> int:
    parser = argparse.ArgumentParser(description="Fills in the tables of the pages of what works.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail if it differs")
    texts = {path: path.read_text(encoding="utf-8") for path in FILES}
    filled = {path: fill(text) for path, text in texts.items()}
    if parser.parse_args().check:
        if names := list(missing("".join(texts.values()))):
            print(f"the pages have no place for: {', '.join(names)}")
        elif filled != texts:
            print("run python docs/generate_support.py, the pages are out of date")
        return 1 if names or filled != texts else 0
    for path, text in filled.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
