"""
What plain `xdsl-opt` finds through the `xdsl.universe` entry point.

This file is imported at every start of every xDSL tool, so it imports nothing of the package:
each name leads to a module and what to take from it, which is imported when it is asked for. A
name that xDSL registers already is refused at start-up, so dialects of xDSL that lack something
are replaced in its own universe.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any, Final

from xdsl.universe import XDSL_UNIVERSE, Universe

REPLACED_DIALECTS: Final = {
    "arith": "dialects.arith:Arith",
    "gpu": "dialects.gpu:GPU",
    "llvm": "dialects.llvm:LLVM",
    "scf": "dialects.scf:Scf",
    "vector": "dialects.vector:Vector",
}

DIALECTS: Final = {
    "cuda_tile": "dialects.cuda_tile:CudaTile",
    "cute": "dialects.cute:Cute",
    "nv_tileaa": "dialects.nv_tileaa:NvTileaa",
    "nv_tileas": "dialects.nv_tileas:NvTileas",
    "nvgpu": "dialects.nvgpu:Nvgpu",
    "nvvm": "dialects.nvvm:Nvvm",
    "tileiras": "dialects.tileiras:Tileiras",
    "tt": "dialects.tt:Tt",
    "ttg": "dialects.tt.ttg:Ttg",
}

PASSES: Final = {
    "convert-cuda-tile-to-tileaa": "tileaa.convert_cuda_tile_to_tileaa.conversion_pass",
    "canonicalize-tileaa": "tileaa.canonicalize_tileaa",
    "cpu-lower-tiles": "cpu.cpu_lower_tiles",
    "convert-gpu-to-nvvm": "nvvm.convert_gpu_to_nvvm.conversion_pass",
    "convert-nvgpu-to-nvvm": "nvvm.convert_nvgpu_to_nvvm",
    "convert-scf-while-to-cf": "nvvm.convert_scf_while_to_cf",
    "convert-tileaa-to-tileas": "tileas.convert_tileaa_to_tileas",
    "convert-tileas-to-nvgpu": "nvgpu.convert_tileas_to_nvgpu.conversion_pass",
    "convert-tt-to-cuda-tile": "tt.convert_tt_to_cuda_tile",
    "convert-to-llvm": "nvvm.convert_to_llvm.conversion_pass",
    "discharge-mem-tokens": "tileaa.discharge_mem_tokens",
    "fuse-fma": "cuda_tile.fuse_fma",
    "insert-runtime-checks": "cuda_tile.insert_runtime_checks",
    "guard-masks": "cuda_tile.guard_masks",
    "hoist-loads": "tileaa.hoist_loads",
    "hoist-views": "tileaa.hoist_views",
    "loop-split": "cuda_tile.loop_split",
    "privatize-atomics": "tileaa.privatize_atomics",
    "unroll-loops": "tileaa.unroll_loops",
    "merge-loads": "tileaa.merge_loads",
    "recover-views": "tileaa.recover_views",
    "require-determinism": "cuda_tile.require_determinism",
    "scalarize-loads": "tileaa.scalarize_loads",
    "simplify-loops": "tileaa.simplify_loops",
    "sink-scalars": "nvgpu.sink_scalars",
    "split-operands": "tileaa.split_operands",
    "split-tiles": "tileaa.split_tiles",
    "strip-mine-tiles": "tileaa.strip_mine_tiles",
    "synthesize-debug-info-scopes": "cuda_tile.synthesize_debug_info_scopes",
    "tileas-allocate-shared-memory": "tileas.tileas_allocate_shared_memory",
    "tileas-allocate-tensor-memory": "tileas.tileas_allocate_tensor_memory",
    "tileas-assign-dot-layouts": "tileas.tileas_assign_dot_layouts",
    "tileas-assign-load-store-layouts": "tileas.tileas_assign_load_store_layouts",
    "tileas-assign-tensor-memory": "tileas.tileas_assign_tensor_memory",
    "tileas-slice-epilogues": "tileas.tileas_slice_epilogues",
    "tileas-insert-barriers": "tileas.tileas_insert_barriers",
    "tileas-insert-profiling": "tileas.tileas_insert_profiling",
    "tileas-materialize-convert-layout": "tileas.tileas_materialize_convert_layout",
    "tileas-pair-ctas": "tileas.tileas_pair_ctas",
    "tileas-plan": "tileas.tileas_plan",
    "tileas-prepare-for-scheduling": "tileas.tileas_prepare_for_scheduling",
    "tileas-remove-layout-conversions": "tileas.tileas_remove_layout_conversions",
    "tileas-coarsen-thread-blocks": "tileas.tileas_coarsen_thread_blocks",
    "tileas-overlap-launches": "tileas.tileas_overlap_launches",
    "tileas-dynamic-persistent": "tileas.tileas_dynamic_persistent",
    "tileas-order-tile-blocks": "tileas.tileas_order_tile_blocks",
    "tileas-resolve-cluster-hints": "tileas.tileas_resolve_cluster_hints",
    "tileas-generate-schedule": "tileas.tileas_generate_schedule",
    "tileas-materialize-schedule": "tileas.tileas_materialize_schedule",
    "tileas-unspecialized-pipeline": "tileas.tileas_unspecialized_pipeline",
    "tileas-choose-occupancy": "tileas.tileas_choose_occupancy",
    "tt-recover-views": "tt.tt_recover_views",
    "uplift-while-to-for": "tileaa.uplift_while_to_for",
    "verify-cuda-tile-input": "cuda_tile.verify_cuda_tile_input",
    "verify-no-cuda-tile": "tileaa.verify_no_cuda_tile",
}
"""Modules below `transforms`; the class is called as the pass, `fuse-fma` is `FuseFmaPass`."""

TARGETS: Final = {
    "cubin": "backend.targets:CubinTarget",
    "cuda-tile-public": "frontend.targets:CudaTilePublicTarget",
    "llvm-ir": "backend.targets:LlvmIrTarget",
    "ptx": "backend.targets:PtxTarget",
    "tileir-bytecode": "frontend.targets:TileirBytecodeTarget",
}


def _load(module: str, name: str) -> Any:
    return getattr(import_module(f"tileiras_xdsl.{module}"), name)


def _class_of(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-")) + "Pass"


def _lazily(places: Mapping[str, str]) -> dict[str, Callable[[], Any]]:
    """Functions that import what lies at these places, `module:name` below the package."""
    return {key: partial(_load, *place.split(":")) for key, place in places.items()}


XDSL_UNIVERSE.all_dialects.update(_lazily(REPLACED_DIALECTS))

TILEIRAS_UNIVERSE = Universe(
    all_dialects=_lazily(DIALECTS),
    all_passes=_lazily(
        {name: f"transforms.{module}:{_class_of(name)}" for name, module in PASSES.items()}
    ),
    all_targets=_lazily(TARGETS),
)
