"""
`canonicalize-tileaa` on many programs: it reaches a fixpoint, keeps locations, computes what
the dots would have computed, the same tiles and addresses, and the same order of accesses.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    Float8E4M3FNType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
    bf16,
    f16,
    f32,
    f64,
    i8,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.transforms.canonicalize import CanonicalizePass

from tileiras_xdsl.dialects.arith import ExtSIOp, SelectOp
from tileiras_xdsl.dialects.cuda_tile.elements import bits_to_float, float_to_bits
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.dialects.nv_tileaa.elementwise import AddIOp, NegIOp
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileaa.memory import (
    AddPtrOp,
    CreateMemTokenOp,
    JoinMemTokenOp,
    StoreOp,
    is_token,
)
from tileiras_xdsl.dialects.nv_tileaa.shape import (
    BroadcastOp,
    ExpandDimsOp,
    ExtractOp,
    PermuteOp,
    SplatOp,
    ViewOp,
)
from tileiras_xdsl.frontend.load import make_context
from tileiras_xdsl.transforms.tileaa.canonicalize_tileaa import CanonicalizeTileaaPass
from tileiras_xdsl.universe import TILEIRAS_UNIVERSE

from ..harness.modules import context, parse_unverified, print_module
from ..harness.passes import apply

FILECHECK = Path(__file__).parents[2] / "filecheck" / "transforms"
INPUTS = sorted(path.name for path in FILECHECK.glob("canonicalize_tileaa*.mlir"))


def run(module: ModuleOp, module_pass: ModulePass | None = None) -> ModuleOp:
    """Canonicalizes a module in place, and checks it."""
    return apply(module, module_pass or CanonicalizeTileaaPass())


def read_file(name: str) -> ModuleOp:
    ctx = make_context()
    ctx.allow_unregistered = True
    return parse_unverified((FILECHECK / name).read_text(), name, ctx=ctx)


def use(*values: SSAValue | Operation) -> Operation:
    return test.TestOp([SSAValue.get(value) for value in values])


def values_of(*types: Attribute) -> tuple[Operation, Sequence[SSAValue]]:
    op = test.TestOp(result_types=types)
    return op, op.results


def test_the_pass_has_its_name():
    assert TILEIRAS_UNIVERSE.all_passes["canonicalize-tileaa"]() is CanonicalizeTileaaPass


def test_there_are_inputs():
    assert len(INPUTS) >= 10


@pytest.mark.every(7)
@pytest.mark.parametrize("pass_class", [CanonicalizeTileaaPass, CanonicalizePass])
@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.requirement("D-04")
def test_a_second_run_changes_nothing(name: str, pass_class: type[ModulePass]):
    module = run(read_file(name), pass_class())
    text = print_module(module)
    assert print_module(run(module, pass_class())) == text


@pytest.mark.parametrize("name", INPUTS)
def test_ops_are_at_locations_of_the_input(name: str):
    module = read_file(name)
    locations: set[Attribute] = set()
    for number, op in enumerate(module.walk()):
        op.location = FileLineColLoc(StringAttr("in"), IntAttr(number), IntAttr(1))
        locations.add(op.location)
    assert {op.location for op in run(module).walk()} <= locations


# Dots


def constant(element: Attribute, shape: Sequence[int], values: Sequence[float]) -> Operation:
    literal = DenseIntOrFPElementsAttr.from_list(TensorType(element, shape), values)  # pyright: ignore
    return arith.ConstantOp(literal)  # pyright: ignore[reportUnknownArgumentType]


def fold_dot(
    a: Operation, b: Operation, c: Operation, properties: dict[str, Attribute | None]
) -> tuple[float, ...]:
    """The elements of a dot of constants."""
    dot = DotOp(a, b, c, properties)
    last = use(dot)
    module = run(ModuleOp([a, b, c, dot, last]))
    assert [op.name for op in module.ops] == ["arith.constant", "test.op"]
    result = last.operands[0].owner
    assert isinstance(result, arith.ConstantOp)
    assert result.result.type == c.results[0].type
    assert isinstance(result.value, DenseIntOrFPElementsAttr)
    return result.value.get_values()  # pyright: ignore[reportReturnType]


SHAPES = [(1, 1, 1), (2, 4, 8), (8, 2, 1), (4, 4, 4)]
BATCHES: list[tuple[int, ...]] = [(), (3,)]


def random_integer(random: Random, width: int) -> int:
    half = 1 << (width - 1)
    return random.choice((-half, half - 1, -1, 0, random.randrange(-half, half)))


@pytest.mark.every(5)
@pytest.mark.parametrize("signs", [*product(("signed", "unsigned", None), repeat=2)])
@pytest.mark.parametrize("widths", [(8, 32), (16, 32), (32, 32), (32, 64), (8, 16), (64, 64)])
@pytest.mark.requirement("D-10")
def test_integer_dots_fold_to_widened_sums(
    widths: tuple[int, int], signs: tuple[str | None, str | None]
):
    random = Random(f"{widths} {signs}")
    width, total_width = widths
    names = ("signedness_lhs", "signedness_rhs")
    properties: dict[str, Attribute | None] = {
        name: StringAttr(sign) for name, sign in zip(names, signs, strict=True) if sign
    }

    def widen(value: int, sign: str | None) -> int:
        return value % (1 << width) if sign == "unsigned" else value

    for batch, (m, n, k) in product(BATCHES, SHAPES):
        count = batch[0] if batch else 1
        a = [random_integer(random, width) for _ in range(count * m * k)]
        b = [random_integer(random, width) for _ in range(count * k * n)]
        c = [random_integer(random, total_width) for _ in range(count * m * n)]
        expected: list[int] = []
        for (group, row, column), start in zip(
            product(range(count), range(m), range(n)), c, strict=True
        ):
            for step in range(k):
                left = widen(a[(group * m + row) * k + step], signs[0])
                right = widen(b[(group * k + step) * n + column], signs[1])
                start += left * right
            half = 1 << (total_width - 1)
            expected.append((start + half) % (2 * half) - half)
        element, total = IntegerType(width), IntegerType(total_width)
        if not any(a) or not any(b):
            continue
        result = fold_dot(
            constant(element, (*batch, m, k), a),
            constant(element, (*batch, k, n), b),
            constant(total, (*batch, m, n), c),
            properties,
        )
        assert list(result) == expected


def round_to(value: float, element: Attribute) -> float:
    return bits_to_float(float_to_bits(value, element), element)


@pytest.mark.parametrize(
    ("element", "total"),
    [(f16, f32), (f16, f16), (bf16, f32), (f32, f32), (f64, f64), (Float8E4M3FNType(), f16)],
    ids=str,
)
@pytest.mark.requirement("D-11")
def test_float_dots_fold_in_the_type_of_the_accumulator(element: Attribute, total: Attribute):
    """Python computes in f64, to which rounding products and sums of the others adds no error."""
    random = Random(str((element, total)))
    for batch, (m, n, k) in product(BATCHES, SHAPES):
        count = batch[0] if batch else 1

        def draw(number: int, ty: Attribute) -> list[float]:
            scales = (1.0, 1e-2, 100.0)
            return [
                round_to(random.uniform(-2, 2) * random.choice(scales), ty) for _ in range(number)
            ]

        a, b, c = (
            draw(count * m * k, element),
            draw(count * k * n, element),
            draw(count * m * n, total),
        )
        expected: list[float] = []
        for (group, row, column), start in zip(
            product(range(count), range(m), range(n)), c, strict=True
        ):
            for step in range(k):
                left, right = a[(group * m + row) * k + step], b[(group * k + step) * n + column]
                start = round_to(start + round_to(left * right, total), total)
            expected.append(start)
        result = fold_dot(
            constant(element, (*batch, m, k), a),
            constant(element, (*batch, k, n), b),
            constant(total, (*batch, m, n), c),
            {},
        )
        assert [float_to_bits(value, total) for value in result] == [
            float_to_bits(value, total) for value in expected
        ]


@pytest.mark.parametrize("value", [0.0, 1.0])
@pytest.mark.parametrize(
    ("elements", "shapes"),
    [
        ((bf16, bf16, bf16), ((2, 2), (2, 2), (2, 2))),
        ((f32, f32, f16), ((2, 2), (2, 2), (2, 2))),
        ((f32, f32, f32), ((2, 4), (2, 2), (2, 2))),
        ((f32, f32, f32), ((2, 2), (2, 2), (4, 2))),
        ((f32, f32, f32), ((1, 2, 2), (2, 2, 2), (1, 2, 2))),
    ],
)
@pytest.mark.requirement("D-12")
def test_invalid_dots_stay(
    elements: Sequence[Attribute], shapes: Sequence[Sequence[int]], value: float
):
    a, b, c = (
        constant(element, shape, [value]) for element, shape in zip(elements, shapes, strict=True)
    )
    dot = DotOp(a, b, c)
    module = ModuleOp([a, b, c, dot, use(dot)])
    CanonicalizeTileaaPass().apply(context(), module)
    assert dot in module.ops


# Pointers

POINTER = LLVMPointerType(IntAttr(1))


def evaluate(value: SSAValue, inputs: dict[SSAValue, int]) -> int:
    """An integer or an address, modulo 2^64."""
    if value in inputs:
        return inputs[value]
    op = value.owner
    assert isinstance(op, Operation)
    operands = [evaluate(operand, inputs) for operand in op.operands]
    match op:
        case arith.ConstantOp(value=IntegerAttr(value=number)):
            return number.data
        case arith.AddiOp():
            result = sum(operands)
        case arith.MuliOp():
            result = operands[0] * operands[1]
        case ExtSIOp():
            return operands[0]
        case _:
            assert isinstance(op, AddPtrOp)
            sizes: dict[Attribute, int] = {i8: 1, f16: 2, i32: 4, f32: 4, f64: 8, POINTER: 8}
            return (operands[0] + operands[1] * sizes[op.elem_type]) % 2**64
    ty = op.results[0].type
    assert isinstance(ty, IntegerType)
    half = 1 << (ty.width.data - 1)
    return (result + half) % (2 * half) - half


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.requirement("D-16", "D-19")
def test_fused_chains_give_the_same_addresses(seed: int):
    random = Random(seed)
    source, (pointer, *offsets) = values_of(
        POINTER, *(random.choice((i8, i32, i64)) for _ in range(random.randint(2, 6)))
    )
    inputs = {pointer: random.randrange(2**64)}
    ops: list[Operation] = [source]
    value = pointer
    for offset in offsets:
        assert isinstance(offset.type, IntegerType)
        inputs[offset] = random_integer(random, offset.type.width.data)
        step = AddPtrOp(value, offset, random.choice((i8, f16, i32, f32, f64, POINTER)))
        ops.append(step)
        value = step.result
    last = use(value)
    expected = evaluate(last.operands[0], inputs)
    module = run(ModuleOp([*ops, last]))
    assert evaluate(last.operands[0], inputs) == expected
    assert sum(isinstance(op, AddPtrOp) for op in module.ops) == 1


@pytest.mark.requirement("D-17")
def test_addptr_does_not_fuse_across_address_spaces():
    """The verifier would not have it, but nothing depends on that."""
    source, (pointer, offset) = values_of(POINTER, i64)
    other = LLVMPointerType(IntAttr(3))
    first = AddPtrOp.create(
        operands=[pointer, offset], result_types=[other], properties={"elem_type": f32}
    )
    second = AddPtrOp(first, offset, f32)
    module = ModuleOp([source, first, second, use(second)])
    CanonicalizeTileaaPass().apply(context(), module)
    assert list(module.ops)[1:3] == [first, second]


# Lanes


def test_lanes_of_shared_values_are_computed_once():
    """Forty levels of a tensor used twice, which would be 2^40 paths."""
    tile = TensorType(i32, [8])
    source, (value, index) = values_of(tile, i32)
    ops: list[Operation] = [source]
    for _ in range(40):
        negative = NegIOp(value)
        total = AddIOp(value, negative)
        ops += [negative, total]
        value = total.result
    extract = ExtractOp(value, [index], i32)
    module = run(ModuleOp([*ops, extract, use(extract)]))
    assert len(list(module.ops)) == 1 + 1 + 80 + 1


def test_deep_chains_need_no_deep_stack():
    source, (value, index) = values_of(TensorType(i32, [8]), i32)
    ops: list[Operation] = [source]
    for _ in range(1500):
        ops.append(NegIOp(value))
        value = ops[-1].results[0]
    extract = ExtractOp(value, [index], i32)
    module = run(ModuleOp([*ops, extract, use(extract)]))
    assert len(list(module.ops)) == 1 + 1 + 1500 + 1


def compute(value: SSAValue, inputs: dict[SSAValue, Any]) -> Any:
    """A scalar or a tensor of i32 or i1, as NumPy computes it; lanes select alike."""
    if value in inputs:
        return inputs[value]
    op = value.owner
    assert isinstance(op, Operation)
    operands: list[Any] = [compute(operand, inputs) for operand in op.operands]
    shape = get_shape(value.type)
    result: Any
    match op:
        case arith.ConstantOp(value=IntegerAttr(value=number)):
            result = np.int32(number.data)
        case SplatOp():
            result = np.full(shape, operands[0])
        case ViewOp() | ExpandDimsOp():
            result = np.reshape(operands[0], shape)
        case BroadcastOp():
            result = np.broadcast_to(operands[0], shape)
        case PermuteOp():
            result = np.transpose(operands[0], op.get_permutation())
        case NegIOp():
            result = -operands[0]
        case AddIOp():
            result = operands[0] + operands[1]
        case SelectOp():
            result = operands[1] if operands[0].all() else operands[2]
        case ExtractOp():
            sizes = shape or (1,) * len(operands[0].shape)
            slices = tuple(
                slice(index * size, (index + 1) * size)
                for index, size in zip(operands[1:], sizes, strict=True)
            )
            result = operands[0][slices].reshape(shape)
        case _:
            raise NotImplementedError(op.name)
    inputs[value] = result
    return result


class Shapes:
    """Random programs of shape and elementwise ops, on i32."""

    def __init__(self, seed: int):
        self.random = Random(seed)
        source, (self.condition, *self.values) = values_of(
            IntegerType(1), i32, TensorType(i32, [2, 4]), TensorType(i32, [4, 1, 2])
        )
        self.ops: list[Operation] = [source]

    def add(self, op: Operation) -> SSAValue:
        self.ops.append(op)
        return op.results[0]

    def step(self) -> None:
        """Appends an op to a random value."""
        value = self.random.choice(self.values)
        shape = get_shape(value.type)
        kinds = ["negi", "addi", "select", "expand_dims"]
        kinds += ["view", "broadcast", "permute", "lane", "slice"] if shape else ["splat"] * 3
        match self.random.choice(kinds):
            case "negi":
                op: Operation = NegIOp(value)
            case "addi":
                op = AddIOp(value, self.like(value))
            case "select":
                op = SelectOp(self.condition, value, self.like(value))
            case "expand_dims":
                op = ExpandDimsOp(value, self.random.randint(0, len(shape)))
            case "view":
                op = ViewOp(
                    value, TensorType(i32, self.random.choice((shape[::-1], [prod(shape)])))
                )
            case "broadcast":
                op = BroadcastOp(
                    value, TensorType(i32, [2 if size == 1 else size for size in shape])
                )
            case "permute":
                op = PermuteOp(value, self.random.sample(range(len(shape)), len(shape)))
            case "splat":
                op = SplatOp(value, TensorType(i32, self.random.choice(([4], [1, 2], [2, 4]))))
            case kind:
                part = [1 if kind == "lane" else self.random.choice((1, size)) for size in shape]
                indices = [
                    self.add(
                        arith.ConstantOp(IntegerAttr(self.random.randrange(size // step), i32))
                    )
                    for size, step in zip(shape, part, strict=True)
                ]
                op = ExtractOp(value, indices, i32 if kind == "lane" else TensorType(i32, part))
        self.values.append(self.add(op))

    def like(self, value: SSAValue) -> SSAValue:
        return self.random.choice([other for other in self.values if other.type == value.type])


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.requirement("D-40", "D-62")
def test_shape_folds_keep_values_and_types(seed: int):
    program = Shapes(seed)
    for _ in range(30):
        program.step()
    observer = use(*program.values[-12:])
    types = [value.type for value in observer.operands]
    inputs: dict[SSAValue, Any] = {program.condition: np.bool_(seed % 2)}
    for number, value in enumerate(program.values[:3]):
        shape = get_shape(value.type)
        inputs[value] = np.arange(prod(shape), dtype=np.int32).reshape(shape) + 100 * number
    expected = [compute(value, inputs.copy()) for value in observer.operands]
    run(ModuleOp([*program.ops, observer]))
    assert [value.type for value in observer.operands] == types
    for value, before in zip(observer.operands, expected, strict=True):
        assert np.array_equal(compute(value, inputs.copy()), before)


# Order


def get_effects_before(token: SSAValue) -> set[str]:
    """The names of the effects, and of the new tokens, that come before a token."""
    names: set[str] = set()
    seen: set[SSAValue] = set()
    pending = [token]
    while pending:
        owner = pending.pop().owner
        assert isinstance(owner, Operation)
        if isinstance(name := owner.attributes.get("effect"), StringAttr):
            names.add(name.data)
        for operand in owner.operands:
            if is_token(operand.type) and operand not in seen:
                seen.add(operand)
                pending.append(operand)
    return names


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.requirement("D-61", "E-10")
def test_the_order_of_effects_is_kept(seed: int):
    """Each observer still comes after the effects it came after, but for those that are gone."""
    random = Random(seed)
    source, (pointer, number) = values_of(POINTER, f32)
    masks = [arith.ConstantOp(IntegerAttr(bit, IntegerType(1))) for bit in (0, 1)]
    ops: list[Operation] = [source, *masks]
    tokens: list[SSAValue] = []
    gone: set[str] = set()
    for step in range(30):
        name = StringAttr(str(step))
        kind = random.choice(("create", "store", "store", "join", "join"))
        if kind == "create":
            op: Operation = CreateMemTokenOp()
            op.attributes["effect"] = name
        elif kind == "store":
            mask = random.choice((None, *masks))
            before = random.choice(tokens) if tokens and random.random() < 0.8 else None
            op = StoreOp(pointer, number, mask, before)
            op.attributes["effect"] = name
            if mask is masks[0]:
                gone.add(name.data)
        else:
            op = JoinMemTokenOp(*random.choices(tokens, k=random.randint(0, 4) if tokens else 0))
        ops.append(op)
        tokens.append(op.results[0])
    observer = use(*tokens)
    expected = [get_effects_before(token) - gone for token in observer.operands]
    module = run(ModuleOp([*ops, observer]))
    assert [get_effects_before(token) for token in observer.operands] == expected
    joins = [op for op in module.ops if isinstance(op, JoinMemTokenOp)]
    assert all(len(set(join.tokens)) == len(join.tokens) >= 2 for join in joins)
    assert not any(
        isinstance(token.owner, JoinMemTokenOp) for join in joins for token in join.tokens
    )
