"""Rules for accesses to memory: through pointers, by atomics, and through descriptors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd
from typing import Any, Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    IntegerAttr,
    IntegerType,
    i64,
)
from xdsl.dialects.builtin import Signedness as IntegerSignedness
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects import tt
from tileiras_xdsl.dialects.cuda_tile import (
    AtomicMode,
    ComparisonPredicate,
    MemoryOrdering,
    MemoryScope,
    PaddingValue,
    Signedness,
)
from tileiras_xdsl.dialects.cuda_tile.attributes import BoundedAttr, DivByAttr
from tileiras_xdsl.dialects.cuda_tile.types import (
    PartitionViewType,
    StridedViewType,
    TensorViewType,
    TileViewType,
)
from tileiras_xdsl.dialects.memory_order import ACCESS, Effect, own_effects
from tileiras_xdsl.dialects.tileiras import explain

from .emitter import Descriptor, Emitter, Results, rule

# What accesses are to


def find_root(value: SSAValue) -> SSAValue | None:
    """
    The argument that a pointer or descriptor was made of, or that its address was loaded through;
    `None` if that is not known.
    """
    seen: set[SSAValue] = set()
    while value not in seen:
        seen.add(value)
        owner = value.owner
        if isinstance(owner, Block):
            parent = owner.parent_op()
            if isinstance(parent, tt.FuncOp):
                return value if parent.is_kernel and owner.prev_block is None else None
            if not isinstance(parent, scf.ForOp) or not isinstance(value, BlockArgument):
                return None
            return _root_of_carried(parent, value.index - 1)
        if isinstance(owner, scf.ForOp):
            return _root_of_carried(owner, owner.results.index(value))  # pyright: ignore[reportArgumentType]
        if not isinstance(owner, tt.LoadOp | tt.IntToPtrOp) and not owner.has_trait(tt.ViewLike):
            return None
        value = owner.operands[0]
    return None


def _root_of_carried(loop: scf.ForOp, index: int) -> SSAValue | None:
    """Where a pointer that a loop carries comes from, if it only moves there."""
    argument, end = loop.body.block.args[1 + index], loop.body.block.last_op
    assert end is not None
    value = end.operands[index]
    while value is not argument:
        owner = value.owner
        if isinstance(owner, Block) or not owner.has_trait(tt.ViewLike):
            return None
        value = owner.operands[0]
    return find_root(loop.iter_args[index])


def _lets_others_store(effect: Effect) -> bool:
    """Whether what others store may be seen after an op, as it waits for it or looks at it."""
    is_strong_load = effect & Effect.ATOMIC and not effect & Effect.WRITE
    return bool(is_strong_load or effect & ~(ACCESS | Effect.ATOMIC | Effect.PRINT | Effect.ASSERT))


def _accessed(op: Operation) -> SSAValue | None:
    """The argument through which an op accesses memory; `None` if that is not known."""
    return find_root(op.operands[0]) if isinstance(op, tt.AccessOperation) else None


def find_read_only(function: tt.FuncOp) -> frozenset[SSAValue]:
    """
    The arguments through which nothing is stored. There are none if it is not known where
    something is stored, or if the program waits for others, which may store anywhere.

    Triton's launcher does not say whether tensors overlap. One that is stored through an argument
    of its own is taken to be another one: within a program, no access is ordered with a load
    through another argument, nor with the only store through one.
    """
    written: set[SSAValue] = set()
    for op in function.walk():
        effect = own_effects(op)
        if _lets_others_store(effect):
            return frozenset()
        if effect & Effect.WRITE:
            root = _accessed(op)
            if root is None:
                return frozenset()
            written.add(root)
    return frozenset(function.body.blocks[0].args) - written


def find_stored_once(function: tt.FuncOp) -> frozenset[SSAValue]:
    """
    The arguments through which there is one store and nothing else. There are none if it is not
    known where something is loaded or stored.
    """
    roots = list[SSAValue]()
    stored = list[SSAValue]()
    for op in function.walk():
        if not own_effects(op) & ACCESS:
            continue
        root = _accessed(op)
        if root is None:
            return frozenset()
        roots.append(root)
        if isinstance(op, tt.StoreOp | tt.DescriptorStoreOp):
            stored.append(root)
    return frozenset(root for root in stored if roots.count(root) == 1)


def find_ordered(op: Operation, read_only: frozenset[SSAValue]) -> Effect:
    """What in an op needs an order: nothing, reads alone, or what must stay in its place."""
    found = Effect.NONE
    for nested in op.walk():
        effect = own_effects(nested)
        if effect not in (Effect.NONE, Effect.READ, Effect.ASSERT):
            return Effect.WRITE
        if effect == Effect.READ and _accessed(nested) not in read_only:
            found = Effect.READ
    return found


# Pointers


@rule("tt.addptr")
def convert_addptr(emitter: Emitter, op: tt.AddPtrOp) -> Results:
    """Moves pointers."""
    return ct.OffsetOp(*emitter.list_values(op.operands))


def drop_hints(emitter: Emitter, op: Operation) -> None:
    """Says that hints to caches are dropped."""
    defaults = {"cache": 1, "evict": 1}
    given = [
        name
        for name, number in defaults.items()
        if isinstance(found := op.properties.get(name), IntegerAttr) and found.value.data != number
    ]
    if given or "cachePolicy" in op.properties:
        explain(op, "Missed", "Memory", "hints to caches are dropped: tile programs have none")


@rule("tt.load")
def convert_load(emitter: Emitter, op: tt.LoadOp) -> Results:
    """
    %r = tt.load %p, %m, %o : tensor<8x!tt.ptr<f32>>
    →
    %r, %t1 = cuda_tile.load_ptr_tko weak %p, %m, %o token=%t0 : … -> tile<8xf32>, token

    A volatile load is a relaxed one. What is masked out and has no other value is zero.
    """
    if isinstance(tt.pointee_of(op.ptr.type), tt.TensorType):
        ptr = tt.element_of(op.ptr.type)
        if isinstance(ptr, tt.PtrType) and isinstance(ptr.pointee, tt.TensorType):
            emitter.fail("has no conversion for pointers to blocks: Triton rewrites them")
    drop_hints(emitter, op)
    ptr, mask = emitter.value(op.ptr), None if op.mask is None else emitter.value(op.mask)
    result = emitter.type(op.result.type)
    other = None
    if op.other is not None:
        other = emitter.value(op.other)
    elif mask is not None:
        other = emitter.constant(result, 0)
    words: dict[str, Any] = {"memory_ordering_semantics": MemoryOrdering.WEAK}
    is_volatile = op.is_volatile.value.data
    if is_volatile:
        words = {
            "memory_ordering_semantics": MemoryOrdering.RELAXED,
            "memory_scope": MemoryScope.GPU,
        }

    def access(token: SSAValue | None) -> Operation:
        return ct.LoadPtrOp(ptr, mask, other, token, **words)

    if is_volatile:
        return emitter.write(access).results[0]
    return emitter.read(access, _accessed(op) in emitter.read_only)


@rule("tt.store")
def convert_store(emitter: Emitter, op: tt.StoreOp) -> Results:
    """The same, in the order of all accesses, unless no other access is through its argument."""
    drop_hints(emitter, op)
    ptr, value = emitter.value(op.ptr), emitter.value(op.value)
    mask = None if op.mask is None else emitter.value(op.mask)
    is_alone = _accessed(op) in emitter.stored_once
    emitter.write(lambda token: ct.StorePtrOp(ptr, value, mask, token), is_alone=is_alone)
    return None


# Atomics

SCOPES: Final = {1: MemoryScope.GPU, 2: MemoryScope.TL_BLK, 3: MemoryScope.SYS}
ORDERS: Final = {
    1: MemoryOrdering.RELAXED,
    2: MemoryOrdering.ACQUIRE,
    3: MemoryOrdering.RELEASE,
    4: MemoryOrdering.ACQ_REL,
}
MODES: Final = {
    tt.RMWOp.AND: AtomicMode.AND,
    tt.RMWOp.OR: AtomicMode.OR,
    tt.RMWOp.XOR: AtomicMode.XOR,
    tt.RMWOp.ADD: AtomicMode.ADD,
    tt.RMWOp.FADD: AtomicMode.ADDF,
    tt.RMWOp.MAX: AtomicMode.MAX,
    tt.RMWOp.MIN: AtomicMode.MIN,
    tt.RMWOp.UMAX: AtomicMode.UMAX,
    tt.RMWOp.UMIN: AtomicMode.UMIN,
    tt.RMWOp.EXCH: AtomicMode.XCHG,
}


def words_of(op: tt.AtomicOperation) -> dict[str, Any]:
    """The order and scope of an atomic."""
    return {
        "memory_ordering_semantics": ORDERS[op.sem.value.data],
        "memory_scope": SCOPES[op.scope.value.data],
    }


@rule("tt.atomic_rmw")
def convert_atomic_rmw(emitter: Emitter, op: tt.AtomicRMWOp) -> Results:
    """The atomic of that mode; there are none of 8 bits, nor of integers of 16."""
    mode = MODES[tt.RMWOp(op.atomic_rmw_op.value.data)]
    ptr, value = emitter.value(op.ptr), emitter.value(op.val)
    mask = None if op.mask is None else emitter.value(op.mask)
    problem = ct.atomic_mode_error(mode, emitter.tile(value).element_type)
    if problem is not None:
        emitter.fail(f"has no conversion: {problem}")
    words = words_of(op)
    made = emitter.write(lambda token: ct.AtomicRMWOp(ptr, value, mask, token, mode=mode, **words))
    return made.results[0]


@rule("tt.atomic_cas")
def convert_atomic_cas(emitter: Emitter, op: tt.AtomicCASOp) -> Results:
    """The same atomic."""
    ptr, compared, value = emitter.list_values((op.ptr, op.cmp, op.val))
    if ct.element_bit_width(emitter.tile(value).element_type) not in (32, 64):
        emitter.fail(f"has no conversion for elements of type '{tt.element_of(op.val.type)}'")
    words = words_of(op)
    made = emitter.write(lambda token: ct.AtomicCASOp(ptr, compared, value, None, token, **words))
    return made.results[0]


@rule("tt.atomic_load")
def convert_atomic_load(emitter: Emitter, op: tt.AtomicLoadOp) -> Results:
    """A load with an order."""
    ptr, result, words = emitter.value(op.ptr), emitter.type(op.result.type), words_of(op)
    mask = None if op.mask is None else emitter.value(op.mask)
    zero = None if mask is None else emitter.constant(result, 0)
    made = emitter.write(lambda token: ct.LoadPtrOp(ptr, mask, zero, token, **words))
    return made.results[0]


@rule("tt.atomic_store")
def convert_atomic_store(emitter: Emitter, op: tt.AtomicStoreOp) -> Results:
    """A store with an order."""
    ptr, value, words = emitter.value(op.ptr), emitter.value(op.value), words_of(op)
    mask = None if op.mask is None else emitter.value(op.mask)
    emitter.write(lambda token: ct.StorePtrOp(ptr, value, mask, token, **words))
    return None


@rule("gpu.barrier", "ttg.barrier")
def convert_barrier(emitter: Emitter, op: Operation) -> Results:
    """All accesses after it come after all before it; a tile program has no threads."""
    emitter.order.last = emitter.everything()
    emitter.order.reads.clear()
    return None


@rule("tt.grid_dependency_wait")
def convert_wait(emitter: Emitter, op: Operation) -> Results:
    """Waits for the grids before."""
    emitter.write(lambda token: ct.GdcWaitOp(token))
    return None


@rule("tt.grid_dependency_launch_dependents")
def convert_launch(emitter: Emitter, op: Operation) -> Results:
    """Lets the grids behind start."""
    emitter.write(lambda token: ct.GdcLaunchDependentsOp(token))
    return None


# Descriptors


@rule("tt.make_tensor_descriptor")
def convert_descriptor(emitter: Emitter, op: tt.MakeTensorDescriptorOp) -> Results:
    """No op: what it is made of is kept for the accesses."""
    shape = [emitter.extend(emitter.value(size), 64) for size in op.shape]
    return describe(
        emitter,
        op.result.type,
        emitter.value(op.base),
        [*shape, *emitter.list_values(op.strides)],
        found=get_number(op.attributes.get(FOUND)),
        pads_nan=op.padding == tt.make_word(tt.PaddingOption.PAD_NAN),
    )


FOUND: Final = "alignment"
"""
Of a descriptor that was found in pointers: bytes that its address and strides are known to be
multiples of, which may be fewer than Triton asks.
"""
_ALIGNMENT: Final = 16
"""Bytes that the address and the strides of a descriptor are multiples of, as Triton asks."""
_MAX_STRIDE: Final = 1 << 40
"""Bytes that strides are less than: what the tensor maps of a GPU hold."""
_MAX_SIZE: Final = (1 << 31) - 1
"""Sizes are integers of 32 bits in a kernel."""


def get_number(attribute: Attribute | None) -> int | None:
    """The number of an attribute, if there is one."""
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None


def describe(
    emitter: Emitter,
    ty: Attribute,
    base: SSAValue,
    numbers: Sequence[SSAValue],
    *,
    found: int | None = None,
    pads_nan: bool = False,
) -> Descriptor:
    """
    A descriptor of a pointer, and of sizes and strides, with what is known of them; `found` is the
    alignment of one that was found in pointers.
    """
    assert isinstance(ty, tt.TensorDescType)
    rank = len(ty.block.get_shape())
    bits = ct.element_bit_width(ty.tensor.get_element_type())
    longest = (8 * _MAX_STRIDE - 1) // bits if found is None else None
    sizes = [assume_positive(emitter, size, _MAX_SIZE) for size in numbers[:rank]]
    strides = [assume_positive(emitter, stride, longest) for stride in numbers[rank:]]
    alignment = _ALIGNMENT if found is None else found
    if (divisor := 8 * alignment // bits) > 1:
        base = assume_multiple(emitter, base, alignment)
        strides[:-1] = (assume_multiple(emitter, stride, divisor) for stride in strides[:-1])
    return Descriptor(base, tuple(sizes), tuple(strides), ty, pads_nan)


def assume_multiple(emitter: Emitter, value: SSAValue, divisor: int) -> SSAValue:
    """An integer or address, which is a multiple of a power of two."""
    return emitter.one(ct.AssumeOp(value, DivByAttr((divisor, None, None))))


def assume_positive(emitter: Emitter, value: SSAValue, limit: int | None) -> SSAValue:
    """A size or stride, which is not negative, and at most a number."""
    return emitter.one(ct.AssumeOp(value, BoundedAttr((0, limit))))


UNLIMITED: Final = 1 << 30
"""What zero is a multiple of."""


def multiple_of(value: SSAValue, depth: int = 0) -> int:
    """A power of two that an integer of Triton's IR is a multiple of."""
    owner = value.owner
    if depth > 16:
        return 1
    if isinstance(owner, Block):
        parent = owner.parent_op()
        index = owner.args.index(value)  # pyright: ignore[reportArgumentType]
        if isinstance(parent, tt.FuncOp) and parent.arg_attrs is not None:
            hint = parent.arg_attrs.data[index].data.get("tt.divisibility")
            number = hint.value.data if isinstance(hint, IntegerAttr) else 1
            return number & -number
        if parent is not None and parent.name == "scf.for" and not index:
            lower, _, step = parent.operands[:3]
            return gcd(multiple_of(lower, depth + 1), multiple_of(step, depth + 1))
        return 1
    if owner.name == "arith.constant":
        constant = owner.properties["value"]
        number = constant.value.data if isinstance(constant, IntegerAttr) else 1
        return min(number & -number, UNLIMITED) if number else UNLIMITED
    factors = [
        multiple_of(operand, depth + 1)
        for operand in owner.operands
        if isinstance(operand.type, IntegerType)
    ]
    match owner.name:
        case "arith.muli":
            return min(factors[0] * factors[1], UNLIMITED)
        case "arith.addi" | "arith.subi" | "arith.minsi" | "arith.maxsi" | "arith.remsi":
            return gcd(*factors)
        case "arith.select":
            return gcd(*factors[1:])
        case "arith.extsi" | "arith.extui":
            return factors[0]
        case _:
            return 1


