"""Programs made smaller: by every strategy, at every level, and always to the same end."""

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileiras_xdsl.checking.reduction import NotInteresting, Progress, reduce
from tileiras_xdsl.checking.reduction.search import STRATEGIES, count_ops, is_valid, measure
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.pipeline import ModuleStage, select_steps
from tileiras_xdsl.xdsl_extras.walking import walk

from ..harness.modules import parse
from ..harness.passes import run_steps
from ..strategies.programs import random_program

KERNEL = """
cuda_tile.module @m {
  global @table <i32: [1, 2, 3, 4]> : tile<4xi32>
  entry @other() { return }
  entry @kernel(%out: tile<ptr<f32>>, %n: tile<i32>, %x: tile<f32>)
      optimization_hints=<sm_90 = {num_cta_in_cga = 2}> {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %four = constant <i32: 4> : tile<i32>
    %start = constant <f32: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tile<8xf32>
    %token = make_token : token
    %sum, %count, %last = for %i in (%zero to %n, step %one) : tile<i32>
        iter_values(%acc = %start, %k = %zero, %t = %token)
        -> (tile<8xf32>, tile<i32>, token) {
      %positive = cmpi greater_than %k, %four, signed : tile<i32> -> tile<i1>
      %scaled = if %positive -> (tile<8xf32>) {
        %double = addf %acc, %acc : tile<8xf32>
        yield %double : tile<8xf32>
      } else {
        %root = sqrt %acc : tile<8xf32>
        yield %root : tile<8xf32>
      }
      %next = addi %k, %one : tile<i32>
      continue %scaled, %next, %t : tile<8xf32>, tile<i32>, token
    }
    %base = reshape %out : tile<ptr<f32>> -> tile<1xptr<f32>>
    %all = broadcast %base : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %lanes = iota : tile<8xi32>
    %places = offset %all, %lanes : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %mask = cmpi less_than %lanes, %lanes, unsigned : tile<8xi32> -> tile<8xi1>
    %done = store_ptr_tko relaxed device %places, %sum, %mask token=%last
        : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> token
    return
  }
}
"""


def has(name: str) -> Callable[[ModuleOp], bool]:
    return lambda module: any(op.name == name for op in walk(module))


def names(module: ModuleOp) -> list[str]:
    """The ops of all kernels."""
    inside = [op for op in walk(module) if isinstance(op.parent_op(), Operation)]
    return [op.name.partition(".")[2] for op in inside if "sym_name" not in op.properties]


@pytest.fixture(scope="module")
def kernel() -> ModuleOp:
    return parse(KERNEL)


@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("wanted", "left"),
    [
        ("sqrt", ["constant", "sqrt", "return"]),
        ("for", ["constant", "for", "continue", "return"]),
        ("if", ["constant", "if", "yield", "return"]),
        ("iota", ["iota", "return"]),
    ],
)
def test_one_op_is_left(kernel: ModuleOp, wanted: str, left: list[str]):
    small = reduce(kernel, has(f"cuda_tile.{wanted}"))
    assert names(small) == left
    (entry,) = [op for op in walk(small) if isinstance(op, ct.EntryOp)]
    assert not entry.body.block.args
    assert entry.optimization_hints is None


def test_store_keeps_its_pointer_only(kernel: ModuleOp):
    small = reduce(kernel, has("cuda_tile.store_ptr_tko"))
    assert names(small)[-2:] == ["store_ptr_tko", "return"]
    (store,) = [op for op in walk(small) if isinstance(op, ct.StorePtrOp)]
    assert len(store.operands) == 2
    assert isinstance(store.operands[1].type, ct.TileType)
    assert store.operands[1].type.get_shape() in ((), (1,))


def test_carried_value_that_matters_stays(kernel: ModuleOp):
    def carries_token(module: ModuleOp) -> bool:
        loops = [op for op in walk(module) if isinstance(op, ct.ForOp)]
        return any(isinstance(result.type, ct.TokenType) for op in loops for result in op.results)

    small = reduce(kernel, carries_token)
    (loop,) = [op for op in walk(small) if isinstance(op, ct.ForOp)]
    assert [type(result.type) for result in loop.results] == [ct.TokenType]


def test_not_interesting(kernel: ModuleOp):
    with pytest.raises(NotInteresting, match="not interesting to begin with"):
        reduce(kernel, lambda _: False)


def test_candidates_are_smaller_and_valid(kernel: ModuleOp):
    sizes: list[tuple[int, ...]] = []

    def test(module: ModuleOp) -> bool:
        assert is_valid(module)
        sizes.append(measure(module))
        return has("cuda_tile.addf")(module)

    reduce(kernel, test)
    assert all(size < sizes[0] for size in sizes[1:])


def test_again_and_in_parallel(kernel: ModuleOp):
    """The result is an end, and jobs do not change it."""
    wanted = has("cuda_tile.addf")
    small = reduce(kernel, wanted)
    seen: list[Progress] = []
    assert str(reduce(small, wanted, on_progress=seen.append)) == str(small)
    assert seen[-1].kept == 0
    assert str(reduce(kernel, wanted, jobs=3)) == str(small)
    assert str(kernel) == str(parse(KERNEL))


@pytest.mark.every(3, first=1)
@pytest.mark.parametrize(
    ("stage", "wanted"),
    [
        ("tileaa", "scf.if"),
        ("tileas", "math.sqrt"),
        ("nvgpu", "scf.if"),
        ("nvvm", "llvm.cond_br"),
    ],
)
def test_levels(kernel: ModuleOp, stage: ModuleStage, wanted: str):
    module = run_steps(kernel.clone(), select_steps(to=stage))
    if not has(wanted)(module):
        wanted = next(op.name for op in reversed(walk(module)) if len(op.operands) == 2)
    small = reduce(module, has(wanted))
    assert has(wanted)(small)
    assert count_ops(small) <= max(count_ops(module) // 3, 8)


@pytest.mark.long
def test_random_program():
    module = random_program(1).module
    wanted = [op.name for op in walk(module) if op.results][-1]
    small = reduce(module, has(wanted))
    assert is_valid(small)
    assert count_ops(small) < 12


def test_every_strategy_finds_something(kernel: ModuleOp):
    """No strategy is dead code: each has edits for one of these."""
    lowered = run_steps(kernel.clone(), select_steps(to="nvvm"))
    for strategy in STRATEGIES:
        assert strategy.find(kernel) or strategy.find(lowered), strategy.name
