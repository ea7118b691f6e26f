"""
Every op of `nvgpu`, through the conversions to PTX and a cubin, and refused where the
architecture lacks it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.backend import nvptx
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.dialects.nvgpu import Nvgpu
from tileiras_xdsl.transforms.nvvm.convert_gpu_to_nvvm.conversion_pass import ConvertGpuToNvvmPass
from tileiras_xdsl.transforms.nvvm.convert_nvgpu_to_nvvm import ConvertNvgpuToNvvmPass
from tileiras_xdsl.transforms.nvvm.convert_to_llvm.conversion_pass import ConvertToLlvmPass
from tileiras_xdsl.xdsl_extras.diagnostics import describe

from ..harness.modules import parse
from ..harness.passes import apply
from .kernels import ARCHITECTURES, HOPPER_AND_LATER
from .translate_cases import op_names, sections

AMPERE = ARCHITECTURES
ADA = ARCHITECTURES[ARCHITECTURES.index("sm_89") :]
HOPPER = ("sm_90",)
BLACKWELL = ARCHITECTURES[ARCHITECTURES.index("sm_100") :]

MAP = "!nvgpu.tensormap.descriptor"
BARRIER = "!nvgpu.mbarrier"
TOKEN = "!nvgpu.token"

ARGUMENTS = {
    "map": MAP,
    "g": "!llvm.ptr<1>",
    "i": "i32",
    "j": "i32",
    "l": "i64",
    "h": "i16",
    "b": "i1",
    "v4f32": "vector<4xf32>",
    "v2f32": "vector<2xf32>",
    "v8f16": "vector<8xf16>",
    "v4f16": "vector<4xf16>",
    "v2f16": "vector<2xf16>",
    "v4i8": "vector<4xi8>",
    "v2i16": "vector<2xi16>",
    "v4i32": "vector<4xi32>",
}
PROLOGUE = """\
%dynamic = "gpu.dynamic_shared_memory"() : () -> memref<?xi8, #gpu.address_space<workgroup>>
%s = builtin.unrealized_conversion_cast %dynamic : \
memref<?xi8, #gpu.address_space<workgroup>> to !llvm.ptr<3>
%bar = nvgpu.mbarrier.create : !nvgpu.mbarrier
"""
"""What bodies may use besides the arguments. It needs no architecture; what is dead goes."""


@dataclass(frozen=True)
class Case:
    """Lines of a kernel, the ops that they are about, and parts of the PTX that they become."""

    ops: str
    """Without the dialect."""
    body: str
    expected: str
    architectures: tuple[str, ...] = AMPERE
    """Those that have the ops."""
    blames: str = ""
    """The op of `nvvm` that the other architectures lack."""

    @property
    def id(self) -> str:
        return self.ops.split()[0]


def _mma(a: str, b: str, c: str) -> str:
    return f"(vector<{a}>, vector<{b}>, vector<{c}>) -> vector<{c}>"


CASES = (
    Case(
        "mbarrier.create mbarrier.init",
        f"nvgpu.mbarrier.init %bar, %i : {BARRIER}, i32",
        ".shared .align 8 .b64 mbar_storage|mbar_storage_. | mbarrier.init.shared.b64",
    ),
    Case(
        "mbarrier.create",
        "%bars = nvgpu.mbarrier.create : !nvgpu.mbarrier.group<memorySpace = 3, num_barriers = 4>\n"
        "%address = builtin.unrealized_conversion_cast %bars : !nvgpu.mbarrier.group<memorySpace "
        "= 3, num_barriers = 4> to !llvm.ptr<3>\n"
        "llvm.store volatile %l, %address : i64, !llvm.ptr<3>",
        "mbar_storage\\w*\\[32\\]",
    ),
    Case(
        "mbarrier.arrive mbarrier.test.wait",
        f"%token = nvgpu.mbarrier.arrive %bar : {BARRIER} -> {TOKEN}\n"
        f"%r = nvgpu.mbarrier.test.wait %bar, %token : {BARRIER}, {TOKEN} -> i1\n"
        "llvm.store volatile %r, %g : i1, !llvm.ptr<1>",
        "mbarrier.arrive.shared.b64 | mbarrier.test_wait.shared.b64",
    ),
    Case(
        "mbarrier.arrive.nocomplete",
        f"%token = nvgpu.mbarrier.arrive.nocomplete %bar, %i : {BARRIER}, i32 -> {TOKEN}\n"
        f"%r = nvgpu.mbarrier.test.wait %bar, %token : {BARRIER}, {TOKEN} -> i1\n"
        "llvm.store volatile %r, %g : i1, !llvm.ptr<1>",
        "mbarrier.arrive.noComplete.shared.b64",
    ),
    Case(
        "mbarrier.arrive.expect_tx",
        f"nvgpu.mbarrier.arrive.expect_tx %bar, %i : {BARRIER}, i32",
        "mbarrier.arrive.expect_tx",
        HOPPER_AND_LATER,
        "nvvm.mbarrier.arrive.expect_tx.shared",
    ),
    Case(
        "mbarrier.try_wait.parity",
        f"%r = nvgpu.mbarrier.try_wait.parity %bar, %b, %i : {BARRIER}, i1, i32 -> i1\n"
        "llvm.store volatile %r, %g : i1, !llvm.ptr<1>",
        "mbarrier.try_wait.parity",
        HOPPER_AND_LATER,
        "nvvm.mbarrier.try_wait.parity.shared",
    ),
    *(
        Case(
            "tma.async.load",
            f"nvgpu.tma.async.load %s[{', '.join(['%i'] * rank)}], %bar, %map{options} : "
            f"!llvm.ptr<3>, {BARRIER}, {MAP}",
            f"cp.async.bulk.tensor.{rank}d.shared::cluster.global{expected}",
            HOPPER_AND_LATER,
            f"nvvm.cp.async.bulk.tensor.{rank}d.shared.cluster.global.tile",
        )
        for rank, options, expected in (
            *((rank, "", "") for rank in range(1, 6)),
            (2, " multicastMask = %h", ".*multicast::cluster"),
            (3, " multicastMask = %h l2CacheHint = %l", ".*multicast::cluster.L2::cache_hint"),
        )
    ),
    *(
        Case(
            "tma.async.store",
            f"nvgpu.tma.async.store %s, %map[{', '.join(['%i'] * rank)}]{options} : "
            f"!llvm.ptr<3>, {MAP}",
            f"cp.async.bulk.tensor.{rank}d.global.shared::cta{expected}",
            HOPPER_AND_LATER,
            f"nvvm.cp.async.bulk.tensor.{rank}d.global.shared.cta.tile",
        )
        for rank, options, expected in (
            *((rank, "", "") for rank in range(1, 6)),
            (2, " l2CacheHint = %l", ".*L2::cache_hint"),
        )
    ),
    Case(
        "tma.create.descriptor",
        "%tensor = builtin.unrealized_conversion_cast %g : !llvm.ptr<1> to memref<64x128xf16, 1>\n"
        "%box = arith.constant 64 : index\n"
        "%made = nvgpu.tma.create.descriptor %tensor box[%box, %box] : memref<64x128xf16, 1> -> "
        "!nvgpu.tensormap.descriptor<swizzle = swizzle_128b>\n"
        "%address = builtin.unrealized_conversion_cast %made : "
        "!nvgpu.tensormap.descriptor<swizzle = swizzle_128b> to !llvm.ptr\n"
        "%r = llvm.load volatile %address : !llvm.ptr -> i64\n"
        "llvm.store volatile %r, %g : i64, !llvm.ptr<1>",
        "\\.local \\.align 64 | st.local.b64|st.b64",
    ),
    Case(
        "tma.prefetch.descriptor",
        f"nvgpu.tma.prefetch.descriptor %map : {MAP}",
        "prefetch.*tensormap",
        HOPPER_AND_LATER,
        "nvvm.prefetch.tensormap",
    ),
    Case(
        "tma.fence.descriptor",
        f"nvgpu.tma.fence.descriptor %map : {MAP}",
        "fence.proxy.tensormap::generic.acquire.sys",
        HOPPER_AND_LATER,
        "nvvm.fence.proxy.acquire.sync",
    ),
    Case(
        "tma.rebind.descriptor",
        "nvgpu.tma.rebind.descriptor %g, %g dims[%i, %j] strides[%l] : !llvm.ptr<1>, !llvm.ptr<1>",
        "fence.proxy.tensormap::generic.acquire.gpu | tensormap.replace.tile.global_address | "
        "tensormap.replace.tile.global_dim | tensormap.replace.tile.global_stride | "
        "fence.proxy.tensormap::generic.release.gpu",
        HOPPER_AND_LATER,
        "nvvm.fence.proxy.acquire",
    ),
    Case(
        "device_async_copy device_async_create_group device_async_wait",
        "%size = arith.constant 16 : i32\n"
        f"%copy = nvgpu.device_async_copy %g, %s, %size : !llvm.ptr<1>, !llvm.ptr<3>, i32 -> "
        f"{TOKEN}\n"
        f"%group = nvgpu.device_async_create_group %copy : ({TOKEN}) -> {TOKEN}\n"
        f"nvgpu.device_async_wait %group {{numGroups = 0 : i32}} : {TOKEN}",
        "cp.async.ca.shared.global | cp.async.commit_group | cp.async.wait_group",
    ),
    Case(
        "device_async_copy",
        "%size = arith.constant 16 : i32\n"
        "%copy = nvgpu.device_async_copy %g, %s, %size {bypassL1} : !llvm.ptr<1>, !llvm.ptr<3>, "
        f"i32 -> {TOKEN}",
        "cp.async.cg.shared.global",
    ),
    Case(
        "warpgroup.generate.descriptor",
        "%r = nvgpu.warpgroup.generate.descriptor %s {leading_byte_offset = 16 : i64, "
        "matrix_stride = 1024 : i64, swizzle_base = 0 : i64, swizzle_mode = "
        "#nvgpu<swizzle 128B>} : !llvm.ptr<3> -> i64\n"
        "llvm.store volatile %r, %g : i64, !llvm.ptr<1>",
        "or.b64",
    ),
    Case(
        "warpgroup.mma",
        '%r = nvgpu.warpgroup.mma %l, %l, %v4f32 {shape = [64, 8, 16], types = ["f32", "f16", '
        '"f16"]} : i64, i64, vector<4xf32>\n'
        "llvm.store volatile %r, %g : vector<4xf32>, !llvm.ptr<1>",
        "wgmma.fence.sync.aligned | wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 | "
        "wgmma.commit_group.sync.aligned | wgmma.wait_group.sync.aligned\\s+0",
        HOPPER,
        "nvvm.wgmma.fence.aligned",
    ),
    Case(
        "warpgroup.mma warpgroup.mma.init.accumulator warpgroup.mma.store",
        "%zero = nvgpu.warpgroup.mma.init.accumulator -> vector<8xf32>\n"
        '%r = nvgpu.warpgroup.mma %l, %l, %zero {shape = [64, 8, 16], types = ["f32", "f16", '
        '"f16"], k_steps = 4 : i32, a_step = 2 : i64, b_step = 2 : i64, m_tiles = 2 : i32, '
        "a_tile_step = 512 : i64} : i64, i64, vector<8xf32>\n"
        "%to = builtin.unrealized_conversion_cast %g : !llvm.ptr<1> to memref<128x8xf32, 1>\n"
        "nvgpu.warpgroup.mma.store %r, %to : vector<8xf32> to memref<128x8xf32, 1>",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16(.|\\n)*wgmma.mma_async | st.global",
        HOPPER,
        "nvvm.wgmma.fence.aligned",
    ),
    Case(
        "warpgroup.mma warpgroup.wait",
        '%c = nvgpu.warpgroup.mma %l, %l, %v4f32 {shape = [64, 8, 16], types = ["f32", "f16", '
        '"f16"], async} : i64, i64, vector<4xf32>\n'
        "%r = nvgpu.warpgroup.wait %c {groups = 0 : i32} : vector<4xf32>\n"
        "llvm.store volatile %r, %g : vector<4xf32>, !llvm.ptr<1>",
        "wgmma.wait_group.sync.aligned 0",
        HOPPER,
        "nvvm.wgmma.fence.aligned",
    ),
    Case(
        "warpgroup.wait",
        "nvgpu.warpgroup.wait {groups = 1 : i32}",
        "wgmma.wait_group.sync.aligned\\s+1",
        HOPPER,
        "nvvm.wgmma.wait.group.sync.aligned",
    ),
    Case(
        "warpgroup.mma.init.accumulator warpgroup.mma.store",
        "%zero = nvgpu.warpgroup.mma.init.accumulator -> vector<4xf32>\n"
        "%to = builtin.unrealized_conversion_cast %g : !llvm.ptr<1> to memref<64x8xf32, 1>\n"
        "nvgpu.warpgroup.mma.store %zero, %to : vector<4xf32> to memref<64x8xf32, 1>",
        "st.global | %tid.x",
    ),
    Case(
        "mma.sync",
        "%a = vector.shape_cast %v8f16 : vector<8xf16> to vector<4x2xf16>\n"
        "%f = vector.shape_cast %v4f16 : vector<4xf16> to vector<2x2xf16>\n"
        "%c = vector.shape_cast %v4f32 : vector<4xf32> to vector<2x2xf32>\n"
        "%d = nvgpu.mma.sync(%a, %f, %c) {mmaShape = [16, 8, 16]} : "
        f"{_mma('4x2xf16', '2x2xf16', '2x2xf32')}\n"
        "%r = vector.shape_cast %d : vector<2x2xf32> to vector<4xf32>\n"
        "llvm.store volatile %r, %g : vector<4xf32>, !llvm.ptr<1>",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
    ),
    Case(
        "mma.sync",
        "%a8 = vector.bitcast %v4i8 : vector<4xi8> to vector<4xf8E4M3FN>\n"
        "%a = vector.broadcast %a8 : vector<4xf8E4M3FN> to vector<4x4xf8E4M3FN>\n"
        "%f = vector.broadcast %a8 : vector<4xf8E4M3FN> to vector<2x4xf8E4M3FN>\n"
        "%c = vector.shape_cast %v4f32 : vector<4xf32> to vector<2x2xf32>\n"
        "%d = nvgpu.mma.sync(%a, %f, %c) {mmaShape = [16, 8, 32]} : "
        f"{_mma('4x4xf8E4M3FN', '2x4xf8E4M3FN', '2x2xf32')}\n"
        "%r = vector.shape_cast %d : vector<2x2xf32> to vector<4xf32>\n"
        "llvm.store volatile %r, %g : vector<4xf32>, !llvm.ptr<1>",
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32",
        ADA,
        "nvvm.mma.sync",
    ),
    Case(
        "mma.sp.sync",
        "%a = vector.shape_cast %v4f16 : vector<4xf16> to vector<2x2xf16>\n"
        "%c = vector.shape_cast %v4f32 : vector<4xf32> to vector<2x2xf32>\n"
        "%d = nvgpu.mma.sp.sync(%a, %a, %c) metadata(%v2i16) {mmaShape = [16, 8, 16]} : "
        f"{_mma('2x2xf16', '2x2xf16', '2x2xf32')}\n"
        "%r = vector.shape_cast %d : vector<2x2xf32> to vector<4xf32>\n"
        "llvm.store volatile %r, %g : vector<4xf32>, !llvm.ptr<1>",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
    ),
    Case(
        "mma.sp.sync",
        "%a8 = vector.bitcast %v4i8 : vector<4xi8> to vector<4xf8E4M3FN>\n"
        "%a = vector.broadcast %a8 : vector<4xf8E4M3FN> to vector<4x4xf8E4M3FN>\n"
        "%c = vector.shape_cast %v4f32 : vector<4xf32> to vector<2x2xf32>\n"
        "%d = nvgpu.mma.sp.sync(%a, %a, %c) metadata(%v2i16) {mmaShape = [16, 8, 64]} : "
        f"{_mma('4x4xf8E4M3FN', '4x4xf8E4M3FN', '2x2xf32')}\n"
        "%r = vector.shape_cast %d : vector<2x2xf32> to vector<4xf32>\n"
        "llvm.store volatile %r, %g : vector<4xf32>, !llvm.ptr<1>",
        "mma.sp.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32",
        ADA,
        "llvm.inline_asm",
    ),
    Case(
        "ldmatrix",
        "%r = nvgpu.ldmatrix %s {num = 4 : i32, transpose = true} : !llvm.ptr<3> -> vector<4xi32>\n"
        "llvm.store volatile %r, %g : vector<4xi32>, !llvm.ptr<1>",
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
    ),
    Case(
        "rcp",
        "%r = nvgpu.rcp %v4f32 {rounding = #nvgpu<rcp_rounding_mode approx>, ftz} : vector<4xf32>\n"
        "llvm.store volatile %r, %g : vector<4xf32>, !llvm.ptr<1>",
        "rcp.approx.ftz.f32",
    ),
    Case(
        "cvt_fptrunc",
        "%r = nvgpu.cvt_fptrunc %v2f32 : vector<2xf32> to vector<2xf16>\n"
        "llvm.store volatile %r, %g : vector<2xf16>, !llvm.ptr<1>",
        "cvt.rn.f16x2.f32",
    ),
    Case(
        "cvt_fptrunc",
        "%n = nvgpu.cvt_fptrunc %v2f32 : vector<2xf32> to vector<2xf8E4M3FN>\n"
        "%r = vector.bitcast %n : vector<2xf8E4M3FN> to vector<1xi16>\n"
        "llvm.store volatile %r, %g : vector<1xi16>, !llvm.ptr<1>",
        "cvt.rn.satfinite.e4m3x2.f32",
        ADA,
        "nvvm.cvt.fptrunc.x2",
    ),
    Case(
        "cvt_fpext",
        "%r = nvgpu.cvt_fpext %v2f16 : vector<2xf16> to vector<2xf32>\n"
        "llvm.store volatile %r, %g : vector<2xf32>, !llvm.ptr<1>",
        "cvt.f32.f16",
    ),
    Case(
        "fma.packed.f32x2",
        "%r = nvgpu.fma.packed.f32x2 %v2f32, %v2f32, %v2f32 : vector<2xf32>\n"
        "llvm.store volatile %r, %g : vector<2xf32>, !llvm.ptr<1>",
        "fma.rn.f32x2",
        BLACKWELL,
        "nvvm.fma.packed.f32x2",
    ),
    Case(
        "mul.packed.f32x2",
        "%r = nvgpu.mul.packed.f32x2 %v2f32, %v2f32 : vector<2xf32>\n"
        "llvm.store volatile %r, %g : vector<2xf32>, !llvm.ptr<1>",
        "mul.rn.f32x2",
        BLACKWELL,
        "nvvm.mul.packed.f32x2",
    ),
    Case(
        "tma.encode.descriptor",
        "nvgpu.tma.encode.descriptor %s, %l dims[%i, %j] strides[%l] {box = array<i32: 64, 128>, "
        'element = "bf16", swizzle = 128 : i32} : !llvm.ptr<3>',
        "tensormap.replace.tile.global_address.shared::cta | tensormap.replace.tile.swizzle_mode",
        HOPPER_AND_LATER,
        "nvvm.tensormap.replace",
    ),
)


def write(cases: tuple[Case, ...]) -> str:
    """The text of a module with a kernel for each case."""
    types = ", ".join(ARGUMENTS.values())
    arguments = ", ".join(f"%{name}: {ty}" for name, ty in ARGUMENTS.items())
    kernels = "".join(
        f'"gpu.func"() <{{function_type = ({types}) -> (), kernel}}> ({{\n^bb0({arguments}):\n'
        f'{PROLOGUE}{case.body}\n"gpu.return"() : () -> ()\n}}) {{sym_name = "k{index}", '
        f"gpu.known_block_size = array<i32: 128, 1, 1>}} : () -> ()\n"
        for index, case in enumerate(cases)
    )
    return f'"gpu.module"() <{{sym_name = "m"}}> ({{\n{kernels}}}) : () -> ()\n'


def parse_cases(cases: tuple[Case, ...]) -> ModuleOp:
    """The verified module of some cases, at level 3."""
    return parse(write(cases), "cases.mlir")


@cache
def lower(cases: tuple[Case, ...]) -> ModuleOp:
    """The module of some cases as `llvm` and `nvvm`."""
    module = parse_cases(cases)
    passes = (ConvertNvgpuToNvvmPass(), ConvertGpuToNvvmPass(), ConvertToLlvmPass())
    return apply(module, *passes)


@pytest.mark.every(11, first=8)
@pytest.mark.oracle
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_ops_reach_ptx_and_a_cubin(arch: str, oracle_program: Callable[[str], Path]):
    cases = tuple(case for case in CASES if arch in case.architectures)
    target = NvptxTarget.parse(arch)
    ptx = nvptx.compile_to_ptx(translate_module(lower(cases), target), target)
    parts = sections(ptx)
    for index, case in enumerate(cases):
        for expected in case.expected.split(" | "):
            assert re.search(expected, parts[f"k{index}"]), case.body
    assert Ptxas(oracle_program("ptxas")).compile(ptx, target).cubin.startswith(b"\x7fELF")


@pytest.mark.every(4)
@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in CASES if case.blames])
def test_other_architectures_are_refused(case: Case):
    module = lower((case,))
    lines = write((case,)).splitlines()
    for arch in ARCHITECTURES:
        if arch in case.architectures:
            continue
        target = NvptxTarget.parse(arch)
        with pytest.raises(DiagnosticException) as error:
            translate_module(module, target)
        message = describe(error.value, tool="", input_name="", root=module)
        match = re.fullmatch(
            rf"cases.mlir:(\d+):\d+: error: '{re.escape(case.blames)}' needs "
            r"(sm_\d+a, )*sm_\d+a?( or (later|sm_\d+a))?( for [^,]+)?, "
            rf"the target is {target}",
            message,
        )
        assert match is not None, message
        # The conversions keep the place of the op that the user wrote.
        assert f"nvgpu.{case.id}" in lines[int(match[1]) - 1]


def test_every_op_has_a_case():
    used = op_names(parse_cases(CASES))
    ops = {op.name for op in Nvgpu.operations}
    assert ops - used == set()
    assert {f"nvgpu.{name}" for case in CASES for name in case.ops.split()} == ops
