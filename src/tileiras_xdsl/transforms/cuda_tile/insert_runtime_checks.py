"""
Checks at run time: accesses outside of their array, undefined divisions and negative scales fail an
assertion.

Before:  entry @k(%a: tile<ptr<i32>>) {
           %v, %t = load_ptr_tko weak %p : tile<4xptr<i32>> -> tile<4xi32>, token
         }
After:   entry @k(%a: tile<ptr<i32>>, %a_before: tile<i64>, %a_after: tile<i64>) {
           %offset = …                       the bytes from %a to what each lane accesses
           %inside = …                       whether it is from -%a_before to %a_after - 4
           if %outside { print_tko "… is out of bounds: byte %li of 'a' …", … }
           assert %inside, "… is out of bounds of 'a'"
           %v, %t = load_ptr_tko weak %p : tile<4xptr<i32>> -> tile<4xi32>, token
         }

Every pointer among the parameters gets two more parameters, after all others: how many bytes of
its array lie before it and how many follow. `backend.arguments` computes them of an array; the CPU
interpreter runs the result like any other program, and `tx.compile(…, check=True).launch` passes
them on a GPU.

Checked: loads, stores and atomics through pointers that are computed from one parameter, through
views of these, what `inbounds` promises, integer divisions, and scales of f8E4M3FN, whose sign no
tensor core reads. Lanes that are masked out and what
lies outside of a view are not accessed. Not checked: pointers that are loaded from memory, of local
or global variables, or that may come from several parameters. Bytes between the elements of a
strided array count as inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from os.path import basename

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import (
    DenseArrayBase,
    Float8E4M3FNType,
    FunctionType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
)
from xdsl.dialects.builtin import i1 as I1
from xdsl.dialects.builtin import i8 as I8
from xdsl.dialects.builtin import i64 as I64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.cuda_tile.aggregate import AggregateOperation, ReduceOp
from tileiras_xdsl.dialects.cuda_tile.control_flow import AssertOp, ContinueOp, ForOp, IfOp, YieldOp
from tileiras_xdsl.dialects.cuda_tile.conversion import BitcastOp, ExtIOp, PtrToIntOp, PtrToPtrOp
from tileiras_xdsl.dialects.cuda_tile.directives import array_values
from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr, element_bit_width
from tileiras_xdsl.dialects.cuda_tile.enums import ComparisonPredicate as Compare
from tileiras_xdsl.dialects.cuda_tile.enums import Signedness
from tileiras_xdsl.dialects.cuda_tile.integer import (
    AddIOp,
    AndIOp,
    CmpIOp,
    DivIOp,
    MaxIOp,
    MinIOp,
    MulIOp,
    OrIOp,
    RemIOp,
    ShRIOp,
    SubIOp,
    XOrIOp,
)
from tileiras_xdsl.dialects.cuda_tile.matmul import MmaFScaledOp
from tileiras_xdsl.dialects.cuda_tile.memory import (
    AtomicCASOp,
    AtomicRMWOp,
    LoadPtrOp,
    PrintTkoOp,
    StorePtrOp,
)
from tileiras_xdsl.dialects.cuda_tile.shape import (
    AssumeOp,
    BroadcastOp,
    ExtractOp,
    IotaOp,
    OffsetOp,
    PermuteOp,
    ReshapeOp,
    SelectOp,
)
from tileiras_xdsl.dialects.cuda_tile.symbols import ConstantOp, EntryOp, GetTileBlockIdOp
from tileiras_xdsl.dialects.cuda_tile.types import (
    GatherScatterViewType,
    PtrType,
    StridedViewType,
    TensorViewType,
    TileType,
    TileViewType,
)
from tileiras_xdsl.dialects.cuda_tile.views import (
    AtomicRedViewOp,
    LoadViewOp,
    MakeTensorViewOp,
    MakeViewOperation,
    StoreViewOp,
)
from tileiras_xdsl.dialects.tileiras import remark
from tileiras_xdsl.xdsl_extras.diagnostics import first_file_location
from tileiras_xdsl.xdsl_extras.walking import find_around

LARGEST = (1 << 63) - 1
MINUS_ZERO = -128
"""The bits of -0 in f8E4M3FN, as an integer."""


def _shape(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tile."""
    assert isinstance(value.type, TileType)
    return tuple(value.type.get_shape())


