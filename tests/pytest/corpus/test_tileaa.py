"""
Real kernels, from exported bytecode to clean `nv_tileaa`: everything converts, the result
verifies, and canonicalisation reaches a fixpoint.
"""

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp, UnrealizedConversionCastOp

from tileiras_xdsl.frontend.load import load
from tileiras_xdsl.transforms.cuda_tile.verify_cuda_tile_input import VerifyCudaTileInputPass
from tileiras_xdsl.transforms.tileaa.canonicalize_tileaa import CanonicalizeTileaaPass
from tileiras_xdsl.transforms.tileaa.convert_cuda_tile_to_tileaa.conversion_pass import (
    LEGAL_DIALECTS,
    ConvertCudaTileToTileaaPass,
)
from tileiras_xdsl.transforms.tileaa.verify_no_cuda_tile import VerifyNoCudaTilePass

from ..harness.modules import parse, print_module
from ..harness.passes import apply

BYTECODE = Path(__file__).parents[2] / "corpus" / "bytecode" / "13.4"
KERNELS = sorted(path.stem for path in BYTECODE.glob("*.tileirbc"))
ALLOWED = {*LEGAL_DIALECTS, "builtin", "ub"}


def check(module: ModuleOp) -> None:
    assert {op.name.partition(".")[0] for op in module.walk()} <= ALLOWED
    assert not any(isinstance(op, UnrealizedConversionCastOp) for op in module.walk())


def test_there_are_enough_kernels():
    assert len(KERNELS) >= 60


@pytest.mark.every(21, first=1)
@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel_becomes_clean_tileaa(kernel: str):
    module = apply(
        load(BYTECODE / f"{kernel}.tileirbc"),
        VerifyCudaTileInputPass(),
        ConvertCudaTileToTileaaPass(compute_capability="sm_90"),
        VerifyNoCudaTilePass(),
    )
    check(module)
    check(apply(module, CanonicalizeTileaaPass()))
    text = print_module(module)
    apply(module, CanonicalizeTileaaPass(), check="never")
    assert print_module(module) == text, "the second run changed something"
    assert print_module(parse(text, kernel)) == text
