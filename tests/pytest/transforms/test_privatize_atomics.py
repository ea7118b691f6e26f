"""
Kernels whose atomics update a copy in shared memory first give what the others give, at every
level, however many CTAs share the work; atomics that others could see too late stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl import load
from tileiras_xdsl.analysis.privatization import PrivateAtomics
from tileiras_xdsl.dialects.nv_tileaa.decisions import PRIVATIZED
from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.environment import Add, AwaitAcquire, OtherBlock, Write
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import MODULE_STAGES, ModuleStage, select_steps
from tileiras_xdsl.transforms.tileaa.privatize_atomics import PrivatizeAtomicsPass

from ..harness.passes import applied, lower, lower_through, run_steps
from ..harness.remarks import asked, messages
from ..harness.running import Array, assert_same_bits

TILE, TILES = 64, 9
INTS = f"tile<{TILE}xi32>"
POINTER_TILE = f"tile<{TILE}xptr<i32>>"
X = f"tensor_view<{TILE * TILES}xi32, strides=[1]>"
VIEW = f"partition_view<tile=({TILE}), {X}>"

FRAME = f"""
cuda_tile.module @m {{
  entry @k(%x: tile<ptr<i32>>, %c: tile<ptr<i32>>, %n: tile<i32>, %s: tile<i32>) {{
    %t = make_token : token
    %i, %j, %k = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %ones = constant <i32: 1> : {INTS}
    %low = constant <i32: 15> : {INTS}
    %tensor = make_tensor_view %x, shape = [{TILE * TILES}], strides = [1] : {X}
    %view = make_partition_view %tensor : {VIEW}
    %c1 = reshape %c : tile<ptr<i32>> -> tile<1xptr<i32>>
    %cs = broadcast %c1 : tile<1xptr<i32>> -> {POINTER_TILE}
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %ns = broadcast %n1 : tile<1xi32> -> {INTS}
    %s1 = reshape %s : tile<i32> -> tile<1xi32>
    %ss = broadcast %s1 : tile<1xi32> -> {INTS}
    BODY
    return
  }}
}}
"""

LOAD = f"%v, %tv = load_view_tko weak %view[%i] token=%t : {VIEW}, tile<i32> -> {INTS}, token\n"
MASK = f"%m = cmpi less_than %v, %ns, unsigned : {INTS} -> tile<{TILE}xi1>\n"
POINTERS = f"%p = offset %cs, INDEX : {POINTER_TILE}, {INTS} -> {POINTER_TILE}\n"
UPDATE = (
    "%old, %told = atomic_rmw_tko relaxed device %p, MODE, VALUE, %m token=%t : "
    f"{POINTER_TILE}, {INTS}, tile<{TILE}xi1> -> {INTS}, token\n"
)


def update(index: str = "%v", mode: str = "add", value: str = "%ones") -> str:
    """An atomic on the elements at some indices."""
    text = POINTERS.replace("INDEX", index) + UPDATE
    return text.replace("MODE", mode).replace("VALUE", value)


IN_LOOP = f"""
    for %l in (%zero to %two, step %one) : tile<i32> {{
      %at = addi %i, %l : tile<i32>
      %v, %tv = load_view_tko weak %view[%at] token=%t : {VIEW}, tile<i32> -> {INTS}, token
      {MASK}{update()}
    }}
"""
IN_BRANCH = f"""
    {LOAD}{MASK}
    %is_small = cmpi less_than %i, %s, signed : tile<i32> -> tile<i1>
    if %is_small {{
      {update()}
    }}
"""
ROWS = f"""
    {LOAD}{MASK}
    %r = andi %v, %low : {INTS}
    %rs = muli %r, %ss : {INTS}
    %q = addi %rs, %v : {INTS}
    {update("%q")}
