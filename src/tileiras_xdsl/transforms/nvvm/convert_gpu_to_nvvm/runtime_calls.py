"""Assertions and output: calls of what the CUDA runtime defines on the device."""

from __future__ import annotations

from xdsl.dialects import cf
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    AnyFloat,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntegerAttr,
    IntegerType,
    NameLoc,
    f64,
    i32,
    i64,
)
from xdsl.dialects.llvm import (
    BrOp,
    CallOp,
    CondBrOp,
    FPExtOp,
    LLVMFunctionType,
    LLVMPointerType,
    LLVMStructType,
    SExtOp,
    ZeroOp,
    ZExtOp,
)
from xdsl.ir import Attribute, Block, SSAValue

from tileiras_xdsl.dialects import gpu
from tileiras_xdsl.dialects.llvm import AddrSpaceCastOp, StoreOp
from tileiras_xdsl.transforms.nvvm.llvm_types import (
    FUNCTIONS,
    RuntimeSymbols,
    allocate,
    get_element_address,
    get_function,
)
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

POINTER = LLVMPointerType()

ASSERTFAIL = LLVMFunctionType([POINTER, POINTER, i32, POINTER, i64])
"""Message, file, line, function, and the size of a character."""

VPRINTF = LLVMFunctionType([POINTER, POINTER], i32)
"""Format, and arguments in memory."""

UNKNOWN_FILE = "<unknown>"


def find_line(location: Attribute) -> FileLineColLoc | None:
    """Where in a file a location is; of a call, in the function that was called."""
    match location:
        case FileLineColLoc():
            return location
        case NameLoc():
            return find_line(location.location)
        case CallSiteLoc():
            return find_line(location.callee) or find_line(location.caller)
        case FusedLoc():
            parts = location.locations
            found = (find_line(part) for part in getattr(parts, "data", ()))
            return next((line for line in found if line is not None), None)
        case _:
            return None


class ConvertAssert(ConversionPattern[cf.AssertOp]):
    """
    Ends the grid if a condition does not hold.

        cf.assert %cond, "message"
        →
        llvm.cond_br %cond, ^cont, ^fail
        ^fail:
          %msg = llvm.mlir.addressof @assert_msg : !llvm.ptr
          %file = llvm.mlir.addressof @assert_file : !llvm.ptr
          %line = arith.constant 12 : i32
          %func = llvm.mlir.addressof @assert_func : !llvm.ptr
          %size = arith.constant 1 : i64
          llvm.call @__assertfail(%msg, %file, %line, %func, %size)
              : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64) -> ()
          llvm.br ^cont
        ^cont:
    """

    def convert(self, op: cf.AssertOp, rewriter: ConversionRewriter) -> None:
        block = op.parent_block()
        region = None if block is None else block.parent
        parent = None if region is None else region.parent
        if block is None or region is None or not isinstance(parent, FUNCTIONS):
            around = "nothing" if parent is None else f"'{parent.name}'"
            raise ConversionError(
                f"is in {around}, which cannot branch; convert-scf-to-cf has to come first"
            )
        condition = rewriter.value(op.arg)
        fail, go_on = Block(), Block()
        region.insert_block_after([fail, go_on], block)
        rewriter.move_rest(op, go_on)
        self.add_call(op, fail, rewriter.state(RuntimeSymbols))
        fail.add_op(BrOp(go_on))
        for new in fail.ops:
            new.location = op.location
        rewriter.replace(op, CondBrOp(condition, go_on, [], fail, []), [])

    def add_call(self, op: cf.AssertOp, block: Block, symbols: RuntimeSymbols) -> None:
        found = find_line(op.location)
        file = UNKNOWN_FILE if found is None else found.filename.data
        line = 0 if found is None else found.line.data
        arguments = [
            symbols.add_string(op, "assert_msg", op.msg.data),
            symbols.add_string(op, "assert_file", file),
            ConstantOp(IntegerAttr(line, i32)),
            symbols.add_string(op, "assert_func", get_function(op).sym_name.data),
            ConstantOp(IntegerAttr(1, i64)),
        ]
        for name, argument in zip(("msg", "file", "line", "func", "size"), arguments, strict=True):
            argument.results[0].name_hint = name
        callee = symbols.declare(op, "__assertfail", ASSERTFAIL)
        block.add_ops([*arguments, CallOp(callee, *arguments)])


class ConvertPrintf(ConversionPattern[gpu.PrintfOp]):
    """
    Formatted output. Arguments are promoted as C promotes them, and stored one after the other.

        "gpu.printf"(%i, %x) {format = "%d %f"} : (i32, f32) -> ()
        →
        %buffer = llvm.alloca %c1 x !llvm.struct<(i32, f64)> : (i32) -> !llvm.ptr   // at the entry
        %format = llvm.mlir.addressof @printf_format : !llvm.ptr
        … a store of each argument
        %n = llvm.call @vprintf(%format, %buffer) : (!llvm.ptr, !llvm.ptr) -> i32
    """

    def convert(self, op: gpu.PrintfOp, rewriter: ConversionRewriter) -> None:
        values = [self.promote(rewriter.value(value), rewriter) for value in op.args]
        symbols = rewriter.state(RuntimeSymbols)
        text = symbols.add_string(op, "printf_format", op.format.data)
        fmt = rewriter.insert(text).result
        if values:
            ty = LLVMStructType.from_type_list([value.type for value in values])
            buffer = allocate(op, ty, 8)
            for number, value in enumerate(values):
                address = rewriter.insert(get_element_address(buffer, ty, 0, number))
                rewriter.insert(StoreOp(value, address))
        else:
            buffer = rewriter.insert(ZeroOp.create(result_types=[POINTER])).res
        callee = symbols.declare(op, "vprintf", VPRINTF)
        rewriter.replace(op, CallOp(callee, fmt, buffer, return_type=i32), [])

    @staticmethod
    def promote(value: SSAValue, rewriter: ConversionRewriter) -> SSAValue:
        """An argument as C passes it: floats as `double`, small integers as `int`."""
        ty = value.type
        if isinstance(ty, AnyFloat):
            is_wide = ty.bitwidth >= f64.bitwidth
            return value if is_wide else rewriter.insert(FPExtOp(value, f64)).result
        match ty:
            case IntegerType() if ty.bitwidth == 1:
                return rewriter.insert(ZExtOp(value, i32)).res
            case IntegerType() if ty.bitwidth < i32.bitwidth:
                return rewriter.insert(SExtOp(value, i32)).res
            case LLVMPointerType() if ty != POINTER:
                return rewriter.insert(AddrSpaceCastOp(value, POINTER)).result
            case IntegerType() | LLVMPointerType():
                return value
            case _:
                raise ConversionError(f"cannot print a value of type '{ty}'")


def populate_runtime_calls(patterns: PatternSet) -> None:
    patterns.add(cf.AssertOp, ConvertAssert())
    patterns.add(gpu.PrintfOp, ConvertPrintf())
