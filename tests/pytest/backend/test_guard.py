"""What would end the process inside LLVM is refused before."""

import json
import os

import pytest

from tileiras_xdsl.backend import nvptx, worker
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.guard import missing_instruction
from tileiras_xdsl.backend.target import NvptxTarget

from ..harness.commands import python
from .kernels import kernel


def unary(name: str, ty: str, flags: str = "") -> str:
    """A kernel that applies an intrinsic to a number."""
    return (
        f"declare {ty} @{name}({ty})\n"
        "define ptx_kernel void @k(ptr addrspace(1) %p) {\n"
        f"  %x = load {ty}, ptr addrspace(1) %p\n"
        f"  %y = call {flags} {ty} @{name}({ty} %x)\n"
        f"  store {ty} %y, ptr addrspace(1) %p\n"
        "  ret void\n}\n"
    )


def plain(name: str) -> str:
    """A kernel that calls an intrinsic without arguments."""
    return in_kernel(f"  call void @{name}()\n", f"declare void @{name}()\n")


def in_kernel(body: str, before: str = "") -> str:
    return (
        f"{before}define ptx_kernel void @k(ptr addrspace(1) %p, i32 %n) {{\n{body}  ret void\n}}\n"
    )


REFUSED = [
    *(
        (unary(f"llvm.{name}.f32", "float"), "sm_90", "call the function of libdevice")
        for name in ("exp", "exp10", "log", "log2", "log10", "tan", "asin", "sinh")
    ),
    (unary("llvm.exp2.f64", "double"), "sm_90", "call the function of libdevice"),
    (unary("llvm.sin.f32", "float"), "sm_90", "needs the flag afn"),
    (unary("llvm.sin.f64", "double", "afn"), "sm_90", "call the function of libdevice"),
    (unary("llvm.tanh.f16", "half"), "sm_90", "needs the flag afn"),
    (unary("llvm.canonicalize.bf16", "bfloat"), "sm_90", "cannot generate code"),
    (unary("llvm.nvvm.ex2.approx.v2bf16", "<2 x bfloat>"), "sm_90", "use ex2.approx.f16"),
    (unary("llvm.nvvm.ex2.approx.ftz.v2f16", "<2 x half>"), "sm_90", "use ex2.approx.f16"),
    (unary("llvm.nvvm.ex2.approx.ftz.v2bf16", "<2 x bfloat>"), "sm_80", "needs sm_90 or later"),
    (plain("llvm.nvvm.wgmma.fence.sync.aligned"), "sm_100", "it needs sm_90a"),
    (plain("llvm.nvvm.tcgen05.fence.before.thread.sync"), "sm_90", "it needs sm_100a"),
    (plain("llvm.nvvm.barrier.cluster.arrive"), "sm_89", "it needs sm_90 or later"),
    (plain("llvm.nvvm.griddepcontrol.wait"), "sm_86", "it needs sm_90 or later"),
    (plain("llvm.nvvm.fence.proxy.async"), "sm_80", "it needs sm_90 or later"),
    (plain("llvm.nvvm.foo.bar"), "sm_90", "LLVM knows no such intrinsic"),
    (plain("somewhere_else"), "sm_90", "the function is declared and never defined"),
    (
        in_kernel('  fence syncscope("agent") acq_rel\n'),
        "sm_90",
        'LLVM IR line 2: there is no syncscope("agent")',
    ),
    (in_kernel('  fence syncscope("cluster") acq_rel\n'), "sm_89", "clusters need sm_90"),
    (
        in_kernel("  %x = cmpxchg ptr addrspace(1) %p, i128 1, i128 2 seq_cst seq_cst\n"),
        "sm_80",
        "128-bit atomics need sm_90",
    ),
    (unary("llvm.sqrt.fp128", "fp128"), "sm_90", "fp128 is no type of the GPU"),
    (in_kernel("", "@w = addrspace(3) global i32 5\n"), "sm_90", "shared memory has no initial"),
    (
        in_kernel("  store ptr @w, ptr addrspace(1) %p\n", "@w = thread_local global i32 0\n"),
        "sm_90",
        "thread_local is not available",
    ),
    (
        'define ptx_kernel void @k() "nvvm.reqntid"="a" {\n  ret void\n}\n',
        "sm_90",
        'attribute "nvvm.reqntid" is "a", expected one to three numbers',
    ),
    *(
        (
            in_kernel(
                "  %f = bitcast i32 %n to float\n"
                f"  %x = call i32 @llvm.nvvm.f2tf32.{mode}(float %f)\n"
                "  store i32 %x, ptr addrspace(1) %p\n",
                f"declare i32 @llvm.nvvm.f2tf32.{mode}(float)\n",
            ),
            "sm_89",
            "it needs sm_90 or later",
        )
        for mode in ("rn", "rz", "rn.relu", "rz.relu")
    ),
]


