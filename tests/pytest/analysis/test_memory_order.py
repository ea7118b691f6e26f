"""What may overtake what, asked of declared effects."""

from itertools import product

import pytest
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation

from tileiras_xdsl.analysis.memory_order import (
    Ordering,
    follows_loads,
    grid_waits_before,
    is_independent,
    is_invariant,
    may_be_hoisted_across,
    may_move_above,
    may_move_before,
    ordering,
)
from tileiras_xdsl.dialects.memory_order import Effect, effects_of, own_effects
from tileiras_xdsl.dialects.nv_tileaa.views import TiledLoadOp
from tileiras_xdsl.frontend.load import load

from ..harness.passes import lower

READ, WRITE = Effect.READ, Effect.WRITE
RELAXED = READ | Effect.ATOMIC
ACQUIRE = RELAXED | Effect.ACQUIRE
RELEASE = WRITE | Effect.ATOMIC | Effect.RELEASE
UPDATE = READ | WRITE | Effect.ATOMIC
ALL = (Effect.FENCE, Effect.GRID_WAIT, Effect.GRID_LAUNCH)


def test_effects_are_combined_by_their_bits():
    effects = (Effect.NONE, *Effect, RELAXED, ACQUIRE, RELEASE, UPDATE)
    for first, second in product(effects, repeat=2):
        for combined, bits in (
            (first | second, first.value | second.value),
            (first & second, first.value & second.value),
        ):
            assert combined == Effect(bits)
            assert combined.value == bits
            assert bool(combined) == (bits != 0)


@pytest.mark.parametrize("second", [READ, WRITE, RELAXED, ACQUIRE, RELEASE, UPDATE, *ALL])
@pytest.mark.parametrize("first", [ACQUIRE, Effect.FENCE, Effect.GRID_WAIT])
def test_nothing_overtakes_what_acquires(first: Effect, second: Effect):
    assert ordering(first, second) is Ordering.ALWAYS


@pytest.mark.parametrize("first", [READ, WRITE, RELAXED, ACQUIRE, RELEASE, UPDATE, *ALL])
@pytest.mark.parametrize("second", [RELEASE, *ALL])
def test_what_releases_overtakes_nothing(first: Effect, second: Effect):
    assert ordering(first, second) is Ordering.ALWAYS


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (READ, READ, Ordering.FREE),
        (READ, WRITE, Ordering.SAME_MEMORY),
        (WRITE, READ, Ordering.SAME_MEMORY),
        (WRITE, WRITE, Ordering.SAME_MEMORY),
        (UPDATE, READ, Ordering.SAME_MEMORY),
        (RELAXED, READ, Ordering.FREE),
        (RELAXED, RELAXED, Ordering.SAME_MEMORY),
        (READ, ACQUIRE, Ordering.FREE),
        (RELEASE, READ, Ordering.SAME_MEMORY),
        (Effect.GRID_LAUNCH, READ, Ordering.FREE),
        (Effect.GRID_LAUNCH, WRITE, Ordering.FREE),
        (Effect.PRINT, READ, Ordering.FREE),
        (Effect.PRINT, Effect.PRINT, Ordering.ALWAYS),
        (Effect.ASSERT, READ, Ordering.FREE),
        (Effect.ASSERT, WRITE, Ordering.ALWAYS),
        (Effect.ASSERT, Effect.PRINT, Ordering.ALWAYS),
        (Effect.NONE, WRITE, Ordering.FREE),
    ],
)
def test_other_pairs(first: Effect, second: Effect, expected: Ordering):
    assert ordering(first, second) is expected


def test_unknown_effects_are_in_order_with_all_others():
    for first, second in product(Effect, Effect):
        if Effect.UNKNOWN in (first, second):
            assert ordering(first, second) is Ordering.ALWAYS


def test_more_effects_are_never_in_less_order():
    ranks = list(Ordering)
    effects = [READ, WRITE, ACQUIRE, RELEASE, UPDATE, Effect.PRINT, Effect.ASSERT, *ALL]
    for first, second, more in product(effects, effects, effects):
        before = ranks.index(ordering(first, second))
        assert ranks.index(ordering(first | more, second)) >= before
        assert ranks.index(ordering(first, second | more)) >= before


KERNEL = """
"gpu.module"() <{sym_name = "m"}> ({
  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %n: i32):
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    BEFORE
    scf.for %i = %zero to %n step %one : i32 {
      %x = nv_tileaa.load %p MARK : !llvm.ptr<1> -> i32
      IN_LOOP
      "test.pureop"(%x) : (i32) -> ()
    }
    AFTER
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()
"""
STORE = "nv_tileaa.store %q, %one : !llvm.ptr<1>, i32"
LOCAL_STORE = (
    "%b = nv_tileaa.alloca {num_elem = 1 : i64, alignment = 4 : i64, elem_type = i32} "
    ": !llvm.ptr<1>\n nv_tileaa.store %b, %one : !llvm.ptr<1>, i32"
)
LOCAL_RELEASE = LOCAL_STORE.replace(
    "%b, %one :", '%b, %one {mem_semantic = "release", mem_scope = "gpu"} :'
)
"""Lets another CTA change memory."""
WAIT = "nv_tileaa.gdc_wait_tko {}"
STRONG = (
    '%f = nv_tileaa.load %q {mem_semantic = "SEMANTIC", mem_scope = "gpu"} : !llvm.ptr<1> -> i32'
)
ACQUIRING = STRONG.replace("SEMANTIC", "acquire")
PRINT = 'nv_tileaa.print "x"'


