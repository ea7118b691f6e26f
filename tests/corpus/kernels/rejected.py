"""
Kernels for which the front end writes bytecode that NVIDIA's own reader rejects.

They are kept, with the reader's diagnostics, as tests for ours.
"""

import cuda.tile as ct

from .registry import Const, array, corpus


@corpus(array(ct.uint32), array(ct.uint32), array(ct.uint32), 64, rejected=True)
def unsigned_floor_division(x, y, out, tile: Const):
    """Unsigned division is written with a rounding mode that only signed division has."""
    block = ct.bid(0)
    ct.store(out, block, ct.load(x, block, tile) // ct.load(y, block, tile))


@corpus(array(ct.float32, 0), array(ct.float32, 0), rejected=True)
def rank_zero_view(x, out):
    """A view of an array of rank zero has a tile without dimensions."""
    ct.store(out, (), ct.load(x, (), ()) + 1.0)


@corpus(array(ct.float32, 2), array(ct.int64), array(ct.float32, 2), since="13.3", rejected=True)
def wide_sparse_index(table, rows, out):
    """A tile of 64-bit indices is truncated to a scalar."""
    index = ct.load(rows, 0, 8)
    ct.store(out, (0, 0), ct.load_advanced_indexing(table, (index, ct.Slice(0, 16))))
