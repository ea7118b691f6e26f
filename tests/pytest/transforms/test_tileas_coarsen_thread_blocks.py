"""
Two tile blocks at once give what they give one after the other, at every stage, however many there
are and however many CTAs share them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl import load, pipeline, run
from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.nv_tileaa.shape import AssumeOp
from tileiras_xdsl.dialects.nv_tileas.decisions import COARSENED
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import CreatePipelineOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_buffers
from tileiras_xdsl.dialects.nvvm import WgmmaCommitGroupOp, WgmmaMmaAsyncOp
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.pipeline import PipelinePass, make_pass, select_steps
from tileiras_xdsl.transforms.tileas import tileas_coarsen_thread_blocks
from tileiras_xdsl.transforms.tileas.kernel_model.block_pairs import (
    BlockPairs,
    find_block_pairs,
)
from tileiras_xdsl.transforms.tileas.kernel_model.persistence import find_persistent_loop
from tileiras_xdsl.transforms.tileas.schedule.agents import ProducerBuilder
from tileiras_xdsl.xdsl_extras.walking import last_of

from ..harness.modules import context
from ..harness.passes import lower_through
from ..harness.remarks import asked, messages, told
from .test_tileas_dynamic_persistent import matrices

PASS = "tileas-coarsen-thread-blocks"
ARCH = "sm_90a"
HOST, DEVICE = "host-maps", "device-maps"
SIDE = 128
GROUP = 2

FACTOR = "tensor_view<?x?xf16, strides=[?,1]>"
RESULT = "tensor_view<?x?xf16, strides=[?,1]>"

GROUPED = f"""%group = constant <i32: {GROUP}> : tile<i32>
      %side = constant <i32: {SIDE}> : tile<i32>
      %rows = divi %m, %side signed rounding<positive_inf> : tile<i32>
      %columns = divi %n, %side signed rounding<positive_inf> : tile<i32>
      %size = muli %group, %columns : tile<i32>
      %number = divi %x, %size signed : tile<i32>
      %first = muli %number, %group : tile<i32>
      %left = subi %rows, %first : tile<i32>
      %height = mini %left, %group signed : tile<i32>
      %inside = remi %x, %size signed : tile<i32>
      %r = remi %inside, %height signed : tile<i32>
      %row = addi %first, %r : tile<i32>
      %column = divi %inside, %height signed : tile<i32>"""
"""Tile blocks by groups of rows, in which neighbours have a column in common."""


@dataclass(frozen=True)
class Program:
    """Multiplies matrices, in tiles of 128x128."""

    depth: int = 32
    place: str = GROUPED
    row: str = "%row"
    column: str = "%column"
    hints: str = ""
    end: str = "%steps#1"
    accumulates: bool = False
    """Whether products are added to what is there."""

    @property
    def text(self) -> str:
        a = f"partition_view<tile=({SIDE}x{self.depth}), {FACTOR}>"
        b = f"partition_view<tile=({self.depth}x{SIDE}), {FACTOR}>"
        c = f"partition_view<tile=({SIDE}x{SIDE}), {RESULT}>"
        left, right = f"tile<{SIDE}x{self.depth}xf16>", f"tile<{self.depth}x{SIDE}xf16>"
        total, out = f"tile<{SIDE}x{SIDE}xf32>", f"tile<{SIDE}x{SIDE}xf16>"
        sum_, order = "%sum", ""
        before = ""
        if self.accumulates:
            before = f"""%old, %read = load_view_tko weak %view_c[{self.row}, {self.column}] :
          {c}, tile<i32> -> {out}, token
      %wide = ftof %old : {out} -> {total}
      %more = addf %wide, %sum rounding<nearest_even> : {total}"""
            sum_, order = "%more", "token = %read"
        return f"""
    entry @product(%a0: tile<ptr<f16>>, %b0: tile<ptr<f16>>, %c0: tile<ptr<f16>>, %m: tile<i32>,
                   %n0: tile<i32>, %k0: tile<i32>) {self.hints} {{
      %a = assume div_by<16>, %a0 : tile<ptr<f16>>
      %b = assume div_by<16>, %b0 : tile<ptr<f16>>
      %c = assume div_by<16>, %c0 : tile<ptr<f16>>
      %n1 = assume bounded<0, ?>, %n0 : tile<i32>
      %k1 = assume bounded<0, ?>, %k0 : tile<i32>
      %n = assume div_by<8>, %n1 : tile<i32>
      %k = assume div_by<8>, %k1 : tile<i32>
      %tensor_a = make_tensor_view %a, shape = [%m, %k], strides = [%k, 1] : tile<i32> -> {FACTOR}
      %tensor_b = make_tensor_view %b, shape = [%k, %n], strides = [%n, 1] : tile<i32> -> {FACTOR}
      %tensor_c = make_tensor_view %c, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> {RESULT}
      %view_a = make_partition_view %tensor_a : {a}
      %view_b = make_partition_view %tensor_b : {b}
      %view_c = make_partition_view %tensor_c : {c}
      %x, %y, %z = get_tile_block_id : tile<i32>
      {self.place}
      %zero = constant <i32: 0> : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      %steps:2 = get_index_space_shape %view_a : {a} -> tile<i32>
      %start = constant <f32: 0.0> : {total}
      %sum = for %i in (%zero to {self.end}, step %one) : tile<i32>
          iter_values(%partial = %start) -> ({total}) {{
        %tile_a, %token_a = load_view_tko weak %view_a[{self.row}, %i] : {a},
            tile<i32> -> {left}, token
        %tile_b, %token_b = load_view_tko weak %view_b[%i, {self.column}] : {b},
            tile<i32> -> {right}, token
        %next = mmaf %tile_a, %tile_b, %partial : {left}, {right}, {total}
        continue %next : {total}
      }}
      {before}
      %narrow = ftof {sum_} : {total} -> {out}
      %done = store_view_tko weak %narrow, %view_c[{self.row}, {self.column}] {order} : {out}, {c},
          tile<i32> -> token
      return
    }}"""


ROWS_FIRST = Program(place="", row="%x", column="%y")
COLUMNS_FIRST = Program(place="", row="%y", column="%x")


def after_pass(text: str, abi: str = HOST) -> FuncOp:
    """A kernel behind the pass."""
    module = asked(load(text))
    for step in select_steps(arch=ARCH):
        make_pass(step, ARCH, abi).apply(context(), module)
        if step.name == PASS:
            break
    module.verify()
    (kernel,) = (op for op in module.walk() if isinstance(op, FuncOp))
    return kernel


def blocks_of(m: int, n: int) -> tuple[int, int]:
    return -(-m // SIDE), -(-n // SIDE)


# Who computes what


def least(a: int, b: int) -> int:
    return min(a, b)


def chosen(condition: int, a: int, b: int) -> int:
    return a if condition else b


ARITHMETIC: Mapping[str, Callable[..., int]] = {
    "arith.index_cast": int,
    "nv_tileaa.assume": int,
    "arith.addi": int.__add__,
    "arith.subi": int.__sub__,
    "arith.muli": int.__mul__,
    "arith.divui": int.__floordiv__,
    "arith.minsi": least,
    "arith.select": chosen,
}
PREDICATES = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
"""By their numbers; all are signed."""


@dataclass
class Scalars:
    """Computes scalars of a kernel on numbers of Python."""

    known: dict[SSAValue, int]
    queries: Mapping[str, int]
    """Ops that ask for the index of the CTA, the number of CTAs, and that of iterations."""

    def __getitem__(self, value: SSAValue) -> int:
        if value in self.known:
            return self.known[value]
        op = value.owner
        assert isinstance(op, Operation)
        if op.name in self.queries:
            return self.queries[op.name]
        numbers = [self[operand] for operand in op.operands]
        match op:
            case scf.IfOp():
                region = op.true_region if numbers[0] else op.false_region
                return self[last_of(region.block).operands[0]]
            case arith.ConstantOp(value=IntegerAttr() as number):
                return number.value.data
            case CmpiOp():
                return int(PREDICATES[op.predicate.value.data](*numbers))
            case _:
                return ARITHMETIC[op.name](*numbers)

    def inside(self, loop: scf.ForOp) -> Iterator[Scalars]:
        """Those of each iteration of a loop."""
        for number in range(self[loop.lb], self[loop.ub], self[loop.step]):
            yield Scalars({**self.known, loop.body.block.args[0]: number}, self.queries)


def tile_blocks_of(
    kernel: FuncOp, index: int, total: int, ctas: int, differs: Container[int]
) -> Iterator[tuple[int, ...]]:
    """What a CTA does, at once or alone; the first of some pairs shares nothing with the other."""
    loop = find_persistent_loop(kernel)
    assert loop is not None
    test, branch = (op for op in loop.body.block.ops if isinstance(op, scf.IfOp))
    assert branch.cond is test.results[0]
    jammed = branch.true_region.block
    (singles,) = (op for op in branch.false_region.block.ops if isinstance(op, scf.ForOp))
    grid = dict(zip(kernel.body.block.args[-3:], (total, 1, 1), strict=True))
    queries = {"gpu.block_id": index, "gpu.grid_dim": ctas, "nv_tileaa.get_index_space_shape": 2}
    for unit in Scalars({**grid}, queries).inside(loop):
        pair = tuple(unit[op.results[0]] for op in jammed.ops if isinstance(op, AssumeOp))
        if unit[test.cond] and pair[0] not in differs:
            assert len(pair) == 2
            yield pair
        else:
            yield from ((each[singles.body.block.args[0]],) for each in unit.inside(singles))


@pytest.mark.part("kernels")
@pytest.mark.every(6)
@pytest.mark.parametrize("distance", [1, 2, 3, 8])
def test_every_tile_block_is_computed_once(distance: int):
    """No CTA computes more of them than without pairs, whether these share an operand or not."""
    place = GROUPED.replace(f"<i32: {GROUP}>", f"<i32: {distance}>")
    kernel = after_pass((ROWS_FIRST if distance == 1 else Program(place=place)).text)
    random = Random(0)
    paired = 0
    for ctas in (1, 2, 3, 8, 11):
        for total in (*range(ctas, 3 * ctas + 2, 2), 4 * ctas + 8, 7 * ctas + 3):
            for wrong in (0, 0.5):
                differs = {number for number in range(total) if random.random() < wrong}
                done: list[int] = []
                for index in range(ctas):
                    units = [*tile_blocks_of(kernel, index, total, ctas, differs)]
                    own = [number for unit in units for number in unit]
                    assert len(own) <= -(-total // ctas)
                    done += own
                    paired += sum(len(unit) == 2 for unit in units)
                assert sorted(done) == list(range(total))
    assert paired


# Results

Stages = Mapping[str, ModuleOp]


@pytest.fixture(scope="module", autouse=True)
def _enabled() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """The pass runs for all ABIs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "PIPELINE", enabled())
        yield


