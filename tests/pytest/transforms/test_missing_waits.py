"""
Kernels in which a wait was once missing: WGMMAs that add to each other, and barriers in and behind
loops that are followed path by path.
"""

# ruff: noqa: E501

from __future__ import annotations

import numpy as np
import pytest

import tileiras_xdsl as tx

from ..harness.passes import lower

CHAINED = """
entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %d: tile<ptr<f32>>, %n: tile<i32>) {
  %t0 = make_token : token
  %aa = assume div_by<16>, %a : tile<ptr<f16>>
  %ba = assume div_by<16>, %b : tile<ptr<f16>>
  %ca = assume div_by<16>, %c : tile<ptr<f32>>
  %da = assume div_by<16>, %d : tile<ptr<f32>>
  %av = make_tensor_view %aa, shape = [128, 512], strides = [512, 1] : tensor_view<128x512xf16, strides=[512,1]>
  %bv = make_tensor_view %ba, shape = [512, 128], strides = [128, 1] : tensor_view<512x128xf16, strides=[128,1]>
  %cv = make_tensor_view %ca, shape = [128, 128], strides = [128, 1] : tensor_view<128x128xf32, strides=[128,1]>
  %dv = make_tensor_view %da, shape = [128, 64], strides = [64, 1] : tensor_view<128x64xf32, strides=[64,1]>
  %ap = make_partition_view %av : partition_view<tile=(128x64), tensor_view<128x512xf16, strides=[512,1]>>
  %bp = make_partition_view %bv : partition_view<tile=(64x128), tensor_view<512x128xf16, strides=[128,1]>>
  %cp = make_partition_view %cv : partition_view<tile=(128x128), tensor_view<128x128xf32, strides=[128,1]>>
  %dp = make_partition_view %dv : partition_view<tile=(128x64), tensor_view<128x64xf32, strides=[64,1]>>
  %x, %y, %z = get_tile_block_id : tile<i32>
  %c0 = constant <i32: 0> : tile<i32>
  %c1 = constant <i32: 1> : tile<i32>
  %c2 = constant <i32: 2> : tile<i32>
  %zero = constant <f32: 0.0> : tile<128x128xf32>
  %zs = constant <f32: 0.0> : tile<128x64xf32>
  %o:2 = for %k in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %zero, %s = %zs) -> (tile<128x128xf32>, tile<128x64xf32>) {
    %k0 = muli %k, %c2 : tile<i32>
    %k1 = addi %k0, %c1 : tile<i32>
    %a0, %u0 = load_view_tko weak %ap[%x, %k0] token = %t0 : partition_view<tile=(128x64), tensor_view<128x512xf16, strides=[512,1]>>, tile<i32> -> tile<128x64xf16>, token
    %b0, %u1 = load_view_tko weak %bp[%k0, %y] token = %t0 : partition_view<tile=(64x128), tensor_view<512x128xf16, strides=[128,1]>>, tile<i32> -> tile<64x128xf16>, token
    %a1, %u2 = load_view_tko weak %ap[%x, %k1] token = %t0 : partition_view<tile=(128x64), tensor_view<128x512xf16, strides=[512,1]>>, tile<i32> -> tile<128x64xf16>, token
    %b1, %u3 = load_view_tko weak %bp[%k1, %y] token = %t0 : partition_view<tile=(64x128), tensor_view<512x128xf16, strides=[128,1]>>, tile<i32> -> tile<64x128xf16>, token
    %m0 = mmaf %a0, %b0, %acc : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
    %m1 = mmaf %a1, %b1, %m0 : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
    %f = ftof %a0 : tile<128x64xf16> -> tile<128x64xf32>
    %sn = addf %s, %f : tile<128x64xf32>
    continue %m1, %sn : tile<128x128xf32>, tile<128x64xf32>
  }
  %w0 = store_view_tko weak %o#0, %cp[%x, %y] token = %t0 : tile<128x128xf32>, partition_view<tile=(128x128), tensor_view<128x128xf32, strides=[128,1]>>, tile<i32> -> token
  %w1 = store_view_tko weak %o#1, %dp[%x, %c0] token = %t0 : tile<128x64xf32>, partition_view<tile=(128x64), tensor_view<128x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
}
"""
"""Two WGMMAs add to each other, and threads read an operand of the first one, too."""

