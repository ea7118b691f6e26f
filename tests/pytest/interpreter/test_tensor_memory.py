"""What `tcgen05` computes: numbers of all kinds, from operands in all layouts."""

from __future__ import annotations

import pytest

from tileiras_xdsl.interpreter.threads.tensor_cores import Timing

from .tensor_kernels import matmul_kernel, problem


@pytest.mark.parametrize("timing", ["late", "early", "random"])
def test_matmul(timing: Timing):
    given = problem()
    assert (given.run(matmul_kernel(16), timing=timing, seed=3) == given.expected).all()
