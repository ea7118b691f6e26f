"""A seed shuffles CTAs, and accesses that no token orders; nothing else changes."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl import load
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.interpreter.tokens import (
    MOST_WAITING,
    START,
    AccessOrdering,
    Event,
    Shuffle,
    Token,
)
from tileiras_xdsl.pipeline import select_steps

from ..harness.passes import lower_through, run_steps
from .launching import add_of, kernel, levels_of, load_of, moved, store_of

I32 = np.int32
SEEDS = range(24)


def result(module: ModuleOp, seed: int | None, size: int = 16, grid: int = 1) -> tuple[int, ...]:
    data = np.zeros(size, I32)
    run(module, grid=grid, args=[data], seed=seed)
    return tuple(data.tolist())


def results(text: str, size: int = 16, grid: int = 1) -> set[tuple[int, ...]]:
    """All that memory holds after runs with seeds, the same at both levels."""
    found = [{result(module, seed, size, grid) for seed in SEEDS} for module in levels_of(text)]
    assert found[0] == found[1]
    return found[0]


EIGHT = "%eight = constant <i32: 8> : tile<i32>\n" + moved("out", "%eight")


def copy_after(token: str) -> str:
    """Stores ones, loads from there after a token, and stores elsewhere what was loaded."""
    return kernel(
        EIGHT
        + store_of("s", "%t0", value="%ones")
        + load_of("v", token)
        + store_of("w", "%t0", value="%v", pointers="%out")
    )


def test_load_may_come_before_an_unordered_store() -> None:
    seen = {memory[8:12] for memory in results(copy_after("%t0"))}
    assert seen == {(0, 0, 0, 0), (1, 1, 1, 1)}


def test_token_orders_a_load_after_a_store() -> None:
    assert results(copy_after("%s_t")) == {(1,) * 4 + (0,) * 4 + (1,) * 4 + (0,) * 4}


def test_order_of_the_program_without_a_seed() -> None:
    for module in levels_of(copy_after("%t0")):
        assert result(module, None)[8:12] == (1, 1, 1, 1)


def test_unordered_stores() -> None:
    both = kernel(store_of("s", "%t0", value="%ones") + store_of("u", "%t0"))
    assert {memory[:4] for memory in results(both)} == {(1, 1, 1, 1), (0, 1, 2, 3)}
    chain = kernel(store_of("s", "%t0", value="%ones") + store_of("u", "%s_t"))
    assert {memory[:4] for memory in results(chain)} == {(0, 1, 2, 3)}


def test_a_chain_waits_as_a_whole() -> None:
    text = kernel(
        EIGHT
        + store_of("s", "%t0", value="%ones")
        + store_of("u", "%s_t")
        + load_of("v", "%t0")
        + store_of("w", "%t0", value="%v", pointers="%out")
    )
    seen = {memory[8:12] for memory in results(text)}
    assert seen == {(0, 0, 0, 0), (1, 1, 1, 1), (0, 1, 2, 3)}


def test_join_orders_after_all() -> None:
    text = kernel(
        EIGHT
        + store_of("s", "%t0", value="%ones")
        + store_of("u", "%t0", pointers="%out")
        + "%j = join_tokens %s_t, %u_t : token\n"
        + load_of("v", "%j")
        + store_of("w", "%v_t", value="%v", pointers="%out")
    )
    assert {memory[8:12] for memory in results(text)} == {(1, 1, 1, 1)}


def test_atomics_see_what_tokens_order() -> None:
    text = kernel(EIGHT + store_of("s", "%t0") + add_of("r", "%s_t"))
    assert {memory[:4] for memory in results(text)} == {(1, 2, 3, 4)}


LOOP = """
  %n = constant <i32: 12> : tile<i32>
  %tv = make_tensor_view %a, shape = [48], strides = [1] : tensor_view<48xi32, strides=[1]>
  %pv = make_partition_view %tv : partition_view<tile=(4), tensor_view<48xi32, strides=[1]>>
  for %i in (%zero to %n, step %one) : tile<i32> {
    %r = reshape %i : tile<i32> -> tile<1xi32>
    %b = broadcast %r : tile<1xi32> -> tile<4xi32>
    %t1 = store_view_tko weak %b, %pv[%i]
      : tile<4xi32>, partition_view<tile=(4), tensor_view<48xi32, strides=[1]>>, tile<i32> -> token
    %t2 = atomic_red_view_tko relaxed device %pv[%i], add, %ones token = %t1
      : tile<4xi32>, partition_view<tile=(4), tensor_view<48xi32, strides=[1]>>, tile<i32> -> token
  }
