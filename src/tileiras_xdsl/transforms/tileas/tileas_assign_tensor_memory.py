"""
Puts accumulators of `tcgen05` into tensor memory.

Before:  %r = scf.for %k … iter_args(%c = %zero) -> (tensor<128x128xf32, #row>) {
           %d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm100>} : …
           scf.yield %d
         }
After:   %t = nv_tileas.alloc_tensor : tensor<128x128xf32, #tmem>
         %u = scf.for %k … iter_args(%c = %t) -> (tensor<128x128xf32, #tmem>) {
           %is_later = arith.cmpi ne, %k, %first
           %d = nv_tileas.dot %a, %b, %c, %is_later {atom = #nv_tileas.atom<mma.sm100>} : …
           scf.yield %d
         }
         %v = scf.if %has_no_iteration { tensor_memory_store %zero into %u } else { %u }
         %r = nv_tileas.tensor_memory_load %v : tensor<128x128xf32, #tmem> -> …
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileiras_xdsl.dialects.nv_tileas.atoms import is_tcgen05
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.xdsl_extras.walking import find_all

from .kernel_model.tensor_memory_assignment import TensorMemoryAssignment


@dataclass(frozen=True)
class TileasAssignTensorMemoryPass(ModulePass):
    """
    Puts the accumulators of dots by `tcgen05` into tensor memory, and operands A that are computed
    from one. What else uses an accumulator reads it into registers, in the layout that it has there
    (`tensor_memory_load`), and what it is computed from is written (`tensor_memory_store`). Loops
    carry accumulators in tensor memory; one whose rows are only multiplied between dots, as O of
    attention, is not read for that (`tensor_memory_scale`). A dot whose accumulator begins as zero
    overwrites what is in tensor memory, in the first iteration of its loop.

    Columns that are extracted from an accumulator are read by themselves.

    All values are as they were before; in which columns tiles are, and who waits for whom, is up to
    `tileas-allocate-tensor-memory`.
    """

    name = "tileas-assign-tensor-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            dots = [dot for dot in find_all(function, DotOp) if is_tcgen05(dot)]
            if dots:
                TensorMemoryAssignment(function).run(dots)
