"""Loops, branches and returns in all their combinations."""

import cuda.tile as ct

from .registry import Const, array, corpus, scalar


@corpus(array(ct.float32), array(ct.float32), scalar(ct.int32), 64)
def simple_for(x, out, count, tile: Const):
    """A loop over a dynamic number of tiles, one value carried."""
    total = ct.zeros((tile,), ct.float32)
    for i in range(count):
        total += ct.load(x, i, tile)
    ct.store(out, ct.bid(0), total)


@corpus(
    array(ct.float32), array(ct.float32), scalar(ct.int64), scalar(ct.int64), scalar(ct.int64), 64
)
def long_range(x, out, start, stop, step, tile: Const):
    """64-bit bounds and a dynamic step."""
    total = ct.zeros((tile,), ct.float32)
    for i in range(start, stop, step):
        total = total * 0.5 + ct.load(x, i, tile)
    ct.store(out, 0, total)


@corpus(array(ct.int32), array(ct.int32), scalar(ct.int32))
def for_with_break(x, out, limit):
    """Leave a counted loop early; the front end turns the break into a flag."""
    total = 0
    for i in range(x.shape[0]):
        total += ct.gather(x, i)
        if total > limit:
            break
    ct.scatter(out, ct.bid(0), total)


@corpus(array(ct.int32), array(ct.int32))
def for_with_continue(x, out):
    """Skip iterations of a counted loop."""
    total = 0
    for i in range(x.shape[0]):
        value = ct.gather(x, i)
        if value < 0:
            continue
        if value % 2 == 0:
            total += value
            continue
        total -= value
    ct.scatter(out, ct.bid(0), total)


@corpus(array(ct.int64), array(ct.int32))
def collatz(x, out):
    """A `while` loop with two carried scalars."""
    n = ct.gather(x, ct.bid(0))
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    ct.scatter(out, ct.bid(0), steps)


@corpus(array(ct.int32), array(ct.int32), scalar(ct.int32))
def while_break_continue(x, out, target):
    """A binary search with several exits."""
    low, high = 0, x.shape[0]
    found = -1
    while True:
        if low >= high:
            break
        middle = (low + high) // 2
        value = ct.gather(x, middle)
        if value < target:
            low = middle + 1
            continue
        if value == target:
            found = middle
            break
        high = middle
    ct.scatter(out, ct.bid(0), found)


@corpus(array(ct.float32, 2), array(ct.float32), 16)
def nested_loops(x, out, tile: Const):
    """Two loops whose inner bounds depend on the outer index."""
    total = ct.zeros((tile, tile), ct.float32)
    for i in range(ct.num_tiles(x, 0, (tile, tile))):
        row = ct.zeros((tile, tile), ct.float32)
        for j in range(i + 1):
            row += ct.load(x, (i, j), (tile, tile))
        for j in range(i + 1, ct.num_tiles(x, 1, (tile, tile)), 2):
            row -= ct.load(x, (i, j), (tile, tile))
        total += row * ct.astype(i, ct.float32)
    ct.store(out, ct.bid(0), ct.sum(total, axis=0))


@corpus(array(ct.float32), array(ct.float32), scalar(ct.int32), 32)
def nested_branches(x, out, mode, tile: Const):
    """Branches inside branches, with and without results."""
    t = ct.load(x, ct.bid(0), tile)
    if mode == 0:
        t = t + 1.0
    elif mode == 1:
        if ct.bid(0) > 4:
            t = t * 2.0
        else:
            if ct.bid(1) == 0:
                t = -t
                ct.store(out, ct.bid(0) + 1, t)
    elif mode == 2:
        ct.store(out, 0, t)
    else:
        t = ct.exp(t)
    ct.store(out, ct.bid(0), t)


@corpus(array(ct.float32), array(ct.float32), scalar(ct.int32), 32)
def early_return(x, out, count, tile: Const):
    """Blocks outside of the range leave at once, others from the middle."""
    if ct.bid(0) >= count:
        return
    t = ct.load(x, ct.bid(0), tile)
    if ct.sum(t) < 0.0:
        ct.store(out, ct.bid(0), ct.zeros((tile,), ct.float32))
        return
    ct.store(out, ct.bid(0), t)


@corpus(array(ct.int32), array(ct.int32), scalar(ct.int32))
def return_from_loop(x, out, key):
    """A return inside of a counted loop."""
    for i in range(x.shape[0]):
        if ct.gather(x, i) == key:
            ct.scatter(out, ct.bid(0), i)
            return
    ct.scatter(out, ct.bid(0), -1)


def first_above(x, threshold, tile):
    """The number of the first tile whose sum exceeds the threshold, or -1."""
    for i in range(ct.num_tiles(x, 0, (tile,))):
        if ct.sum(ct.load(x, i, tile)) > threshold:
            return i
    return -1


def choose(flag, a, b):
    """A helper with two returns."""
    if flag:
        return a
    return b


