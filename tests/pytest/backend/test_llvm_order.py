"""
LLVM's optimizer moves no access across an op of `llvm` or `nvvm` that it has to stay behind.

Around the lines of each case of `translate_cases.py`, which has every op, are two loads of a
variable and two stores to another one, in global and in shared memory. The optimizer merges the
loads, and drops the first store, unless the op between them may write, or read, that memory. So ops
that declare effects have to keep both of each, unless they touch some memory only (`LETS_PASS`);
across pure ones loads do get merged, which shows that something would have moved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.llvm import FuncOp
from xdsl.ir import Operation
from xdsl.traits import Pure

from tileiras_xdsl import load
from tileiras_xdsl.backend import nvptx
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.backend.translate.writer import LlvmFunctionWriter
from tileiras_xdsl.dialects.memory_order import Effect, own_effects
from tileiras_xdsl.dialects.nvvm import Nvvm

from .tcgen05_cases import FORMS, form_kernel
from .translate_cases import CASES, Case, build, op_names

SPACES: Final = {"global": 1, "shared": 3}
VARIABLES: Final = [(f"{use}_{name}", n) for name, n in SPACES.items() for use in ("read", "write")]
DECLARATIONS: Final = "".join(
    f"llvm.mlir.global external @{name}() {{addr_space = {n} : i32, alignment = 4 : i64}} : i32\n"
    for name, n in VARIABLES
)
BEFORE: Final = (
    "%one = llvm.mlir.constant(1 : i32) : i32\n%two = llvm.mlir.constant(2 : i32) : i32\n"
    + "".join(
        f"%at_{name} = llvm.mlir.addressof @{name} : !llvm.ptr<{n}>\n" for name, n in VARIABLES
    )
    + "".join(
        f"%first_{name} = llvm.load %at_read_{name} : !llvm.ptr<{n}> -> i32\n"
        f"llvm.store %one, %at_write_{name} : i32, !llvm.ptr<{n}>\n"
        for name, n in SPACES.items()
    )
    + "%yes = llvm.mlir.constant(true) : i1\nllvm.intr.assume %yes : i1\n"
)
"""Assumptions say where the lines of the case begin and end."""
AFTER: Final = "llvm.intr.assume %yes : i1\n" + "".join(
    f"%second_{name} = llvm.load %at_read_{name} : !llvm.ptr<{n}> -> i32\n"
    f"llvm.store %two, %at_write_{name} : i32, !llvm.ptr<{n}>\n"
    f"llvm.store volatile %first_{name}, %g : i32, !llvm.ptr<1>\n"
    f"llvm.store volatile %second_{name}, %g : i32, !llvm.ptr<1>\n"
    for name, n in SPACES.items()
)


@dataclass(frozen=True)
class Kept:
    """Which of two equal accesses around an op the optimizer has kept."""

    loads: frozenset[str]
    stores: frozenset[str]
    """The memory of which both are there."""

    @property
    def is_all(self) -> bool:
        return len(self.loads) == len(self.stores) == len(SPACES)


ALL, GLOBAL, SHARED, NONE = ("global", "shared"), ("global",), ("shared",), ()

LETS_PASS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...], str]]] = {
    **dict.fromkeys(
        (
            *("nvvm.shfl.sync", "nvvm.vote.sync", "nvvm.match.sync", "nvvm.redux.sync"),
            *("nvvm.elect.sync", "nvvm.activemask"),
        ),
        (NONE, NONE, "threads exchange registers, not memory; convergent, so they stay"),
    ),
    **dict.fromkeys(
        (
            "nvvm.read.ptx.sreg.clock",
            "nvvm.read.ptx.sreg.clock64",
            "nvvm.read.ptx.sreg.globaltimer",
        ),
        (NONE, NONE, "a time is in order with nothing"),
    ),
    "nvvm.prefetch.tensormap": (NONE, ALL, "changes nothing that is read"),
    **dict.fromkeys(
        ("nvvm.stmatrix", "nvvm.fragment.stmatrix", "nvvm.tensormap.replace"),
        (SHARED, NONE, "a weak store to shared memory"),
    ),
    "nvvm.mbarrier.inval.shared": (SHARED, NONE, "a weak store to shared memory"),
    **dict.fromkeys(
        ("nvvm.ldmatrix.sync", "nvvm.fragment.ldmatrix"),
        (NONE, SHARED, "a weak load of shared memory"),
    ),
    "nvvm.mbarrier.expect_tx.shared": (SHARED, SHARED, "relaxed: orders nothing else"),
    "nvvm.mbarrier.arrive.shared.cluster": (
        SHARED,
        SHARED,
        "relaxed: orders nothing else",
    ),
    "nvvm.fence.proxy.acquire": (GLOBAL, GLOBAL, "orders accesses to a tensor map only"),
    **dict.fromkeys(
        ("nvvm.cp.async.shared.global", "nvvm.fragment.cp_async"),
        (SHARED, GLOBAL, "a copy to shared memory, which somebody waits for"),
    ),
    "nvvm.cp.async.bulk.shared.cluster.global": (
        SHARED,
        ALL,
        "a copy to shared memory, which somebody waits for",
    ),
    **dict.fromkeys(
        ("nvvm.tcgen05.dealloc", "nvvm.tcgen05.relinquish_alloc_permit"),
        (NONE, NONE, "tensor memory only"),
    ),
    "nvvm.tcgen05.alloc": (NONE, NONE, "tensor memory, and the word that it is given"),
    "nvvm.tcgen05.commit": (NONE, NONE, "other ops on tensor memory, and the barrier it is given"),
    "nvvm.clusterlaunchcontrol.try.cancel": (NONE, NONE, "the memory that it is given"),
    "nvvm.cp.async.bulk.global.shared.cta": (
        GLOBAL,
        SHARED,
        "a copy from shared memory, which somebody waits for",
    ),
}
"""Ops that let accesses pass: the memory of which both loads stay, both stores, and why no more."""

RELAXED_ONLY: Final = ("nvvm.mbarrier.arrive.shared.cluster",)
"""Ops of these that do not say so release, and let nothing pass."""
WITHOUT_OPERANDS: Final = {"nvvm.tcgen05.relinquish_alloc_permit"}
OF_NVVM: Final = re.compile(r"(^|\s)nvvm\.")
OPAQUE_AND_PURE: Final = {"nvvm.mma.sync": "inline assembly that converges"}
"""Pure ops across which the optimizer moves nothing all the same, which costs speed only."""


def probed(case: Case) -> Case:
    """A case between accesses."""
    return replace(
        case,
        text=f"{BEFORE}{case.text}\n{AFTER}",
        declarations=DECLARATIONS + case.declarations,
    )


def is_straight(case: Case) -> bool:
    """Whether the lines of a case are of one block that goes on behind them."""
    ends = ("^", "llvm.return", "unreachable", "llvm.intr.trap")
    return not any(word in case.text for word in ends)


def ops_between(function: FuncOp) -> list[Operation]:
    """The ops of the case in a kernel."""
    ops = list(function.body.block.ops)
    ends = [number for number, op in enumerate(ops) if op.name == "llvm.intr.assume"]
    return ops[ends[0] + 1 : ends[-1]]


def functions_of(module: ModuleOp) -> list[FuncOp]:
    return [op for op in module.walk() if isinstance(op, FuncOp) and "nvvm.kernel" in op.attributes]


def optimized(cases: Sequence[Case], arch: str) -> list[tuple[list[Operation], Kept]]:
    """The ops of cases, and what the optimizer keeps around them."""
    return optimized_module(build([probed(case) for case in cases]), arch)


def optimized_module(module: ModuleOp, arch: str) -> list[tuple[list[Operation], Kept]]:
    """The same for each kernel of a module."""
    target = NvptxTarget.parse(arch)
    text = nvptx.optimized_ir(translate_module(module, target), target)
    bodies = {
        found.group(1): body
        for body in re.split(r"(?m)^define ", text)[1:]
        if (found := re.search(r"@(k\d*)\(", body)) is not None
    }
    return [
        (ops_between(function), kept_in(bodies[function.sym_name.data]))
        for function in functions_of(module)
    ]


def kept_in(body: str) -> Kept:
    def count(pattern: str) -> int:
        return len(re.findall(pattern, body))

    return Kept(
        frozenset(name for name in SPACES if count(rf"= load i32, .*@read_{name}\b") == 2),
        frozenset(name for name in SPACES if count(rf"store i32 .*@write_{name}\b") == 2),
    )


def groups() -> list[Any]:
    """All cases with ops of `nvvm`, by architecture, in parts."""
    found: list[Any] = []
    cases = [case for case in CASES if is_straight(case) and OF_NVVM.search(case.text)]
    for arch in dict.fromkeys(case.arch for case in cases):
        chosen = [case for case in cases if case.arch == arch]
        for first in range(0, len(chosen), 40):
            found.append(pytest.param(arch, chosen[first : first + 40], id=f"{arch}-{first}"))
    return found


def faults(cases: Sequence[Case], arch: str) -> Iterator[str]:
    """What the optimizer moves across ops that it should not move anything across."""
    for case, (ops, kept) in zip(cases, optimized(cases, arch), strict=True):
        if (what := fault(ops, kept)) is not None:
            yield f"{what} around {case.text}"


def fault(ops: Sequence[Operation], kept: Kept) -> str | None:
    """What is wrong with what was kept around some ops, if anything is."""
    effects = [op for op in ops if op.name.startswith("nvvm.") and own_effects(op)]
    if not effects:
        is_opaque = any(op.name in OPAQUE_AND_PURE or own_effects(op) for op in ops)
        return "loads are not merged" if kept.loads and not is_opaque else None
    loads, stores = set[str](), set[str]()
    for op in effects:
        is_strong = op.name in RELAXED_ONLY and "relaxed" not in op.properties
        passes = (ALL, ALL, "") if is_strong else LETS_PASS.get(op.name, (ALL, ALL, ""))
        loads |= set(passes[0])
        stores |= set(passes[1])
    if all(own_effects(op) == Effect.READ for op in effects):
        loads.clear()
    return None if kept.loads >= loads and kept.stores >= stores else str(kept)


@pytest.mark.every(9, first=7)
@pytest.mark.parametrize(("arch", "cases"), groups())
def test_the_optimizer_keeps_the_order(arch: str, cases: Sequence[Case]) -> None:
    found = list(faults(cases, arch))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("scope", ["", " {scope = #nvvm.mem_scope<cluster>}"])
def test_remote_arrivals_release(scope: str) -> None:
    case = Case(f"nvvm.mbarrier.arrive.shared.cluster %c, %i{scope} : !llvm.ptr<7>, i32", ())
    assert not list(faults([case], "sm_90"))


@pytest.mark.every(8)
@pytest.mark.parametrize("name", FORMS)
def test_the_optimizer_keeps_the_order_of_tensor_memory(name: str) -> None:
    body, _, architectures = FORMS[name]
    text = form_kernel(f"{BEFORE}{body}\n{AFTER}")
    text = text.replace("llvm.func @k(", f"{DECLARATIONS}llvm.func @k(")
    for ops, kept in optimized_module(load(text), architectures[0]):
        assert fault(ops, kept) is None, body


@pytest.mark.part("kernels")
def test_all_ops_with_effects_are_between_accesses() -> None:
    """A new op has to be among the cases, as one of every op is."""
    covered = op_names(build([case for case in CASES if is_straight(case)]))
    lines = "".join(body for body, _, _ in FORMS.values())
    declared = {op.name for op in Nvvm.operations if not op.has_trait(Pure)}
    assert not {name for name in declared - covered if f"{name} " not in lines} - WITHOUT_OPERANDS


def test_ops_that_order_everything_let_nothing_pass() -> None:
    """Barriers, fences, waits: none of them is among those that let anything pass."""
    words = (
        "barrier0",
        "bar.",
        "cluster.wait",
        "fence.acq_rel",
        "fence.sc",
        "griddepcontrol",
        "wait",
    )
    names = {op.name for op in Nvvm.operations}
    ordering = {name for name in names if any(word in name for word in words)}
    assert len(ordering) > 15
    assert not ordering & LETS_PASS.keys()
    assert LETS_PASS.keys() <= names
    assert all(reason for _, _, reason in LETS_PASS.values())


@pytest.mark.parametrize(
    "name", ["nvvm.fence.proxy {kind", "nvvm.mbarrier.test.wait.parity.shared"]
)
def test_assembly_without_effects_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inline assembly that does not say that it has effects is overtaken."""
    (case, *_) = [case for case in CASES if name in case.text]
    assert not list(faults([case], case.arch))
    assembly = LlvmFunctionWriter.assembly

    def forgetful(self: LlvmFunctionWriter, *args: Any, **named: Any) -> list[str]:
        return assembly(self, *args, **named | {"effects": False, "clobbers_memory": False})

    monkeypatch.setattr(LlvmFunctionWriter, "assembly", forgetful)
    assert list(faults([case], case.arch))
