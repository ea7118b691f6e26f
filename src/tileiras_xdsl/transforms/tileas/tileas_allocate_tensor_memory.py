"""
Allocates columns of tensor memory, and inserts what threads and MMAs wait for.

Before:  %d = nv_tileas.dot %a, %b, %t {atom = #nv_tileas.atom<mma.sm100>} : …
         %r = nv_tileas.tensor_memory_load %d : …
After:   %d = nv_tileas.dot %a, %b, %t {atom = #nv_tileas.atom<mma.sm100>} : …
         %p = nv_tileas.commit_dots
         nv_tileas.wait_dots %p
         %r = nv_tileas.tensor_memory_load %d : …
         …, %t has {nv_tileas.column = #nv_tileas.column<0>}, and the kernel has
         {nv_tileas.tensor_memory = #nv_tileas.tensor_memory_columns<128>}
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.nv_tileas.decisions import (
    COLUMN,
    TENSOR_MEMORY,
    ColumnAttr,
    TensorMemoryAttr,
)
from tileiras_xdsl.dialects.nv_tileas.pipeline import AgentSwitchOp
from tileiras_xdsl.dialects.nv_tileas.types import get_kernel_hint
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tcgen05 import ALLOCATED_COLUMNS
from tileiras_xdsl.transforms.common.kernel_spec import get_target, kernels
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import walk

from .kernel_model.dot_waits import DotWaits
from .kernel_model.scaled_tcgen05 import scale_columns
from .kernel_model.tensor_memory_webs import (
    Webs,
    check_webs,
    choose_columns,
    find_scale_groups,
    find_scale_pipelines,
    is_in_tensor_memory,
    needed_scale_columns,
    pipeline_scale_columns,
)


@dataclass(frozen=True)
class TileasAllocateTensorMemoryPass(ModulePass):
    """
    Gives tiles in tensor memory their columns: those that are not in use at the same time share
    them, if there are not enough for all. A kernel allocates a power of two of them, at most its
    share by the number of CTAs per SM; more is an error. Stages of a pipeline between an MMA agent
    and threads follow each other, and what is handed back and forth is in one place. Where
    consumer warps issue MMAs themselves, it then inserts

    - `commit_dots` after a dot and `wait_dots` before threads read its result, or overwrite what it
      reads;
    - `tensor_memory_fence` and a barrier before a dot that reads what threads have written to
      tensor memory, or overwrites what they have read or written.

    Kernels without tensor memory are left as they are.
    """

    name = "tileas-allocate-tensor-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            if any(is_in_tensor_memory(each) for op in walk(function) for each in op.results):
                allocate(function, get_target(op))


def allocate(function: FuncOp, target: Target) -> None:
    """Allocates the tensor memory of a kernel, and inserts waits."""
    webs = Webs(function)
    check_webs(webs)
    most = ALLOCATED_COLUMNS[-1] // max(1, get_kernel_hint(function, "occupancy"))
    scales = needed_scale_columns(function)
    scale_column = choose_columns(list(webs.webs.values()), most - scales)
    total = scale_column + scales
    allocated = next((each for each in ALLOCATED_COLUMNS if each >= total), None)
    if allocated is None or allocated > most:
        fail(
            function,
            f"the kernel needs {total} columns of tensor memory, but a CTA has {most} of {target}: "
            "use smaller tiles",
        )
    TENSOR_MEMORY.set(function, TensorMemoryAttr(allocated))
    for web in webs.webs.values():
        for place in web.places:
            COLUMN.set(place, ColumnAttr(web.column))
        for pipeline in web.pipelines:
            COLUMN.set(pipeline, ColumnAttr(web.column))
    for group in find_scale_groups(function):
        for dot in group:
            COLUMN.set(dot, ColumnAttr(scale_column))
        scale_column += max(sum(scale_columns(dot)) for dot in group)
    for pipeline in find_scale_pipelines(function):
        COLUMN.set(pipeline, ColumnAttr(scale_column))
        scale_column += pipeline_scale_columns(pipeline)
    DotWaits(function, webs).insert()
    hoist_places(webs)


def hoist_places(webs: Webs) -> None:
    """Places have no code: they are known from the start of the agent, or kernel, on."""
    for web in webs.webs.values():
        for place in web.places:
            region = place.parent_region()
            while region is not None and not isinstance(region.parent, AgentSwitchOp | FuncOp):
                region = None if region.parent is None else region.parent.parent_region()
            assert region is not None
            place.detach()
            Rewriter.insert_op(place, InsertPoint.at_start(region.block))
