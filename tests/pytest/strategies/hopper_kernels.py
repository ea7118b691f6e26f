"""A product of matrices and attention in Tile IR, with what decides how they are compiled."""

from __future__ import annotations


def gemm(
    tile: tuple[int, int, int] = (128, 256, 64),
    *,
    element: str = "f16",
    divisor: int = 16,
    base: int = 16,
    padding: str = "zero",
    load_hints: str = "",
    entry_hints: str = "",
    bound: str = "%n",
) -> str:
    """A kernel `gemm`, of tiles m by n by k; rows are multiples of a divisor."""
    m, n, k = tile
    views: list[str] = []
    types: dict[str, str] = {}
    elements = {"a": element, "b": element, "c": "f32"}
    for name, (rows, columns) in {"a": (m, k), "b": (k, n), "c": (m, n)}.items():
        kind = elements[name]
        tensor = f"tensor_view<?x?x{kind}, strides=[?,1]>"
        pad = "" if name == "c" else f"padding_value = {padding}, "
        types[name] = f"partition_view<tile=({rows}x{columns}), {pad}{tensor}>"
        views.append(f"""
    %q{name} = assume div_by<{base}>, %p{name} : tile<ptr<{kind}>>
    %t{name} = make_tensor_view %q{name}, shape = [%s, %s], strides = [%s, 1]
        : tile<i32> -> {tensor}
    %v{name} = make_partition_view %t{name} : {types[name]}""")
    hints = f" optimization_hints = <{load_hints}>" if load_hints else ""
    entry = f" optimization_hints=<{entry_hints}>" if entry_hints else ""
    total = f"tile<{m}x{n}xf32>"
    return f"""
cuda_tile.module @kernels {{
  entry @gemm(%pa: tile<ptr<{element}>>, %pb: tile<ptr<{element}>>, %pc: tile<ptr<f32>>,
      %n: tile<i32>){entry} {{
    %l = assume bounded<0, ?>, %n : tile<i32>
    %s = assume div_by<{divisor}>, %l : tile<i32>{"".join(views)}
    %i, %j, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start = constant <f32: 0.0> : {total}
    %sum = for %x in (%zero to {bound}, step %one) : tile<i32>
        iter_values(%acc = %start) -> ({total}) {{
      %a, %ta2 = load_view_tko weak %va[%i, %x]{hints}
          : {types["a"]}, tile<i32> -> tile<{m}x{k}x{element}>, token
      %b, %tb2 = load_view_tko weak %vb[%x, %j]{hints}
          : {types["b"]}, tile<i32> -> tile<{k}x{n}x{element}>, token
      %next = mmaf %a, %b, %acc
          : tile<{m}x{k}x{element}>, tile<{k}x{n}x{element}>, {total}
      continue %next : {total}
    }}
    %done = store_view_tko weak %sum, %vc[%i, %j] : {total}, {types["c"]}, tile<i32> -> token
    return
  }}
}}
"""


def attention(depth: int = 64) -> str:
    """A kernel `attention`: exponentials of products are the left operands of others."""
    tensor = f"tensor_view<?x{depth}xf16, strides=[{depth},1]>"
    view, tile = f"partition_view<tile=(128x{depth}), {tensor}>", f"tile<128x{depth}xf16>"
    scores, total = "tile<128x128xf32>", f"tile<128x{depth}xf32>"
    views = "".join(
        f"""
    %q{name} = assume div_by<16>, %p{name} : tile<ptr<f16>>
    %t{name} = make_tensor_view %q{name}, shape = [%n, {depth}], strides = [{depth}, 1] : tile<i32>
        -> {tensor}
    %v{name} = make_partition_view %t{name} : {view}"""
        for name in "qkvo"
    )
    return f"""
cuda_tile.module @kernels {{
  entry @attention(%pq: tile<ptr<f16>>, %pk: tile<ptr<f16>>, %pv: tile<ptr<f16>>,
      %po: tile<ptr<f16>>, %n: tile<i32>) {{{views}
    %i, %j, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %none = constant <f32: 0.0> : {scores}
    %start = constant <f32: 0.0> : {total}
    %q, %tokenq = load_view_tko weak %vq[%i, %zero] : {view}, tile<i32> -> {tile}, token
    %sum = for %x in (%zero to %n, step %one) : tile<i32>
        iter_values(%acc = %start) -> ({total}) {{
      %k, %tokenk = load_view_tko weak %vk[%x, %zero] : {view}, tile<i32> -> {tile}, token
      %kt = permute %k [1, 0] : {tile} -> tile<{depth}x128xf16>
      %s = mmaf %q, %kt, %none : {tile}, tile<{depth}x128xf16>, {scores}
      %e = exp2 %s : {scores}
      %p = ftof %e : {scores} -> tile<128x128xf16>
      %v, %tokenv = load_view_tko weak %vv[%x, %zero] : {view}, tile<i32> -> {tile}, token
      %next = mmaf %p, %v, %acc : tile<128x128xf16>, {tile}, {total}
      continue %next : {total}
    }}
    %r = ftof %sum : {total} -> {tile}
    %done = store_view_tko weak %r, %vo[%i, %zero] : {tile}, {view}, tile<i32> -> token
    return
  }}
}}
"""