def kernel(before: str = "", mark: str = "", in_loop: str = "", after: str = "") -> Operation:
    text = KERNEL.replace("BEFORE", before).replace("MARK", mark and f"{{{mark}}}")
    module = load(text.replace("IN_LOOP", in_loop).replace("AFTER", after))
    return next(op for op in module.walk() if isinstance(op, FuncOp))


def load_of(function: Operation) -> Operation:
    return next(op for op in function.walk() if own_effects(op) == READ)


@pytest.mark.parametrize(
    ("before", "in_loop", "independent", "ahead"),
    [
        ("", "", True, True),
        (STORE, "", False, False),
        ("", STORE, False, False),
        (WAIT, "", False, True),
        ("", WAIT, False, True),
        (f"{WAIT}\n{STORE}", "", False, False),
        (ACQUIRING, "", False, False),
        ("", ACQUIRING, False, False),
        (STRONG.replace("SEMANTIC", "relaxed"), "", True, True),
        ('"gpu.barrier"() : () -> ()', "", False, False),
        ('"test.op"() : () -> ()', "", False, False),
        (PRINT, PRINT, True, True),
    ],
)
def test_what_has_to_be_done_before_a_load(
    before: str, in_loop: str, independent: bool, ahead: bool
):
    found = load_of(kernel(before, "", in_loop, STORE))
    assert is_independent(found) == independent
    assert may_be_hoisted_across(found) == ahead
    assert len(grid_waits_before(found)) == (before + in_loop).count(WAIT)


def test_marks_tell_more_than_the_text():
    for effect in (STORE, ACQUIRING, WAIT):
        assert is_independent(load_of(kernel(effect, "nv_tileaa.independent")))
        behind = load_of(kernel(effect, "nv_tileaa.after_grid_wait"))
        assert may_be_hoisted_across(behind)
        assert is_independent(behind) == (effect != WAIT)


@pytest.mark.parametrize(
    ("before", "after", "mark", "invariant"),
    [
        ("", "", "", True),
        ("", PRINT, "", True),
        ("", STORE, "", False),
        (STORE, "", "", False),
        (LOCAL_STORE, "", "", True),
        ("", STORE, "nv_tileaa.invariant", True),
        (LOCAL_RELEASE, "", "", False),
        ("", '"test.op"() : () -> ()', "", False),
    ],
)
def test_what_no_op_of_the_kernel_changes(before: str, after: str, mark: str, invariant: bool):
    assert is_invariant(load_of(kernel(before, mark, "", after))) == invariant


VIEW = "partition_view<tile=(4), tensor_view<64xi32, strides=[1]>>"
SAME_TILE = f"""
entry @kernel(%p: tile<ptr<i32>>, %n: tile<i32>) {{
  %start = make_token : token
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %tensor = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
  %view = make_partition_view %tensor : {VIEW}
  for %k in (%zero to %n, step %one) : tile<i32> {{
    %x, %t = load_view_tko weak %view[%k] token = %start : {VIEW}, tile<i32> -> tile<4xi32>, token
    %y = addi %x, %x : tile<4xi32>
    %u = store_view_tko weak %y, %view[%k] token = %t : tile<4xi32>, {VIEW}, tile<i32> -> token
  }}
  return
}}
"""


def test_what_an_iteration_changes_after_a_load():
    """Other iterations have other tiles, but the store of the same one has the same tile."""
    module = lower(load(SAME_TILE), "tileaa")
    found = next(op for op in module.walk() if isinstance(op, TiledLoadOp))
    assert not is_invariant(found)


def test_loads_move_up_to_what_they_may_not_overtake():
    text = f"%y = nv_tileaa.load %p : !llvm.ptr<1> -> i32\n{STORE}\n"
    for effect, may in ((ACQUIRING, False), (WAIT, False), (PRINT, True)):
        function = kernel(text, "", "", f"{effect}\n%z = nv_tileaa.load %p : !llvm.ptr<1> -> i32")
        *_, last = (op for op in function.walk() if own_effects(op) == READ)
        loop = next(op for op in function.walk() if op.name == "scf.for")
        assert may_move_before(last, loop) == may
        store = next(op for op in function.walk() if own_effects(op) == WRITE)
        assert not may_move_before(last, store)
        assert not may_move_above(last, store)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (STORE, True),
        (STRONG.replace("SEMANTIC", "acquire"), False),
        (
            'nv_tileaa.store %q, %one {mem_semantic = "release", mem_scope = "gpu"} '
            ": !llvm.ptr<1>, i32",
            True,
        ),
        ("nv_tileaa.gdc_launch_dependents_tko {}", True),
        (WAIT, False),
        (PRINT, False),
        ('"gpu.barrier"() : () -> ()', False),
    ],
)
def test_what_loads_have_to_be_done_before(text: str, expected: bool):
    op = next(
        op
        for op in kernel(after=text).walk()
        if own_effects(op) and own_effects(op) != READ and not op.regions
    )
    assert follows_loads(op) == expected


def test_a_loop_has_the_effects_of_its_body():
    function = kernel("", "", f"{STORE}\n{PRINT}")
    loop = next(op for op in function.walk() if op.name == "scf.for")
    assert effects_of(loop) == READ | WRITE | Effect.PRINT
    assert own_effects(loop) == Effect.NONE
