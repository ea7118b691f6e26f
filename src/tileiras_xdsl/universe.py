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
    "vector": "dialects.vector:Vector",
}

DIALECTS: Final = {
    "cuda_tile": "dialects.cuda_tile:CudaTile",
    "cute": "dialects.cute:Cute",
    "nv_tileaa": "dialects.nv_tileaa:NvTileaa",
    "nv_tileas": "dialects.nv_tileas:NvTileas",
    "nvgpu": "dialects.nvgpu:Nvgpu",
    "nvvm": "dialects.nvvm:Nvvm",
}

PASSES: Final = {
    "convert-cuda-tile-to-tileaa": "transforms.convert_cuda_tile_to_tileaa.conversion_pass:ConvertCudaTileToTileaaPass",
    "canonicalize-tileaa": "transforms.canonicalize_tileaa:CanonicalizeTileaaPass",
    "convert-gpu-to-nvvm": "transforms.convert_gpu_to_nvvm.conversion_pass:ConvertGpuToNvvmPass",
    "convert-nvgpu-to-nvvm": "transforms.convert_nvgpu_to_nvvm.conversion_pass:ConvertNvgpuToNvvmPass",
    "convert-scf-while-to-cf": "transforms.convert_scf_while_to_cf:ConvertScfWhileToCfPass",
    "convert-tileaa-to-tileas": "transforms.convert_tileaa_to_tileas.conversion_pass:ConvertTileaaToTileasPass",
    "convert-tileas-to-nvgpu": "transforms.convert_tileas_to_nvgpu.conversion_pass:ConvertTileasToNvgpuPass",
    "convert-to-llvm": "transforms.convert_to_llvm.conversion_pass:ConvertToLlvmPass",
    "discharge-mem-tokens": "transforms.discharge_mem_tokens:DischargeMemTokensPass",
    "fuse-fma": "transforms.fuse_fma:FuseFmaPass",
    "loop-split": "transforms.loop_split:LoopSplitPass",
    "simplify-loops": "transforms.simplify_loops:SimplifyLoopsPass",
    "synthesize-debug-info-scopes": "transforms.synthesize_debug_info_scopes:SynthesizeDebugInfoScopesPass",
    "tileas-assign-dot-layouts": "transforms.tileas_assign_dot_layouts:TileasAssignDotLayoutsPass",
    "tileas-assign-load-store-layouts": "transforms.tileas_assign_load_store_layouts:TileasAssignLoadStoreLayoutsPass",
    "tileas-materialize-convert-layout": "transforms.tileas_materialize_convert_layout:TileasMaterializeConvertLayoutPass",
    "tileas-prepare-for-scheduling": "transforms.tileas_prepare_for_scheduling:TileasPrepareForSchedulingPass",
    "tileas-remove-layout-conversions": "transforms.tileas_remove_layout_conversions:TileasRemoveLayoutConversionsPass",
    "tileas-dynamic-persistent": "transforms.tileas_dynamic_persistent:TileasDynamicPersistentPass",
    "tileas-generate-schedule": "transforms.tileas_generate_schedule:TileasGenerateSchedulePass",
    "tileas-materialize-schedule": "transforms.tileas_materialize_schedule:TileasMaterializeSchedulePass",
    "tileas-unspecialized-pipeline": "transforms.tileas_unspecialized_pipeline:TileasUnspecializedPipelinePass",
    "uplift-while-to-for": "transforms.uplift_while_to_for:UpliftWhileToForPass",
    "verify-cuda-tile-input": "transforms.verify_cuda_tile_input:VerifyCudaTileInputPass",
    "verify-no-cuda-tile": "transforms.verify_no_cuda_tile:VerifyNoCudaTilePass",
}

TARGETS: Final = {
    "cubin": "backend.targets:CubinTarget",
    "cuda-tile-public": "text.public_target:CudaTilePublicTarget",
    "llvm-ir": "backend.targets:LlvmIrTarget",
    "ptx": "backend.targets:PtxTarget",
    "tileir-bytecode": "bytecode.target:TileirBytecodeTarget",
}


def _load(module: str, name: str) -> Any:
    return getattr(import_module(f"tileiras_xdsl.{module}"), name)


def _lazily(places: Mapping[str, str]) -> dict[str, Callable[[], Any]]:
    """Functions that import what lies at these places, `module:name` below the package."""
    return {key: partial(_load, *place.split(":")) for key, place in places.items()}


XDSL_UNIVERSE.all_dialects.update(_lazily(REPLACED_DIALECTS))

TILEIRAS_UNIVERSE = Universe(
    all_dialects=_lazily(DIALECTS),
    all_passes=_lazily(PASSES),
    all_targets=_lazily(TARGETS),
)
