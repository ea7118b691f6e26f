"""Programs may name their kernels as they like: what the compiler adds has other names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import make_pass, select_steps
from tileiras_xdsl.transforms.common.rewriting import SymbolNames, unique_name

from ..harness.modules import context

VIEW = "partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>"
NAMES = (
    "k",
    "k_map_built",
    "k_map_slots",
    "k_map_empty",
    "k_map_built_1",
    "global_smem",
    "printf_format",
)


def kernels(names: Sequence[str]) -> str:
    """Kernels that transpose a tile in place, through shared memory, and print."""
    entries = "".join(
        f"""
        entry @{name}(%p: tile<ptr<f32>>) {{
          %t = make_token : token
          %zero = constant <i32: 0> : tile<i32>
          %pa = assume div_by<16>, %p : tile<ptr<f32>>
          %v = make_tensor_view %pa, shape = [64, 64], strides = [64, 1]
              : tensor_view<64x64xf32, strides=[64,1]>
          %w = make_partition_view %v : {VIEW}
          %x, %t1 = load_view_tko weak %w[%zero, %zero] token=%t
              : {VIEW}, tile<i32> -> tile<64x64xf32>, token
          %y = permute %x [1, 0] : tile<64x64xf32> -> tile<64x64xf32>
          print_tko "%d", %zero : tile<i32>
          %t2 = store_view_tko weak %y, %w[%zero, %zero] token=%t1
              : tile<64x64xf32>, {VIEW}, tile<i32> -> token
          return
        }}
        """
        for name in names
    )
    return f"cuda_tile.module @m {{{entries}}}"


@pytest.mark.every(2)
@pytest.mark.parametrize("names", [NAMES, NAMES[::-1]], ids=["before", "behind"])
def test_kernels_may_have_any_name(names: Sequence[str]):
    module = load(kernels(names))
    threads = module
    for step in select_steps(3, to="nvvm"):
        make_pass(step, "sm_90a").apply(context(), module)
        if step.name == "convert-tileas-to-nvgpu":
            threads = module.clone()
    for name in ("k", "k_map_built", "global_smem"):
        tile = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
        run(threads, grid=(1,), args=[tile], entry=name)
        assert np.array_equal(tile.T, np.arange(64 * 64, dtype=np.float32).reshape(64, 64))
    text = translate_module(module, NvptxTarget.parse("sm_90a"))
    assert "@global_smem_1 = " in text


def test_names_are_unique():
    assert unique_name({"a", "a_1"}, "a") == "a_2"
    names = SymbolNames(None)
    assert [names.take("a") for _ in range(3)] == ["a", "a_1", "a_2"]
    assert [names.take_number("a") for _ in range(3)] == ["a_0", "a_3", "a_4"]