"""
MODES = ("add", "or", "xor", "and", "max", "min", "umax", "umin")
KERNELS = {
    "plain": LOAD + MASK + update(),
    "many": LOAD + MASK + update(value="%v"),
    "low": LOAD + MASK + f"%q = andi %v, %low : {INTS}\n" + update("%q"),
    "rows": ROWS,
    "loop": IN_LOOP,
    "branch": IN_BRANCH,
    **{mode: LOAD + MASK + update(mode=mode, value="%v") for mode in MODES[1:]},
}


def kernel(body: str) -> ModuleOp:
    """A kernel with a body, as it is written."""
    return load(FRAME.replace("BODY", body))


def privatized(
    module: ModuleOp, ctas: int | None = None, copy_bytes: int | None = None
) -> ModuleOp:
    """The kernel at level 1, with its atomics privatized."""
    steps = [step for step in select_steps(3, to="tileaa") if step.name != "privatize-atomics"]
    return applied(
        asked(run_steps(module.clone(), steps)),
        PrivatizeAtomicsPass(ctas=ctas, copy_bytes=copy_bytes),
    )


def has_copy(module: ModuleOp) -> bool:
    """Whether atomics update a copy."""
    return any(PRIVATIZED.is_on(op) for op in module.walk() if isinstance(op, AllocaOp))


def results(
    module: ModuleOp,
    size: int,
    stride: int = 3,
    *,
    grid: tuple[int, ...] = (TILES,),
    others: bool = False,
    seed: int = 0,
) -> list[Array]:
    """What a kernel, and others, make of an array."""
    generator = np.random.default_rng(7)
    x = generator.integers(-2, size + 2, TILE * TILES).astype(np.int32)
    counts = generator.integers(-(2**31), 2**31, 4 * size + 64).astype(np.int32)
    also = [OtherBlock([Add(counts, place, 5) for place in (1, 0, 1)])] if others else []
    run(module, grid=grid, args=[x, counts, size, stride], check=True, others=also, seed=seed)
    return [counts]


def levels(tiles: ModuleOp, last: ModuleStage = "nvgpu") -> Sequence[ModuleOp]:
    """A kernel at level 1, and at levels below."""
    stages = MODULE_STAGES[MODULE_STAGES.index("tileas") : MODULE_STAGES.index(last) + 1]
    return [tiles, *lower_through(tiles, *stages, after="tileaa").values()]


@pytest.mark.every(13, first=10)
@pytest.mark.parametrize("name", KERNELS)
def test_same_results(name: str):
    module = kernel(KERNELS[name])
    tiles = privatized(module, 2)
    assert has_copy(tiles)
    expected = results(module, 16)
    for each in levels(tiles, "nvvm" if name == "plain" else "nvgpu"):
        assert_same_bits(expected, results(each, 16), name)


@pytest.mark.every(5, first=4)
@pytest.mark.parametrize(
    ("ctas", "grid"), [(1, (TILES,)), (4, (TILES,)), (None, (3, 3)), (4, (3, 3)), (2, (1, 2, 2))]
)
def test_any_number_of_ctas(ctas: int | None, grid: tuple[int, ...]):
    module = kernel(KERNELS["plain"])
    tiles = privatized(module, ctas)
    expected = results(module, 16, grid=grid)
    for each in (tiles, lower(tiles, after="tileaa")):
        assert_same_bits(expected, results(each, 16, grid=grid))


@pytest.mark.every(7, first=4)
@pytest.mark.parametrize("size", [1, 31, 576, 1152, 1153, 16384, 16385])
def test_any_size(size: int):
    """Arrays that are too large for a copy, or for it to pay, are updated as before."""
    module = kernel(KERNELS["plain"])
    tiles = privatized(module, 1)
    expected = results(module, size)
    for each in (tiles, lower(tiles, after="tileaa")):
        assert_same_bits(expected, results(each, size))


@pytest.mark.part("kernels")
def test_size_of_the_copy():
    """Arrays of just as many elements as the copy has, and of one more."""
    module = kernel(KERNELS["plain"])
    threads = lower(privatized(module, 2, copy_bytes=4 * 64), after="tileaa")
    for size in (63, 64, 65):
        assert_same_bits(results(module, size), results(threads, size))


@pytest.mark.part("kernels")
def test_no_elements():
    """Without elements no mask is true."""
    tiles = privatized(kernel(KERNELS["plain"]), 1)
    x, counts = np.zeros(TILE * TILES, np.int32), np.arange(4, dtype=np.int32)
    for each in (tiles, lower(tiles, after="tileaa")):
        run(each, grid=TILES, args=[x, counts, 0, 1], check=True)
        assert (counts == np.arange(4)).all()


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("seed", range(2))
def test_other_ctas_add_at_the_same_time(seed: int):
    module = kernel(KERNELS["plain"])
    tiles = privatized(module, 2)
    expected = results(module, 16, others=True)
    for each in (tiles, lower(tiles, after="tileaa")):
        assert_same_bits(expected, results(each, 16, others=True, seed=seed))


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("order", ["release", "acq_rel"])
def test_released(order: str, monkeypatch: pytest.MonkeyPatch):
    """
    Who acquires the last update may overwrite what was read before it. If the final updates did
    not release that, it would be a race.
    """
    body = KERNELS["plain"].replace("relaxed", order)
    module = kernel(body.replace("%m token=%t ", "%m token=%tv "))
    tiles = privatized(module, 2)
    assert has_copy(tiles)
    for each in (module, *levels(tiles)):
        overwrite_after_updates(each)
    monkeypatch.setattr(PrivateAtomics, "semantic", "relaxed")
    threads = lower(privatized(module, 2), after="tileaa")
    with pytest.raises(ExecutionError, match="race"):
        overwrite_after_updates(threads)


def overwrite_after_updates(module: ModuleOp) -> None:
    """Another CTA waits for all updates of an element, then changes the input."""
    x, counts = np.zeros(TILE * TILES, np.int32), np.zeros(16, np.int32)
    steps = [AwaitAcquire(counts, 0, TILE * TILES), Write(x, ..., 3)]
    run(module, grid=TILES, args=[x, counts, 16, 1], check=True, others=[OtherBlock(steps)], seed=1)
    assert (x == 3).all()


def test_memory_that_is_not_updated_is_not_touched():
    """The array may end before its size says, where no index is that large."""
    tiles = privatized(kernel(KERNELS["low"]), 2)
    x = np.arange(TILE * TILES, dtype=np.int32)
    for each in (tiles, lower(tiles, after="tileaa")):
        counts = np.zeros(8, np.int32)
        run(each, grid=TILES, args=[x & 7, counts, 16, 1], check=True)
        assert (counts == TILE * TILES // 8).all()


def assert_same_counts(body: str, numbers: Array, *, size: int = 256, is_private: bool) -> None:
    """Compares counts of numbers, made by a kernel with a body as it is written, and lowered."""
    module = kernel(body)
    tiles = privatized(module, 1, copy_bytes=24 * 1024)
    assert has_copy(tiles) == is_private
    found: list[Array] = []
    for each in (module, tiles, lower(tiles, after="tileaa")):
        counts = np.zeros(size, np.int32)
        run(each, grid=TILES, args=[numbers, counts, 16, 1], check=True)
        found.append(counts)
    assert found[0].any()
    for counts in found[1:]:
        np.testing.assert_array_equal(found[0], counts)


@pytest.mark.part("kernels")
def test_bounds_of_several_atomics():
    """A copy has a power of two of elements; constant bounds have to be in it, like others."""
    body = f"""
    %zeros = constant <i32: 0> : {INTS}
    %most = constant <i32: 5000> : {INTS}
    %many = constant <i32: 16> : tile<i32>
    for %l in (%zero to %many, step %one) : tile<i32> {{
      {LOAD}{MASK}{update()}
      %w0 = maxi %v, %zeros signed : {INTS}
      %w1 = mini %w0, %most signed : {INTS}
      {update("%w1").replace("%p", "%p1").replace("%old, %told", "%old1, %told1")}
    }}
    """
    numbers = np.random.default_rng(0).integers(0, 16, TILE * TILES).astype(np.int32)
    assert_same_counts(body, numbers, size=5001, is_private=False)
    assert_same_counts(body.replace("5000", "4095"), numbers, size=5001, is_private=True)


NARROW = f"""
    %small = trunci %v : {INTS} -> tile<{TILE}xi8>
    %limit = constant <i8: -56> : tile<{TILE}xi8>
    %m = cmpi less_than %small, %limit, unsigned : tile<{TILE}xi8> -> tile<{TILE}xi1>
    %w = exti %small SIGN : tile<{TILE}xi8> -> {INTS}
    %middle = constant <i32: 128> : tile<i32>
    %c2 = offset %c, %middle : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %c3 = reshape %c2 : tile<ptr<i32>> -> tile<1xptr<i32>>
    %c4 = broadcast %c3 : tile<1xptr<i32>> -> {POINTER_TILE}
