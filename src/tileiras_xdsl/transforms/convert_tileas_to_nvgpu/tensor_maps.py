"""
Tensor maps: what copies of boxes (TMA) have to know about a tensor in global memory.

`tensor_map` gives the address of a map. Who makes it depends on the ABI of the kernel:

- `host-maps`: the launcher, which is told how by the attribute `nvgpu.host_maps` and passes the
  map behind the other arguments;
- `device-maps`: the kernel. When it starts, its first warp writes the maps to shared memory field
  by field and copies them to a slot in global memory, from where copies can use them. A map that
  a launcher cannot know, because it depends on more than arguments, is made so with either ABI.

A kernel that copies boxes calls, in this order,

    begin(code)     # all threads, before the first barrier of the block
    code.barrier()
    acquire(code)   # the threads that are going to copy, once in each agent
    address = tensor_map(code, view, box, swizzle)   # where such threads are
    …
    code.barrier()  # all copies have been waited for
    finish(code)    # one thread

Which maps there are is known when all is lowered; `complete` then writes the code of the other
functions to where they were called.

A slot must belong to one block: a multiprocessor has as many as blocks of the kernel fit on it, and
a word whose bits say which are taken. Launches of the same kernel that run at once share the words,
so that they take different slots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeGuard

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatTF32Type,
    IntegerAttr,
    TensorType,
    UnitAttr,
    UnrealizedConversionCastOp,
    f32,
    i8,
    i64,
)
from xdsl.dialects.gpu import FuncOp
from xdsl.dialects.llvm import LLVMArrayType, LLVMPointerType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import Pure

from tileiras_xdsl.dialects.nv_tileaa.shape import AssumeOp
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType, TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import BlockTileOp, MakeMemrefOp
from tileiras_xdsl.dialects.nvgpu.host_maps import HostMap, LaunchNumber, set_host_maps
from tileiras_xdsl.dialects.nvvm import PrefetchTensorMapOp
from tileiras_xdsl.dialects.nvvm.barriers import (
    MAX_TENSOR_RANK,
    TENSOR_MAP_BYTES,
    TENSOR_MAP_ELEMENTS,
)
from tileiras_xdsl.dialects.nvvm.fragments import element_bits

from .accesses import memory_type
from .thread_code import ThreadCode

ABIS: Final = ("device-maps", "host-maps")

GENERIC_POINTER: Final = LLVMPointerType()
MAP_ALIGNMENT: Final = 64
PARAMETER_ATTRIBUTES: Final[dict[str, Attribute]] = {
    "llvm.align": IntegerAttr(MAP_ALIGNMENT, i64),
    "llvm.byval": LLVMArrayType(TENSOR_MAP_BYTES, i8),
    "nvvm.grid_constant": UnitAttr(),
}
"""A map is passed by value and read in place."""


@dataclass(frozen=True)
class MapKey:
    """What makes two maps the same."""

    memref: SSAValue
    box: tuple[int, ...]
    """By dimension of the tensor, outermost first."""
    swizzle: int


@dataclass
class TensorMaps:
    """The tensor maps of a kernel, as they are found."""

    host_maps: bool = False
    """Whether the launcher makes those that it can."""
    parameters: dict[MapKey, tuple[SSAValue, HostMap]] = field(
        default_factory=dict[MapKey, tuple[SSAValue, HostMap]]
    )
    """Maps that the launcher makes, in the order of the parameters."""
    starts: list[Operation] = field(default_factory=list[Operation])
    """Where `begin` was called; ops that stand for the code to come."""


# What can have a map


def find_memref(view: SSAValue) -> MakeMemrefOp | None:
    """The op that makes the tensor behind a view."""
    while True:
        match view.owner:
            case MakeMemrefOp() as op:
                return op
            case BlockTileOp() as op:
                view = op.memref
            case AssumeOp() as op:
                view = op.value
            case _:
                return None


def can_map(view: SSAValue) -> bool:
    """
    Whether a map can be made of the tensor behind a view: it is made in the kernel's first block,
    of arguments, constants and arithmetic on such, and the hardware knows its rank and elements.
    Alignment and strides are not looked at.
    """
    op = find_memref(view)
    if op is None or op.parent is None or not _is_first_block(op.parent):
        return False
    type = op.result.type
    assert isinstance(type, MemRefType)
    if not 1 <= len(type.shape.data) <= MAX_TENSOR_RANK:
        return False
    if str(_map_element(type.element_type)) not in TENSOR_MAP_ELEMENTS:
        return False
    return all(_is_early(operand, op.parent) for operand in op.operands)


def map_dims(view: SSAValue) -> tuple[int, ...]:
    """
    The dimensions of the tensor behind a view in the order of its map and of the coordinates of
    copies: from the innermost outwards, which is the one whose stride is known to be 1 if that
    is not the last.
    """
    type = view.type.memref if isinstance(view.type, TiledViewType) else view.type
    assert isinstance(type, MemRefType)
    strides = type.strides.data
    dims = list(reversed(range(len(strides))))
    inner = next((dim for dim in dims if strides[dim] is not None and strides[dim] == 1), dims[0])
    return (inner, *(dim for dim in dims if dim != inner))


def _is_first_block(block: Block) -> bool:
    function = block.parent_op()
    return isinstance(function, FuncOp) and function.body.blocks.first is block


def _is_early(value: SSAValue, block: Block) -> bool:
    """Whether a scalar can be computed where the kernel starts."""
    pending, seen = [value], set[SSAValue]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value.type, TensorType):
            return False
        if isinstance(owner := value.owner, Block):
            if owner is not block:
                return False
        elif owner.parent is not block or owner.regions or not owner.has_trait(Pure):
            return False
        else:
            pending += owner.operands
    return True


def _map_element(element: Attribute) -> Attribute:
    """The type that a map has for elements: a copy changes no bits of tf32."""
    return f32 if isinstance(element, FloatTF32Type) else element


def _element_bytes(type: MemRefType) -> int:
    return element_bits(memory_type(type.element_type)) // 8


# Where maps are asked for


def tensor_map(code: ThreadCode, view: SSAValue, box: Sequence[int], swizzle: int) -> SSAValue:
    """
    The address of the map of the tensor behind a view, or of a memref, as a generic pointer. `box`
    has as many elements for each dimension of the tensor as a copy moves, outermost first; the
    swizzle is 0, 32, 64 or 128 bytes.
    """
    op = find_memref(view)
    assert op is not None
    maps = _get_maps(code)
    key = MapKey(op.result, tuple(box), swizzle)
    if key in maps.parameters:
        return maps.parameters[key][0]
    host_map = _find_host_map(code, op, key)
    if host_map is None:
        code.fail(code.op, "there is no tensor map of a tensor that the launcher does not know")
    parameter = code.add_argument(GENERIC_POINTER)
    parameter.name_hint = f"map_{len(maps.parameters)}"
    maps.parameters[key] = parameter, host_map
    return parameter


def begin(code: ThreadCode) -> None:
    """Prepares maps, where all threads come by when the kernel starts; a barrier has to follow."""
    _get_maps(code).starts.append(_mark(code))


def acquire(code: ThreadCode) -> None:
    """Lets the threads that come by use maps, behind the barrier that follows `begin`."""


def finish(code: ThreadCode) -> None:
    """Gives back what maps needed, where one thread comes by when all copies are done."""


def _get_maps(code: ThreadCode) -> TensorMaps:
    if code.maps is None:
        code.maps = TensorMaps()
    return code.maps


def _mark(code: ThreadCode) -> Operation:
    """An op that stands for code that is not known yet."""
    return code.emit(UnrealizedConversionCastOp.get([], []))


def _fill(code: ThreadCode, mark: Operation, write: Callable[[], None]) -> None:
    """Puts code in the place of an op that stands for it."""
    block = Block()
    with code.early(block):
        write()
    ops = list(block.ops)
    for op in ops:
        op.detach()
    Rewriter.insert_op(ops, InsertPoint.before(mark))
    mark.detach()
    mark.erase()


def _only_if(code: ThreadCode, condition: SSAValue, write: Callable[[], None]) -> None:
    """Code that threads execute if they fulfil a condition."""
    block = Block()
    with code.inside(block):
        write()
        code.emit(scf.YieldOp())
    code.emit(scf.IfOp(condition, [], Region(block)))


# Maps of the launcher


def _find_host_map(code: ThreadCode, op: MakeMemrefOp, key: MapKey) -> HostMap | None:
    """How a launcher makes a map, if it can."""
    if not _get_maps(code).host_maps or op.offset is not None:
        return None
    type = op.result.type
    assert isinstance(type, MemRefType)
    base = _strip_assumptions(op.base)
    if not _is_parameter(base):
        return None
    width = _element_bytes(type)
    dynamic = iter((*op.sizes, *op.strides))
    sizes = [_launch_number(code, each, dynamic, 1) for each in type.shape.data]
    strides = [_launch_number(code, each, dynamic, width) for each in type.strides.data]
    dims = map_dims(op.result)
    known_sizes = [number for dim in dims if (number := sizes[dim]) is not None]
    known_strides = [number for dim in dims[1:] if (number := strides[dim]) is not None]
    if len(known_sizes) < len(dims) or len(known_strides) < len(dims) - 1:
        return None
    return HostMap(
        _map_element(type.element_type),
        base.index,
        tuple(known_sizes),
        tuple(known_strides),
        tuple(key.box[dim] for dim in dims),
        key.swizzle,
    )


def _launch_number(
    code: ThreadCode, known: int | None, dynamic: Iterator[SSAValue], scale: int
) -> LaunchNumber | None:
    """A size or stride times a scale, as a launcher knows it; `dynamic` has the ones to come."""
    if known is not None:
        return known * scale, None
    value = next(dynamic)
    fact = code.facts[value]
    if fact.low == fact.high:
        return int(fact.low) * scale, None
    value = _strip_assumptions(value)
    return (scale, value.index) if _is_parameter(value) else None


def _strip_assumptions(value: SSAValue) -> SSAValue:
    """A value as it was before facts were stated, and before it was widened."""
    while isinstance(op := value.owner, AssumeOp | arith.ExtSIOp):
        value = op.operands[0]
    return value


def _is_parameter(value: SSAValue) -> TypeGuard[BlockArgument]:
    """Whether a value is an argument of the kernel."""
    return isinstance(value.owner, Block) and _is_first_block(value.owner)


# When all maps are known


def complete(code: ThreadCode) -> None:
    """Writes what `begin`, `acquire` and `finish` have left out."""
    maps = _get_maps(code)
    for mark in maps.starts:
        _fill(code, mark, lambda: _start(code, maps))
    if maps.parameters:
        _say_parameters(code, maps)


def _start(code: ThreadCode, maps: TensorMaps) -> None:
    """One thread fetches the maps of the launcher."""
    if maps.parameters:
        addresses = [address for address, _ in maps.parameters.values()]
        _only_if(code, code.first_thread(), lambda: _prefetch(code, addresses))


def _prefetch(code: ThreadCode, addresses: Sequence[SSAValue]) -> None:
    for address in addresses:
        code.emit(PrefetchTensorMapOp(address))


def _say_parameters(code: ThreadCode, maps: TensorMaps) -> None:
    """Tells the launcher about the maps, and that they are passed by value."""
    function = code.function
    assert isinstance(function, FuncOp)
    set_host_maps(function, [host_map for _, host_map in maps.parameters.values()])
    given = function.attributes.get("arg_attrs")
    attributes = list(given) if isinstance(given, ArrayAttr) else []
    attributes += [DictionaryAttr({})] * (len(function.body.block.args) - len(attributes))
    attributes += [DictionaryAttr(PARAMETER_ATTRIBUTES)] * len(maps.parameters)
    function.attributes["arg_attrs"] = ArrayAttr(attributes)
