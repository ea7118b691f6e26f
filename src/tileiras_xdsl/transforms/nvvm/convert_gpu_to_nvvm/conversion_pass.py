"""
Lowers portable GPU ops to those of NVIDIA's GPUs.

    gpu.func @k(%x: f32) kernel {
      %i = gpu.thread_id x
      %y = math.sin %x : f32
      gpu.return
    }
    →
    llvm.func @k(%x: f32) attributes {nvvm.kernel} {
      %r = nvvm.read.ptx.sreg.tid.x : i32
      %i = arith.index_cast %r : i32 to index
      %y = llvm.call @__nv_sinf(%x) : (f32) -> f32
      llvm.return
    }

Assertions and output are calls of what the CUDA runtime defines on the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Final

from xdsl.context import Context
from xdsl.dialects import arith, cf
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    CallSiteLoc,
    DenseArrayBase,
    DictionaryAttr,
    FileLineColLoc,
    FusedLoc,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    NameLoc,
    UnitAttr,
    f64,
    i8,
    i32,
    i64,
)
from xdsl.dialects.gpu import DimensionAttr, YieldOp
from xdsl.dialects.llvm import (
    BrOp,
    CallOp,
    CondBrOp,
    FPExtOp,
    LinkageAttr,
    LLVMArrayType,
    LLVMFunctionType,
    LLVMPointerType,
    LLVMStructType,
    LLVMVoidType,
    SExtOp,
    ZeroOp,
    ZExtOp,
    is_compatible_type,
)
from xdsl.dialects.llvm import FuncOp as LLVMFuncOp
from xdsl.dialects.llvm import ReturnOp as LLVMReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.passes import ModulePass

from tileiras_xdsl.dialects import gpu
from tileiras_xdsl.dialects.gpu import FuncOp, ReturnOp
from tileiras_xdsl.dialects.llvm import AddrSpaceCastOp, StoreOp
from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC, OPEN_REGISTERS
from tileiras_xdsl.dialects.nvgpu import TensorMapDescriptorType
from tileiras_xdsl.dialects.nvgpu.types import BLOCKS_ARE_CLUSTERS
from tileiras_xdsl.dialects.nvvm import SHARED_SPACE, read_register
from tileiras_xdsl.targets.machine import WARP_THREADS, RegisterFile
from tileiras_xdsl.transforms.common.kernel_spec import get_target
from tileiras_xdsl.transforms.nvvm.llvm_types import (
    FUNCTIONS,
    RuntimeSymbols,
    address_of,
    allocate,
    convert_memref,
    get_element_address,
    get_function,
    get_integers,
)
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    ConversionTarget,
    PatternSet,
    TypeConversions,
    TypeConverter,
    apply_partial_conversion,
    get_name,
    reconcile_casts,
)

from .math import populate_math, set_math_legality
from .warps import populate_warps

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


# Where a thread is: queries become reads of special registers.

DIMENSION_REGISTERS: dict[type[gpu.DimensionQueryOp], str] = {
    gpu.ThreadIdOp: "tid",
    gpu.BlockIdOp: "ctaid",
    gpu.BlockDimOp: "ntid",
    gpu.GridDimOp: "nctaid",
    gpu.ClusterIdOp: "clusterid",
    gpu.ClusterDimOp: "nclusterid",
    gpu.ClusterBlockIdOp: "cluster.ctaid",
    gpu.ClusterDimBlocksOp: "cluster.nctaid",
}
"""Registers of queries in one dimension; `.x`, `.y` or `.z` follows."""

REGISTERS: dict[type[gpu.QueryOp], str] = {
    gpu.SubgroupSizeOp: "warpsize",
    gpu.LaneIdOp: "laneid",
}


@dataclass(frozen=True)
class ConvertQuery(ConversionPattern[IRDLOperation]):
    """
    A query about the thread, often in one dimension.

        %i = "gpu.thread_id"() {dimension = #gpu<dim x>} : () -> index
        →
        %r = nvvm.read.ptx.sreg.tid.x : i32
        %i = arith.index_cast %r : i32 to index
    """

    register: str

    def convert(self, op: IRDLOperation, rewriter: ConversionRewriter) -> None:
        dimension = op.properties.get("dimension")
        axis = f".{dimension.data.value}" if isinstance(dimension, DimensionAttr) else ""
        read = read_register(f"{self.register}{axis}")
        rewriter.replace(op, read, arith.IndexCastOp(read, IndexType()))


class ConvertGlobalId(ConversionPattern[gpu.DimensionQueryOp]):
    """
    `ctaid * ntid + tid` in one dimension.

        %i = "gpu.global_id"() {dimension = #gpu<dim x>} : () -> index
        →
        %b = nvvm.read.ptx.sreg.ctaid.x : i32
        %n = nvvm.read.ptx.sreg.ntid.x : i32
        %t = nvvm.read.ptx.sreg.tid.x : i32
        … each cast to index, then arith.muli and arith.addi
    """

    def convert(self, op: gpu.DimensionQueryOp, rewriter: ConversionRewriter) -> None:
        axis = op.dimension.data.value
        casts: list[arith.IndexCastOp] = []
        for register in ("ctaid", "ntid", "tid"):
            read = rewriter.insert(read_register(f"{register}.{axis}"))
            casts.append(rewriter.insert(arith.IndexCastOp(read, IndexType())))
        block, size, thread = casts
        first = arith.MuliOp(block, size)
        rewriter.replace(op, first, arith.AddiOp(first, thread))


@dataclass(frozen=True)
class ConvertSubgroupCount(ConversionPattern[IRDLOperation]):
    """
    The warps of a CTA, or the warp index of the thread, from the linear thread index.

        %i = "gpu.num_subgroups"() : () -> index
        →
        … the product of nvvm.read.ptx.sreg.ntid.{x,y,z}, plus 31, divided by 32
    """

    counts: bool

    def convert(self, op: IRDLOperation, rewriter: ConversionRewriter) -> None:
        from .warps import get_linear_thread, get_thread_count, get_warp

        if self.counts:
            value = get_warp(rewriter, get_thread_count(rewriter), round_up=True)
        else:
            value = get_warp(rewriter, get_linear_thread(rewriter))
        rewriter.replace(op, arith.IndexCastOp(value, IndexType()))


def populate_queries(patterns: PatternSet) -> None:
    for op, register in (*DIMENSION_REGISTERS.items(), *REGISTERS.items()):
        patterns.add(op, ConvertQuery(register))
    patterns.add(gpu.GlobalIdOp, ConvertGlobalId())
    patterns.add(gpu.NumSubgroupsOp, ConvertSubgroupCount(counts=True))
    patterns.add(gpu.SubgroupIdOp, ConvertSubgroupCount(counts=False))


# Functions, kernels and their memory.

DYNAMIC_MEMORY = "dynamic_shared_memory"
DYNAMIC_ALIGNMENT = 1024
"""So that a swizzled TMA tile can begin where dynamic shared memory does."""

CONSUMED = ("sym_name", "arg_attrs", KERNEL_SPEC.name, OPEN_REGISTERS.name)

TENSOR_MAP_ATTRIBUTES: dict[str, Attribute] = {
    "llvm.align": IntegerAttr(64, i64),
    "llvm.byval": LLVMArrayType(128, i8),
    "nvvm.grid_constant": UnitAttr(),
}
"""A tensor map is passed by value and read in place."""


CONVERSIONS: Final[TypeConversions] = {
    IndexType: lambda _: i64,
    MemRefType: lambda ty: convert_memref(ty) or ty,
    TensorMapDescriptorType: lambda _: LLVMPointerType(),
}
"""
Types of arguments:

    index                          i64
    memref<64x64xf16, 1>           !llvm.ptr<1>
    !nvgpu.tensormap.descriptor    !llvm.ptr
"""


def _extents(sizes: Sequence[int]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, [*sizes, 1, 1][:3])


def get_kernel_attributes(op: FuncOp) -> dict[str, Attribute]:
    """
    What a launch of a kernel must be, and what the back end may rely on:

        gpu.known_block_size              nvvm.reqntid
        gpu.known_cluster_size            nvvm.cluster_dim
        nvgpu.blocks_are_clusters         nvvm.blocksareclusters
        kernel_spec<num_warps = n>        nvvm.reqntid of 32 * n
        kernel_spec<num_ctas = n>         nvvm.cluster_dim and nvvm.blocksareclusters
        kernel_spec<occupancy = n>        nvvm.maxnreg, so that registers suffice for n CTAs
        kernel_spec                       nvvm.minctasm of 1
        open_registers                    neither nvvm.maxnreg nor nvvm.minctasm
    """
    target = get_target(op)
    attributes: dict[str, Attribute] = {"nvvm.kernel": UnitAttr()}
    threads = get_integers(op.known_block_size)
    cluster = get_integers(op.attributes.get("gpu.known_cluster_size"))
    if cluster is not None:
        attributes["nvvm.cluster_dim"] = _extents(cluster)
        if BLOCKS_ARE_CLUSTERS.is_on(op):
            attributes["nvvm.blocksareclusters"] = UnitAttr()
    if (spec := KERNEL_SPEC.get(op)) is not None:
        fields = spec.get_fields()
        if threads is None and "num_warps" in fields:
            threads = (WARP_THREADS * fields["num_warps"],)
        if fields.get("num_ctas", 1) > 1 and target.has("clusters"):
            attributes["nvvm.cluster_dim"] = _extents([fields["num_ctas"]])
            attributes["nvvm.blocksareclusters"] = UnitAttr()
        is_limited = threads is not None and not OPEN_REGISTERS.is_on(op)
        if is_limited:
            attributes["nvvm.minctasm"] = IntegerAttr(1, i32)
        if threads is not None and is_limited and "occupancy" in fields:
            registers = get_register_limit(threads, fields["occupancy"], target.registers)
            attributes["nvvm.maxnreg"] = IntegerAttr(registers, i32)
    if threads is not None:
        attributes["nvvm.reqntid"] = _extents(threads)
    return attributes


def get_register_limit(block: Sequence[int], occupancy: int, registers: RegisterFile) -> int:
    """The registers of a thread at an occupancy of this many CTAs per SM."""
    warps = -(-prod(block) // WARP_THREADS) * occupancy
    return max(registers.least, registers.cap(warps))


def get_argument_attributes(op: FuncOp) -> ArrayAttr[DictionaryAttr] | None:
    """Attributes of arguments; tensor maps of kernels are constants of the grid."""
    given = op.attributes.get("arg_attrs")
    known = list(given) if isinstance(given, ArrayAttr) else []
    result: list[DictionaryAttr] = []
    for index, ty in enumerate(op.function_type.inputs):
        attributes: dict[str, Attribute] = {}
        if op.kernel is not None and isinstance(ty, TensorMapDescriptorType):
            attributes |= TENSOR_MAP_ATTRIBUTES
        if index < len(known) and isinstance(own := known[index], DictionaryAttr):
            for name, value in own.data.items():
                is_constant = name == "cute_nvgpu.grid_constant"
                attributes["nvvm.grid_constant" if is_constant else name] = value
        result.append(DictionaryAttr(attributes))
    return ArrayAttr(result) if any(attributes.data for attributes in result) else None


class ConvertGpuFunc(ConversionPattern[FuncOp]):
    """
    A function, or a kernel with what is known of its launches. Arguments are LLVM types, memory
    references bare pointers.

        "gpu.func"() <{function_type = (memref<64xf32, 1>) -> (), kernel}> ({…})
            {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>}
        →
        llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel,
            nvvm.reqntid = array<i32: 128, 1, 1>} {…}
    """

    def convert(self, op: FuncOp, rewriter: ConversionRewriter) -> None:
        for index, ty in enumerate(op.function_type.inputs):
            converted = rewriter.type(ty)
            is_dynamic = isinstance(ty, MemRefType) and not ty.has_static_shape()
            if is_dynamic or not is_compatible_type(converted):
                raise ConversionError(f"argument #{index} of type '{ty}' cannot be passed")
        inputs = rewriter.types(op.function_type.inputs)
        outputs = rewriter.types(op.function_type.outputs)
        if len(outputs) > 1:
            raise ConversionError(f"returns {len(outputs)} values, but at most one is possible")
        for ty in outputs:
            if not is_compatible_type(ty):
                raise ConversionError(f"a value of type '{ty}' cannot be returned")
        attributes = {
            name: value
            for name, value in op.attributes.items()
            if name not in CONSUMED and not name.startswith("gpu.known_")
        }
        if op.kernel is not None:
            attributes = get_kernel_attributes(op) | attributes
        function = LLVMFuncOp(
            op.sym_name,
            LLVMFunctionType(inputs, outputs[0] if outputs else LLVMVoidType()),
            LinkageAttr("external"),
            body=self.move_body(op, rewriter),
            other_props={"arg_attrs": get_argument_attributes(op)},
            extra_attrs=attributes,
        )
        rewriter.replace(op, function)

    @staticmethod
    def move_body(op: FuncOp, rewriter: ConversionRewriter) -> Region:
        """The body; only the arguments of the function have types to convert."""
        body = op.detach_region(op.body)
        op.add_region(Region())
        entry = body.first_block
        assert entry is not None
        rewriter.convert_arguments(entry)
        return rewriter.convert_region(body)


class ConvertGpuReturn(ConversionPattern[ReturnOp]):
    """
    The end of a function.

        "gpu.return"() : () -> ()
        →
        llvm.return
    """

    def convert(self, op: ReturnOp, rewriter: ConversionRewriter) -> None:
        values = rewriter.values(op.args)
        function = op.parent_op()
        if values and function is not None and "nvvm.kernel" in function.attributes:
            raise ConversionError("Kernel functions do not support return with operands")
        if len(values) > 1:
            raise ConversionError(f"returns {len(values)} values, but at most one is possible")
        rewriter.replace(op, LLVMReturnOp(*values))


class ConvertDynamicSharedMemory(ConversionPattern[gpu.DynamicSharedMemoryOp]):
    """
    Shared memory that a launch adds; all kernels of a module share the name of it.

        %m = "gpu.dynamic_shared_memory"() : () -> memref<?xi8, 3>
        →
        llvm.mlir.global external @dynamic_shared_memory()
            {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
        %p = llvm.mlir.addressof @dynamic_shared_memory : !llvm.ptr<3>
        %m = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to memref<?xi8, 3>
    """

    def convert(self, op: gpu.DynamicSharedMemoryOp, rewriter: ConversionRewriter) -> None:
        array = LLVMArrayType(0, i8)
        symbols = rewriter.state(RuntimeSymbols)
        memory = symbols.get_global(op, DYNAMIC_MEMORY, array, SHARED_SPACE, DYNAMIC_ALIGNMENT)
        rewriter.replace(op, address_of(memory))


def populate_functions(patterns: PatternSet) -> None:
    patterns.add(FuncOp, ConvertGpuFunc())
    patterns.add(ReturnOp, ConvertGpuReturn())
    patterns.add(gpu.DynamicSharedMemoryOp, ConvertDynamicSharedMemory())


FAILURE = "failed to convert gpu to nvvm"


def is_legal_yield(op: Operation) -> bool:
    """A yield goes with the op that it belongs to, which must be one of `gpu`."""
    parent = op.parent_op()
    return parent is not None and get_name(parent).startswith("gpu.")


@cache
def make_target() -> ConversionTarget:
    """Of `gpu` only the module may stay; assertions and what libdevice computes must go."""
    target = ConversionTarget()
    target.add_legal_dialect("llvm", "nvvm")
    target.add_illegal_dialect("gpu")
    target.add_legal_op(gpu.ModuleOp)
    target.add_dynamically_legal_op(YieldOp, is_legal_yield)
    target.add_illegal_op(cf.AssertOp)
    set_math_legality(target)
    return target


@cache
def make_patterns(*, barrier0: bool = False) -> PatternSet:
    """All patterns."""
    patterns = PatternSet()
    populate_queries(patterns)
    populate_warps(patterns, barrier0=barrier0)
    populate_runtime_calls(patterns)
    populate_math(patterns)
    populate_functions(patterns)
    return patterns


@dataclass(frozen=True)
class ConvertGpuToNvvmPass(ModulePass):
    """
    Converts all of `gpu` but its modules, `cf.assert`, and the ops of `math` that libdevice
    computes to `llvm` and `nvvm`. On failure the module is unchanged.

    Option: `barrier0` (false) writes barriers as `nvvm.barrier0`.
    """

    name = "convert-gpu-to-nvvm"

    barrier0: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        converter, patterns = TypeConverter(CONVERSIONS), make_patterns(barrier0=self.barrier0)
        apply_partial_conversion(op, make_target(), converter, patterns, FAILURE)
        reconcile_casts(op)
