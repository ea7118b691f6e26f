"""Other CTAs and the previous grid, next to tile programs at all levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tileiras_xdsl import explore, load, run
from tileiras_xdsl.inspection.exploration.exploration import Exploration
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.environment import (
    AwaitAcquire,
    Other,
    OtherBlock,
    PreviousGrid,
    Read,
    Release,
    Write,
)

from .launching import is_clean, kernel, levels_of, load_of, moved, outcome, report, store_of

Array = npt.NDArray[Any]
SEEDS = range(4)
STAGES = ("cuda-tile", "tileaa", "tileas", "nvgpu", "nvvm")

FLAG = f"""
%eight = constant <i32: 8> : tile<i32>
%sixteen = constant <i32: 16> : tile<i32>
{moved("out", "%sixteen")}
%f = offset %a, %eight : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
"""
"""`%f` is a pointer to a flag, `%out` are pointers behind it."""


def spin(how: str = "acquire device") -> str:
    """`%spin_t` is the token behind a loop that waits for the flag."""
    return f"""
    %spin_t = loop iter_values(%w = %t0) : token -> token {{
      %v, %v_t = load_ptr_tko {how} %f token=%w : tile<ptr<i32>> -> tile<i32>, token
      %is_set = cmpi not_equal %v, %zero, signed : tile<i32> -> tile<i1>
      if %is_set {{ break %v_t : token }}
      continue %v_t : token
    }}
    """


def read(token: str, how: str = "acquire device") -> str:
    """Waits for the flag, and copies what `%p` points to, after a token, to `%out`."""
    return kernel(
        FLAG + spin(how) + load_of("d", token) + store_of("o", "%d_t", "%d", pointers="%out")
    )


def publish(token: str, how: str = "release device") -> str:
    """Writes to `%p`, and then, after a token, sets the flag."""
    return kernel(
        FLAG
        + store_of("s", "%t0")
        + f"%f_t = store_ptr_tko {how} %f, %one token={token} : tile<ptr<i32>>, tile<i32> -> token"
    )


class Arguments:
    """An array that has data in front, a flag behind it, and room for a copy."""

    def __init__(self) -> None:
        self.array = np.zeros(32, np.int32)

    def publish(self, scope: str = "gpu") -> OtherBlock:
        """Another CTA that writes the data, and then sets the flag."""
        data = Write(self.array, slice(0, 4), [4, 5, 6, 7])
        return OtherBlock([data, Release(self.array, 8, 1, scope)])


Others = Callable[[Arguments], Sequence[Other]]


def errors(text: str, others: Others, **options: Any) -> list[str]:
    """What is reported at levels 0 and 1, by all seeds."""
    found: list[str] = []
    for module in levels_of(text):
        for seed in SEEDS:
            arguments = Arguments()
            given = others(arguments)
            error = outcome(
                module, [arguments.array], check=True, seed=seed, others=given, **options
            )
            found.append("" if error is None else str(error))
    return found


def published(arguments: Arguments) -> Sequence[Other]:
    """Another CTA that writes the data, and then sets the flag."""
    return [arguments.publish()]


def awaited(arguments: Arguments) -> Sequence[Other]:
    """Another CTA that waits for the flag, and reads the data."""
    into: list[Array] = []
    array = arguments.array
    return [OtherBlock([AwaitAcquire(array, 8, 1), Read(array, slice(0, 4), into.append)])]


def depends(arguments: Arguments) -> Sequence[Other]:
    """The previous grid writes the data."""
    arguments.array[:4] = [4, 5, 6, 7]
    return [PreviousGrid([arguments.array[:4]])]


# Races


def test_reads_behind_an_acquire() -> None:
    assert errors(read("%spin_t"), published) == [""] * 8
    for text in (read("%t0"), read("%spin_t", "relaxed device"), read("%spin_t", "acquire tl_blk")):
        assert all("another CTA" in error for error in errors(text, published))
    narrow = errors(read("%spin_t"), lambda arguments: [arguments.publish("cta")])
    assert all("another CTA" in error for error in narrow)


def test_reads_of_another_cta() -> None:
    assert errors(publish("%s_t"), awaited) == [""] * 8
    for text in (publish("%t0"), publish("%s_t", "relaxed device"), publish("%s_t", "weak")):
        assert all("another CTA reads 'a[" in error for error in errors(text, awaited))


def wait(token: str) -> str:
    """Waits for the previous grid, and copies, after a token, what it has written."""
    load = load_of("d", token) + store_of("o", "%d_t", "%d", pointers="%out")
    return kernel(FLAG + "%wait_t = gdc_wait_tko token=%t0 -> token\n" + load)


def test_reads_behind_the_previous_grid() -> None:
    assert errors(wait("%wait_t"), depends) == [""] * 8
    early = errors(wait("%t0"), depends)
    assert all("reads 'a[0]' in a race with the previous grid" in error for error in early)
    write = kernel(FLAG + store_of("s", "%t0") + "%wait_t = gdc_wait_tko token=%t0 -> token")
    assert all("the previous grid" in error for error in errors(write, depends))


def test_what_is_read_before_the_previous_grid_is_over() -> None:
    text = kernel(FLAG + load_of("d", "%t0") + store_of("o", "%d_t", "%d", pointers="%out"))
    for module in levels_of(text):
        arguments = Arguments()
        run(module, grid=1, args=[arguments.array], others=depends(arguments))
        assert (arguments.array[16:20] != arguments.array[:4]).all()
        assert arguments.array[:4].tolist() == [4, 5, 6, 7]


IN_TURN = FLAG + f"""
%is_first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
if %is_first {{
  {spin()}
  {load_of("d", "%spin_t")}
  {store_of("o", "%d_t", "%d", pointers="%out")}
}} else {{
  {store_of("s", "%t0")}
  %f_t = store_ptr_tko release device %f, %one token=%s_t : tile<ptr<i32>>, tile<i32> -> token
}}
"""  # fmt: skip
"""The first CTA waits until another one has written, and copies that."""

# Compiled programs


@pytest.fixture(scope="module")
def compiled() -> dict[str, Exploration]:
    """Programs that keep the order."""
    texts = {
        "read": read("%spin_t"),
        "publish": publish("%s_t"),
        "wait": wait("%wait_t"),
        "in turn": kernel(IN_TURN),
    }
    return {
        name: explore(f"cuda_tile.module @m {{ {text} }}", gpu="sm_90")
        for name, text in texts.items()
    }


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    ("name", "others"), [("read", published), ("publish", awaited), ("wait", depends)]
)
def test_all_levels(
    compiled: dict[str, Exploration], name: str, others: Others, stage: str
) -> None:
    for seed in SEEDS:
        arguments = Arguments()
        given = others(arguments)
        compiled[name].run(1, [arguments.array], step=stage, check=True, seed=seed, others=given)
        if name != "publish":
            assert arguments.array[16:20].tolist() == [4, 5, 6, 7]


# CTAs that wait for each other


@pytest.mark.parametrize("check", [False, True])
def test_cta_that_waits_for_a_later_one(check: bool) -> None:
    for module in levels_of(kernel(IN_TURN)):
        for seed in (None, *SEEDS):
            array = np.zeros(32, np.int32)
            run(module, grid=2, args=[array], check=check, seed=seed)
            assert array[16:20].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("stage", STAGES)
def test_compiled_cta_that_waits_for_a_later_one(
    compiled: dict[str, Exploration], stage: str
) -> None:
    for seed in SEEDS:
        array = np.zeros(32, np.int32)
        compiled["in turn"].run(2, [array], step=stage, check=True, seed=seed, side_by_side=True)
        assert array[16:20].tolist() == [0, 1, 2, 3]


def test_memory_of_ctas_that_wait_for_each_other() -> None:
    own = "%own = alloca num_elem = 4, alignment = 16 : tile<ptr<i32>>\n"
    assert is_clean(load(kernel(own + IN_TURN)), [np.zeros(32, np.int32)], grid=2)


def test_race_of_ctas_that_wait_for_each_other() -> None:
    early = load(kernel(IN_TURN.replace("token=%spin_t", "token=%t0")))
    assert "in a race with" in str(report(early, [np.zeros(32, np.int32)], grid=2))


@pytest.mark.parametrize("grid", [1, 2])
def test_cta_that_waits_forever(grid: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tileiras_xdsl.interpreter.schedule.MOST_ROUNDS", 10)
    error = report(load(kernel(FLAG + spin())), [np.zeros(32, np.int32)], check=(), grid=grid)
    assert "'cuda_tile.load_ptr_tko' op reads the same memory again and again" in str(error)


def test_error_while_another_cta_waits() -> None:
    fails = IN_TURN.replace("} else {", '} else {\n assert %is_first, "no" : tile<i1>')
    error = report(load(kernel(fails)), [np.zeros(32, np.int32)], check=(), grid=2)
    assert "failed: no" in str(error)


def test_others_in_one_process_only() -> None:
    arguments = Arguments()
    error = report(
        load(read("%spin_t")), [arguments.array], (), others=published(arguments), processes=2
    )
    assert "processes=1" in str(error)


def test_steps_that_are_never_met() -> None:
    array = np.zeros(32, np.int32)

    def is_large(value: int) -> bool:
        return value > 3

    others = [OtherBlock([AwaitAcquire(array, 8, is_large)])]
    with pytest.raises(ExecutionError, match=r"another CTA waits until 'a' holds .* it holds 0"):
        run(load(kernel("")), grid=1, args=[array], others=others)