COMPUTED = """
entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %d: tile<ptr<f32>>, %n: tile<i32>) {
  %t0 = make_token : token
  %aa = assume div_by<16>, %a : tile<ptr<f16>>
  %ba = assume div_by<16>, %b : tile<ptr<f16>>
  %ca = assume div_by<16>, %c : tile<ptr<f32>>
  %da = assume div_by<16>, %d : tile<ptr<f32>>
  %av = make_tensor_view %aa, shape = [1024, 4096], strides = [4096, 1] : tensor_view<1024x4096xf16, strides=[4096,1]>
  %bv = make_tensor_view %ba, shape = [4096, 1024], strides = [1024, 1] : tensor_view<4096x1024xf16, strides=[1024,1]>
  %cv = make_tensor_view %ca, shape = [1024, 1024], strides = [1024, 1] : tensor_view<1024x1024xf32, strides=[1024,1]>
  %dv = make_tensor_view %da, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf32, strides=[64,1]>
  %ap = make_partition_view %av : partition_view<tile=(128x64), tensor_view<1024x4096xf16, strides=[4096,1]>>
  %bp = make_partition_view %bv : partition_view<tile=(64x128), tensor_view<4096x1024xf16, strides=[1024,1]>>
  %cp = make_partition_view %cv : partition_view<tile=(128x128), tensor_view<1024x1024xf32, strides=[1024,1]>>
  %dp = make_partition_view %dv : partition_view<tile=(128x64), tensor_view<1024x64xf32, strides=[64,1]>>
  %x, %y, %z = get_tile_block_id : tile<i32>
  %c0 = constant <i32: 0> : tile<i32>
  %c1 = constant <i32: 1> : tile<i32>
  %c2 = constant <i32: 2> : tile<i32>
  %zero = constant <f32: 0.0> : tile<128x128xf32>
  %zs = constant <f32: 0.0> : tile<128x64xf32>
  %o:2 = for %k in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %zero, %s = %zs) -> (tile<128x128xf32>, tile<128x64xf32>) {
    %k0 = muli %k, %c2 : tile<i32>
    %k1 = addi %k0, %c1 : tile<i32>
    %k2 = addi %k0, %c2 : tile<i32>
    %a0, %u0 = load_view_tko weak %ap[%x, %k0] token = %t0 : partition_view<tile=(128x64), tensor_view<1024x4096xf16, strides=[4096,1]>>, tile<i32> -> tile<128x64xf16>, token
    %b0, %u1 = load_view_tko weak %bp[%k0, %y] token = %t0 : partition_view<tile=(64x128), tensor_view<4096x1024xf16, strides=[1024,1]>>, tile<i32> -> tile<64x128xf16>, token
    %a1, %u2 = load_view_tko weak %ap[%x, %k1] token = %t0 : partition_view<tile=(128x64), tensor_view<1024x4096xf16, strides=[4096,1]>>, tile<i32> -> tile<128x64xf16>, token
    %b1, %u3 = load_view_tko weak %bp[%k1, %y] token = %t0 : partition_view<tile=(64x128), tensor_view<4096x1024xf16, strides=[1024,1]>>, tile<i32> -> tile<64x128xf16>, token
    %a2, %u4 = load_view_tko weak %ap[%x, %k2] token = %t0 : partition_view<tile=(128x64), tensor_view<1024x4096xf16, strides=[4096,1]>>, tile<i32> -> tile<128x64xf16>, token
    %b2, %u5 = load_view_tko weak %bp[%k2, %y] token = %t0 : partition_view<tile=(64x128), tensor_view<4096x1024xf16, strides=[1024,1]>>, tile<i32> -> tile<64x128xf16>, token
    %e0 = mulf %b0, %b0 : tile<64x128xf16>
    %e1 = mulf %b1, %b1 : tile<64x128xf16>
    %e2 = mulf %b2, %b2 : tile<64x128xf16>
    %m0 = mmaf %a0, %e0, %acc : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
    %m1 = mmaf %a1, %e1, %m0 : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
    %m2 = mmaf %a2, %e2, %m1 : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
    %sn = addf %s, %s : tile<128x64xf32>
    continue %m2, %sn : tile<128x128xf32>, tile<128x64xf32>
  }
  %w0 = store_view_tko weak %o#0, %cp[%x, %y] token = %t0 : tile<128x128xf32>, partition_view<tile=(128x128), tensor_view<1024x1024xf32, strides=[1024,1]>>, tile<i32> -> token
  %w1 = store_view_tko weak %o#1, %dp[%x, %c0] token = %t0 : tile<128x64xf32>, partition_view<tile=(128x64), tensor_view<1024x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
}
"""
"""Three WGMMAs add to each other; threads write their operands B to two buffers."""