@dataclass
class CheckBuilder:
    """Builds the checks in front of an op."""

    op: Operation
    extents: dict[SSAValue, tuple[SSAValue, SSAValue]]
    """The bytes before and after each pointer among the parameters."""
    _builder: Builder = field(init=False)

    def __post_init__(self) -> None:
        self._builder = Builder(InsertPoint.before(self.op))

    # Arithmetic of i64

    def insert(self, op: Operation) -> SSAValue:
        op.location = self.op.location
        return self._builder.insert(op).results[0]

    def constant(self, value: int, ty: Attribute = I64, shape: Sequence[int] = ()) -> SSAValue:
        tile = TileType(ty, shape)
        return self.insert(ConstantOp(DenseElementsAttr.from_values(tile, [value])))

    def wide(self, value: SSAValue) -> SSAValue:
        """An integer, with its sign, of 64 bits."""
        ty = value.type
        assert isinstance(ty, TileType)
        if ty.element_type == I64:
            return value
        return self.insert(ExtIOp(value, TileType(I64, ty.get_shape()), Signedness.SIGNED))

    def spread(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """A scalar as a tile."""
        ty = value.type
        assert isinstance(ty, TileType)
        if not shape or ty.get_shape():
            return value
        ones = TileType(ty.element_type, [1] * len(shape))
        return self.insert(
            BroadcastOp(self.insert(ReshapeOp(value, ones)), TileType(ty.element_type, shape))
        )

    def binary(
        self, kind: Callable[..., Operation], lhs: SSAValue, rhs: SSAValue, *more: object
    ) -> SSAValue:
        """An op on two tiles of one shape, or on a tile and a scalar."""
        shape = _shape(lhs) or _shape(rhs)
        return self.insert(kind(self.spread(lhs, shape), self.spread(rhs, shape), *more))

    def add(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.binary(AddIOp, lhs, rhs)

    def compare(self, lhs: SSAValue, predicate: Compare, rhs: SSAValue) -> SSAValue:
        return self.binary(CmpIOp, lhs, rhs, predicate, Signedness.SIGNED)

    def both(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.binary(AndIOp, lhs, rhs)

    def negate(self, condition: SSAValue) -> SSAValue:
        return self.binary(XOrIOp, condition, self.constant(1, I1))

    # Reports

    def place(self) -> str:
        """Where the op is, without folders, and what it is called."""
        found = first_file_location(self.op.location)
        at = ""
        if found is not None:
            at = f"{basename(found.filename.data)}:{found.line.data}:{found.column.data}: "
        return f"{at}'{self.op.name}' op"

    def reduced(
        self, value: SSAValue, combine: Callable[..., Operation], identity: int, *more: object
    ) -> SSAValue:
        """All elements of a tile combined."""
        ty = value.type
        assert isinstance(ty, TileType)
        if not ty.get_shape():
            return value
        flat = self.insert(ReshapeOp(value, ty.with_shape([prod(ty.get_shape())])))
        scalar = ty.with_shape([])
        body = Block(arg_types=[scalar, scalar])
        result = combine(body.args[0], body.args[1], *more)
        body.add_ops([result, YieldOp(result)])
        element = ty.element_type
        assert isinstance(element, IntegerType)
        start = IntegerAttr(identity, element)
        return self.insert(ReduceOp([flat], 0, [start], Region(body)))

    def require(self, inside: SSAValue, what: str) -> None:
        """An assertion that holds where a tile is true."""
        check = AssertOp(inside, f"{self.place()} {what}")
        check.location = self.op.location
        self._builder.insert(check)

    def explain(self, inside: SSAValue, text: str, values: Sequence[SSAValue]) -> None:
        """
        Prints a line by a format, with values and the CTA, if a tile is not all true; of tiles of
        values the smallest one where it is false.
        """
        fails = self.reduced(self.negate(inside), OrIOp, 0)
        branch = IfOp(fails, [], Region(then := Block()))
        branch.location = self.op.location
        outer, self._builder = self._builder, Builder(InsertPoint.at_end(then))
        shape, shown = _shape(inside), list[SSAValue]()
        for value in values:
            if _shape(value):
                most = self.constant(LARGEST, I64, shape)
                bad = self.insert(SelectOp(inside, most, value))
                value = self.reduced(bad, MinIOp, LARGEST, Signedness.SIGNED)
            shown.append(value)
        cta = GetTileBlockIdOp()
        self.insert(cta)
        place = self.place().replace("%", "%%")
        line = StringAttr(f"{place} {text} (CTA (%i, %i, %i))\n")
        self.insert(PrintTkoOp(line, [*shown, *cta.results]))
        then.add_op(YieldOp())
        self._builder = outer
        self._builder.insert(branch)

    # Accesses

    def check_bytes(
        self, parameter: SSAValue, first: SSAValue, last: SSAValue, mask: SSAValue | None
    ) -> None:
        """The bytes from the first to the last, counted from a parameter, belong to its array."""
        before, after = self.extents[parameter]
        inside = self.find_inside(parameter, first, last)
        if mask is not None:
            inside = self.binary(OrIOp, inside, self.negate(mask))
        name = parameter.name_hint
        text = (
            f"is out of bounds: byte %li of '{name}', which has %li bytes before it and %li after"
        )
        self.explain(inside, text, [self.spread(first, _shape(inside)), before, after])
        self.require(inside, f"is out of bounds of '{name}'")

    def find_inside(self, parameter: SSAValue, first: SSAValue, last: SSAValue) -> SSAValue:
        """Which bytes from the first to the last belong to the array of a parameter."""
        before, after = self.extents[parameter]
        return self.both(
            self.compare(self.add(first, before), Compare.GREATER_THAN_OR_EQUAL, self.constant(0)),
            self.compare(last, Compare.LESS_THAN, after),
        )

    def mask_access(self, op: PointerAccess) -> None:
        """Masks out the lanes of an access that leave their array, if it is known which one."""
        parameter = accessed_parameter(op)
        if parameter is None:
            return
        inside = self.find_inside(parameter, *self._find_bytes(op.operands[0], parameter))
        mask = inside if op.mask is None else self.both(op.mask, inside)
        given = {name: getattr(op, name) for name in OPERANDS[type(op)]} | {"mask": mask}
        segments = "operandSegmentSizes"
        new = type(op).build(
            operands=[[] if each is None else each for each in given.values()],
            result_types=op.result_types,
            properties={k: v for k, v in op.properties.items() if k != segments},
            attributes=op.attributes,
        )
        new.location = op.location
        Rewriter.replace_op(op, new)

    def check_access(self, op: PointerAccess | ViewAccess) -> None:
        """What an access touches belongs to an array, if it is known to which one."""
        parameter = accessed_parameter(op)
        if parameter is None:
            return
        if isinstance(op, PointerAccess):
            self._check_pointers(op.operands[0], op.mask, parameter)
        else:
            tensor = find_tensor(op)
            assert tensor is not None
            self._check_tile(op, tensor, parameter)

    def _check_pointers(
        self, pointers: SSAValue, mask: SSAValue | None, parameter: SSAValue
    ) -> None:
        self.check_bytes(parameter, *self._find_bytes(pointers, parameter), mask)

    def _find_bytes(self, pointers: SSAValue, parameter: SSAValue) -> tuple[SSAValue, SSAValue]:
        """The first and the last byte that each lane accesses, counted from a parameter."""
        ty = pointers.type
        assert isinstance(ty, TileType)
        assert isinstance(ty.element_type, PtrType)
        address = self.insert(PtrToIntOp(pointers, TileType(I64, ty.get_shape())))
        start = self.insert(PtrToIntOp(parameter, TileType(I64, [])))
        first = self.binary(SubIOp, address, start)
        size = -(-element_bit_width(ty.element_type.pointee) // 8)
        return first, self.add(first, self.constant(size - 1))

    def _check_tile(self, op: ViewAccess, tensor: MakeTensorViewOp, parameter: SSAValue) -> None:
        view, ty = op.view.type, tensor.result.type
        assert isinstance(view, TileViewType)
        assert isinstance(ty, TensorViewType)
        tile, steps, sparse = view.get_tile_shape(), view.get_tile_shape(), None
        if isinstance(view, StridedViewType):
            steps = view.get_traversal_strides()
        elif isinstance(view, GatherScatterViewType):
            steps, sparse = (1,) * view.rank, view.sparse_dim
        sizes = self._numbers(ty.shape.data, tensor.dynamic_shape)
        strides = self._numbers(ty.strides.data, tensor.dynamic_strides)
        mask = op.mask if isinstance(op, StoreViewOp) else None
        given = op.properties.get("inbounds")
        promises = array_values(given) if isinstance(given, DenseArrayBase) else ()
        zero, one = self.constant(0), self.constant(1)
        shape = tuple(tile) if mask is not None else ((tile[sparse],) if sparse is not None else ())
        inside = self.constant(1, I1, shape)
        first = last = self.constant(0, I64, shape)
        for dim, (extent, step) in enumerate(zip(tile, steps, strict=True)):
            size, stride = sizes[view.get_dim_map()[dim]], strides[view.get_dim_map()[dim]]
            low = self.binary(MulIOp, self.wide(op.index[dim]), self.constant(step))
            high = low if dim == sparse else self.add(low, self.constant(extent - 1))
            if dim < len(promises) and promises[dim]:
                kept = self.both(
                    self.compare(low, Compare.GREATER_THAN_OR_EQUAL, zero),
                    self.compare(high, Compare.LESS_THAN, size),
                )
                self.require(kept, f"is in bounds of dimension {dim} by promise, but is not")
            if mask is not None:
                low = high = self._along(low, dim, tile, dim == sparse)
            else:
                if dim != sparse:
                    low = self.binary(MaxIOp, low, zero, Signedness.SIGNED)
                    last_index = self.binary(SubIOp, size, one)
                    high = self.binary(MinIOp, high, last_index, Signedness.SIGNED)
                inside = self.both(inside, self.compare(low, Compare.LESS_THAN_OR_EQUAL, high))
            inside = self.both(inside, self.compare(low, Compare.GREATER_THAN_OR_EQUAL, zero))
            inside = self.both(inside, self.compare(high, Compare.LESS_THAN, size))
            ends = [self.binary(MulIOp, end, stride) for end in (low, high)]
            first = self.add(first, self.binary(MinIOp, *ends, Signedness.SIGNED))
            last = self.add(last, self.binary(MaxIOp, *ends, Signedness.SIGNED))
        bits = element_bit_width(ty.element_type)
        start = self.binary(
            SubIOp,
            self.insert(PtrToIntOp(tensor.base, TileType(I64, []))),
            self.insert(PtrToIntOp(parameter, TileType(I64, []))),
        )
        first, last = (self._bytes(offset, bits) for offset in (first, last))
        last = self.add(last, self.constant(-(-bits // 8) - 1))
        wanted = inside if mask is None else self.both(inside, mask)
        self.check_bytes(parameter, self.add(first, start), self.add(last, start), wanted)

    def _numbers(self, static: Sequence[int | None], dynamic: Sequence[SSAValue]) -> list[SSAValue]:
        rest = iter(dynamic)
        return [
            self.wide(next(rest)) if number is None else self.constant(number) for number in static
        ]

    def _along(self, low: SSAValue, dim: int, tile: Sequence[int], is_tile: bool) -> SSAValue:
        """The indices of all elements of a tile along a dimension."""
        if not is_tile:
            steps = self.insert(IotaOp(TileType(I64, [tile[dim]])))
            low = self.add(steps, low)
        shape = [1] * len(tile)
        shape[dim] = tile[dim]
        rows = self.insert(ReshapeOp(low, TileType(I64, shape)))
        return self.insert(BroadcastOp(rows, TileType(I64, tile)))

    def _bytes(self, offset: SSAValue, bits: int) -> SSAValue:
        """Elements as bytes; two of four bits share one."""
        if bits == 4:
            return self.binary(ShRIOp, offset, self.constant(1), Signedness.SIGNED)
        return self.binary(MulIOp, offset, self.constant(-(-bits // 8)))

    def check_division(self, op: DivIOp | RemIOp) -> None:
        """Nothing is divided by zero, nor the smallest number by -1."""
        ty = op.rhs.type
        assert isinstance(ty, TileType)
        assert isinstance(ty.element_type, IntegerType)
        element, shape = ty.element_type, ty.get_shape()
        zero = self.constant(0, element, shape)
        unequal = Compare.NOT_EQUAL
        self.require(self.compare(op.rhs, unequal, zero), "divides by zero")
        if isinstance(op, DivIOp) and op.signedness.data is Signedness.SIGNED:
            smallest = -(1 << (element.width.data - 1))
            fits = self.binary(
                OrIOp,
                self.compare(op.rhs, unequal, self.constant(-1, element, shape)),
                self.compare(op.lhs, unequal, self.constant(smallest, element, shape)),
            )
            self.require(fits, f"divides {smallest}, the smallest {element}, by -1")

    def check_scales(self, op: MmaFScaledOp) -> None:
        """No scale is negative; -0 may be, which is as good as 0."""
        for name, scales in (("lhs", op.lhs_scale), ("rhs", op.rhs_scale)):
            ty = scales.type
            assert isinstance(ty, TileType)
            if not isinstance(ty.element_type, Float8E4M3FNType):
                continue
            bits = self.insert(BitcastOp(scales, TileType(I8, ty.get_shape())))
            kept = self.binary(
                OrIOp,
                self.compare(bits, Compare.GREATER_THAN_OR_EQUAL, self.constant(0, I8)),
                self.compare(bits, Compare.EQUAL, self.constant(MINUS_ZERO, I8)),
            )
            self.require(kept, f"has a negative scale of {name}, whose sign tensor cores ignore")


def add_extents(entry: EntryOp) -> dict[SSAValue, tuple[SSAValue, SSAValue]]:
    """Adds the parameters that tell how far the arrays of pointers reach."""
    block = entry.body.block
    found: dict[SSAValue, tuple[SSAValue, SSAValue]] = {}
    for number, parameter in enumerate(tuple(block.args)):
        ty = parameter.type
        if not isinstance(ty, TileType) or not isinstance(ty.element_type, PtrType):
            continue
        if parameter.name_hint is None:
            parameter.name_hint = f"argument_{number}"
        pair: list[SSAValue] = []
        for word in ("before", "after"):
            extent = block.insert_arg(TileType(I64, []), len(block.args))
            extent.name_hint = f"{parameter.name_hint}_{word}"
            pair.append(extent)
        found[parameter] = pair[0], pair[1]
    entry.properties["function_type"] = FunctionType.from_lists(
        [argument.type for argument in block.args], []
    )
    return found


@dataclass(frozen=True)
class InsertRuntimeChecksPass(ModulePass):
    """
    Makes accesses outside of their array, undefined divisions and negative scales fail an
    assertion.

    Runs on `cuda_tile`, before all other passes; see the module for what is checked, and for the
    parameters that kernels get.

    - masks: accesses through pointers are masked instead, where they leave their array, and nothing
      is checked; for a CPU, whose other memory they would change.
    """

    name = "insert-runtime-checks"

    masks: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for entry in tuple(each for each in op.walk() if isinstance(each, EntryOp)):
            if self.masks:
                insert_masks(entry)
            else:
                insert_checks(entry)


def insert_masks(entry: EntryOp) -> None:
    """Inserts the masks of a kernel."""
    extents = add_extents(entry)
    for op in tuple(entry.body.walk()):
        if isinstance(op, PointerAccess):
            CheckBuilder(op, extents).mask_access(op)


def insert_checks(entry: EntryOp) -> None:
    """Inserts the checks of a kernel."""
    extents = add_extents(entry)
    for op in tuple(entry.body.walk()):
        builder = CheckBuilder(op, extents)
        if isinstance(op, PointerAccess | ViewAccess):
            if accessed_parameter(op) is None:
                message = f"'{op.name}' is not checked at run time"
                reason = "its pointers are not computed from one parameter"
                remark(op, "Missed", "Memory", message, name="Check", reason=reason)
            builder.check_access(op)
        elif isinstance(op, DivIOp | RemIOp) and find_around(op, AggregateOperation) is None:
            # What combines elements in a reduction or scan has no effects.
            builder.check_division(op)
        elif isinstance(op, MmaFScaledOp):
            builder.check_scales(op)


# The parameters that accesses are computed from.

PointerAccess = LoadPtrOp | StorePtrOp | AtomicRMWOp | AtomicCASOp
ViewAccess = LoadViewOp | StoreViewOp | AtomicRedViewOp

OPERANDS = {
    LoadPtrOp: ("source", "mask", "padding_value", "token"),
    StorePtrOp: ("destination", "value", "mask", "token"),
    AtomicRMWOp: ("pointers", "arg", "mask", "token"),
    AtomicCASOp: ("pointers", "cmp", "val", "mask", "token"),
}
"""Of accesses through pointers, in order."""

FORWARDING = (OffsetOp, ReshapeOp, BroadcastOp, PermuteOp, AssumeOp, ExtractOp, PtrToPtrOp)
"""Ops whose first operand is the pointer that their result is computed from."""


def find_parameter(value: SSAValue) -> SSAValue | None:
    """The parameter that a pointer is computed from; `None` if it is not the only one."""
    found: set[SSAValue] = set()
    seen: set[SSAValue] = set()
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        owner = value.owner
        if isinstance(owner, FORWARDING):
            waiting.append(owner.operands[0])
        elif isinstance(owner, SelectOp):
            waiting += owner.operands[1:]
        elif isinstance(owner, IfOp):
            waiting += _yielded(owner, owner.results.index(value))
        elif isinstance(owner, ForOp):
            waiting += _carried(owner, owner.results.index(value))
        elif isinstance(owner, Block) and isinstance(loop := owner.parent_op(), ForOp):
            waiting += _carried(loop, owner.args.index(value) - 1)
        elif isinstance(owner, Block) and isinstance(owner.parent_op(), EntryOp):
            found.add(value)
        else:
            return None
    return found.pop() if len(found) == 1 else None


def _yielded(branch: IfOp, number: int) -> list[SSAValue]:
    """What the branches of an `if` yield."""
    ends = [region.block.last_op for region in branch.regions if region.blocks]
    return [end.operands[number] for end in ends if isinstance(end, YieldOp)]


def _carried(loop: ForOp, number: int) -> list[SSAValue]:
    """What a loop-carried value may be."""
    ends = [op for op in loop.body.walk() if isinstance(op, ContinueOp) and _loop_of(op) is loop]
    return [loop.init_values[number], *(end.operands[number] for end in ends)]


def _loop_of(op: Operation) -> Operation | None:
    """The loop that an op continues."""
    parent = op.parent_op()
    while isinstance(parent, IfOp):
        parent = parent.parent_op()
    return parent


def find_tensor(access: ViewAccess) -> MakeTensorViewOp | None:
    """Where the tensor is made that an access to a tile of a view is about, if that is known."""
    made = access.view.owner
    tensor = made.operands[0].owner if isinstance(made, MakeViewOperation) else None
    return tensor if isinstance(tensor, MakeTensorViewOp) else None


def accessed_parameter(access: PointerAccess | ViewAccess) -> SSAValue | None:
    """The only parameter that an access can be about; `None` if that is not known."""
    if isinstance(access, PointerAccess):
        return find_parameter(access.operands[0])
    tensor = find_tensor(access)
    return None if tensor is None else find_parameter(tensor.base)
