"""Appends ops of `llvm` and `scf` to a block: constants, indices that fold, vectors, loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tileiras_xdsl.dialects import llvm as own
from tileiras_xdsl.dialects.llvm import AtomicOrdering
from tileiras_xdsl.dialects.nvgpu.types import NO_WRAP

Index: TypeAlias = "int | SSAValue"
"""An index: a number that is known, or an `i64`."""
Number: TypeAlias = "int | float"

WIDTH: Final = ArrayAttr([StringAttr("prefer-vector-width"), StringAttr("512")])
"""An attribute of functions."""
POINTER: Final = LLVMPointerType()
DENSE: Final[Any] = DenseIntOrFPElementsAttr
FLOAT: Final[Any] = FloatAttr
INTEGER: Final[Any] = IntegerAttr
"""Their constructors have an overload for each type."""

BINARY: Final[dict[str, type[Operation]]] = {
    op.name.removeprefix("llvm."): op
    for op in (
        *(llvm.AddOp, llvm.SubOp, llvm.MulOp, llvm.UDivOp, llvm.SDivOp, llvm.URemOp, llvm.SRemOp),
        *(llvm.AndOp, llvm.OrOp, llvm.XOrOp, llvm.ShlOp, llvm.LShrOp, llvm.AShrOp),
        *(llvm.FAddOp, llvm.FSubOp, llvm.FMulOp, llvm.FDivOp, llvm.FRemOp),
    )
}
CASTS: Final[dict[str, type[Operation]]] = {
    op.name.removeprefix("llvm."): op
    for op in (
        *(llvm.TruncOp, llvm.ZExtOp, llvm.SExtOp, llvm.SIToFPOp, own.UIToFPOp),
        *(llvm.FPExtOp, llvm.FPTruncOp, llvm.BitcastOp),
    )
}
INTEGER_PREDICATES: Final = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FLOAT_PREDICATES: Final = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)


def vector(element: Attribute, width: int) -> Attribute:
    """The type of so many elements; one is no vector."""
    return element if width == 1 else VectorType(element, [width])


def element_of(ty: Attribute) -> Attribute:
    """The element of a vector, or the scalar itself."""
    return ty.get_element_type() if isinstance(ty, VectorType) else ty


def width_of(ty: Attribute) -> int:
    """The elements of a vector; a scalar has one."""
    return ty.get_shape()[0] if isinstance(ty, VectorType) else 1


def suffix(ty: Attribute) -> str:
    """A type in the name of an intrinsic: `v16f32`."""
    if isinstance(ty, VectorType):
        return f"v{width_of(ty)}{suffix(element_of(ty))}"
    return "p0" if isinstance(ty, LLVMPointerType) else str(ty)


ROUNDINGS: Final = {"zero": 0, "positive_inf": 2, "negative_inf": 3}
"""Modes as `llvm.set.rounding` counts them; 1 is to nearest."""


def rounding_function(
    name: str, word: str, rounding: str, ty: Attribute, arity: int, vector_bits: int
) -> llvm.FuncOp:
    """A function that sets a rounding mode, computes, and sets the usual one again."""
    block = Block(arg_types=[ty] * arity)
    e = Emitter(block, vector_bits)
    e.call("llvm.set.rounding", None, e.constant(ROUNDINGS[rounding], i32))
    result = e.call(f"llvm.experimental.constrained.{word}.{suffix(ty)}", ty, *block.args)
    e.call("llvm.set.rounding", None, e.constant(1, i32))
    e.append(llvm.ReturnOp(result))
    e.finish()
    return llvm.FuncOp(
        name,
        llvm.LLVMFunctionType([ty] * arity, ty),
        llvm.LinkageAttr("internal"),
        body=Region(block),
        other_props={
            "passthrough": ArrayAttr([StringAttr("noinline"), StringAttr("strictfp"), WIDTH])
        },
    )


class Emitter:
    """Where ops are appended. Constants go to the start of the function, see `finish`."""

    def __init__(self, entry: Block, vector_bits: int):
        self.entry = self.block = entry
        self.vector_bits = vector_bits
        self.location: Attribute | None = None
        self.first: list[Operation] = []
        self.constants: dict[tuple[str, Attribute], SSAValue] = {}
        self.templates: dict[Any, dict[str, Attribute]] = {}
        self.helpers: dict[str, llvm.FuncOp] = {}
        """Functions that are called, by name."""
        self.scopes: list[dict[Any, SSAValue]] = [{}]
        """What was computed in the regions around the block, by what names it."""

    def finish(self) -> None:
        """Puts constants and addresses of scratch memory in front of all else."""
        first = self.entry.first_op
        if first is None:
            self.entry.add_ops(self.first)
        else:
            self.entry.insert_ops_before(self.first, first)

    def append(self, op: Operation) -> SSAValue:
        """Appends an op; its first result, if it has one."""
        if self.location is not None:
            op.location = self.location  # pyright: ignore[reportAttributeAccessIssue]
        self.block.add_op(op)
        return op.results[0] if op.results else self.entry.args[0]

    def at_start(self, op: Operation) -> SSAValue:
        """An op at the start of the function."""
        self.first.append(op)
        return op.results[0]

    # Values

    def constant(self, number: Number, ty: Attribute) -> SSAValue:
        """A number as a scalar, or in all lanes."""
        element = element_of(ty)
        if isinstance(element, IntegerType):
            bits = element.width.data
            number = int(number) & ((1 << bits) - 1)
            if bits > 1 and number >> (bits - 1):
                number -= 1 << bits
        key = (repr(number), ty)
        found = self.constants.get(key)
        if found is None:
            if isinstance(ty, VectorType):
                value: Any = DENSE.from_list(ty, [number])
            elif isinstance(element, IntegerType):
                value = INTEGER(int(number), element)
            else:
                value = FLOAT(float(number), element)
            found = self.constants[key] = self.at_start(llvm.ConstantOp(value, ty))
        return found

    literal = constant

    def value(self, index: Index) -> SSAValue:
        """An index as an `i64`."""
        return self.constant(index, i64) if isinstance(index, int) else index

    def binary(self, word: str, x: SSAValue, y: SSAValue) -> SSAValue:
        """An instruction of two operands of one type."""
        cls = BINARY[word]
        properties = self.templates.get(cls)
        if properties is None:
            made: Any = cls(x, y)  # pyright: ignore[reportCallIssue]
            properties = self.templates[cls] = dict(made.properties)
            made.erase()
        op = cls.create(operands=[x, y], result_types=[x.type], properties=properties)
        return self.append(op)

    def cast(self, word: str, x: SSAValue, element: Attribute) -> SSAValue:
        """A conversion to another element type."""
        if element_of(x.type) == element:
            return x
        ty = vector(element, width_of(x.type))
        cls = CASTS[word]
        properties: dict[str, Attribute] = {}
        if cls is llvm.TruncOp:
            properties["overflowFlags"] = llvm.OverflowAttr(None)
        return self.append(cls.create(operands=[x], result_types=[ty], properties=properties))

    def cast_whole(self, x: SSAValue, ty: Attribute) -> SSAValue:
        """The same bits as elements of another width."""
        return self.append(llvm.BitcastOp.create(operands=[x], result_types=[ty]))

    def call(self, name: str, ty: Attribute | None, *args: SSAValue) -> SSAValue:
        """An intrinsic, by its whole name."""
        return self.append(llvm.CallIntrinsicOp(name, args, [] if ty is None else [ty]))

    def call_pointer(self, pointer: SSAValue, *args: SSAValue) -> None:
        """Calls a function of the host that returns nothing."""
        ty = llvm.LLVMFunctionType([each.type for each in args], llvm.LLVMVoidType())
        call = llvm.CallOp("pointer", pointer, *args, var_callee_type=ty)
        del call.properties["callee"]
        self.append(call)

    def function(self, name: str, *args: SSAValue) -> SSAValue:
        """An intrinsic whose operands and result have one type: `llvm.NAME.v16f32`."""
        ty = args[0].type
        return self.call(f"llvm.{name}.{suffix(ty)}", ty, *args)

    def fma(self, x: SSAValue, y: SSAValue, z: SSAValue) -> SSAValue:
        """`x * y + z`, rounded once."""
        return self.function("fma", x, y, z)

    def plain(self, word: str, *args: SSAValue) -> SSAValue:
        """An instruction or intrinsic on floats, rounded to nearest."""
        return self.binary(word, *args) if word in BINARY else self.function(word, *args)

    def rounded(self, word: str, rounding: str, *args: SSAValue) -> SSAValue:
        """
        The same in a direction, by a function of its own: nothing else in it is computed in that
        mode of the CPU, and LLVM moves nothing out of it.
        """
        ty = args[0].type
        name = f"{word}_{rounding}_{suffix(ty)}"
        if name not in self.helpers:
            self.helpers[name] = rounding_function(
                *(name, word, rounding, ty, len(args), self.vector_bits)
            )
        return self.append(llvm.CallOp(name, *args, return_type=ty))

    def compare(self, word: str, x: SSAValue, y: SSAValue) -> SSAValue:
        """Compares floats or integers."""
        is_float = isinstance(element_of(x.type), AnyFloat)
        table = FLOAT_PREDICATES if is_float else INTEGER_PREDICATES
        cls: Any = own.FCmpOp if is_float else own.ICmpOp
        properties: dict[str, Attribute] = {"predicate": IntegerAttr(table.index(word), i64)}
        if is_float:
            properties["fastmathFlags"] = llvm.FastMathAttr(None)
        ty = vector(i1, width_of(x.type))
        return self.append(cls.create(operands=[x, y], result_types=[ty], properties=properties))

    def select(self, condition: SSAValue, x: SSAValue, y: SSAValue) -> SSAValue:
        """One of two values, lane by lane if the condition is a vector."""
        properties: dict[str, Attribute] = {"fastmathFlags": llvm.FastMathAttr(None)}
        operands = [condition, x, y]
        return self.append(
            own.SelectOp.create(operands=operands, result_types=[x.type], properties=properties)
        )

    def splat(self, x: SSAValue, width: int) -> SSAValue:
        """A scalar in all lanes."""
        if width == 1:
            return x
        key = (x, width)
        for scope in reversed(self.scopes):
            if key in scope:
                return scope[key]
        ty = VectorType(x.type, [width])
        poison = self.append(own.PoisonOp(ty))
        one = self.append(llvm.InsertElementOp(poison, x, self.constant(0, i32)))
        result = self.shuffle(one, poison, [0] * width)
        self.scopes[-1][key] = result
        return result

    def shuffle(self, x: SSAValue, y: SSAValue, lanes: Sequence[int]) -> SSAValue:
        """The vector of some lanes of two, -1 for any."""
        if len(lanes) == 1:
            return self.lane(x, lanes[0])
        ty = VectorType(element_of(x.type), [len(lanes)])
        mask = DenseArrayBase.from_list(i32, lanes)
        op = llvm.ShuffleVectorOp.create(
            operands=[x, y], result_types=[ty], properties={"mask": mask}
        )
        return self.append(op)

    def transpose(self, rows: Sequence[SSAValue]) -> list[SSAValue]:
        """The columns of as many vectors as these have elements, by halves, quarters and so on."""
        found, count = [*rows], len(rows)
        half = count // 2
        while half:
            low = [at if not at & half else count + at - half for at in range(count)]
            high = [at + half if not at & half else count + at for at in range(count)]
            for at in range(count):
                if not at & half:
                    pair = found[at], found[at + half]
                    found[at], found[at + half] = (self.shuffle(*pair, x) for x in (low, high))
            half //= 2
        return found

    def lane(self, x: SSAValue, index: int) -> SSAValue:
        """An element of a vector."""
        if not isinstance(x.type, VectorType):
            return x
        return self.append(
            own.ExtractElementOp.create(
                operands=[x, self.constant(index, i32)], result_types=[element_of(x.type)]
            )
        )

    def from_lanes(self, lanes: Sequence[SSAValue]) -> SSAValue:
        """The vector of some scalars."""
        if len(lanes) == 1:
            return lanes[0]
        result = self.append(own.PoisonOp(VectorType(lanes[0].type, [len(lanes)])))
        for number, lane in enumerate(lanes):
            op = llvm.InsertElementOp(result, lane, self.constant(number, i32))
            result = self.append(op)
        return result

    def lanes_from(self, width: int, ty: Attribute = i64) -> SSAValue:
        """0, 1, 2, …"""
        if width == 1:
            return self.constant(0, ty)
        key = ("lanes", VectorType(ty, [width]))
        found = self.constants.get(key)
        if found is None:
            vector_type = VectorType(ty, [width])
            value: Any = DENSE.from_list(vector_type, range(width))
            found = self.constants[key] = self.at_start(llvm.ConstantOp(value, vector_type))
        return found

    # Indices

    def add(self, x: Index, y: Index) -> Index:
        """The sum of two indices."""
        if isinstance(x, int) and isinstance(y, int):
            return x + y
        if x == 0 or y == 0:
            return y if x == 0 else x
        return self.named("add", x, y)

    def mul(self, x: Index, y: Index) -> Index:
        """The product of two indices."""
        if isinstance(x, int) and isinstance(y, int):
            return x * y
        if x == 0 or y == 0:
            return 0
        if x == 1 or y == 1:
            return y if x == 1 else x
        return self.named("mul", x, y)

    def at_least_zero(self, x: Index) -> Index:
        """An index, or zero for a negative one."""
        if isinstance(x, int):
            return max(x, 0)
        zero = self.constant(0, i64)
        return self.select(self.compare("sgt", x, zero), x, zero)

    def divide(self, x: Index, y: int) -> tuple[Index, Index]:
        """Quotient and remainder of an index that is not negative."""
        if isinstance(x, int):
            return divmod(x, y)
        if y == 1:
            return x, 0
        return self.named("udiv", x, y), self.named("urem", x, y)

    def named(self, word: str, x: Index, y: Index) -> SSAValue:
        """An instruction on indices, once for the same operands."""
        key = (word, x, y)
        for scope in reversed(self.scopes):
            if key in scope:
                return scope[key]
        result = self.scopes[-1][key] = self.binary(word, self.value(x), self.value(y))
        return result

    # Memory

    def element_pointer(self, base: SSAValue, index: Index, element: Attribute) -> SSAValue:
        """The address of an element of an array."""
        if index == 0:
            return base
        op = own.GEPOp(base, [llvm.GEP_USE_SSA_VAL], element, [self.value(index)])
        return self.append(op)

    def load(
        self,
        ty: Attribute,
        pointer: SSAValue,
        align: int,
        order: AtomicOrdering = AtomicOrdering.NOT_ATOMIC,
    ) -> SSAValue:
        """A value in memory."""
        return self.append(own.LoadOp(pointer, ty, alignment=align, ordering=order.attr))

    def store(
        self,
        x: SSAValue,
        pointer: SSAValue,
        align: int,
        order: AtomicOrdering = AtomicOrdering.NOT_ATOMIC,
    ) -> None:
        """Writes a value."""
        self.append(own.StoreOp(x, pointer, alignment=align, ordering=order.attr))

    def prefetch(self, address: SSAValue, *, write: bool = False, cache: int = 2) -> None:
        """Brings a line of memory to the first or second cache."""
        pointer = self.append(own.IntToPtrOp(address))
        how = (self.constant(each, i32) for each in (int(write), 4 - cache, 1))
        self.call("llvm.prefetch.p0", None, pointer, *how)

    # Control flow

    def _region(
        self,
        block: Block,
        body: Callable[[], Sequence[SSAValue]],
        end: Callable[..., Operation] = scf.YieldOp,
    ) -> Region:
        before, self.block = self.block, block
        self.scopes.append({})
        self.append(end(*body()))
        self.scopes.pop()
        self.block = before
        return Region(block)

    def loop(
        self,
        start: Index,
        end: Index,
        step: Index,
        initial: Sequence[SSAValue],
        body: Callable[[Index, Sequence[SSAValue]], Sequence[SSAValue]],
        *,
        may_wrap: bool = False,
    ) -> Sequence[SSAValue]:
        """
        A counted loop with carried values; one iteration is none. `may_wrap`: the step after the
        last one may lead beyond 64 bits.
        """
        if all(isinstance(each, int) for each in (start, end, step)) and end - start <= step:  # pyright: ignore[reportOperatorIssue]
            return body(start, initial)
        block = Block(arg_types=[i64, *(each.type for each in initial)])
        region = self._region(block, lambda: body(block.args[0], block.args[1:]))
        op = scf.ForOp(self.value(start), self.value(end), self.value(step), initial, region)
        if not may_wrap:
            NO_WRAP.set(op, UnitAttr())
        self.append(op)
        return op.results

    def repeat(
        self, start: SSAValue, body: Callable[[SSAValue], tuple[SSAValue, SSAValue]]
    ) -> SSAValue:
        """A loop with a value, whose body says whether to go on, and with what; the last value."""
        before, after = (Block(arg_types=[start.type]) for _ in range(2))
        first = self._region(before, lambda: body(before.args[0]), scf.ConditionOp)
        second = self._region(after, lambda: after.args)
        return self.append(scf.WhileOp([start], [start.type], first, second))

    def branch(
        self,
        condition: SSAValue,
        then: Callable[[], Sequence[SSAValue]],
        otherwise: Callable[[], Sequence[SSAValue]] | None = None,
        types: Sequence[Attribute] = (),
    ) -> Sequence[SSAValue]:
        """One of two regions."""
        first = self._region(Block(), then)
        second = self._region(Block(), otherwise or (lambda: ()))
        op = scf.IfOp(condition, types, first, second)
        self.append(op)
        return op.results
