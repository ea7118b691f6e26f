"""What kernels of `ordered_kernels.py` are put together from: products, exchanges, waits, flags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .matmul_writer import Array, Tile
from .ordered_writer import FLAGS, Flags, OrderedWriter, Step, Tensor

SHAPES = (
    *((64, 64, 16), (64, 64, 32), (64, 64, 64), (64, 32, 32), (64, 16, 16), (64, 128, 32)),
    *((128, 64, 16), (128, 64, 32), (128, 128, 32), (16, 16, 16), (32, 64, 16)),
)
"""Tiles of products: rows, columns and depth. Most are what WGMMA takes."""
SPINS = ("scalar", "tile", "tiles", "pointers", "add", "swap", "relaxed")
"""How a kernel waits for a flag."""
SINGLE_SPINS = ("scalar", "tile", "add", "swap", "relaxed")
"""Those that look at no other flag."""
RELEASES = ("store", "add", "exchange", "swap", "tile", "both")
"""How a kernel sets one."""
SCOPES = ("device", "device", "device", "sys")
MOST_TRIPS = 4


@dataclass
class Product:
    """A product of a tile of rows for each block, and a shared tile of columns."""

    writer: OrderedWriter
    shape: tuple[int, int, int]
    trips: int
    """How many tiles there are along the depth."""
    a: Tensor
    b: Tensor

    @staticmethod
    def draw(
        w: OrderedWriter,
        shape: tuple[int, int, int] | None = None,
        *,
        a: Array | None = None,
        b: Array | None = None,
        trips: int | None = None,
        is_written: bool = False,
    ) -> Product:
        """Operands; `is_written` if somebody else writes them."""
        m, n, k = shape or w.draws.choose(SHAPES)
        trips = trips or w.draws.integer(1, MOST_TRIPS)
        left = w.tensor((w.blocks * m, trips * k), (m, k), "f16", is_written=is_written, value=a)
        right = w.tensor(
            (trips * k, n),
            (k, n),
            "f16",
            is_written=is_written,
            is_column_major=b is None and w.draws.flag(25),
            value=b,
        )
        return Product(w, (m, n, k), trips, left, right)

    def zeros(self) -> Tile:
        return self.writer.constant(0, self.shape[:2], "f32")

    def high(self) -> Tile:
        """How far the loop counts: known to the compiler, or not; seldom zero."""
        w = self.writer
        return w.number(0 if w.draws.flag(8) else self.trips)

    def accumulate(self, high: Tile, first: Tile | None = None, low: Tile | None = None) -> Tile:
        """The loop over the depth."""
        w = self.writer

        def body(at: Tile, values: list[Tile]) -> list[Tile]:
            return [w.mma(self.a.load(w.block, at), self.b.load(at, w.zero), values[0])]

        start = first or self.zeros()
        return w.loop(low or w.zero, high, [start], body, reads=[self.a, self.b])[0]


def output(w: OrderedWriter, shape: Sequence[int], element: str = "f32", rows: int = 0) -> Tensor:
    """A tensor for results, of one tile for each block, or of more rows of tiles."""
    m, n = shape[:2]
    return w.tensor(((rows or w.blocks) * m, n), (m, n), element, is_written=True)


def reduced(w: OrderedWriter, value: Tile, axis: int, kind: str | None = None) -> Tile:
    """Sums or largest elements along an axis, cut to what stays exact."""
    kind = kind or w.draws.choose(("max", "add"))
    result = w.reduce(value, axis, kind)
    return w.clamped(result) if kind == "add" else result


def exchanged(w: OrderedWriter, value: Tile) -> Tile:
    """A tile after threads exchanged parts of it: by a reduction, or by a transposition."""
    kind = w.draws.choose(("rows", "columns", "both", "transpose"))
    if kind == "transpose":
        turned = w.transpose(value)
        if value.shape[0] == value.shape[1]:
            return w.like("subf", value, turned)
        sums = w.like("addf", turned, w.shaped(reduced(w, turned, 0, "max"), turned.shape))
        return w.transpose(sums)
    for axis in {"rows": (0,), "columns": (1,), "both": (0, 1)}[kind]:
        value = w.like("subf", value, w.shaped(reduced(w, value, axis), value.shape))
    return value


# Waiting


def scalar_of(w: OrderedWriter, tile: Tile, kind: str = "min") -> Tile:
    """The smallest, or largest, of a tile of integers as a scalar."""
    if tile.shape == (1,):
        return w.reshape(tile, ())
    combine = {"min": "mini", "max": "maxi"}[kind]
    identity = {"min": 2147483647, "max": -2147483648}[kind]
    result, a, b, c = (w.name() for _ in range(4))
    w.lines += [
        f"{result} = reduce {tile} dim=0 identities=[{identity} : i32] : {tile.type} -> tile<i32> "
        f"({a}: tile<i32>, {b}: tile<i32>) {{",
        f"{c} = {combine} {a}, {b} signed : tile<i32>",
        f"yield {c} : tile<i32>",
        "}",
    ]
    return Tile(result, (), "i32")


def read_flags(
    w: OrderedWriter, flags: Flags, index: Tile, way: str, how: str, after: Tile | None
) -> tuple[Tile, Tile]:
    """A tile with flags, or a scalar with one, and the token of the load."""
    done = w.token_name()
    match way:
        case "scalar":
            value, done = w.load_scalar(flags.place(index), how, after)
            return value, done
        case "tile" | "tiles":
            size = 1 if way == "tile" else FLAGS
            view, ty = flags.view(size)
            value = Tile(w.name(), (size,), "i32")
            place = index if way == "tile" else w.zero
            w.lines.append(
                f"{value}, {done} = load_view_tko {how} {view}[{place}]{w.behind(after)} : {ty}, "
                f"tile<i32> -> {value.type}, token"
            )
        case "pointers" | "adds":
            lanes = w.iota((FLAGS,), 0)
            base = w.shaped(w.reshape(flags.pointer, (1,)), (FLAGS,))
            pointers = w.moved(base, lanes)
            value = Tile(w.name(), (FLAGS,), "i32")
            if way == "pointers":
                text = f"load_ptr_tko {how} {pointers}{w.behind(after)} : {pointers.type}"
            else:
                zeros = w.constant(0, (FLAGS,))
                text = (
                    f"atomic_rmw_tko {how} {pointers}, add, {zeros}{w.behind(after)} : "
                    f"{pointers.type}, {zeros.type}"
                )
            w.lines.append(f"{value}, {done} = {text} -> {value.type}, token")
        case _:
            raise AssertionError(way)
    return value, done


def await_flag(
    w: OrderedWriter,
    flags: Flags,
    index: Tile,
    after: Tile | None = None,
    ways: Sequence[str] = SPINS,
) -> Tile:
    """Waits until a flag, or each of them, is set; a token behind that."""
    way, scope = w.draws.choose(ways), w.draws.choose(SCOPES)
    has_work = w.draws.flag(25)

    def read(token: Tile) -> tuple[Tile, Tile]:
        match way:
            case "add":
                how = w.draws.choose(("acquire", "acq_rel"))
                value, done = w.atomic(flags.place(index), "add", w.zero, f"{how} {scope}", token)
            case "swap":
                how = w.draws.choose(("acquire", "acq_rel"))
                value, done = w.compare_and_swap(
                    flags.place(index), w.one, w.one, f"{how} {scope}", token
                )
            case "relaxed":
                value, done = w.load_scalar(flags.place(index), f"relaxed {scope}", token)
            case _:
                value, done = read_flags(w, flags, index, way, f"acquire {scope}", token)
        if value.shape:
            value = scalar_of(w, value)
        if has_work:
            # Threads that spin on their own would not meet here.
            numbers = w.integers("addi", w.iota((64,), 0), w.shaped(w.reshape(value, (1,)), (64,)))
            largest = scalar_of(w, numbers, "max")
            value = w.integers("subi", largest, w.constant(63))
        return w.compare("not_equal", value, w.zero), done

    token = w.spin(after or w.make_token(), read)
    if way == "relaxed":
        # What follows is ordered by one more load, which acquires.
        token = w.load_scalar(flags.place(index), f"acquire {scope}", token)[1]
    return token


@dataclass(frozen=True)
class Awaited:
    """A tensor, or scalars, that somebody else writes, and what comes there."""

    parameter: int
    value: Array
    rows: int = 0
    """How many rows belong to each CTA; none if all CTAs read all of it."""


def others_write(w: OrderedWriter, awaited: Sequence[Awaited], flags: Flags | None) -> None:
    """
    Another CTA writes arrays and sets flags; without flags the previous grid writes them.

    What the kernel is given for them must not be read: the arrays are replaced by noise, unless
    the previous grid writes them, of which nobody knows when.
    """
    if flags is None:
        w.previous += [one.parameter for one in awaited]
        return
    steps: list[Step] = []
    for one in awaited:
        w.arguments[one.parameter] = noise_like(one.value)
        w.ignored.append(one.parameter)
        if not one.rows:
            steps.append(Step("write", one.parameter, ..., one.value))
    for block in range(w.blocks):
        for one in awaited:
            if one.rows:
                rows = slice(block * one.rows, (block + 1) * one.rows)
                steps.append(Step("write", one.parameter, rows, one.value[rows]))
        steps.append(Step("release", flags.parameter, block, 1))
    # The flags of no CTA are set, so that a kernel can wait for all.
    value = w.arguments[flags.parameter]
    assert isinstance(value, np.ndarray)
    value[w.blocks :] = 1
    w.others.append(steps)
    w.ignored.append(flags.parameter)


def noise_like(value: Array) -> Array:
    """Numbers that change every result."""
    if value.dtype.kind == "i":
        return np.full_like(value, 1)
    return np.full_like(value, 31)


def wait(w: OrderedWriter, awaited: Sequence[Awaited], flags: Flags | None) -> Tile:
    """Waits for what somebody else writes: for the previous grid, or for the flag of a CTA."""
    others_write(w, awaited, flags)
    after = w.make_token() if w.draws.flag(50) else None
    if flags is None:
        done = w.token_name()
        w.lines.append(f"{done} = gdc_wait_tko{w.behind(after)} -> token")
        return done
    return await_flag(w, flags, w.block, after)


def launch_dependents(w: OrderedWriter, after: Tile | None = None) -> None:
    """Lets the next grid begin."""
    w.lines.append(f"{w.name()} = gdc_launch_dependents_tko{w.behind(after)} -> token")


# Publishing


def release(w: OrderedWriter, flags: Flags, index: Tile, after: Tile) -> Tile:
    """Sets a flag behind a token; a token behind that."""
    way, scope = w.draws.choose(RELEASES), w.draws.choose(SCOPES)
    how = f"{w.draws.choose(('release', 'acq_rel'))} {scope}"
    place = flags.place(index)
    w.ignored.append(flags.parameter)
    match way:
        case "store":
            return w.store_scalar(place, w.one, f"release {scope}", after)
        case "add" | "exchange":
            return w.atomic(place, "add" if way == "add" else "xchg", w.one, how, after)[1]
        case "swap":
            return w.compare_and_swap(place, w.zero, w.one, how, after)[1]
        case "tile":
            (view, ty), done = flags.view(1), w.token_name()
            value = w.constant(1, (1,))
            w.lines.append(
                f"{done} = store_view_tko release {scope} {value}, {view}[{index}]"
                f"{w.behind(after)} : {value.type}, {ty}, tile<i32> -> token"
            )
            return done
        case _:
            # What one access releases a later one hands on.
            done = w.store_scalar(place, w.zero, f"release {scope}", after)
            return w.atomic(place, "add", w.one, how, done)[1]
