"""What `tcgen05` computes: numbers of all kinds, from operands in all layouts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.threads import run_threads
from tileiras_xdsl.interpreter.threads.tcgen05_mma import values_of
from tileiras_xdsl.interpreter.threads.tensor_cores import Timing
from tileiras_xdsl.targets.tcgen05 import KINDS, InstructionDescriptor

from .tensor_kernels import (
    BITS,
    DTYPES,
    IMAGE_PARAMETERS,
    K_MAJOR,
    RIGHT_AT,
    WAIT_ST,
    Array,
    Layout,
    commit,
    elected,
    end,
    fresh_image,
    kernel,
    matmul_kernel,
    mma,
    numbers,
    problem,
    setup,
    shape,
    signed,
    start,
    store_out,
    wait,
)


@pytest.mark.parametrize("timing", ["late", "early", "random"])
def test_matmul(timing: Timing):
    given = problem()
    assert (given.run(matmul_kernel(16), timing=timing, seed=3) == given.expected).all()


def run_image(
    text: str, image: Array, a: int, b: int, how: InstructionDescriptor, columns: int
) -> Array:
    """What 128 threads store of their lanes, as words."""
    out = np.full((128, columns), -1, np.int32)
    run_threads(load(text), 1, [image, out, a, b, signed(how.encode())], entry="k")
    return out


def wide(matrix: Array) -> Array:
    return matrix.astype(np.int64 if matrix.dtype.kind in "iu" else np.float32)


# Layouts of operands


LAYOUTS = {
    "K-major 128B": Layout("128B", stride=1024),
    "K-major 64B": Layout("64B", stride=512),
    "K-major 32B": Layout("32B", stride=256),
    "K-major": Layout("none", leading=128, stride=256),
    "K-major, rows far apart": Layout("none", leading=4096, stride=128),
    "MN-major 128B": Layout("128B", trans=True, leading=2048, stride=1024),
    "MN-major 64B": Layout("64B", trans=True, leading=1024, stride=512),
    "MN-major 32B": Layout("32B", trans=True, leading=512, stride=256),
    "MN-major": Layout("none", trans=True, leading=128, stride=256),
}


@pytest.mark.every(4)
@pytest.mark.parametrize("left", LAYOUTS)
def test_left_operands(left: str):
    _check_layouts(LAYOUTS[left], K_MAJOR)


@pytest.mark.every(4)
@pytest.mark.parametrize("right", LAYOUTS)
def test_right_operands(right: str):
    _check_layouts(K_MAJOR, LAYOUTS[right])


def _check_layouts(left: Layout, right: Layout) -> None:
    image, n = fresh_image(), 32
    a, b = numbers("f16", 128, 16), numbers("f16", n, 16)
    bits = left.put(image, 0, a, "f16"), right.put(image, RIGHT_AT, b, "f16")
    how = InstructionDescriptor(
        "f16", 128, n, "f16", "f16", trans_a=left.trans, trans_b=right.trans
    )
    found = run_image(matmul_kernel(n), image, *bits, how, n).view(np.float32)
    assert (found == wide(a) @ wide(b).T).all()


def test_wrong_strides_give_wrong_numbers():
    image = fresh_image()
    a, b = numbers("f16", 128, 16), numbers("f16", 16, 16)
    left = K_MAJOR.put(image, 0, a, "f16")
    right = Layout("none", leading=128, stride=256)
    right.put(image, RIGHT_AT, b, "f16")
    how = InstructionDescriptor("f16", 128, 16, "f16", "f16")
    for wrong in (replace(right, leading=256), replace(right, stride=128), K_MAJOR):
        found = run_image(matmul_kernel(16), image, left, wrong.describe(RIGHT_AT), how, 16)
        assert not (found.view(np.float32) == wide(a) @ wide(b).T).all()


def test_steps_along_k():
    """Four instructions on rows of 128 bytes: descriptors grow by 32 bytes."""
    image, n = fresh_image(), 32
    a, b = numbers("f16", 128, 64), numbers("f16", n, 64)
    bits = K_MAJOR.put(image, 0, a, "f16"), K_MAJOR.put(image, RIGHT_AT, b, "f16")
    how = InstructionDescriptor("f16", 128, n, "f16", "f16")
    more = ", k_steps = 4 : i32, a_step = 2 : i64, b_step = 2 : i64"
    found = run_image(matmul_kernel(n, multiply=mma(more=more)), image, *bits, how, n)
    assert (found.view(np.float32) == wide(a) @ wide(b).T).all()


# Kinds


def k_of(name: str) -> int:
    return 8 if name == "tf32" else 16 if BITS.get(name) == 16 else 32


@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("kind", "a", "b", "d"),
    [
        *(("f16", "f16", "f16", "f32"), ("f16", "f16", "f16", "f16")),
        *(("f16", "bf16", "bf16", "f32"), ("tf32", "tf32", "tf32", "f32")),
        *(("f8f6f4", "e4m3", "e5m2", "f32"), ("f8f6f4", "e2m3", "e4m3", "f32")),
        *(("f8f6f4", "e3m2", "e2m1", "f16"), ("f8f6f4", "e2m1", "e2m3", "f32")),
        *(("i8", "s8", "u8", "s32"), ("i8", "u8", "u8", "s32")),
    ],
)
def test_kinds(kind: str, a: str, b: str, d: str):
    image, n, k = fresh_image(), 16, k_of(a)
    left, right = numbers(a, 128, k), numbers(b, n, k)
    bits = K_MAJOR.put(image, 0, left, a), K_MAJOR.put(image, RIGHT_AT, right, b)
    how = InstructionDescriptor(kind, 128, n, a, b, d)
    text = matmul_kernel(n, multiply=mma(kind=kind) + mma(kind=kind, enable="%odd"))
    found = run_image(text, image, *bits, how, n)
    expected = 2 * (wide(left) @ wide(right).T)
    if d == "f16":
        found = found.astype(np.uint16).view(np.float16)
    elif d == "f32":
        found = found.view(np.float32)
    assert (found == expected).all()


@pytest.mark.parametrize("name", ["tf32", "e4m3", "e2m1"])
def test_transposed_kinds(name: str):
    """MN-major: tf32 has a swizzle of its own, rows of bytes are 128 long."""
    image, n, k = fresh_image(), 32, k_of(name)
    layout = Layout("128B", trans=True, leading=4096, stride=1024)
    if name == "tf32":
        layout = Layout("128B_atom_32B", trans=True, leading=1024, stride=512)
    a, b = numbers(name, 128, k), numbers(name, n, k)
    bits = layout.put(image, 0, a, name), layout.put(image, RIGHT_AT, b, name)
    kind = "tf32" if name == "tf32" else "f8f6f4"
    how = InstructionDescriptor(kind, 128, n, name, name, trans_a=True, trans_b=True)
    found = run_image(matmul_kernel(n, multiply=mma(kind=kind)), image, *bits, how, n)
    assert (found.view(np.float32) == wide(a) @ wide(b).T).all()
    if name == "tf32":
        wrong = replace(layout, swizzle="128B").describe(0)
        with pytest.raises(ExecutionError, match="MN-major matrix of tf32 cannot have swizzle"):
            run_image(matmul_kernel(n, multiply=mma(kind=kind)), image, wrong, bits[1], how, n)


def test_saturation():
    image = fresh_image()
    a, b = np.full((128, 32), -128, np.int8), np.full((16, 32), -128, np.int8)
    bits = K_MAJOR.put(image, 0, a, "s8"), K_MAJOR.put(image, RIGHT_AT, b, "s8")
    for saturate, expected in ((True, (1 << 31) - 1), (False, 32 * 16384 - 1 - (1 << 31))):
        how = InstructionDescriptor("i8", 128, 16, "s8", "s8", "s32", saturate=saturate)
        fill = f"""
        %most = arith.constant 2147483647 : i32
        %filled = vector.splat %most : vector<16xi32>
        nvvm.tcgen05.st %dm, %filled {{{shape("32x32b")}}} : !llvm.ptr<6>, vector<16xi32>
        {WAIT_ST}
        """
        give = "nvvm.tcgen05.fence {kind = #nvvm.tcgen05_fence<before>}\ngpu.barrier\n"
        give += "nvvm.tcgen05.fence {kind = #nvvm.tcgen05_fence<after>}\n"
        body = start() + setup() + fill + give
        body += elected(mma(kind="i8", enable="%odd") + commit()) + wait() + store_out(16) + end()
        found = run_image(kernel(body, IMAGE_PARAMETERS), image, *bits, how, 16)
        assert (found == expected).all()


def test_options_of_products():
    """Negated operands, a smaller accumulator, lanes that are kept."""
    given = problem()
    negated = InstructionDescriptor("f16", 128, 16, "f16", "f16", negate_a=True)
    found = replace(given, idesc=negated.encode()).run(matmul_kernel(16))
    assert (found == -given.expected).all()
    halves = mma() + mma(enable="%odd", more=", scale_input_d = 2 : i32")
    assert (given.run(matmul_kernel(16, multiply=halves)) == 1.25 * given.expected).all()
    masks = """
    %mask = arith.constant dense<[0, -1, 1, 0]> : vector<4xi32>
    """
    kept = mma(enable="%odd").replace("%odd {", "%odd mask = %mask : vector<4xi32> {")
    found = given.run(matmul_kernel(16, multiply=masks + mma() + kept))
    times = np.full(128, 2)
    times[32:65] = 1
    assert (found == times[:, None] * given.expected).all()


def test_sixty_four_rows():
    """Rows are 16 for each warp; those of two products lie side by side in lanes."""
    image, n = fresh_image(), 16
    a, b = numbers("f16", 64, 16), numbers("f16", n, 16)
    bits = K_MAJOR.put(image, 0, a, "f16"), K_MAJOR.put(image, RIGHT_AT, b, "f16")
    how = InstructionDescriptor("f16", 64, n, "f16", "f16", negate_b=False)
    second = """
    %sixteen = arith.constant 1048576 : i32
    %where2 = arith.addi %base, %sixteen : i32
    %d2 = llvm.inttoptr %where2 : i32 to !llvm.ptr<6>
    """
    text = matmul_kernel(n, multiply=second + mma() + mma(d="%d2"))
    found = run_image(text, image, *bits, how, n).view(np.float32)
    expected = (wide(a) @ wide(b).T).reshape(4, 1, 16, n)
    assert (found.reshape(4, 2, 16, n) == expected).all()


# Block-scaled products


def scale_words(scales: Array) -> Array:
    """512 bytes for each 128 rows: 16 bytes for a lane, 4 for each 32 rows."""
    parts = scales.view(np.uint8).reshape(-1, 4, 32, 4)
    return parts.transpose(0, 2, 1, 3).reshape(-1)


@pytest.mark.every(5)
@pytest.mark.parametrize(
    ("kind", "a", "block", "scale"),
    [
        *(("mxf8f6f4", "e4m3", 32, "ue8m0"), ("mxf8f6f4", "e2m1", 32, "ue8m0")),
        *(("mxf4", "e2m1", 32, "ue8m0"), ("mxf4nvf4", "e2m1", 16, "ue4m3")),
        ("mxf4nvf4", "e2m1", 32, "ue8m0"),
    ],
)
def test_scaled_products(kind: str, a: str, block: int, scale: str):
    """Scale factors are copied to tensor memory, and the product reads some of their bytes."""
    image, n, k = fresh_image(), 128, KINDS[kind].k
    layout = Layout("128B", stride=1024, dense=KINDS[kind].is_packed)
    left, right = numbers(a, 128, k), numbers(a, n, k)
    bits = layout.put(image, 0, left, a), layout.put(image, 16384, right, a)
    random = np.random.default_rng(3)
    codes = random.integers(*((125, 130) if scale == "ue8m0" else (40, 60)), (2, 128, 4))
    for number, each in enumerate(codes.astype(np.uint8)):
        image[32768 + 512 * number : 32768 + 512 * (number + 1)] = scale_words(each)
    source = Layout("none", leading=16, stride=128)
    copies = f"""
    %sa = arith.constant {source.describe(32768)} : i64
    %sb = arith.constant {source.describe(33280)} : i64
    %wherea = arith.addi %base, %c128 : i32
    %four2 = arith.constant 132 : i32
    %whereb = arith.addi %base, %four2 : i32
    %sfa = llvm.inttoptr %wherea : i32 to !llvm.ptr<6>
    %sfb = llvm.inttoptr %whereb : i32 to !llvm.ptr<6>
    """
    for to, desc in (("%sfa", "%sa"), ("%sfb", "%sb")):
        copies += f"nvvm.tcgen05.cp {to}, {desc} {{shape = #nvvm.tcgen05_cp_shape<shape_32x128b>, "
        copies += "multicast = #nvvm.tcgen05_cp_multicast<warpx4>} : !llvm.ptr<6>, i64\n"
    multiply = (
        "nvvm.tcgen05.mma.block_scale %d, %a, %b, %idesc, %even, %sfa, %sfb "
        f"{{kind = #nvvm.tcgen05_mma_kind<{kind}>, "
        f"block_scale = #nvvm.tcgen05_mma_block_scale<block{block}>}} : !llvm.ptr<6>, i64\n"
    )
    text = matmul_kernel(n, columns=256, multiply=copies + multiply)
    first = 0 if k // block == 4 else 2
    how = InstructionDescriptor(kind, 128, n, a, a, scale=scale, scale_a_id=first, scale_b_id=first)
    found = run_image(text, image, *bits, how, n).view(np.float32)
    taken = codes[:, :, first : first + k // block]
    factors = np.repeat(values_of(scale)[taken].astype(np.float64), block, axis=2)
    x, y = (m.astype(np.float64) * f for m, f in zip((left, right), factors, strict=True))
    np.testing.assert_array_equal(found, (x @ y.T).astype(np.float32))


def copy_scales(place: str, column: int, address: int, *, name: str) -> str:
    """Copies 512 bytes, scale factors of 128 rows, to four columns."""
    source = Layout("none", leading=16, stride=128)
    return f"""
    %desc{name} = arith.constant {source.describe(address)} : i64
    %column{name} = arith.constant {column} : i32
    %where{name} = arith.addi %base, %column{name} : i32
    {place} = llvm.inttoptr %where{name} : i32 to !llvm.ptr<6>
    nvvm.tcgen05.cp {place}, %desc{name} {{shape = #nvvm.tcgen05_cp_shape<shape_32x128b>, \
multicast = #nvvm.tcgen05_cp_multicast<warpx4>}} : !llvm.ptr<6>, i64
    """


def test_columns_of_scale_factors():
    """A word has four scale factors of a row; rows are lanes of all warps, every 32 a column."""
    image = fresh_image()
    codes = np.arange(512).astype(np.uint8).reshape(128, 4)
    image[:512] = scale_words(codes)
    text = matmul_kernel(4, multiply=copy_scales("%scales", 0, 0, name="0"))
    how = InstructionDescriptor("f16", 128, 16, "f16", "f16")
    found = run_image(text, image, 0, 0, how, 4)
    words = codes.view(np.int32).reshape(4, 32).T
    np.testing.assert_array_equal(found, np.tile(words, (4, 1)))


def test_scale_factors_of_all_warps():
    """Those that one warp stores only for its own lanes are reported."""
    image = fresh_image()
    a = numbers("e4m3", 128, 32)
    bits = K_MAJOR.put(image, 0, a, "e4m3"), K_MAJOR.put(image, RIGHT_AT, a, "e4m3")
    body = start() + setup(256)
    body += f"""
    %factors = vector.splat %w : vector<8xi32>
    %minea = arith.addi %mine, %c128 : i32
    %dma = llvm.inttoptr %minea : i32 to !llvm.ptr<6>
    nvvm.tcgen05.st %dma, %factors {{{shape("32x32b")}}} : !llvm.ptr<6>, vector<8xi32>
    {WAIT_ST}
    nvvm.tcgen05.fence {{kind = #nvvm.tcgen05_fence<before>}}
    gpu.barrier
    nvvm.tcgen05.fence {{kind = #nvvm.tcgen05_fence<after>}}
    %wherea = arith.addi %base, %c128 : i32
    %sf = llvm.inttoptr %wherea : i32 to !llvm.ptr<6>
    """
    multiply = (
        "nvvm.tcgen05.mma.block_scale %d, %a, %b, %idesc, %even, %sf, %sf "
        "{kind = #nvvm.tcgen05_mma_kind<mxf8f6f4>} : !llvm.ptr<6>, i64\n"
    )
    body += elected(multiply + commit()) + wait() + store_out(128) + end()
    how = InstructionDescriptor("mxf8f6f4", 128, 128, "e4m3", "e4m3", scale="ue8m0")
    with pytest.raises(ExecutionError, match="differ between the lanes of warps"):
        run_image(kernel(body, IMAGE_PARAMETERS), image, *bits, how, 128)


# Loads and stores


PLACES: dict[str, Callable[[int, int], tuple[int, int]]] = {
    "32x32b": lambda r, t: (t, r),
    "16x64b": lambda r, t: ((t >> 2) + 8 * (t & 1), (t >> 1 & 1) + 2 * r),
    "16x128b": lambda r, t: ((t >> 2) + 8 * (r & 1), (t & 3) + 4 * (r >> 1)),
    "16x256b": lambda r, t: ((t >> 2) + 8 * (r >> 1 & 1), 2 * (t & 3) + (r & 1) + 8 * (r >> 2)),
    "16x32bx2": lambda r, t: (t & 15, r + 24 * (t >> 4)),
}
FILL_ROWS = f"""
%row = arith.muli %t, %c256 : i32
%whole = vector.splat %row : vector<64xi32>
%steps = arith.constant dense<{list(range(64))}> : vector<64xi32>
%filled = arith.addi %whole, %steps : vector<64xi32>
nvvm.tcgen05.st %dm, %filled {{{shape("32x32b")}}} : !llvm.ptr<6>, vector<64xi32>
{WAIT_ST}
"""
"""The word in lane l, column c is 256 * l + c."""


@pytest.mark.every(7)
@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("packs", [False, True])
def test_shapes_of_loads(name: str, packs: bool):
    registers = 4 if packs else 8
    more = ", pack" if packs else ""
    if name == "16x32bx2":
        more += ", offset = 24 : i32"
    body = start(image=False) + setup() + FILL_ROWS
    body += store_out(0, name, registers, more) + end()
    out = np.full((128, registers), -1, np.int32)
    run_threads(load(kernel(body, ["%out: !llvm.ptr<1>"])), 1, [out], entry="k")
    for thread in (0, 1, 5, 17, 31, 33, 126):
        for register in range(registers):
            lane, column = PLACES[name](register, thread % 32)
            lane += thread // 32 * 32
            if packs:
                second = 24 * (thread % 32 >> 4) if name == "16x32bx2" else 0
                column = second + 2 * (column - second)
                expected = (256 * lane + column) | (256 * lane + column + 1) << 16
            else:
                expected = 256 * lane + column
            assert out[thread, register] == expected


@pytest.mark.every(3)
@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("packs", [False, True])
def test_shapes_of_stores(name: str, packs: bool):
    """What a shape stores, it loads again; and 32x32b finds it where the formula says."""
    more = ", offset = 24 : i32" if name == "16x32bx2" else ""
    unpack = ", unpack" if packs else ""
    body = start(image=False) + setup() + FILL_ROWS
    body += f"""
    %key = arith.addi %t, %c512 : i32
    %value = vector.splat %key : vector<4xi32>
    nvvm.tcgen05.st %dm, %value {{{shape(name)}{more}{unpack}}} : !llvm.ptr<6>, vector<4xi32>
    {WAIT_ST}
    """
    body += store_out(64) + end()
    out = np.full((128, 64), -1, np.int32)
    run_threads(load(kernel(body, ["%out: !llvm.ptr<1>"])), 1, [out], entry="k")
    expected = np.arange(128)[:, None] * 256 + np.arange(64)
    for thread in range(128):
        for register in range(4):
            lane, column = PLACES[name](register, thread % 32)
            lane += thread // 32 * 32
            if packs:
                second = 24 * (thread % 32 >> 4) if name == "16x32bx2" else 0
                column = second + 2 * (column - second)
                expected[lane, column : column + 2] = (thread + 512, 0)
            else:
                expected[lane, column] = thread + 512
    assert (out == expected).all()


def test_loads_that_reduce():
    body = start(image=False) + setup() + FILL_ROWS
    body += f"""
    %v, %most = nvvm.tcgen05.ld.red %dm {{op = #nvvm.tcgen05_ld_red<max>, {shape("32x32b")}}} \
: !llvm.ptr<6> -> vector<16xi32>, i32
    nvvm.tcgen05.wait {{kind = #nvvm.tcgen05_wait<load>}}
    %po = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %most, %po : i32, !llvm.ptr<1>
    """
    out = np.full(128, -1, np.int32)
    run_threads(load(kernel(body + end(), ["%out: !llvm.ptr<1>"])), 1, [out], entry="k")
    assert (out == np.arange(128) * 256 + 15).all()


# Copies and shifts


@pytest.mark.parametrize(
    ("name", "multicast", "rows", "lanes"),
    [
        ("128x256b", None, 128, range(128)),
        ("128x128b", None, 128, range(128)),
        ("64x128b", "warpx2_02_13", 64, [*range(64), *range(64)]),
        ("64x128b", "warpx2_01_23", 64, [*range(32), *range(32), *range(32, 64), *range(32, 64)]),
        ("32x128b", "warpx4", 32, [*range(32)] * 4),
    ],
)
def test_copies(name: str, multicast: str | None, rows: int, lanes: list[int]):
    words = 8 if name == "128x256b" else 4
    image = fresh_image()
    data = np.arange(rows * words, dtype=np.int32).reshape(rows, words)
    layout = Layout("none", leading=128, stride=256)
    source = layout.put(image, 0, data, "s8")
    more = f", multicast = #nvvm.tcgen05_cp_multicast<{multicast}>" if multicast else ""
    copy = f"nvvm.tcgen05.cp %d, %a {{shape = #nvvm.tcgen05_cp_shape<shape_{name}>{more}}}"
    text = matmul_kernel(words, multiply=copy + " : !llvm.ptr<6>, i64\n")
    found = run_image(
        text, image, source, 0, InstructionDescriptor("f16", 128, 16, "f16", "f16"), words
    )
    assert (found == data[list(lanes)]).all()


def test_shifts_and_rows_for_warps():
    """Rows move to the lane before, and the last lane of each warp gets a new one."""
    image = fresh_image()
    data = np.arange(132 * 8, dtype=np.int32).reshape(132, 8)
    layout = Layout("none", leading=128, stride=256)
    bits = layout.put(image, 0, data[:128], "s8"), layout.put(image, RIGHT_AT, data[128:], "s8")
    multiply = "nvvm.tcgen05.cp %d, %a {shape = #nvvm.tcgen05_cp_shape<shape_128x256b>}"
    multiply += " : !llvm.ptr<6>, i64\n" + commit("%bar2")
    multiply += """
    %waited = nvvm.mbarrier.try_wait.parity.shared %bar2, %even, %ticks \
: !llvm.ptr<3>, i1, i32 -> i1
    nvvm.tcgen05.fence {kind = #nvvm.tcgen05_fence<after>}
    """
    for warp in range(4):
        multiply += f"""
        %lane{warp} = arith.constant {warp * 32 << 16} : i32
        %at{warp} = arith.addi %base, %lane{warp} : i32
        %w{warp} = llvm.inttoptr %at{warp} : i32 to !llvm.ptr<6>
        nvvm.tcgen05.shift %w{warp} : !llvm.ptr<6>
        """
    multiply += f"""
    %lastlane = arith.constant {31 << 16} : i32
    %atlast = arith.addi %base, %lastlane : i32
    %last = llvm.inttoptr %atlast : i32 to !llvm.ptr<6>
    nvvm.tcgen05.cp %last, %b {{shape = #nvvm.tcgen05_cp_shape<shape_4x256b>}} : !llvm.ptr<6>, i64
    """
    text = matmul_kernel(8, multiply=multiply)
    how = InstructionDescriptor("f16", 128, 16, "f16", "f16")
    found = run_image(text, image, *bits, how, 8)
    expected = data[:128].reshape(4, 32, 8)
    expected = np.concatenate((expected[:, 1:], data[128:].reshape(4, 1, 8)), axis=1)
    assert (found == expected.reshape(128, 8)).all()


def test_all_types_are_known():
    assert {name for kind in KINDS.values() for name in kind.operands} == set(DTYPES)
