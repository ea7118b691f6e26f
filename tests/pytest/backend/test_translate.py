"""Modules of `llvm` and `nvvm` to LLVM IR text, and on to PTX and cubins."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    ModuleOp,
    VectorType,
    bf16,
    f8E4M3FN,
    f8E5M2,
    f8E8M0FNU,
    f16,
    f32,
    f64,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.backend import llvmlite_binding, nvptx
from tileiras_xdsl.backend.ptxas import PTXAS_VARIABLE, Ptxas
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.targets import CubinTarget, LlvmIrTarget, PtxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.backend.translate.constants import (
    constant_registers,
    floating,
    integer,
    small_float,
    symbol,
)
from tileiras_xdsl.backend.translate.module_writer import DATA_LAYOUT
from tileiras_xdsl.frontend.load import load

from ..harness.commands import OPT, python, python_with_seed
from ..harness.modules import parse
from .kernels import ARCHITECTURES

KERNELS = Path(__file__).parents[2] / "filecheck" / "backend"
SM_80 = NvptxTarget.parse("sm_80")
SM_90 = NvptxTarget.parse("sm_90")


def function(body: str, arguments: str = "") -> ModuleOp:
    return parse(
        f"llvm.func @f({arguments}) attributes {{nvvm.kernel}} {{\n{body}\nllvm.return\n}}"
    )


def translate(body: str, arguments: str = "", target: NvptxTarget = SM_90) -> str:
    """The lines of a function, parsed by LLVM as well."""
    text = translate_module(function(body, arguments), target)
    nvptx.parse(text, target)
    return text


# Whole kernels


@pytest.mark.every(6)
@pytest.mark.oracle
@pytest.mark.parametrize(
    ("name", "arch"),
    [
        *((name, arch) for name in ("saxpy", "block_reduction") for arch in ARCHITECTURES),
        *(("mma_sync", arch) for arch in ("sm_80", "sm_90", "sm_120")),
        *(("tma_copy", arch) for arch in ("sm_90", "sm_100", "sm_120")),
        ("wgmma", "sm_90"),
    ],
)
def test_kernels_become_cubins(
    name: str,
    arch: str,
    oracle_program: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv(PTXAS_VARIABLE, str(oracle_program("ptxas")))
    module = load(KERNELS / f"{name}.mlir")
    cubin = CubinTarget(arch=arch, debug=True).emit_bytes(Context(), module)
    assert cubin.startswith(b"\x7fELF")


def test_wgmma_is_not_serialized(oracle_program: Callable[[str], Path]):
    ptx = PtxTarget().compile(load(KERNELS / "wgmma.mlir"))
    assert Ptxas(oracle_program("ptxas")).compile(ptx, SM_90).slow == ()


@pytest.mark.parametrize("level", range(4))
def test_levels(level: int):
    assert ".entry sum" in PtxTarget(opt=level).compile(load(KERNELS / "block_reduction.mlir"))


@pytest.mark.long
def test_the_text_is_the_same_for_every_hash_seed():
    outputs = {
        python_with_seed(seed, *OPT, KERNELS / "block_reduction.mlir", "-t", "llvm-ir{debug=true}")
        for seed in (0, 77)
    }
    assert len(outputs) == 1


def test_the_data_layout_is_that_of_llvm():
    for arch in ARCHITECTURES:
        machine = llvmlite_binding.create_target_machine(NvptxTarget.parse(arch), 1)
        assert str(machine.target_data) == DATA_LAYOUT


def test_targets():
    assert LlvmIrTarget().translate(function("")).count("define") == 1
    with pytest.raises(DiagnosticException, match="target 'cubin' is binary, use tileiras-opt"):
        CubinTarget().emit(Context(), function(""), sys.stdout)


# Registers


def test_a_vector_is_a_list_of_registers():
    text = translate(
        "%0 = llvm.fadd %v, %v : vector<3xf16>\n"
        "llvm.store %0, %p {alignment = 8 : i64} : vector<3xf16>, !llvm.ptr<1>",
        "%v: vector<3xf16>, %p: !llvm.ptr<1>",
    )
    assert "fadd <2 x half>" in text
    assert "fadd half" in text
    assert re.search(r"store <3 x half> %v\d+, ptr addrspace\(1\) %v2, align 8", text)


def test_arguments_are_unpacked_at_the_function():
    arguments = "%v: vector<2xf32>, %p: !llvm.ptr"
    module = function("llvm.store %v, %p : vector<2xf32>, !llvm.ptr", arguments)
    lines = translate_module(module, SM_90, debug=True).splitlines()
    places = dict(line.split(" = !DILocation(line: ") for line in lines if "DILocation" in line)
    unpacking = [line.rpartition(" ")[2] for line in lines if "extractelement" in line]
    assert [places[place].partition(",")[0] for place in unpacking] == ["1", "1"]


def test_aggregates_cost_nothing():
    pair = "!llvm.struct<(vector<2xf32>, i32)>"
    text = translate(
        f"%0 = llvm.mlir.undef : {pair}\n"
        f"%1 = llvm.insertvalue %v, %0[0] : {pair}\n"
        f"%2 = llvm.insertvalue %i, %1[1] : {pair}\n"
        f"%3 = llvm.extractvalue %2[1] : {pair}\n"
        "llvm.store %3, %p : i32, !llvm.ptr<1>",
        "%v: vector<2xf32>, %i: i32, %p: !llvm.ptr<1>",
    )
    assert "insertvalue" not in text
    assert "store i32 %v2, ptr addrspace(1) %v3" in text


PAIRS = """
%x = llvm.load %p : !llvm.ptr -> vector<5xf32>
%y = llvm.fadd %x, %x : vector<5xf32>
%z = llvm.fmul %y, %x : vector<5xf32>
%w = llvm.intr.fma(%z, %y, %x) : (vector<5xf32>, vector<5xf32>, vector<5xf32>) -> vector<5xf32>
%v = llvm.fneg %w : vector<5xf32>
llvm.store %v, %p : vector<5xf32>, !llvm.ptr
"""


@pytest.mark.parametrize(("arch", "pairs"), [("sm_90", 0), ("sm_100", 2), ("sm_120", 2)])
def test_f32_in_pairs(arch: str, pairs: int):
    target = NvptxTarget.parse(arch)
    text = translate_module(function(PAIRS, "%p: !llvm.ptr"), target)
    ptx = nvptx.compile_to_ptx(text, target)
    for word in ("add", "mul", "fma"):
        assert ptx.count(f"{word}.rn.f32x2") == pairs
        assert ptx.count(f"{word}.rn.f32 ") == 5 - 2 * pairs


def test_the_maximum_of_three():
    body = """
    %x = llvm.load %p : !llvm.ptr -> vector<3xf32>
    %a = llvm.shufflevector %x, %x [0] : vector<3xf32>
    %b = llvm.shufflevector %x, %x [1] : vector<3xf32>
    %c = llvm.shufflevector %x, %x [2] : vector<3xf32>
    %d = llvm.intr.maxnum(%a, %b) : (vector<1xf32>, vector<1xf32>) -> vector<1xf32>
    %e = llvm.intr.maxnum(%d, %c) : (vector<1xf32>, vector<1xf32>) -> vector<1xf32>
    llvm.store %e, %p : vector<1xf32>, !llvm.ptr
    """
    for arch, count in (("sm_90", 2), ("sm_100", 1), ("sm_120", 1)):
        target = NvptxTarget.parse(arch)
        ptx = nvptx.compile_to_ptx(
            translate_module(function(body, "%p: !llvm.ptr"), target), target
        )
        assert ptx.count("max.f32") == count


def test_whole_registers_are_kept_by_shuffles():
    text = translate(
        "%0 = llvm.shufflevector %v, %v [2, 3, 0, 1] : vector<4xf16>\n"
        "llvm.store volatile %0, %p : vector<4xf16>, !llvm.ptr<1>",
        "%v: vector<4xf16>, %p: !llvm.ptr<1>",
    )
    assert "<2 x half>" in text
    assert "shufflevector" not in text
    assert "half %" not in text


def test_blocks_come_after_those_that_dominate_them():
    text = translate(
        "llvm.br ^b\n^a:\nllvm.store %x, %p : i32, !llvm.ptr<1>\nllvm.return\n"
        "^b:\n%x = llvm.add %i, %i : i32\nllvm.br ^a\n^dead:",
        "%i: i32, %p: !llvm.ptr<1>",
    )
    assert text.index("add i32") < text.index("store i32")
    assert "b3:" not in text


# Constants


@pytest.mark.parametrize(
    ("value", "ty", "text"),
    [
        (1.0, "double", "0x3FF0000000000000"),
        (0.1, "float", "0x3FB99999A0000000"),
        (1e300, "float", "0x7FF0000000000000"),
        (1.5, "half", "0xH3E00"),
        (-0.0, "half", "0xH8000"),
        (1.0, "bfloat", "0xR3F80"),
        (1.00390625, "bfloat", "0xR3F80"),
        (1.01171875, "bfloat", "0xR3F82"),
    ],
)
def test_floats(value: float, ty: str, text: str):
    assert floating(value, ty) == text


def test_integers_wrap():
    assert integer(255, 8) == "-1"
    assert integer(-1, 1) == "1"
    assert integer(1 << 63, 64) == str(-(1 << 63))


@pytest.mark.parametrize(
    ("value", "ty", "bits"),
    [
        (1.0, f8E4M3FN, 0x38),
        (-448.0, f8E4M3FN, 0xFE),
        (465.0, f8E4M3FN, 0x7E),
        (1e30, f8E4M3FN, 0x7E),
        (float("-inf"), f8E4M3FN, 0xFE),
        (float("nan"), f8E4M3FN, 0x7F),
        (1.0, f8E5M2, 0x3C),
        (1e30, f8E5M2, 0x7B),
        (float("inf"), f8E5M2, 0x7C),
        (float("nan"), f8E5M2, 0x7F),
        (2.0**-16, f8E5M2, 0x01),
        (8.0, f8E8M0FNU, 0x82),
    ],
)
def test_small_floats(value: float, ty: Attribute, bits: int):
    assert small_float(value, ty) == bits


def test_names_are_quoted():
    assert symbol("k.1$a") == "@k.1$a"
    assert symbol('a "b"') == '@"a \\22b\\22"'


def test_initial_values():
    text = translate_module(
        parse(
            "llvm.mlir.global internal constant @pair() {addr_space = 4 : i32} : "
            "!llvm.struct<(i32, !llvm.array<2 x f32>)> {\n"
            "%0 = llvm.mlir.zero : !llvm.struct<(i32, !llvm.array<2 x f32>)>\n"
            "%1 = llvm.mlir.constant(7 : i32) : i32\n"
            "%2 = llvm.insertvalue %1, %0[0] : !llvm.struct<(i32, !llvm.array<2 x f32>)>\n"
            "llvm.return %2 : !llvm.struct<(i32, !llvm.array<2 x f32>)>\n}\n"
            "llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 1024 : i64} : "
            "!llvm.array<0 x i8>\n"
        ),
        SM_90,
    )
    assert (
        "@pair = internal addrspace(4) constant { i32, [2 x float] } "
        "{ i32 7, [2 x float] zeroinitializer }\n" in text
    )
    assert "@dynamic = external addrspace(3) global [0 x i8], align 1024\n" in text
    nvptx.parse(text, SM_90)


# Errors


@pytest.mark.parametrize(
    ("body", "needed"),
    [
        ("nvvm.wgmma.fence.aligned", "sm_90a"),
        ("nvvm.cp.async.bulk.commit.group", "sm_90 or later"),
        ("nvvm.cluster.arrive", "sm_90 or later"),
        ("%0 = nvvm.elect.sync -> i1", "sm_90 or later"),
        ("%0 = nvvm.read.ptx.sreg.clusterid.x : i32", "sm_90 or later"),
        ("%0 = nvvm.mul.packed.f32x2 %v, %v : vector<2xf32>", "sm_100 or later"),
        (
            "%0 = nvvm.cvt.fptrunc.x2 %v : vector<2xf32> to vector<2xf8E5M2>",
            "sm_89 or later",
        ),
    ],
)
def test_what_the_architecture_lacks(body: str, needed: str):
    name = re.search(r"nvvm\.[\w.]+", body)
    assert name is not None
    message = f"'{name[0]}' needs {needed}, the target is sm_80"
    with pytest.raises(DiagnosticException, match=re.escape(message)):
        translate_module(function(body, "%v: vector<2xf32>"), SM_80)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "%0 = nvvm.wgmma.mma_async %d, %d, %v : i64, i64, vector<4xf32>",
            "'nvvm.wgmma.mma_async' without shape and types has no translation to LLVM IR",
        ),
        (
            "%0 = nvvm.wgmma.mma_async %d, %d, %v {shape = #nvvm.shape<m = 64, n = 8, k = 16>, "
            'types = ["f32", "f16", "f16"], k_steps = 2 : i32} : i64, i64, vector<4xf32>',
            "'nvvm.wgmma.mma_async' with several steps must say b_step",
        ),
        (
            "%0 = nvvm.wgmma.mma_async %d, %d, %v {shape = #nvvm.shape<m = 64, n = 8, k = 8>, "
            'types = ["f32", "tf32", "tf32"], trans_b} : i64, i64, vector<4xf32>',
            "matrices of tf32 cannot be transposed",
        ),
        ('"test.op"() : () -> ()', "'test.op' has no translation to LLVM IR"),
        (
            "%0 = llvm.load %p atomic acquire : !llvm.ptr<1> -> vector<4xf32>",
            "an access to 'vector<4xf32>' cannot be atomic",
        ),
        ("%0 = llvm.mlir.addressof @nothing : !llvm.ptr", "there is no symbol @nothing"),
    ],
)
def test_errors(body: str, message: str):
    module = function(body, "%d: i64, %v: vector<4xf32>, %p: !llvm.ptr<1>")
    with pytest.raises(DiagnosticException, match=re.escape(message)):
        translate_module(module, SM_90)


def test_clusters_need_an_architecture_that_has_them():
    attributes = "nvvm.kernel, nvvm.cluster_dim = array<i32: {}>"
    text = f"llvm.func @f() attributes {{{{{attributes}}}}} {{{{\nllvm.return\n}}}}"
    pair, single = parse(text.format("2, 1, 1")), parse(text.format("1, 1, 1"))
    assert '"nvvm.cluster_dim"="2,1,1"' in translate_module(pair, SM_90)
    assert "cluster" not in translate_module(single, SM_80)
    with pytest.raises(DiagnosticException, match=r"'nvvm.cluster_dim' needs sm_90 or later"):
        translate_module(pair, SM_80)


def test_the_ptx_version_can_be_chosen():
    text = "llvm.func @f() attributes {{{}}} {{\nllvm.return\n}}"
    attributes = "nvvm.kernel, nvvm.cluster_dim = array<i32: 2>, nvvm.blocksareclusters"
    module = parse(text.format(f"{attributes}, nvvm.reqntid = array<i32: 32>"))
    ptx = PtxTarget(ptx_version=90).compile(module)
    assert ".version 9.0" in ptx
    assert ".blocksareclusters" in ptx


CLUSTER_KERNEL = (
    "llvm.func @f() attributes {{nvvm.kernel, {}nvvm.blocksareclusters}} {{\nllvm.return\n}}"
)


def test_the_ptx_version_is_that_of_the_program():
    attributes = "nvvm.cluster_dim = array<i32: 2>, nvvm.reqntid = array<i32: 32>, "
    module = parse(CLUSTER_KERNEL.format(attributes))
    assert ".version 9.0" in PtxTarget().compile(module)
    with pytest.raises(DiagnosticException) as error:
        PtxTarget(ptx_version=88).compile(module)
    assert str(error.value) == (
        "attribute 'nvvm.blocksareclusters' needs PTX version 90 or later, but 88 was asked for"
    )


@pytest.mark.parametrize(
    ("attributes", "missing"),
    [
        ("", "nvvm.reqntid"),
        ("nvvm.reqntid = array<i32: 32>, ", "nvvm.cluster_dim"),
    ],
)
def test_clusters_as_blocks_need_both_sizes(attributes: str, missing: str):
    with pytest.raises(DiagnosticException) as error:
        translate_module(parse(CLUSTER_KERNEL.format(attributes)), SM_90)
    assert str(error.value) == (f"attribute 'nvvm.blocksareclusters' needs attribute '{missing}'")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            'llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned;", "" : () -> ()',
            "'llvm.inline_asm' needs sm_90a for 'wgmma.fence.sync.aligned', the target is sm_80",
        ),
        (
            'llvm.call_intrinsic "llvm.nvvm.barrier.cluster.wait"() : () -> ()',
            "'llvm.call_intrinsic' needs sm_90 or later for 'llvm.nvvm.barrier.cluster.wait', "
            "the target is sm_80",
        ),
    ],
)
def test_what_is_written_by_hand_is_checked_too(line: str, message: str):
    with pytest.raises(DiagnosticException) as error:
        translate_module(parse(f"llvm.func @f() {{\n{line}\nllvm.return\n}}"), SM_80)
    assert str(error.value) == message


@pytest.mark.part("processes")
def test_an_error_is_one_line_with_a_place(tmp_path: Path):
    path = tmp_path / "wrong.mlir"
    path.write_text("llvm.func @f() {\n  nvvm.wgmma.fence.aligned\n  llvm.return\n}\n")
    child = python(*OPT, path, "-t", "ptx{arch=sm_89}", check=False)
    assert child.code == 1
    assert child.err == (
        f"{path}:2:3: error: 'nvvm.wgmma.fence.aligned' needs sm_90a, the target is sm_89\n"
    )


@pytest.mark.parametrize(
    ("element", "name"), [(f16, "half"), (bf16, "bfloat"), (f32, "float"), (f64, "double")], ids=str
)
def test_dense_floats(element: AnyFloat, name: str):
    """Each element by its bits: zeros of both signs, and elements that come again."""
    numbers = [0.0, -0.0, 1.5, 0.0, float("inf"), -0.0, -2.0, 1.5]
    ty = VectorType(element, [len(numbers)])
    registers = constant_registers(DenseIntOrFPElementsAttr.from_list(ty, numbers), ty)
    words = re.findall(r"0x[HR]?[0-9A-F]+", " ".join(registers))
    assert words == [floating(number, name) for number in numbers]
