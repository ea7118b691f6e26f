"""
The PTX of kernels keeps rules that no interpreter sees: what LLVM does to registers and to control
flow is checked on what it prints. Each check finds a fault that is planted.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.driver.compiler.options import Options
from tileiras_xdsl.frontend.load import Program
from tileiras_xdsl.transforms.common.abi import ABIS, Abi

from . import convergence, tensor_memory, wgmma
from .checks import check
from .dataflow import post_dominators
from .program import Function, parse

ROOT = Path(__file__).parents[3]
BENCHMARKS = ROOT / "benchmarks/gpu/bytecode"
CORPUS = max((ROOT / "tests/corpus/bytecode").iterdir())
GPUS = ("sm_90a", "sm_100a")

QUICK = {
    ("matmul_128x256x64", "sm_90a", "device-maps"),
    ("attention_causal_d64", "sm_90a", "host-maps"),
    ("matmul_128x256x64", "sm_100a", "device-maps"),
}
"""Benchmark kernels of `make test`."""


@cache
def ptx_of(path: Path, gpu: str, abi: Abi) -> str:
    compilation = Compilation(Program.of(path), Options(gpu, abi=abi), isolate=False)
    return compilation.generate(compilation.translate())


def benchmark(name: str, gpu: str, abi: Abi = "device-maps") -> str:
    return ptx_of(BENCHMARKS / f"{name}.tileirbc", gpu, abi)


def benchmark_cases() -> list[Any]:
    names = sorted(path.stem for path in BENCHMARKS.glob("*.tileirbc"))
    cases = [(name, gpu, abi) for name in names for gpu in GPUS for abi in ABIS]
    return [pytest.param(*case, marks=() if case in QUICK else pytest.mark.long) for case in cases]


@pytest.mark.part("kernels")
@pytest.mark.parametrize(("name", "gpu", "abi"), benchmark_cases())
def test_benchmark_kernels(name: str, gpu: str, abi: Abi):
    assert not [str(finding) for finding in check(benchmark(name, gpu, abi))]


@pytest.mark.long
@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.tileirbc")), ids=lambda path: path.stem)
def test_corpus(path: Path, gpu: str):
    assert not [str(finding) for finding in check(ptx_of(path, gpu, "device-maps"))]


# Faults, planted in the PTX of kernels.


def only_function(text: str) -> Function:
    (function,) = parse(text)
    return function


def without(text: str, instruction: str) -> str:
    """The text without the instructions of a name."""
    changed = re.sub(rf"^\s*{re.escape(instruction)}[^;]*;", "", text, flags=re.MULTILINE)
    assert changed != text
    return changed


def behind(text: str, pattern: str, addition: str) -> str:
    """The text with an instruction behind the first line that matches."""
    changed = re.sub(f"({pattern}[^\n]*\n)", rf"\g<1>{addition}\n", text, count=1)
    assert changed != text
    return changed


GEMM = ("matmul_128x256x64", "sm_90a")


def test_accumulators_that_nothing_waited_for():
    """The epilogue reads accumulators of the last WGMMAs."""
    damaged = without(benchmark(*GEMM), "wgmma.wait_group.sync.aligned 0")
    found = wgmma.find_early_accesses(only_function(damaged))
    assert found
    assert "is of an accumulator of WGMMAs in flight" in str(found[0])


def test_a_wait_behind_the_use():
    text = benchmark(*GEMM)
    (accumulator,) = set(re.findall(r"wgmma\.mma_async\S+ \{(%r\d+),", text))
    damaged = behind(text, r"wgmma\.commit_group", f"mov.b32 {accumulator}, 0;")
    assert wgmma.find_early_accesses(only_function(damaged))
    # The rules do not ask for more: others may be written.
    harmless = behind(text, r"wgmma\.commit_group", "mov.b32 %r0, 0;")
    assert not wgmma.find_early_accesses(only_function(harmless))


def test_fragments_of_a_that_are_written_too_early():
    """Probabilities of attention are operands in registers."""
    text = benchmark("attention_causal_d64", "sm_90a", "host-maps")
    fragment = re.search(r"wgmma\.mma_async\S+ \{[^}]*\}, \{(%r\d+),", text)
    assert fragment is not None
    place = text.index("wgmma.commit_group", fragment.end())
    damaged = text[:place] + f"mov.b32 {fragment[1]}, 0;\n" + text[place:]
    found = wgmma.find_early_accesses(only_function(damaged))
    assert any("is of an operand A of WGMMAs in flight" in each.what for each in found)


def test_no_fence():
    found = wgmma.find_missing_fences(
        only_function(without(benchmark(*GEMM), "wgmma.fence.sync.aligned"))
    )
    assert "no wgmma.fence since the start of the kernel" in str(found[0])


def test_registers_that_are_written_behind_the_fence():
    text = benchmark(*GEMM)
    (accumulator,) = set(re.findall(r"wgmma\.mma_async\S+ \{(%r\d+),", text))
    damaged = behind(text, r"wgmma\.fence", f"mov.b32 {accumulator}, 0;")
    found = wgmma.find_missing_fences(only_function(damaged))
    assert f"no wgmma.fence since {accumulator} was accessed" in str(found[0])


def test_results_of_tensor_memory_that_nothing_waited_for():
    text = benchmark("matmul_128x256x64", "sm_100a")
    found = tensor_memory.find_early_accesses(only_function(without(text, "tcgen05.wait::ld")))
    assert "is still being loaded from tensor memory" in str(found[0])


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize(
    "instruction",
    [
        "bar.sync 1, 128;",
        "wgmma.fence.sync.aligned;",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];",
        "setmaxnreg.dec.sync.aligned.u32 24;",
        "shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;",
        "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r5];",
        "barrier.cluster.arrive.aligned;",
    ],
)
def test_aligned_instructions_of_one_lane(instruction: str, gpu: str):
    """Behind the branch that all threads but the first one of the CTA take."""
    text = benchmark("matmul_128x256x64", gpu)
    damaged = behind(text, r"setp\.ne\.b32\s+(%p\d+), %r1, 0;\n\s*@\2 bra", instruction)
    found = convergence.find_divergent(only_function(damaged))
    assert any("lanes may have parted at" in each.what for each in found)


def test_an_aligned_instruction_with_a_predicate():
    text = benchmark(*GEMM)
    damaged = behind(text, r"setp\.ne\.b32\s+(%p\d+), %r1, 0;", r"@\2 bar.sync 1, 128;")
    (found,) = convergence.find_divergent(only_function(damaged))
    assert "may differ between lanes" in found.what


# The parser and the analyses, on PTX that is written by hand.


def kernel(body: str) -> Function:
    registers = ".reg .pred %p<9>; .reg .b32 %r<99>; .reg .b64 %rd<9>;"
    return only_function(f".visible .entry kernel()\n{{\n{registers}\n{dedent(body)}\n}}\n")


def test_what_is_read_and_written():
    function = kernel("""\
        ld.global.v2.b32 {%r1, %r2}, [%rd1+4];  // comment; with a semicolon
        st.shared.v2.b32 [%r3], {%r1, %r2};
        { .reg .b32 low; add.u32 low, %r1, 0x10; mov.b64 %rd2, {low, %r2}; }
        elect.sync %r4|%p1, -1;
        @!%p1 bar.sync %r5, 128;
        mov.u32 %r6, %tid.x;
        ret;
        """)
    accesses = [(each.writes, each.reads) for each in function.instructions]
    assert accesses == [
        (("%r1", "%r2"), ("%rd1",)),
        ((), ("%r3", "%r1", "%r2")),
        (("low@2",), ("%r1",)),
        (("%rd2",), ("low@2", "%r2")),
        (("%r4", "%p1"), ()),
        ((), ("%r5", "%p1")),
        (("%r6",), ()),
        ((), ()),
    ]
    assert [each.line for each in function.instructions] == [4, 5, 6, 6, 7, 8, 9, 10]


def test_blocks():
    function = kernel("""\
        @%p1 bra $L_loop;
        @%p2 ret;
        $L_loop:
        @%p3 bra $L_loop;
        bra.uni $L_end;
        $L_end:
        ret;
        """)
    assert [block.successors for block in function.blocks[:5]] == [[2, 1], [2], [2, 3], [4], []]
    assert post_dominators(function.blocks)[:4] == [None, None, 3, 4]


def test_functions_without_a_body():
    text = ".extern .func (.param .b32 r) vprintf (.param .b64 f);\n.entry kernel() { ret; }\n"
    assert [each.name for each in parse(text)] == ["kernel"]


BODIES = {
    "the first lane": ("and.b32 %r2, %r1, 31; setp.eq.b32 %p1, %r2, 0;", True),
    "the first warp": ("setp.lt.u32 %p1, %r1, 32;", False),
    "half of a warp": ("setp.lt.u32 %p1, %r1, 48;", True),
    "a warp by its number": ("shr.u32 %r2, %r1, 5; setp.eq.b32 %p1, %r2, 3;", False),
    "a warp of a group": ("and.b32 %r2, %r1, 127; setp.gt.u32 %p1, %r2, 63;", False),
    "a quarter of a warp": ("shr.u32 %r2, %r1, 3; setp.eq.b32 %p1, %r2, 3;", True),
    "what all lanes have": (
        "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1; setp.eq.b32 %p1, %r2, 3;",
        False,
    ),
    "what neighbours have": (
        "shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1; setp.eq.b32 %p1, %r2, 3;",
        True,
    ),
    "the sum of a warp": (
        "mov.b32 %r40, %r1;"
        + "".join(
            f"shfl.sync.bfly.b32 %r{50 + n}, %r{40 + n}, {1 << n}, 31, -1;"
            f"add.s32 %r{41 + n}, %r{40 + n}, %r{50 + n};"
            for n in range(5)
        )
        + "setp.eq.b32 %p1, %r45, 3;",
        False,
    ),
    "the sum of two lanes": (
        "shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1; add.s32 %r3, %r1, %r2; setp.eq.b32 %p1, %r3, 3;",
        True,
    ),
    "a parameter": ("ld.param.b32 %r2, [kernel_param_0]; setp.eq.b32 %p1, %r2, 3;", False),
    "one of a warp": ("elect.sync %r2|%p1, -1;", True),
    "an old value": ("atom.global.add.u32 %r2, [%rd1], 1; setp.eq.b32 %p1, %r2, 3;", True),
}


@pytest.mark.parametrize(("condition", "differs"), BODIES.values(), ids=BODIES)
def test_branches(condition: str, differs: bool):
    found = convergence.find_divergent(
        kernel(f"""\
        mov.u32 %r1, %tid.x;
        {condition}
        @!%p1 bra $L_end;
        bar.sync 0;
        $L_end:
        bar.sync 0;
        ret;
        """)
    )
    assert len(found) == differs


@pytest.mark.parametrize("second", ["%r1", "%r3"])
def test_what_lanes_wrote_on_their_ways(second: str):
    """A number that depends on the way is not the same in all lanes; one from before is."""
    found = convergence.find_divergent(
        kernel(f"""\
        mov.u32 %r2, %tid.x;
        mov.b32 %r1, 1;
        mov.b32 %r3, 1;
        setp.eq.b32 %p1, %r2, 0;
        @%p1 bra $L_meet;
        mov.b32 %r1, 2;
        $L_meet:
        mov.b32 %r3, 2;
        setp.eq.b32 %p2, {second}, 1;
        @%p2 bra $L_end;
        bar.sync 0;
        $L_end:
        ret;
        """)
    )
    assert len(found) == (second == "%r1")


def test_loops_that_lanes_leave_at_different_times():
    found = convergence.find_divergent(
        kernel("""\
        mov.u32 %r1, %tid.x;
        $L_loop:
        bar.sync 0;
        add.s32 %r1, %r1, -1;
        setp.gt.s32 %p1, %r1, 0;
        @%p1 bra $L_loop;
        bar.sync 1;
        ret;
        """)
    )
    assert [each.instruction.operands[0].text for each in found] == ["0"]


@pytest.mark.parametrize(("written", "count"), [("1", 0), ("%r1", 1)])
def test_what_is_written_in_a_loop_that_lanes_leave_at_different_times(written: str, count: int):
    """A number of the source is the same whenever a lane leaves."""
    found = convergence.find_divergent(
        kernel(f"""\
        mov.u32 %r1, %tid.x;
        mov.b32 %r2, 0;
        $L_loop:
        add.s32 %r1, %r1, -1;
        mov.b32 %r2, {written};
        setp.gt.s32 %p1, %r1, 0;
        @%p1 bra $L_loop;
        setp.eq.b32 %p2, %r2, 1;
        @%p2 bra $L_end;
        bar.sync 1;
        $L_end:
        ret;
        """)
    )
    assert len(found) == count


def test_groups_that_are_still_in_flight():
    """Of two groups, a wait that leaves one in flight has waited for the older one."""
    found = wgmma.find_early_accesses(
        kernel("""\
        wgmma.fence.sync.aligned;
        wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r1, %r2}, %rd1, %rd2, 1, 1, 1, 0, 0;
        wgmma.commit_group.sync.aligned;
        wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r3, %r4}, %rd1, %rd2, 1, 1, 1, 0, 0;
        wgmma.commit_group.sync.aligned;
        wgmma.wait_group.sync.aligned 1;
        mov.b32 %r5, %r1;
        mov.b32 %r6, %r3;
        ret;
        """)
    )
    assert [each.instruction.writes for each in found] == [("%r6",)]


def test_accumulators_in_flight_are_shared_by_the_same_shape_only():
    first = (
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r1, %r2}, %rd1, %rd2, 1, 1, 1, 0, 0;"
    )
    for second, count in [
        (first, 0),
        (first.replace("{%r1, %r2}", "{%r2, %r3}"), 1),
        (first.replace("n8k16", "n8k32"), 1),
    ]:
        found = wgmma.find_early_accesses(
            kernel(f"wgmma.fence.sync.aligned;\n{first}\n{second}\nret;")
        )
        assert len(found) == count
