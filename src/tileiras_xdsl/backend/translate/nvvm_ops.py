"""Ops of `nvvm`: special registers, and what lanes of a warp do together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from xdsl.irdl import IRDLOperation

from tileiras_xdsl.backend.guard import FLOAT_REDUX, SM_90, SM_90A, Requirement
from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.nvvm.registers import PREFIX, ClockRegisterOp

from .nvvm_barriers import BARRIER_OPS
from .nvvm_copies import COPY_OPS
from .nvvm_fragments import FRAGMENT_OPS
from .nvvm_math import MATH_OPS
from .nvvm_matrix import MATRIX_OPS
from .nvvm_tcgen05 import TCGEN05_OPS
from .types import Register, scalar_type
from .writer import NVVM, Handler, LlvmFunctionWriter, Table, handles

NVVM_OPS: Final[Table] = {
    **BARRIER_OPS,
    **COPY_OPS,
    **FRAGMENT_OPS,
    **MATRIX_OPS,
    **MATH_OPS,
    **TCGEN05_OPS,
}

WITHOUT_INTRINSIC: Final = ("dynamic_smem_size", "total_smem_size", "globaltimer.lo")
"""Special registers that only inline assembly can read."""


@handles(NVVM_OPS, *nvvm.SPECIAL_REGISTERS.values())
def _special_register(writer: LlvmFunctionWriter, op: nvvm.SpecialRegisterOp) -> None:
    register = op.name.removeprefix(PREFIX)
    if "cluster" in register:
        writer.require(op, SM_90)
    ty = scalar_type(op.result.type)
    if register in WITHOUT_INTRINSIC:
        instruction = f"mov.u32 $0, %{register.replace('.', '_')};"
        changes = isinstance(op, ClockRegisterOp)
        (text,) = writer.assembly(instruction, [("r", ty)], [], effects=changes)
    else:
        text = writer.call(f"{NVVM}read.ptx.sreg.{register}", ty, [])
    writer.set(op.result, text)


# Exchange


@handles(NVVM_OPS, nvvm.ShflOp)
def _shfl(writer: LlvmFunctionWriter, op: nvvm.ShflOp) -> None:
    with_predicate = op.return_value_and_is_valid is not None
    mask, offset, clamp = map(writer.scalar, (op.mask, op.offset, op.clamp))
    valid = ""

    def shuffle(ty: str, text: str) -> str:
        nonlocal valid
        kind = "f32" if ty == "float" else "i32"
        name = f"{NVVM}shfl.sync.{op.kind.data.value}.{kind}"
        arguments = [("i32", mask), (ty, text), ("i32", offset), ("i32", clamp)]
        if not with_predicate:
            return writer.call(name, ty, arguments)
        result = f"{{ {ty}, i1 }}"
        pair = writer.call(f"{name}p", result, arguments)
        valid = writer.define(f"extractvalue {result} {pair}, 1")
        return writer.define(f"extractvalue {result} {pair}, 0")

    registers: list[str] = []
    for register, text in writer.typed_registers(op.value):
        registers.extend(_shuffled(writer, register, text, shuffle))
    if with_predicate:
        registers.append(valid)
    writer.set(op.result, *registers)


def _shuffled(
    writer: LlvmFunctionWriter, register: Register, text: str, shuffle: Callable[[str, str], str]
) -> Iterator[str]:
    """The register of another lane; one of 64 bits in two halves."""
    if register.type == "float":
        yield shuffle("float", text)
        return
    if register.bits == 32:
        yield writer.cast_back(shuffle("i32", writer.cast(register, text, "i32")), register)
        return
    if register.bits < 32:
        small = f"i{register.bits}"
        bits = writer.cast(register, text, small)
        wide = shuffle("i32", writer.define(f"zext {small} {bits} to i32"))
        yield writer.cast_back(writer.define(f"trunc i32 {wide} to {small}"), register, small)
        return
    words = [
        writer.define(f"extractelement <2 x i32> {pair}, i32 {i}")
        for pair in (writer.cast(register, text, "<2 x i32>"),)
        for i in range(2)
    ]
    joined = writer.insert_all("<2 x i32>", "i32", [shuffle("i32", word) for word in words])
    yield writer.cast_back(joined, register, "<2 x i32>")


@handles(NVVM_OPS, nvvm.VoteSyncOp)
def _vote(writer: LlvmFunctionWriter, op: nvvm.VoteSyncOp) -> None:
    name = f"{NVVM}vote.{op.kind.data.value}.sync"
    arguments = [("i32", writer.scalar(op.mask)), ("i1", writer.scalar(op.predicate))]
    writer.set(op.result, writer.call(name, scalar_type(op.result.type), arguments))


@handles(NVVM_OPS, nvvm.ReduxOp)
def _redux(writer: LlvmFunctionWriter, op: nvvm.ReduxOp) -> None:
    name = f"{NVVM}redux.sync.{op.kind.data.value}"
    if scalar_type(op.value.type) == "float":
        writer.require(op, FLOAT_REDUX)
        name += ".abs" if op.abs is not None else ""
        name += ".NaN" if op.nan is not None else ""
    ty = scalar_type(op.value.type)
    arguments = [(ty, writer.scalar(op.value)), ("i32", writer.scalar(op.mask))]
    writer.set(op.result, writer.call(name, ty, arguments))


@handles(NVVM_OPS, nvvm.MatchSyncOp)
def _match(writer: LlvmFunctionWriter, op: nvvm.MatchSyncOp) -> None:
    ty = scalar_type(op.value.type)
    arguments = [("i32", writer.scalar(op.mask)), (ty, writer.scalar(op.value))]
    if op.kind.data is nvvm.MatchKind.ANY:
        writer.set(op.result, writer.call(f"{NVVM}match.any.sync.{ty}", "i32", arguments))
        return
    pair = writer.call(f"{NVVM}match.all.sync.{ty}p", "{ i32, i1 }", arguments)
    writer.set_packed(op.result, pair)


@handles(NVVM_OPS, nvvm.ElectSyncOp, needs=SM_90)
def _elect(writer: LlvmFunctionWriter, op: nvvm.ElectSyncOp) -> None:
    mask = "-1" if op.mask is None else writer.scalar(op.mask)
    pair = writer.call(f"{NVVM}elect.sync", "{ i32, i1 }", [("i32", mask)])
    writer.set(op.predicate, writer.define(f"extractvalue {{ i32, i1 }} {pair}, 1"))


# Ops that are one intrinsic, of their operands and result as they are

INTRINSICS: Final[tuple[tuple[type[IRDLOperation], str, Requirement | None], ...]] = (
    (nvvm.BarSyncAlignedOp, "barrier.cta.sync.aligned.all", None),
    (nvvm.BarWarpSyncOp, "bar.warp.sync", None),
    (nvvm.MBarrierInitSharedOp, "mbarrier.init.shared", None),
    (nvvm.MBarrierInvalSharedOp, "mbarrier.inval.shared", None),
    (nvvm.MBarrierArriveSharedOp, "mbarrier.arrive.shared", None),
    (nvvm.MBarrierArriveNocompleteSharedOp, "mbarrier.arrive.noComplete.shared", None),
    (nvvm.MBarrierTestWaitSharedOp, "mbarrier.test.wait.shared", None),
    (nvvm.MBarrierExpectTxSharedOp, "mbarrier.expect.tx.scope.cta.space.cta", SM_90),
    (
        nvvm.MBarrierArriveExpectTxClusterOp,
        "mbarrier.arrive.expect.tx.scope.cta.space.cluster",
        SM_90,
    ),
    (nvvm.FenceMBarrierInitOp, "fence.mbarrier_init.release.cluster", SM_90),
    (nvvm.CpAsyncCommitGroupOp, "cp.async.commit.group", None),
    (nvvm.CpAsyncWaitAllOp, "cp.async.wait.all", None),
    (nvvm.CpAsyncBulkCommitGroupOp, "cp.async.bulk.commit.group", SM_90),
    (nvvm.WgmmaFenceAlignedOp, "wgmma.fence.sync.aligned", SM_90A),
    (nvvm.WgmmaCommitGroupOp, "wgmma.commit_group.sync.aligned", SM_90A),
    (nvvm.ActiveMaskOp, "activemask", None),
    (nvvm.MapaOp, "mapa.shared.cluster", SM_90),
    (nvvm.PrmtOp, "prmt", None),
    (nvvm.NanosleepOp, "nanosleep", None),
    (nvvm.GriddepcontrolWaitOp, "griddepcontrol.wait", SM_90),
    (nvvm.GriddepcontrolLaunchDependentsOp, "griddepcontrol.launch.dependents", SM_90),
)


def _intrinsic(name: str, requirement: Requirement | None) -> Handler:
    """What calls an intrinsic that some architectures have."""

    def write(writer: LlvmFunctionWriter, op: IRDLOperation) -> None:
        if requirement is not None:
            writer.require(op, requirement)
        arguments = [(scalar_type(value.type), writer.scalar(value)) for value in op.operands]
        if not op.results:
            writer.call(f"{NVVM}{name}", "void", arguments)
            return
        (result,) = op.results
        writer.set(result, writer.call(f"{NVVM}{name}", scalar_type(result.type), arguments))

    return write


NVVM_OPS.update({op.name: _intrinsic(name, requirement) for op, name, requirement in INTRINSICS})