def enabled() -> tuple[PipelinePass, ...]:
    """The passes, with this one enabled."""
    return tuple(
        replace(step, options="{enable=true}") if step.name == PASS else step
        for step in pipeline.PIPELINE
    )


@pytest.fixture(scope="module", params=[HOST, DEVICE])
def grouped(request: pytest.FixtureRequest) -> Stages:
    """Tile blocks whose numbers are 2 apart share operand A."""
    return {**lower_through(load(Program().text), "tileas", "nvgpu", arch=ARCH, abi=request.param)}


@pytest.mark.every(10)
@pytest.mark.parametrize(
    ("shape", "sm_count"),
    [
        # Pairs, and singles in the end; rows that are no multiple of the group; an odd number.
        ((640, 264, 40), 3),
        ((392, 520, 40), 2),
        # Fewer tile blocks than SMs; one.
        ((256, 136, 40), 8),
        ((128, 128, 32), 4),
    ],
)
def test_numbers_of_tile_blocks(grouped: Stages, shape: tuple[int, int, int], sm_count: int):
    arguments, exact = matrices(*shape, np.float16)
    rows, columns = blocks_of(*shape[:2])
    run(grouped["tileas"], grid=rows * columns, args=arguments, sm_count=sm_count)
    np.testing.assert_array_equal(arguments[2], exact)


