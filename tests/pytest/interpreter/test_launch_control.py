"""
Cluster launch control: running clusters take over the work of others. Rule R27 of
docs/tensor-memory.md."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.threads import run_threads

from .tensor_kernels import PROXY_FENCE, kernel, start, without

QUERY = "nvvm.clusterlaunchcontrol.query.cancel %answer128 {query = #nvvm.clc_query_type<"


def worker(*, multicast: str = "", threads: int = 64, attributes: tuple[str, ...] = ()) -> str:
    """A CTA counts its tile, and then those of CTAs that it takes over."""
    body = f"""
    {start(image=False)}
    %cta = nvvm.read.ptx.sreg.ctaid.x : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %is_first = arith.cmpi eq, %rank, %c0 : i32
    %asks = arith.andi %is_t0, %is_first : i1
    scf.if %is_t0 {{
      nvvm.mbarrier.init.shared %bar, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
    }}
    nvvm.cluster.arrive {{aligned}}
    nvvm.cluster.wait {{aligned}}
    gpu.barrier
    %last, %end = scf.while (%tile = %cta, %parity = %even) : (i32, i1) -> (i32, i1) {{
      %p = llvm.getelementptr %out[%tile] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      scf.if %is_t0 {{
        %old = llvm.load %p : !llvm.ptr<1> -> i32
        %new = arith.addi %old, %c1 : i32
        llvm.store %new, %p : i32, !llvm.ptr<1>
        nvvm.mbarrier.arrive.expect_tx.shared %bar, %c16 : !llvm.ptr<3>, i32
      }}
      scf.if %asks {{
        nvvm.clusterlaunchcontrol.try.cancel %answer, %bar {multicast} : !llvm.ptr<3>, !llvm.ptr<3>
      }}
      %done = nvvm.mbarrier.try_wait.parity.shared %bar, %parity, %ticks \
: !llvm.ptr<3>, i1, i32 -> i1 // wait
      %answer128 = llvm.load %answer : !llvm.ptr<3> -> i128
      {PROXY_FENCE} // proxy fence
      gpu.barrier // meet
      nvvm.cluster.arrive {{aligned}}
      nvvm.cluster.wait {{aligned}}
      %yes = {QUERY}is_canceled>}} : i128 -> i1
      %next = scf.if %yes -> (i32) {{
        %x = {QUERY}get_first_cta_id_x>}} : i128 -> i32
        %mine = arith.addi %x, %rank : i32
        scf.yield %mine : i32
      }} else {{
        scf.yield %c0 : i32
      }}
      %turn = arith.xori %parity, %odd : i1
      scf.condition(%yes) %next, %turn : i32, i1
    }} do {{
    ^bb0(%tile2: i32, %parity2: i1):
      scf.yield %tile2, %parity2 : i32, i1
    }}
    """
    return kernel(body, ["%out: !llvm.ptr<1>"], threads, attributes)


def run(text: str, ctas: int, **options: Any) -> list[int]:
    out = np.zeros(ctas, np.int32)
    run_threads(load(text), ctas, [out], entry="k", **options)
    return out.tolist()


@pytest.mark.parametrize("workers", [1, 2, 5, 9])
def test_each_tile_once(workers: int):
    assert run(worker(), 7, workers=workers) == [1] * 7


@pytest.mark.parametrize("seed", range(4))
def test_refused_at_random(seed: int):
    """What a worker does not get begins later."""
    assert run(worker(), 6, workers=2, timing="random", seed=seed) == [1] * 6


def test_clusters():
    text = worker(
        multicast="{multicast}", attributes=("gpu.known_cluster_size = array<i32: 2, 1, 1>",)
    )
    assert run(text, 8) == [1] * 8
    assert run(text, 8, workers=2) == [1] * 8


def refuses(text: str, message: str) -> None:
    with pytest.raises(ExecutionError, match=message):
        run(text, 3)


def test_r27_answers():
    text = worker()
    refuses(without(text, "wait"), "(reads|copies to) shared memory that an asynchronous copy")
    refuses(without(text, "proxy fence"), "overwrites an answer .*without a proxy fence")
    early = text.replace("gpu.barrier // meet", "").replace(
        "nvvm.cluster.arrive {aligned}\n      nvvm.cluster.wait {aligned}", ""
    )
    refuses(early, "race: thread 0 copies to byte .*read by")
    refuses(text.replace("scf.if %asks", "scf.if %odd"), "issued by 32 threads")
    refuses(
        text.replace("%x = nvvm", "%z = nvvm")
        .replace("%yes -> (i32)", "%odd -> (i32)")
        .replace("%mine = arith.addi %x,", "%mine = arith.addi %z,"),
        "but the request was refused",
    )


def test_r27_no_question_after_a_refusal():
    text = worker().replace("scf.condition(%yes)", "scf.condition(%odd)")
    refuses(text, "asks again after it was refused")
