"""
Themes of `ordered_kernels.py` about the multi-stage buffers that a producer warp fills: pipelines
of a cluster, which go round, and tiles and bounds that are given away before they are used.
"""

from __future__ import annotations

import numpy as np

from .matmul_writer import Tile
from .ordered_parts import Product, exchanged, noise_like, output, release
from .ordered_writer import FLAGS, OrderedWriter, Step

CLUSTER_HINT = " optimization_hints=<default = {num_cta_in_cga = 2}>"


def clustered(w: OrderedWriter) -> None:
    """
    Two CTAs of a cluster load tiles for each other, more than a pipeline has stages: neither
    may fill a stage again that the other still reads.
    """
    w.hint, w.configuration = CLUSTER_HINT, ("sm_90", 3, "host-maps")
    w.blocks = w.draws.choose((2, 3, 4))
    shape = w.draws.choose(((64, 64, 16), (64, 32, 32), (64, 128, 16), (128, 64, 16)))
    product = Product.draw(w, shape, trips=w.draws.integer(8, 12))
    c = output(w, shape)
    is_waiting = w.draws.flag(30)
    if is_waiting:
        w.previous += [product.a.parameter, product.b.parameter]
        done = w.token_name()
        w.lines.append(f"{done} = gdc_wait_tko -> token")
        product.a.follow(done)
        product.b.follow(done)
    total = product.accumulate(w.number(product.trips))
    if w.draws.flag(40):
        total = exchanged(w, total)
    c.store(total, w.block, w.zero)


def given_away(w: OrderedWriter) -> None:
    """
    Tiles of operands are loaded, and may be overwritten before the product that uses them: by the
    kernel itself, or by another CTA as soon as a flag says so.
    """
    w.blocks = w.draws.choose((1, 1, 2))
    shape = w.draws.choose(((64, 64, 16), (64, 32, 32), (64, 16, 16), (64, 64, 32)))
    m, _, k = shape
    trips = w.draws.integer(2, 4)
    product = Product.draw(w, shape, trips=trips, is_written=True)
    a, b = product.a, product.b
    c = output(w, shape)
    flags = w.flags() if w.draws.flag(60) else None
    noise = w.constant(31, (m, k), "f16")
    has_exchange = w.draws.flag(30)

    def turn(at: Tile, values: list[Tile]) -> list[Tile]:
        # Loads of one iteration have nothing to do with what the one before gave away.
        a.written, a.reads = None, []
        left, right = a.load(w.block, at), b.load(at, w.zero)
        total = values[0]
        if has_exchange:
            total = w.clamped(exchanged(w, total))
        if flags is None:
            a.store(noise, w.block, at)
        else:
            place = w.integers("addi", w.integers("muli", w.block, w.constant(trips)), at)
            a.reads.append(release(w, flags, place, a.end()))
        return [w.mma(left, right, total)]

    (total,) = w.loop(w.zero, w.number(trips), [product.zeros()], turn, writes=[a], reads=[b])
    c.store(total, w.block, w.zero)
    if flags is None:
        return
    before = w.arguments[a.parameter]
    assert isinstance(before, np.ndarray)
    for block in range(w.blocks):
        steps: list[Step] = []
        for at in range(trips):
            place = (slice(block * m, (block + 1) * m), slice(at * k, (at + 1) * k))
            steps.append(Step("await", flags.parameter, block * trips + at, 1))
            steps.append(Step("write", a.parameter, place, noise_like(before[place])))
        w.others.append(steps)
    w.ignored.append(a.parameter)


def given_bounds(w: OrderedWriter) -> None:
    """
    A scalar decides about a product; then another CTA, which a flag tells that it was read,
    overwrites it. Flag and scalar are known to be apart.
    """
    w.blocks = 1
    product = Product.draw(w, trips=w.draws.integer(2, 4))
    c = output(w, product.shape)
    counts = w.integers_of((FLAGS,), "i32") % (product.trips + 1)
    if w.draws.flag(60):
        counts[:] = 0
    counts[FLAGS - 1] = 0
    bounds = w.flags(np.array(counts))
    is_nested = w.draws.flag(30)
    way = w.draws.choose(("trips", "trips", "branch"))

    def turn(start: Tile) -> Tile:
        n, read = w.load_scalar(bounds.place(w.zero))
        if way == "trips":
            total = product.accumulate(n, start)
        else:
            condition = w.compare("greater_than", n, w.zero)
            high = w.number(product.trips)
            (total,) = w.when(condition, [start], lambda: [product.accumulate(high, start)])
        release(w, bounds, w.constant(FLAGS - 1), read)
        return total

    if is_nested:
        (total,) = w.loop(w.zero, w.one, [product.zeros()], lambda _, values: [turn(values[0])])
    else:
        total = turn(product.zeros())
    if w.draws.flag(40):
        total = product.accumulate(w.number(product.trips), total)
    c.store(total, w.block, w.zero)
    flag = Step("await", bounds.parameter, FLAGS - 1, 1)
    w.others.append([flag, Step("write", bounds.parameter, 0, 3)])
