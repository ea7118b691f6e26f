"""The few passes of LLVM that all kernels go through."""

import pytest
from xdsl.dialects.llvm import TruncOp

from tileiras_xdsl.backend import nvptx
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.backend.translate.constants import is_bit

from ..harness.modules import ops_of, parse

TARGET = NvptxTarget.parse("sm_100a")
TANH = """
declare float @__nv_tanhf(float)
define ptx_kernel void @tanh(ptr addrspace(1) %p, i32 %n) {
  %unused = add i32 %n, 1
  %x = load float, ptr addrspace(1) %p
  %y = call float @__nv_tanhf(float %x)
  store float %y, ptr addrspace(1) %p
  ret void
}
"""


@pytest.mark.parametrize("level", [2, 3])
def test_functions_of_libdevice_are_inlined(level: int):
    text = nvptx.optimized_ir(TANH, NvptxTarget.parse("sm_90"), level)
    assert "@__nv_tanhf" not in text
    assert "%unused" not in text


LOOP = """
llvm.func @wait(%n: i32, %c: i1, %big: i32) {{
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %place = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  llvm.store %zero, %place : i32, !llvm.ptr
  llvm.br ^head({start} : i32)
^head(%parity: i32):
  %p = llvm.trunc {checked} : i32 to i1
  %kept = llvm.load %place : !llvm.ptr -> i32
  %turned = llvm.xor %kept, %one : i32
  llvm.store %turned, %place : i32, !llvm.ptr
  %q = llvm.trunc %kept : i32 to i1
  %flipped = llvm.xor %parity, {mask} : i32
  %next = llvm.select %c, %flipped, %parity : i1, i32
  llvm.cond_br %p, ^head(%next : i32), ^end
^end:
  llvm.return
}}
"""


@pytest.mark.parametrize(
    ("start", "mask", "checked", "expected"),
    [
        ("%zero", "%one", "%parity", True),
        ("%n", "%one", "%parity", False),
        ("%zero", "%big", "%parity", False),
        ("%zero", "%one", "%n", False),
    ],
    ids=["parity", "start", "mask", "argument"],
)
def test_bits(start: str, mask: str, checked: str, expected: bool):
    module = parse(LOOP.format(start=start, mask=mask, checked=checked))
    first, second = ops_of(module, TruncOp)
    assert is_bit(first.arg) == expected
    assert is_bit(second.arg)


ADDRESSES = """
llvm.mlir.global internal @memory() {{addr_space = 3 : i32}} : !llvm.array<64 x i8>
llvm.func @multiply(%c: i1, %d: !llvm.ptr<6>) attributes {{nvvm.kernel}} {{
  %four = llvm.mlir.constant(4 : i32) : i32
  %true = llvm.mlir.constant(true) : i1
  %idesc = llvm.mlir.constant(136380432 : i32) : i32
  llvm.cond_br %c, ^then, ^end
^then:
  %m = llvm.mlir.addressof @memory : !llvm.ptr<3>
  %p = llvm.getelementptr inbounds %m[32] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %i = llvm.ptrtoint %p : !llvm.ptr<3> to i32
  %u = llvm.lshr %i, %four : i32
  %w = llvm.zext %u : i32 to i64
  {mma}
  llvm.br ^end
^end:
  llvm.return
}}
"""


@pytest.mark.parametrize("has_product", [True, False])
def test_addresses_are_computed_at_the_start(has_product: bool):
    mma = (
        "nvvm.tcgen05.mma %d, %w, %w, %idesc, %true {kind = #nvvm.tcgen05_mma_kind<f16>} : "
        "!llvm.ptr<6>, i64"
    )
    module = parse(ADDRESSES.format(mma=mma if has_product else ""))
    start = translate_module(module, TARGET).partition("b1:")[0]
    assert ("lshr" in start and "ptrtoint" in start) == has_product