IN_A_LOOP = """
cuda_tile.module @m {
entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %t0 = make_token : token
  %c0 = constant <i32: 0> : tile<i32>
  %c1 = constant <i32: 1> : tile<i32>
  %i = iota : tile<1024xi32>
  %last = constant <i32: 1023> : tile<1024xi32>
  %r = subi %last, %i : tile<1024xi32>
  %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %pb = broadcast %p1 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
  %a = offset %pb, %i : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>
  %b = offset %pb, %r : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>
  %x, %t1 = load_ptr_tko weak %a token=%t0 : tile<1024xptr<i32>> -> tile<1024xi32>, token
  %s = reduce %x dim=0 identities=[0 : i32] : tile<1024xi32> -> tile<i32> (%u: tile<i32>, %v: tile<i32>) {
    %w = addi %u, %v : tile<i32>
    yield %w : tile<i32>
  }
  %o:2 = loop iter_values(%k = %s, %t = %t1) : tile<i32>, token -> tile<i32>, token {
    %y, %t2 = load_ptr_tko weak %b token=%t : tile<1024xptr<i32>> -> tile<1024xi32>, token
    %kr = reshape %k : tile<i32> -> tile<1xi32>
    %kb = broadcast %kr : tile<1xi32> -> tile<1024xi32>
    %z = addi %y, %kb : tile<1024xi32>
    %t3 = store_ptr_tko weak %a, %z token=%t2 : tile<1024xptr<i32>>, tile<1024xi32> -> token
    %k2 = addi %k, %k : tile<i32>
    %k3 = addi %k2, %c1 : tile<i32>
    %done = cmpi greater_than_or_equal %k, %n, signed : tile<i32> -> tile<i1>
    if %done {
      break %k3, %t3 : tile<i32>, token
    }
    continue %k3, %t3 : tile<i32>, token
  }
  return
}
}
"""
"""A store, and what other threads load of it in the next iteration."""

BEHIND_A_LOOP = """
entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %n: tile<i32>) {
  %t0 = make_token : token
  %c0 = constant <i32: 0> : tile<i32>
  %c1 = constant <i32: 1> : tile<i32>
  %i = iota : tile<1024xi32>
  %last = constant <i32: 1023> : tile<1024xi32>
  %r = subi %last, %i : tile<1024xi32>
  %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %pb = broadcast %p1 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
  %a = offset %pb, %i : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>
  %b = offset %pb, %r : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>
  %q1 = reshape %q : tile<ptr<i32>> -> tile<1xptr<i32>>
  %qb = broadcast %q1 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
  %qa = offset %qb, %i : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>
  %t1 = store_ptr_tko weak %a, %i token=%t0 : tile<1024xptr<i32>>, tile<1024xi32> -> token
  %o = for unsigned %k in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %i) -> (tile<1024xi32>) {
    %s = reduce %acc dim=0 identities=[0 : i32] : tile<1024xi32> -> tile<i32> (%u: tile<i32>, %v: tile<i32>) {
      %w = addi %u, %v : tile<i32>
      yield %w : tile<i32>
    }
    %s1 = reshape %s : tile<i32> -> tile<1xi32>
    %sb = broadcast %s1 : tile<1xi32> -> tile<1024xi32>
    %n2 = addi %acc, %sb : tile<1024xi32>
    continue %n2 : tile<1024xi32>
  }
  %y, %t2 = load_ptr_tko weak %b token=%t1 : tile<1024xptr<i32>> -> tile<1024xi32>, token
  %z = addi %y, %o : tile<1024xi32>
  %t3 = store_ptr_tko weak %qa, %z token=%t0 : tile<1024xptr<i32>>, tile<1024xi32> -> token
  return
}
"""
"""A store, and what other threads load of it behind a loop that may have no iteration."""

