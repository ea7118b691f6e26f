"""
Programs about pairs of ops around a matrix product, whose loads a producer warp issues early, whose
loop is pipelined, whose epilogue loads are hoisted above the loop, and which is made persistent.

The op that might move is part of the product (a `Mover`), the other one is any kind of op that has
a place in the memory order. See `order_pairs.py` for stories, and for who decides what is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from tileiras_xdsl.interpreter.environment import (
    AwaitAcquire,
    Other,
    OtherBlock,
    PreviousGrid,
    Read,
    Release,
    Write,
)

from .order_kinds import ROWS, Datum, Done, Kind, Text, all_kinds, emit, emit_spin
from .order_pairs import Setting

Mover: TypeAlias = Literal["operand", "bound", "addend", "result"]
"""
The load of an operand in the loop; of the scalar that says how often it runs, before it; of what is
added behind it; the store of the result.
"""
Where: TypeAlias = Literal["ahead", "inside", "behind"]
"""Where the other op is: before the loop, in it, or after it."""
GemmStory: TypeAlias = Literal["same memory", "awaited", "published", "previous grid", "apart"]
"""As in `order_pairs.py`; apart: nothing orders the two, which is when passes may move the one."""

TRIPS = 3
SMALL: Final = (64, 16, 16)
LARGE: Final = (256, 256, 16)
"""A tile that a CTA has no registers for, so that it is split."""
ONES: Final = 0x3C003C00
"""Two ones of f16, or a small f32."""

SPLIT_KINDS: Final = (
    *("load_ptr_tko scalar weak", "load_ptr_tko scalar acquire gpu", "print_tko"),
    *("store_ptr_tko scalar weak", "store_ptr_tko scalar release gpu"),
    *("atomic_rmw_tko scalar relaxed gpu", "atomic_rmw_tko scalar acq_rel gpu"),
)
"""Kinds that are paired with products of large tiles, which take seconds each."""
SITES: Final[tuple[tuple[Mover, Where, bool], ...]] = (
    ("operand", "ahead", True),
    ("operand", "inside", True),
    ("operand", "inside", False),
    ("operand", "behind", False),
    ("bound", "ahead", True),
    ("bound", "ahead", False),
    ("addend", "behind", True),
    ("addend", "behind", False),
    ("result", "behind", True),
    ("result", "behind", False),
)
"""What moves, where the other op is, and whether it comes before what moves."""


@dataclass(frozen=True)
class GemmPair:
    """An op, and a part of a product that must not overtake it, or be overtaken by it."""

    anchor: Kind
    mover: Mover
    where: Where
    is_after: bool
    story: GemmStory
    blocks: int = 1
    """With two tile blocks and one SM a CTA does the work of both if the kernel is persistent."""
    arch: str = "sm_90a"
    size: tuple[int, int, int] = SMALL
    """Of the tiles: rows, columns, and what is summed over."""

    def __str__(self) -> str:
        side = "after" if self.is_after else "before"
        ctas = "" if self.blocks == 1 else f", {self.blocks} tile blocks"
        if self.size != SMALL:
            ctas += f", {'x'.join(map(str, self.size))}"
        where = f"{self.where} a product on {self.arch}"
        return f"{self.mover} {side} {self.anchor} {where}: {self.story}{ctas}"


@dataclass(frozen=True)
class GemmProgram:
    """The program of a pair."""

    pair: GemmPair
    text: str
    lines: dict[int, str]

    @property
    def m(self) -> int:
        return self.pair.size[0]

    @property
    def n(self) -> int:
        return self.pair.size[1]

    @property
    def k(self) -> int:
        return self.pair.size[2]

    @property
    def grid(self) -> int:
        return self.pair.blocks

    def setting(self) -> Setting:
        """What a run is given."""
        pair = self.pair
        rng = np.random.default_rng(5)
        blocks = pair.blocks
        a = rng.integers(1, 3, (blocks * self.m, self.k * TRIPS)).astype(np.float16)
        b = rng.integers(1, 3, (self.k * TRIPS, self.n)).astype(np.float16)
        c = np.zeros((blocks * self.m, self.n), np.float32)
        r = rng.integers(1, 3, (blocks * self.m, self.n)).astype(np.float32)
        bound = np.zeros((blocks * ROWS, 4), np.int32)
        bound[::ROWS, 0] = TRIPS
        flag = np.zeros((blocks * TRIPS * ROWS, 4), np.int32)
        seen = np.zeros((blocks * TRIPS, 16), np.int32)
        touched = {"operand": a, "bound": bound, "addend": r, "result": c}[pair.mover]
        fails = pair.story == "same memory"
        arguments: list[Any] = [a, b, c, r, bound, flag, seen, int(not fails)]
        compared = [2, 6]
        reads: list[Any] = []
        others: list[Other] = []
        final = touched.copy()
        match pair.story:
            case "same memory":
                # The bytes that ops touch are 0 at first.
                for block in range(blocks):
                    rows = touched.shape[0] // blocks
                    flat = touched[block * rows : (block + 1) * rows].reshape(-1).view(np.int32)
                    flat[:16] = 0
                compared += [0, 3, 4]
            case "awaited":
                touched[...] = 1
                for block in range(blocks):
                    others.append(OtherBlock(self._fillings(block, touched, final, flag)))
            case "published":
                for block in range(blocks):
                    others.append(OtherBlock(self._takings(block, touched, flag, reads)))
            case "previous grid":
                others.append(PreviousGrid([touched]))
            case "apart":
                compared += [0, 3, 4]
        return Setting(arguments, others, reads, tuple(compared))

    def _rounds(self) -> int:
        return TRIPS if self.pair.where == "inside" else 1

    def _part(self, block: int, number: int, array: Any) -> Any:
        """What is waited for, or given away, in a round."""
        rows = array.shape[0] // self.pair.blocks
        own = slice(block * rows, (block + 1) * rows)
        if self._rounds() == 1:
            return (own,)
        return (own, slice(number * self.k, (number + 1) * self.k))

    def _flags(self, block: int, number: int) -> tuple[Any, ...]:
        first = (block * TRIPS + number) * ROWS
        if self.pair.anchor.form == "scalar":
            return (first, 0)
        return (slice(first, first + 4),)

    def _fillings(self, block: int, array: Any, final: Any, flag: Any) -> list[Any]:
        steps: list[Any] = []
        for number in range(self._rounds()):
            part = self._part(block, number, array)
            first = (block * TRIPS + number) * ROWS
            steps.append(Write(array, part, final[part]))
            steps.append(Release(flag, slice(first, first + 4), 1))
        return steps

    def _takings(self, block: int, array: Any, flag: Any, reads: list[Any]) -> list[Any]:
        steps: list[Any] = []
        for number in range(self._rounds()):
            part = self._part(block, number, array)
            steps.append(AwaitAcquire(flag, self._flags(block, number), 1))
            steps.append(Read(array, part, into=lambda value: reads.append(np.array(value))))
            steps.append(Write(array, part, 2))
        return steps


class GemmWriter:
    """Writes the program of a pair, or the one in which the part of the product has moved."""

    def __init__(self, pair: GemmPair, *, is_overtaken: bool = False):
        self.pair, self.is_overtaken = pair, is_overtaken
        self.text = Text()
        self.m, self.n, self.k = pair.size
        self.views: dict[str, tuple[str, str]] = {}

    def program(self) -> GemmProgram:
        text, pair = self.text, self.pair
        text.add("%block, %by, %bz = get_tile_block_id : tile<i32>")
        for name, value in (("%zero", 0), ("%one", 1), ("%trips", TRIPS)):
            text.add(f"{name} = constant <i32: {value}> : tile<i32>")
        for name, ty in (("a", "f16"), ("b", "f16"), ("c", "f32"), ("r", "f32")):
            text.add(f"%p{name} = assume div_by<16>, %{name} : tile<ptr<{ty}>>")
        blocks = pair.blocks
        self.view("a", (blocks * self.m, self.k * TRIPS), (self.m, self.k), "f16")
        self.view("b", (self.k * TRIPS, self.n), (self.k, self.n), "f16")
        for name in ("c", "r"):
            self.view(name, (blocks * self.m, self.n), (self.m, self.n), "f32")
        self.start = text.op("make_token : token")
        self.body()
        lines = {number + 3: mark for mark, found in text.marked.items() for number in found}
        parameters = ", ".join(
            f"%{name}: tile<ptr<{ty}>>"
            for name, ty in (
                *(("a", "f16"), ("b", "f16"), ("c", "f32"), ("r", "f32")),
                *(("bound", "i32"), ("flag", "i32"), ("seen", "i32")),
            )
        )
        head = f"cuda_tile.module @kernels {{\nentry @kernel({parameters}, %ok: tile<i32>) {{\n"
        return GemmProgram(pair, f"{head}{chr(10).join([*text.lines, 'return'])}\n}}\n}}\n", lines)

    def view(self, name: str, sizes: tuple[int, int], tile: tuple[int, int], ty: str) -> None:
        tensor = f"tensor_view<{sizes[0]}x{sizes[1]}x{ty}, strides=[{sizes[1]},1]>"
        whole = self.text.op(
            f"make_tensor_view %p{name}, shape = [{sizes[0]}, {sizes[1]}], "
            f"strides = [{sizes[1]}, 1] : {tensor}"
        )
        part = f"partition_view<tile=({tile[0]}x{tile[1]}), {tensor}>"
        self.views[name] = (self.text.op(f"make_partition_view {whole} : {part}"), part)

    # Accesses of the product

    def load(self, name: str, i: str, j: str, token: str, mark: str = "") -> tuple[str, str]:
        view, ty = self.views[name]
        shape = ty.partition("(")[2].partition(")")[0]
        element = "f32" if name == "r" else "f16"
        value, done = self.text.name(), self.text.name()
        self.text.add(
            f"{value}, {done} = load_view_tko weak {view}[{i}, {j}] token={token} : {ty}, "
            f"tile<i32> -> tile<{shape}x{element}>, token",
            mark,
        )
        return value, done

    def mark(self, part: Mover) -> str:
        return "mover" if self.pair.mover == part else ""

    def bound(self, token: str) -> tuple[str, str]:
        """How often the loop runs, and the token of the load."""
        text = self.text
        place = self.offset(
            "%bound", text.op(f"muli %block, {text.constant(ROWS * 4)} : tile<i32>")
        )
        value, done = text.name(), text.name()
        text.add(
            f"{value}, {done} = load_ptr_tko weak {place} token={token} : tile<ptr<i32>> -> "
            "tile<i32>, token",
            self.mark("bound"),
        )
        return value, done

    def offset(self, array: str, by: str, element: str = "i32") -> str:
        ty = f"tile<ptr<{element}>>"
        return self.text.op(f"offset {array}, {by} : {ty}, tile<i32> -> {ty}")

    # The other op

    def memory(self) -> str:
        """A pointer to the bytes of the CTA that the part of the product touches, as integers."""
        text = self.text
        name, element, count = {
            "operand": ("%pa", "f16", self.m * self.k * TRIPS),
            "bound": ("%bound", "i32", ROWS * 4),
            "addend": ("%pr", "f32", self.m * self.n),
            "result": ("%pc", "f32", self.m * self.n),
        }[self.pair.mover]
        place = self.offset(
            name, text.op(f"muli %block, {text.constant(count)} : tile<i32>"), element
        )
        if element == "i32":
            return place
        return text.op(f"ptr_to_ptr {place} : tile<ptr<{element}>> -> tile<ptr<i32>>")

    def anchor(self, at: str, token: str) -> str:
        """The other op, and what comes before it; its token."""
        text, pair = self.text, self.pair
        number = TRIPS - 1 if pair.mover == "bound" else ONES
        if pair.story in ("same memory", "previous grid"):
            done = emit(text, pair.anchor, Datum(self.memory()), token, number, "anchor")
        else:
            first = text.op("muli %block, %trips : tile<i32>")
            index = text.op(f"addi {first}, {at} : tile<i32>")
            datum = Datum("%flag", pair.blocks * TRIPS, index)
            if pair.story == "awaited":
                token = self.spin(index, token)
            number = int(pair.story != "awaited")
            done = emit(text, pair.anchor, datum, token, number, "anchor")
        self.keep(done, at)
        return done.token

    def spin(self, index: str, token: str) -> str:
        first = self.text.op(f"muli {index}, {self.text.constant(ROWS * 4)} : tile<i32>")
        return emit_spin(self.text, "relaxed gpu", self.offset("%flag", first), token)

    def keep(self, done: Done, at: str) -> None:
        """Stores the first number that the other op has read."""
        if not done.value or done.shape:
            return
        text = self.text
        first = text.op(f"addi {text.op('muli %block, %trips : tile<i32>')}, {at} : tile<i32>")
        place = self.offset("%seen", text.op(f"muli {first}, {text.constant(16)} : tile<i32>"))
        text.op(f"store_ptr_tko weak {place}, {done.value} : tile<ptr<i32>>, tile<i32> -> token")

    # The product

    def body(self) -> None:
        pair = self.pair
        is_free = pair.story == "apart" or self.is_overtaken
        token = self.start
        has_bound = pair.mover == "bound"
        high = "%trips"
        if pair.where == "ahead":
            if has_bound:
                token, high = self._bound(token, is_free)
            elif self.is_overtaken:
                pass
            else:
                done = self.anchor("%zero", token)
                token = self.start if pair.story == "apart" else done
        total, token = self.loop(high, token)
        if pair.where == "ahead" and not has_bound and self.is_overtaken:
            self.anchor("%zero", self.start)
        self.epilogue(total, token, is_free)

    def _bound(self, token: str, is_free: bool) -> tuple[str, str]:
        """The scalar and the other op in their order; the token behind both, and the scalar."""
        first_is_anchor = self.pair.is_after != self.is_overtaken
        if first_is_anchor:
            done = self.anchor("%zero", token)
            high, read = self.bound(token if is_free else done)
            return self.text.join(done, read), high
        high, read = self.bound(token)
        done = self.anchor("%zero", token if is_free else read)
        return self.text.join(done, read), high

    def loop(self, high: str, token: str) -> tuple[str, str]:
        text, pair = self.text, self.pair
        zeros = text.op(f"constant <f32: 0.0> : tile<{self.m}x{self.n}xf32>")
        ty = f"tile<{self.m}x{self.n}xf32>"
        total, carried, at, old, inner = (text.name() for _ in range(5))
        text.add(
            f"{total}, {carried} = for {at} in (%zero to {high}, step %one) : tile<i32> "
            f"iter_values({old} = {zeros}, {inner} = {token}) -> ({ty}, token) {{"
        )
        is_inside = pair.where == "inside"
        is_free = pair.story == "apart" or self.is_overtaken
        # What is given away is loaded behind nothing.
        is_chained = is_inside and not is_free and pair.story != "published"
        before = inner if is_chained else token
        if is_inside and (pair.is_after != self.is_overtaken):
            before = self.anchor(at, inner)
            if is_free:
                before, inner = token, before
        left, end = self.load("a", "%block", at, before, self.mark("operand"))
        right, _ = self.load("b", at, "%zero", self.start)
        if is_inside and (pair.is_after == self.is_overtaken):
            end = self.anchor(at, inner if is_free else end)
        left_ty, right_ty = (
            f"tile<{rows}x{columns}xf16>" for rows, columns in ((self.m, self.k), (self.k, self.n))
        )
        sum_ = text.op(f"mmaf {left}, {right}, {old} : {left_ty}, {right_ty}, {ty}")
        end = text.join(inner, end)
        text.add(f"continue {sum_}, {end} : {ty}, token")
        text.add("}")
        return total, carried

    def epilogue(self, total: str, token: str, is_free: bool) -> None:
        """The other op behind the loop, a sum, and the store of the result."""
        text, pair = self.text, self.pair
        is_behind = pair.where == "behind"
        anchor_first = pair.is_after != self.is_overtaken
        if pair.mover == "addend":
            before = self.start
            if anchor_first:
                done = self.anchor("%zero", self.start)
                before = self.start if is_free else done
            value, read = self.load("r", "%block", "%zero", before, "mover")
            total = text.op(f"addf {total}, {value} : tile<{self.m}x{self.n}xf32>")
            if not anchor_first:
                self.anchor("%zero", self.start if is_free else read)
            self.store(total, self.start)
        elif is_behind and pair.mover == "result":
            before = self.start
            if anchor_first:
                done = self.anchor("%zero", self.start)
                before = self.start if is_free else done
            stored = self.store(total, before, "mover")
            if not anchor_first:
                self.anchor("%zero", self.start if is_free else stored)
        else:
            if is_behind:
                # An operand: the loop comes before the other op.
                self.anchor("%zero", self.start if is_free else token)
            self.store(total, self.start)

    def store(self, total: str, token: str, mark: str = "") -> str:
        view, ty = self.views["c"]
        done = self.text.name()
        self.text.add(
            f"{done} = store_view_tko weak {total}, {view}[%block, %zero] token={token} : "
            f"tile<{self.m}x{self.n}xf32>, {ty}, tile<i32> -> token",
            mark,
        )
        return done


def write_gemm(pair: GemmPair, *, is_overtaken: bool = False) -> GemmProgram:
    """The program of a pair."""
    return GemmWriter(pair, is_overtaken=is_overtaken).program()


def all_gemm_pairs() -> Iterator[GemmPair]:
    """All pairs with one scope, and scalars with every scope where a producer warp loads."""
    for mover, where, is_after in SITES:
        for kind in all_kinds():
            is_wide = kind.scope in ("", "gpu")
            is_scalar = kind.form == "scalar" and mover == "operand" and where == "ahead"
            if not is_wide and not is_scalar:
                continue
            stories: list[GemmStory] = ["same memory", "apart"]
            if is_after and not kind.is_access:
                stories.append("previous grid")
            stories.append("awaited" if is_after else "published")
            for story in stories:
                if story == "same memory" and not is_wide:
                    continue
                yield GemmPair(kind, mover, where, is_after, story)
                if mover == "operand" and kind.scope in ("", "gpu") and kind.form in ("", "scalar"):
                    # Copies of a pipelined loop that every warp issues.
                    if story != "previous grid":
                        yield GemmPair(kind, mover, where, is_after, story, arch="sm_80")
    for mover, where, is_after in SITES:
        for kind in all_kinds():
            if kind.scope in ("", "gpu") and kind.form in ("", "scalar"):
                for story in ("same memory", "apart"):
                    yield GemmPair(kind, mover, where, is_after, story, blocks=2)
    for mover, where, is_after in SITES:
        for kind in map(Kind.parse, SPLIT_KINDS):
            for story in ("same memory", "apart", "awaited" if is_after else "published"):
                yield GemmPair(kind, mover, where, is_after, story, size=LARGE)
