"""The few passes of LLVM that kernels go through in which tensor cores do most of the work."""

from typing import cast

import pytest
from xdsl.dialects.llvm import TruncOp

from tileiras_xdsl.backend import nvptx
from tileiras_xdsl.backend.ptxas import FunctionUsage, PtxasResult
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.backend.translate.integers import is_bit
from tileiras_xdsl.compiler.compilation import Compilation
from tileiras_xdsl.compiler.compiled import run

from ..harness.modules import ops_of, parse

TARGET = NvptxTarget.parse("sm_100a")
MMA = (
    'call void asm sideeffect "tcgen05.mma.cta_group::1.kind::f16 [$0], $1, $1, $0, 1;", "r,l"'
    "(i32 %d, i64 %a) convergent nounwind"
)
WGMMA = 'call void asm sideeffect "// wgmma.mma_async", ""() convergent nounwind'
LOAD = (
    'call { i32, i32 } asm sideeffect "ld.global.v2.b32 {$0, $1}, [$2];", "=r,=r,l"(i64 %a) '
    "convergent nounwind"
)


def kernel(body: str, rest: str = "") -> str:
    return f"define ptx_kernel void @multiply(i32 %d, i64 %a) {{\n  {body}\n  ret void\n}}\n{rest}"


@pytest.mark.parametrize(
    ("source", "level", "thorough", "is_short"),
    [
        (kernel(MMA), 3, False, True),
        (kernel(MMA), 2, False, True),
        (kernel(MMA), 1, False, False),
        (kernel(MMA), 3, True, False),
        (kernel(""), 3, False, False),
        (kernel("\n" * 3300 + MMA), 3, False, False),
        (kernel("\n" * 2100 + MMA), 3, False, True),
        (kernel("\n" * 2100 + MMA, "; setmaxnreg"), 3, False, False),
        (kernel(MMA, "; setmaxnreg"), 3, False, True),
        (kernel(MMA, "define internal void @other() {\n  ret void\n}"), 3, False, False),
        (kernel(WGMMA), 3, False, True),
        (kernel("\n" * 2100 + WGMMA, "; setmaxnreg"), 3, False, True),
        (kernel("\n" * 3300 + WGMMA), 3, False, False),
        (kernel(f"{WGMMA}\n  {LOAD}"), 3, False, False),
        (kernel(WGMMA, "; .e4m3.e4m3"), 3, False, False),
        (kernel(WGMMA, "; .e4m3.e4m3 setmaxnreg"), 3, False, True),
    ],
    ids=[
        "O3",
        "O2",
        "O1",
        "thorough",
        "no product",
        "long",
        "less long",
        "scarce",
        "short",
        "functions",
        "warpgroups",
        "warpgroups, scarce",
        "warpgroups, long",
        "warpgroups, loads of threads",
        "warpgroups, f8",
        "warpgroups, f8, scarce",
    ],
)
def test_which_kernels(source: str, level: int, thorough: bool, is_short: bool):
    target = NvptxTarget.parse("sm_90a") if "wgmma" in source else TARGET
    compilation = nvptx.parse(source, target)
    assert nvptx.optimize(compilation, level, thorough=thorough) == is_short


class Spills:
    """A compilation whose code spills so many bytes, and others if LLVM is thorough."""

    warnings = remarks = ()

    def __init__(self, few_passes: int, all_passes: int, *, is_short: bool, short: str = "short"):
        self.spills = {short: few_passes, "thorough": all_passes}
        self.is_short = is_short
        self.short = short

    def prepare(self) -> None: ...
    def close(self) -> None: ...

    def translate(self) -> str:
        return ""

    def generate(self, llvm_ir: str, *, thorough: bool = False) -> str:
        return "thorough" if thorough else self.short

    def assemble(self, ptx: str) -> tuple[PtxasResult, tuple[()]]:
        usage = {"kernel": FunctionUsage(spill_stores=self.spills[ptx])}
        return PtxasResult(ptx.encode(), usage, (), ""), ()


@pytest.mark.parametrize(
    ("compilation", "chosen"),
    [
        (Spills(0, 0, is_short=True), "short"),
        (Spills(16, 0, is_short=True), "thorough"),
        (Spills(16, 16, is_short=True), "short"),
        (Spills(16, 0, is_short=False), "short"),
        (Spills(16, 0, is_short=True, short="setmaxnreg"), "setmaxnreg"),
        (Spills(16, 0, is_short=True, short="setmaxnreg wgmma"), "thorough"),
    ],
    ids=["none", "fewer", "as many", "not short", "exchanged registers", "warpgroups"],
)
def test_code_that_spills_is_made_again(compilation: Spills, chosen: str):
    entry = run(cast("Compilation", compilation))
    assert (entry.cubin, entry.ptx) == (chosen.encode(), chosen)


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