@pytest.mark.every(2)
def test_threads(grouped: Stages):
    """Two pairs, and two tile blocks that are none."""
    arguments, exact = matrices(136, 264, 24, np.float16)
    run(grouped["nvgpu"], grid=6, args=arguments, sm_count=1)
    np.testing.assert_array_equal(arguments[2], exact)


@pytest.mark.every(2)
@pytest.mark.parametrize("abi", [DEVICE, HOST])
def test_no_tile_block_is_done_twice(abi: str):
    text = Program(accumulates=True).text
    module = lower_through(load(text), "tileas", arch=ARCH, abi=abi)["tileas"]
    assert COARSENED.is_on(next(op for op in module.walk() if isinstance(op, FuncOp)))
    (a, b, c, *sizes), exact = matrices(264, 256, 32, np.float16)
    start: np.ndarray[Any, Any] = np.arange(264 * 256).reshape(264, 256) % 7
    c[:] = start
    run(module, grid=6, args=[a, b, c, *sizes], sm_count=2)
    np.testing.assert_array_equal(c, start + exact)


@pytest.mark.part("kernels")
@pytest.mark.every(4, first=2)
@pytest.mark.parametrize(
    ("abi", "program"),
    [(HOST, ROWS_FIRST), (DEVICE, ROWS_FIRST), (DEVICE, COLUMNS_FIRST), (HOST, COLUMNS_FIRST)],
)
def test_grids_of_two_dimensions(abi: str, program: Program):
    """Neighbours share a column, or a row; the last of a line shares nothing with the next."""
    stages = lower_through(load(program.text), "tileas", arch=ARCH, abi=abi)
    arguments, exact = matrices(264, 264, 32, np.float16)
    run(stages["tileas"], grid=(3, 3), args=arguments, sm_count=2)
    np.testing.assert_array_equal(arguments[2], exact)


