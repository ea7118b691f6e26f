"""
Axis info is sound: random programs are run by the interpreter, and each value is compared with its
axis info. Elements of few bits overflow often, and small shapes have all kinds of runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.dialects.gpu import ReturnOp
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tileiras_xdsl.analysis import axis_info as rules
from tileiras_xdsl.analysis.axis_info import ANY_DIVISOR, AxisInfo, Sizes
from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis, analyze
from tileiras_xdsl.dialects import arith as tensor_arith
from tileiras_xdsl.dialects.nv_tileaa import elementwise, memory, shape
from tileiras_xdsl.dialects.nv_tileaa.attributes import (
    BoundedAttr,
    DivByAttr,
    SameElementsAttr,
    get_element,
    get_shape,
    is_pointer,
    with_element,
)
from tileiras_xdsl.interpreter import run as _interpreter
from tileiras_xdsl.interpreter.cta_state import CtaState
from tileiras_xdsl.interpreter.machine import Body, BoundProgram, CallFrame, Signal, Step
from tileiras_xdsl.interpreter.memory import Memory

from ..harness.cases import every

assert _interpreter, "it registers what ops do"

SHAPES: tuple[Sizes, ...] = ((), (), (8,), (16,), (4, 8), (2, 4, 4))
INTEGERS = (i8, i8, i16, i32, i64)
POINTER = LLVMPointerType(IntAttr(1))


# Checking


def runs_along(array: np.ndarray[Any, Any], dim: int, run: int) -> np.ndarray[Any, Any]:
    """The runs of an array along a dimension, one in each row."""
    moved = np.moveaxis(array, dim, -1)
    return moved.reshape(-1, run)


def divides(divisor: int, numbers: list[int]) -> bool:
    if divisor == ANY_DIVISOR:
        return not any(numbers)
    return all(number % divisor == 0 for number in numbers)


def violation(info: AxisInfo, value: Any, *, is_address: bool = False) -> str | None:
    """What axis info says wrongly of a value. The interpreter has addresses as signed numbers."""
    array = np.asarray(value)
    if array.dtype == np.bool_:
        array = array.astype(np.int64)
    array = array.astype(object)
    numbers = [int(number) for number in array.reshape(-1)]
    if not is_address and not all(info.low <= number <= info.high for number in numbers):
        return "range"
    if not divides(info.divisor, numbers):
        return "divisor"
    if array.shape != info.shape:
        return "shape"
    for dim in range(array.ndim):
        rows = runs_along(array, dim, info.contiguity[dim])
        for row in rows:
            expected = [int(row[0]) + info.step * i for i in range(len(row))]
            if [int(number) for number in row] != expected:
                return "contiguity"
        if not divides(info.divisibility[dim], [int(row[0]) for row in rows]):
            return "divisibility"
        for row in runs_along(array, dim, info.constancy[dim]):
            if any(number != row[0] for number in row):
                return "constancy"
    return None


class CheckingProgram(BoundProgram):
    """Compares all values with their axis info when they are computed."""

    axis_info: AxisInfoAnalysis
    checked: int

    def check(self, values: Sequence[SSAValue]) -> Step:
        registers = self.all(values)

        def step(frame: CallFrame) -> None:
            for value, register in zip(values, registers, strict=True):
                if is_checked(value.type):
                    found = frame.registers[register]
                    info = self.axis_info[value]
                    wrong = violation(info, found, is_address=is_pointer(get_element(value.type)))
                    assert wrong is None, f"{wrong} of {value}: {info} but {found}"
                    self.checked += 1

        return step

    def bind_block(self, block: Block) -> Body:
        body = super().bind_block(block)
        body.steps.insert(0, self.check(block.args))
        return body

    def bind(self, op: Operation) -> Step:
        step, check = super().bind(op), self.check(op.results)

        def checked(frame: CallFrame) -> Signal | None:
            signal = step(frame)
            check(frame)
            return signal

        return checked


def is_checked(ty: Attribute) -> bool:
    element = get_element(ty)
    return isinstance(element, IntegerType | IndexType) or is_pointer(element)


def new_frame(size: int) -> CallFrame:
    cta = CtaState((3, 1, 0), (5, 2, 1), Memory(), {}, lambda text: None)
    return CallFrame(size, cta)


def check_axis_info(function: Operation, arguments: Sequence[Any]) -> int:
    """Runs the body of a function; returns how many values satisfied their axis info."""
    program = CheckingProgram()
    program.axis_info, program.checked = analyze(function), 0
    body = program.bind_block(function.regions[0].block)
    with np.errstate(all="ignore"):
        body.run(new_frame(len(program.registers)), arguments)
    return program.checked


# Programs


BINARY = (
    *(elementwise.AddIOp, elementwise.SubIOp, elementwise.MulIOp, elementwise.AndIOp),
    *(elementwise.OrIOp, elementwise.XOrIOp, elementwise.ShLIOp, elementwise.ShRIOp),
    *(elementwise.DivIOp, elementwise.RemIOp, elementwise.MulhiIOp),
    *(arith.MinSIOp, arith.MaxSIOp, arith.MinUIOp, arith.MaxUIOp),
)
EXACT: dict[type[Operation], Callable[[Any, Any], Any]] = {
    elementwise.AddIOp: lambda a, b: a + b,
    elementwise.SubIOp: lambda a, b: a - b,
    elementwise.MulIOp: lambda a, b: a * b,
}
PREDICATES = (
    *("equal", "not_equal", "less_than", "less_than_or_equal", "greater_than"),
    "greater_than_or_equal",
)


class Generator:
    """Writes a random program, running it at the same time so that assumptions can be true."""

    def __init__(self, random: Random):
        self.random = random
        self.block = Block()
        self.values: list[SSAValue] = []
        self.program = BoundProgram()
        self.frame: CallFrame | None = new_frame(4096)
        self.arguments: list[Any] = []
        for ty in (i8, i16, i32, i32, i64):
            half = 1 << (min(ty.width.data, 40) - 1)
            number = random.choice((random.randrange(-half, half), random.randrange(-9, 10), 64))
            self.add_argument(ty, np.asarray(number).astype(f"int{ty.width.data}"))
        self.add_argument(POINTER, np.asarray(random.randrange(1 << 40) << 4, np.int64))

    def add_argument(self, ty: Attribute, value: Any) -> None:
        argument = self.block.insert_arg(ty, len(self.block.args))
        self.values.append(argument)
        self.arguments.append(value)
        assert self.frame is not None
        self.frame.registers[self.program.register(argument)] = value

    def value_of(self, value: SSAValue) -> Any:
        assert self.frame is not None
        return self.frame.registers[self.program.register(value)]

    def insert(self, op: Operation) -> None:
        self.block.add_op(op)
        if self.frame is not None:
            with np.errstate(all="ignore"):
                self.program.bind(op)(self.frame)
        self.values.extend(result for result in op.results if is_checked(result.type))

    def pick(self, is_wanted: Callable[[Attribute], bool]) -> SSAValue | None:
        found = [value for value in self.values if is_wanted(value.type)]
        # Late values are made of others, early ones are what is known.
        return (
            self.random.choice(found[-6:] if self.random.random() < 0.6 else found)
            if found
            else None
        )

    def constant(self, ty: Attribute) -> SSAValue:
        element, sizes = get_element(ty), get_shape(ty)
        assert isinstance(element, IntegerType)
        half = 1 << (element.width.data - 1)

        def number() -> int:
            choice = self.random.choice((0, 1, 2, 4, 6, 8, 16, -1, -4, -8, 7, 3, 100, 127, -128))
            if element.width.data == 1:
                return choice & 1
            return max(-half, min(choice, half - 1))

        match self.random.randrange(3) if sizes else 0:
            case 0:
                attribute: Attribute = IntegerAttr(number(), element)
                if sizes:
                    attribute = DenseIntOrFPElementsAttr.from_list(
                        TensorType(element, sizes), [number()]
                    )
            case 1:
                start = number()
                numbers = [_wrapped(start + i, element) for i in range(int(np.prod(sizes)))]
                attribute = DenseIntOrFPElementsAttr.from_list(TensorType(element, sizes), numbers)
            case _:
                numbers = [number() for _ in range(int(np.prod(sizes)))]
                attribute = DenseIntOrFPElementsAttr.from_list(TensorType(element, sizes), numbers)
        op = arith.ConstantOp(attribute)  # pyright: ignore[reportArgumentType]
        self.insert(op)
        return op.result

    def operand(self, ty: Attribute) -> SSAValue:
        """A value of a type, old or new."""
        found = self.pick(lambda other: other == ty)
        if found is None or self.random.random() < 0.2:
            return self.constant(ty)
        return found

    def integer(self, *, tensor: bool | None = None) -> SSAValue:
        """Any integer."""
        found = self.pick(
            lambda ty: (
                isinstance(get_element(ty), IntegerType)
                and (tensor is None or isinstance(ty, TensorType) == tensor)
            )
        )
        if found is None:
            sizes = (8,) if tensor else ()
            return self.constant(TensorType(i32, sizes) if sizes else i32)
        return found

    def step(self) -> None:
        """Adds an op or a few."""
        actions = [
            *([self.add_binary] * 6),
            *([self.add_compare] * 2),
            *([self.add_shape] * 5),
            *([self.add_conversion] * 2),
            *(self.add_splat, self.add_range, self.add_select, self.add_pointer, self.add_unary),
        ]
        if self.frame is not None:
            actions += [self.add_assumption] * 2
        self.random.choice(actions)()

    def add_binary(self) -> None:
        first = self.integer()
        op_class = self.random.choice(BINARY)
        second = self.operand(first.type)
        properties: dict[str, Attribute] = {}
        if issubclass(op_class, elementwise.SignedOperation):
            properties["signedness"] = StringAttr(self.random.choice(("signed", "unsigned")))
        if op_class is elementwise.DivIOp:
            rounding = ("zero", "negative_inf", "positive_inf")
            properties["rounding"] = StringAttr(self.random.choice(rounding))
        if op_class in (elementwise.DivIOp, elementwise.RemIOp):
            # By nothing that may be zero.
            one = self.constant_of(1, first.type)
            made = elementwise.OrIOp(second, one)
            self.insert(made)
            second = made.result
            if self.random.random() < 0.5:
                second = self.constant_of(self.random.choice((1, 2, 4, 6, 8, 3)), first.type)
        if op_class in (elementwise.ShLIOp, elementwise.ShRIOp) and self.random.random() < 0.8:
            second = self.constant_of(self.random.randrange(5), first.type)
        if issubclass(op_class, elementwise.OverflowOperation) and self.fits(
            op_class, first, second
        ):
            properties["overflow"] = StringAttr("no_signed_wrap")
        if issubclass(op_class, elementwise.BinaryOperation):
            self.insert(op_class(first, second, properties))
        else:
            self.insert(op_class(first, second))

    def fits(self, op_class: type[Operation], first: SSAValue, second: SSAValue) -> bool:
        """Whether exact results are known, and have the type of the operands."""
        exact = EXACT.get(op_class)
        element = get_element(first.type)
        assert isinstance(element, IntegerType)
        if self.frame is None or exact is None or element == i1:
            return False
        numbers = (np.asarray(self.value_of(value)).astype(object) for value in (first, second))
        results = np.asarray(exact(*numbers)).reshape(-1)
        half = 1 << (element.width.data - 1)
        return all(-half <= int(result) < half for result in results)

    def constant_of(self, number: int, ty: Attribute) -> SSAValue:
        element, sizes = get_element(ty), get_shape(ty)
        assert isinstance(element, IntegerType)
        if element.width.data == 1:
            number = 1
        attribute: Attribute = IntegerAttr(number, element)
        if sizes:
            attribute = DenseIntOrFPElementsAttr.from_list(TensorType(element, sizes), [number])
        op = arith.ConstantOp(attribute)  # pyright: ignore[reportArgumentType]
        self.insert(op)
        return op.result

    def add_unary(self) -> None:
        op_class = self.random.choice((elementwise.NegIOp, elementwise.AbsIOp))
        self.insert(op_class(self.integer()))

    def add_compare(self) -> None:
        first = self.integer()
        second = self.operand(first.type)
        if self.random.random() < 0.5:
            limit = self.constant_of(self.random.choice((4, 8, 12, 3, 7)), first.type)
            first, second = self.random.choice(((first, limit), (limit, first)))
        properties = {
            "comparison_predicate": StringAttr(self.random.choice(PREDICATES)),
            "signedness": StringAttr(self.random.choice(("signed", "unsigned"))),
        }
        self.insert(elementwise.CmpIOp(first, second, properties))

    def add_select(self) -> None:
        first = self.integer()
        condition = self.operand(with_element(first.type, i1))
        self.insert(tensor_arith.SelectOp(condition, first, self.operand(first.type)))

    def add_splat(self) -> None:
        source = self.pick(lambda ty: not isinstance(ty, TensorType))
        assert source is not None
        sizes = self.random.choice(SHAPES[2:])
        self.insert(shape.SplatOp(source, TensorType(source.type, sizes)))

    def add_range(self) -> None:
        ty = self.random.choice((i8, i16, i32, i32))
        start, end = self.operand(ty), self.operand(ty)
        size = self.random.choice((4, 8, 16, 32))
        self.insert(shape.MakeRangeOp(start, end, TensorType(ty, (size,))))

    def add_conversion(self) -> None:
        source = self.integer()
        element = get_element(source.type)
        assert isinstance(element, IntegerType)
        target = self.random.choice((i8, i16, i32, i64))
        ty = with_element(source.type, target)
        if target.width.data > element.width.data:
            op_class = self.random.choice((tensor_arith.ExtSIOp, tensor_arith.ExtUIOp))
            self.insert(op_class(source, ty))  # pyright: ignore[reportArgumentType]
        elif target.width.data < element.width.data:
            self.insert(elementwise.TruncIOp(source, ty))
        elif not isinstance(source.type, TensorType):
            index = arith.IndexCastOp(source, IndexType())
            self.insert(index)
            self.values.pop()
            self.insert(arith.IndexCastOp(index, target))

    def add_shape(self) -> None:
        source = self.pick(lambda ty: isinstance(ty, TensorType))
        if source is None:
            self.add_range()
            return
        element, sizes = get_element(source.type), get_shape(source.type)
        match self.random.randrange(7):
            case 0:
                permutation = list(range(len(sizes)))
                self.random.shuffle(permutation)
                self.insert(shape.PermuteOp(source, permutation))
            case 1 if len(sizes) < 4:
                axis = self.random.randrange(len(sizes) + 1)
                expanded = shape.ExpandDimsOp(source, axis)
                self.insert(expanded)
                wide = list(get_shape(expanded.result.type))
                wide[axis] = self.random.choice((2, 4, 8))
                if np.prod(wide) <= 512:
                    self.insert(shape.BroadcastOp(expanded, TensorType(element, wide)))
            case 2:
                count = int(np.prod(sizes))
                parts = [1] * self.random.randrange(1, 4)
                while np.prod(parts) < count:
                    parts[self.random.randrange(len(parts))] *= 2
                self.insert(shape.ViewOp(source, TensorType(element, parts)))
            case 3 if np.prod(sizes) <= 256:
                other = self.pick(lambda ty: ty == source.type)
                assert other is not None
                dim = self.random.randrange(len(sizes))
                total = [size * (1 + (i == dim)) for i, size in enumerate(sizes)]
                self.insert(shape.CatOp(source, other, dim, TensorType(element, total)))
            case 4:
                part = [max(1, size // self.random.choice((1, 2, 4))) for size in sizes]
                indices = [
                    self.constant_of(self.random.randrange(whole // size), i32)
                    for whole, size in zip(sizes, part, strict=True)
                ]
                self.insert(shape.ExtractOp(source, indices, TensorType(element, part)))
            case 5:
                indices = [self.constant_of(self.random.randrange(size), i32) for size in sizes]
                self.insert(shape.ExtractOp(source, indices, element))
            case _:
                other = self.pick(
                    lambda ty: (
                        get_element(ty) == element
                        and len(get_shape(ty)) == len(sizes)
                        and all(w % s == 0 for w, s in zip(sizes, get_shape(ty), strict=True))
                    )
                )
                assert other is not None
                part = get_shape(other.type)
                indices = [
                    self.constant_of(self.random.randrange(whole // size), i32)
                    for whole, size in zip(sizes, part, strict=True)
                ]
                self.insert(shape.InsertOp(other, source, indices))

    def add_pointer(self) -> None:
        offset = self.pick(
            lambda ty: isinstance(get_element(ty), IntegerType) and get_element(ty) != i1
        )
        if offset is None:
            return
        element = self.random.choice((i8, i16, i32, i64))
        pointer = self.pick(
            lambda ty: is_pointer(get_element(ty)) and get_shape(ty) == get_shape(offset.type)
        )
        if pointer is None:
            base = self.pick(is_pointer)
            assert base is not None
            spread = shape.SplatOp(base, TensorType(POINTER, get_shape(offset.type)))
            self.insert(spread)
            pointer = spread.result
        self.insert(memory.AddPtrOp(pointer, offset, element))

    def add_assumption(self) -> None:
        """States something that is true."""
        source = self.pick(lambda ty: True)
        assert source is not None
        array = np.asarray(self.value_of(source))
        if array.dtype == np.bool_ or not array.size:
            return
        numbers = [int(number) for number in array.reshape(-1)]
        match self.random.randrange(4):
            case 0:
                divisor = 64
                while any(number % divisor for number in numbers):
                    divisor //= 2
                self.insert(shape.AssumeOp(source, DivByAttr((divisor, None, None))))
            case 1 if not is_pointer(get_element(source.type)):
                low = self.random.choice((None, min(numbers)))
                high = self.random.choice((None, max(numbers)))
                self.insert(shape.AssumeOp(source, BoundedAttr((low, high))))
            case 2 if array.ndim and not is_pointer(get_element(source.type)):
                dim = self.random.randrange(array.ndim)
                run = self.random.choice((1, 2, 4))
                run = min(run, array.shape[dim])
                rows = runs_along(array.astype(object), dim, run)
                if all(list(row) == [row[0] + i for i in range(run)] for row in rows):
                    divisor = 16
                    while any(int(row[0]) % divisor for row in rows):
                        divisor //= 2
                    self.insert(shape.AssumeOp(source, DivByAttr((divisor, run, dim))))
            case 3 if array.ndim:
                groups = [1] * array.ndim
                dim = self.random.randrange(array.ndim)
                groups[dim] = min(2, array.shape[dim])
                rows = runs_along(array, dim, groups[dim])
                if all(np.all(row == row[0]) for row in rows):
                    self.insert(shape.AssumeOp(source, SameElementsAttr(tuple(groups))))
            case _:
                return

    # Control flow

    def add_loop(self) -> None:
        """A `for` that carries a few values; its body is written without running it."""
        initial = [self.integer() for _ in range(self.random.randrange(1, 4))]
        lower = self.constant_of(self.random.choice((-4, 0, 2, 8)), i32)
        upper = self.constant_of(self.random.choice((-4, 1, 6, 20)), i32)
        step = self.constant_of(self.random.choice((1, 2, 4)), i32)
        body = Block(arg_types=[i32, *(value.type for value in initial)])

        def finish() -> Operation:
            return scf.YieldOp(*(self.operand(value.type) for value in initial))

        self.write_inside(body, finish)
        self.insert(scf.ForOp(lower, upper, step, initial, Region(body)))

    def add_branch(self) -> None:
        condition = self.operand(i1)
        types = [self.integer().type for _ in range(self.random.randrange(1, 3))]
        blocks = [Block(), Block()]
        for block in blocks:

            def finish() -> Operation:
                return scf.YieldOp(*(self.operand(ty) for ty in types))

            self.write_inside(block, finish)
        self.insert(scf.IfOp(condition, types, Region(blocks[0]), Region(blocks[1])))

    def add_while(self) -> None:
        """A `while` with a counter that ends it, and values that are passed on."""
        initial = [self.integer() for _ in range(self.random.randrange(1, 3))]
        start = self.constant_of(0, i32)
        types = [i32, *(value.type for value in initial)]
        before, after = Block(arg_types=types), Block(arg_types=types)

        def finish_before() -> Operation:
            limit = self.constant_of(3, i32)
            test = elementwise.CmpIOp(
                before.args[0], limit, {"comparison_predicate": StringAttr("less_than")}
            )
            self.insert(test)
            passed = [self.operand(value.type) for value in initial]
            return scf.ConditionOp(test, before.args[0], *passed)

        def finish_after() -> Operation:
            following = elementwise.AddIOp(after.args[0], self.constant_of(1, i32))
            self.insert(following)
            return scf.YieldOp(following, *(self.operand(value.type) for value in initial))

        self.write_inside(before, finish_before)
        self.write_inside(after, finish_after)
        self.insert(scf.WhileOp([start, *initial], types, Region(before), Region(after)))

    def write_inside(self, block: Block, finish: Callable[[], Operation]) -> None:
        outer, frame, known = self.block, self.frame, len(self.values)
        self.block, self.frame = block, None
        self.values += block.args
        for _ in range(self.random.randrange(1, 6)):
            self.step()
        block.add_op(finish())
        del self.values[known:]
        self.block, self.frame = outer, frame

    def write(self, steps: int) -> Operation:
        for _ in range(steps):
            self.step()
            if self.random.random() < 0.12:
                self.random.choice((self.add_loop, self.add_branch, self.add_while))()
        self.block.add_op(ReturnOp([]))
        return scf.ExecuteRegionOp([], Region(self.block))


def _wrapped(number: int, element: IntegerType) -> int:
    bits = element.width.data
    number &= (1 << bits) - 1
    return number - (1 << bits) if bits > 1 and number >> (bits - 1) else number


def check_programs(seeds: range) -> None:
    for seed in seeds:
        generator = Generator(Random(seed))
        function = generator.write(25)
        assert check_axis_info(function, generator.arguments) > 20, f"program {seed} has few values"


@pytest.mark.part("kernels")
@pytest.mark.parametrize("first", every(6, range(0, 240, 40)))
def test_axis_info_holds_in_random_programs(first: int):
    check_programs(range(first, first + 40))


# The test itself


def _no_wrap(info: AxisInfo, bounds: rules.IntegerRange, *, may_wrap: bool = True) -> AxisInfo:
    low, high = max(info.low, bounds.low), min(info.high, bounds.high)
    return info if low > high else info._replace(low=low, high=high)


def _first_runs(first: AxisInfo, second: AxisInfo) -> list[int]:
    return list(first.constancy)


def _first_divisor(first: int, second: int) -> int:
    return first


def _whole_number(number: int) -> int:
    return number


def _first(first: AxisInfo, second: AxisInfo) -> AxisInfo:
    return first


def _inclusive(predicate: str, first: AxisInfo, second: AxisInfo, dim: int) -> int:
    return min(first.contiguity[dim], second.constancy[dim])


def _same_runs(info: AxisInfo, shape: Sizes) -> AxisInfo:
    return info._replace(shape=shape)


def _off_by_one(
    predicate: str, first: AxisInfo, second: AxisInfo, *, signed: bool
) -> tuple[AxisInfo, AxisInfo]:
    if predicate in ("le", "ge"):
        predicate = {"le": "lt", "ge": "gt"}[predicate]
    return compared_ranges(predicate, first, second, signed=signed)


compared_ranges = rules.compared_ranges

PLANTED: dict[str, Callable[..., object]] = {
    "wrap": _no_wrap,
    "equal_runs": _first_runs,
    "common_divisor": _first_divisor,
    "power_of_two": _whole_number,
    "join": _first,
    "_compared_run": _inclusive,
    "zero_extend": _first,
    "limit_runs": _same_runs,
    "compared_ranges": _off_by_one,
}


@pytest.mark.every(4)
@pytest.mark.parametrize("name", PLANTED)
def test_wrong_rules_are_noticed(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(rules, name, PLANTED[name])
    with pytest.raises((AssertionError, ValueError, IndexError)):
        check_programs(range(300))
