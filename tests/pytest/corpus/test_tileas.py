"""Tokens of real kernels become barriers, and the result verifies."""

import pytest

from tileiras_xdsl.dialects.nv_tileaa.types import MEM_TOKEN
from tileiras_xdsl.frontend.load import load
from tileiras_xdsl.transforms.tileaa.canonicalize_tileaa import CanonicalizeTileaaPass
from tileiras_xdsl.transforms.tileaa.convert_cuda_tile_to_tileaa.conversion_pass import (
    ConvertCudaTileToTileaaPass,
)
from tileiras_xdsl.transforms.tileas.convert_tileaa_to_tileas import (
    ConvertTileaaToTileasPass,
)

from ..harness.cases import every
from ..harness.passes import apply
from .test_tileaa import BYTECODE, KERNELS


@pytest.mark.every(2)
@pytest.mark.parametrize("kernel", every(11, KERNELS))
def test_tokens_of_kernel_are_lowered(kernel: str):
    module = apply(
        load(BYTECODE / f"{kernel}.tileirbc"),
        ConvertCudaTileToTileaaPass(compute_capability="sm_90"),
        CanonicalizeTileaaPass(),
        ConvertTileaaToTileasPass(),
    )
    for op in module.walk():
        assert MEM_TOKEN not in (*op.result_types, *(value.type for value in op.operands))