def run_all(module: ModuleOp) -> bool:
    """Whether a product of 3 by 3 tiles is right."""
    arguments, exact = matrices(384, 384, 32, np.float16)
    run(module, grid=9, args=arguments, sm_count=1)
    return np.array_equal(arguments[2], exact)


def test_a_wrong_guess_is_found_out(monkeypatch: pytest.MonkeyPatch):
    """Tile blocks that are expected to share an operand, but do not."""

    def find(function: FuncOp, persistent: scf.ForOp) -> BlockPairs:
        return replace(find_block_pairs(function, persistent), distance=3)

    monkeypatch.setattr(tileas_coarsen_thread_blocks, "find_block_pairs", find)
    assert run_all(lower_through(load(Program().text), "tileas", arch=ARCH, abi=HOST)["tileas"])


def test_a_comparison_that_is_forgotten_shows(monkeypatch: pytest.MonkeyPatch):
    def first_of_both(self: object, first: SSAValue, second: SSAValue) -> SSAValue:
        return first

    monkeypatch.setattr(tileas_coarsen_thread_blocks.PairRewriter, "both", first_of_both)
    module = lower_through(load(Program().text), "tileas", arch=ARCH, abi=HOST)["tileas"]
    assert not run_all(module)


# What is computed at once


def loops_of(kernel: FuncOp) -> list[scf.ForOp]:
    """The loops of dots."""
    return [
        op
        for op in kernel.walk()
        if isinstance(op, scf.ForOp) and any(each.name == "nv_tileas.dot" for each in op.body.ops)
    ]


@pytest.mark.parametrize(
    ("program", "shared"),
    [(Program(), "128x32"), (ROWS_FIRST, "32x128"), (COLUMNS_FIRST, "128x32")],
    ids=["groups", "rows", "columns"],
)
@pytest.mark.every(2)
@pytest.mark.parametrize("abi", [HOST, DEVICE])
def test_the_operand_that_is_shared(program: Program, shared: str, abi: str):
    kernel = after_pass(program.text, abi)
    assert COARSENED.is_on(kernel)
    assert (
        f"CTAs compute two tile blocks at once that need the same tiles of {shared}"
    ) in messages(kernel, kind="Passed")
    both, single = loops_of(kernel)
    counts = [
        [sum(isinstance(op, TiledLoadOp) for op in loop.body.ops), len(loop.results)]
        for loop in (both, single)
    ]
    assert counts == [[3, 2], [2, 1]]


