"""Global variables, from `nv_tileaa` to `llvm`."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FloatTF32Type,
    TensorType,
    i1,
    i8,
)
from xdsl.dialects.llvm import GlobalOp, LinkageAttr, LLVMArrayType
from xdsl.ir import Attribute

from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.nv_tileaa import memory
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail


def convert_global(op: memory.GlobalOp, address_space: int) -> GlobalOp:
    """A global variable of LLVM."""
    value = op.value
    if not isinstance(value, DenseIntOrFPElementsAttr):
        fail(op, f"a global variable cannot begin as {value}")
    data = get_bytes(value, op.elem_type or value.get_element_type())
    alignment = 16 if op.alignment is None else op.alignment.value.data
    is_private = op.sym_visibility is not None and op.sym_visibility.data == "private"
    new = GlobalOp(
        LLVMArrayType(len(data), i8),
        op.sym_name,
        LinkageAttr("internal" if is_private else "external"),
        addr_space=address_space,
        constant=op.constant is not None,
        value=DenseIntOrFPElementsAttr(TensorType(i8, [len(data)]), BytesAttr(data)),
        alignment=max(alignment, 16),
    )
    new.location = op.location
    return new


def get_bytes(value: DenseIntOrFPElementsAttr, element: Attribute) -> bytes:
    """The elements of a literal as memory holds them."""
    data, count = value.data.data, len(value)
    if count and len(data) < count:
        data *= count
    size = max(1, len(data) // max(1, count))
    parts = [data[start : start + size] for start in range(0, len(data), size)]
    if element_bit_width(element) == 4:
        bits = [part[0] & 15 for part in parts] + [0] * (count % 2)
        pairs = zip(bits[::2], bits[1::2], strict=True)
        return bytes(low | high << 4 for low, high in pairs)
    if element == i1:
        return bytes(part[0] & 1 for part in parts)
    if isinstance(element, FloatTF32Type):
        patterns = (int.from_bytes(part, "little") << 13 for part in parts)
        return b"".join((pattern & 0xFFFFFFFF).to_bytes(4, "little") for pattern in patterns)
    return data