@corpus(array(ct.float32), array(ct.int32), scalar(ct.float32), 64, debug=True)
def helper_functions(x, out, threshold, tile: Const):
    """Helpers with loops and several returns, inlined twice."""
    near = first_above(x, threshold, tile)
    far = first_above(x, threshold * 2.0, tile)
    ct.scatter(out, ct.bid(0), choose(near < 0, far, near))


@corpus(array(ct.float32), array(ct.float32), scalar(ct.int32), 64)
def loop_split(x, out, border, tile: Const):
    """A branch on the loop index that the front end moves out by splitting the loop."""
    total = ct.zeros((tile,), ct.float32)
    for i in range(16):
        t = ct.load(x, i, tile)
        if i < border:
            t = t * 0.25
        total += t
    ct.store(out, ct.bid(0), total)


@corpus(array(ct.float32), array(ct.float32), scalar(ct.bool_), scalar(ct.bool_), 32)
def boolean_operators(x, out, a, b, tile: Const):
    """Short-circuit `and`, `or`, `not` and conditional expressions."""
    t = ct.load(x, ct.bid(0), tile)
    if (a and not b) or (b and ct.bid(0) % 2 == 1):
        t = t + (1.0 if a else 2.0)
    ct.store(out, ct.bid(0), t if a or b else -t)


@corpus(array(ct.float32), array(ct.float32), scalar(ct.int32), 32)
def tuple_carried(x, out, count, tile: Const):
    """A loop that carries a tuple of tiles and swaps its parts."""
    pair = (ct.load(x, 0, tile), ct.load(x, 1, tile))
    for _ in range(count):
        a, b = pair
        pair = (b, a + b)
    ct.store(out, 0, pair[0])
    ct.store(out, 1, pair[1])


@corpus(array(ct.float32), array(ct.float32), 2, 32)
def unrolled(x, out, copies: Const, tile: Const):
    """Loops unrolled by the front end."""
    total = ct.zeros((tile,), ct.float32)
    for i in ct.static_iter(range(copies)):
        total += ct.load(x, ct.bid(0) * copies + i, tile) * (i + 0.5)
    for weight in ct.static_iter((0.5, -1.0, 2)):
        total = total * weight + 1.0
    ct.store(out, ct.bid(0), total)


@corpus(array(ct.float32), array(ct.float32), array(ct.float32), scalar(ct.int32), 32)
def array_choice(x, y, out, flag, tile: Const):
    """A branch that yields arrays, that is pointers with their shapes."""
    if flag > 0:
        source = x
    else:
        source = y.slice(0, 32, y.shape[0])
    ct.store(out, ct.bid(0), ct.load(source, ct.bid(0), tile))


@corpus(array(ct.float32), array(ct.float32), scalar(ct.float32), 32)
def newton_sqrt(x, out, tolerance, tile: Const):
    """Iterate a whole tile until its largest step is small, at most 20 times."""
    t = ct.load(x, ct.bid(0), tile)
    guess = ct.maximum(t, 1.0)
    for _ in range(20):
        better = 0.5 * (guess + t / guess)
        change = ct.max(ct.abs(better - guess))
        guess = better
        if change < tolerance:
            break
    ct.store(out, ct.bid(0), guess)


@corpus(array(ct.int32, 2), 64, 64, 32)
def mandelbrot(out, rows: Const, columns: Const, limit: Const):
    """Escape times of a tile, stopping when every point has escaped."""
    y = ct.bid(0) * rows + ct.arange(rows, dtype=ct.int32)
    x = ct.bid(1) * columns + ct.arange(columns, dtype=ct.int32)
    ci = ct.expand_dims(y.astype(ct.float32) * (2.0 / out.shape[0]) - 1.0, 1)
    cr = ct.expand_dims(x.astype(ct.float32) * (3.0 / out.shape[1]) - 2.0, 0)
    zr = ct.zeros((rows, columns), ct.float32)
    zi = ct.zeros((rows, columns), ct.float32)
    count = ct.zeros((rows, columns), ct.int32)
    i = 0
    while i < limit:
        inside = zr * zr + zi * zi < 4.0
        if ct.sum(inside.astype(ct.int32)) == 0:
            break
        zr, zi = (
            ct.where(inside, zr * zr - zi * zi + cr, zr),
            ct.where(inside, 2.0 * zr * zi + ci, zi),
        )
        count += inside
        i += 1
    ct.store(out, (ct.bid(0), ct.bid(1)), count)


@corpus(array(ct.float32, 2), array(ct.float32), scalar(ct.int32), 16)
def loops_in_branches(x, out, mode, tile: Const):
    """A loop in each arm of a branch, itself inside of a loop."""
    total = ct.zeros((tile,), ct.float32)
    for i in range(ct.num_tiles(x, 0, (1, tile))):
        if mode + i > 3:
            for j in range(4):
                total += ct.reshape(ct.load(x, (i, j), (1, tile)), (tile,))
        else:
            j = 0
            while j < 8:
                t = ct.reshape(ct.load(x, (i, j), (1, tile)), (tile,))
                if ct.max(t) > 10.0:
                    break
                total -= t
                j += 2
    ct.store(out, ct.bid(0), total)
