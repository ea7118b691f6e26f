"""Ops of `nv_tileas`: what is not at level 1 in this form, buffers, pipelines and agents."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.dialects.nv_tileas import NvTileas
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.machine import TILES

from ..harness.kernels import POINTER, gpu_kernel, gpu_module

SHARED = "#nv_tileas.shared<offset = [[1], [2]]>"
STAGED = "#nv_tileas.shared<offset = [[0, 1], [0, 2], [1, 0]]>"
LAYOUT = "#nv_tileas.layout<register = [[1]], lane = [[2], [0], [0], [0], [0]], warp = []>"
TILE = "tensor<4xi32>"
VIEW = "!nv_tileaa.tiled_view<4, !nv_tileaa.memref<8xi32, strides = [1]>>"

LATER = {
    *("nv_tileas.make_tiled_tma_desc", "nv_tileas.async.tiled_tma_load"),
    *("nv_tileas.async.gather_tma_load", "nv_tileas.async.tiled_tma_store"),
    "nv_tileas.async.scatter_tma_store",
}
"""Ops of the tensor memory accelerator, which nothing produces yet."""


def kernel(body: str) -> str:
    """A kernel in which `%x` are the first four numbers of `%a`, and `%y` goes to the next."""
    text = f"""
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %four = arith.constant 4 : i32
    %m = nv_tileaa.make_memref %a : !llvm.ptr<1> -> !nv_tileaa.memref<8xi32, strides = [1]>
    %v = nv_tileaa.block_tile %m {{tileSizes = array<i64: 4>, dimGroups = [[0]]}}
        : !nv_tileaa.memref<8xi32, strides = [1]> -> {VIEW}
    %x = nv_tileas.tiled_load %v[%zero] : {VIEW}, i32 -> {TILE}
    {body}
    nv_tileas.tiled_store %y, %v[%one] : {TILE}, {VIEW}, i32
    """
    return gpu_module(gpu_kernel(text, [f"%a: {POINTER}"]))


def run(body: str, *numbers: int) -> list[int]:
    """What `%y` is if `%x` are some numbers."""
    array: npt.NDArray[np.int32] = np.array([*(numbers or (1, 2, 3, 4)), 0, 0, 0, 0], np.int32)
    tx.run(kernel(body), grid=1, args=[array], engine="interpreter")
    return array[4:].tolist()


def test_every_op_runs():
    assert run(f"%y = arith.addi %x, %x : {TILE}") == [2, 4, 6, 8]
    missing = {op.name for op in NvTileas.operations if op.name not in TILES}
    assert missing == LATER


def test_layouts_do_not_change_values():
    body = f"""
    %l = nv_tileas.convert_layout %x : {TILE} -> tensor<4xi32, {LAYOUT}>
    %d = arith.addi %l, %l : tensor<4xi32, {LAYOUT}>
    %y = nv_tileas.convert_layout %d : tensor<4xi32, {LAYOUT}> -> {TILE}
    """
    assert run(body) == [2, 4, 6, 8]


def test_copies_change_buffers():
    body = f"""
    %b = nv_tileas.alloc_tensor : tensor<2x4xi32, {STAGED}>
    %s = nv_tileas.extract_slice %b[%one, %zero]
        : (tensor<2x4xi32, {STAGED}>, i32, i32) -> tensor<4xi32, {SHARED}>
    %w = nv_tileas.copy %x into(%s : tensor<4xi32, {SHARED}>)
        : {TILE} -> tensor<4xi32, {SHARED}>
    %r = nv_tileas.extract_slice %b[%one, %zero]
        : (tensor<2x4xi32, {STAGED}>, i32, i32) -> tensor<4xi32, {SHARED}>
    %y = nv_tileas.copy %r : tensor<4xi32, {SHARED}> -> {TILE}
    """
    assert run(body) == [1, 2, 3, 4]


def test_a_copy_is_not_the_buffer():
    body = f"""
    %b = nv_tileas.alloc_tensor : tensor<4xi32, {SHARED}>
    %w = nv_tileas.copy %x into(%b : tensor<4xi32, {SHARED}>) : {TILE} -> tensor<4xi32, {SHARED}>
    %y = nv_tileas.copy %b : tensor<4xi32, {SHARED}> -> {TILE}
    %d = arith.addi %x, %x : {TILE}
    %u = nv_tileas.copy %d into(%b : tensor<4xi32, {SHARED}>) : {TILE} -> tensor<4xi32, {SHARED}>
    """
    assert run(body) == [1, 2, 3, 4]


def test_insert_slice_makes_a_value():
    body = f"""
    %h = nv_tileas.extract_slice %x[%one] : ({TILE}, i32) -> tensor<2xi32>
    %z = nv_tileas.insert_slice %h into %x[%zero] : (tensor<2xi32>, {TILE}, i32) -> {TILE}
    %y = arith.addi %x, %z : {TILE}
    """
    assert run(body) == [4, 6, 6, 8]


def test_a_part_outside_is_an_error():
    body = f"""
    %h = nv_tileas.extract_slice %x[%two] : ({TILE}, i32) -> tensor<2xi32>
    %y = nv_tileas.insert_slice %h into %x[%zero] : (tensor<2xi32>, {TILE}, i32) -> {TILE}
    """
    with pytest.raises(ExecutionError, match="takes a part at 4 of 4 elements"):
        run(body)


def test_reinterpret_keeps_bits():
    body = f"""
    %b = nv_tileas.reinterpret %x : {TILE} -> tensor<16xi8>
    %y = nv_tileas.reinterpret %b : tensor<16xi8> -> {TILE}
    """
    assert run(body, -1, 256, 65537, 7) == [-1, 256, 65537, 7]


def test_generate_computes_from_coordinates():
    body = f"""
    %y = nv_tileas.generate : {TILE} {{
    ^bb0(%i: i32):
      %s = arith.muli %i, %four : i32
      nv_tileas.yield %s : i32
    }}
    """
    assert run(body) == [0, 4, 8, 12]


def test_a_matmul_may_forget_its_accumulator():
    body = f"""
    %c = nv_tileas.view %x : {TILE} -> tensor<2x2xi32>
    %b = nv_tileaa.trunci %x : {TILE} to tensor<4xi8>
    %s = nv_tileas.view %b : tensor<4xi8> -> tensor<2x2xi8>
    %d = nv_tileas.dot %s, %s, %c, %zero : tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi32>, i32
    %f = nv_tileas.async.dot %s, %s, %d, %one
        : tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi32>, i32 -> !nv_tileas.async<tensor<2x2xi32>>
    %e = nv_tileas.async.future_wait %f : !nv_tileas.async<tensor<2x2xi32>> -> tensor<2x2xi32>
    %y = nv_tileas.view %e : tensor<2x2xi32> -> {TILE}
    """
    assert run(body) == [14, 20, 30, 44]


def test_asynchronous_loads_fill_buffers():
    body = f"""
    %b = nv_tileas.alloc_tensor : tensor<4xi32, {SHARED}>
    %c = nv_tileas.alloc_tensor : tensor<4xi32, {SHARED}>
    %d = nv_tileas.alloc_tensor : tensor<4xi32, {SHARED}>
    %t = nv_tileas.async.tiled_load %v[%zero] into %b : {VIEW}, tensor<4xi32, {SHARED}>, i32
    %all = nv_tileaa.splat %a : !llvm.ptr<1> to tensor<4x!llvm.ptr<1>>
    %range = nv_tileaa.make_range %zero, %four : i32 to {TILE}
    %p = nv_tileaa.addptr %all, %range {{elem_type = i32}} : tensor<4x!llvm.ptr<1>>, {TILE}
    %mask = arith.cmpi slt, %x, %x : {TILE}
    %u = nv_tileas.async.load %p into %c mask(%mask : tensor<4xi1>) other(%x : {TILE})
        : tensor<4x!llvm.ptr<1>>, tensor<4xi32, {SHARED}>
    %w = nv_tileas.async.copy %x into %d : {TILE}, tensor<4xi32, {SHARED}>
    %n = nv_tileas.create_none : !nv_tileas.async_token
    nv_tileas.async.wait [%t, %u, %w, %n]
    %e = nv_tileas.copy %c : tensor<4xi32, {SHARED}> -> {TILE}
    %f = nv_tileas.copy %d : tensor<4xi32, {SHARED}> -> {TILE}
    %g = nv_tileas.copy %b : tensor<4xi32, {SHARED}> -> {TILE}
    %h = arith.addi %e, %f : {TILE}
    %y = arith.addi %g, %h : {TILE}
    """
    assert run(body) == [3, 6, 9, 12]


GROUPS = f"""
%b = nv_tileas.alloc_tensor : tensor<4xi32, {SHARED}>
%c = nv_tileas.alloc_tensor : tensor<4xi32, {SHARED}>
%t = nv_tileas.async.copy %x into %b : {TILE}, tensor<4xi32, {SHARED}>
nvgpu.device_async_create_group : () -> !nvgpu.token
%u = nv_tileas.async.tiled_load %v[%zero] into %c : {VIEW}, tensor<4xi32, {SHARED}>, i32
nvgpu.device_async_create_group : () -> !nvgpu.token
nvgpu.device_async_wait {{numGroups = WAIT : i32}}
%e = nv_tileas.copy %b : tensor<4xi32, {SHARED}> -> {TILE}
%f = nv_tileas.copy %c : tensor<4xi32, {SHARED}> -> {TILE}
%y = arith.addi %e, %f : {TILE}
"""


@pytest.mark.parametrize(
    ("pending", "result"), [(0, [2, 4, 6, 8]), (1, [0, 1, 2, 3]), (2, [-2] * 4)]
)
def test_copies_are_there_once_they_are_waited_for(pending: int, result: list[int]):
    """Until then buffers hold garbage, which is -1 here."""
    assert run(GROUPS.replace("WAIT", str(pending))) == result
    wait = f"nv_tileas.async.wait [] {{pending = {pending} : i32}}"
    assert run(GROUPS.replace("nvgpu.device_async_wait {numGroups = WAIT : i32}", wait)) == result


def test_a_pragma_runs_its_body():
    body = f"""
    %y = "nv_tileas.pragma"(%x) ({{
    ^bb0(%z: {TILE}):
      %d = arith.addi %z, %x : {TILE}
      nv_tileas.yield %d : {TILE}
    }}) {{unroll = 2 : i32}} : ({TILE}) -> {TILE}
    """
    assert run(body) == [2, 4, 6, 8]


# Agents


PIPE = f"!nv_tileas.pipeline<{TILE}>"
PUT = f"!nv_tileas.iterator<producer, {TILE}>"
GET = f"!nv_tileas.iterator<consumer, {TILE}>"


def produce(pipe: str, iterator: str, value: str) -> str:
    return f"""
    nv_tileas.async.pipeline.produce_one {pipe}[{iterator}] : {PIPE}, {PUT} {{
      %e = nv_tileas.async.pipeline.producer_acquire {pipe}[{iterator}] : {PIPE}, {PUT}
      %f = nv_tileas.async.pipeline.producer_write {pipe}, %e : {PIPE} {{
        nv_tileas.async.pipeline.yield {value} : {TILE}
      }}
      nv_tileas.async.pipeline.producer_commit {pipe}, %f : {PIPE}
      nv_tileas.async.pipeline.yield
    }}
    """


def consume(result: str, pipe: str, iterator: str) -> str:
    return f"""
    {result} = nv_tileas.async.pipeline.consume_one {pipe}[{iterator}] : {PIPE}, {GET} -> {TILE} {{
      %e = nv_tileas.async.pipeline.consumer_wait {pipe}[{iterator}] : {PIPE}, {GET}
      %f, %g = nv_tileas.async.pipeline.consumer_read {pipe}, %e
          : {PIPE} -> !nv_tileas.consumer_token, {TILE} {{
      ^bb0(%h: {TILE}):
        nv_tileas.async.pipeline.yield %h : {TILE}
      }}
      nv_tileas.async.pipeline.consumer_release {pipe}, %f : {PIPE}
      nv_tileas.async.pipeline.yield %g : {TILE}
    }}
    """


def pipeline(name: str) -> str:
    return f"""
    %{name} = nv_tileas.async.pipeline.create_pipeline {{numStages = 2 : i32}} : {PIPE}
    %{name}_put = nv_tileas.async.pipeline.create_iterator %{name} : {PIPE} -> {PUT}
    %{name}_get = nv_tileas.async.pipeline.create_iterator %{name} : {PIPE} -> {GET}
    """


def agents(first: str, second: str) -> str:
    return f"""
    %y = "nv_tileas.async.pipeline.agent_switch"() ({{
      {first}
      nv_tileas.async.pipeline.yield
    }}, {{
      {second}
    }}) : () -> {TILE}
    """


def test_agents_hand_over_entries():
    """Ten entries through two stages, so that both agents wait for each other."""
    count = "%ten = arith.constant 10 : i32\n"
    first = f"""
    %last = scf.for %i = %zero to %ten step %one iter_args(%it = %p_put) -> ({PUT}) : i32 {{
      {produce("%p", "%it", "%x")}
      %next = nv_tileas.async.pipeline.inc_iter %it : {PUT}
      scf.yield %next : {PUT}
    }}
    """
    second = f"""
    %s, %end = scf.for %i = %zero to %ten step %one iter_args(%acc = %x, %it = %p_get)
        -> ({TILE}, {GET}) : i32 {{
      {consume("%c", "%p", "%it")}
      %d = arith.addi %acc, %c : {TILE}
      %next = nv_tileas.async.pipeline.inc_iter %it : {GET}
      scf.yield %d, %next : {TILE}, {GET}
    }}
    nv_tileas.async.pipeline.yield %s : {TILE}
    """
    assert run(count + pipeline("p") + agents(first, second)) == [11, 22, 33, 44]
    # The consumer comes first.
    swapped = f"""
    %y = "nv_tileas.async.pipeline.agent_switch"() ({{
      {second}
    }}, {{
      {first}
      nv_tileas.async.pipeline.yield
    }}) : () -> {TILE}
    """
    assert run(count + pipeline("p") + swapped) == [11, 22, 33, 44]


def test_agents_answer_each_other():
    first = produce("%p", "%p_put", "%x") + consume("%z", "%q", "%q_get")
    second = (
        consume("%c", "%p", "%p_get")
        + f"%d = arith.addi %c, %c : {TILE}\n"
        + produce("%q", "%q_put", "%d")
        + f"nv_tileas.async.pipeline.yield %d : {TILE}"
    )
    assert run(pipeline("p") + pipeline("q") + agents(first, second)) == [2, 4, 6, 8]


@pytest.mark.parametrize("seed", range(3))
def test_who_waits_for_an_entry_comes_after_what_filled_it(seed: int):
    """A tile may be overwritten once it is known to be loaded, and not before."""
    load = f"%l = nv_tileas.tiled_load %v[%zero] : {VIEW}, i32 -> {TILE}\n"
    yielded = f"nv_tileas.async.pipeline.yield %x : {TILE}"
    first = produce("%p", "%p_put", "%x").replace(yielded, load + yielded)
    store = f"nv_tileas.tiled_store %x, %v[%zero] : {TILE}, {VIEW}, i32\n"
    end = f"nv_tileas.async.pipeline.yield %x : {TILE}"
    barrier = '"gpu.barrier"() : () -> ()\n'
    taken = consume("%c", "%p", "%p_get")

    def check(second: str) -> None:
        text = kernel(barrier + pipeline("p") + agents(first, second + end))
        tx.run(text, grid=1, args=[np.arange(8, dtype=np.int32)], check=True, seed=seed)

    check(taken + store)
    with pytest.raises(ExecutionError, match="in a race with"):
        check(store + taken)


def test_agents_that_wait_for_each_other_are_stuck():
    first = consume("%z", "%q", "%q_get") + produce("%p", "%p_put", "%x")
    second = (
        consume("%c", "%p", "%p_get")
        + produce("%q", "%q_put", "%c")
        + f"nv_tileas.async.pipeline.yield %c : {TILE}"
    )
    with pytest.raises(ExecutionError, match="waits for a stage that nobody fills"):
        run(pipeline("p") + pipeline("q") + agents(first, second))


def test_a_lonely_producer_is_stuck():
    body = pipeline("p")
    iterator = "%p_put"
    for number in range(3):
        body += produce("%p", iterator, "%x")
        body += f"%it{number} = nv_tileas.async.pipeline.inc_iter {iterator} : {PUT}\n"
        iterator = f"%it{number}"
    with pytest.raises(ExecutionError, match="waits for a stage that nobody empties"):
        run(body + f"%y = arith.addi %x, %x : {TILE}")


def test_errors_of_agents_are_told():
    first = '%f = arith.constant false\nnv_tileaa.assert %f, "no" : i1'
    second = consume("%c", "%p", "%p_get") + f"nv_tileas.async.pipeline.yield %c : {TILE}"
    with pytest.raises(ExecutionError, match="failed: no"):
        run(pipeline("p") + agents(first, second))


def test_agents_within_agents():
    inner = agents(
        produce("%p", "%p_put", "%x"),
        consume("%c", "%p", "%p_get") + (f"nv_tileas.async.pipeline.yield %c : {TILE}"),
    ).replace("%y =", "%inner =")
    outer = inner + f"nv_tileas.async.pipeline.yield %inner : {TILE}"
    assert run(pipeline("p") + agents("", outer)) == [1, 2, 3, 4]
