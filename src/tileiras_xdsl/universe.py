"""
What plain `xdsl-opt` finds through the `xdsl.universe` entry point.

This file is imported at every start of every xDSL tool, so it imports nothing of the package:
each value is a function that imports on call. A name that xDSL registers already is refused at
start-up, so dialects of xDSL that lack something are replaced in its own universe.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.universe import XDSL_UNIVERSE, Universe

if TYPE_CHECKING:
    from xdsl.ir import Dialect
    from xdsl.passes import ModulePass
    from xdsl.utils.target import Target


def get_arith() -> Dialect:
    from tileiras_xdsl.dialects.arith import Arith

    return Arith


def get_cuda_tile() -> Dialect:
    from tileiras_xdsl.dialects.cuda_tile import CudaTile

    return CudaTile


def get_cute() -> Dialect:
    from tileiras_xdsl.dialects.cute import Cute

    return Cute


def get_gpu() -> Dialect:
    from tileiras_xdsl.dialects.gpu import GPU

    return GPU


def get_llvm() -> Dialect:
    from tileiras_xdsl.dialects.llvm import LLVM

    return LLVM


def get_nv_tileaa() -> Dialect:
    from tileiras_xdsl.dialects.nv_tileaa import NvTileaa

    return NvTileaa


def get_nv_tileas() -> Dialect:
    from tileiras_xdsl.dialects.nv_tileas import NvTileas

    return NvTileas


def get_nvgpu() -> Dialect:
    from tileiras_xdsl.dialects.nvgpu import Nvgpu

    return Nvgpu


def get_nvvm() -> Dialect:
    from tileiras_xdsl.dialects.nvvm import Nvvm

    return Nvvm


def get_vector() -> Dialect:
    from tileiras_xdsl.dialects.vector import Vector

    return Vector


def get_convert_cuda_tile_to_tileaa() -> type[ModulePass]:
    from tileiras_xdsl.transforms.tileaa.convert_cuda_tile_to_tileaa.conversion_pass import (
        ConvertCudaTileToTileaaPass,
    )

    return ConvertCudaTileToTileaaPass


def get_canonicalize_tileaa() -> type[ModulePass]:
    from tileiras_xdsl.transforms.tileaa.canonicalize_tileaa import CanonicalizeTileaaPass

    return CanonicalizeTileaaPass


def get_convert_gpu_to_nvvm() -> type[ModulePass]:
    from tileiras_xdsl.transforms.nvvm.convert_gpu_to_nvvm.conversion_pass import (
        ConvertGpuToNvvmPass,
    )

    return ConvertGpuToNvvmPass


def get_convert_nvgpu_to_nvvm() -> type[ModulePass]:
    from tileiras_xdsl.transforms.nvvm.convert_nvgpu_to_nvvm.conversion_pass import (
        ConvertNvgpuToNvvmPass,
    )

    return ConvertNvgpuToNvvmPass


def get_convert_scf_while_to_cf() -> type[ModulePass]:
    from tileiras_xdsl.transforms.nvvm.convert_scf_while_to_cf import ConvertScfWhileToCfPass

    return ConvertScfWhileToCfPass


def get_convert_tileaa_to_tileas() -> type[ModulePass]:
    from tileiras_xdsl.transforms.tileas.convert_tileaa_to_tileas.conversion_pass import (
        ConvertTileaaToTileasPass,
    )

    return ConvertTileaaToTileasPass


def get_convert_tileas_to_nvgpu() -> type[ModulePass]:
    from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.conversion_pass import (
        ConvertTileasToNvgpuPass,
    )

    return ConvertTileasToNvgpuPass


def get_convert_to_llvm() -> type[ModulePass]:
    from tileiras_xdsl.transforms.nvvm.convert_to_llvm.conversion_pass import ConvertToLlvmPass

    return ConvertToLlvmPass


def get_discharge_mem_tokens() -> type[ModulePass]:
    from tileiras_xdsl.transforms.tileaa.discharge_mem_tokens import DischargeMemTokensPass

    return DischargeMemTokensPass


def get_fuse_fma() -> type[ModulePass]:
    from tileiras_xdsl.transforms.cuda_tile.fuse_fma import FuseFmaPass

    return FuseFmaPass


def get_loop_split() -> type[ModulePass]:
    from tileiras_xdsl.transforms.cuda_tile.loop_split import LoopSplitPass

    return LoopSplitPass


def get_simplify_loops() -> type[ModulePass]:
    from tileiras_xdsl.transforms.tileaa.simplify_loops import SimplifyLoopsPass

    return SimplifyLoopsPass


def get_synthesize_debug_info_scopes() -> type[ModulePass]:
    from tileiras_xdsl.transforms.cuda_tile.synthesize_debug_info_scopes import (
        SynthesizeDebugInfoScopesPass,
    )

    return SynthesizeDebugInfoScopesPass


def get_tileas_assign_dot_layouts() -> type[ModulePass]:
    from tileiras_xdsl.transforms.tileas.tileas_assign_dot_layouts import TileasAssignDotLayoutsPass

    return TileasAssignDotLayoutsPass


def get_tileas_assign_load_store_layouts() -> type[ModulePass]:
    from tileiras_xdsl.transforms.tileas.tileas_assign_load_store_layouts import (
        TileasAssignLoadStoreLayoutsPass,
    )

    return TileasAssignLoadStoreLayoutsPass


def get_tileas_materialize_convert_layout() -> type[ModulePass]:
    from tileiras_xdsl.transforms.tileas.tileas_materialize_convert_layout import (
        TileasMaterializeConvertLayoutPass,
    )

    return TileasMaterializeConvertLayoutPass


def get_tileas_remove_layout_conversions() -> type[ModulePass]:
    from tileiras_xdsl.transforms.tileas.tileas_remove_layout_conversions import (
        TileasRemoveLayoutConversionsPass,
    )

    return TileasRemoveLayoutConversionsPass


def get_uplift_while_to_for() -> type[ModulePass]:
    from tileiras_xdsl.transforms.tileaa.uplift_while_to_for import UpliftWhileToForPass

    return UpliftWhileToForPass


def get_verify_cuda_tile_input() -> type[ModulePass]:
    from tileiras_xdsl.transforms.cuda_tile.verify_cuda_tile_input import VerifyCudaTileInputPass

    return VerifyCudaTileInputPass


def get_verify_no_cuda_tile() -> type[ModulePass]:
    from tileiras_xdsl.transforms.tileaa.verify_no_cuda_tile import VerifyNoCudaTilePass

    return VerifyNoCudaTilePass


def get_cubin() -> type[Target]:
    from tileiras_xdsl.backend.targets import CubinTarget

    return CubinTarget


def get_cuda_tile_public() -> type[Target]:
    from tileiras_xdsl.text.public_target import CudaTilePublicTarget

    return CudaTilePublicTarget


def get_llvm_ir() -> type[Target]:
    from tileiras_xdsl.backend.targets import LlvmIrTarget

    return LlvmIrTarget


def get_ptx() -> type[Target]:
    from tileiras_xdsl.backend.targets import PtxTarget

    return PtxTarget


def get_tileas_dynamic_persistent() -> type[ModulePass]:
    from tileiras_xdsl.transforms.tileas.tileas_dynamic_persistent import (
        TileasDynamicPersistentPass,
    )

    return TileasDynamicPersistentPass


def get_tileas_generate_schedule() -> type[ModulePass]:
    from tileiras_xdsl.transforms.tileas.tileas_generate_schedule import TileasGenerateSchedulePass

    return TileasGenerateSchedulePass


def get_tileas_materialize_schedule() -> type[ModulePass]:
    from tileiras_xdsl.transforms.tileas.tileas_materialize_schedule import (
        TileasMaterializeSchedulePass,
    )

    return TileasMaterializeSchedulePass


def get_tileas_prepare_for_scheduling() -> type[ModulePass]:
    from tileiras_xdsl.transforms.tileas.tileas_prepare_for_scheduling import (
        TileasPrepareForSchedulingPass,
    )

    return TileasPrepareForSchedulingPass


def get_tileas_unspecialized_pipeline() -> type[ModulePass]:
    from tileiras_xdsl.transforms.tileas.tileas_unspecialized_pipeline import (
        TileasUnspecializedPipelinePass,
    )

    return TileasUnspecializedPipelinePass


def get_tileir_bytecode() -> type[Target]:
    from tileiras_xdsl.bytecode.target import TileirBytecodeTarget

    return TileirBytecodeTarget


XDSL_UNIVERSE.all_dialects.update(
    {"arith": get_arith, "gpu": get_gpu, "llvm": get_llvm, "vector": get_vector}
)

TILEIRAS_UNIVERSE = Universe(
    all_dialects={
        "cuda_tile": get_cuda_tile,
        "cute": get_cute,
        "nv_tileaa": get_nv_tileaa,
        "nv_tileas": get_nv_tileas,
        "nvgpu": get_nvgpu,
        "nvvm": get_nvvm,
    },
    all_passes={
        "convert-cuda-tile-to-tileaa": get_convert_cuda_tile_to_tileaa,
        "canonicalize-tileaa": get_canonicalize_tileaa,
        "convert-gpu-to-nvvm": get_convert_gpu_to_nvvm,
        "convert-nvgpu-to-nvvm": get_convert_nvgpu_to_nvvm,
        "convert-scf-while-to-cf": get_convert_scf_while_to_cf,
        "convert-tileaa-to-tileas": get_convert_tileaa_to_tileas,
        "convert-tileas-to-nvgpu": get_convert_tileas_to_nvgpu,
        "convert-to-llvm": get_convert_to_llvm,
        "discharge-mem-tokens": get_discharge_mem_tokens,
        "fuse-fma": get_fuse_fma,
        "loop-split": get_loop_split,
        "simplify-loops": get_simplify_loops,
        "synthesize-debug-info-scopes": get_synthesize_debug_info_scopes,
        "tileas-assign-dot-layouts": get_tileas_assign_dot_layouts,
        "tileas-assign-load-store-layouts": get_tileas_assign_load_store_layouts,
        "tileas-materialize-convert-layout": get_tileas_materialize_convert_layout,
        "tileas-prepare-for-scheduling": get_tileas_prepare_for_scheduling,
        "tileas-remove-layout-conversions": get_tileas_remove_layout_conversions,
        "tileas-dynamic-persistent": get_tileas_dynamic_persistent,
        "tileas-generate-schedule": get_tileas_generate_schedule,
        "tileas-materialize-schedule": get_tileas_materialize_schedule,
        "tileas-unspecialized-pipeline": get_tileas_unspecialized_pipeline,
        "uplift-while-to-for": get_uplift_while_to_for,
        "verify-cuda-tile-input": get_verify_cuda_tile_input,
        "verify-no-cuda-tile": get_verify_no_cuda_tile,
    },
    all_targets={
        "cubin": get_cubin,
        "cuda-tile-public": get_cuda_tile_public,
        "llvm-ir": get_llvm_ir,
        "ptx": get_ptx,
        "tileir-bytecode": get_tileir_bytecode,
    },
)
