"""Kernels whose threads wait for each other in many ways, and what is planted into them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects import gpu
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileas.memory import AllocTensorOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import (
    BarrierOp,
    BufferAttr,
    FenceProxyOp,
    WaitCopiesOp,
    get_buffers,
    set_buffers,
)
from tileiras_xdsl.transforms.tileas.tileas_insert_barriers import TileasInsertBarriersPass

from ..harness.kernels import POINTER, gpu_kernel, gpu_module, num_warps
from ..harness.modules import parse
from ..harness.passes import apply, lower
from ..strategies.hopper_kernels import attention, gemm

WAITS = (BarrierOp, WaitCopiesOp, FenceProxyOp)


@dataclass(frozen=True)
class Kernel:
    """A program of `cuda_tile`, and how it is compiled and called."""

    text: str
    arguments: Callable[[], Sequence[Any]]
    arch: str = "sm_90"

    def compiled(self) -> ModuleOp:
        """
        The kernel at the end of level 2. Barriers that stand for tokens order what others would;
        they are left out, so that what is there is what `tileas-insert-barriers` inserts, and what
        pipelines of buffers need.
        """
        module = lower(parse(self.text), "tileas", arch=self.arch)
        has_pipeline = any(isinstance(op, AllocTensorOp) for op in module.walk())
        for op in list(module.walk()):
            if isinstance(op, WAITS) or (isinstance(op, gpu.BarrierOp) and not has_pipeline):
                op.detach()
        return apply(module, TileasInsertBarriersPass())


def _floats(*shape: int) -> Any:
    return (np.arange(np.prod(shape)).reshape(shape) % 7).astype(np.float32)


def _halves(*shape: int) -> Any:
    return _floats(*shape).astype(np.float16) / 8


def _entry(parameters: str, body: str) -> str:
    return f"""cuda_tile.module @m {{
      entry @k({parameters}) {{
        %zero = constant <i32: 0> : tile<i32>
        %one = constant <i32: 1> : tile<i32>
        %three = constant <i32: 3> : tile<i32>
        {body}
        return
      }}
    }}"""


def _views(rows: int, columns: int, *names: str) -> str:
    """Views of arrays of three tiles, each with tokens of its own."""
    tensor = f"tensor_view<{3 * rows}x{columns}xf32, strides=[{columns},1]>"
    return "".join(
        f"""
        %t{name} = make_tensor_view %{name}, shape = [{3 * rows}, {columns}],
            strides = [{columns}, 1] : {tensor}
        %v{name} = make_partition_view %t{name} : partition_view<tile=({rows}x{columns}), {tensor}>
        """
        for name in names
    )


def _view(rows: int, columns: int) -> str:
    return (
        f"partition_view<tile=({rows}x{columns}), "
        f"tensor_view<{3 * rows}x{columns}xf32, strides=[{columns},1]>>"
    )


ROWS = "tile<2x512xf32>"

SOFTMAX = Kernel(
    _entry(
        "%x: tile<ptr<f32>>, %y: tile<ptr<f32>>",
        f"""{_views(2, 512, "x", "y")}
        for %i in (%zero to %three, step %one) : tile<i32> {{
          %a, %ta = load_view_tko weak %vx[%i, %zero]
              : {_view(2, 512)}, tile<i32> -> {ROWS}, token
          %top = reduce %a dim=1 identities=[0xFF800000 : f32] : {ROWS} -> tile<2xf32>
              (%l: tile<f32>, %r: tile<f32>) {{
            %m = maxf %l, %r : tile<f32>
            yield %m : tile<f32>
          }}
          %column = reshape %top : tile<2xf32> -> tile<2x1xf32>
          %all = broadcast %column : tile<2x1xf32> -> {ROWS}
          %d = subf %a, %all rounding<nearest_even> : {ROWS}
          %e = exp %d : {ROWS}
          %sum = reduce %e dim=1 identities=[0.0 : f32] : {ROWS} -> tile<2xf32>
              (%l: tile<f32>, %r: tile<f32>) {{
            %m = addf %l, %r rounding<nearest_even> : tile<f32>
            yield %m : tile<f32>
          }}
          %sums = reshape %sum : tile<2xf32> -> tile<2x1xf32>
          %whole = broadcast %sums : tile<2x1xf32> -> {ROWS}
          %p = divf %e, %whole rounding<nearest_even> : {ROWS}
          %ts = store_view_tko weak %p, %vy[%i, %zero]
              : {ROWS}, {_view(2, 512)}, tile<i32> -> token
          continue
        }}""",
    ),
    lambda: [_floats(6, 512), np.zeros((6, 512), np.float32)],
)

SQUARE = "tile<64x64xf32>"

TRANSPOSES = Kernel(
    _entry(
        "%x: tile<ptr<f32>>, %y: tile<ptr<f32>>",
        f"""{_views(64, 64, "x", "y")}
        for %i in (%zero to %three, step %one) : tile<i32> {{
          %a, %ta = load_view_tko weak %vx[%i, %zero]
              : {_view(64, 64)}, tile<i32> -> {SQUARE}, token
          %b = permute %a [1, 0] : {SQUARE} -> {SQUARE}
          %s = addf %a, %b rounding<nearest_even> : {SQUARE}
          %c = permute %s [1, 0] : {SQUARE} -> {SQUARE}
          %d = mulf %c, %a rounding<nearest_even> : {SQUARE}
          %ts = store_view_tko weak %d, %vy[%i, %zero]
              : {SQUARE}, {_view(64, 64)}, tile<i32> -> token
          continue
        }}""",
    ),
    lambda: [_floats(192, 64), np.zeros((192, 64), np.float32)],
)

PRINTS = Kernel(
    _entry(
        "%x: tile<ptr<f32>>",
        f"""{_views(2, 512, "x")}
        for %i in (%zero to %three, step %one) : tile<i32> {{
          %a, %ta = load_view_tko weak %vx[%i, %zero]
              : {_view(2, 512)}, tile<i32> -> {ROWS}, token
          %tp = print_tko "%f\\n", %a : {ROWS} -> token
          continue
        }}""",
    ),
    lambda: [_floats(6, 512)],
)

STRONG = Kernel(
    _entry(
        "%x: tile<ptr<f32>>, %flag: tile<ptr<i32>>",
        f"""{_views(2, 512, "x")}
        %a, %ta = load_view_tko weak %vx[%zero, %zero]
            : {_view(2, 512)}, tile<i32> -> {ROWS}, token
        %b = addf %a, %a rounding<nearest_even> : {ROWS}
        %tb = store_view_tko weak %b, %vx[%one, %zero] token=%ta
            : {ROWS}, {_view(2, 512)}, tile<i32> -> token
        %old, %tc = atomic_rmw_tko acq_rel device %flag, add, %one token=%tb
            : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
        %c, %td = load_view_tko weak %vx[%one, %zero] token=%tc
            : {_view(2, 512)}, tile<i32> -> {ROWS}, token
        %te = store_view_tko weak %c, %vx[%zero, %zero] token=%td
            : {ROWS}, {_view(2, 512)}, tile<i32> -> token""",
    ),
    lambda: [_floats(6, 512), np.zeros(1, np.int32)],
)

OPERANDS = "tile<32x64xf32>", "tile<64x32xf32>", "tile<32x32xf32>"

MATMULS = Kernel(
    _entry(
        "%x: tile<ptr<f32>>, %y: tile<ptr<f32>>",
        f"""{_views(32, 64, "x")}{_views(32, 32, "y")}
        for %i in (%zero to %three, step %one) : tile<i32> {{
          %a, %ta = load_view_tko weak %vx[%i, %zero]
              : {_view(32, 64)}, tile<i32> -> {OPERANDS[0]}, token
          %b = permute %a [1, 0] : {OPERANDS[0]} -> {OPERANDS[1]}
          %none = constant <f32: 0.0> : {OPERANDS[2]}
          %d = mmaf %a, %b, %none : {", ".join(OPERANDS)}
          %ts = store_view_tko weak %d, %vy[%i, %zero]
              : {OPERANDS[2]}, {_view(32, 32)}, tile<i32> -> token
          continue
        }}""",
    ),
    lambda: [_floats(96, 64), np.zeros((96, 32), np.float32)],
)

SUMS = Kernel(
    _entry(
        "%x: tile<ptr<f32>>, %y: tile<ptr<f32>>",
        f"""{_views(2, 512, "x", "y")}
        for %i in (%zero to %three, step %one) : tile<i32> {{
          %a, %ta = load_view_tko weak %vx[%i, %zero]
              : {_view(2, 512)}, tile<i32> -> {ROWS}, token
          %sum = scan %a dim=1 reverse=false identities=[0.0 : f32] : {ROWS} -> {ROWS}
              (%l: tile<f32>, %r: tile<f32>) {{
            %m = addf %l, %r rounding<nearest_even> : tile<f32>
            yield %m : tile<f32>
          }}
          %ts = store_view_tko weak %sum, %vy[%i, %zero]
              : {ROWS}, {_view(2, 512)}, tile<i32> -> token
          continue
        }}""",
    ),
    lambda: [_floats(6, 512), np.zeros((6, 512), np.float32)],
)

SIX = "%six = constant <i32: 6> : tile<i32>\n    "
TWO = "%two = constant <i32: 2> : tile<i32>\n    %zero ="

GEMM = Kernel(
    gemm(bound="%two").replace("%zero =", TWO, 1),
    lambda: [_halves(256, 256), _halves(256, 256), np.zeros((256, 256), np.float32), 256],
    "sm_90a",
)
"""Its result goes through shared memory in two parts."""

PIPELINE = Kernel(
    gemm((64, 64, 32), bound="%six").replace("%zero =", f"{SIX}%zero =", 1),
    lambda: [_halves(192, 192), _halves(192, 192), np.zeros((192, 192), np.float32), 192],
    "sm_80",
)
"""Threads copy operands ahead into a pipeline of buffers."""

FLAGGED = Kernel(
    GEMM.text.replace("%n: tile<i32>)", "%n: tile<i32>, %flag: tile<ptr<i32>>)").replace(
        "return",
        """%old, %last = atomic_rmw_tko acq_rel device %flag, add, %one token=%done
        : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return""",
    ),
    lambda: [*GEMM.arguments(), np.zeros(1, np.int32)],
    "sm_90a",
)
"""It says when its result is there."""

ATTENTION = Kernel(
    attention().replace("%zero to %n", "%zero to %two").replace("%zero =", TWO, 1),
    lambda: [*(_halves(256, 64) for _ in "qkv"), np.zeros((256, 64), np.float16), 256],
    "sm_90a",
)

NORMS = Kernel(
    _entry(
        "%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %count: tile<i32>",
        f"""{_views(2, 512, "x", "y")}
        for %i in (%zero to %count, step %one) : tile<i32> {{
          %a, %ta = load_view_tko weak %vx[%i, %zero]
              : {_view(2, 512)}, tile<i32> -> {ROWS}, token
          %sum = reduce %a dim=1 identities=[0.0 : f32] : {ROWS} -> tile<2xf32>
              (%l: tile<f32>, %r: tile<f32>) {{
            %m = addf %l, %r rounding<nearest_even> : tile<f32>
            yield %m : tile<f32>
          }}
          %sums = reshape %sum : tile<2xf32> -> tile<2x1xf32>
          %whole = broadcast %sums : tile<2x1xf32> -> {ROWS}
          %p = divf %a, %whole rounding<nearest_even> : {ROWS}
          %ts = store_view_tko weak %p, %vy[%i, %zero]
              : {ROWS}, {_view(2, 512)}, tile<i32> -> token
          continue
        }}""",
    ),
    lambda: [_floats(6, 512), np.zeros((6, 512), np.float32), 3],
)

PAIRED = "tile<2x512xf32>, tile<2x512xf32> -> tile<2xf32>, tile<2xf32>"

PAIRS = Kernel(
    _entry(
        "%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %count: tile<i32>",
        f"""{_views(2, 512, "x", "y")}
        for %i in (%zero to %count, step %one) : tile<i32> {{
          %a, %ta = load_view_tko weak %vx[%i, %zero]
              : {_view(2, 512)}, tile<i32> -> {ROWS}, token
          %sum, %top = reduce %a, %a dim=1 identities=[0.0 : f32, 0.0 : f32] : {PAIRED}
              (%l: tile<f32>, %r: tile<f32>, %k: tile<f32>, %q: tile<f32>) {{
            %m = addf %l, %r rounding<nearest_even> : tile<f32>
            %n = maxf %k, %q : tile<f32>
            yield %m, %n : tile<f32>, tile<f32>
          }}
          %both = addf %sum, %top rounding<nearest_even> : tile<2xf32>
          %column = reshape %both : tile<2xf32> -> tile<2x1xf32>
          %all = broadcast %column : tile<2x1xf32> -> {ROWS}
          %ts = store_view_tko weak %all, %vy[%i, %zero]
              : {ROWS}, {_view(2, 512)}, tile<i32> -> token
          continue
        }}""",
    ),
    lambda: [_floats(6, 512), np.zeros((6, 512), np.float32), 3],
)
"""A reduction of two operands, each with a buffer of its own."""

KERNELS = {
    "norms": NORMS,
    "pairs": PAIRS,
    "softmax": SOFTMAX,
    "transposes": TRANSPOSES,
    "prints": PRINTS,
    "strong": STRONG,
    "products": MATMULS,
    "sums": SUMS,
    "gemm": GEMM,
    "pipeline": PIPELINE,
    "flagged": FLAGGED,
    "attention": ATTENTION,
}


def without_wait(module: ModuleOp) -> Iterator[tuple[str, ModuleOp]]:
    """All modules in which one wait is missing, each with what that is."""
    for number, op in enumerate(module.walk()):
        if isinstance(op, (*WAITS, gpu.BarrierOp)):
            changed = module.clone()
            removed = op_at(changed, number)
            following = removed.next_op
            while isinstance(following, WAITS):
                following = following.next_op
            assert following is not None
            removed.detach()
            yield f"{op.name} before {following.name}", changed
        for place, buffer in enumerate(get_buffers(op)):
            if buffer.wait:
                changed = module.clone()
                set_buffer(op_at(changed, number), place, buffer.after(""))
                yield f"{buffer.wait} of {op.name}", changed


def op_at(module: ModuleOp, number: int) -> Operation:
    """An op of a module by its number."""
    return next(op for place, op in enumerate(module.walk()) if place == number)


def set_buffer(op: Operation, place: int, buffer: BufferAttr) -> None:
    """Gives an op another one of its buffers."""
    buffers = list(get_buffers(op))
    buffers[place] = buffer
    set_buffers(op, buffers)


def wide_argmax(rows: int) -> str:
    """
    At level 2, the larger one of two elements in each row, and where it is: two warps hold one
    column each, so that all that they hold goes through shared memory.
    """

    def layout(rank: int, warp: int) -> str:
        """Of rows, of elements of both columns one behind the other, or of rows and columns."""
        units = [1 << bit for bit in range(rows.bit_length() - 1)]
        scale = 2 if rank == 1 and warp else 1
        places = [[unit * scale] if rank == 1 else [unit, 0] for unit in units]
        own = [warp] if rank == 1 else [0, warp]
        return f"#nv_tileas.layout<register = {places[5:]}, lane = {places[:5]}, warp = [{own}]>"

    flat, both, row = layout(1, 1), layout(2, 1), layout(1, 0)

    def tensor(element: str, shape: str, layout: str) -> str:
        return f"tensor<{shape}x{element}, {layout}>"

    pair = f"{rows}x2"
    types = {
        f"{element}{name}": tensor(given, shape, layout)
        for element, given in (("f", "f32"), ("i", "i32"), ("p", "!llvm.ptr<1>"))
        for name, shape, layout in (
            ("flat", str(2 * rows), flat),
            ("both", pair, both),
            ("row", str(rows), row),
        )
    }
    body = f"""
    %zero = arith.constant 0 : i32
    %end = arith.constant {2 * rows} : i32
    %numbers = nv_tileaa.make_range %zero, %end : i32 to {types["iflat"]}
    %xs = nv_tileaa.splat %x : !llvm.ptr<1> to {types["pflat"]}
    %px = nv_tileaa.addptr %xs, %numbers {{elem_type = f32}} : {types["pflat"]}, {types["iflat"]}
    %a = nv_tileas.load %px : {types["pflat"]} -> {types["fflat"]}
    %c = nv_tileas.view %a : {types["fflat"]} -> {types["fboth"]}
    %d = nv_tileas.view %numbers : {types["iflat"]} -> {types["iboth"]}
    %top, %place = nv_tileas.reduce %c, %d {{axis = 1 : i32, identities = [0.0 : f32, 0 : i32]}}
        : {types["fboth"]}, {types["iboth"]} -> {types["frow"]}, {types["irow"]} {{
    ^bb0(%l: f32, %r: f32, %i: i32, %j: i32):
      %is = arith.cmpf oge, %l, %r : f32
      %m = arith.select %is, %l, %r : f32
      %k = arith.select %is, %i, %j : i32
      nv_tileas.yield %m, %k : f32, i32
    }}
    %rows = nv_tileaa.make_range %zero, %end : i32 to {types["irow"]}
    %ys = nv_tileaa.splat %y : !llvm.ptr<1> to {types["prow"]}
    %py = nv_tileaa.addptr %ys, %rows {{elem_type = f32}} : {types["prow"]}, {types["irow"]}
    nv_tileas.store %py, %top : {types["prow"]}, {types["frow"]}
    %ns = nv_tileaa.splat %n : !llvm.ptr<1> to {types["prow"]}
    %pn = nv_tileaa.addptr %ns, %rows {{elem_type = i32}} : {types["prow"]}, {types["irow"]}
    nv_tileas.store %pn, %place : {types["prow"]}, {types["irow"]}"""
    parameters = [f"%{name}: {POINTER}" for name in "xyn"]
    return gpu_module(gpu_kernel(body, parameters, attributes=[num_warps(2)]), capability=90)
