"""What accesses to memory, atomics and tokens mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import IntegerAttr, IntegerType, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.cuda_tile.types import PtrType, TileType, is_float
from tileiras_xdsl.dialects.nv_tileaa.attributes import is_pointer
from tileiras_xdsl.dialects.nv_tileaa.memory import AtomicCASOp, AtomicRMWOp, LoadOp, StoreOp

from .machine import (
    EVENT,
    TOKEN_BITS,
    Lane,
    Machine,
    Tile,
    Unsupported,
    add_effect,
    constant,
    element_of,
    elementwise,
    means,
    shape_of,
    width_of,
)
from .smt import Term, z3

# Pointers


def pointee_bytes(element: Attribute) -> int:
    """The bytes of an element in memory."""
    if is_pointer(element):
        return 8
    if isinstance(element, IntegerType) or is_float(element):
        bits = element_bit_width(element)
        if bits in (8, 16, 32, 64):
            return bits // 8
        if bits == 1:
            return 1
    raise Unsupported(f"pointer to {element}")


@means("cuda_tile.offset", "nv_tileaa.addptr")
def _offset(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    if op.name == "nv_tileaa.addptr":
        size = pointee_bytes(op.properties["elem_type"])
    else:
        ty = op.operands[0].type
        assert isinstance(ty, TileType)
        assert isinstance(ty.element_type, PtrType)
        size = pointee_bytes(ty.element_type.pointee)

    def apply(base: Lane, offset: Lane) -> Lane:
        wide = offset.bits
        if wide.size() < 64:
            wide = z3.SignExt(64 - wide.size(), wide)
        elif wide.size() > 64:
            wide = z3.Extract(63, 0, wide)
        return Lane(base.bits + wide * size, z3.Or(base.poison, offset.poison))

    return [elementwise(apply, *operands)]


# Memory


def read(memory: Term, address: Term, width: int) -> Term:
    """The bits of an element in memory, little-endian."""
    parts = [z3.Select(memory, address + place) for place in range((width + 7) // 8)]
    bits = z3.Concat(*reversed(parts)) if len(parts) > 1 else parts[0]
    return bits if bits.size() == width else z3.Extract(width - 1, 0, bits)


def write(memory: Term, address: Term, bits: Term) -> Term:
    """Memory with an element replaced; the same memory if by what was there."""
    width = bits.size()
    if z3.eq(z3.simplify(bits), z3.simplify(read(memory, address, width))):
        return memory
    if width % 8:
        bits = z3.ZeroExt(8 - width % 8, bits)
    for place in range((width + 7) // 8):
        byte = z3.Extract(8 * place + 7, 8 * place, bits)
        memory = z3.Store(memory, address + place, byte)
    return memory


def semantic_of(op: Operation) -> tuple[str, str]:
    """The memory order and scope of an access."""
    words = [op.properties.get(name) for name in ("mem_semantic", "mem_scope")]
    first, second = (word.data if isinstance(word, StringAttr) else "" for word in words)
    return first or "weak", second


SIDES = {
    "acquires": ("acquire", "acq_rel", "seq_cst"),
    "releases": ("release", "acq_rel", "seq_cst"),
}
ONE_SIDED = (("releases", "nv_tileaa.load"), ("acquires", "nv_tileaa.store"))
"""What loads and stores cannot do, whatever they say."""


def _order(machine: Machine, op: Operation, active: Term, token: Tile | None) -> Tile:
    """Records what is ordered before an access; the token that comes after it."""
    semantic, scope = semantic_of(op)
    is_volatile = "volatile" in op.properties
    sides = [
        side
        for side, semantics in SIDES.items()
        if semantic in semantics and (side, op.name) not in ONE_SIDED
    ]
    is_ordering = bool(sides) or is_volatile
    if is_ordering:
        add_effect(machine, f"{sides} {scope} {'volatile' if is_volatile else ''}")
    before = token.scalar.bits if token is not None else z3.BitVecVal(0, TOKEN_BITS)
    number = op.attributes.get(EVENT)
    if not isinstance(number, IntegerAttr):
        return Tile((), (Lane(before, z3.BoolVal(False)),))
    event = number.value.data
    happens = z3.BoolVal(True) if is_ordering else active
    bit = z3.BitVecVal(1 << event, TOKEN_BITS)
    nothing = z3.BitVecVal(0, TOKEN_BITS)
    order = (*machine.state.order, (event, z3.If(happens, before, nothing)))
    machine.state = replace(machine.state, order=order)
    return Tile((), (Lane(before | z3.If(happens, bit, nothing), z3.BoolVal(False)),))


def _optional(machine: Machine, value: SSAValue | None) -> Tile | None:
    return None if value is None else machine.get(value)


def _masks(machine: Machine, mask: Tile | None, count: int) -> list[Term]:
    if mask is None:
        return [z3.BoolVal(True)] * count
    machine.state = machine.state.fail_if(z3.Or(*(lane.poison for lane in mask.lanes)))
    return [lane.bits == 1 for lane in mask.lanes]


def _results(op: Operation, values: Sequence[Tile], token: Tile) -> Sequence[Tile]:
    return [*values, token] if len(op.results) > len(values) else values


@means("nv_tileaa.load")
def _load(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    assert isinstance(op, LoadOp)
    pointer, other = machine.get(op.pointer), _optional(machine, op.other)
    width = width_of(element_of(op.result.type))
    masks = _masks(machine, _optional(machine, op.mask), len(pointer.lanes))
    lanes: list[Lane] = []
    for place, (address, active) in enumerate(zip(pointer.lanes, masks, strict=True)):
        machine.state = machine.state.fail_if(z3.And(active, address.poison))
        found = read(machine.state.memory, address.bits, width)
        if other is None:
            lanes.append(Lane(found, z3.Not(active)))
        else:
            rest = other.lanes[place]
            lanes.append(Lane(z3.If(active, found, rest.bits), z3.And(z3.Not(active), rest.poison)))
    token = _order(machine, op, z3.Or(*masks), _optional(machine, op.token))
    return _results(op, [Tile(shape_of(op.result.type), tuple(lanes))], token)


@means("nv_tileaa.store")
def _store(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    assert isinstance(op, StoreOp)
    pointer, value = machine.get(op.pointer), machine.get(op.value)
    masks = _masks(machine, _optional(machine, op.mask), len(pointer.lanes))
    for address, lane, active in zip(pointer.lanes, value.lanes, masks, strict=True):
        _update(machine, active, address, lane)
    token = _order(machine, op, z3.Or(*masks), _optional(machine, op.token))
    return _results(op, [], token)


def _update(machine: Machine, active: Term, address: Lane, lane: Lane) -> None:
    """Writes an element where its mask is true; poison in memory is not followed."""
    machine.state = machine.state.fail_if(z3.And(active, z3.Or(address.poison, lane.poison)))
    written = write(machine.state.memory, address.bits, lane.bits)
    machine.state = replace(machine.state, memory=z3.If(active, written, machine.state.memory))


MODES: dict[str, Callable[[Term, Term], Term]] = {
    "add": lambda old, value: old + value,
    "addu": lambda old, value: old + value,
    "and": lambda old, value: old & value,
    "or": lambda old, value: old | value,
    "xor": lambda old, value: old ^ value,
    "xchg": lambda old, value: value,
    "max": lambda old, value: z3.If(old < value, value, old),
    "min": lambda old, value: z3.If(old < value, old, value),
    "umax": lambda old, value: z3.If(z3.ULT(old, value), value, old),
    "umin": lambda old, value: z3.If(z3.ULT(old, value), old, value),
}
"""What atomics on integers leave in memory."""


@means("nv_tileaa.atomic_rmw", "nv_tileaa.atomic_cas")
def _atomic(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    assert isinstance(op, AtomicRMWOp | AtomicCASOp)
    pointer = machine.get(op.pointer)
    ty = op.result.type
    width = width_of(element_of(ty))
    masks = _masks(machine, _optional(machine, op.mask), len(pointer.lanes))
    lanes: list[Lane] = []
    for place, (address, active) in enumerate(zip(pointer.lanes, masks, strict=True)):
        old = read(machine.state.memory, address.bits, width)
        if isinstance(op, AtomicRMWOp):
            if is_float(element_of(ty)) and op.rmw_mode.data != "xchg":
                raise Unsupported("atomics on floats")
            value = machine.get(op.value).lanes[place]
            new = Lane(MODES[op.rmw_mode.data](old, value.bits), value.poison)
        else:
            expected = machine.get(op.compare).lanes[place]
            value = machine.get(op.replacement).lanes[place]
            is_idle = z3.eq(expected.bits, value.bits)
            new = Lane(
                old if is_idle else z3.If(old == expected.bits, value.bits, old),
                z3.Or(expected.poison, value.poison),
            )
        _update(machine, active, address, new)
        lanes.append(Lane(old, z3.Not(active)))
    token = _order(machine, op, z3.Or(*masks), _optional(machine, op.token))
    return _results(op, [Tile(shape_of(ty), tuple(lanes))], token)


# Tokens


@means("nv_tileaa.join_mem_token", "cuda_tile.join_tokens")
def _join(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    bits = z3.BitVecVal(0, TOKEN_BITS)
    for tile in operands:
        bits = bits | tile.scalar.bits
    return [Tile((), (Lane(bits, z3.BoolVal(False)),))]


@means("nv_tileaa.create_mem_token", "cuda_tile.make_token")
def _create(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    return [Tile((), (constant(0, TOKEN_BITS),))]
