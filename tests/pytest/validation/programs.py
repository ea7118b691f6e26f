# ruff: noqa: E501
"""Small kernels that validation is tried on, and bugs that are planted in passes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.nv_tileaa import elementwise
from tileiras_xdsl.pipeline import PIPELINE, make_pass

VIEW = "tensor_view<?x?xf32, strides=[?,1]>"

SUMS = f"""
cuda_tile.module @m {{
  entry @sums(%x: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>, %s: tile<i32>, %y: tile<ptr<f32>>, %t: tile<i32>) {{
    %rows = assume bounded<0, ?>, %m : tile<i32>
    %columns = assume bounded<0, ?>, %n : tile<i32>
    %a = make_tensor_view %x, shape = [%rows, %columns], strides = [%s, 1] : tile<i32> -> {VIEW}
    %b = make_tensor_view %y, shape = [%rows, %columns], strides = [%t, 1] : tile<i32> -> {VIEW}
    %i, %j, %k = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <f32: 2.0> : tile<8x64xf32>
    %p = make_partition_view %a : partition_view<tile=(8x64), padding_value = zero, {VIEW}>
    %q = make_partition_view %b : partition_view<tile=(8x64), {VIEW}>
    %u, %v = get_index_space_shape %p : partition_view<tile=(8x64), padding_value = zero, {VIEW}> -> tile<i32>
    for %c in (%zero to %v, step %one) : tile<i32> {{
      %l, %lt = load_view_tko weak %p[%i, %c] : partition_view<tile=(8x64), padding_value = zero, {VIEW}>, tile<i32> -> tile<8x64xf32>, token
      %r = reduce %l dim=1 identities=[0.0 : f32] : tile<8x64xf32> -> tile<8xf32> (%e: tile<f32>, %f: tile<f32>) {{
        %g = addf %e, %f : tile<f32>
        yield %g : tile<f32>
      }}
      %h = reshape %r : tile<8xf32> -> tile<8x1xf32>
      %w = broadcast %h : tile<8x1xf32> -> tile<8x64xf32>
      %z = mulf %l, %two : tile<8x64xf32>
      %o = subf %z, %w : tile<8x64xf32>
      %st = store_view_tko weak %q[%i, %c], %o : partition_view<tile=(8x64), {VIEW}>, tile<8x64xf32>, tile<i32> -> token
      continue
    }}
    return
  }}
}}
"""
"""Twice each element, minus the sum of its row in a tile."""

STEPS = """
cuda_tile.module @m {
  entry @steps(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i32>) {
    %a = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %b = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %a : partition_view<tile=(32), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %q = make_partition_view %b : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %u = get_index_space_shape %p : partition_view<tile=(32), padding_value = zero, tensor_view<?xf32, strides=[1]>> -> tile<i32>
    for %c in (%i to %u, step %s) : tile<i32> {
      %l, %lt = load_view_tko weak %p[%c] : partition_view<tile=(32), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
      %z = addf %l, %l : tile<32xf32>
      %st = store_view_tko weak %q[%c], %z : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<32xf32>, tile<i32> -> token
      continue
    }
    return
  }
}
"""
"""Twice each element, of tiles whose distance is a parameter."""

NEVER = """
cuda_tile.module @m {
  entry @never(%x: tile<ptr<i32>>, %n: tile<i32>) {
    %v, %vt = load_ptr_tko weak %x : tile<ptr<i32>> -> tile<i32>, token
    %never = constant <i1: false> : tile<i1>
    CONDITION
    %st = store_ptr_tko weak %x, %n token=%vt : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
"""
"""Does something undefined with all inputs that are made."""

HALVES = """
cuda_tile.module @m {
  entry @halves(%x: tile<ptr<f16>>) {
    %n = iota : tile<128xi32>
    %half = constant <f16: 0.5> : tile<128xf16>
    %r = reshape %x : tile<ptr<f16>> -> tile<1xptr<f16>>
    %b = broadcast %r : tile<1xptr<f16>> -> tile<128xptr<f16>>
    %p = offset %b, %n : tile<128xptr<f16>>, tile<128xi32> -> tile<128xptr<f16>>
    %v, %vt = load_ptr_tko weak %p : tile<128xptr<f16>> -> tile<128xf16>, token
    %w = mulf %v, %half : tile<128xf16>
    %st = store_ptr_tko weak %p, %w token=%vt : tile<128xptr<f16>>, tile<128xf16> -> token
    return
  }
}
"""
"""Halves elements in place. Nothing is known of their address."""

HALVES_ALIGNED = HALVES.replace(
    "%r = reshape %x", "%a = assume div_by<16>, %x : tile<ptr<f16>>\n    %r = reshape %a"
)

MATRIX = "tensor_view<?x?xf16, strides=[?,1]>"
WIDE = "tensor_view<?x?xf32, strides=[?,1]>"


def matmul(m: int = 64, n: int = 64, k: int = 32) -> str:
    """A product of matrices, with TMA and WGMMA on sm_90."""
    left = f"partition_view<tile=({m}x{k}), padding_value = zero, {MATRIX}>"
    right = f"partition_view<tile=({k}x{n}), padding_value = zero, {MATRIX}>"
    out = f"partition_view<tile=({m}x{n}), {WIDE}>"
    names = ("a", "b", "c")
    scalars = ", ".join(f"%{x}{part}: tile<i32>" for x in names for part in "mns")
    assumed = "\n".join(
        f"%{x}{part}d = assume div_by<16>, %{x}{part} : tile<i32>\n"
        f"%{x}{part}e = assume bounded<0, ?>, %{x}{part}d : tile<i32>"
        for x in names
        for part in "mns"
    )
    views = "\n".join(
        f"%{x}p = assume div_by<16>, %{x} : tile<ptr<{ty}>>\n"
        f"%{x}v = make_tensor_view %{x}p, shape = [%{x}me, %{x}ne], strides = [%{x}se, 1]"
        f" : tile<i32> -> {view}"
        for x, ty, view in (("a", "f16", MATRIX), ("b", "f16", MATRIX), ("c", "f32", WIDE))
    )
    return f"""
cuda_tile.module @m {{
  entry @matmul(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, {scalars}) {{
    {assumed}
    {views}
    %l = make_partition_view %av : {left}
    %r = make_partition_view %bv : {right}
    %o = make_partition_view %cv : {out}
    %i, %j, %k = get_tile_block_id : tile<i32>
    %u, %v = get_index_space_shape %l : {left} -> tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start = constant <f32: 0.0> : tile<{m}x{n}xf32>
    %sum = for %s in (%zero to %v, step %one) : tile<i32> iter_values(%t = %start) -> (tile<{m}x{n}xf32>) {{
      %x, %xt = load_view_tko weak %l[%i, %s] : {left}, tile<i32> -> tile<{m}x{k}xf16>, token
      %y, %yt = load_view_tko weak %r[%s, %j] : {right}, tile<i32> -> tile<{k}x{n}xf16>, token
      %d = mmaf %x, %y, %t : tile<{m}x{k}xf16>, tile<{k}x{n}xf16>, tile<{m}x{n}xf32>
      continue %d : tile<{m}x{n}xf32>
    }}
    %st = store_view_tko weak %o[%i, %j], %sum : {out}, tile<{m}x{n}xf32>, tile<i32> -> token
    return
  }}
}}
"""


WAITS = """
cuda_tile.module @m {
  entry @waits(%flag: tile<ptr<i32>>, %x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %one = constant <i32: 1> : tile<i32>
    %t0 = make_token : token
    %t = loop iter_values(%s = %t0) : token -> token {
      %f, %ft = load_ptr_tko acquire gpu %flag token=%s : tile<ptr<i32>> -> tile<i32>, token
      %set = cmpi equal %f, %one, signed : tile<i32> -> tile<i1>
      if %set {
        break %ft : token
      }
      continue %ft : token
    }
    %v, %vt = load_ptr_tko weak %x token=%t : tile<ptr<f32>> -> tile<f32>, token
    %w = addf %v, %v : tile<f32>
    %st = store_ptr_tko weak %y, %w token=%vt : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""
"""Spins on a flag that another CTA sets."""

Mutation = Callable[[ModuleOp], None]


def plant(monkeypatch: pytest.MonkeyPatch, name: str, mutate: Mutation) -> None:
    """Has a pass do something wrong after what it does."""
    step = next(step for step in PIPELINE if step.name == name)
    kind: type[ModulePass] = type(make_pass(step, "sm_90a"))
    right = kind.apply

    def apply(self: ModulePass, ctx: Context, module: ModuleOp) -> None:
        right(self, ctx, module)
        mutate(module)

    monkeypatch.setattr(kind, "apply", apply)


def subtract_less(module: ModuleOp) -> None:
    """Adds where the kernel subtracts, at any level."""
    for op in list(module.walk()):
        match op:
            case ct.SubFOp():
                _replace(op, ct.AddFOp.create)
            case elementwise.SubFOp():
                _replace(op, elementwise.AddFOp.create)
            case arith.SubfOp():
                _replace(op, arith.AddfOp.create)
            case llvm.FSubOp():
                _replace(op, llvm.FAddOp.create)
            case _:
                continue
        return


def _replace(op: Operation, create: Callable[..., Operation]) -> None:
    new = create(
        operands=op.operands,
        result_types=[result.type for result in op.results],
        properties=op.properties,
        attributes=op.attributes,
    )
    Rewriter.replace_op(op, new)


def without(*names: str) -> Mutation:
    """Loses ops that have no results."""

    def mutate(module: ModuleOp) -> None:
        for op in list(module.walk()):
            if op.name in names:
                assert not op.results
                Rewriter.erase_op(op)

    return mutate


def static_matmul(m: int, n: int, k: int, tile: tuple[int, int, int] = (64, 64, 32)) -> str:
    """A product of matrices whose sizes are constants of the program."""
    a, b, c = (
        f"tensor_view<{rows}x{columns}x{ty}, strides=[{columns},1]>"
        for rows, columns, ty in ((m, k, "f16"), (k, n, "f16"), (m, n, "f32"))
    )
    left = f"partition_view<tile=({tile[0]}x{tile[2]}), {a}>"
    right = f"partition_view<tile=({tile[2]}x{tile[1]}), {b}>"
    out = f"partition_view<tile=({tile[0]}x{tile[1]}), {c}>"
    left_tile, right_tile = f"tile<{tile[0]}x{tile[2]}xf16>", f"tile<{tile[2]}x{tile[1]}xf16>"
    out_tile = f"tile<{tile[0]}x{tile[1]}xf32>"
    return f"""
cuda_tile.module @m {{
  entry @matmul(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>) {{
    %ap = assume div_by<16>, %a : tile<ptr<f16>>
    %bp = assume div_by<16>, %b : tile<ptr<f16>>
    %cp = assume div_by<16>, %c : tile<ptr<f32>>
    %av = make_tensor_view %ap, shape = [{m}, {k}], strides = [{k}, 1] : {a}
    %bv = make_tensor_view %bp, shape = [{k}, {n}], strides = [{n}, 1] : {b}
    %cv = make_tensor_view %cp, shape = [{m}, {n}], strides = [{n}, 1] : {c}
    %l = make_partition_view %av : {left}
    %r = make_partition_view %bv : {right}
    %o = make_partition_view %cv : {out}
    %i, %j, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %count = constant <i32: {-(-k // tile[2])}> : tile<i32>
    %start = constant <f32: 0.0> : {out_tile}
    %sum = for %s in (%zero to %count, step %one) : tile<i32> iter_values(%t = %start) -> ({out_tile}) {{
      %x, %xt = load_view_tko weak %l[%i, %s] : {left}, tile<i32> -> {left_tile}, token
      %y, %yt = load_view_tko weak %r[%s, %j] : {right}, tile<i32> -> {right_tile}, token
      %d = mmaf %x, %y, %t : {left_tile}, {right_tile}, {out_tile}
      continue %d : {out_tile}
    }}
    %st = store_view_tko weak %o[%i, %j], %sum : {out}, {out_tile}, tile<i32> -> token
    return
  }}
}}
"""


def static_scale(elements: int, *, counts: bool = False, uneven: bool = False) -> str:
    """
    Twice each element of a vector whose size is a constant of the program. CTAs may count
    themselves in the first element of another array, or do this as often as their index says.
    """
    vector = f"tensor_view<{elements}xf32, strides=[1]>"
    view = f"partition_view<tile=(1024), {vector}>"
    count = "%c, %ct = atomic_rmw_tko relaxed device %n, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"
    loop = "for %u in (%zero to %i, step %one) : tile<i32> {" if uneven else ""
    return f"""
cuda_tile.module @m {{
  entry @scale(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<ptr<i32>>) {{
    %xv = make_tensor_view %x, shape = [{elements}], strides = [1] : {vector}
    %yv = make_tensor_view %y, shape = [{elements}], strides = [1] : {vector}
    %xp = make_partition_view %xv : {view}
    %yp = make_partition_view %yv : {view}
    %i, %j, %k = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <f32: 2.0> : tile<1024xf32>
    {count if counts else ""}
    {loop}
    %l, %lt = load_view_tko weak %xp[%i] : {view}, tile<i32> -> tile<1024xf32>, token
    %z = mulf %l, %two : tile<1024xf32>
    %st = store_view_tko weak %yp[%i], %z : {view}, tile<1024xf32>, tile<i32> -> token
    {"continue }" if uneven else ""}
    return
  }}
}}
"""


def static_tiles(rows: int, columns: int, tile: tuple[int, int], *, is_row: bool) -> str:
    """
    Twice each element of a matrix whose sizes are constants of the program. The grid is one of
    columns and rows of tiles, or has all of them in a row.
    """
    matrix = f"tensor_view<{rows}x{columns}xf32, strides=[{columns},1]>"
    view = f"partition_view<tile=({tile[0]}x{tile[1]}), {matrix}>"
    shape = f"tile<{tile[0]}x{tile[1]}xf32>"
    parts = f"""%count = constant <i32: {-(-columns // tile[1])}> : tile<i32>
    %row = divi %i, %count signed : tile<i32>
    %column = remi %i, %count signed : tile<i32>"""
    index = "%row, %column" if is_row else "%j, %i"
    return f"""
cuda_tile.module @m {{
  entry @scale(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {{
    %xv = make_tensor_view %x, shape = [{rows}, {columns}], strides = [{columns}, 1] : {matrix}
    %yv = make_tensor_view %y, shape = [{rows}, {columns}], strides = [{columns}, 1] : {matrix}
    %xp = make_partition_view %xv : {view}
    %yp = make_partition_view %yv : {view}
    %i, %j, %k = get_tile_block_id : tile<i32>
    {parts if is_row else ""}
    %two = constant <f32: 2.0> : {shape}
    %l, %lt = load_view_tko weak %xp[{index}] : {view}, tile<i32> -> {shape}, token
    %z = mulf %l, %two : {shape}
    %st = store_view_tko weak %yp[{index}], %z : {view}, {shape}, tile<i32> -> token
    return
  }}
}}
"""


def confuse_far_blocks(module: ModuleOp, most: int = 2_000_000) -> None:
    """CTAs with an index beyond a number do the work of that one."""
    for op in list(module.walk()):
        if op.name == "gpu.block_id":
            least = arith.ConstantOp(IntegerAttr(most, IndexType()))
            limited = arith.MinUIOp(op.results[0], least.result)
            op.results[0].replace_all_uses_with(limited.result)
            limited.operands[0] = op.results[0]
            Rewriter.insert_op([least, limited], InsertPoint.after(op))
