"""
Discardable attributes of `nv_tileaa`, by which passes communicate.

A module has its target, a kernel its launch specification, and a load what its token said about the
memory order, once tokens are gone (`analysis/memory_order.py`).
"""

from __future__ import annotations

from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.gpu import BarrierOp, FuncOp
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.memory_order import Effect, is_plain_load, own_effects
from tileiras_xdsl.xdsl_extras.discardable_attributes import DiscardableAttribute

from .attributes import KernelSpecAttr
from .memory import AllocaOp
from .views import TileStore, TileUpdate


def _why_no_capability(op: Operation, attribute: Attribute) -> str | None:
    if not isinstance(attribute, IntegerAttr | StringAttr):
        return f"has to be a number or a name, but is {attribute}"
    name = TARGET_SPEC.get(op)
    if name is None or not isinstance(attribute, IntegerAttr):
        return None
    number = attribute.value.data
    return None if name.data.rstrip("af") == f"sm_{number}" else f"is {number}, not {name}"


_TARGET_READERS: Final = (
    "hoist-loads",
    "merge-loads",
    "split-operands",
    "split-tiles",
    "privatize-atomics",
    "strip-mine-tiles",
    "unroll-loops",
    "tileas-assign-dot-layouts",
    "tileas-assign-load-store-layouts",
    "tileas-prepare-for-scheduling",
    "tileas-pair-ctas",
    "tileas-coarsen-thread-blocks",
    "tileas-dynamic-persistent",
    "tileas-order-tile-blocks",
    "tileas-resolve-cluster-hints",
    "tileas-generate-schedule",
    "tileas-materialize-schedule",
    "tileas-unspecialized-pipeline",
    "tileas-allocate-tensor-memory",
    "tileas-allocate-shared-memory",
    "tileas-choose-occupancy",
    "tileas-insert-barriers",
    "tileas-overlap-launches",
    "convert-tileas-to-nvgpu",
    "convert-gpu-to-nvvm",
)
"""The passes that read the target; the number is used where there is no name."""

COMPUTE_CAPABILITY: Final = DiscardableAttribute(
    "nv_tileaa.compute_capability",
    Attribute,
    "The compute capability that a program is compiled for: `90 : i32`.",
    carriers=(ModuleOp,),
    written_by=("convert-cuda-tile-to-tileaa",),
    read_by=_TARGET_READERS,
    why_not=_why_no_capability,
)
TARGET_SPEC: Final = DiscardableAttribute(
    "nv_tileaa.target_spec",
    StringAttr,
    'The name of that architecture, with its suffix: `"sm_90a"`.',
    carriers=(ModuleOp,),
    written_by=("convert-cuda-tile-to-tileaa",),
    read_by=_TARGET_READERS,
)
KERNEL_SPEC: Final = DiscardableAttribute(
    "nv_tileaa.kernel_spec",
    KernelSpecAttr,
    "How a kernel is launched: its optimization hints, as far as they are followed.",
    carriers=(FuncOp,),
    written_by=(
        "convert-cuda-tile-to-tileaa",
        "split-tiles",
        "convert-tileaa-to-tileas",
        "tileas-dynamic-persistent",
        "tileas-resolve-cluster-hints",
        "tileas-generate-schedule",
        "tileas-choose-occupancy",
    ),
    read_by=(
        "hoist-loads",
        "split-tiles",
        "privatize-atomics",
        "unroll-loops",
        "convert-tileaa-to-tileas",
        "tileas-dynamic-persistent",
        "tileas-resolve-cluster-hints",
        "tileas-assign-dot-layouts",
        "tileas-generate-schedule",
        "tileas-materialize-schedule",
        "tileas-unspecialized-pipeline",
        "tileas-allocate-tensor-memory",
        "tileas-choose-occupancy",
        "convert-tileas-to-nvgpu",
        "convert-gpu-to-nvvm",
        "convert-nvgpu-to-nvvm",
        "tileas-allocate-shared-memory",
        "tileas-coarsen-thread-blocks",
    ),
)
OPEN_REGISTERS: Final = DiscardableAttribute(
    "nv_tileaa.open_registers",
    UnitAttr,
    "ptxas chooses how many registers threads have, and with them how many CTAs share an SM.",
    carriers=(FuncOp,),
    written_by=("tileas-choose-occupancy",),
    read_by=("convert-gpu-to-nvvm",),
)
PRIVATIZED: Final = DiscardableAttribute(
    "nv_tileaa.privatized",
    UnitAttr,
    "The memory keeps what atomics combine until the CTA ends.",
    carriers=(AllocaOp,),
    written_by=("privatize-atomics",),
    read_by=("tileas-overlap-launches",),
)

