"""`benchmarks/board/worker.py` without a GPU: which kernels of a profile count, and as how much."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

FOLDER = Path(__file__).parents[3] / "benchmarks/board"
SCRIPTS = ("worker", "cpp_cases", "board")
SOFTMAX = "_Z14softmax_kernelI6__halfLi1024EEvPT_PKS1_i"
PROFILE = [
    ("void softmax_kernel<__half, 1024>(__half*, __half const*, int)", 40.0),
    ("_gelu_kernel_Kd1_f16", 7.0),
    ("vector_add(float const*, float*, int)", 5.0),
    ("void at::native::reduce_kernel<512, 1>(at::native::ReduceOp<float>)", 90.0),
    ("void gemv2T_kernel_val<int, __nv_bfloat16>(int)", 80.0),
    ("_ZN2at6native19log_softmax_forwardIfEEvi", 70.0),
    ("(anonymous namespace)::softmax_kernel(float)", 60.0),
    ("Memcpy DtoD (Device -> Device)", 50.0),
]
"""What CUPTI finds in a call: names, and microseconds."""


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    yield {name: importlib.import_module(name) for name in SCRIPTS}
    for name in SCRIPTS:
        del sys.modules[name]


def fake_torch(monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    """A torch whose profiler finds the kernels of so many calls."""
    device = SimpleNamespace(name="CUDA")
    events = [
        SimpleNamespace(device_type=device, name=name, device_time=time + turn)
        for turn in range(calls)
        for name, time in PROFILE
    ]
    events.append(SimpleNamespace(device_type=device, name="_tuned_once_Kd1_f16", device_time=1.0))

    def profile(**_: object) -> nullcontext[SimpleNamespace]:
        return nullcontext(SimpleNamespace(events=lambda: events))

    torch: Any = ModuleType("torch")
    torch.cuda = SimpleNamespace(synchronize=lambda: None)
    profiler: Any = ModuleType("torch.profiler")
    profiler.ProfilerActivity = SimpleNamespace(CUDA=0)
    profiler.profile = profile
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "torch.profiler", profiler)


def test_kernels_in_cpp_are_timed_beside_torchs(
    scripts: dict[str, Any], monkeypatch: pytest.MonkeyPatch
):
    """A template of ours is told from one of torch by having been loaded."""
    calls = 2
    fake_torch(monkeypatch, calls)
    worker = scripts["worker"].Worker()
    worker.call = lambda: None
    softmax, gelu, add = (name for name, _ in PROFILE[:3])
    assert worker.time(calls) == {gelu: 7.5, add: 5.5}
    scripts["cpp_cases"].Loaded(b"").get_kernel(SOFTMAX)
    assert worker.time(calls) == {softmax: 40.5, gelu: 7.5, add: 5.5}


def test_plain_names(scripts: dict[str, Any]):
    """One row of the board for all types and constants of a kernel."""
    plain = scripts["board"].plain_name
    assert [plain(name) for name, _ in PROFILE[:3]] == [
        "softmax_kernel",
        "_gelu_kernel",
        "vector_add",
    ]
    assert scripts["cpp_cases"].plain_name(SOFTMAX) == "softmax_kernel"
    assert scripts["cpp_cases"].plain_name("gemm") == "gemm"
