"""Constructors that follow from the definitions of ops."""

from __future__ import annotations

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import IntegerAttr, StringAttr, TensorType, UnitAttr, f32, i1, i32
from xdsl.ir import Attribute, Block, Region, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.nv_tileaa import elementwise, memory
from tileiras_xdsl.dialects.nv_tileaa.types import PtrType
from tileiras_xdsl.dialects.nv_tileas.pipeline import AgentSwitchOp, ConsumeOneOp
from tileiras_xdsl.dialects.nv_tileas.types import IteratorType, PipelineType
from tileiras_xdsl.dialects.nvvm.base import CLUSTER_POINTER


def values(*types: Attribute) -> tuple[SSAValue, ...]:
    return test.TestOp(result_types=types).results


def test_plain_values_become_properties():
    x, y, slot, rank = values(f32, f32, CLUSTER_POINTER, i32)
    total = nvvm.AddOp(x, y, nvvm.RoundingMode.RZ, ftz=True)
    total.verify()
    assert total.rnd == nvvm.RoundingModeAttr(nvvm.RoundingMode.RZ)
    assert total.ftz == UnitAttr()
    assert nvvm.AddOp(x, y, nvvm.RoundingMode.RZ, ftz=False).ftz is None
    assert nvvm.CpAsyncWaitGroupOp(3).groups == IntegerAttr(3, i32)
    arrival = nvvm.MBarrierArriveClusterOp(slot, rank, scope=nvvm.MemScope.GPU)
    arrival.verify()
    assert set(arrival.properties) == {"scope"}
    assert ct.AssertOp(x, "odd").message == StringAttr("odd")


def test_types_of_results_follow_from_operands():
    x, tile = values(f32, TensorType(i32, [8]))
    assert nvvm.Ex2ApproxOp(x).result.type == f32
    assert elementwise.CmpIOp(tile, tile).result.type == TensorType(i1, [8])
    assert nvvm.ActiveMaskOp().results[0].type == i32


def test_types_of_results_follow_from_lists_and_properties():
    x, n, p = values(f32, i32, i1)
    assert nvvm.WgmmaWaitGroupOp([x, n], 1).result_types == (f32, i32)
    assert nvvm.WgmmaWaitGroupOp([], 1).result_types == ()
    assert nvvm.VoteSyncOp(n, p, nvvm.VoteKind.BALLOT).result.type == i32
    assert nvvm.VoteSyncOp(n, p, nvvm.VoteKindAttr(nvvm.VoteKind.ANY)).result.type == i1
    assert nvvm.BarrierOp(n, n).result is None


def test_regions_come_before_properties():
    low, high, step, carried = values(i32, i32, i32, f32)
    body = Region(Block(arg_types=[i32, f32]))
    loop = ct.ForOp(low, high, step, [carried], body, True)
    assert (loop.body, loop.result_types) == (body, (f32,))
    assert loop.unsigned_cmp == UnitAttr()
    branch = ct.IfOp(low, [f32], then_region=Region(Block()))
    assert branch.then_region.blocks
    assert not branch.else_region.blocks
    ty = PipelineType([f32])
    pipeline, iterator = values(ty, IteratorType("consumer", [f32]))
    agent = Region(Block())
    number = IntegerAttr(1, i32)
    one = ConsumeOneOp(pipeline, iterator, [f32], agent, {"consumer_idx": number})
    assert (one.body, one.consumer_idx) == (agent, number)
    assert list(AgentSwitchOp([], [], [agent.clone(), agent.clone()]).agents[1].blocks)


def test_what_is_left_out():
    pointer, value, token = values(PtrType(f32), f32, memory.MEM_TOKEN)
    load = memory.LoadOp(pointer, result_type=f32, token=token, mem_semantic="weak")
    assert (load.mask, load.other, load.token) == (None, None, token)
    assert load.result_types == (f32, memory.MEM_TOKEN)
    assert load.mem_semantic == StringAttr("weak")
    bare = memory.StoreOp(pointer, value, result_token_type=())
    assert not bare.results
    assert ct.NegIOp(value).overflow == ct.OverflowAttr(ct.Overflow.NONE)


def test_a_dictionary_of_properties_comes_last():
    tile = values(TensorType(i32, [8]))[0]
    properties = {"comparison_predicate": StringAttr("equal")}
    assert elementwise.CmpIOp(tile, tile, properties).properties == properties


def test_wrong_arguments():
    x, y = values(f32, f32)
    with pytest.raises(TypeError, match=r"'nvvm.ex2.approx.f' takes arg, ftz, but got 3 by pos"):
        nvvm.Ex2ApproxOp(x, True, y)
    with pytest.raises(TypeError, match=r"and round by name"):
        nvvm.Ex2ApproxOp(x, round=True)
    with pytest.raises(TypeError, match=r"1 by position, and arg by name"):
        nvvm.Ex2ApproxOp(x, arg=y)
    with pytest.raises(TypeError, match="either arguments, or lists"):
        nvvm.Ex2ApproxOp(x, operands=[x])
    with pytest.raises(TypeError, match="needs an attribute, but got 1"):
        nvvm.MmaSyncOp([x], [x], [x], f32, shape=1)
    with pytest.raises(ValueError, match="'rhs'"):
        nvvm.AddOp(x, rnd=nvvm.RoundingMode.RN)