def make_view(
    emitter: Emitter, descriptor: Descriptor, steps: tuple[int, ...], *, pads: bool
) -> SSAValue:
    """A view of a tensor whose tiles begin every so many elements."""
    block = tuple(descriptor.type.block.get_shape())
    element = descriptor.type.tensor.get_element_type()
    rank = len(block)
    strides = descriptor.strides[:-1]
    tensor = TensorViewType(element, [None] * rank, (*[None] * (rank - 1), 1))
    view = emitter.one(ct.MakeTensorViewOp(descriptor.base, descriptor.shape, strides, tensor))
    padding = (PaddingValue.NAN if descriptor.pads_nan else PaddingValue.ZERO) if pads else None
    if steps == block:
        return emitter.one(
            ct.MakePartitionViewOp(view, PartitionViewType(block, tensor, None, padding))
        )
    return emitter.one(
        ct.MakeStridedViewOp(view, StridedViewType(block, steps, tensor, None, padding))
    )


def locate_block(
    emitter: Emitter, op: Operation, desc: SSAValue, offsets: Iterable[SSAValue], *, pads: bool
) -> tuple[SSAValue, list[SSAValue], TileViewType]:
    """A view, and the indices of the tile in it that begins at some offsets."""
    descriptor = emitter.values[desc]
    assert isinstance(descriptor, Descriptor)
    block = tuple(descriptor.type.block.get_shape())
    offsets = list(offsets)
    steps = tuple(
        gcd(multiple_of(offset), extent) for offset, extent in zip(offsets, block, strict=True)
    )
    if steps != block:
        explain(
            op,
            "Analysis",
            "Memory",
            f"tiles of {block} begin every {steps} elements",
            reason="offsets are not known to be multiples of the extents",
        )
    indices = [
        divide(emitter, emitter.value(offset), step)
        for offset, step in zip(offsets, steps, strict=True)
    ]
    view = make_view(emitter, descriptor, steps, pads=pads)
    assert isinstance(view.type, TileViewType)
    return view, indices, view.type