"""


def test_what_waits_keeps_its_values() -> None:
    """Stores of a loop go where and hold what they did when the program came by."""
    expected = tuple(np.repeat(np.arange(12) + 1, 4).tolist())
    assert results(kernel(LOOP), size=48) == {expected}


def test_more_accesses_than_may_wait() -> None:
    count = 3 * MOST_WAITING
    text = kernel(LOOP.replace("12>", f"{count}>").replace("48", str(4 * count)))
    expected = tuple(np.repeat(np.arange(count) + 1, 4).tolist())
    for seed in range(3):
        assert result(load(text), seed, size=4 * count) == expected


def test_same_seed_same_result() -> None:
    text = kernel(
        "".join(store_of(f"s{n}", "%t0", "%lanes" if n % 2 else "%ones") for n in range(6))
        + moved("q", "%x")
        + store_of("u", "%t0", pointers="%q")
    )
    module = load(text)
    for seed in SEEDS:
        assert result(module, seed, grid=5) == result(module, seed, grid=5)
    assert len({result(module, seed, grid=5) for seed in SEEDS}) > 2


def test_ctas_are_shuffled() -> None:
    text = kernel(moved("q", "%x") + store_of("s", "%t0", pointers="%q"))
    plain = result(load(text), None, grid=4)
    assert plain[:7] == (0, 0, 0, 0, 1, 2, 3)
    assert len(results(text, grid=4)) > 4


def test_every_cta_runs_once() -> None:
    text = kernel('print_tko "%d %d %d\\0A", %x, %y, %z : tile<i32>, tile<i32>, tile<i32> -> token')
    outputs: list[str] = []
    for seed in (None, 1, 2):
        with redirect_stdout(io.StringIO()) as output:
            run(text, grid=(3, 2, 2), args=[np.zeros(4, I32)], seed=seed)
        outputs.append(output.getvalue())
    lines = [output.splitlines() for output in outputs]
    assert lines[0] == [f"{x} {y} {z}" for z in range(2) for y in range(2) for x in range(3)]
    assert sorted(lines[0]) == sorted(lines[1]) == sorted(lines[2])
    assert lines[0] != lines[1] != lines[2] != lines[0]


# Orders that tokens allow


def event(number: int) -> Event:
    from tileiras_xdsl.dialects import cuda_tile as ct

    op = ct.MakeTokenOp.create()
    return Event(op, AccessOrdering(False, False, False, False), (0, 0, 0), 0, number)


def test_shuffle_keeps_the_order_of_tokens() -> None:
    """Random graphs: everything happens once, after all that its token says."""
    from random import Random

    for seed in range(60):
        random = Random(seed)
        shuffle = Shuffle(seed, (0, 0, 0))
        happened: list[int] = []
        tokens: list[Token] = []
        before: list[int] = []

        def note(number: int, happened: list[int] = happened) -> Callable[[], None]:
            return lambda: happened.append(number)

        for number in range(30):
            token = random.choice([START, *tokens])
            before.append(token.own)
            if random.random() < 0.6:
                shuffle.add(number, token, note(number))
            else:
                shuffle.before(token)
                happened.append(number)
            tokens.append(token.after(event(number)))
        shuffle.finish()
        assert sorted(happened) == list(range(30))
        for number, bits in enumerate(before):
            for earlier in range(30):
                if bits >> earlier & 1:
                    assert happened.index(earlier) < happened.index(number)


def test_scalars_of_one_thread_stay_in_order() -> None:
    """Without tokens, too: one thread stores a scalar and then adds to it."""
    text = kernel("""
      %stored = store_ptr_tko release device %a, %zero token=%t0
        : tile<ptr<i32>>, tile<i32> -> token
      %old, %added = atomic_rmw_tko release device %a, add, %one token=%stored
        : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    """)
    module = load(text)
    run_steps(module, select_steps(0, to="tileas"), "sm_90a")
    assert {result(module, seed, 1) for seed in SEEDS} == {(1,)}


# Whole kernels


CORPUS = Path(__file__).parents[2] / "corpus" / "bytecode" / "13.4"


@pytest.mark.parametrize("name", ["bitonic_sort", "long_prefix_sum", "aliased_arrays"])
def test_kernels_of_the_front_end_ask_for_their_order(name: str) -> None:
    """A seed changes nothing of a program that orders what it must."""
    from tileiras_xdsl.interpreter.elements import dtype_of
    from tileiras_xdsl.interpreter.run import choose_entry
    from tileiras_xdsl.interpreter.values import element_of, pointee_of

    (path,) = CORPUS.glob(f"{name}.*")
    module = load(path)
    values = np.random.default_rng(1).integers(0, 50, 1 << 12)
    outcomes: list[list[bytes]] = []
    for seed in (None, 1, 2, 3):
        args = [
            values.astype(dtype_of(pointee_of(argument.type)))
            if "ptr" in str(argument.type)
            else dtype_of(element_of(argument.type)).type(64)
            for argument in choose_entry(module, None).regions[0].block.args
        ]
        run(module, grid=1, args=args, seed=seed)
        outcomes.append([np.asarray(argument).tobytes() for argument in args])
    assert all(outcome == outcomes[0] for outcome in outcomes)


STRONG_SCALARS = """
entry @k(%x: tile<ptr<i32>>, %out: tile<ptr<i32>>) {
  %one = constant <i32: 1> : tile<i32>
  %a = store_ptr_tko ORDER %x, %one : tile<ptr<i32>>, tile<i32> -> token
  %v, %b = load_ptr_tko relaxed sys %x token=%a : tile<ptr<i32>> -> tile<i32>, token
  %c = store_ptr_tko weak %out, %v : tile<ptr<i32>>, tile<i32> -> token
  return
}
"""


@pytest.mark.parametrize("order", ["weak", "relaxed gpu", "release gpu"])
def test_one_thread_executes_strong_accesses_of_scalars_in_order(order: str) -> None:
    """Tokens are gone, and no barrier is needed: a strong load is executed by the same thread."""
    module = load(STRONG_SCALARS.replace("ORDER", order))
    for lowered in lower_through(module, "tileas", "nvgpu").values():
        for seed in SEEDS:
            arrays = [np.zeros(1, I32), np.zeros(1, I32)]
            run(lowered, grid=1, args=arrays, check=True, seed=seed)
            assert arrays[1][0] == 1
