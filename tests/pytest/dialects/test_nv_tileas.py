"""
Verifiers of `nv_tileas` raise nothing but `VerifyException`, whatever is wrong with an op; the
ops are those of the FileCheck tests, each changed in the ways that its generic form allows. And
what the guide shows is so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    f32,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.dialects.nv_tileas import NvTileas
from tileiras_xdsl.dialects.nv_tileas.layout import SharedLayoutAttr, layout_of, with_layout
from tileiras_xdsl.dialects.nv_tileas.types import (
    ASYNC_TOKEN,
    ATOMS,
    AtomAttr,
    IteratorType,
    MemoryAttr,
    PipelineType,
    get_memory,
)
from tileiras_xdsl.transforms.tileas.convert_tileaa_to_tileas import (
    ConvertTileaaToTileasPass,
)

from ..harness.modules import parse_attribute, parse_unverified
from ..harness.passes import apply

TESTS = Path(__file__).parents[2] / "filecheck" / "dialects" / "nv_tileas"
TYPES: Sequence[Attribute] = (
    *(i32, f32, TensorType(f32, [4]), TensorType(f32, []), TensorType(i32, [-1])),
    *(PipelineType(), IteratorType("producer"), ASYNC_TOKEN),
)
PROPERTIES: Sequence[Attribute] = (
    *(UnitAttr(), IntegerAttr(3, i64), IntegerAttr(-1, i32), StringAttr('"')),
    *(ArrayAttr([UnitAttr()]), DenseArrayBase.from_list(i32, [1, 2, 3])),
)
BLOCKS: Sequence[Sequence[Sequence[Attribute]]] = ((), ((),), ((), ()), ((f32,),))
"""The arguments of the blocks of regions."""


def samples() -> dict[str, list[Operation]]:
    """Ops that verify, by name."""
    found: dict[str, list[Operation]] = {}
    for path in sorted(TESTS.glob("*.mlir")):
        if "invalid" not in path.stem:
            module = parse_unverified(path.read_text(), path.name)
            for op in module.walk():
                if op.name.startswith("nv_tileas."):
                    found.setdefault(op.name, []).append(op)
    return found


SAMPLES = samples()


def replaced(items: Sequence[Attribute], types: Sequence[Attribute]) -> Iterator[list[Attribute]]:
    """One of the items left out, or of another type; or all of them twice."""
    yield [*items, *items]
    for number in range(len(items)):
        yield [*items[:number], *items[number + 1 :]]
        for ty in types:
            yield [*items[:number], ty, *items[number + 1 :]]


def variants(op: Operation) -> Iterator[Operation]:
    """The op with other operands, results, properties and regions."""

    def make(
        operands: Sequence[Attribute] | None = None,
        results: Sequence[Attribute] | None = None,
        properties: dict[str, Attribute] | None = None,
        regions: Sequence[Region] | None = None,
    ) -> Operation:
        values: Sequence[SSAValue] = op.operands
        if operands is not None:
            values = test.TestOp(result_types=operands).results
        return type(op).create(
            operands=values,
            result_types=op.result_types if results is None else results,
            properties=op.properties if properties is None else properties,
            regions=[region.clone() for region in op.regions] if regions is None else regions,
        )

    for types in replaced([value.type for value in op.operands], TYPES):
        yield make(operands=types)
    for types in replaced(op.result_types, TYPES):
        yield make(results=types)
    for name in cast("type[IRDLOperation]", type(op)).get_irdl_definition().properties:
        yield make(properties={key: op.properties[key] for key in op.properties if key != name})
        for attribute in PROPERTIES:
            yield make(properties={**op.properties, name: attribute})
    for blocks in BLOCKS:
        for count in (len(op.regions), len(op.regions) + 1):
            made = [Region([Block(arg_types=types) for types in blocks]) for _ in range(count)]
            yield make(regions=made)


@pytest.mark.every(5)
@pytest.mark.parametrize("name", [op.name for op in NvTileas.operations])
def test_verifiers_never_crash(name: str) -> None:
    assert name in SAMPLES, f"{name} has no FileCheck test"
    for op in SAMPLES[name]:
        for variant in variants(op):
            with suppress(VerifyException):
                variant.verify()


def test_memory_of_layouts() -> None:
    shared = SharedLayoutAttr((("offset", ((1,), (2,))),))
    assert get_memory(TensorType(f32, [4], shared)) == "shared"
    assert get_memory(TensorType(f32, [4])) is None
    assert get_memory(f32) is None


@pytest.mark.parametrize("attribute", [*map(AtomAttr, ATOMS), MemoryAttr("tmem")])
def test_attributes_survive_text(attribute: Attribute) -> None:
    assert parse_attribute(str(attribute)) == attribute


def test_the_guide_shows_what_the_compiler_does() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "nv_tileas.md").read_text()
    texts = re.findall(r"```mlir\n(.*?)```", guide, re.DOTALL)
    buffers, before, after = (parse_unverified(text, "guide") for text in texts)
    buffers.verify()
    apply(before, ConvertTileaaToTileasPass("sm_90"))
    assert before.is_structurally_equivalent(after)


def test_types_with_layouts():
    """A type that is made again is the same, and no other type or layout gets it."""
    plain = TensorType(f32, [4, 8])
    rows, columns = (
        LinearLayout.shared((4, 8), offsets) for offsets in ((1, 2, 4, 8, 16), (8, 16, 1, 2, 4))
    )
    for ty in (plain, TensorType(i32, [4, 8])):
        for layout in (rows, columns, None):
            made = with_layout(ty, layout)
            assert made is with_layout(ty, layout)
            assert layout_of(made) == layout
            assert (made.element_type, made.get_shape()) == (ty.element_type, (4, 8))
            assert with_layout(made, None) == ty
