"""Functions, kernels and their memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    UnitAttr,
    i8,
    i32,
    i64,
)
from xdsl.dialects.llvm import FuncOp as LLVMFuncOp
from xdsl.dialects.llvm import (
    LinkageAttr,
    LLVMArrayType,
    LLVMFunctionType,
    LLVMPointerType,
    LLVMVoidType,
    is_compatible_type,
)
from xdsl.dialects.llvm import ReturnOp as LLVMReturnOp
from xdsl.ir import Attribute, Region

from tileiras_xdsl.dialects import gpu
from tileiras_xdsl.dialects.gpu import FuncOp, ReturnOp
from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC
from tileiras_xdsl.dialects.nvgpu import TensorMapDescriptorType
from tileiras_xdsl.dialects.nvgpu.persistence import BLOCKS_ARE_CLUSTERS
from tileiras_xdsl.dialects.nvvm import SHARED_SPACE
from tileiras_xdsl.targets.machine import WARP_THREADS, RegisterFile
from tileiras_xdsl.transforms.common.compute_capability import get_target
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
    TypeConverter,
)

from ..llvm_symbols import RuntimeSymbols, address_of
from ..llvm_types import convert_memref, get_integers

DYNAMIC_MEMORY = "dynamic_shared_memory"
DYNAMIC_ALIGNMENT = 1024
"""So that a swizzled TMA tile can begin where dynamic shared memory does."""

CONSUMED = ("sym_name", "arg_attrs", KERNEL_SPEC.name)

TENSOR_MAP_ATTRIBUTES: dict[str, Attribute] = {
    "llvm.align": IntegerAttr(64, i64),
    "llvm.byval": LLVMArrayType(128, i8),
    "nvvm.grid_constant": UnitAttr(),
}
"""A tensor map is passed by value and read in place."""


def make_type_converter() -> TypeConverter:
    """
    Types of arguments:

        index                          i64
        memref<64x64xf16, 1>           !llvm.ptr<1>
        !nvgpu.tensormap.descriptor    !llvm.ptr
    """
    converter = TypeConverter()
    converter.add_conversion(IndexType, lambda ty: i64)
    converter.add_conversion(MemRefType, lambda ty: convert_memref(ty) or ty)
    converter.add_conversion(TensorMapDescriptorType, lambda ty: LLVMPointerType())
    return converter


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
        if threads is not None:
            attributes["nvvm.minctasm"] = IntegerAttr(1, i32)
        if threads is not None and "occupancy" in fields:
            registers = get_register_limit(threads, fields["occupancy"], target.registers)
            attributes["nvvm.maxnreg"] = IntegerAttr(registers, i32)
    if threads is not None:
        attributes["nvvm.reqntid"] = _extents(threads)
    return attributes


def get_register_limit(block: Sequence[int], occupancy: int, registers: RegisterFile) -> int:
    """The registers of a thread at an occupancy of so many CTAs per SM."""
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
        inputs = [rewriter.type(ty) for ty in op.function_type.inputs]
        outputs = [rewriter.type(ty) for ty in op.function_type.outputs]
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


@dataclass(frozen=True)
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

    symbols: RuntimeSymbols

    def convert(self, op: gpu.DynamicSharedMemoryOp, rewriter: ConversionRewriter) -> None:
        array = LLVMArrayType(0, i8)
        memory = self.symbols.get_global(op, DYNAMIC_MEMORY, array, SHARED_SPACE, DYNAMIC_ALIGNMENT)
        rewriter.replace(op, address_of(memory))


def populate_functions(patterns: PatternSet, symbols: RuntimeSymbols) -> None:
    patterns.add(FuncOp, ConvertGpuFunc())
    patterns.add(ReturnOp, ConvertGpuReturn())
    patterns.add(gpu.DynamicSharedMemoryOp, ConvertDynamicSharedMemory(symbols))
