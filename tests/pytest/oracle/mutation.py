"""Valid modules made invalid, mostly, by random changes to the IR."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    CallSiteLoc,
    DenseArrayBase,
    FileLineColLoc,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    UnknownLoc,
    f16,
    f32,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import OptionalDef, OptPropertyDef, VariadicDef
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

import tileiras_xdsl.dialects.cuda_tile as ct
from tileiras_xdsl import load
from tileiras_xdsl.dialects.cuda_tile import TileType
from tileiras_xdsl.dialects.cuda_tile.attributes import (
    BoundedAttr,
    DivByAttr,
    OptimizationHintsAttr,
    SameElementsAttr,
)
from tileiras_xdsl.dialects.cuda_tile.debug_info import DILocAttr
from tileiras_xdsl.dialects.cuda_tile.directives import array_values
from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr
from tileiras_xdsl.dialects.cuda_tile.enums import CodedEnumAttr
from tileiras_xdsl.frontend.bytecode import LATEST, read
from tileiras_xdsl.frontend.bytecode.encodings import by_class
from tileiras_xdsl.frontend.bytecode.fields import ResultTypes

T = TypeVar("T")

CORPUS = Path(__file__).parents[2] / "corpus"

TYPES_TEXT = """
  tile<i1>, tile<i8>, tile<i32>, tile<i64>, tile<f16>, tile<f32>, tile<f64>, tile<tf32>,
  tile<f8E4M3FN>, tile<f8E8M0FNU>, tile<fnv8E5M3FNU>, tile<2xf4E2M1FN>, tile<ptr<f32>>,
  tile<ptr<i32>>, tile<4xptr<f32>>, token, tile<4xi1>, tile<4xi4>, tile<16xi8>, tile<4xi32>,
  tile<8xi32>, tile<4xf32>, tile<4xf16>, tile<1x1xf32>, tile<2x4xf32>, tile<8x8xf32>,
  tile<2x2x4xf32>, tensor_view<8x8xf32, strides=[8,1]>, tensor_view<?xf32, strides=[1]>,
  partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>,
  strided_view<tile=(8x8), traversal_strides=[4,8], tensor_view<8x8xf32, strides=[8,1]>>,
  gather_scatter_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>, sparse_dim=1>
"""
TERMINATORS = (ct.YieldOp, ct.BreakOp, ct.ContinueOp, ct.ReturnOp)
INTEGERS = (-(1 << 63), -1, 0, 1, 2, 3, 4, 5, 8, 9, 16, 127, 1 << 20, (1 << 63) - 1)
NAMED_VALUES = {"memory_ordering_semantics": 5, "memory_scope": 3, "mode": 10}
"""Integers with names, and how many of them bytecode has."""
PLAIN_LOCATIONS = (UnknownLoc, FileLineColLoc)
"""Locations that bytecode does not keep."""
STRINGS = ("", "k", "g", "%d", "%", "%%", "%d %f", "text")


@cache
def common_types() -> tuple[Attribute, ...]:
    """Types of all kinds."""
    names = (f"%{index}: {text}" for index, text in enumerate(split_types(TYPES_TEXT)))
    module = load(f"cuda_tile.module @m {{ testing$func @f({', '.join(names)}) {{ return }} }}")
    (function,) = (op for op in module.walk() if isinstance(op, ct.TestingFuncOp))
    return tuple(argument.type for argument in function.regions[0].block.args)


def split_types(text: str) -> list[str]:
    """Splits at the commas that are in no brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "<[(") - (character in ">])")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


@cache
def valid_modules() -> tuple[ModuleOp, ...]:
    """The functions of the corpus of ops one by one, and small kernels."""
    modules: list[ModuleOp] = []
    for path in sorted((CORPUS / "ops").glob("*.mlir")):
        modules.extend(_functions(load(path)))
    for path in sorted(CORPUS.glob("bytecode*/13.4/*.tileirbc")):
        data = path.read_bytes()
        if len(data) < 900:
            modules.append(read(data))
    return tuple(modules)


