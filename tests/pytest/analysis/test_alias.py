"""
Accesses that are said to be apart are apart: random loops over views and pointers are run, and the
bytes that accesses touch are compared, for each pair, with what is said for the back edges that lie
between them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.analysis import alias
from tileiras_xdsl.analysis.alias import Aliases, get_roots, may_share_memory
from tileiras_xdsl.analysis.pointer_tiles import Extent, PointerTiles
from tileiras_xdsl.dialects.nv_tileaa import memory, views
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.frontend.load import load
from tileiras_xdsl.interpreter import run as _interpreter
from tileiras_xdsl.interpreter.cta_state import CtaState
from tileiras_xdsl.interpreter.machine import Body, BoundProgram, CallFrame, Signal, Step
from tileiras_xdsl.interpreter.memory import Memory

from ..harness.cases import every

assert _interpreter, "it registers what ops do"

Accesses = views.TileLoad | views.TileStore | memory.LoadOp | memory.StoreOp
Event = tuple[Operation, frozenset[int]]
"""An access and the bytes it touched, or a loop that went on to its next iteration."""


class TracingProgram(BoundProgram):
    """Writes down accesses and back edges."""

    trace: list[Event]

    def bind_block(self, block: Block) -> Body:
        body = super().bind_block(block)
        loop = block.parent_op()
        if isinstance(loop, scf.ForOp):
            body.steps.insert(0, self.begin(loop))
        return body

    def begin(self, loop: scf.ForOp) -> Step:
        counter, lower = self.all([loop.body.block.args[0], loop.lb])

        def step(frame: CallFrame) -> None:
            if int(frame.registers[counter]) != int(frame.registers[lower]):
                self.trace.append((loop, frozenset()))

        return step

    def bind(self, op: Operation) -> Step:
        step = super().bind(op)
        if not isinstance(op, Accesses):
            return step
        operands = self.all(op.operands)

        def traced(frame: CallFrame) -> Signal | None:
            values = [frame.registers[operand] for operand in operands]
            self.trace.append((op, touched(op, values)))
            return step(frame)

        return traced


def touched(op: Operation, values: list[Any]) -> frozenset[int]:
    """The bytes of an access, all elements of four bytes."""
    if isinstance(op, memory.LoadOp | memory.StoreOp):
        addresses = [int(address) for address in np.asarray(values[0]).reshape(-1)]
    else:
        first = 1 if isinstance(op, views.TileStore) else 0
        ty = op.operands[first].type
        assert isinstance(ty, TiledViewType)
        addresses = list(tile_addresses(ty, values[first], values[first + 1 :]))
    return frozenset(address + i for address in addresses for i in range(4))


def tile_addresses(ty: TiledViewType, tensor: Any, indices: list[Any]) -> list[int]:
    found: list[int] = []
    for place in product(*(range(size) for size in ty.get_tile_shape())):
        offset, inside = 0, True
        for dim, at in enumerate(place):
            source = ty.get_dim_map()[dim]
            coordinate = int(indices[dim]) * ty.get_steps()[dim] + at
            inside = inside and 0 <= coordinate < tensor.sizes[source]
            offset += coordinate * tensor.strides[source]
        if inside:
            found.append(tensor.address + 4 * offset)
    return found


# Programs


VIEWS = (
    ("?", "1", "4", "4"),
    ("64", "1", "4", "2"),
    ("32", "2", "4", "8"),
    ("?x?", "?, 1", "2x4", "2x4"),
    ("8x16", "16, 1", "2x4", "2x4"),
    ("8x16", "8, 1", "2x4", "2x4"),
    ("?x?", "?, 1", "1x4", "1x4"),
    ("?x16", "?, 1", "1x4", "1x2"),
    ("?x16", "?, 1", "1x4", "1x4"),
    ("?x32", "?, 1", "1x2", "1x2"),
)
"""Sizes, strides, tile and steps."""

WIDTHS = ("%c2", "%c3", "%c4", "%c8")
"""How far tiles of four pointers are from each other."""


class Writer:
    """Writes a random program of loops and accesses."""

    def __init__(self, random: Random):
        self.random = random
        self.lines: list[str] = []
        self.names = 0
        self.views: list[tuple[str, str, int, str]] = []
        self.integers = ["%c0", "%c1", "%c2", "%c3", "%a", "%b"]
        for number in range(4):
            self.lines.append(f"%c{number} = arith.constant {number} : i32")
        for _ in range(2):
            self.add_view()
        for number in (4, 8):
            self.lines.append(f"%c{number} = arith.constant {number} : i32")
        self.lines.append("%lane = nv_tileaa.make_range %c0, %c4 : i32 to tensor<4xi32>")
        self.lines.append("%start = arith.extsi %b : i32 to i64")
        self.lines.append("%row = nv_tileaa.splat %start : i64 to tensor<4xi64>")
        self.lines.append("%px = nv_tileaa.splat %p : !llvm.ptr<1> to tensor<4x!llvm.ptr<1>>")
        self.write_block(2)

    def new(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def add_view(self) -> None:
        sizes, strides, tile, steps = self.random.choice(VIEWS)
        memref = f"!nv_tileaa.memref<{sizes}xf32, strides = [{strides}]>"
        extra = f", steps = [{steps.replace('x', ', ')}]" if steps != tile else ""
        ty = f"!nv_tileaa.tiled_view<{tile}, {memref}{extra}>"
        dynamic = ", ".join(["%n"] * sizes.count("?"))
        text = f" sizes({dynamic} : {', '.join(['i32'] * sizes.count('?'))})" if dynamic else ""
        stride = " strides(%s : i32)" if "?" in strides else ""
        name, view = self.new(), self.new()
        self.lines.append(
            f"{name} = nv_tileaa.make_memref %p{text}{stride} : !llvm.ptr<1> -> {memref}"
        )
        rank = tile.count("x") + 1
        groups = ", ".join(f"[{dim}]" for dim in range(rank))
        self.lines.append(
            f"{view} = nv_tileaa.block_tile {name} {{tileSizes = array<i64: "
            f"{tile.replace('x', ', ')}>, dimGroups = [{groups}]}} : {memref} -> {ty}"
        )
        self.views.append((view, ty, rank, f"tensor<{tile}xf32>"))

    def index(self) -> str:
        value = self.random.choice(self.integers[-4:] + self.integers)
        if self.random.random() < 0.3:
            name = self.new()
            op = self.random.choice(("addi", "subi"))
            self.lines.append(
                f"{name} = nv_tileaa.{op} {value}, {self.random.choice(self.integers[:4])} : i32"
            )
            return name
        return value

    def add_access(self) -> None:
        if self.random.random() < 0.25:
            self.add_pointer_access()
            return
        view, ty, rank, tile = self.random.choice(self.views)
        indices = [self.index() for _ in range(rank)]
        types = ", ".join(["i32"] * rank)
        name = self.new()
        place = f"{view}[{', '.join(indices)}]"
        if self.random.random() < 0.5:
            self.lines.append(f"{name} = nv_tileaa.tiled_load {place} : {ty}, {types} -> {tile}")
            return
        self.lines.append(f"{name} = arith.constant dense<1.0> : {tile}")
        self.lines.append(f"nv_tileaa.tiled_store {name}, {place} : {tile}, {ty}, {types}")

    def add_pointer_access(self) -> None:
        begin, begins, offset, row, wide, pointer, value = (self.new() for _ in range(7))
        add, ty = self.lines.append, "tensor<4xi32>"
        add(f"{begin} = nv_tileaa.muli {self.index()}, {self.random.choice(WIDTHS)} : i32")
        add(f"{begins} = nv_tileaa.splat {begin} : i32 to {ty}")
        add(f"{offset} = nv_tileaa.addi {begins}, %lane : {ty}")
        if self.random.random() < 0.5:
            # A row, which nothing is known of.
            add(f"{row} = arith.extsi {offset} : {ty} to tensor<4xi64>")
            add(f"{wide} = nv_tileaa.addi %row, {row} : tensor<4xi64>")
            offset, ty = wide, "tensor<4xi64>"
        add(
            f"{pointer} = nv_tileaa.addptr %px, {offset} {{elem_type = i32}} : "
            f"tensor<4x!llvm.ptr<1>>, {ty}"
        )
        add(f"{value} = nv_tileaa.load {pointer} : tensor<4x!llvm.ptr<1>> -> tensor<4xi32>")

    def write_block(self, depth: int) -> None:
        for _ in range(self.random.randrange(1, 4)):
            if depth and self.random.random() < 0.5:
                counter = self.new()
                low, high = self.random.choice((("%c0", "%c3"), ("%c1", "%c3"), ("%c0", "%c2")))
                step = self.random.choice(("%c1", "%c1", "%c2"))
                self.lines.append(f"scf.for {counter} = {low} to {high} step {step} : i32 {{")
                self.integers.append(counter)
                self.write_block(depth - 1)
                self.integers.remove(counter)
                self.lines.append("}")
            else:
                self.add_access()

    def text(self) -> str:
        body = "\n".join(self.lines)
        parameters = "%p: !llvm.ptr<1>, %n: i32, %s: i32, %a: i32, %b: i32"
        return f"func.func @k({parameters}) {{\n{body}\nfunc.return\n}}"


def trace_of(function: Operation, random: Random) -> list[Event]:
    program = TracingProgram()
    program.trace = []
    body = program.bind_block(function.regions[0].block)
    storage = Memory()
    base = storage.allocate(np.zeros(1 << 14, np.uint8), "p").base
    state = CtaState((0, 0, 0), (1, 1, 1), storage, {}, lambda text: None)
    numbers = [
        base,
        random.choice((4, 8, 15)),
        random.choice((1, 4, 8, 16)),
        1,
        random.choice((1, 2)),
    ]
    types = [np.int64, *[np.int32] * 4]
    arguments = [np.asarray(n, t) for n, t in zip(numbers, types, strict=True)]
    body.run(CallFrame(len(program.registers), state), arguments)
    return program.trace


def traced_program(seed: int) -> tuple[Operation, list[Event]]:
    """A random function, and what it does when it runs."""
    random = Random(seed)
    module = load(Writer(random).text())
    function = next(op for op in module.walk() if op.name == "func.func")
    return function, trace_of(function, random)


def wrongly_apart(function: Operation, trace: list[Event]) -> tuple[list[str], int]:
    """Pairs of events that touch the same bytes but are said to be apart, and how many are."""
    aliases = Aliases(function)
    wrong: list[str] = []
    apart = 0
    for number, (first, num_bytes) in enumerate(trace):
        if isinstance(first, scf.ForOp):
            continue
        crossed: set[Operation] = set()
        for second, others in trace[number + 1 : number + 60]:
            if isinstance(second, scf.ForOp):
                crossed.add(second)
            elif not aliases.may_alias(first, second, frozenset(crossed)):
                apart += 1
                if num_bytes & others:
                    wrong.append(f"{first} and {second} across {len(crossed)} loops")
    return wrong, apart


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("chunk", every(4, range(5)))
def test_what_is_apart_does_not_meet(chunk: int):
    apart = 0
    for seed in range(chunk * 40, chunk * 40 + 40):
        wrong, found = wrongly_apart(*traced_program(seed))
        assert not wrong, f"program {seed}: {wrong}"
        apart += found
    assert apart > 50, "little is said to be apart"


# The test itself


def yes(*_: object) -> bool:
    return True


def any_movement(self: PointerTiles, extent: Extent, crossed: Collection[Operation]) -> int | None:
    """Without what says that an inner loop's counter may be any other one."""
    return movement(self, extent, crossed) or (64 if crossed else 0)


