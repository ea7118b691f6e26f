"""
The themes of `ordered_kernels.py`: each is about one way in which order between warps, CTAs and
asynchronous copies can be lost, in many variations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from .matmul_writer import Tile
from .ordered_parts import (
    SCOPES,
    SINGLE_SPINS,
    Awaited,
    Product,
    await_flag,
    exchanged,
    launch_dependents,
    output,
    read_flags,
    reduced,
    release,
    scalar_of,
    wait,
)
from .ordered_pipelines import clustered, given_away, given_bounds
from .ordered_writer import FLAGS, Flags, OrderedWriter, Step, Tensor

Theme: TypeAlias = Callable[[OrderedWriter], None]

LARGE = ((64, 128, "f32"), (128, 64, "f32"), (128, 128, "f16"))
"""Tiles that fill the scratch memory of a CTA: what comes behind their stores has to wait."""
SMALL = ((64, 64, "f32"), (64, 64, "f16"), (64, 32, "f16"), (32, 64, "f32"))


def computed(w: OrderedWriter, shape: tuple[int, int]) -> Tile:
    """A tile of f32: the result of a product, or from memory."""
    if w.draws.flag(85):
        product = Product.draw(w, (*shape, w.draws.choose((16, 32))))
        return product.accumulate(product.high())
    source = w.tensor((w.blocks * shape[0], shape[1]), shape, w.draws.choose(("f16", "f32")))
    return w.wide(source.load(w.block, w.zero))


def again(w: OrderedWriter, tensor: Tensor, way: str) -> Tile:
    """The tile of a block, read in one of several ways."""
    m, n = tensor.tile
    match way:
        case "pointers":
            return w.wide(tensor.gather(w.block, w.zero))
        case "halves":
            # Tiles of half the rows, each with a layout of its own.
            first = w.integers("muli", w.block, w.constant(2))
            upper = tensor.load(first, w.zero, (m // 2, n))
            lower = tensor.load(w.integers("addi", first, w.one), w.zero, (m // 2, n))
            both = Tile("", (m, n), tensor.element)
            text = f"cat {upper}, {lower} dim = 0 : {upper.type}, {lower.type} -> {both.type}"
            return w.wide(w.op(text, (m, n), tensor.element))
        case _:
            return w.wide(tensor.load(w.block, w.zero))


def rewritten(w: OrderedWriter) -> None:
    """A tile is stored, others are exchanged, and the same place is read or stored to again."""
    m, n, element = w.draws.choose((*LARGE, *LARGE, *SMALL[:2]))
    shape = (m, n)
    x, y = output(w, shape, element), output(w, shape)
    sums = w.tensor((w.blocks, n), (1, n), "f32", is_written=True)
    value = computed(w, shape)
    way = w.draws.choose(("load", "load", "pointers", "halves", "store", "store", "load, store"))
    stores_sums, between = w.draws.flag(70), w.draws.flag(70)

    def turn(value: Tile) -> Tile:
        x.store(value, w.block, w.zero)
        other = value
        if between:
            other = exchanged(w, value)
        if stores_sums:
            sums.store(reduced(w, value, 0), w.block, w.zero)
        if "store" not in way:
            return w.like("subf", again(w, x, way), other)
        if "load" in way:
            other = w.like("subf", other, again(w, x, "load"))
        x.store(other, w.block, w.zero)
        return other

    form = w.draws.choose((*["straight"] * 4, "loop", "branch"))
    writes = [x, sums] if stores_sums else [x]
    match form:
        case "loop":
            value = w.loop(
                w.zero,
                w.number(w.draws.integer(2, 3)),
                [value],
                lambda _, values: [w.clamped(turn(values[0]))],
                writes=writes,
            )[0]
        case "branch":
            condition = w.compare("equal", w.number(w.draws.integer(0, 1)), w.one)
            value = w.when(condition, [value], lambda: [turn(value)], touches=writes)[0]
        case _:
            value = turn(value)
    y.store(value, w.block, w.zero)


def published(w: OrderedWriter) -> None:
    """Tiles are stored, others exchanged, and a flag tells another CTA that they are there."""
    m, n, element = w.draws.choose((*LARGE, *LARGE, *SMALL[:2]))
    rounds = w.draws.choose((1, 1, 1, 1, 2))
    x = output(w, (m, n), element, rows=w.blocks * rounds)
    sums = w.tensor((w.blocks, n), (1, n), "f32", is_written=True)
    flags = w.flags()
    value = computed(w, (m, n))
    stores_sums, between = w.draws.flag(80), w.draws.flag(60)
    publishes_sums = stores_sums and rounds == 1 and w.draws.flag(50)

    def turn(at: Tile, value: Tile) -> Tile:
        first = w.integers("muli", w.block, w.constant(rounds))
        place = w.integers("addi", first, at)
        x.store(value, place, w.zero)
        if stores_sums:
            sums.store(reduced(w, value, 0), w.block, w.zero)
        if between:
            value = exchanged(w, value)
        tokens = [x.end(), sums.end()] if publishes_sums else [x.end()]
        release(w, flags, place, w.join(tokens))
        return value

    if rounds > 1:
        writes = [x, sums] if stores_sums else [x]
        w.loop(
            w.zero,
            w.number(rounds),
            [value],
            lambda at, values: [w.clamped(turn(at, values[0]))],
            writes=writes,
        )
    else:
        turn(w.zero, value)
    for block in range(w.blocks):
        steps: list[Step] = []
        for number in range(block * rounds, (block + 1) * rounds):
            steps.append(Step("await", flags.parameter, number, 1))
            rows = slice(number * m, (number + 1) * m)
            steps.append(Step("read", x.parameter, rows))
            if publishes_sums:
                steps.append(Step("read", sums.parameter, block))
        w.others.append(steps)
    if w.draws.flag(20):
        launch_dependents(w, x.end())


def flags_or_grid(w: OrderedWriter) -> Flags | None:
    """Flags to wait for, or none to wait for the previous grid."""
    return w.flags() if w.draws.flag(55) else None


def awaited_operands(w: OrderedWriter) -> None:
    """The operands of a product, or one of them, are there after a wait."""
    product = Product.draw(w, is_written=True)
    c = output(w, product.shape)
    flags = flags_or_grid(w)
    m = product.shape[0]
    choice = w.draws.choose(("a", "b", "both", "both"))
    awaited = [
        Awaited(tensor.parameter, _array(w, tensor), rows)
        for name, tensor, rows in (("a", product.a, m), ("b", product.b, 0))
        if choice in (name, "both")
    ]
    before = product.zeros()
    if choice != "both" and w.draws.flag(40):
        # A product that needs not wait.
        other = Product.draw(w, product.shape)
        before = other.accumulate(other.high())
    form = w.draws.choose(("straight", "straight", "loop"))
    token = wait(w, awaited, flags)
    for tensor in (product.a, product.b):
        tensor.follow(token)
    high = w.number(product.trips)
    if form == "loop":
        total = w.loop(
            w.zero,
            w.number(2),
            [before],
            lambda _, values: [w.clamped(product.accumulate(high, values[0]))],
            reads=[product.a, product.b],
        )[0]
    else:
        total = product.accumulate(high, before)
    if w.draws.flag(20):
        launch_dependents(w)
    c.store(total, w.block, w.zero)


def _array(w: OrderedWriter, tensor: Tensor) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    found = w.arguments[tensor.parameter]
    assert isinstance(found, np.ndarray)
    return found


def awaited_addend(w: OrderedWriter) -> None:
    """A product that needs not wait; what its epilogue adds is there after a wait."""
    product = Product.draw(w)
    m, n, _ = product.shape
    r = w.tensor(((w.blocks + 1) * m, n), (m, n), w.draws.choose(("f16", "f32")), is_written=True)
    c = output(w, product.shape)
    flags = flags_or_grid(w)
    first = product.zeros()
    if flags is not None and w.draws.flag(50):
        # A part of the same tensor that nobody writes.
        last = w.constant(w.blocks)
        first = w.wide(r.load(last, w.zero))
        r.reads = []
    total = product.accumulate(w.number(product.trips), first)
    awaited = Awaited(r.parameter, _array(w, r), m)
    token = wait(w, [awaited], flags)
    if flags is not None:
        # The part that is not awaited keeps what it had.
        noise = _array(w, r)
        noise[w.blocks * m :] = awaited.value[w.blocks * m :]
    r.follow(token)
    total = w.like("addf", total, again(w, r, w.draws.choose(("load", "load", "load", "pointers"))))
    if w.draws.flag(30):
        total = exchanged(w, total)
    c.store(total, w.block, w.zero)


def awaited_bounds(w: OrderedWriter) -> None:
    """How often a product is accumulated, or whether, is there after a wait."""
    product = Product.draw(w)
    c = output(w, product.shape)
    counts = w.integers_of((FLAGS,), "i32") % (product.trips + 1)
    bounds = w.flags(np.array(counts))
    flags = flags_or_grid(w)
    token = wait(w, [Awaited(bounds.parameter, counts)], flags)
    n, _ = w.load_scalar(bounds.place(w.block), "weak", token)
    if w.draws.flag(60):
        total = product.accumulate(n)
    else:
        condition = w.compare("greater_than", n, w.zero)
        first, high = product.zeros(), w.number(product.trips)
        (total,) = w.when(condition, [first], lambda: [product.accumulate(high, first)])
    c.store(total, w.block, w.zero)


def overwritten_bounds(w: OrderedWriter) -> None:
    """A scalar decides about a product, and is overwritten later."""
    product = Product.draw(w, trips=w.draws.integer(2, 4))
    c = output(w, product.shape)
    counts = w.integers_of((FLAGS,), "i32") % (product.trips + 1)
    if w.draws.flag(40):
        counts[:] = 0
    bounds = w.flags(np.array(counts))
    place = bounds.place(w.block)
    way = w.draws.choose(("trips", "trips", "branch", "start"))
    second = w.draws.flag(40)
    if w.draws.flag(30):
        value, done = read_flags(w, bounds, w.block, "tile", "weak", None)
        n = scalar_of(w, value)
    else:
        n, done = w.load_scalar(place)
    first, high = product.zeros(), w.number(product.trips)
    match way:
        case "trips":
            total = product.accumulate(n)
        case "start":
            total = product.accumulate(high, low=n)
        case _:
            condition = w.compare("greater_than", n, w.zero)
            (total,) = w.when(condition, [first], lambda: [product.accumulate(high, first)])
    new = w.integers("addi", n, w.constant(7))
    if w.draws.flag(70):
        w.store_scalar(place, new, after=done)
    else:
        w.atomic(place, "add", w.constant(7), "relaxed device", done)
    if second:
        total = product.accumulate(high, total)
    c.store(total, w.block, w.zero)


def handed_over(w: OrderedWriter) -> None:
    """
    Another CTA fills the same tile again and again: the kernel waits for each filling, uses it,
    stores a result, and says that both are done with.
    """
    w.blocks = 1
    rounds = w.draws.choose((2, 2, 2, 3))
    m, n, k = w.draws.choose(((64, 64, 16), (64, 32, 32), (64, 16, 16), (16, 16, 16)))
    trips = w.draws.choose((1, 1, 1, 2))
    product = Product.draw(w, (m, n, k), trips=trips, is_written=True)
    c = output(w, (m, n), w.draws.choose(("f16", "f32")), rows=rounds)
    ready, done = w.flags(), w.flags()
    a = product.a
    high = w.number(trips)
    has_exchange, is_reloaded = w.draws.flag(50), w.draws.flag(30)

    def turn(at: Tile, value: Tile) -> Tile:
        a.follow(await_flag(w, ready, at, a.end(), SINGLE_SPINS))
        if is_reloaded:
            # The operand, and the same tile as numbers.
            first = w.wide(a.load(w.zero, w.zero))
            value = w.like("addf", value, w.shaped(reduced(w, first, 1, "max"), value.shape))
        value = product.accumulate(high, value)
        if has_exchange:
            value = exchanged(w, value)
        value = w.clamped(value)
        c.store(value, at, w.zero)
        a.follow(release(w, done, at, w.join([a.end(), c.end()])))
        return value

    w.loop(
        w.zero,
        w.number(rounds),
        [product.zeros()],
        lambda at, values: [turn(at, values[0])],
        writes=[a, c],
        reads=[product.b],
    )
    steps: list[Step] = []
    for number in range(rounds):
        steps.append(Step("write", a.parameter, ..., w.integers_of(a.sizes, "f16")))
        steps.append(Step("release", ready.parameter, number, 1))
        steps.append(Step("await", done.parameter, number, 1))
        steps.append(Step("read", c.parameter, slice(number * m, (number + 1) * m)))
    w.others.append(steps)
    w.ignored += [a.parameter, ready.parameter]


def summed_up(w: OrderedWriter) -> None:
    """Tiles are added to memory, or compared with it, and the place is read or published."""
    m, n = w.draws.choose(((64, 64), (64, 32), (128, 64), (64, 128)))
    mode = w.draws.choose(("addf", "addf", "add", "max", "min", "umax", "umin"))
    element = "i32" if mode != "addf" else w.draws.choose(("f32", "f16"))
    x = w.tensor((w.blocks * m, n), (m, n), element, is_written=True, is_padded=False)
    y = output(w, (m, n))
    flags = w.flags() if w.draws.flag(50) else None
    value = computed(w, (m, n))
    part = w.narrowed(value, "f16" if element == "f16" else "f32")
    if element == "i32":
        whole = Tile("", (m, n), "i32")
        part = w.op(f"ftoi {value} signed : {value.type} -> {whole.type}", (m, n), "i32")
    for _ in range(w.draws.integer(1, 2)):
        view, ty = x.partition((m, n))
        after = w.join(x.tokens()) if x.tokens() else None
        done = w.token_name()
        w.lines.append(
            f"{done} = atomic_red_view_tko relaxed device {view}[{w.block}, {w.zero}], {mode}, "
            f"{part}{w.behind(after)} : {part.type}, {ty}, tile<i32> -> token"
        )
        x.written, x.reads = done, []
        if w.draws.flag(50):
            value = exchanged(w, value)
    if w.draws.flag(50):
        # Who reads it again waits until it is there.
        value = w.like("subf", value, again(w, x, w.draws.choose(("load", "pointers"))))
    y.store(value, w.block, w.zero)
    if flags is None:
        return
    release(w, flags, w.block, w.join([x.end(), y.end()]))
    for block in range(w.blocks):
        rows = slice(block * m, (block + 1) * m)
        steps = [Step("await", flags.parameter, block, 1)]
        w.others.append([*steps, Step("read", x.parameter, rows), Step("read", y.parameter, rows)])


def overwritten_operands(w: OrderedWriter) -> None:
    """Operands of a product are stored over: after their last use, or once they are loaded."""
    shape = w.draws.choose(((64, 64, 64), (64, 32, 32), (64, 64, 32), (128, 64, 64)))
    m, _, k = shape
    product = Product.draw(w, shape, trips=w.draws.integer(1, 3), is_written=True)
    a, b = product.a, product.b
    c = output(w, shape)
    new = w.tensor((w.blocks * m, k), (m, k), "f16")
    high = w.number(w.draws.choose((0, product.trips, product.trips)))
    is_early = w.draws.flag(50)

    def turn(value: Tile) -> Tile:
        value = product.accumulate(high, value)
        if not is_early:
            a.store(new.load(w.block, w.zero), w.block, w.zero)
            return value
        # What is multiplied is what was there before.
        old = a.load(w.block, w.zero)
        a.store(new.load(w.block, w.zero), w.block, w.zero)
        return w.mma(old, b.load(w.zero, w.zero), value)

    total = product.zeros()
    if w.draws.flag(50):
        (total,) = w.loop(
            w.zero,
            w.number(2),
            [total],
            lambda _, values: [w.clamped(turn(values[0]))],
            reads=[b],
            writes=[a],
        )
    else:
        total = turn(total)
        if w.draws.flag(50):
            total = product.accumulate(high, total)
    c.store(total, w.block, w.zero)


def empty_tensors(w: OrderedWriter) -> None:
    """Tensors without rows or columns: loads give zeros, stores write nothing."""
    shape = w.draws.choose(((64, 64, 32), (64, 32, 16), (64, 64, 16)))
    m, n, k = shape
    is_empty_operand = w.draws.flag(60)
    element = w.draws.choose(("f16", "f32"))
    none = np.zeros((0, n), np.float16)
    sizes = (0, n)
    if w.draws.flag(30):
        sizes, none = (k, 0), np.zeros((k, 0), np.float16)
    a = w.tensor((w.blocks * m, k), (m, k), "f16")
    if is_empty_operand:
        b = w.tensor(sizes, (k, n), "f16", is_static=False, value=none)
    else:
        b = w.tensor((k, n), (k, n), "f16")
    x = w.tensor(
        (0, n),
        (m, n),
        element,
        is_written=True,
        is_static=False,
        value=np.zeros((0, n), np.float16 if element == "f16" else np.float32),
    )
    z, y = output(w, shape), output(w, shape)
    product = Product(w, shape, 1, a, b)
    total = product.accumulate(w.one) if w.draws.flag(60) else product.zeros()
    other = w.like("addf", total, w.constant(1, (m, n), "f32"))
    rounds = w.draws.choose((1, 1, 2))

    def turn(value: Tile) -> Tile:
        x.store(value, w.zero, w.zero)
        if w.draws.flag(50):
            value = w.like("addf", value, w.wide(x.load(w.zero, w.zero)))
        if w.draws.flag(50):
            value = product.accumulate(w.one, value)
        return value

    if rounds > 1:
        reads = [tensor for tensor in (a, b) if tensor.is_written]
        (other,) = w.loop(
            w.zero,
            w.number(rounds),
            [other],
            lambda _, values: [w.clamped(turn(values[0]))],
            reads=reads,
            writes=[x],
        )
    else:
        other = turn(other)
    z.store(total, w.block, w.zero)
    y.store(other, w.block, w.zero)


HUGE = (2**31 - 64, 2**31 + 64, 2**32 + 64, 2**33, 2**35)


def huge_tensors(w: OrderedWriter) -> None:
    """
    Tensors with more rows, or longer ones, than 32 bits can say. Only a window of them is in
    memory: either all rows are the same, or the tensor begins far before the array.
    """
    m, n, k = w.draws.choose(((64, 64, 16), (64, 32, 16), (64, 16, 32)))
    rows = w.draws.choose(HUGE)
    pitch = w.draws.choose((0, 0, k, 2 * k))
    last = (rows - 1) // m
    at = w.draws.choose((0, last, last, last // 2, (2**31) // m if rows > 2**31 else last))
    height = m if pitch else 1
    number, base = w.pointer("f16", w.integers_of((height, max(pitch, k)), "f16"))
    wide = Tile(w.parameter("tile<i64>", at), (), "i64")
    zero = w.constant(0, (), "i64")
    if pitch:
        start = w.constant(-at * m * pitch, (), "i64")
        text = f"offset {base}, {start} : {base.type}, {start.type} -> {base.type}"
        base = w.op(text, (), base.element)
    # The window has to hold all of the tile that there is.
    size = min(rows, (at + 1) * m) if pitch else rows
    if w.draws.flag(50):
        size = rows
    names: list[str] = []
    for value in (size, pitch):
        name = w.parameter("tile<i64>", value)
        name = str(w.op(f"assume bounded<0, ?>, {name} : tile<i64>", (), "i64"))
        if value == pitch:
            name = str(w.op(f"assume div_by<16>, {name} : tile<i64>", (), "i64"))
        names.append(name)
    ty = f"tensor_view<?x{k}xf16, strides=[?,1]>"
    view = w.name()
    w.lines.append(
        f"{view} = make_tensor_view {base}, shape = [{names[0]}, {k}], strides = [{names[1]}, 1] : "
        f"tile<i64> -> {ty}"
    )
    a = Tensor(w, number, base, "f16", (size, k), (m, k), view, ty, is_written=bool(pitch))
    w.tensors.append(a)
    b = w.tensor((k, n), (k, n), "f16")
    c = output(w, (m, n))
    w.blocks = 1
    x = a.load(wide, zero, index="i64")
    total = w.mma(x, b.load(w.zero, w.zero), w.constant(0, (m, n), "f32"))
    c.store(total, w.zero, w.zero)
    if pitch and w.draws.flag(50):
        # The other way: a store to where the load was.
        twice = w.like("addf", w.wide(x), w.wide(x))
        a.store(twice, wide, zero, index="i64")


def diverging(w: OrderedWriter) -> None:
    """A tile of flags decides how often threads meet, or whether, while another CTA sets it."""
    w.blocks = 1
    shape = w.draws.choose(((16, 16), (32, 16), (64, 32), (8, 32)))
    x = w.tensor(shape, shape, "f32")
    y = output(w, shape)
    old, new = w.draws.choose(((0, 1), (1, 3), (3, 1), (2, 0)))
    use = w.draws.choose(("spin", "trips", "branch"))
    way = w.draws.choose(("tile", "tile", "tiles", "pointers", "pointers", "adds", "scalar"))
    order = w.draws.choose(("relaxed", "acquire"))
    how = f"{order} {w.draws.choose(SCOPES)}"
    if use == "spin":
        old, new = 0, 1
    start = np.zeros(FLAGS, np.int32)
    start[0] = old
    flags = w.flags(start)
    value = x.load(w.zero, w.zero)

    def read(after: Tile) -> tuple[Tile, Tile]:
        found, done = read_flags(w, flags, w.zero, way, how, after)
        return (scalar_of(w, found, "max") if found.shape else found), done

    if use == "spin":

        def ready(token: Tile) -> tuple[Tile, Tile]:
            number, done = read(token)
            return w.compare("not_equal", number, w.zero), done

        w.spin(w.make_token(), ready)
        value = exchanged(w, value)
    else:
        number, _ = read(w.make_token())
        if use == "trips":
            (value,) = w.loop(
                w.zero, number, [value], lambda _, values: [w.clamped(exchanged(w, values[0]))]
            )
        else:
            condition = w.compare("greater_than", number, w.one)
            (value,) = w.when(condition, [value], lambda: [exchanged(w, value)])
        ends: list[np.ndarray[tuple[int, ...], np.dtype[np.generic]]] = []
        for state in (old, new):
            array = start.copy()
            array[0] = state
            ends.append(array)
        w.alternatives = [{flags.parameter: array} for array in ends]
    # To and fro, so that it is likely that some warps read one and others the other.
    states = [new, old] * 3 + [new]
    w.others.append([Step("release", flags.parameter, 0, state) for state in states])
    w.ignored.append(flags.parameter)
    y.store(value, w.zero, w.zero)


def coherent(w: OrderedWriter) -> None:
    """Numbers that only grow are read twice, by other threads: what is read later is not less."""
    w.blocks = 1
    size = w.draws.choose((64, 128, 128, 256))
    number, pointer = w.pointer("i32", np.zeros(size, np.int32))
    scope = w.draws.choose(SCOPES)
    token: Tile = w.make_token()
    # Several rows of the same numbers, which other warps read than a single one.
    heights = w.draws.choose(((8, 1), (8, 1), (16, 1), (1, 8), (4, 2)))
    tiles = [(height, size) for height in heights]
    outputs = [w.tensor(tile, tile, "i32", is_written=True) for tile in tiles]
    values: list[Tile] = []
    for tile in tiles:
        pointers = w.moved(w.shaped(pointer, tile), w.iota(tile, 1))
        value, done = Tile(w.name(), tile, "i32"), w.token_name()
        w.lines.append(
            f"{value}, {done} = load_ptr_tko relaxed {scope} {pointers} token={token} : "
            f"{pointers.type} -> {value.type}, token"
        )
        token = done
        values.append(value)
    for tensor, value in zip(outputs, values, strict=True):
        tensor.store(value, w.zero, w.zero)
    older, newer = (tensor.parameter for tensor in outputs)
    w.growing.append((older, newer))
    for _ in range(4):
        places = w.draws.shuffled(range(size))[:12]
        w.others.append([Step("add", number, place, 1) for place in places])
    w.ignored += [number, older, newer]


def tickets(w: OrderedWriter) -> None:
    """CTAs take numbers of tiles from a counter until there are no more."""
    product = Product.draw(w, w.draws.choose(((64, 64, 16), (64, 32, 32), (16, 16, 16))))
    m, n, _ = product.shape
    c = output(w, (m, n))
    counter = w.flags()
    how = w.draws.choose(("relaxed device", "acq_rel device", "relaxed sys"))
    high = w.number(product.trips)
    base, start = w.name(), w.make_token()
    index, order, stored = (Tile(w.name(), (), element) for element in ("i32", "token", "token"))
    first, after = w.atomic(counter.pointer, "add", w.one, how, start)
    w.lines.append(
        f"{base}:2 = loop iter_values({index} = {first}, {order} = {after}, {stored} = {start}) : "
        "tile<i32>, token, token -> token, token {"
    )
    done = w.compare("greater_than_or_equal", index, w.number(w.blocks))
    w.lines += [f"if {done} {{", f"break {order}, {stored} : token, token", "}"]
    mine, w.block = w.block, index
    total = product.accumulate(high)
    if w.draws.flag(50):
        total = exchanged(w, total)
    c.written = stored
    c.store(total, index, w.zero)
    following, then = w.atomic(counter.pointer, "add", w.one, how, order)
    w.end("continue", [following, then, c.end()])
    w.lines.append("}")
    w.block = mine
    w.ignored.append(counter.parameter)


# Mixed


Plan: TypeAlias = "tuple[str, list[Plan]]"
"""A statement and those inside of it."""


class Mixture:
    """Statements that turn one tile into the next, around tensors that are read and written."""

    def __init__(self, w: OrderedWriter):
        self.writer = w
        shape = w.draws.choose(((64, 64, 16), (64, 32, 32), (128, 64, 32), (64, 128, 16)))
        self.product = Product.draw(w, shape)
        element = w.draws.choose(("f16", "f32"))
        self.shape = shape[:2]
        self.x, self.y = (output(w, self.shape, element) for _ in range(2))
        self.late = w.tensor((w.blocks * shape[0], shape[1]), self.shape, "f16", is_written=True)
        self.sums = w.tensor((w.blocks, shape[1]), (1, shape[1]), "f32", is_written=True)
        self.counter = w.flags()
        self.is_waiting = w.draws.flag(40)
        self.flags = flags_or_grid(w) if self.is_waiting else None

    KINDS = ("store x", "store y", "load x", "load y", "again x", "load late", "product")
    OTHERS = ("exchange", "sums", "load sums", "work", "count", "loop", "branch")

    def plan(self, depth: int = 0) -> Plan:
        """Draws a statement."""
        w = self.writer
        kind = w.draws.choose((*self.KINDS, *self.OTHERS, "exchange", "store x"))
        if kind not in ("loop", "branch"):
            return kind, []
        if depth > 1:
            return "exchange", []
        return kind, [self.plan(depth + 1) for _ in range(w.draws.integer(1, 3))]

    def touched(self, plan: Plan, ways: tuple[str, ...]) -> list[Tensor]:
        """The tensors that a statement accesses in one of some ways."""
        kind, inner = plan
        found = [tensor for one in inner for tensor in self.touched(one, ways)]
        by_kind = {
            "store x": ("store", self.x),
            "store y": ("store", self.y),
            "load x": ("load", self.x),
            "load y": ("load", self.y),
            "again x": ("load", self.x),
            "load late": ("load", self.late),
            "sums": ("store", self.sums),
            "load sums": ("load", self.sums),
        }
        if kind in by_kind and by_kind[kind][0] in ways:
            found.append(by_kind[kind][1])
        return list(dict.fromkeys(found))

    def emit_all(self, plans: list[Plan], value: Tile) -> Tile:
        for plan in plans:
            value = self.emit(plan, value)
        return value

    def emit(self, plan: Plan, value: Tile) -> Tile:
        """Writes a statement; the next tile."""
        w, (kind, inner) = self.writer, plan
        tensors = {"x": self.x, "y": self.y, "late": self.late}
        match kind.split():
            case ["store", name]:
                tensors[name].store(value, w.block, w.zero)
            case ["load" | "again", name] if name in tensors:
                way = "pointers" if kind.startswith("again") else "load"
                value = w.like("subf", value, again(w, tensors[name], way))
            case ["product"]:
                value = self.product.accumulate(self.product.high(), value)
            case ["exchange"]:
                value = exchanged(w, value)
            case ["sums"]:
                self.sums.store(reduced(w, value, 0), w.block, w.zero)
            case ["load", "sums"]:
                row = self.sums.load(w.block, w.zero)
                value = w.like("addf", value, w.shaped(row, value.shape))
            case ["work"]:
                value = w.like("maxf", value, w.constant(-3, value.shape, "f32"))
            case ["count"]:
                w.atomic(self.counter.pointer, "add", w.one, "relaxed device")
            case ["loop"]:
                value = w.loop(
                    w.zero,
                    w.number(w.draws.integer(0, 3)),
                    [value],
                    lambda _, values: [w.clamped(self.emit_all(inner, values[0]))],
                    reads=self.touched(plan, ("load",)),
                    writes=self.touched(plan, ("store",)),
                )[0]
            case _:
                bound = w.number(w.draws.integer(-1, 1))
                condition = w.compare("greater_than", w.block, bound)
                value = w.when(
                    condition,
                    [value],
                    lambda: [self.emit_all(inner, value)],
                    touches=self.touched(plan, ("load", "store")),
                )[0]
        return value

    def write(self) -> None:
        """Writes the kernel."""
        w = self.writer
        plans = [self.plan() for _ in range(w.draws.integer(3, 6))]
        # Nothing may read what is awaited before the wait.
        uses = [n for n, plan in enumerate(plans) if self.late in self.touched(plan, ("load",))]
        limit = uses[0] if uses else len(plans)
        at = w.draws.integer(0, limit)
        value = self.product.accumulate(self.product.high())
        value = self.emit_all(plans[:at], value)
        if self.is_waiting:
            rows = self.shape[0]
            awaited = Awaited(self.late.parameter, _array(w, self.late), rows)
            self.late.follow(wait(w, [awaited], self.flags))
        value = self.emit_all(plans[at:], value)
        if w.draws.flag(20):
            launch_dependents(w)
        self.y.store(value, w.block, w.zero)


def mixed(w: OrderedWriter) -> None:
    """Some of everything."""
    Mixture(w).write()


THEMES: dict[str, Theme] = {
    "rewritten": rewritten,
    "awaited_operands": awaited_operands,
    "awaited_addend": awaited_addend,
    "published": published,
    "handed_over": handed_over,
    "summed_up": summed_up,
    "awaited_bounds": awaited_bounds,
    "overwritten_bounds": overwritten_bounds,
    "overwritten_operands": overwritten_operands,
    "empty_tensors": empty_tensors,
    "diverging": diverging,
    "huge_tensors": huge_tensors,
    "coherent": coherent,
    "tickets": tickets,
    "clustered": clustered,
    "given_away": given_away,
    "given_bounds": given_bounds,
    "mixed": mixed,
}
"""By name, in the order in which they take turns."""