def divide(emitter: Emitter, value: SSAValue, step: int) -> SSAValue:
    """A multiple of a number, divided by it."""
    if step == 1:
        return value
    return emitter.one(ct.DivIOp(value, emitter.like(value, step), signedness=Signedness.SIGNED))


@rule("tt.descriptor_load")
def convert_descriptor_load(emitter: Emitter, op: tt.DescriptorLoadOp) -> Results:
    """
    %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %c1] : <f16>, <64x32xf16>
    %r = tt.descriptor_load %d[%i, %j] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16>
    →
    %v = cuda_tile.make_tensor_view %p, shape = [%m, %n], strides = [%s, 1] : …
    %w = cuda_tile.make_partition_view %v : partition_view<tile=(64x32), …>
    %r, %t = cuda_tile.load_view_tko weak %w[%i / 64, %j / 32] : …

    if the offsets are known to be multiples of the extents of the block; else by a strided view.
    """
    drop_hints(emitter, op)
    view, indices, _ = locate_block(emitter, op, op.desc, op.indices, pads=True)

    def access(token: SSAValue | None) -> Operation:
        return ct.LoadViewOp(view, indices, token)

    loaded = emitter.read(access, _accessed(op) in emitter.read_only)
    return emitter.reshape(loaded, tt.shape_of(op.result.type))