movement = PointerTiles.movement


def any_counter(self: Aliases, value: SSAValue, crossed: Collection[Operation]) -> bool:
    owner = value.owner
    return isinstance(owner, Block) and owner.parent_op() in crossed


def no_width(self: PointerTiles, pointer: SSAValue, size: int) -> Extent:
    found = extent(self, pointer, size)
    return replace(found, last=found.first)


extent = PointerTiles.extent

PROGRAMS = 400

PLANTED: tuple[tuple[object, str, Callable[..., object], int], ...] = (
    (alias, "is_invariant", yes, 378),
    (Aliases, "has_distinct_elements", yes, 1),
    (Aliases, "_is_one_line", yes, 1),
    (Aliases, "are_equal", yes, 197),
    (Aliases, "counts", yes, 13),
    (Aliases, "counts", any_counter, 13),
    (PointerTiles, "extent", no_width, 3),
    (PointerTiles, "movement", any_movement, 8),
)
"""What is wrong, and a program that has shown it: the search through all of them begins there."""


@pytest.mark.parametrize("number", range(len(PLANTED)))
def test_wrong_answers_are_noticed(number: int, monkeypatch: pytest.MonkeyPatch):
    place, name, planted, begin = PLANTED[number]
    monkeypatch.setattr(place, name, planted)
    for seed in (*range(begin, PROGRAMS), *range(begin)):
        if wrongly_apart(*traced_program(seed))[0]:
            return
    pytest.fail(f"a wrong {name} is not noticed")