def test_one_instruction_for_the_columns_of_both(grouped: Stages):
    """They have one commit group."""
    shapes = [
        op.shape and op.shape.extents[1]
        for op in grouped["nvgpu"].walk()
        if isinstance(op, WgmmaMmaAsyncOp)
    ]
    assert shapes == [256, 128]
    commits = [op for op in grouped["nvgpu"].walk() if isinstance(op, WgmmaCommitGroupOp)]
    assert len(commits) == 2


def test_single_tile_blocks_have_the_memory_of_pairs(grouped: Stages):
    """Pipelines of three tiles, and of two: one of them is empty before the other is filled."""
    pipelines = [op for op in grouped["tileas"].walk() if isinstance(op, CreatePipelineOp)]
    assert [len(op.result.type.element_types) for op in pipelines] == [3, 2]
    starts = [get_buffers(op)[0].offset for op in pipelines]
    assert starts[0] == starts[1]


def test_memory_that_is_not_waited_for_shows(monkeypatch: pytest.MonkeyPatch):
    """The producer must not fill memory that is read as that of the other pipeline."""

    def find(self: object, ops: object) -> list[int]:
        return []

    monkeypatch.setattr(ProducerBuilder, "_find_reused", find)
    module = lower_through(load(Program().text), "nvgpu", arch=ARCH, abi=HOST)["nvgpu"]
    arguments, _ = matrices(136, 264, 24, np.float16)
    with pytest.raises(ExecutionError, match="which nobody has waited for"):
        run(module, grid=6, args=arguments, sm_count=1)


# Kernels that are left alone

SINGLE = "CTAs compute one tile block at a time"


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (replace(ROWS_FIRST, column="%x"), "tile blocks that follow each other have no operand"),
        (
            Program(hints="optimization_hints=<sm_90 = {occupancy = 2}>"),
            "several CTAs share an SM",
        ),
        (Program(hints="optimization_hints=<sm_90 = {num_cta_in_cga = 2}>"), "CTAs of clusters"),
    ],
    ids=["diagonal", "occupancy", "clusters"],
)
def test_reasons(program: Program, reason: str):
    kernel = after_pass(program.text)
    assert not COARSENED.is_on(kernel)
    (said,) = told(kernel, message=SINGLE)
    assert said.reason.startswith(reason)
    assert len(loops_of(kernel)) == 1


def test_small_tiles():
    (said,) = told(after_pass(Program().text.replace("128", "64")), message=SINGLE)
    assert said.reason == "one warpgroup suffices for a tile block"


# Operands that threads make

WEIGHTS = "tensor_view<?x?xi8, strides=[?,1]>"
DEPTH = 32
TILE = f"tile<{DEPTH}x{SIDE}xf16>"
ROW = f"tile<1x{SIDE}xf16>"

BEGINS = (
    f"%v0 = itof %w signed : tile<{DEPTH}x{SIDE}xi8> -> {TILE}",
    f"""%low = constant <i8: 7> : tile<{DEPTH}x{SIDE}xi8>
        %bits = andi %w, %low : tile<{DEPTH}x{SIDE}xi8>
        %v0 = itof %bits unsigned : tile<{DEPTH}x{SIDE}xi8> -> {TILE}""",
)
"""From the tile `%w` of integers to `%v0`."""


def scaled_by(load: str) -> str:
    return f"""{load} : partition_view<tile=(1x{SIDE}), {FACTOR}>, tile<i32> -> {ROW}, token
        %r# = broadcast %s# : {ROW} -> {TILE}
        %v# = mulf %v, %r# : {TILE}"""


def shifted_by(number: str) -> str:
    return f"""%f# = itof {number} signed : tile<i32> -> tile<f16>
        %o# = reshape %f# : tile<f16> -> tile<1x1xf16>
        %r# = broadcast %o# : tile<1x1xf16> -> {TILE}
        %v# = addf %v, %r# : {TILE}"""


STEPS = {
    "number": f"""%c# = constant <f16: -4.0> : {TILE}
        %v# = addf %v, %c# : {TILE}""",
    "row": scaled_by("%s#, %t# = load_view_tko weak %view_s[%i, %column]"),
    "row of the column": scaled_by("%s#, %t# = load_view_tko weak %view_s[%zero, %column]"),
    "column": shifted_by("%column"),
    "iteration": shifted_by("%i"),
    "tile block": shifted_by("%row"),
}
"""From one tile to the next; `#` is the number of the step."""
OWN = {"column", "tile block"}
"""What is not made for two tile blocks at once."""


