"""
Real kernels, from exported bytecode to clean `nv_tileaa`: everything converts, the result
verifies, and canonicalisation reaches a fixpoint.
"""

from io import StringIO
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp, UnrealizedConversionCastOp
from xdsl.printer import Printer

from tileiras_xdsl.frontend import load, make_context
from tileiras_xdsl.text.parser import TextParser
from tileiras_xdsl.transforms.cuda_tile.verify_cuda_tile_input import VerifyCudaTileInputPass
from tileiras_xdsl.transforms.tileaa.canonicalize_tileaa import CanonicalizeTileaaPass
from tileiras_xdsl.transforms.tileaa.convert_cuda_tile_to_tileaa.conversion_pass import (
    LEGAL_DIALECTS,
    ConvertCudaTileToTileaaPass,
)
from tileiras_xdsl.transforms.tileaa.verify_no_cuda_tile import VerifyNoCudaTilePass
from tileiras_xdsl.xdsl_extras.dominance import verify_dominance

BYTECODE = Path(__file__).parents[2] / "corpus" / "bytecode" / "13.4"
KERNELS = sorted(path.stem for path in BYTECODE.glob("*.tileirbc"))
ALLOWED = {*LEGAL_DIALECTS, "builtin", "ub"}


def text_of(module: ModuleOp) -> str:
    output = StringIO()
    Printer(stream=output).print_op(module)
    return output.getvalue()


def check(module: ModuleOp) -> None:
    module.verify()
    verify_dominance(module)
    assert {op.name.partition(".")[0] for op in module.walk()} <= ALLOWED
    assert not any(isinstance(op, UnrealizedConversionCastOp) for op in module.walk())


def test_there_are_enough_kernels():
    assert len(KERNELS) >= 60


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel_becomes_clean_tileaa(kernel: str):
    ctx = make_context()
    module = load(BYTECODE / f"{kernel}.tileirbc")
    VerifyCudaTileInputPass().apply(ctx, module)
    ConvertCudaTileToTileaaPass(compute_capability="sm_90").apply(ctx, module)
    VerifyNoCudaTilePass().apply(ctx, module)
    check(module)
    CanonicalizeTileaaPass().apply(ctx, module)
    check(module)
    text = text_of(module)
    CanonicalizeTileaaPass().apply(ctx, module)
    assert text_of(module) == text, "the second run changed something"
    again = TextParser(ctx, text, kernel).parse_module()
    again.verify()
    assert text_of(again) == text