UNROLLED: Final = DiscardableAttribute(
    "nv_tileaa.unrolled",
    UnitAttr,
    "Loads of several iterations of the loop are in flight together, or it is what is left of such "
    "a loop, or caches are to have what it reads: it is not pipelined.",
    carriers=(scf.ForOp,),
    written_by=("privatize-atomics", "unroll-loops"),
    read_by=("unroll-loops", "tileas-unspecialized-pipeline"),
)
WARPGROUP_ORDER: Final = DiscardableAttribute(
    "nv_tileaa.warpgroup_order",
    UnitAttr,
    "Of a store or an atomic: it is ordered behind itself in earlier iterations, where it changed "
    "the same tile or another one of the same partition. Of a barrier: it is there for these only.",
    carriers=(TileStore, TileUpdate, BarrierOp),
    written_by=("discharge-mem-tokens",),
    read_by=(
        "tileas-generate-schedule",
        "tileas-allocate-shared-memory",
        "tileas-insert-barriers",
        "convert-tileas-to-nvgpu",
    ),
)


def _why_no_mark(op: Operation, _: UnitAttr) -> str | None:
    # A weak load may become an asynchronous one, which has unknown effects.
    is_weak_load = is_plain_load(op) or own_effects(op) is Effect.UNKNOWN
    return None if is_weak_load else "is for weak loads that are not volatile"


_SCHEDULING: Final = (
    "tileas-dynamic-persistent",
    "tileas-generate-schedule",
    "tileas-materialize-schedule",
)
"""The passes that move loads to producer warps or other iterations."""

INDEPENDENT: Final = DiscardableAttribute(
    "nv_tileaa.independent",
    UnitAttr,
    "The load depends on no memory effect of its kernel.",
    written_by=("discharge-mem-tokens", "tileas-dynamic-persistent"),
    read_by=(
        "hoist-loads",
        "tileas-assign-dot-layouts",
        "tileas-prepare-for-scheduling",
        "tileas-pair-ctas",
        *_SCHEDULING,
        "tileas-coarsen-thread-blocks",
    ),
    why_not=_why_no_mark,
)
AFTER_GRID_WAIT: Final = DiscardableAttribute(
    "nv_tileaa.after_grid_wait",
    UnitAttr,
    "The load depends on no memory effect of its kernel but waits for other grids.",
    written_by=("discharge-mem-tokens", "tileas-dynamic-persistent"),
    read_by=(
        "tileas-assign-dot-layouts",
        "tileas-prepare-for-scheduling",
        *_SCHEDULING,
        "tileas-unspecialized-pipeline",
    ),
    why_not=_why_no_mark,
)
HOISTABLE: Final = DiscardableAttribute(
    "nv_tileaa.hoistable",
    UnitAttr,
    "The load depends on no memory effect of the innermost loop around it.",
    written_by=("discharge-mem-tokens",),
    read_by=("tileas-generate-schedule", "tileas-unspecialized-pipeline"),
    why_not=_why_no_mark,
)
INVARIANT: Final = DiscardableAttribute(
    "nv_tileaa.invariant",
    UnitAttr,
    "No later effect of the kernel changes the memory that the load reads, or lets another CTA do "
    "so.",
    written_by=("discharge-mem-tokens", "tileas-dynamic-persistent"),
    read_by=("tileas-assign-dot-layouts", *_SCHEDULING),
    why_not=_why_no_mark,
)