def making(begin: str, steps: list[str]) -> str:
    """A product whose operand B is made of integers, in some steps."""
    made = [begin]
    for number, step in enumerate(steps, 1):
        made.append(STEPS[step].replace("%v,", f"%v{number - 1},").replace("#", str(number)))
    b = f"partition_view<tile=({DEPTH}x{SIDE}), {FACTOR}>"
    weights = b.replace(FACTOR, WEIGHTS)
    scales = f"partition_view<tile=(1x{SIDE}), {FACTOR}>"
    text = Program(depth=DEPTH).text
    for old, new in (
        ("%b0: tile<ptr<f16>>", "%b0: tile<ptr<i8>>, %s0: tile<ptr<f16>>"),
        (
            "%b = assume div_by<16>, %b0 : tile<ptr<f16>>",
            """%b = assume div_by<16>, %b0 : tile<ptr<i8>>
      %s = assume div_by<16>, %s0 : tile<ptr<f16>>""",
        ),
        ("%n = assume div_by<8>", "%n = assume div_by<16>"),
        (
            f"strides = [%n, 1] : tile<i32> -> {FACTOR}\n      %tensor_c",
            f"""strides = [%n, 1] : tile<i32> -> {WEIGHTS}
      %tensor_s = make_tensor_view %s, shape = [%k, %n], strides = [%n, 1] : tile<i32> -> {FACTOR}
      %view_s = make_partition_view %tensor_s : {scales}
      %tensor_c""",
        ),
        (f"%tensor_b : {b}", f"%tensor_b : {weights}"),
        ("%tile_b, %token_b", "%w, %token_b"),
        (
            f"{b},\n            tile<i32> -> {TILE}, token",
            f"{weights},\n            tile<i32> -> "
            f"tile<{DEPTH}x{SIDE}xi8>, token\n        " + "\n        ".join(made),
        ),
        ("mmaf %tile_a, %tile_b", f"mmaf %tile_a, %v{len(steps)}"),
    ):
        assert old in text
        text = text.replace(old, new)
    return text


def random_making(random: Random) -> tuple[str, list[str]]:
    steps = random.choices([*STEPS], [3, 3, 2, 2, 2, 1], k=random.randrange(4))
    return making(random.choice(BEGINS), steps), steps


@pytest.mark.part("kernels")
@pytest.mark.every(6)
@pytest.mark.parametrize("abi", [HOST, DEVICE])
@pytest.mark.parametrize("seed", range(12))
def test_operands_that_threads_make(seed: int, abi: str):
    """Random ones; the product of some is computed for one tile block after the other."""
    random = Random(seed)
    text, steps = random_making(random)
    m, n, k = random.choice([264, 392]), random.choice([144, 272]), random.choice([32, 72])
    generator = np.random.default_rng(seed)
    arguments: list[Any] = [
        generator.integers(-2, 3, (m, k)).astype(np.float16),
        generator.integers(-8, 8, (k, n), np.int8),
        generator.integers(1, 3, (k, n)).astype(np.float16),
        np.full((m, n), np.nan, np.float16),
        m,
        n,
        k,
    ]
    rows, columns = blocks_of(m, n)
    expected = [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
    run(load(text), grid=rows * columns, args=expected)
    assert not np.isnan(expected[3]).any()
    stages = lower_through(load(text), "tileas", "nvgpu", arch=ARCH, abi=abi)
    (kernel,) = (op for op in stages["tileas"].walk() if isinstance(op, FuncOp))
    assert COARSENED.is_on(kernel) == OWN.isdisjoint(steps)
    for module in (stages["tileas"], stages["nvgpu"]) if seed % 6 == 0 else (stages["tileas"],):
        arguments[3][:] = np.nan
        run(module, grid=rows * columns, args=arguments, sm_count=random.choice([1, 2]))
        np.testing.assert_array_equal(arguments[3], expected[3])