@pytest.mark.parametrize(("source", "arch", "message"), REFUSED)
def test_refused(source: str, arch: str, message: str):
    with pytest.raises(BackendError) as error:
        nvptx.compile_to_ptx(source, NvptxTarget.parse(arch))
    assert message in str(error.value)


ACCEPTED = [
    (unary("llvm.sin.f32", "float", "afn"), "sin.approx.f32"),
    (unary("llvm.cos.f32", "float", "fast"), "cos.approx.f32"),
    (unary("llvm.exp2.f32", "float"), "ex2.approx.f32"),
    (unary("llvm.nvvm.ex2.approx.ftz.v2bf16", "<2 x bfloat>"), "ex2.approx.ftz.bf16x2"),
    (in_kernel('  fence syncscope("cluster") acq_rel\n'), "fence.acq_rel.cluster"),
    (
        in_kernel(
            "  ret void\ndead:\n  ; fp128 thread_local\n", '@s = constant [6 x i8] c" fp128"\n'
        ),
        ".entry k",
    ),
    (in_kernel("", "@w = external addrspace(3) global [0 x i8], align 16\n"), ".entry k"),
    ("declare void @elsewhere()\n" + in_kernel(""), ".entry k"),
    (
        in_kernel(
            "  %f = bitcast i32 %n to float\n"
            "  %x = call i32 @llvm.nvvm.f2tf32.rn(float %f)\n"
            "  store i32 %x, ptr addrspace(1) %p\n",
            "declare i32 @llvm.nvvm.f2tf32.rn(float)\n",
        ),
        "cvt.rn.tf32.f32",
    ),
    ("declare double @llvm.exp.f64(double)\n" + in_kernel(""), ".entry k"),
]


@pytest.mark.parametrize(("source", "instruction"), ACCEPTED)
def test_accepted(source: str, instruction: str):
    assert instruction in nvptx.compile_to_ptx(source, NvptxTarget.parse("sm_90"))


@pytest.mark.parametrize("arch", ["sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90"])
def test_rounding_to_tf32_with_ties_away_is_everywhere(arch: str):
    """`rna` begins as `rn` does, which is not."""
    source = in_kernel(
        "  %f = bitcast i32 %n to float\n"
        "  %x = call i32 @llvm.nvvm.f2tf32.rna(float %f)\n"
        '  %y = call i32 asm "cvt.rna.tf32.f32 $0, $1;", "=r,f"(float %f)\n'
        "  store volatile i32 %x, ptr addrspace(1) %p\n"
        "  store volatile i32 %y, ptr addrspace(1) %p\n",
        "declare i32 @llvm.nvvm.f2tf32.rna(float)\n",
    )
    ptx = nvptx.compile_to_ptx(source, NvptxTarget.parse(arch))
    assert ptx.count("cvt.rna.tf32.f32") == 2


ASSEMBLY = [
    ("wgmma.fence.sync.aligned;", "sm_100", "wgmma.fence.sync.aligned", "sm_90a"),
    (
        "mov.b32 a, b;\\0Atcgen05.wait::ld.sync.aligned;",
        "sm_90",
        "tcgen05.wait::ld",
        "sm_100a, sm_103a, sm_107a or sm_110a",
    ),
    ("@p elect.sync _|p, m;", "sm_89", "elect.sync", "sm_90 or later"),
    ("mapa.u64 a, b, c;", "sm_80", "mapa.u64", "sm_90 or later"),
    ("fma.rn.f32x2 a, b, c, d;", "sm_90", "fma.rn.f32x2", "sm_100 or later"),
    ("st.async.shared::cluster.b64 [a], b, [c];", "sm_86", "st.async.shared", "sm_90 or later"),
    (
        "redux.sync.min.f32 a, b, m;",
        "sm_120",
        "redux.sync.min.f32",
        "sm_100a, sm_103a or sm_107a",
    ),
    ("cvt.rz.relu.tf32.f32 a, b;", "sm_80", "cvt.rz.relu.tf32.f32", "sm_90 or later"),
    ("cvt.rn.satfinite.e4m3x2.f32 a, b, c;", "sm_86", "cvt.rn.satfinite.e4m3", "sm_89 or later"),
    (
        "mma.sync.aligned.kind::f8f6f4.m16n8k32 a;",
        "sm_100",
        "mma.sync.aligned.kind",
        "sm_120a or sm_121a",
    ),
]


