"""The tables of `convert-nvgpu-to-nvvm`, and what its integers mean, against references."""

from itertools import product

import pytest
from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue

from tileiras_interop.nvgpu import encode_descriptor
from tileiras_xdsl.dialects import nvgpu, nvvm
from tileiras_xdsl.dialects.nvgpu import SwizzleKind
from tileiras_xdsl.transforms.nvvm.convert_nvgpu_to_nvvm import (
    ConvertNvgpuToNvvmPass,
    make_patterns,
)

from ..harness.modules import parse_unverified
from ..harness.passes import apply


@pytest.mark.parametrize("op", [*nvgpu.Nvgpu.operations], ids=lambda op: op.name)
@pytest.mark.requirement("H-02")
def test_every_op_has_a_pattern(op: type[Operation]):
    assert op in make_patterns().op_classes


@pytest.mark.requirement("H-02")
def test_patterns_are_distinct():
    patterns = make_patterns()
    assert set(nvgpu.Nvgpu.operations) <= set(patterns.op_classes)
    classes = [type(patterns._patterns[op]) for op in nvgpu.Nvgpu.operations]  # pyright: ignore[reportPrivateUsage]
    assert len(set(classes)) == len(classes)


def reference_descriptor(leading: int, stride: int, swizzle: SwizzleKind) -> int:
    """Bit by bit, as the PTX manual has the fields."""
    bits = ["0"] * 64
    for value, low, width in ((leading, 16, 14), (stride, 32, 14)):
        for bit in range(width):
            bits[low + bit] = str((value >> (4 + bit)) & 1)
    code = {"none": "00", "128B": "10", "64B": "01", "32B": "11"}[swizzle.value]
    bits[62], bits[63] = code
    return int("".join(reversed(bits)), 2)


@pytest.mark.parametrize(
    ("leading", "stride", "swizzle"),
    list(product((0, 16, 1024, 8192, 262128), (0, 64, 1024, 262128), SwizzleKind)),
)
@pytest.mark.requirement("H-63")
def test_descriptor_bits_are_those_of_the_ptx_manual(
    leading: int, stride: int, swizzle: SwizzleKind
):
    encoded = encode_descriptor(leading, stride, swizzle)
    assert -(1 << 63) <= encoded < 1 << 63
    assert encoded % (1 << 64) == reference_descriptor(leading, stride, swizzle)


@pytest.mark.requirement("H-64")
def test_known_descriptors_have_known_constants():
    assert encode_descriptor(16, 64, SwizzleKind.B128) == 4611686035607322624
    # What a K-major and an MN-major tile of 64 rows were measured to need on an H200.
    assert encode_descriptor(16, 1024, SwizzleKind.B128) == 1 << 62 | 64 << 32 | 1 << 16
    assert encode_descriptor(8192, 1024, SwizzleKind.B128) == 1 << 62 | 64 << 32 | 512 << 16


def evaluate(value: SSAValue, thread: int) -> int:
    """What an integer, or the offset of an address, is in a thread."""
    op = value.owner
    match op:
        case arith.ConstantOp(value=IntegerAttr() as constant):
            return constant.value.data
        case nvvm.SpecialRegisterOp():
            return thread
        case llvm.GEPOp():
            indices = [evaluate(index, thread) for index in op.ssa_indices]
            known = op.rawConstantIndices.get_values()
            base = op.ptr
            offset = indices[0] if indices else known[0]
            is_base = isinstance(base.owner, llvm.GEPOp)
            return offset + (evaluate(base, thread) if is_base else 0)
        case llvm.AddOp() | llvm.MulOp() | llvm.AndOp() | llvm.LShrOp() | llvm.ShlOp():
            lhs, rhs = (evaluate(operand, thread) for operand in op.operands)
            results = {
                "llvm.add": lhs + rhs,
                "llvm.mul": lhs * rhs,
                "llvm.and": lhs & rhs,
                "llvm.lshr": lhs >> rhs,
                "llvm.shl": lhs << rhs,
            }
            return results[op.name]
        case _:
            raise AssertionError(f"unexpected {op}")


@pytest.mark.parametrize(("m", "n", "row_stride"), [(64, 8, 8), (64, 24, 40), (128, 16, 16)])
@pytest.mark.requirement("H-18")
def test_every_element_is_stored_once(m: int, n: int, row_stride: int):
    count = m * n // 128
    dst = f"memref<{m}x{n}xf32, strided<[{row_stride}, 1]>, 3>"
    module = parse_unverified(
        f"""
        func.func @f(%d: vector<{count}xf32>, %dst: {dst}) {{
          nvgpu.warpgroup.mma.store %d, %dst : vector<{count}xf32> to {dst}
          func.return
        }}
        """
    )
    apply(module, ConvertNvgpuToNvvmPass())
    stores = [op for op in module.walk() if isinstance(op, llvm.StoreOp)]
    assert len(stores) == count
    found = [evaluate(store.ptr, thread) for store in stores for thread in range(128)]
    assert sorted(found) == [row * row_stride + col for row in range(m) for col in range(n)]
    # The layout that was measured: register i of a lane of a warp.
    for i, thread in product(range(64 * n // 128), range(128)):
        warp, lane = divmod(thread, 32)
        row = 16 * warp + lane // 4 + 8 * ((i >> 1) & 1)
        column = 8 * (i >> 2) + 2 * (lane & 3) + (i & 1)
        assert evaluate(stores[i].ptr, thread) == row * row_stride + column
