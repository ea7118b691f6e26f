"""Types of the LLVM dialect: memory references become bare pointers to their first element."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith, func, gpu
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StringAttr,
    UnrankedMemRefType,
    i8,
    i32,
    i64,
)
from xdsl.dialects.llvm import (
    AddressOfOp,
    AllocaOp,
    ConstantOp,
    FuncOp,
    GlobalOp,
    LinkageAttr,
    LLVMArrayType,
    LLVMFunctionType,
    LLVMPointerType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileiras_xdsl.dialects.gpu import AddressSpace, AddressSpaceAttr
from tileiras_xdsl.dialects.llvm import GEPOp
from tileiras_xdsl.dialects.nvvm import GENERIC_SPACE, GLOBAL_SPACE, SHARED_SPACE, pointer_to
from tileiras_xdsl.transforms.common.rewriting import symbols_of, unique_name
from tileiras_xdsl.xdsl_extras.dialect_conversion import ConversionError, ConversionRewriter
from tileiras_xdsl.xdsl_extras.walking import find_around

LOCAL_SPACE = 5

SPACES = {
    AddressSpace.GLOBAL: GLOBAL_SPACE,
    AddressSpace.WORKGROUP: SHARED_SPACE,
    AddressSpace.PRIVATE: LOCAL_SPACE,
}


def get_integers(attribute: Attribute | None) -> tuple[int, ...] | None:
    """The numbers of an `array<i32: …>`."""
    if not isinstance(attribute, DenseArrayBase):
        return None
    return tuple(cast("DenseArrayBase[IntegerType]", attribute).get_values())


def convert_memory_space(space: Attribute) -> int | None:
    """The address space of a memory space: none is generic, a number is itself."""
    match space:
        case NoneAttr():
            return GENERIC_SPACE
        case IntegerAttr():
            return space.value.data
        case AddressSpaceAttr():
            return SPACES[space.data]
        case _:
            return None


def element_of_memref(ty: MemRefType) -> Attribute:
    """The element type of a memory reference."""
    return ty.element_type


def convert_memref(ty: MemRefType | UnrankedMemRefType) -> LLVMPointerType | None:
    """The pointer to the first element: `memref<64x64xf16, 3>` → `!llvm.ptr<3>`."""
    space = convert_memory_space(ty.memory_space)
    return None if space is None else pointer_to(space)


# Functions and globals of the LLVM dialect that conversions add to the module around an op.

FUNCTIONS = (gpu.FuncOp, func.FuncOp, FuncOp)


def get_function(op: Operation) -> gpu.FuncOp | func.FuncOp | FuncOp:
    """The function around an op."""
    function = find_around(op, *FUNCTIONS)
    if function is None:
        raise ConversionError("is in no function")
    return function


def get_entry_block(op: Operation) -> Block:
    """The block in which the function around an op begins."""
    block = get_function(op).body.first_block
    assert block is not None
    return block


def allocate(op: Operation, ty: Attribute, alignment: int) -> SSAValue:
    """
    Memory on the stack, allotted once in each call of the function around `op`, also if `op` is
    in a loop.
    """
    entry = get_entry_block(op)
    one = ConstantOp(IntegerAttr(1, i32), i32)
    alloca = AllocaOp(one, ty, alignment)
    first = entry.first_op
    assert first is not None
    for new in (one, alloca):
        new.location = op.location
        entry.insert_op_before(new, first)
    return alloca.res


def get_element_address(pointer: SSAValue, ty: Attribute, *indices: int) -> GEPOp:
    """The address of a part of what a pointer points to."""
    assert isinstance(pointer.type, LLVMPointerType)
    return GEPOp(pointer, [*indices], ty, result_type=pointer.type)


class RuntimeSymbols:
    """The symbols of the modules of a program; each is read once, so nothing else may add any."""

    def __init__(self) -> None:
        self._tables: dict[Operation, dict[str, Operation]] = {}
        self._strings: dict[tuple[Operation, str, str], str] = {}

    def add_global(
        self,
        op: Operation,
        name: str,
        ty: Attribute,
        *,
        space: int = 0,
        alignment: int | None = None,
        value: Attribute | None = None,
        is_external: bool = False,
    ) -> GlobalOp:
        """A global of its own in the module around `op`, named `name`, or `name_1`, …"""
        table = _get_table(op)
        new = GlobalOp(
            ty,
            unique_name(self._names(table), name),
            LinkageAttr("external" if is_external else "internal"),
            space,
            constant=value is not None,
            value=value,
            alignment=alignment,
        )
        self._insert(table, new, op)
        return new

    def get_global(
        self, op: Operation, name: str, ty: Attribute, space: int, alignment: int
    ) -> GlobalOp:
        """The external global of this name in the module around `op`."""
        known = self._names(_get_table(op)).get(name)
        if known is None:
            return self.add_global(op, name, ty, space=space, alignment=alignment, is_external=True)
        if not isinstance(known, GlobalOp) or known.global_type != ty:
            raise ConversionError(f"needs '@{name}', which is something else here")
        return known

    def add_string(self, op: Operation, name: str, text: str) -> AddressOfOp:
        """The address of a text, which ends with a zero; equal texts are stored once."""
        key = (_get_table(op), name, text)
        if key not in self._strings:
            data = f"{text}\0"
            ty = LLVMArrayType(len(data.encode()), i8)
            new = self.add_global(op, name, ty, value=StringAttr(data))
            self._strings[key] = new.sym_name.data
        return AddressOfOp(self._strings[key], LLVMPointerType())

    def declare(self, op: Operation, name: str, ty: LLVMFunctionType) -> str:
        """Declares a function in the module around `op`."""
        table = _get_table(op)
        known = self._names(table).get(name)
        if known is None:
            self._insert(table, FuncOp(name, ty, LinkageAttr("external")), op)
        elif not isinstance(known, FuncOp) or known.function_type != ty:
            raise ConversionError(f"calls '@{name}', which is something else here")
        return name

    def _names(self, table: Operation) -> dict[str, Operation]:
        if table not in self._tables:
            self._tables[table] = symbols_of(table)
        return self._tables[table]

    def _insert(self, table: Operation, new: GlobalOp | FuncOp, op: Operation) -> None:
        """Puts a symbol after the globals and declarations that a module begins with."""
        block = table.regions[0].block
        new.location = op.location
        before = block.first_op
        while isinstance(before, GlobalOp) or (
            isinstance(before, FuncOp) and not before.body.blocks
        ):
            before = before.next_op
        if before is None:
            block.add_op(new)
        else:
            block.insert_op_before(new, before)
        self._names(table)[new.sym_name.data] = new


def _get_table(op: Operation) -> Operation:
    """The module around an op."""
    module = find_around(op, gpu.ModuleOp, ModuleOp)
    if module is None:
        raise ConversionError("is in no module")
    return module


def address_of(symbol: GlobalOp) -> AddressOfOp:
    """The address of a global."""
    return AddressOfOp(symbol.sym_name, pointer_to(symbol.addr_space.value.data))


def position(*indices: int) -> DenseArrayBase:
    """Where a value is in a struct."""
    return DenseArrayBase.from_list(i64, indices)


def constant(rewriter: ConversionRewriter, value: int, ty: IntegerType = i32) -> SSAValue:
    """An integer in front of the op that is converted."""
    return rewriter.insert(arith.ConstantOp(IntegerAttr(value, ty))).result


def make_token() -> arith.ConstantOp:
    """A token, which carries no information: the hardware counts groups of copies."""
    return arith.ConstantOp(IntegerAttr(0, i32))


def replace_by(rewriter: ConversionRewriter, op: Operation, new: Operation) -> None:
    """Puts an op in the place of one that yields a token, which is made only if it is used."""
    if op.results[0].first_use is None:
        rewriter.replace(op, new, [None])
    else:
        rewriter.replace(op, new, make_token())