AFTER_BRANCHES = """
entry @k(%q: tile<ptr<i32>>, %n: tile<i32>, %c: tile<i1>, %f: tile<i32>) {
  %t0 = make_token : token
  %c0 = constant <i32: 0> : tile<i32>
  %c1 = constant <i32: 1> : tile<i32>
  %i = iota : tile<1024xi32>
  %q1 = reshape %q : tile<ptr<i32>> -> tile<1xptr<i32>>
  %qb = broadcast %q1 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
  %qa = offset %qb, %i : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>
  %x, %t1 = load_ptr_tko weak %qa token=%t0 : tile<1024xptr<i32>> -> tile<1024xi32>, token
  %s0 = reduce %x dim=0 identities=[0 : i32] : tile<1024xi32> -> tile<i32> (%u: tile<i32>, %v: tile<i32>) {
    %w = addi %u, %v : tile<i32>
    yield %w : tile<i32>
  }
  %o = for unsigned %k in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %s0) -> (tile<i32>) {
    %d = if %c -> (tile<i32>) {
      %g1 = reshape %acc : tile<i32> -> tile<1xi32>
      %gb = broadcast %g1 : tile<1xi32> -> tile<1024xi32>
      %ga = addi %gb, %x : tile<1024xi32>
      %gg = muli %ga, %ga : tile<1024xi32>
      %s = reduce %gg dim=0 identities=[0 : i32] : tile<1024xi32> -> tile<i32> (%u: tile<i32>, %v: tile<i32>) {
        %w = addi %u, %v : tile<i32>
        yield %w : tile<i32>
      }
      yield %s : tile<i32>
    } else {
      yield %acc : tile<i32>
    }
    %h1 = reshape %d : tile<i32> -> tile<1xi32>
    %hb = broadcast %h1 : tile<1xi32> -> tile<1024xi32>
    %ha = muli %hb, %x : tile<1024xi32>
    %s2 = reduce %ha dim=0 identities=[-2147483648 : i32] : tile<1024xi32> -> tile<i32> (%u: tile<i32>, %v: tile<i32>) {
      %w = maxi %u, %v signed : tile<i32>
      yield %w : tile<i32>
    }
    %j1 = reshape %s2 : tile<i32> -> tile<1xi32>
    %jb = broadcast %j1 : tile<1xi32> -> tile<1024xi32>
    %ja = muli %jb, %x : tile<1024xi32>
    %s4 = reduce %ja dim=0 identities=[-2147483648 : i32] : tile<1024xi32> -> tile<i32> (%u: tile<i32>, %v: tile<i32>) {
      %w = maxi %u, %v signed : tile<i32>
      yield %w : tile<i32>
    }
    continue %s4 : tile<i32>
  }
  %e1 = reshape %o : tile<i32> -> tile<1xi32>
  %eb = broadcast %e1 : tile<1xi32> -> tile<1024xi32>
  %ea = muli %eb, %x : tile<1024xi32>
  %s3 = reduce %ea dim=0 identities=[0 : i32] : tile<1024xi32> -> tile<i32> (%u: tile<i32>, %v: tile<i32>) {
    %w = addi %u, %v : tile<i32>
    yield %w : tile<i32>
  }
  %t3 = store_ptr_tko weak %q, %s3 token=%t1 : tile<ptr<i32>>, tile<i32> -> token
  return
}
"""
"""Reductions before, in and behind a loop with a branch, which share scratch memory."""


@pytest.mark.part("kernels")
def test_stages_are_released_when_all_wgmmas_have_read_them() -> None:
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-2, 3, shape).astype(np.float16) for shape in ((128, 512), (512, 128)))
    c, d = np.zeros((128, 128), np.float32), np.zeros((128, 64), np.float32)
    module = lower(tx.load(CHAINED), "nvgpu", arch="sm_90a")
    tx.run(module, grid=1, args=[a, b, c, d, 4], check=True)
    assert (c == a.astype(np.float32) @ b.astype(np.float32)).all()
    assert (d == sum(a[:, n : n + 64].astype(np.float32) for n in range(0, 512, 128))).all()


def test_buffers_of_computed_operands_are_waited_for() -> None:
    lower(tx.load(COMPUTED), "nvgpu", arch="sm_90a")


@pytest.mark.part("kernels")
@pytest.mark.every(3)
@pytest.mark.parametrize("text", [IN_A_LOOP, BEHIND_A_LOOP, AFTER_BRANCHES])
def test_barriers_of_loops(text: str) -> None:
    found = tx.validate(text, gpu="sm_90a", mode="quick", seconds=60.0)
    assert found.ok, str(found)
