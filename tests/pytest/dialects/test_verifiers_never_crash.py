"""
Verifiers raise nothing but `VerifyException`, and what verifies survives a round trip.

Each op of the dialect is taken from a program that is valid, changed in all the ways that its
generic form allows, and put back: operands, results, properties and regions that are too few,
too many, or of the wrong kind, and some combinations of these.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NoReturn, TypeAlias

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, IRNode, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.traits import IsTerminator
from xdsl.utils.diagnostic import Diagnostic
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.cuda_tile import CudaTile, symbols
from tileiras_xdsl.dialects.cuda_tile.control_flow import BreakOp, ContinueOp, ReturnOp, YieldOp
from tileiras_xdsl.dialects.cuda_tile.floating import FPowFOp
from tileiras_xdsl.dialects.cuda_tile.memory import TokenJoinOp

from ..harness.cases import every
from ..harness.modules import parse_attribute, parse_type, parse_unverified, print_module

EXAMPLES = Path(__file__).parents[2] / "corpus" / "ops"
"""Every op, in all its forms."""
FORMS = 3
"""Of how many of them that are most different each op is taken."""

PROGRAMS = (
    """
    testing$func @f(%f32: tile<f32>, %t: token) {
      token.join [%t] : token
      cuda_tile.print "f=%f", %f32 : tile<f32>
      return
    }
    """,
    """
    cuda_tile.module @m attributes {producer = "test"} {
      entry @k(%p: tile<ptr<f32>>, %t: token) optimization_hints=<sm_100 = {occupancy = 2}> {
        %g = get_global @g : tile<ptr<f32>>
        return
      }
      global private constant @g alignment = 16 <f32: [1.0, 2.0]> : tile<2xf32>
    }
    """,
    """
    cuda_tile.module @m {
      testing$func @f(%f: tile<f32>) -> (tile<f32>) {
        return %f : tile<f32>
      }
    }
    """,
    """
    cuda_tile.module @m {
      entry @k(%c: tile<i1>, %i: tile<i32>, %f: tile<f32>) {
        %r = if %c -> (tile<f32>) {
          yield %f : tile<f32>
        } else {
          return
        }
        return
      }
    }
    """,
    """
    cuda_tile.module @m {
      entry @k(%c: tile<i1>, %i: tile<i32>, %f: tile<f32>) {
        %r = for unsigned %iv in (%i to %i, step %i) : tile<i32> iter_values(%a = %f)
            -> (tile<f32>) {
          if %c {
            continue %f : tile<f32>
          }
          continue %a : tile<f32>
        }
        return
      }
    }
    """,
    """
    cuda_tile.module @m {
      entry @k(%c: tile<i1>, %i: tile<i32>, %f: tile<f32>) {
        %r = loop iter_values(%a = %i) : tile<i32> -> tile<f32> {
          if %c {
            break %f : tile<f32>
          }
          continue %a : tile<i32>
        }
        return
      }
    }
    """,
    """
    cuda_tile.module @m {
      testing$func @f(%x: tile<4x8xf32>) {
        %r = reduce %x dim=1 identities=[0.0 : f32] : tile<4x8xf32> -> tile<4xf32>
        (%a: tile<f32>, %b: tile<f32>) {
          %s = addf %a, %b : tile<f32>
          yield %s : tile<f32>
        }
        return
      }
    }
    """,
    """
    cuda_tile.module @m {
      testing$func @f(%x: tile<4x8xf32>) {
        %r = scan %x dim=1 reverse=false identities=[1.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
        (%a: tile<f32>, %b: tile<f32>) {
          %s = mulf %a, %b : tile<f32>
          yield %s : tile<f32>
        }
        return
      }
    }
    """,
)
"""Ops that need others around them, or inside them."""

TYPES = (
    "i32",
    "index",
    "() -> ()",
    "vector<4xf32>",
    "!cuda_tile.token",
    "!cuda_tile.string",
    "!cuda_tile.ptr<f32>",
    "!cuda_tile.tile<i1>",
    "!cuda_tile.tile<i8>",
    "!cuda_tile.tile<i32>",
    "!cuda_tile.tile<f16>",
    "!cuda_tile.tile<f32>",
    "!cuda_tile.tile<tf32>",
    "!cuda_tile.tile<ptr<f32>>",
    "!cuda_tile.tile<ptr<i8>>",
    "!cuda_tile.tile<4xi4>",
    "!cuda_tile.tile<4xi1>",
    "!cuda_tile.tile<4xi32>",
    "!cuda_tile.tile<16xi8>",
    "!cuda_tile.tile<4xf32>",
    "!cuda_tile.tile<4xptr<f32>>",
    "!cuda_tile.tile<4xf4E2M1FN>",
    "!cuda_tile.tile<4xf8E8M0FNU>",
    "!cuda_tile.tile<4xfnv8E5M3FNU>",
    "!cuda_tile.tile<2x4xf32>",
    "!cuda_tile.tile<8x8xf32>",
    "!cuda_tile.tile<2x2x2xf16>",
    "!cuda_tile.tensor_view<f32>",
    "!cuda_tile.tensor_view<?x64xf32, strides=[?,1]>",
    "!cuda_tile.tensor_view<32x64xi32, strides=[64,1]>",
    "!cuda_tile.partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>",
    "!cuda_tile.strided_view<tile=(8), traversal_strides=[4], tensor_view<?xf32, strides=[1]>>",
    "!cuda_tile.gather_scatter_view<tile=(8x8), padding_value = nan, "
    "tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=1>",
)

ATTRIBUTES = (
    "unit",
    "true",
    "0 : i32",
    "-1 : i32",
    "5 : i32",
    "100 : i32",
    "0 : i64",
    "-1 : i64",
    "1 : i64",
    "9223372036854775807 : i64",
    "1 : index",
    "0 : si32",
    "0 : ui64",
    "1.5 : f32",
    '"text"',
    '"100%"',
    "@g",
    "@k::@g",
    "[]",
    "[0.0 : f32]",
    "[0 : i32]",
    "[0.0 : f32, 0.0 : f32]",
    "[unit]",
    "[{}]",
    "{}",
    "{a = 1 : i32}",
    "f32",
    "() -> ()",
    "(!cuda_tile.tile<f32>) -> ()",
    "(!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<f32>",
    "array<i1: true>",
    "array<i1: true, false>",
    "array<i32>",
    "array<i32: 0, 1>",
    "array<i32: 1, 0>",
    "array<i32: -1, 5>",
    "array<i64: 1, 0>",
    "array<f32: 1.0, 0.0>",
    "dense<1.0> : tensor<2xf32>",
    "#cuda_tile.dense<f32: 1.0 : tile<2xf32>>",
    "#cuda_tile.dense<i32: [1, 2] : tile<2xi32>>",
    "#cuda_tile.dense<i1: true : tile<i1>>",
    "#cuda_tile.signedness<unsigned>",
    "#cuda_tile.overflow<no_unsigned_wrap>",
    "#cuda_tile.rounding<nearest_even>",
    "#cuda_tile.rounding<approx>",
    "#cuda_tile.rounding<nearest_int_to_zero>",
    "#cuda_tile.rounding<nearest_away>",
    "#cuda_tile.comparison_predicate<equal>",
    "#cuda_tile.comparison_ordering<unordered>",
    "#cuda_tile.symbol_visibility<public>",
    "#cuda_tile.padding_value<zero>",
    "#cuda_tile.div_by<16>",
    "#cuda_tile.div_by<3, every 4>",
    "#cuda_tile.same_elements<[1, 2]>",
    "#cuda_tile.bounded<5, ?>",
    "#cuda_tile.optimization_hints<>",
    "#cuda_tile.optimization_hints<sm_90 = {latency = 3, x = [1]}>",
)

SEGMENTS = (
    "array<i32>",
    "array<i32: 1>",
    "array<i32: 1, 1, 1>",
    "array<i32: 0, 0, 0, 0>",
    "array<i32: 1, 1, 0, 0>",
    "array<i32: 1, 1, 1, 0>",
    "array<i32: 1, 2, 0, 0>",
    "array<i32: -1, 2, 1, 0>",
    "array<i32: 2, 2, 2, 2, 2>",
    "array<i64: 1, 1, 1, 0>",
)

RANDOM_PAIRS = 6
"""Pairs of changes tried on each op."""
PARTS = 17
"""Of the changes of an op; one is for every run."""
CHANGES_PER_NOTE = 8
"""Of so many changes one has the note of xDSL's diagnostics: the whole module, printed."""


TYPE_POOL = tuple(parse_type(text) for text in TYPES)
ATTRIBUTE_POOL = tuple(parse_attribute(text) for text in ATTRIBUTES)
SEGMENT_POOL = tuple(parse_attribute(text) for text in SEGMENTS)


@dataclass
class Parts:
    """What an op is made of, to be changed before the op is made again."""

    operand_types: list[Attribute]
    result_types: list[Attribute]
    properties: dict[str, Attribute]
    regions: list[Region]


Change: TypeAlias = tuple[str, Callable[[Parts], object]]
"""A name for messages, and what is changed."""


def rebuild(op: Operation, change: Callable[[Parts], object]) -> None:
    """Puts a changed copy in the place of `op`."""
    block = op.parent
    assert block is not None
    regions = [op.detach_region(region) for region in tuple(op.regions)]
    parts = Parts([*op.operand_types], [*op.result_types], {**op.properties}, regions)
    change(parts)
    new = type(op).create(
        operands=insert_values(parts.operand_types, op),
        result_types=parts.result_types,
        properties=parts.properties,
        attributes=dict(op.attributes),
        regions=parts.regions,
    )
    if any(result.uses for result in op.results):
        for result, value in zip(op.results, insert_values(op.result_types, op), strict=True):
            result.replace_all_uses_with(value)
    block.insert_op_before(new, op)
    block.erase_op(op)


def insert_values(types: Iterable[Attribute], before: Operation) -> Sequence[SSAValue]:
    source = test.TestOp(result_types=tuple(types))
    assert before.parent is not None
    before.parent.insert_op_before(source, before)
    return source.results


def list_changes(
    kind: str, count: int, get: Callable[[Parts], list[Attribute]]
) -> Iterator[Change]:
    """Changes of operands or results."""
    for index in range(count):
        yield f"without {kind} {index}", lambda parts, i=index: get(parts).pop(i)
        yield f"{kind} {index} twice", lambda parts, i=index: get(parts).insert(i, get(parts)[i])
        for ty in TYPE_POOL:
            yield (
                f"{kind} {index} of type {ty}",
                lambda parts, i=index, t=ty: get(parts).__setitem__(i, t),
            )
    for ty in TYPE_POOL[::8]:
        yield f"another {kind} of type {ty}", lambda parts, t=ty: get(parts).append(t)
    for ty in TYPE_POOL if count > 1 else ():
        yield (
            f"every {kind} of type {ty}",
            lambda parts, t=ty: get(parts).__setitem__(slice(None), [t] * len(get(parts))),
        )


def value_changes() -> Iterator[Change]:
    """Changes of all operands and results alike."""

    def set_all(parts: Parts, ty: Attribute) -> None:
        parts.operand_types = [ty] * len(parts.operand_types)
        parts.result_types = [ty] * len(parts.result_types)

    for ty in TYPE_POOL:
        yield f"every value of type {ty}", lambda parts, t=ty: set_all(parts, t)


def property_changes(op: Operation) -> Iterator[Change]:
    assert isinstance(op, IRDLOperation)
    names = {*op.get_irdl_definition().properties, *op.properties}
    for name in sorted(names):
        yield f"without property {name}", lambda parts, n=name: parts.properties.pop(n, None)
        for value in (*ATTRIBUTE_POOL, *(SEGMENT_POOL if "Segment" in name else ())):
            yield (
                f"property {name} = {value}",
                lambda parts, n=name, v=value: parts.properties.__setitem__(n, v),
            )
    yield (
        "an unknown property",
        lambda parts: parts.properties.__setitem__("unknown", ATTRIBUTE_POOL[0]),
    )
    yield "no properties", lambda parts: parts.properties.clear()


def region_changes(count: int) -> Iterator[Change]:
    yield "another region", lambda parts: parts.regions.append(Region())
    yield "another region with a block", lambda parts: parts.regions.append(Region(Block()))
    yield "no regions", lambda parts: parts.regions.clear()
    for index in range(count):
        region = f"region {index}"
        for name, make in REGIONS:
            yield (
                f"{region} {name}",
                lambda parts, i=index, m=make: parts.regions.__setitem__(i, m()),
            )
        for name, edit in block_edits():
            yield (
                f"the block of {region} {name}",
                lambda parts, i=index, e=edit: [e(block) for block in parts.regions[i].blocks],
            )


REGIONS: tuple[tuple[str, Callable[[], Region]], ...] = (
    ("is empty", Region),
    ("has an empty block", lambda: Region(Block())),
    ("has two empty blocks", lambda: Region([Block(), Block()])),
    ("has two blocks", lambda: Region([Block([test.TestTermOp()]), Block([ReturnOp()])])),
    ("has no terminator", lambda: Region(Block([test.TestOp()]))),
    ("has a terminator of another dialect", lambda: Region(Block([test.TestTermOp()]))),
)


def block_edits() -> Iterator[tuple[str, Callable[[Block], object]]]:
    yield "loses its arguments", drop_arguments
    yield "loses its last op", drop_last_op
    for terminator in (YieldOp, BreakOp, ContinueOp, ReturnOp, test.TestTermOp):
        yield (
            f"ends in {terminator.name}",
            lambda block, t=terminator: (drop_last_op(block), block.add_op(t.create())),
        )
        yield (
            f"goes on with {terminator.name}",
            lambda block, t=terminator: block.add_op(t.create()),
        )
    for ty in TYPE_POOL:
        yield (
            f"has another argument of type {ty}",
            lambda block, t=ty: block.insert_arg(t, len(block.args)),
        )
        yield f"has arguments of type {ty}", lambda block, t=ty: retype_arguments(block, t)


def drop_last_op(block: Block) -> None:
    if (last := block.last_op) is not None:
        block.erase_op(last, safe_erase=False)


def drop_arguments(block: Block) -> None:
    if (first := block.first_op) is not None:
        for argument, value in zip(block.args, insert_values(block.arg_types, first), strict=True):
            argument.replace_all_uses_with(value)
    for argument in tuple(block.args):
        block.erase_arg(argument)


def retype_arguments(block: Block, ty: Attribute) -> None:
    for argument in tuple(block.args):
        argument.replace_all_uses_with(block.insert_arg(ty, argument.index))
        block.erase_arg(argument)


def changes(op: Operation, seed: str) -> Iterator[Change]:
    single: list[Change] = [
        ("nothing", lambda _: None),
        *list_changes("operand", len(op.operands), lambda parts: parts.operand_types),
        *list_changes("result", len(op.results), lambda parts: parts.result_types),
        *value_changes(),
        *property_changes(op),
        *region_changes(len(op.regions)),
    ]
    yield from single
    generator = random.Random(seed)
    for _ in range(RANDOM_PAIRS):
        (first_name, first), (second_name, second) = generator.sample(single, 2)
        yield (
            f"{first_name}, {second_name}",
            lambda parts, first=first, second=second: apply_both(parts, first, second),
        )


def apply_both(
    parts: Parts, first: Callable[[Parts], object], second: Callable[[Parts], object]
) -> None:
    first(parts)
    try:
        second(parts)
    except IndexError:
        pass  # What it changes is gone.


def isolate(op: Operation) -> ModuleOp:
    """A module with nothing but a copy of `op` and its operands."""
    copy = op.clone()
    module = ModuleOp([copy])
    copy.operands = insert_values(op.operand_types, copy)
    return module


def make_seeds() -> Iterator[tuple[str, ModuleOp, int]]:
    """A name, a valid program, and the position in it of the op that is to be changed."""
    forms: dict[str, list[tuple[Attribute, ...]]] = {}
    for path in sorted(EXAMPLES.glob("*.mlir")):
        for op in parse_unverified(path.read_text()).walk():
            is_plain = not op.regions and not op.has_trait(IsTerminator)
            if is_plain and isinstance(op.parent_op(), symbols.EntryOp | symbols.TestingFuncOp):
                types = (*op.operand_types, *op.result_types)
                known = forms.setdefault(op.name, [])
                if len(known) < FORMS and all(len(types) != len(other) for other in known):
                    known.append(types)
                    yield op.name, (module := isolate(op)), len(list(module.walk())) - 1
    seen: set[str] = set()
    for program in PROGRAMS:
        module = parse_unverified(program)
        for position, op in enumerate(module.walk()):
            parent = op.parent_op()
            name = op.name if parent is None else f"{op.name} in {parent.name}"
            if name.startswith("cuda_tile.") and name not in seen:
                seen.add(name)
                yield name, module, position


SEEDS = tuple(make_seeds())


def is_renamed(module: ModuleOp) -> bool:
    """Whether the text of the program means other ops: `token.join` of two or more."""
    return any(isinstance(op, TokenJoinOp) and len(op.tokens) > 1 for op in module.walk())


def find_fault(seed: ModuleOp, position: int, change: Callable[[Parts], object]) -> str | None:
    """What goes wrong with a changed copy of `seed`, if anything does."""
    module = seed.clone()
    rebuild(list(module.walk())[position], change)
    try:
        module.verify()
    except VerifyException:
        return None
    except Exception as error:
        return f"verify: {type(error).__name__}: {error}"
    for generic in (False, True):
        try:
            text = print_module(module, generic=generic)
        except Exception as error:
            return f"print: {type(error).__name__}: {error}"
        try:
            reparsed = parse_unverified(text)
        except Exception as error:
            return f"parse: {error} of {text}"
        if not (module.is_structurally_equivalent(reparsed) or is_renamed(module)):
            return f"reparsed as {print_module(reparsed, generic=True)} from {text}"
    return None


def raise_without_note(self: Diagnostic, ir: IRNode, underlying_error: Exception) -> NoReturn:
    """What `Diagnostic.raise_exception` does but for the note, which takes half of the time."""
    raise underlying_error


def test_every_op_is_tested():
    tested = {type(list(module.walk())[position]) for _, module, position in SEEDS}
    # Whatever is created as `fpowf` is a `pow`.
    assert tested == set(CudaTile.operations) - {FPowFOp}


@pytest.mark.every(5)
@pytest.mark.parametrize("part", every(PARTS, range(PARTS)))
@pytest.mark.parametrize(("name", "seed", "position"), SEEDS, ids=[name for name, *_ in SEEDS])
def test_verifier_never_crashes(name: str, seed: ModuleOp, position: int, part: int):
    seed.verify()
    op = list(seed.walk())[position]
    faults: dict[str, str] = {}
    for number, (what, change) in islice(enumerate(changes(op, name)), part, None, PARTS):
        with pytest.MonkeyPatch.context() as patch:
            if number % CHANGES_PER_NOTE:
                patch.setattr(Diagnostic, "raise_exception", raise_without_note)
            fault = find_fault(seed, position, change)
        if fault is not None:
            faults[what] = fault
    assert not faults