@pytest.mark.parametrize(("assembly", "arch", "instruction", "needs"), ASSEMBLY)
def test_assembly_that_the_architecture_lacks(
    assembly: str, arch: str, instruction: str, needs: str
):
    source = in_kernel(f'  call void asm sideeffect "{assembly}", ""()\n')
    target = NvptxTarget.parse(arch)
    with pytest.raises(BackendError) as error:
        nvptx.compile_to_ptx(source, target)
    message = str(error.value)
    assert message.startswith(f"LLVM IR line 2: '{instruction}")
    assert f"' needs {needs}, the target is {target}\n" in message


@pytest.mark.parametrize(
    "assembly",
    [
        "fma.rn.f32 a, b, c, d;",
        "cvt.rna.tf32.f32 a, b;",
        "fence.proxy.alias;",
        "mbarrier.test_wait.parity.shared.b64 p, [a], b;",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 a;",
        "ld.global.b32 %r_cluster, [a];",
        "// wgmma",
    ],
)
def test_assembly_of_every_architecture(assembly: str):
    assert missing_instruction(assembly, NvptxTarget.parse("sm_80")) is None


CLUSTERS = (
    'define ptx_kernel void @k() "nvvm.blocksareclusters" "nvvm.reqntid"="32" '
    '"nvvm.cluster_dim"="2" {\n  ret void\n}\n'
)


def test_the_ptx_version_is_sufficient():
    ptx = nvptx.compile_to_ptx(CLUSTERS, NvptxTarget.parse("sm_90"))
    assert ".version 9.0\n" in ptx
    assert ".blocksareclusters" in ptx
    assert worker.compile_to_ptx(CLUSTERS, NvptxTarget.parse("sm_90")).ptx == ptx
    assert ".version 8.6\n" in nvptx.compile_to_ptx(in_kernel(""), NvptxTarget.parse("sm_90"))


@pytest.mark.parametrize(
    ("source", "arch", "version", "message"),
    [
        (CLUSTERS, "sm_90", 88, '"nvvm.blocksareclusters" needs PTX version 90 or later'),
        (CLUSTERS, "sm_89", None, '"nvvm.blocksareclusters" needs sm_90 or later'),
        (
            plain("llvm.nvvm.fence.proxy.tensormap_generic.release.gpu"),
            "sm_90",
            80,
            "llvm.nvvm.fence.proxy.tensormap_generic.release.gpu needs PTX version 83 or later",
        ),
        (
            in_kernel('  call void asm sideeffect "fence.proxy.alias;", ""()\n'),
            "sm_80",
            70,
            "fence.proxy.alias needs PTX version 75 or later, the target is sm_80 with 70",
        ),
    ],
)
def test_a_given_ptx_version_is_kept(source: str, arch: str, version: int | None, message: str):
    with pytest.raises(BackendError) as error:
        nvptx.compile_to_ptx(source, NvptxTarget.parse(arch, version))
    assert message in str(error.value)


def test_the_call_is_shown():
    with pytest.raises(BackendError) as error:
        nvptx.compile_to_ptx(kernel("tma"), NvptxTarget.parse("sm_80"))
    name = "llvm.nvvm.fence.mbarrier_init.release.cluster"
    assert f"cannot compile @{name} for sm_80: it needs sm_90 or later\n" in str(error.value)
    assert f" |   call void @{name}()\n" in str(error.value)


WITHOUT_GUARD = """
import json, os, sys
from tileiras_xdsl.backend import nvptx
from tileiras_xdsl.backend.target import NvptxTarget

nvptx.check_source = nvptx.check_before_emission = lambda *_: None
for source, arch in json.load(sys.stdin):
    if (child := os.fork()) == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        nvptx.compile_to_ptx(source, NvptxTarget.parse(arch))
        os._exit(0)
    print(int(os.waitpid(child, 0)[1] != 0), end="")
"""

HARMLESS = ("llvm.nvvm.foo.bar", "somewhere_else")
"""LLVM makes calls of functions that nobody defines; ptxas would refuse them."""


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_the_guard_is_needed():
    """Without it the process ends, for every rule; were that repaired, the rule could go."""
    cases = [
        (source, arch)
        for source, arch, _ in REFUSED
        if not any(name in source for name in HARMLESS)
    ]
    deaths = python("-c", WITHOUT_GUARD, stdin=json.dumps(cases)).out
    survived = [case for case, died in zip(cases, deaths, strict=True) if died == "0"]
    assert not survived