@rule("tt.descriptor_store")
def convert_descriptor_store(emitter: Emitter, op: tt.DescriptorStoreOp) -> Results:
    """The same, for a store."""
    view, indices, ty = locate_block(emitter, op, op.desc, op.indices, pads=False)
    tile = emitter.reshape(emitter.value(op.src), ty.get_tile_shape())
    is_alone = _accessed(op) in emitter.stored_once
    emitter.write(lambda token: ct.StoreViewOp(tile, view, indices, None, token), is_alone=is_alone)
    return None


@rule("tt.descriptor_reduce")
def convert_descriptor_reduce(emitter: Emitter, op: tt.DescriptorReduceOp) -> Results:
    """An atomic for each element of a tile."""
    value = emitter.value(op.src)
    is_float = isinstance(
        emitter.tile(value).element_type, Float16Type | BFloat16Type | Float32Type
    )
    modes = {
        tt.DescriptorReduceKind.ADD: AtomicMode.ADDF if is_float else AtomicMode.ADD,
        tt.DescriptorReduceKind.MIN: AtomicMode.MIN,
        tt.DescriptorReduceKind.MAX: AtomicMode.MAX,
        tt.DescriptorReduceKind.AND: AtomicMode.AND,
        tt.DescriptorReduceKind.OR: AtomicMode.OR,
        tt.DescriptorReduceKind.XOR: AtomicMode.XOR,
    }
    descriptor = emitter.values[op.desc]
    assert isinstance(descriptor, Descriptor)
    stored = descriptor.type.block.get_element_type()
    if isinstance(stored, IntegerType) and stored.signedness.data == IntegerSignedness.UNSIGNED:
        modes |= {
            tt.DescriptorReduceKind.MIN: AtomicMode.UMIN,
            tt.DescriptorReduceKind.MAX: AtomicMode.UMAX,
        }
    kind = tt.DescriptorReduceKind(op.kind.value.data)
    mode = modes.get(kind)
    if mode is None:
        emitter.fail(f"has no conversion for '{kind.keyword}'")
    if (problem := ct.atomic_mode_error(mode, emitter.tile(value).element_type)) is not None:
        emitter.fail(f"has no conversion: {problem}")
    view, indices, ty = locate_block(emitter, op, op.desc, op.indices, pads=False)
    tile = emitter.reshape(value, ty.get_tile_shape())
    emitter.write(lambda token: ct.AtomicRedViewOp(view, indices, tile, token, mode=mode))
    return None


