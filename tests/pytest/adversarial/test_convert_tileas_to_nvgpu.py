"""
Attacks on `convert-tileas-to-nvgpu`: scans and sums across registers, lanes and warps, in both
directions; atomics; slices at positions that are not known; tiles far outside of a tensor.
"""

from __future__ import annotations

import numpy as np
import pytest

from .attacks import Attack
from .exchanges import NAMES, arguments_of, text_of

ATTACK = Attack("convert-tileas-to-nvgpu", fires=None, is_idempotent=False)
ARCHITECTURES = ("sm_80", "sm_90a", "sm_120a")


@pytest.mark.every(7, first=2)
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("name", NAMES)
def test_kernels(name: str, arch: str):
    ATTACK.but(arch=arch).run(text_of(name), [arguments_of(name)])


@pytest.mark.parametrize("name", ["a scan that keeps the last"])
def test_it_fires(name: str):
    ATTACK.but(arch="sm_80", fires=True).run(text_of(name), [arguments_of(name, 1)])


VIEW = "partition_view<tile=(16), padding_value=zero, tensor_view<?xi32, strides=[1]>>"
COPY = f"""
entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %n: tile<i64>, %i: tile<i64>, %j: tile<i64>) {{
  %m = make_tensor_view %p, shape = [%n], strides = [1]
      : tile<i64> -> tensor_view<?xi32, strides=[1]>
  %v = make_partition_view %m : {VIEW}
  %m2 = make_tensor_view %q, shape = [%n], strides = [1]
      : tile<i64> -> tensor_view<?xi32, strides=[1]>
  %v2 = make_partition_view %m2 : {VIEW}
  %x, %t1 = load_view_tko weak %v[%i] : {VIEW}, tile<i64> -> tile<16xi32>, token
  %t2 = store_view_tko weak %x, %v2[%j] : tile<16xi32>, {VIEW}, tile<i64> -> token
  return
}}"""


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
def test_indices_that_wrap_around_with_the_size_of_a_tile(arch: str):
    """16 times a large index is a small one, if it wraps around."""
    far = 1 << 60
    places = [(1, 0), (far, 0), (0, far), (far + 1, 0), (0, -far), (-far, 1), (far - 1, 1 << 62)]
    inputs = [
        [np.arange(1, 33, dtype=np.int32), np.full(32, -7, np.int32), 32, *each] for each in places
    ]
    ATTACK.but(arch=arch, fires=True).run(COPY, inputs)