# Roots


ROOTS = """
nv_tileaa.global @first {value = dense<0> : tensor<8xi32>}
nv_tileaa.global @second {value = dense<0> : tensor<8xi32>}
func.func @k(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %c: i1, %n: i32, %address: i64) {
  %a = nv_tileaa.alloca {num_elem = 8 : i64, alignment = 16 : i64, elem_type = i32} : !llvm.ptr<1>
  %b = nv_tileaa.alloca {num_elem = 8 : i64, alignment = 16 : i64, elem_type = i32} : !llvm.ptr<1>
  %f = nv_tileaa.get_global @first : !llvm.ptr<1>
  %f2 = nv_tileaa.get_global @first : !llvm.ptr<1>
  %g = nv_tileaa.get_global @second : !llvm.ptr<1>
  %any = nv_tileaa.int_to_ptr %address : i64 to !llvm.ptr<1>
  %either = arith.select %c, %a, %f : !llvm.ptr<1>
  %branch = scf.if %c -> (!llvm.ptr<1>) {
    scf.yield %a : !llvm.ptr<1>
  } else {
    scf.yield %g : !llvm.ptr<1>
  }
  %moved = nv_tileaa.addptr %a, %n {elem_type = i32} : !llvm.ptr<1>, i32
  %loop = scf.for %i = %n to %n step %n iter_args(%x = %moved) -> (!llvm.ptr<1>) : i32 {
    %y = nv_tileaa.addptr %x, %i {elem_type = i32} : !llvm.ptr<1>, i32
    scf.yield %y : !llvm.ptr<1>
  }
  func.return
}
"""


def value_named(module: ModuleOp, name: str) -> SSAValue:
    for op in module.walk():
        arguments = (arg for region in op.regions for block in region.blocks for arg in block.args)
        for value in (*op.results, *arguments):
            if value.name_hint == name:
                return value
    raise AssertionError(f"no %{name}")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("p", "q", True),
        ("p", "f", True),
        ("p", "a", False),
        ("a", "b", False),
        ("a", "a", True),
        ("f", "g", False),
        ("f", "f2", True),
        ("f", "a", False),
        ("any", "a", True),
        ("any", "p", True),
        ("either", "a", True),
        ("either", "b", False),
        ("either", "g", False),
        ("branch", "g", True),
        ("branch", "f", False),
        ("loop", "a", True),
        ("loop", "b", False),
        ("loop", "p", False),
    ],
)
def test_roots(first: str, second: str, expected: bool):
    module = load(ROOTS)
    one, other = (get_roots(value_named(module, name)) for name in (first, second))
    assert any(may_share_memory(a, b) for a in one for b in other) == expected
