"""Pictures of tensor memory: where tiles are, and what runs do to columns."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.analysis.tensor_memory_layouts import accumulator_layout
from tileiras_xdsl.inspection.visual import tensor_memory_over_time, tensor_memory_picture
from tileiras_xdsl.interpreter.threads import run_threads
from tileiras_xdsl.interpreter.threads.tensor_cores import TensorTrace

from ..interpreter.tensor_kernels import matmul_kernel, problem, signed


def test_tiles():
    picture = tensor_memory_picture("F", 128)
    assert "lanes 16–31     free" in picture.text
    assert "lanes 96–111    rows 48–63, columns 0–127" in picture.text
    assert "64 columns of 512" in tensor_memory_picture("B", 128).text
    assert ElementTree.fromstring(picture.svg) is not None
    same = tensor_memory_picture(accumulator_layout("F", 128), title=picture.title)
    assert same.svg == picture.svg
    with pytest.raises(ValueError, match="columns of the accumulator"):
        tensor_memory_picture("D")


def test_runs():
    given, trace = problem(), TensorTrace()
    out = np.zeros((128, 16), np.int32)
    arguments = [given.image, out, given.a, given.b, signed(given.idesc)]
    run_threads(load(matmul_kernel(16)), 1, arguments, entry="k", trace=trace)
    kinds = [event.kind for event in trace.events]
    assert kinds == ["alloc", "mma", "ld", "ld", "ld", "ld", "dealloc"]
    assert all(event.ran is not None and event.ran > event.issued for event in trace.events)
    assert trace.events[1].columns == range(16)
    assert {event.lanes.start for event in trace.events if event.kind == "ld"} == {0, 32, 64, 96}
    picture = tensor_memory_over_time(trace)
    assert "mma by thread 0, columns 0–15: 'nvvm.tcgen05.mma'" in picture.text
    assert picture.svg.count("<title>ld by warp") == 4
