"""
What a kernel says about its parameters: which are the sizes and strides of tensors, what is assumed
of them, and by which numbers of tiles tensors are indexed.

Dimensions of tensors that the same values index are of one *class*: if a matmul loads `a[i, k]` and
`b[k, j]`, the second dimension of `a` and the first of `b` have the same size. That is a guess, as
are all roles here; whether inputs made from it are good is found out by running the kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import lcm

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.attributes import BoundedAttr, DivByAttr
from tileiras_xdsl.dialects.cuda_tile.types import PtrType, TileType, TileViewType, is_float
from tileiras_xdsl.dialects.cuda_tile.views import MakeViewOperation, ViewAccessOperation
from tileiras_xdsl.dialects.nv_tileaa.types import ViewLayout
from tileiras_xdsl.interpreter.elements import float_format
from tileiras_xdsl.interpreter.values import shape_of

TRANSPARENT = (ct.AssumeOp, ct.ExtIOp, ct.TruncIOp, ct.BroadcastOp, ct.ReshapeOp)
"""Ops whose result stands for their operand."""
MOST_SOURCES = 2_000
"""Values that are looked at to find out what an index depends on."""


@dataclass
class Parameter:
    """A parameter of a kernel, and what is assumed of it."""

    number: int
    element: Attribute
    """What it points to, if it is a pointer."""
    is_pointer: bool
    divisor: int = 1
    """Of a number; of an address in bytes."""
    lower: int | None = None
    upper: int | None = None
    is_raw: bool = False
    """Whether a pointer is used in other ways than as the base of tensors."""
    is_used: bool = False

    @property
    def is_integer(self) -> bool:
        return not self.is_pointer and isinstance(self.element, IntegerType)

    def fit(self, wanted: int) -> int:
        """A number near one that is wanted, of which what is assumed is true."""
        if self.lower is not None:
            wanted = max(wanted, self.lower)
        found = -(-wanted // self.divisor) * self.divisor
        if self.upper is not None and found > self.upper:
            found = self.upper // self.divisor * self.divisor
        if isinstance(self.element, IntegerType):
            found = min(found, (1 << (self.element.width.data - 1)) - 1)
        return found


@dataclass
class IndexSources:
    """What the indices of a dimension depend on."""

    axes: frozenset[int] = frozenset()
    """The dimensions of the grid."""
    is_counted: bool = False
    """Whether a loop counts the index."""
    is_strided: bool = False
    """Whether that loop has fewer iterations the more CTAs there are."""
    is_looked_up: bool = False
    """Whether an index comes from memory."""

    def add(self, other: IndexSources) -> None:
        """Depends on what another depends on as well."""
        self.axes |= other.axes
        self.is_counted |= other.is_counted
        self.is_strided |= other.is_strided
        self.is_looked_up |= other.is_looked_up


@dataclass
class DimClass(IndexSources):
    """Dimensions that are indexed by the same values, in tiles."""

    tile: int = 1
    """Elements of the largest tile along them."""
    step: int = 1
    """Elements from one index to the next."""
    needed: int = 0
    """Elements that accesses with constant indices reach."""
    divisor: int = 1
    lower: int = 0
    upper: int | None = None
    """What is assumed of their sizes."""
    static: int | None = None
    """The size, if the type of a tensor says it."""
    is_indexed: bool = False
    """Whether any index is not constant."""

    def fit(self, wanted: int) -> int:
        """A size near one that is wanted, of which what is assumed is true."""
        if self.static is not None:
            return self.static
        found = -(-max(wanted, self.lower) // self.divisor) * self.divisor
        if self.upper is not None and found > self.upper:
            found = self.upper // self.divisor * self.divisor
        return found


@dataclass
class TensorDim:
    """A dimension of a tensor: numbers, or the parameters that they are."""

    size: int | Parameter | None
    stride: int | Parameter | None
    """None of what is computed."""
    of: DimClass = field(default_factory=DimClass)


@dataclass
class Tensor:
    """A tensor that a kernel makes a view of."""

    base: Parameter
    dims: list[TensorDim]


@dataclass
class KernelFacts:
    """What a kernel says about its parameters."""

    parameters: list[Parameter]
    tensors: list[Tensor] = field(default_factory=list[Tensor])
    grid_axes: frozenset[int] = frozenset()
    """The dimensions of the grid that the kernel asks for."""
    flags: dict[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    """Pointers that strong accesses in loops read through, and what that is compared with."""
    is_uneven: bool = False
    """Whether tile blocks have loops of different lengths, and may be done in another order."""
    has_freedom: bool = False
    """Whether results depend on the order of additions, or on how functions are computed."""
    precision: int = 53
    """The bits of the shortest significand that is computed."""
    additions: int = 0
    """Elements that an op adds up, at most."""

    @property
    def classes(self) -> list[DimClass]:
        """The classes of all dimensions."""
        found: dict[int, DimClass] = {}
        for tensor in self.tensors:
            for dim in tensor.dims:
                found[id(dim.of)] = dim.of
        return list(found.values())

    @property
    def scalars(self) -> list[Parameter]:
        """The integers that are neither size nor stride of a tensor."""
        known = {
            id(part)
            for tensor in self.tensors
            for dim in tensor.dims
            for part in (dim.size, dim.stride)
        }
        return [each for each in self.parameters if each.is_integer and id(each) not in known]


def make_parameters(kernel: Operation) -> list[Parameter]:
    """The parameters of a kernel of any stage that takes pointers to elements of a type."""
    found: list[Parameter] = []
    for number, argument in enumerate(kernel.regions[0].blocks[0].args):
        ty = argument.type
        element = ty.element_type if isinstance(ty, TileType) else ty
        is_pointer = isinstance(element, PtrType)
        pointee = element.pointee if isinstance(element, PtrType) else element
        is_used = any(True for _ in argument.uses)
        found.append(Parameter(number, pointee, is_pointer, is_used=is_used))
    return found


def find_facts(kernel: Operation) -> KernelFacts:
    """What a kernel says about its parameters."""
    return _Reader(kernel).read()


class _Reader:
    """Reads a kernel of `cuda_tile`."""

    def __init__(self, kernel: Operation):
        self.kernel = kernel
        self.facts = KernelFacts(make_parameters(kernel))
        self.block = kernel.regions[0].blocks[0]
        self.tensors: dict[SSAValue, Tensor] = {}
        self.by_index: dict[SSAValue, DimClass] = {}
        self.is_shared = False
        """Whether CTAs share the iterations of a loop, as many of them as there are."""

    def parameter_of(self, value: SSAValue) -> Parameter | None:
        """The parameter that a value is."""
        while isinstance(value, OpResult) and isinstance(value.op, TRANSPARENT):
            value = value.op.operands[0]
        if isinstance(value, BlockArgument) and value.block is self.block:
            return self.facts.parameters[value.index]
        return None

    def read(self) -> KernelFacts:
        ops = list(self.kernel.walk())
        axes: set[int] = set()
        for op in ops:
            if isinstance(op, ct.AssumeOp):
                self._assume(op)
            elif isinstance(op, ct.GetTileBlockIdOp | ct.GetNumTileBlocksOp):
                axes |= {n for n, result in enumerate(op.results) if any(True for _ in result.uses)}
            elif isinstance(op, ct.MakeTensorViewOp):
                self._add_tensor(op)
            elif isinstance(op, MakeViewOperation):
                if (tensor := self.tensors.get(op.operands[0])) is not None:
                    self.tensors[op.results[0]] = tensor
            elif isinstance(op, ct.ForOp):
                self._note_loop(op)
            self._note_rounding(op)
        for op in ops:
            if isinstance(op, ViewAccessOperation):
                self._add_access(op)
        self.facts.grid_axes = frozenset(axes)
        # A loop over tiles that CTAs of a grid in a row share is no reason for another order.
        self.facts.is_uneven |= self.is_shared and len(axes) > 1
        self._find_raw_pointers()
        self._find_flags()
        return self.facts

    def _assume(self, op: ct.AssumeOp) -> None:
        parameter = self.parameter_of(op.value)
        if parameter is None:
            return
        predicate = op.predicate
        if isinstance(predicate, DivByAttr) and predicate.every is None:
            parameter.divisor = lcm(parameter.divisor, max(1, predicate.divisor))
        elif isinstance(predicate, BoundedAttr):
            if (lower := predicate.lower) is not None:
                parameter.lower = max(lower, parameter.lower or lower)
            if (upper := predicate.upper) is not None:
                parameter.upper = min(upper, upper if parameter.upper is None else parameter.upper)

    def _add_tensor(self, op: ct.MakeTensorViewOp) -> None:
        base = self.parameter_of(op.base)
        if base is None:
            return
        ty = op.result.type
        assert isinstance(ty, ct.TensorViewType)
        sizes, strides = iter(op.dynamic_shape), iter(op.dynamic_strides)

        def part(given: int | None, operands: Iterable[SSAValue]) -> int | Parameter | None:
            if given is not None:
                return given
            value = next(iter(operands))
            return self.parameter_of(value) if _constant(value) is None else _constant(value)

        dims = [
            TensorDim(part(size, sizes), part(stride, strides))
            for size, stride in zip(ty.shape.data, ty.strides.data, strict=True)
        ]
        for dim in dims:
            _restrict(dim.of, dim.size)
        self.tensors[op.result] = Tensor(base, dims)
        self.facts.tensors.append(self.tensors[op.result])

    def _add_access(self, op: ViewAccessOperation) -> None:
        view: SSAValue = getattr(op, "view")
        tensor, ty = self.tensors.get(view), view.type
        if tensor is None or not isinstance(ty, TileViewType):
            return
        layout = ViewLayout.of(ty)
        indices: Sequence[SSAValue] = getattr(op, "index")
        for place, index in enumerate(indices):
            dim = tensor.dims[layout.dim_map[place]]
            tile, step = layout.tile_shape[place], layout.steps[place]
            if place == layout.sparse_dim:
                continue
            dim.of.tile, dim.of.step = max(dim.of.tile, tile), max(dim.of.step, step)
            number = _constant(index)
            if number is not None:
                dim.of.needed = max(dim.of.needed, number * step + tile)
            else:
                self._add_index(dim, index)

    def _add_index(self, dim: TensorDim, index: SSAValue) -> None:
        while isinstance(index, OpResult) and isinstance(index.op, TRANSPARENT):
            index = index.op.operands[0]
        known = self.by_index.get(index)
        if known is None:
            self.by_index[index] = known = dim.of
        elif known is not dim.of and known.tile == dim.of.tile:
            self._merge(known, dim.of)
        dim.of.is_indexed = True
        dim.of.add(_sources_of(index))

    def _merge(self, into: DimClass, other: DimClass) -> None:
        """Makes two classes one."""
        for tensor in self.facts.tensors:
            for dim in tensor.dims:
                if dim.of is other:
                    dim.of = into
        for value, found in self.by_index.items():
            if found is other:
                self.by_index[value] = into
        into.step = max(into.step, other.step)
        into.needed = max(into.needed, other.needed)
        into.divisor = lcm(into.divisor, other.divisor)
        into.lower = max(into.lower, other.lower)
        if other.upper is not None:
            into.upper = min(other.upper, other.upper if into.upper is None else into.upper)
        into.static = other.static if into.static is None else into.static
        into.is_indexed |= other.is_indexed
        into.add(other)

    def _find_raw_pointers(self) -> None:
        """Pointers that are more than the base of tensors."""
        pending: list[SSAValue] = list(self.block.args)
        while pending:
            value = pending.pop()
            for use in value.uses:
                if isinstance(use.operation, ct.AssumeOp):
                    pending.append(use.operation.result)
                elif not isinstance(use.operation, ct.MakeTensorViewOp):
                    parameter = self.parameter_of(value)
                    if parameter is not None and parameter.is_pointer:
                        parameter.is_raw = True

    def _find_flags(self) -> None:
        from tileiras_xdsl.interpreter.run import strong_accesses

        strong = strong_accesses(self.kernel)
        if not strong:
            return
        wanted = {
            number
            for op in self.kernel.walk()
            if isinstance(op, ct.CmpIOp)
            for operand in op.operands
            if (number := _constant(operand)) is not None
        }
        for op in strong:
            for operand in op.operands:
                for number in _sources_of(operand).parameters(self.block):
                    parameter = self.facts.parameters[number]
                    if parameter.is_pointer and isinstance(parameter.element, IntegerType):
                        self.facts.flags[number] = frozenset(wanted | {1})

    def _note_loop(self, op: ct.ForOp) -> None:
        if not any(_sources_of(bound).axes for bound in op.operands[:3]):
            return
        if _asks_for_grid(op.operands[2]):
            self.is_shared = True
        else:
            self.facts.is_uneven = True

    def _note_rounding(self, op: Operation) -> None:
        if isinstance(op, FREE_OPS) or (isinstance(op, ct.AtomicRMWOp | ct.AtomicRedViewOp)):
            self.facts.has_freedom |= any(_precision(each.type) for each in op.operands)
        if isinstance(op, ADDING_OPS):
            sizes = [size for each in op.operands for size in shape_of(each.type)]
            self.facts.additions = max(self.facts.additions, *sizes, 0)
        for result in op.results:
            if (bits := _precision(result.type)) and not isinstance(op, NOT_COMPUTED):
                self.facts.precision = min(self.facts.precision, bits)


ADDING_OPS = (ct.ReduceOp, ct.ScanOp, ct.MmaFOp, ct.MmaFScaledOp)
"""Ops that add elements of their operands."""
FREE_OPS = (
    *ADDING_OPS,
    *(ct.ExpOp, ct.Exp2Op, ct.TanHOp, ct.RsqrtOp, ct.SqrtOp, ct.DivFOp, ct.PowOp, ct.FPowFOp),
    *(ct.FPowIOp, ct.Atan2Op, ct.LogOp, ct.Log2Op, ct.SinOp, ct.CosOp, ct.TanOp, ct.SinHOp),
    *(ct.CosHOp, ct.RemFOp),
)
"""Ops that add in an order of their own, or compute functions that few round correctly."""
NOT_COMPUTED = (
    *(ct.LoadViewOp, ct.LoadPtrOp, ct.ConstantOp, ct.ReshapeOp, ct.BroadcastOp, ct.PermuteOp),
    *(ct.CatOp, ct.ExtractOp, ct.InsertOp, ct.SelectOp, ct.AssumeOp, ct.UnpackOp, ct.BitcastOp),
)
"""Ops that give floats as they are."""


def _precision(ty: Attribute) -> int:
    """The bits of the significands of floats of a tile; 0 of others."""
    element = ty.element_type if isinstance(ty, TileType) else None
    return float_format(element).precision if element is not None and is_float(element) else 0


def _restrict(dim_class: DimClass, size: int | Parameter | None) -> None:
    """What is assumed of the size of a dimension holds for its class."""
    if isinstance(size, int):
        dim_class.static = size
    elif size is not None:
        dim_class.divisor = lcm(dim_class.divisor, size.divisor)
        dim_class.lower = max(dim_class.lower, size.lower or 0)
        dim_class.upper = size.upper


def _constant(value: SSAValue) -> int | None:
    """The integer that a value is."""
    while isinstance(value, OpResult) and isinstance(value.op, TRANSPARENT):
        value = value.op.operands[0]
    if not isinstance(value, OpResult) or not isinstance(value.op, ct.ConstantOp):
        return None
    ty = value.type
    if not isinstance(ty, TileType) or not isinstance(ty.element_type, IntegerType):
        return None
    from tileiras_xdsl.interpreter.tiles import elements_of

    elements = elements_of(value.op.value)
    first = int(elements.flat[0])
    return first if (elements == elements.flat[0]).all() else None


@dataclass
class _Sources(IndexSources):
    """What a value depends on."""

    values: set[SSAValue] = field(default_factory=set[SSAValue])

    def parameters(self, block: object) -> list[int]:
        """The numbers of the parameters of a kernel among them."""
        return [
            value.index
            for value in self.values
            if isinstance(value, BlockArgument) and value.block is block
        ]


def _sources_of(start: SSAValue) -> _Sources:
    """What a value is computed from: the ops before it, and what loops carry."""
    found = _Sources()
    pending = [start]
    while pending and len(found.values) < MOST_SOURCES:
        value = pending.pop()
        if value in found.values:
            continue
        found.values.add(value)
        if isinstance(value, OpResult):
            if isinstance(value.op, ct.GetTileBlockIdOp):
                found.axes |= {value.index}
            found.is_looked_up |= isinstance(value.op, ct.TokenOrderedOperation)
            pending += value.op.operands
            continue
        assert isinstance(value, BlockArgument)
        loop = value.block.parent_op()
        if isinstance(loop, ct.ForOp):
            if value.index == 0:
                pending += [loop.operands[0], loop.operands[2]]
                found.is_counted |= value is start
                found.is_strided |= _asks_for_grid(loop.operands[2])
            else:
                pending.append(loop.operands[2 + value.index])
        elif isinstance(loop, ct.LoopOp):
            pending.append(loop.operands[value.index])
            found.is_counted |= value is start
    return found


def _asks_for_grid(value: SSAValue) -> bool:
    """Whether a value depends on how many tile blocks there are."""
    return any(
        isinstance(each, OpResult) and isinstance(each.op, ct.GetNumTileBlocksOp)
        for each in _sources_of(value).values
    )