def _functions(module: ModuleOp) -> Iterator[ModuleOp]:
    """Each function in a module of its own, with the globals if it uses any."""
    for inner in module.body.block.ops:
        assert isinstance(inner, ct.ModuleOp)
        members = tuple(inner.body.block.ops)
        globals_ = [op for op in members if isinstance(op, ct.GlobalOp)]
        for op in members:
            if isinstance(op, ct.EntryOp):
                uses = any(isinstance(user, ct.GetGlobalOp) for user in op.walk())
                ops = [member.clone() for member in (*(globals_ if uses else ()), op)]
                yield ModuleOp([ct.ModuleOp("m", ops)])


class CannotMutate(Exception):
    """A module has nothing that a mutation could change."""


class Mutator:
    """Changes modules at random; every method says what it did."""

    def __init__(self, rng: random.Random):
        self.rng = rng

    def mutate(self, module: ModuleOp) -> str:
        """Changes a module in one to three ways."""
        done: list[str] = []
        count = self.rng.choice((1, 1, 1, 2, 3))
        for _ in range(50):
            try:
                done.append(self.rng.choice(MUTATIONS)(self, module))
            except (CannotMutate, VerifyException):
                continue
            if len(done) == count:
                break
        return "; ".join(done)

    def choose(self, items: Sequence[T]) -> T:
        if not items:
            raise CannotMutate
        return self.rng.choice(items)

    # What there is

    def ops(self, module: ModuleOp, *, body: bool = True) -> list[Operation]:
        """The ops in functions, and with `body` unset all but modules."""
        outer = (ct.EntryOp, ct.GlobalOp) if body else ()
        return [op for op in module.walk() if not isinstance(op, (ModuleOp, ct.ModuleOp, *outer))]

    def visible(self, op: Operation) -> list[SSAValue]:
        """The values that an op may use."""
        values: list[SSAValue] = []
        at: Operation | None = op
        while at is not None and (block := at.parent) is not None:
            before = at.prev_op
            while before is not None:
                values.extend(before.results)
                before = before.prev_op
            values.extend(block.args)
            at = block.parent_op()
        return values

    def type(self, old: Attribute, near: Sequence[SSAValue] = ()) -> Attribute:
        """Another type, often much like the old one."""
        rng = self.rng
        if isinstance(old, TileType) and rng.random() < 0.5:
            shape = old.get_shape()
            return rng.choice(
                (
                    lambda: old.with_shape(()),
                    lambda: old.with_shape((4,)),
                    lambda: old.with_shape((*shape, 2)),
                    lambda: old.with_shape(shape[1:]),
                    lambda: old.with_shape([2 * dim for dim in shape]),
                    lambda: old.with_shape(shape[::-1]),
                    lambda: old.with_element(rng.choice((i1, i8, i32, i64, f16, f32))),
                )
            )()
        return rng.choice((*common_types(), *(value.type for value in near)))

    # Types

    def change_result_type(self, module: ModuleOp) -> str:
        result = self.choose([result for op in self.ops(module) for result in op.results])
        return self.retype(result, self.type(result.type, self.visible(result.op)))

    def change_argument_type(self, module: ModuleOp) -> str:
        blocks = [
            block
            for op in module.walk()
            if not isinstance(op, ModuleOp | ct.ModuleOp)
            for region in op.regions
            for block in region.blocks
        ]
        argument = self.choose([argument for block in blocks for argument in block.args])
        text = self.retype(argument, self.type(argument.type))
        self.repair_signature(argument)
        return text

    def retype(self, value: SSAValue, ty: Attribute) -> str:
        text = f"{self.owner_name(value)}: {value.type} becomes {ty}"
        value._type = ty  # pyright: ignore[reportPrivateUsage]
        return text

    @staticmethod
    def owner_name(value: SSAValue) -> str:
        owner = value.owner
        return owner.name if isinstance(owner, Operation) else "argument"

    @staticmethod
    def repair_signature(argument: BlockArgument) -> None:
        entry = argument.block.parent_op()
        if isinstance(entry, ct.EntryOp):
            types = [argument.type for argument in argument.block.args]
            entry.properties["function_type"] = FunctionType.from_lists(types, [])

    # Operands

    def change_operand(self, module: ModuleOp) -> str:
        op = self.choose([op for op in self.ops(module) if op.operands])
        index = self.rng.randrange(len(op.operands))
        new = self.choose(self.visible(op))
        op.operands[index] = new
        return f"{op.name}: operand {index} is {new.type}"

    def change_operand_count(self, module: ModuleOp) -> str:
        """One operand more or less, as far as bytecode can say it."""
        op = self.choose(self.ops(module))
        assert isinstance(op, ct.CudaTileOperation)
        groups = [definition for _, definition in op.get_irdl_definition().operands]
        if not any(isinstance(group, VariadicDef) for group in groups):
            raise CannotMutate
        operands = list(op.operands)
        sizes = op.properties.get("operandSegmentSizes")
        if isinstance(sizes, DenseArrayBase):
            counts = list(array_values(sizes))
            variable = [i for i, group in enumerate(groups) if isinstance(group, VariadicDef)]
            chosen = self.choose(variable)
            grows = self.rng.random() < 0.5
            if isinstance(groups[chosen], OptionalDef) or not counts[chosen]:
                grows = not counts[chosen]
            index = sum(counts[:chosen])
            counts[chosen] += 1 if grows else -1
            op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, counts)
        else:
            grows = self.rng.random() < 0.5 or not operands
            index = self.rng.randrange(len(operands) + grows)
        if grows:
            operands.insert(index, self.choose(self.visible(op)))
        else:
            del operands[index]
        op.operands = operands
        return f"{op.name}: {len(operands)} operands"

    # Attributes

    def change_property(self, module: ModuleOp) -> str:
        ops = self.ops(module, body=False)
        choices = [
            (op, name) for op in ops for name in op.properties if name != "operandSegmentSizes"
        ]
        op, name = self.choose(choices)
        if name in NAMED_VALUES:
            new = IntegerAttr(self.rng.randrange(NAMED_VALUES[name]), i32)
        else:
            new = self.attribute(op.properties[name], op)
        if new is None:
            raise CannotMutate
        op.properties[name] = new
        return f"{op.name}: {name} is {new}"

    def attribute(self, old: Attribute, op: Operation) -> Attribute | None:
        """Another attribute of the same kind."""
        rng = self.rng
        match old:
            case CodedEnumAttr():
                return type(old)(rng.choice(tuple(old.enum_type)))
            case IntegerAttr(type=IntegerType() as type_):
                if type_ == i1:
                    return BoolAttr.from_bool(rng.random() < 0.5)
                width = type_.width.data
                value = rng.choice((*INTEGERS, *range(10)))
                return IntegerAttr(value & (1 << width - 1) - 1 if value > 0 else value % 4, type_)
            case FloatAttr():
                return FloatAttr(1.0, rng.choice((f16, f32)))
            case StringAttr():
                return StringAttr(rng.choice(STRINGS))
            case SymbolRefAttr():
                return SymbolRefAttr(rng.choice(("g", "zz", "k")))
            case DivByAttr() | SameElementsAttr() | BoundedAttr():
                return self.predicate()
            case ArrayAttr():
                return self.array(list(old.data))
            case DenseArrayBase():
                return self.dense_array(old)
            case DenseElementsAttr() if isinstance(op, ct.GlobalOp):
                return DenseElementsAttr.from_bits(
                    TileType(i32, rng.choice(((), (2,), (2, 2), (1,)))), [0]
                )
            case OptimizationHintsAttr():
                return OptimizationHintsAttr.from_dict(
                    {rng.choice(("sm_90", "x", "default")): {"latency": rng.choice(INTEGERS)}}
                )
            case _:
                return None

    def predicate(self) -> Attribute:
        rng = self.rng
        some = (None, *INTEGERS)
        match rng.randrange(3):
            case 0:
                divisor = rng.choice((0, 1, 2, 3, 16, 1 << 62, 1 << 63, (1 << 64) - 1))
                return DivByAttr((divisor, rng.choice(some), rng.choice(some)))
            case 1:
                return SameElementsAttr(tuple(rng.choices(INTEGERS, k=rng.randrange(3))))
            case _:
                return BoundedAttr((rng.choice(some), rng.choice(some)))

    def array(self, items: list[Attribute]) -> Attribute:
        rng = self.rng
        scalars = (IntegerAttr(1, i32), IntegerAttr(1, i64), FloatAttr(0.0, f32))
        match rng.randrange(3):
            case 0:
                return ArrayAttr(items[1:])
            case 1:
                return ArrayAttr([*items, rng.choice(scalars)])
            case _:
                return ArrayAttr([rng.choice(scalars) for _ in items])

    def dense_array(self, old: DenseArrayBase) -> Attribute:
        rng = self.rng
        values = list(array_values(old))
        if old.elt_type == i1:
            values = [rng.randrange(2) for _ in range(rng.randrange(4))]
        else:
            length = max(0, len(values) + rng.choice((-1, 0, 0, 1)))
            values = rng.choices((-1, 0, 1, 2, 3), k=length)
        return DenseArrayBase.from_list(old.elt_type, values)

    def toggle_property(self, module: ModuleOp) -> str:
        """An optional attribute that was absent, or the other way round."""
        choices: list[tuple[Operation, str]] = []
        for op in self.ops(module, body=False):
            assert isinstance(op, ct.CudaTileOperation)
            for name, definition in op.get_irdl_definition().properties.items():
                if isinstance(definition, OptPropertyDef):
                    choices.append((op, name))
        op, name = self.choose(choices)
        if name in op.properties:
            del op.properties[name]
            return f"{op.name}: no {name}"
        if name == "memory_scope":
            op.properties[name] = IntegerAttr(self.rng.randrange(3), i32)
        elif name == "inbounds":
            values = [self.rng.randrange(2) for _ in range(self.rng.randrange(4))]
            op.properties[name] = DenseArrayBase.from_list(i1, values)
        elif name in ("optimization_hints", "arg_attrs", "res_attrs", "addr_space", "align"):
            raise CannotMutate
        else:
            op.properties[name] = UnitAttr()
        return f"{op.name}: {name}"

    # Structure

    def change_terminator(self, module: ModuleOp) -> str:
        old = self.choose([op for op in self.ops(module) if op.has_trait(IsTerminator)])
        values = self.visible(old)
        kind = self.rng.choice(TERMINATORS)
        if self.rng.random() < 0.5:
            operands: list[SSAValue] = list(old.operands)
        else:
            operands = [self.choose(values) for _ in range(self.rng.randrange(3)) if values]
        block = old.parent
        assert block is not None
        old.detach()
        old.erase()
        block.add_op(kind.create(operands=operands))
        return f"{old.name} becomes {kind.name} of {len(operands)}"

    def delete_op(self, module: ModuleOp) -> str:
        unused = [op for op in self.ops(module) if not any(result.uses for result in op.results)]
        op = self.choose(unused)
        op.detach()
        op.erase()
        return f"no {op.name}"

    def move_op(self, module: ModuleOp) -> str:
        """An op without uses, or a copy of one, somewhere else."""
        op = self.choose(self.ops(module))
        place = self.choose(self.ops(module))
        if place is op or op.is_ancestor(place):
            raise CannotMutate
        allowed = set(self.visible(place))
        inner = {value for inside in op.walk() for value in inside.results}
        inner |= {arg for inside in op.walk() for region in inside.regions
                  for block in region.blocks for arg in block.args}  # fmt: skip
        if any(v not in allowed and v not in inner for x in op.walk() for v in x.operands):
            raise CannotMutate
        block = place.parent
        assert block is not None
        block.insert_op_before(op.clone(), place)
        return f"{op.name} before {place.name}"

    def change_results(self, module: ModuleOp) -> str:
        """One result more or less."""
        op = self.choose([op for op in self.ops(module) if _has_counted_results(op)])
        types = list(op.result_types)
        if self.rng.random() < 0.5 and types and not op.results[-1].uses:
            types.pop()
        else:
            types.append(self.type(TileType(f32)))
        new = type(op).create(
            operands=list(op.operands),
            result_types=types,
            properties=dict(op.properties),
            regions=[region.clone() for region in op.regions],
        )
        block = op.parent
        assert block is not None
        block.insert_op_before(new, op)
        for old, value in zip(op.results, new.results, strict=False):
            old.replace_all_uses_with(value)
        op.detach()
        op.erase()
        return f"{op.name}: {len(types)} results"

    def change_arguments(self, module: ModuleOp) -> str:
        """One block argument more or less."""
        regions = [
            region
            for op in module.walk()
            if not isinstance(op, ModuleOp | ct.ModuleOp)
            for region in op.regions
            if region.blocks
        ]
        block = self.choose(regions).blocks[0]
        unused = [argument for argument in block.args if not argument.uses]
        if unused and self.rng.random() < 0.5:
            argument = self.choose(unused)
            block.erase_arg(argument)
            text = "an argument less"
        else:
            position = self.rng.randrange(len(block.args) + 1)
            argument = block.insert_arg(self.type(TileType(f32)), position)
            text = "an argument more"
        entry = block.parent_op()
        if isinstance(entry, ct.EntryOp):
            types = [argument.type for argument in block.args]
            entry.properties["function_type"] = FunctionType.from_lists(types, [])
        assert entry is not None
        return f"{entry.name}: {text}"

    def change_region(self, module: ModuleOp) -> str:
        """A region without block, or with a second one."""
        ops = [op for op in self.ops(module) if op.regions]
        region = self.choose([region for op in ops for region in op.regions])
        op = region.parent
        assert op is not None
        if region.blocks and self.rng.random() < 0.5:
            for block in tuple(region.blocks):
                region.detach_block(block)
                block.erase(safe_erase=False)
            return f"{op.name}: empty region"
        if region.blocks:
            region.add_block(_clone_block(region))
            return f"{op.name}: another block"
        region.add_block(Block([self.rng.choice(TERMINATORS).create()]))
        return f"{op.name}: a block"

    def change_location(self, module: ModuleOp) -> str:
        """The location of another op, of the function, or of another function."""
        ops = [op for op in module.walk() if not isinstance(op, ModuleOp | ct.ModuleOp)]
        places = {op.location for op in ops if not isinstance(op.location, PLAIN_LOCATIONS)}
        if not places:
            raise CannotMutate
        op = self.choose([op for op in ops if not isinstance(op, ct.GlobalOp)])
        place = self.choose(sorted(places, key=str))
        match self.rng.randrange(4):
            case 0:
                place = CallSiteLoc(place, self.choose(sorted(places, key=str)))
            case 1 if isinstance(place, DILocAttr):
                scope = place.scope.get_subprogram().with_linkage_name("other")
                place = DILocAttr(place.source, scope)
            case 2:
                place = UnknownLoc()
            case _:
                pass
        op.location = place
        return f"{op.name} at {place}"

    def duplicate_member(self, module: ModuleOp) -> str:
        """A function or global twice."""
        (inner,) = module.body.block.ops
        block = inner.regions[0].block
        op = self.choose(tuple(block.ops))
        block.add_op(op.clone())
        return f"{op.name} twice"


def _has_counted_results(op: Operation) -> bool:
    """Whether the record of an op tells how many results there are."""
    first = by_class(LATEST)[type(op)].fields[0]
    return isinstance(first, ResultTypes) and first.count is None


def _clone_block(region: Region) -> Block:
    copy = region.clone()
    block = copy.blocks[0]
    copy.detach_block(block)
    return block


MUTATIONS: tuple[Callable[[Mutator, ModuleOp], str], ...] = (
    *(Mutator.change_result_type,) * 3,
    Mutator.change_argument_type,
    *(Mutator.change_operand,) * 2,
    Mutator.change_operand_count,
    *(Mutator.change_property,) * 4,
    Mutator.toggle_property,
    *(Mutator.change_terminator,) * 2,
    Mutator.delete_op,
    Mutator.move_op,
    Mutator.change_results,
    Mutator.change_arguments,
    Mutator.change_region,
    Mutator.change_location,
    Mutator.duplicate_member,
)
