"""
Kernels of Triton as kernels of public Tile IR.

    tt.func public @k(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
      %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
      %s = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
      %q = tt.addptr %s, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
      %x = tt.load %q : tensor<128x!tt.ptr<f32>>
      tt.return
    }
    →
    cuda_tile.module @kernels {
      entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {
        %0 = assume div_by<16>, %p : tile<ptr<f32>>
        %r = iota : tile<128xi32>
        %1 = reshape %0 : tile<ptr<f32>> -> tile<1xptr<f32>>
        %s = broadcast %1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
        %q = offset %s, %r : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
        %x, %t = load_ptr_tko weak %q : tile<128xptr<f32>> -> tile<128xf32>, token
        return
      }
    }

Triton orders the accesses of a program as they are written; tokens do so here. A load through an
argument that nothing is stored through needs none, unless the program waits for others. Calls are
inlined. Tensor descriptors become views, of tensors that are aligned as Triton asks. Divisions,
exponentials and square roots of f32 have Triton's accuracy, not that of IEEE.

Options: `scratch` pointers that nothing uses come after the arguments, as Triton's launcher passes
them. A descriptor that is an argument is its base, of which sizes and strides are the arguments
behind it; or, if `descriptor_flags` is not negative, it is passed as a base, sizes, strides, and so
many flags.

Two options of Triton's that TTIR lacks are attributes of the module. With `tt.enable_fp_fusion`
products and sums are FMAs. `tt.num_warps` becomes a hint to a kernel without dots and loops; their
tiles, and what a loop loads ahead of time, say how many warps there have to be.

Refused, by an error at the op: inline assembly with branches or instructions that are not for each
element, functions of libdevice without a counterpart, types
and atomics that Tile IR lacks, pointers to blocks (Triton rewrites them), large gathers.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i1, i8
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.passes import ModulePass

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects import tt
from tileiras_xdsl.dialects.cuda_tile.attributes import (
    WARPS,
    DivByAttr,
    OptimizationHintsAttr,
)
from tileiras_xdsl.dialects.cuda_tile.types import TileType
from tileiras_xdsl.transforms.common.rewriting import erase_unused
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import find_all

from . import arithmetic, inline_assembly, shapes  # noqa: F401  # pyright: ignore[reportUnusedImport]
from .control_flow import FunctionBody
from .emitter import I64, Emitter, Order
from .memory import describe, find_read_only, find_stored_once

FP_FUSION = "tt.enable_fp_fusion"
"""Of a module of which products and sums are FMAs."""
NUM_WARPS = "tt.num_warps"
"""Of a module whose kernels are to have so many warps."""
_OWN_WARPS = (tt.DotOp, tt.DotScaledOp, scf.ForOp)
"""
Ops of kernels for which passes choose the number of warps. Loops over rows are slower with Triton's
8 or 16, kernels without loops faster with its number (docs/journal/2026-11-19-triton-h200.md).
"""


@dataclass(frozen=True)
class ConvertTtToCudaTilePass(ModulePass):
    """Converts the kernels of Triton in a module to public Tile IR."""

    name = "convert-tt-to-cuda-tile"

    scratch: int = 0
    """How many pointers come after the arguments."""
    descriptor_flags: int = -1
    """How many flags an argument that is a descriptor has; negative: it is its base alone."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [each for each in op.body.block.ops if isinstance(each, tt.FuncOp)]
        if not functions:
            return
        entries = [
            self._convert(each, FP_FUSION in op.attributes) for each in functions if each.is_kernel
        ]
        warps = op.attributes.get(NUM_WARPS)
        if isinstance(warps, IntegerAttr) and not find_all(op, *_OWN_WARPS):
            hints = OptimizationHintsAttr.from_dict({"default": {WARPS: warps.value.data}})
            for entry in entries:
                entry.properties["optimization_hints"] = hints
        for each in tuple(op.body.block.ops):
            each.detach()
            each.erase(safe_erase=False)
        made = ct.ModuleOp("kernels", entries)
        op.body.block.add_op(made)
        erase_unused(made)

    def _convert(self, function: tt.FuncOp, fp_fusion: bool) -> ct.EntryOp:
        if function.function_type.outputs.data:
            fail(function, "'tt.func' op has results, which a kernel cannot have")
        source = function.body.first_block
        if source is None:
            fail(function, "'tt.func' op has no body")
        block = Block()
        emitter = Emitter(block)
        emitter.current, emitter.location = function, function.location
        emitter.read_only = find_read_only(function)
        emitter.stored_once = find_stored_once(function)
        emitter.fp_fusion = fp_fusion
        self._convert_arguments(emitter, function, source)
        emitter.order = Order(emitter.one(ct.MakeTokenOp()))
        body = FunctionBody(emitter, is_kernel=True)
        body.run(source, emitter.convert(source.args))
        entry = ct.EntryOp(function.symbol, Region(block))
        entry.location = function.location
        return entry

    def _convert_arguments(self, emitter: Emitter, function: tt.FuncOp, source: Block) -> None:
        block, hints = emitter.block, function.arg_attrs

        def add(ty: Attribute, name: str | None) -> SSAValue:
            argument = block.insert_arg(ty, len(block.args))
            argument.name_hint = name
            return argument

        pending: list[tuple[SSAValue, tt.TensorDescType, list[SSAValue]]] = []
        for index, argument in enumerate(source.args):
            name = argument.name_hint
            if isinstance(argument.type, tt.TensorDescType):
                ty = argument.type
                base = add(emitter.type(tt.PtrType(ty.tensor.get_element_type())), name)
                sizes: list[SSAValue] = []
                if self.descriptor_flags >= 0:
                    sizes = [add(I64, None) for _ in range(2 * len(ty.block.get_shape()))]
                    for _ in range(self.descriptor_flags):
                        add(TileType(i1), None)
                pending.append((argument, ty, sizes))
                emitter.values[argument] = base
                continue
            value = add(emitter.type(argument.type), name)
            hint = None if hints is None else hints.data[index].data.get("tt.divisibility")
            number = hint.value.data if isinstance(hint, IntegerAttr) else 1
            emitter.values[argument] = value
            if (divisor := number & -number) > 1:
                predicate = DivByAttr((divisor, None, None))
                emitter.values[argument] = emitter.one(ct.AssumeOp(value, predicate))
        for argument, ty, sizes in pending:
            rank, index = len(ty.block.get_shape()), source.args.index(argument)  # pyright: ignore[reportArgumentType]
            following = source.args[index + 1 : index + 1 + 2 * rank]
            sizes = sizes or emitter.list_values(following)
            if len(sizes) != 2 * rank:
                emitter.fail(f"expects sizes and strides behind argument {index}, a descriptor")
            wide = [emitter.extend(each, 64) for each in sizes]
            emitter.values[argument] = describe(emitter, ty, emitter.value(argument), wide)
        for _ in range(self.scratch):
            add(TileType(ct.PtrType(i8)), None)
