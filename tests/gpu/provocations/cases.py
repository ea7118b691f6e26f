"""
What is launched, and what must come out: one function for each way to be wrong.

A case runs rounds; each ends with a comparison. `bench.serial` means that no two kernels may run
at once (under a sanitizer, or in the interpreter): whatever is waited for is then launched first,
and grids are small.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from .gpu import Buffer, Gpu
from .kernels import (
    BLOCKS,
    CLUSTER_SIZE,
    DEPTH,
    FLAG_STRIDE,
    LANES,
    MOST_TRIPS,
    READS,
    STEPS,
)

ABIS = ("device-maps", "host-maps")
HALF_BLOCKS = BLOCKS // 2
"""CTAs of each of two grids that have to run at once, one of each on an SM."""
PER_CONSUMER = 8
"""CTAs of `slow_writer` for each CTA that reads what they write."""


@dataclass
class Outcome:
    """What became of the rounds of a case."""

    rounds: int = 0
    wrong_rounds: int = 0
    wrong_elements: int = 0
    first: str = ""
    """The first that was wrong."""
    refused: str = ""
    """Why the launcher did not launch it."""
    tell: Callable[[str], None] = lambda text: None
    """Is told what the first is, at once: a later round may hang."""

    def add(self, wrong: np.ndarray | int, text: Callable[[], str] = lambda: "") -> None:
        """Counts a round, with what is wrong in it: a number, or an array of truth values."""
        count = int(np.count_nonzero(wrong)) if isinstance(wrong, np.ndarray) else wrong
        self.rounds += 1
        if count:
            if not self.first:
                self.first = f"round {self.rounds}: {text()}"
                self.tell(self.first)
            self.wrong_rounds += 1
            self.wrong_elements += count

    def compare(self, found: np.ndarray, expected: np.ndarray | float) -> None:
        """Counts a round by what differs from what it should be."""
        wrong = ~(found == expected)

        def describe() -> str:
            place = int(np.flatnonzero(wrong)[0])
            want = np.broadcast_to(expected, found.shape).reshape(-1)[place]
            return f"element {place} is {found.reshape(-1)[place]} instead of {want}"

        self.add(wrong, describe)


@dataclass
class Bench:
    """Where a case runs."""

    gpu: Gpu
    rounds: int
    serial: bool = False
    outcome: Outcome = field(default_factory=Outcome)
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(16))

    def blocks(self, most: int) -> int:
        """The CTAs of a grid."""
        return min(2, most) if self.serial else most

    def press(self) -> None:
        """Keeps the memory busy, every other round."""
        if not self.serial and self.outcome.rounds % 2:
            self.gpu.press()

    def together(self, waits: Callable[[], None], does: Callable[[], None]) -> None:
        """
        Launches what waits and what it waits for, and waits for both.

        In the first round what is waited for comes first: the driver may have to prepare a kernel,
        and wait for all others meanwhile.
        """
        is_first = self.outcome.rounds == 0
        for launch in (does, waits) if self.serial or is_first else (waits, does):
            launch()
        self.gpu.synchronize()


def one_hot(rows: int, columns: int, step: int) -> np.ndarray:
    """An operand B whose products count: ones in the first row of each step."""
    b = np.zeros((rows, columns), np.float16)
    b[::step] = 1
    return b


def half_bits(value: float) -> int:
    """A number as the bits of f16."""
    return int(np.float16(value).view(np.uint16))


def exchanged(gpu: Gpu) -> Buffer:
    """Vectors that add up to one each."""
    values = np.zeros((BLOCKS, LANES), np.int32)
    values[np.arange(BLOCKS), np.arange(BLOCKS) * 7 % LANES] = 1
    return gpu.array(values)


@dataclass
class Stored:
    """The arrays of the kernels that store a tile by TMA, and what they are to write."""

    bench: Bench
    element: str
    is_far: bool
    """Whether the tiles are in memory of the host, where stores take long to be written."""

    def __post_init__(self) -> None:
        gpu, width = self.bench.gpu, {"f16": 2, "f32": 4}[self.element]
        depth = STEPS * DEPTH
        self.a = gpu.zeros(BLOCKS * 128 * depth, np.float16)
        self.b = gpu.array(one_hot(depth, 128, depth))
        allocate = gpu.allocate_on_host if self.is_far else gpu.allocate
        self.x = allocate(BLOCKS * 128 * 128 * width)
        self.x.fill(0, 1)
        self.ones = exchanged(gpu)
        self.flags = gpu.zeros(BLOCKS * FLAG_STRIDE, np.int32)
        self.bad = gpu.zeros(BLOCKS, np.int32)

    def begin(self) -> float:
        """A new value, which operand A is full of."""
        value = float(self.bench.outcome.rounds % 1000 + 1)
        self.a.fill(half_bits(value), 2)
        self.bad.fill(0, 4)
        self.bench.gpu.synchronize()
        self.bench.press()
        return value

    def end(self) -> None:
        """Counts what the kernels found wrong."""
        bad = self.bad.download(np.int32, BLOCKS)
        self.bench.outcome.add(
            int(bad.sum()), lambda: f"{np.count_nonzero(bad)} CTAs, CTA {int(bad.argmax())}"
        )

    def collect(self, value: float, target: int, stream: int, blocks: int) -> None:
        """Launches what waits for the flags and counts what is wrong."""
        arguments = [self.x, self.flags, target, value, self.bad]
        self.bench.gpu.launch(f"collect-{self.element}", blocks, arguments, stream)


def run_publish(bench: Bench, element: str, *, is_far: bool) -> None:
    """Other CTAs wait for a flag that is released behind a TMA store."""
    stored, blocks = Stored(bench, element, is_far), bench.blocks(HALF_BLOCKS)
    for number in range(bench.rounds):
        value = stored.begin()
        arguments = [stored.a, stored.b, stored.x, stored.ones, stored.flags]
        bench.together(
            partial(stored.collect, value, number + 1, 0, blocks),
            partial(bench.gpu.launch, f"publish-{element}", blocks, arguments, 1),
        )
        stored.end()


def run_reload(bench: Bench, element: str, *, is_far: bool) -> None:
    """A CTA loads what it stored by TMA."""
    stored, blocks = Stored(bench, element, is_far), bench.blocks(BLOCKS)
    for _ in range(bench.rounds):
        stored.begin()
        arguments = [stored.a, stored.b, stored.x, stored.ones, stored.bad]
        bench.gpu.launch(f"reload-{element}", blocks, arguments)
        bench.gpu.synchronize()
        stored.end()


def run_overwrite(bench: Bench, element: str, *, is_far: bool) -> None:
    """A CTA stores to where it has stored by TMA."""
    stored, blocks = Stored(bench, element, is_far), bench.blocks(BLOCKS)
    for _ in range(bench.rounds):
        value = stored.begin()
        arguments = [stored.a, stored.b, stored.x, stored.ones]
        bench.gpu.launch(f"overwrite-{element}", blocks, arguments)
        stored.collect(value, 0, 0, blocks)
        bench.gpu.synchronize()
        stored.end()


def run_waiting(bench: Bench, what: str, wait: str) -> None:
    """A kernel waits for a grid in front of it, or for a flag, and then reads."""
    gpu, consumers = bench.gpu, bench.blocks(BLOCKS // PER_CONSUMER)
    writers, depth = consumers * PER_CONSUMER, STEPS * DEPTH
    elements = BLOCKS * LANES
    late = {name: gpu.zeros(elements, np.float32) for name in ("halves", "singles", "numbers")}
    a = gpu.array(np.ones((BLOCKS * 64, depth), np.float16))
    b = gpu.array(one_hot(depth, 64, DEPTH if what == "bounds" else depth))
    c, flag = gpu.zeros(BLOCKS * 64 * 64, np.float32), gpu.zeros(16, np.int32)
    turns = 8 if bench.serial else 100_000 if wait == "gdc" else 2_000
    for number in range(bench.rounds):
        value = float(number % (STEPS + 1) if what == "bounds" else number % 1000 + 1)
        target = writers * (number + 1)
        c.fill(0xFF, 1)
        gpu.synchronize()
        operand = late["halves"] if what == "operands" else a
        extra = {"operands": (), "epilogue": (late["singles"],), "bounds": (late["numbers"],)}
        arguments = [operand, b, c, *extra[what], flag, target]
        written = [late["halves"], late["singles"], late["numbers"], flag, turns, value, 1.0, 0.0]
        if wait == "gdc":
            gpu.launch("slow_writer", writers, written)
            gpu.launch(f"{what}-gdc", consumers, arguments, dependent=True)
            gpu.synchronize()
        else:
            bench.together(
                partial(gpu.launch, f"{what}-{wait}", consumers, arguments, 0),
                partial(gpu.launch, "slow_writer", writers, written, 1),
            )
        expected = value + 1 if what == "epilogue" else value
        bench.outcome.compare(c.download(np.float32, consumers * 64 * 64), expected)


def run_spin_tile(bench: Bench) -> None:
    """All warps leave a loop that waits for a flag in the same iteration."""
    gpu, blocks = bench.gpu, bench.blocks(BLOCKS)
    x = bench.random.integers(-1000, 1000, (BLOCKS, LANES), np.int32)
    source, result = gpu.array(x), gpu.zeros(BLOCKS * LANES, np.int32)
    flags = gpu.zeros(BLOCKS * FLAG_STRIDE, np.int32)
    for number in range(1, bench.rounds + 1):
        result.fill(0x7FFFFFFF, 4)
        gpu.synchronize()
        bench.together(
            partial(gpu.launch, "spin_tile", blocks, [source, result, flags, number], 0),
            partial(gpu.launch, "raise_flags", blocks, [flags, number], 1),
        )
        expected = np.cumsum(x[:blocks] + np.int32(number), axis=1, dtype=np.int32)
        bench.outcome.compare(
            result.download(np.int32, blocks * LANES).reshape(blocks, LANES), expected
        )


def toggled(bench: Bench, blocks: int, reader: Callable[[Buffer], None]) -> None:
    """Runs a kernel that reads flags while another one toggles them."""
    flags = bench.gpu.array(np.ones(BLOCKS * FLAG_STRIDE, np.int32))
    turns = 7 if bench.serial else 200_000
    for _ in range(bench.rounds):
        bench.gpu.launch("toggle", blocks, [flags, turns], 1)
        reader(flags)


def run_reads(bench: Bench, name: str) -> None:
    """What all warps do with a flag that they read at once is the same."""
    gpu, blocks = bench.gpu, bench.blocks(BLOCKS)
    x = bench.random.integers(-1000, 1000, (BLOCKS, LANES), np.int32)
    source, result = gpu.array(x), gpu.zeros(BLOCKS * READS * LANES, np.int32)
    shifted = x[:blocks, None, :] + np.arange(READS, dtype=np.int32)[:, None]
    possible = [shifted]
    for _ in range(MOST_TRIPS if name == "trips_tile" else 1):
        possible.append(np.cumsum(possible[-1], axis=2, dtype=np.int32))
    if name == "trips_tile":
        possible = possible[1:]

    def read(flags: Buffer) -> None:
        result.fill(0x7FFFFFFF, 4, gpu.streams[0])
        gpu.launch(name, blocks, [source, result, flags], 0)
        gpu.synchronize()
        found = result.download(np.int32, blocks * READS * LANES).reshape(shifted.shape)
        matches = [(found == each).all(axis=2) for each in possible]
        wrong = ~np.any(matches, axis=0)
        bench.outcome.add(wrong, lambda: f"read {tuple(map(int, np.argwhere(wrong)[0]))} is torn")

    toggled(bench, blocks, read)


def run_trips_matmul(bench: Bench) -> None:
    """All warps do as many steps of a product as a flag says that they read at once."""
    gpu, blocks, depth = bench.gpu, bench.blocks(BLOCKS), MOST_TRIPS * DEPTH
    a = gpu.array(np.ones((BLOCKS * 64, depth), np.float16))
    b = gpu.array(one_hot(depth, 64, DEPTH))
    c = gpu.zeros(BLOCKS * 64 * 64, np.float32)

    def read(flags: Buffer) -> None:
        gpu.launch("trips_product", blocks, [a, b, c, flags], 0)
        gpu.synchronize()
        found = c.download(np.float32, blocks * 64 * 64).reshape(blocks, 64 * 64)
        wrong = (found != found[:, :1]).any(axis=1) | ~np.isin(found[:, 0], range(1, 5))
        bench.outcome.add(
            wrong, lambda: f"block {np.flatnonzero(wrong)[0]} has {np.unique(found[wrong][0])}"
        )

    toggled(bench, blocks, read)


def run_empty(bench: Bench) -> None:
    """An empty tensor reads as zeros, whatever was stored to another one."""
    gpu, blocks = bench.gpu, bench.blocks(BLOCKS)
    a = gpu.array(np.ones((BLOCKS * 64, 32), np.float16))
    nothing = gpu.zeros(64, np.float16), gpu.zeros(64, np.float16)
    z = gpu.zeros(BLOCKS * 64 * 64, np.float32)
    for _ in range(bench.rounds):
        z.fill(0xFF, 1)
        gpu.synchronize()
        gpu.launch("empty", blocks, [a, z, *nothing, 0])
        gpu.synchronize()
        # What is behind the empty tensors must be untouched, too.
        rest = [each.download(np.float16, 64) for each in nothing]
        found = np.concatenate([z.download(np.float32, blocks * 64 * 64), *rest])
        bench.outcome.compare(found, 0.0)


def run_huge(bench: Bench, exponent: int) -> None:
    """Rows of a tensor are read, however many it has and wherever they are."""
    gpu = bench.gpu
    operand = bench.random.integers(1, 4, (16, 64)).astype(np.float16)
    b, c = gpu.array(operand), gpu.zeros(64 * 64, np.float32)
    rows, last = 2**exponent + 64, 2**exponent // 64
    places = [(128, 1, 8), (rows, 1, 0), (rows, last, 0)]
    # Rows that begin 16 bytes after each other are 64 GiB; the same ones are none.
    places += [] if bench.serial else [(rows, last, 8)]
    for rows, tile, stride in places:
        values = bench.random.integers(1, 4, 64 * stride + 16).astype(np.float16)
        memory = gpu.allocate(2 * (rows * stride + 16))
        memory.upload(values, 2 * tile * 64 * stride)
        c.fill(0xFF, 1)
        gpu.synchronize()
        gpu.launch("huge", 1, [b, c, memory, rows, stride, tile])
        gpu.synchronize()
        gpu.release(memory)
        a = np.lib.stride_tricks.as_strided(values, (64, 16), (2 * stride, 2))
        expected = a.astype(np.float32) @ operand.astype(np.float32)
        bench.outcome.compare(c.download(np.float32, 64 * 64), expected.reshape(-1))


def run_reduce(bench: Bench, mode: str, element: str) -> None:
    """Reductions to memory are of the type that the program says."""
    gpu, blocks, depth = bench.gpu, bench.blocks(BLOCKS), STEPS * DEPTH
    unsigned, signed = {"i32": (np.uint32, np.int32), "i64": (np.uint64, np.int64)}[element]
    b = gpu.array(one_hot(depth, 128, depth))
    operation = {"umax": np.maximum, "umin": np.minimum, "add": np.add}[mode]
    for _ in range(bench.rounds):
        rows = np.zeros((BLOCKS * 128, depth), np.float16)
        rows[:, 0] = bench.random.standard_normal(len(rows)).astype(np.float16)
        before = bench.random.integers(0, 2**64, (blocks * 128, 128), np.uint64).astype(unsigned)
        a, c = gpu.array(rows), gpu.array(before)
        gpu.launch(f"reduce-{mode}-{element}", blocks, [a, b, c])
        gpu.synchronize()
        bits = rows[: blocks * 128, :1].astype(np.float32).view(np.int32).astype(signed)
        found = c.download(unsigned, before.size).reshape(before.shape)
        bench.outcome.compare(found, operation(before, bits.view(unsigned)))
        gpu.release(a)
        gpu.release(c)


def run_numpy(bench: Bench, blocks: int) -> None:
    """Arrays of NumPy are on the GPU before a kernel on a stream that waits for no other."""
    grid = bench.blocks(blocks)
    for _ in range(bench.rounds):
        x = bench.random.integers(0, 2**31, grid * LANES, np.int32)
        y = np.full_like(x, -1)
        if not bench.serial:
            bench.gpu.press_host_copies()
        bench.gpu.kernel("copy").launch(grid, [x, y], bench.gpu.streams[0])
        bench.outcome.compare(y, x)
    bench.gpu.synchronize()


def run_cluster(bench: Bench) -> None:
    """CTAs of a cluster tell each other which tiles they have read."""
    gpu, size = bench.gpu, CLUSTER_SIZE
    grid = (2, 1) if bench.serial else (size // 128, size // 128)
    rows, columns = 128 * grid[0], 128 * grid[1]
    sets: list[tuple[Buffer, Buffer, np.ndarray]] = []
    for _ in range(1 if bench.serial else 3):
        a, b = bench.random.integers(-2, 3, (2, size, size)).astype(np.float16)
        expected = a[:rows].astype(np.float32) @ b[:, :columns].astype(np.float32)
        sets.append((gpu.array(a), gpu.array(b), expected))
    c = gpu.zeros(size * size, np.float32)
    for number in range(bench.rounds):
        a, b, expected = sets[number % len(sets)]
        c.fill(0xFF, 1)
        gpu.synchronize()
        bench.press()
        gpu.launch("cluster", grid, [a, b, c])
        gpu.synchronize()
        found = c.download(np.float32, size * size).reshape(size, size)[:rows, :columns]
        bench.outcome.compare(found, expected)


@dataclass(frozen=True)
class Case:
    """A way to be wrong."""

    defect: str
    """Its numbers in the list of what was repaired."""
    name: str
    run: Callable[[Bench], None]
    kernels: Sequence[str]
    rounds: int
    abis: Sequence[str] = ABIS
    limit: float = 20
    """Seconds until it counts as hung."""


def _cases() -> list[Case]:
    cases: list[Case] = []

    def add(defect: str, name: str, run: Any, kernels: Sequence[str], rounds: int, **rest: Any):
        cases.append(Case(defect, name, run, kernels, rounds, **rest))

    for element, is_far in product(("f16", "f32"), (False, True)):
        for name, run, rounds in (
            ("publish", run_publish, 1500),
            ("reload", run_reload, 1000),
            ("overwrite", run_overwrite, 500),
        ):
            kernels = [f"{name}-{element}"] + ([] if name == "reload" else [f"collect-{element}"])
            title = f"{name}-{element}{'-far' if is_far else ''}"
            call = partial(run, element=element, is_far=is_far)
            add("1", title, call, kernels, rounds // 3 if is_far else rounds)
    for defect, what in (("2", "operands"), ("3", "epilogue"), ("4", "bounds")):
        for wait in ("gdc", "spin", "add0"):
            name = f"{what}-{wait}"
            run = partial(run_waiting, what=what, wait=wait)
            add(defect, name, run, [name, "slow_writer"], 30, limit=5)
    add("6", "empty", run_empty, ["empty"], 10)
    for exponent in (31, 32):
        add("7", f"huge-{exponent}", partial(run_huge, exponent=exponent), ["huge"], 1)
    plain = {"abis": ABIS[:1]}
    add("15", "spin-tile", run_spin_tile, ["spin_tile", "raise_flags"], 1500, limit=10, **plain)
    for name in ("trips_tile", "branch_tile"):
        run = partial(run_reads, name=name)
        add("15", name.replace("_", "-"), run, [name, "toggle"], 20, limit=8, **plain)
    add("15", "trips-product", run_trips_matmul, ["trips_product", "toggle"], 20, limit=8)
    for mode, element in (("umax", "i32"), ("umin", "i32"), ("umax", "i64"), ("add", "i64")):
        name = f"reduce-{mode}-{element}"
        add("16", name, partial(run_reduce, mode=mode, element=element), [name], 3)
    for blocks in (16, 1024):
        run = partial(run_numpy, blocks=blocks)
        add("18", f"numpy-{4 * blocks}-kb", run, ["copy"], 100, **plain)
    add("22", "cluster", run_cluster, ["cluster"], 300, abis=ABIS[1:])
    return cases


CASES = _cases()