def locate_rows(
    emitter: Emitter, op: tt.DescriptorGatherOp | tt.DescriptorScatterOp, columns: int
) -> tuple[SSAValue, SSAValue]:
    """Pointers to rows of a tensor from a column on, and which of them lie in it."""
    descriptor = emitter.values[op.desc]
    assert isinstance(descriptor, Descriptor)
    rows = emitter.value(op.x_offsets)
    shape = (emitter.tile(rows).get_shape()[0], columns)
    row = emitter.broadcast(emitter.reshape(emitter.extend(rows, 64), (shape[0], 1)), shape)
    start = emitter.broadcast(emitter.extend(emitter.value(op.y_offset), 64), shape)
    column = emitter.one(ct.AddIOp(start, emitter.iota(shape, 1, i64)))
    offset = emitter.one(ct.MulIOp(row, emitter.broadcast(descriptor.strides[0], shape)))
    offset = emitter.one(ct.AddIOp(offset, column))
    pointers = emitter.one(ct.OffsetOp(emitter.broadcast(descriptor.base, shape), offset))
    masks: list[SSAValue] = []
    for index, extent in zip((row, column), descriptor.shape, strict=True):
        limit = emitter.broadcast(extent, shape)
        zero = emitter.like(index, 0)
        masks.append(emitter.compare(ComparisonPredicate.LESS_THAN, index, limit))
        masks.append(emitter.compare(ComparisonPredicate.GREATER_THAN_OR_EQUAL, index, zero))
    return pointers, emitter.all_of(masks)


@rule("tt.descriptor_gather")
def convert_descriptor_gather(emitter: Emitter, op: tt.DescriptorGatherOp) -> Results:
    """A load through pointers to the rows."""
    result = emitter.type(op.result.type)
    pointers, mask = locate_rows(emitter, op, result.get_shape()[1])
    padding = emitter.constant(result, 0)

    def access(token: SSAValue | None) -> Operation:
        return ct.LoadPtrOp(pointers, mask, padding, token)

    return emitter.read(access, _accessed(op) in emitter.read_only)


@rule("tt.descriptor_scatter")
def convert_descriptor_scatter(emitter: Emitter, op: tt.DescriptorScatterOp) -> Results:
    """A store through pointers to the rows."""
    value = emitter.value(op.src)
    pointers, mask = locate_rows(emitter, op, emitter.tile(value).get_shape()[1])
    emitter.write(lambda token: ct.StorePtrOp(pointers, value, mask, token))
    return None


@rule("tt.make_tensor_ptr", "tt.advance")
def refuse_block_pointer(emitter: Emitter, op: Operation) -> Results:
    """Triton's own passes rewrite them."""
    emitter.fail("has no conversion: Triton's passes rewrite pointers to blocks")
