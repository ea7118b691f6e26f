"""The language of Triton, op by op, on the CPU. It needs Triton."""

from pathlib import Path
from typing import Any

import pytest

import tileiras_xdsl as tx

pytest.importorskip("triton")
from tests.pytest.triton.language import CASES, check, prepare

CompilationError: Any = pytest.importorskip("triton.compiler.errors").CompilationError


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_op(case: Any, tmp_path: Path):
    kernel, args, expected = prepare(case, tmp_path)
    try:
        tx.run(kernel, 1, args, engine="interpreter")
    except CompilationError as error:
        if "make_block_ptr" in str(error):
            pytest.skip("this version of Triton has no pointers to blocks")
        raise
    check(case, args[2], expected)
