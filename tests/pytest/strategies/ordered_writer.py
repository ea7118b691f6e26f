"""
Kernels whose memory accesses are ordered by tokens, as text; see `ordered_kernels.py`.

A writer keeps for each tensor the token of its last write and those of the loads since. A load is
ordered behind the last write, a store behind the loads as well, and nothing behind anything else:
what a kernel leaves unordered a compiler may reorder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from .draws import Draws
from .matmul_writer import Array, Tile, Writer

Action: TypeAlias = Literal["write", "release", "add", "await", "read"]

DTYPES: dict[str, Any] = {"f16": np.float16, "f32": np.float32, "i32": np.int32}
LARGEST_EXACT = 1024.0
"""Values are kept below: integers that f16 holds, and sums of which f32 holds."""
FLAGS = 32
"""Flags of a kernel; each CTA has one."""


@dataclass(frozen=True)
class Step:
    """What another CTA does to an argument of the kernel."""

    action: Action
    parameter: int
    index: Any
    value: Any = None
    scope: str = "gpu"


@dataclass(eq=False)
class Tensor:
    """A tensor in memory with one tile for each CTA, and its place in the order."""

    writer: OrderedWriter
    parameter: int
    pointer: Tile
    element: str
    sizes: tuple[int, int]
    tile: tuple[int, int]
    view: str
    """The tensor view."""
    type: str
    is_written: bool
    """Whether the kernel, another CTA or the previous grid writes to it."""
    is_column_major: bool = False
    is_padded: bool = True
    """Whether loads of what is outside give zeros; then there are no atomics on tiles."""
    written: Tile | None = None
    """The token of what loads have to follow; none if there is nothing."""
    reads: list[Tile] = field(default_factory=list[Tile])
    """The tokens of the loads since, which a store has to follow."""
    partitions: dict[tuple[int, int], tuple[str, str]] = field(
        default_factory=dict[tuple[int, int], tuple[str, str]]
    )
    """Views that were made at the head of the kernel, by the shapes of their tiles."""

    def partition(self, tile: tuple[int, int]) -> tuple[str, str]:
        """A view of tiles of a shape, and its type."""
        if tile in self.partitions:
            return self.partitions[tile]
        mapping = ", dim_map=[1, 0]" if self.is_column_major else ""
        padding = "padding_value = zero, " if self.is_padded else ""
        shape = "x".join(map(str, tile))
        ty = f"partition_view<tile=({shape}), {padding}{self.type}{mapping}>"
        name = self.writer.name()
        self.writer.lines.append(f"{name} = make_partition_view {self.view} : {ty}")
        return name, ty

    # Order

    def follow(self, token: Tile) -> None:
        """Orders everything that comes behind a token."""
        self.written = self.writer.join([token, *self.tokens()])
        self.reads = []

    def tokens(self) -> list[Tile]:
        """The tokens of all that has been done."""
        return [*([] if self.written is None else [self.written]), *self.reads]

    def end(self) -> Tile:
        """A token behind all that has been done."""
        return self.writer.join(self.tokens())

    def load(
        self,
        i: Tile,
        j: Tile,
        tile: tuple[int, int] | None = None,
        *,
        how: str = "weak",
        index: str = "i32",
        hints: str | None = None,
    ) -> Tile:
        """A tile, by a view."""
        w = self.writer
        tile = tile or self.tile
        view, ty = self.partition(tile)
        result = Tile(w.name(), tile, self.element)
        done = w.token_name()
        w.lines.append(
            f"{result}, {done} = load_view_tko {how} {view}[{i}, {j}]{w.behind(self.written)}"
            f"{w.hints() if hints is None else hints} : {ty}, tile<{index}> -> "
            f"{result.type}, token"
        )
        if self.is_written:
            self.reads.append(done)
        return result

    def gather(self, i: Tile, j: Tile, tile: tuple[int, int] | None = None) -> Tile:
        """The same by pointers; the tile has to be inside."""
        w = self.writer
        tile = tile or self.tile
        pointers = self.pointers(i, j, tile)
        result, done = Tile(w.name(), tile, self.element), w.token_name()
        w.lines.append(
            f"{result}, {done} = load_ptr_tko weak {pointers}{w.behind(self.written)} : "
            f"{pointers.type} -> {result.type}, token"
        )
        if self.is_written:
            self.reads.append(done)
        return result

    def pointers(self, i: Tile, j: Tile, tile: tuple[int, int]) -> Tile:
        """Pointers to the elements of a tile."""
        w = self.writer
        assert not self.is_column_major
        rows, columns = (w.positions(index, tile, axis) for axis, index in enumerate((i, j)))
        starts = w.integers("muli", rows, w.constant(self.sizes[1], tile))
        return w.moved(w.shaped(self.pointer, tile), w.integers("addi", starts, columns))

    def store(
        self, value: Tile, i: Tile, j: Tile, *, index: str = "i32", hints: str | None = None
    ) -> None:
        """Stores a tile, by a view."""
        w = self.writer
        value = w.narrowed(value, self.element)
        assert len(value.shape) == 2
        view, ty = self.partition((value.shape[0], value.shape[1]))
        before = w.join(self.tokens()) if self.tokens() else None
        done = w.token_name()
        w.lines.append(
            f"{done} = store_view_tko weak {value}, {view}[{i}, {j}]{w.behind(before)}"
            f"{w.hints() if hints is None else hints} : {value.type}, {ty}, tile<{index}> "
            "-> token"
        )
        self.written, self.reads = done, []


@dataclass(eq=False)
class Flags:
    """Integers that CTAs talk with: one for each CTA."""

    writer: OrderedWriter
    parameter: int
    pointer: Tile

    def place(self, index: Tile) -> Tile:
        """The pointer to one of them."""
        return self.writer.moved(self.pointer, index)

    def view(self, size: int) -> tuple[str, str]:
        """A view of tiles of some of them, and its type."""
        w = self.writer
        tensor, name, view = f"tensor_view<{FLAGS}xi32, strides=[1]>", w.name(), w.name()
        w.lines.append(
            f"{name} = make_tensor_view {self.pointer}, shape = [{FLAGS}], strides = [1] : {tensor}"
        )
        ty = f"partition_view<tile=({size}), {tensor}>"
        w.lines.append(f"{view} = make_partition_view {name} : {ty}")
        return view, ty


class OrderedWriter(Writer):
    """Writes kernels, and collects what others do while they run."""

    def __init__(self, draws: Draws, generator: np.random.Generator):
        super().__init__(draws, generator)
        self.blocks = draws.choose((1, 1, 1, 2, 2, 3))
        self.tensors: list[Tensor] = []
        self.others: list[list[Step]] = []
        """What each of the other CTAs does."""
        self.previous: list[int] = []
        """The arguments that the previous grid is still writing."""
        self.alternatives: list[dict[int, Array]] = []
        """Arguments of which one replaces what others leave open; none if nothing is."""
        self.ignored: list[int] = []
        """Arguments whose contents at the end depend on who comes first."""
        self.growing: list[tuple[int, int]] = []
        """Pairs of them: no row of the second is anywhere less than one of the first."""
        self.lines.append("%block, %block_y, %block_z = get_tile_block_id : tile<i32>")
        self.block = Tile("%block", (), "i32")
        self.zero, self.one = self.constant(0), self.constant(1)
        self.hint = ""
        """What stands behind the parameters of the kernel."""
        self.configuration: tuple[str, int, str] | None = None
        """The GPU, level and ABI that the kernel is for, if it is for one."""
        self.is_shared_token = draws.flag(30)
        """Whether accesses that follow nothing say so by a token, as cuTile's do."""
        if self.is_shared_token:
            self.lines.append("%token = make_token : token")

    # Tokens

    def token_name(self) -> Tile:
        return Tile(self.name(), (), "token")

    def make_token(self) -> Tile:
        return self.op("make_token : token", (), "token")

    def join(self, tokens: Sequence[Tile]) -> Tile:
        """One token for several, or for none."""
        if len(tokens) == 1:
            return tokens[0]
        if not tokens:
            return self.make_token()
        return self.op(f"join_tokens {', '.join(map(str, tokens))} : token", (), "token")

    def behind(self, token: Tile | None) -> str:
        """What an access says about a token that it follows."""
        if token is not None:
            return f" token={token}"
        return " token=%token" if self.is_shared_token else ""

    def hints(self) -> str:
        """Hints for an access, seldom."""
        if not self.draws.flag(10):
            return ""
        options = ("latency = 2", "latency = 8", "allow_tma = false", "allow_tma = true")
        return f" optimization_hints = <default = {{{self.draws.choose(options)}}}>"

    # Numbers

    def integers_of(self, shape: Sequence[int], element: str, largest: int = 2) -> Array:
        """Small integers, which products and sums keep exact."""
        return self.generator.integers(-largest, largest + 1, shape).astype(DTYPES[element])

    def clamped(self, value: Tile, largest: float = LARGEST_EXACT) -> Tile:
        """A tile of f32, cut to a range in which numbers stay exact."""
        low, high = (self.constant(n, value.shape, "f32") for n in (-largest, largest))
        return self.like("maxf", self.like("minf", value, high), low)

    def narrowed(self, value: Tile, element: str) -> Tile:
        """A tile of f32 as one of another element type."""
        if element != "f32" and value.element == "f32":
            value = self.clamped(value)
        return self.cast(value, element)

    def wide(self, value: Tile) -> Tile:
        return self.cast(value, "f32")

    # Memory

    def pointer(self, element: str, value: Array) -> tuple[int, Tile]:
        """A parameter that points to an array, aligned as TMA wants it."""
        number = len(self.parameters)
        name = self.parameter(f"tile<ptr<{element}>>", value)
        return number, self.op(
            f"assume div_by<16>, {name} : tile<ptr<{element}>>", (), f"ptr<{element}>"
        )

    def size(self, value: int, *, is_static: bool) -> tuple[str, str]:
        """A size or stride as an operand, and in the type."""
        if is_static:
            return str(value), str(value)
        name = self.parameter("tile<i32>", value)
        name = str(self.op(f"assume bounded<0, ?>, {name} : tile<i32>", (), "i32"))
        if value % 16 == 0:
            name = str(self.op(f"assume div_by<16>, {name} : tile<i32>", (), "i32"))
        return name, "?"

    def tensor(
        self,
        sizes: tuple[int, int],
        tile: tuple[int, int],
        element: str,
        *,
        is_written: bool = False,
        is_column_major: bool = False,
        is_padded: bool = True,
        is_static: bool | None = None,
        value: Array | None = None,
    ) -> Tensor:
        """A new array, and a view of it."""
        if value is None:
            value = self.integers_of(sizes, element)
        number, pointer = self.pointer(element, value)
        rows, columns = sizes[::-1] if is_column_major else sizes
        if is_static is None:
            is_static = self.draws.flag(50)
        pairs = [self.size(n, is_static=is_static) for n in (rows, columns, columns)]
        (r, rt), (c, ct), (s, st) = pairs
        ty = f"tensor_view<{rt}x{ct}x{element}, strides=[{st},1]>"
        dynamic = "" if is_static else "tile<i32> -> "
        view = self.name()
        self.lines.append(
            f"{view} = make_tensor_view {pointer}, shape = [{r}, {c}], strides = [{s}, 1] : "
            f"{dynamic}{ty}"
        )
        found = Tensor(
            self,
            number,
            pointer,
            element,
            sizes,
            tile,
            view,
            ty,
            is_written,
            is_column_major,
            is_padded,
        )
        self.tensors.append(found)
        if self.draws.flag(80):
            # Where it does not depend on what comes before a load, nothing holds that back.
            found.partitions[tile] = found.partition(tile)
        return found

    def flags(self, value: Array | None = None) -> Flags:
        """Flags, all of them 0 unless they are given."""
        number, pointer = self.pointer("i32", np.zeros(FLAGS, np.int32) if value is None else value)
        return Flags(self, number, pointer)

    def load_scalar(self, place: Tile, how: str = "weak", after: Tile | None = None) -> list[Tile]:
        """An integer behind a pointer, and the token of the load."""
        result, done = Tile(self.name(), (), "i32"), self.token_name()
        self.lines.append(
            f"{result}, {done} = load_ptr_tko {how} {place}{self.behind(after)} : {place.type} -> "
            "tile<i32>, token"
        )
        return [result, done]

    def store_scalar(
        self, place: Tile, value: Tile, how: str = "weak", after: Tile | None = None
    ) -> Tile:
        done = self.token_name()
        self.lines.append(
            f"{done} = store_ptr_tko {how} {place}, {value}{self.behind(after)} : {place.type}, "
            "tile<i32> -> token"
        )
        return done

    def atomic(
        self, place: Tile, mode: str, value: Tile, how: str, after: Tile | None = None
    ) -> list[Tile]:
        """What an atomic finds, and its token."""
        result, done = Tile(self.name(), (), "i32"), self.token_name()
        self.lines.append(
            f"{result}, {done} = atomic_rmw_tko {how} {place}, {mode}, {value}{self.behind(after)} "
            f": {place.type}, tile<i32> -> tile<i32>, token"
        )
        return [result, done]

    def compare_and_swap(
        self, place: Tile, expected: Tile, value: Tile, how: str, after: Tile | None = None
    ) -> list[Tile]:
        """What an atomic compare-and-swap finds, and its token."""
        result, done = Tile(self.name(), (), "i32"), self.token_name()
        self.lines.append(
            f"{result}, {done} = atomic_cas_tko {how} {place}, {expected}, {value}"
            f"{self.behind(after)} : {place.type}, tile<i32> -> tile<i32>, token"
        )
        return [result, done]

    # Control flow

    @contextmanager
    def _apart(self, tensors: Iterable[Tensor]):
        """Inside, no other tensor that is written may be touched."""
        kept = [(t, len(t.reads), t.written) for t in self.tensors if t not in set(tensors)]
        yield
        assert all((len(t.reads), t.written) == (n, written) for t, n, written in kept)

    def loop(
        self,
        low: Tile,
        high: Tile,
        values: Sequence[Tile],
        body: Callable[[Tile, list[Tile]], Sequence[Tile]],
        *,
        reads: Sequence[Tensor] = (),
        writes: Sequence[Tensor] = (),
    ) -> list[Tile]:
        """
        A loop that counts and carries values. `writes` are ordered from one iteration to the next,
        `reads` are only ordered against what comes before and after the loop.
        """
        reads = [tensor for tensor in reads if tensor.is_written and tensor not in writes]
        before = [(tensor.written, tensor.reads) for tensor in reads]
        first = [*values, *(t.end() for t in writes), *(self.make_token() for _ in reads)]
        count, middle = len(values), len(values) + len(writes)

        def inner(counter: Tile, carried: list[Tile]) -> list[Tile]:
            for tensor, token in zip(writes, carried[count:middle], strict=True):
                tensor.written, tensor.reads = token, []
            for tensor in reads:
                tensor.reads = []
            results = body(counter, carried[:count])
            ends = [tensor.end() for tensor in writes]
            for tensor, token in zip(reads, carried[middle:], strict=True):
                ends.append(self.join([token, *tensor.reads]))
            return [*results, *ends]

        with self._apart([*reads, *writes]):
            results = self.counted(low, high, self.one, first, inner)
        for tensor, token in zip(writes, results[count:middle], strict=True):
            tensor.written, tensor.reads = token, []
        for tensor, token, (written, others) in zip(reads, results[middle:], before, strict=True):
            tensor.written, tensor.reads = written, [*others, token]
        return results[:count]

    def when(
        self,
        condition: Tile,
        values: Sequence[Tile],
        then: Callable[[], Sequence[Tile]],
        *,
        touches: Sequence[Tensor] = (),
    ) -> list[Tile]:
        """A branch without an alternative: it gives other values, or these."""
        touches = [tensor for tensor in touches if tensor.is_written]
        before = [(tensor.written, list(tensor.reads)) for tensor in touches]

        def taken() -> list[Tile]:
            results = list(then())
            return [*results, *(tensor.end() for tensor in touches)]

        def untaken() -> list[Tile]:
            for tensor, (written, reads) in zip(touches, before, strict=True):
                tensor.written, tensor.reads = written, list(reads)
            return [*values, *(tensor.end() for tensor in touches)]

        like = [*values, *(Tile("", (), "token") for _ in touches)]
        with self._apart(touches):
            results = self.branch(condition, like, taken, untaken)
        for tensor, token in zip(touches, results[len(values) :], strict=True):
            tensor.written, tensor.reads = token, []
        return results[: len(values)]

    def spin(self, start: Tile, read: Callable[[Tile], tuple[Tile, Tile]]) -> Tile:
        """Reads, behind a token, until a condition holds; the token of the last read."""
        result, inner = self.token_name(), self.token_name()
        self.lines.append(f"{result} = loop iter_values({inner} = {start}) : token -> token {{")
        condition, done = read(inner)
        self.lines += [f"if {condition} {{", f"break {done} : token", "}"]
        self.lines += [f"continue {done} : token", "}"]
        return result
