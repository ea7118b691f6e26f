"""
Random tile programs that can be run: well typed, and with results that are determined.

`random_program(seed)` returns a kernel with its grid and its arguments, always the same for
the same seed. It is built like the modules of this folder, op by op through constructors, but
nothing in it is undefined: divisors are not zero, shifts are smaller than the width, loops
end, what is read is initialised, assumptions hold.

Memory is of three kinds. *Inputs* are only read, so every pointer to one that a program has at
hand may be read at any time. *Slots* are parts of the arrays that results go to, one part for
each CTA: a slot is either touched once, in code that runs once, or by accesses in one chain
of tokens that is threaded through all control flow. *Counters* are shared by all CTAs and
only changed by atomics that commute. So no two accesses conflict that tokens do not order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from xdsl.dialects import builtin
from xdsl.ir import Region

from tileiras_xdsl.dialects import cuda_tile as ct

from .draws import Draws
from .functions import TOKEN, discard, float_makers
from .program_accesses import AccessBuilder
from .program_builder import TileProgram
from .types import INTEGERS

Maker: TypeAlias = Callable[[AccessBuilder], None]
B = AccessBuilder

PURE_MAKERS: tuple[Maker, ...] = (
    # Integers
    *(
        partial(B.overflow, op_class=op_class)
        for op_class in (ct.AddIOp, ct.SubIOp, ct.MulIOp, ct.ShLIOp)
    ),
    *(
        partial(B.binary, op_class=op_class, elements=INTEGERS)
        for op_class in (ct.AndIOp, ct.OrIOp, ct.XOrIOp, ct.MulhiIOp)
    ),
    *(partial(B.signed_binary, op_class=op_class) for op_class in (ct.MaxIOp, ct.MinIOp)),
    partial(B.unary, op_class=ct.AbsIOp, elements=INTEGERS),
    B.shri,
    B.divi,
    B.remi,
    B.negi,
    *(B.cmpi, B.cmpi),
    *float_makers(B),
    # Conversions
    B.bitcast,
    B.exti,
    B.trunci,
    *(B.ftof, B.ftof),
    B.ftoi,
    B.itof,
    # Selection and constants
    *(B.select, B.select),
    B.constant,
    B.if_,
)
"""What the bodies of `reduce` and `scan` consist of."""

VALUE_MAKERS: tuple[Maker, ...] = (
    *PURE_MAKERS[:-1],
    *(B.pack, B.unpack, B.exti, B.trunci),
    *(B.broadcast, B.reshape, B.permute, B.cat, B.extract, B.insert, B.iota),
    *(partial(B.aggregate, op_class=op_class) for op_class in (ct.ReduceOp, ct.ScanOp)),
    *(B.mmaf, B.mmai, B.mmaf_scaled),
)
"""What computes values, and has no effects."""

MAKERS: tuple[Maker, ...] = (
    *(B.broadcast, B.reshape, B.permute, B.cat, B.extract, B.insert, B.iota),
    *(B.offset, B.pointer_number, B.pointer_cast),
    lambda builder: discard(builder.add(ct.GetTileBlockIdOp())),
    lambda builder: discard(builder.add(ct.GetNumTileBlocksOp())),
    *(partial(B.aggregate, op_class=op_class) for op_class in (ct.ReduceOp, ct.ScanOp)),
    # Tokens
    lambda builder: discard(builder.add(ct.MakeTokenOp())),
    B.join_tokens,
    B.token_join,
    *(B.join_order, B.join_order),
    lambda builder: discard(builder.add(ct.MemoryFenceAliasOp(builder.value(TOKEN)))),
    lambda builder: discard(builder.add(ct.GdcWaitOp(builder.token()))),
    lambda builder: discard(builder.add(ct.GdcLaunchDependentsOp(builder.token()))),
    # Facts and text
    *(B.assume, B.assume),
    B.assert_,
    B.print_tko,
    B.print,
    # Memory
    B.alloca,
    B.write_global,
    B.count_shared,
    B.fork,
    *(B.read_back, B.load_ptr, B.store_ptr, B.atomic_cas, B.atomic_rmw) * 2,
    *(B.load_view, B.load_view, B.store_view, B.atomic_red_view) * 2,
    B.view_sizes,
)

REGION_MAKERS: tuple[Maker, ...] = (B.if_, B.if_, B.for_, B.loop)


class Builder(AccessBuilder):
    """Chooses among all there is."""

    makers = MAKERS
    value_makers = VALUE_MAKERS
    pure_makers = PURE_MAKERS
    region_makers = REGION_MAKERS


GRIDS = ((1, 1, 1), (2, 1, 1), (3, 1, 1), (2, 2, 1), (1, 2, 2))


def random_program(seed: int) -> TileProgram:
    """A program that can be run, the same for the same seed."""
    draws = Draws.from_seed(f"program {seed}")
    grid = draws.choose(GRIDS)
    builder = Builder(draws, seed, grid)
    # Some in turn, so that what is rare by chance is not rare.
    budget = builder.budget
    for makers, count in ((VALUE_MAKERS, 7), (MAKERS, 2)):
        for number in range(count * seed, count * seed + count):
            makers[number % len(makers)](builder)
    builder.budget = budget
    builder.fill()
    builder.add(ct.ReturnOp())
    builder.finish_results()
    entry = ct.EntryOp("kernel", Region(builder.entry_block))
    module = builtin.ModuleOp([ct.ModuleOp("program", [*builder.symbols, entry])])
    return TileProgram(seed, module, grid, tuple(builder.parameters.values))