"""


@pytest.mark.every(2)
@pytest.mark.parametrize("sign", ["signed", "unsigned"])
def test_numbers_of_few_bits(sign: str):
    """What is less than a limit without a sign may be negative when it is extended with one."""
    body = LOAD + NARROW.replace("SIGN", sign) + update("%w").replace("%cs", "%c4")
    numbers = np.random.default_rng(0).integers(0, 256, TILE * TILES).astype(np.int32)
    assert_same_counts(body, numbers, size=384, is_private=sign == "unsigned")


@pytest.mark.part("kernels")
def test_effects_behind_atomics():
    """A token of a relaxed atomic says nothing to what does not alias."""
    low = LOAD + MASK + f"%q = andi %v, %low : {INTS}\n" + update("%q")
    store = """
    %far = constant <i32: 100> : tile<i32>
    %c2 = offset %c, %far : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %is_first = cmpi equal %i, %zero, signed : tile<i32> -> tile<i1>
    %done = store_ptr_tko weak %c2, %one, %is_first token=%told
        : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
    """
    numbers = np.random.default_rng(0).integers(0, 16, TILE * TILES).astype(np.int32)
    assert_same_counts(low + store, numbers, is_private=True)


def without_barriers(module: ModuleOp) -> ModuleOp:
    """A kernel whose threads do not wait for each other."""
    for op in [op for op in module.walk() if op.name in ("gpu.barrier", "nv_tileas.barrier")]:
        op.detach()
        op.erase()
    return module


def test_barriers_are_needed():
    """Zeros are there before updates, and updates before they are added."""
    threads = without_barriers(lower(privatized(kernel(KERNELS["plain"]), 2), after="tileaa"))
    with pytest.raises(ExecutionError, match="race"):
        results(threads, 16)


COUNTS = f"make_tensor_view %c, shape = [64], strides = [1] : {X.replace('576', '64')}\n"
VIEW_64 = VIEW.replace("576", "64")
READ = (
    f"%tensor2 = {COUNTS}%view2 = make_partition_view %tensor2 : {VIEW_64}\n"
    "%w, %tw = load_view_tko weak %view2[%zero] token=TOKEN : "
    f"{VIEW_64}, tile<i32> -> {INTS}, token\n"
)
WRITE = f"%tx = store_view_tko weak %w, %view[%i] token=%t : {INTS}, {VIEW}, tile<i32> -> token\n"
REFUSED = {
    "ordered after": (
        LOAD
        + MASK
        + update().replace("relaxed", "acq_rel")
        + "%f, %tf = load_ptr_tko weak %x token=%told : tile<ptr<i32>> -> tile<i32>, token\n"
        + "%tx = store_ptr_tko weak %x, %f token=%tf : tile<ptr<i32>>, tile<i32> -> token\n",
        "come after",
    ),
    "ordered twice": (
        LOAD
        + MASK
        + update().replace("relaxed", "release")
        + update()
        .replace("relaxed", "release")
        .replace("=%t ", "=%told ")
        .replace("%p", "%q")
        .replace("%old,", "%o2,")
        .replace("%told =", "%t2 ="),
        "come after",
    ),
    "used": (
        LOAD + MASK + update() + f'print_tko "%d", %old : {INTS} -> token\n',
        None,
    ),
    "exchange": (LOAD + MASK + update(mode="xchg"), "cannot be combined"),
    "no bound": (LOAD + update().replace(", %m", "").replace(f", tile<{TILE}xi1>", ""), "bound"),
    "read later": (LOAD + MASK + update() + READ.replace("TOKEN", "%told") + WRITE, "come after"),
    "printed": (LOAD + MASK + update() + 'print_tko "here" -> token\n', "print"),
    "acquire": (
        LOAD
        + MASK
        + update()
        + "%f, %tf = load_ptr_tko acquire device %c : tile<ptr<i32>> -> tile<i32>, token\n",
        "load",
    ),
    "two arrays": (
        LOAD
        + MASK
        + update()
        + "%x1 = reshape %x : tile<ptr<i32>> -> tile<1xptr<i32>>\n"
        + f"%xs = broadcast %x1 : tile<1xptr<i32>> -> {POINTER_TILE}\n"
        + update()
        .replace("%cs", "%xs")
        .replace("%p", "%q")
        .replace("%old", "%o2")
        .replace("%told", "%t2"),
        "several arrays",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str):
    """What other CTAs, or later accesses, may depend on is updated at once; a remark says why."""
    body, reason = REFUSED[name]
    tiles = privatized(kernel(body))
    assert not has_copy(tiles)
    remarks = messages(tiles, kind="Missed", category="Memory")
    assert bool(remarks) == (reason is not None)
    assert all(reason in remark for remark in remarks if reason is not None), remarks


def test_reads_that_come_first():
    """A read that no token orders behind the atomics is no obstacle."""
    assert has_copy(
        privatized(kernel(READ.replace("TOKEN", "%t") + WRITE + LOAD + MASK + update()))
    )
