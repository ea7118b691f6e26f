# pyright: basic
"""
What `torch.compile` writes for five small models, by Triton's own compiler and by this one.

    python benchmarks/triton/compiled_models.py [MODEL …] [--rounds 5] [--together] [--json FILE]

Each model runs in two fresh processes, one of them with `TILEIRAS_XDSL_TRITON=1`; inductor's and
Triton's caches are empty. Prints for each model whether both are right: compared with eager in
float64, at most twice as wrong as eager is with the types of the model. Then how many kernels
inductor wrote, how many of them this compiler compiled, and which it refused, by reason; the
microseconds of a call in bursts, one process after the other; and those of Triton's kernels alone,
by the profiler. `--together` starts all processes at once. It needs torch, Triton and a GPU.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from copy import deepcopy
from importlib.metadata import entry_points
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import nn
from torch.nn import functional

VARIABLE = "TILEIRAS_XDSL_TRITON"
MARK = "@@ "
"""Begins lines of a process that are for the one that started it."""
BURST = 20_000.0
"""Microseconds that a burst should take."""
PAUSE = 0.02
"""Seconds of idleness before a burst."""
ROUNDING = 1e-6
"""An error, relative to the largest element, that is never too large."""
PATIENCE = 300
"""Seconds for what a process is asked for."""


class Perceptron(nn.Module):
    """Two layers with GELU between them, around them layer norm and a residual; inference."""

    dtype, trains = torch.bfloat16, False

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(1024)
        self.up, self.down = nn.Linear(1024, 4096), nn.Linear(4096, 1024)

    def forward(self, x):
        return x + self.down(functional.gelu(self.up(self.norm(x))))

    @staticmethod
    def inputs():
        return (torch.randn(8192, 1024),)


class Transformer(nn.Module):
    """A layer of a transformer, whose attention is a softmax between two products; inference."""

    dtype, trains = torch.float16, False

    def __init__(self, width=512, heads=8):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(self.first(x)).view(batch, length, 3, self.heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-1, -2)) * (width // self.heads) ** -0.5
        hidden = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(hidden, float("-inf")).softmax(-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(batch, length, width))
        return x + self.down(functional.gelu(self.up(self.second(x)), approximate="tanh"))

    @staticmethod
    def inputs():
        return (torch.randn(8, 1024, 512),)


class Convolutions(nn.Module):
    """Convolutions with batch norm, ReLU, pooling and a residual; a step of training."""

    dtype, trains = torch.float32, True

    def __init__(self, width=64):
        super().__init__()
        self.first = nn.Conv2d(3, width, 3, padding=1, bias=False)
        self.second = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(width), nn.BatchNorm2d(width)])
        self.head = nn.Linear(width, 10)

    def forward(self, x, labels):
        x = functional.max_pool2d(functional.relu(self.norms[0](self.first(x))), 2)
        x = functional.relu(x + self.norms[1](self.second(x)))
        return functional.cross_entropy(self.head(x.mean((2, 3))), labels)

    @staticmethod
    def inputs():
        return torch.randn(64, 3, 64, 64), torch.randint(0, 10, (64,))


class Language(nn.Module):
    """An embedding, gates of a recurrent cell, and cross entropy; a step of training."""

    dtype, trains = torch.float32, True

    def __init__(self, words=8192, width=512):
        super().__init__()
        self.embedding, self.gates = nn.Embedding(words, width), nn.Linear(2 * width, 4 * width)
        self.head = nn.Linear(width, words)

    def forward(self, words, following):
        state = cell = torch.zeros(len(words), self.gates.in_features // 2).to(self.head.weight)
        states = []
        for inputs in self.embedding(words).unbind(1):
            gates = self.gates(torch.cat((inputs, state), 1))
            enter, keep, leave, value = gates.chunk(4, 1)
            cell = keep.sigmoid() * cell + enter.sigmoid() * value.tanh()
            state = leave.sigmoid() * cell.tanh()
            states.append(state)
        logits = self.head(torch.stack(states, 1))
        return functional.cross_entropy(logits.flatten(0, 1), following.flatten())

    @staticmethod
    def inputs():
        return torch.randint(0, 8192, (512, 4)), torch.randint(0, 8192, (512, 4))


class Rotary(nn.Module):
    """RMS norm, rotated queries and keys, and SwiGLU; a step of training."""

    dtype, trains = torch.bfloat16, True

    def __init__(self, width=1024, heads=8):
        super().__init__()
        self.heads = heads
        self.scale = nn.Parameter(torch.ones(width))
        self.qk, self.out = nn.Linear(width, 2 * width, False), nn.Linear(width, width, False)
        self.gate = nn.Linear(width, 8 * width, False)
        self.down = nn.Linear(4 * width, width, False)

    def normed(self, x):
        wide = x if x.dtype == torch.float64 else x.float()
        return (wide * (wide.square().mean(-1, keepdim=True) + 1e-6).rsqrt()).to(x) * self.scale

    def forward(self, x, cosines, sines):
        def rotated(part):
            part = part.unflatten(-1, (self.heads, -1))
            first, second = part.chunk(2, -1)
            return part * cosines + torch.cat((-second, first), -1) * sines

        q, k = (rotated(each) for each in self.qk(self.normed(x)).chunk(2, -1))
        x = x + self.out((q * k.sigmoid()).flatten(2))
        gate, value = self.gate(self.normed(x)).chunk(2, -1)
        x = x + self.down(functional.silu(gate) * value)
        return x.square().mean() if x.dtype == torch.float64 else x.float().square().mean()

    @staticmethod
    def inputs():
        angles = torch.arange(2048)[:, None, None] * 10_000.0 ** -(torch.arange(128) % 64 / 64)
        return torch.randn(4, 2048, 1024), angles.cos(), angles.sin()


MODELS = {
    "perceptron": Perceptron,
    "transformer": Transformer,
    "convolutions": Convolutions,
    "language": Language,
    "rotary": Rotary,
}


# A process


def cast(values, dtype, device):
    return [v.to(device, dtype if v.is_floating_point() else v.dtype) for v in values]


def step(function, model, inputs):
    """The results of a call, and the gradients of what is trained."""
    if not model.trains:
        with torch.no_grad():
            return [function(*inputs)]
    loss = function(*inputs)
    return [loss.detach(), *torch.autograd.grad(loss, [*model.parameters()])]


def measure_error(found, expected):
    """The largest error, each relative to the largest element of its tensor."""
    worst = 0.0
    for a, b in zip(found, expected, strict=True):
        largest = b.abs().max().item() or 1.0
        error = ((a.double() - b).abs().max() / largest).item()
        worst = max(worst, error if error == error else float("inf"))
    return worst


def profile(call) -> dict[str, float]:
    """Microseconds of a call in each of Triton's kernels."""
    activities = [torch.profiler.ProfilerActivity.CUDA]
    calls, found = 5, Counter()
    with torch.profiler.profile(activities=activities) as profiler:
        for _ in range(calls):
            call()
        torch.cuda.synchronize()
    for event in profiler.key_averages():
        if event.key.startswith("triton_"):
            found[event.key] += event.self_device_time_total / calls
    return dict(found)


def prepare(name: str, device: str, backend: str):
    """Compiles a model; what calls it, and what was found."""
    found: dict[str, Any] = {"torch": torch.__version__}
    refused = Counter()
    if os.environ.get(VARIABLE):
        import tileiras_xdsl.triton as open_triton

        if not any(each.name == "tileiras" for each in entry_points(group="triton.backends")):
            open_triton.use()  # The package is not installed, only on the path.

        def show(message, category, *rest):
            if issubclass(category, open_triton.RefusedWarning):
                refused[str(message)] += 1

        warnings.simplefilter("always", open_triton.RefusedWarning)
        warnings.showwarning = show
    torch.manual_seed(7)
    make = MODELS[name]
    model, inputs = make(), make.inputs()
    exact = deepcopy(model).to(device, make.dtype).double()
    # The same numbers: those that the model's types have.
    rounded = [v.to(make.dtype) if v.is_floating_point() else v for v in inputs]
    expected = step(exact, exact, cast(rounded, torch.float64, device))
    model, inputs = model.to(device, make.dtype), cast(rounded, make.dtype, device)
    found["eager_error"] = measure_error(step(model, model, inputs), expected)
    compiled = torch.compile(model, backend=backend)

    def call():
        return step(compiled, model, inputs)

    start = time.perf_counter()
    results = call()
    if device == "cuda":
        torch.cuda.synchronize()
    found["first_s"] = time.perf_counter() - start
    found["error"] = measure_error(results, expected)
    found["right"] = found["error"] <= 2 * found["eager_error"] + ROUNDING
    found["written"] = torch._inductor.metrics.generated_kernel_count
    found["refused"] = dict(refused)
    if os.environ.get(VARIABLE):
        from tileiras_xdsl.triton import stages

        found["compiled"] = sorted(stages._compiled)
    return call, found


def serve(name: str, device: str, backend: str) -> None:
    """A process: prepares a model, and then runs a burst of calls for each line that it gets."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # What is printed is no answer.

    def answer(value) -> None:
        answers.write(MARK + json.dumps(value) + "\n")
        answers.flush()

    try:
        call, found = prepare(name, device, backend)
    except Exception as error:
        traceback.print_exc()
        text = (str(error).strip().splitlines() or [""])[0]
        answer({"error": f"{type(error).__name__}: {text}"})
        return
    try:
        found["kernels_us"] = profile(call) if device == "cuda" else {}
    except Exception:
        traceback.print_exc()
    answer(found)
    for line in sys.stdin:
        answer(run_burst(call, int(line), device))


def run_burst(call, calls: int, device: str) -> float:
    """Microseconds of a call."""
    if device != "cuda":
        start = time.perf_counter()
        for _ in range(calls):
            call()
        return (time.perf_counter() - start) * 1e6 / calls
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    time.sleep(PAUSE)
    call()
    begin.record()
    for _ in range(calls):
        call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e3 / calls


# The one that starts them


class Process:
    """A process that has a model compiled."""

    def __init__(self, name: str, given: argparse.Namespace, folder: str, who: str):
        environment = {
            **os.environ,
            "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1",
            "TORCHINDUCTOR_CACHE_DIR": f"{folder}/{name}-{who}/inductor",
            "TRITON_CACHE_DIR": f"{folder}/{name}-{who}/triton",
            # In one process, so that warnings are seen.
            "TORCHINDUCTOR_COMPILE_THREADS": "1",
        }
        environment.pop(VARIABLE, None)
        if who == "ours":
            environment[VARIABLE] = "1"
        command = [sys.executable, __file__, name, "--serve", given.device, given.backend]
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def read(self) -> Any:
        """The next answer."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(MARK):
                return json.loads(line[len(MARK) :])
        return {"error": f"the process ended, {self.process.wait(PATIENCE)}"}

    def ask(self, calls: int) -> float:
        """Microseconds of a call, in a burst."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{calls}\n")
        self.process.stdin.flush()
        return self.read()

    def close(self) -> None:
        """Ends it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(PATIENCE)


def compare(processes: dict[str, Process], found: dict[str, Any], rounds: int) -> dict[str, Any]:
    """What was found of a model, given what its processes answered first."""
    if not any("error" in each and "right" not in each for each in found.values()):
        calls = max(1, min(200, int(BURST / processes["triton"].ask(3))))
        times: dict[str, list[float]] = {who: [] for who in processes}
        for _ in range(rounds):
            for who, process in processes.items():
                times[who].append(process.ask(calls))
        for who, each in times.items():
            found[who]["us"] = median(each)
        found["ratio"] = found["triton"]["us"] / found["ours"]["us"]
        theirs, ours = (sum(found[who].get("kernels_us", {}).values()) for who in processes)
        if theirs and ours:
            found["kernels_ratio"] = theirs / ours
    for process in processes.values():
        process.close()
    return found


def describe(name: str, found: dict[str, Any]) -> str:
    """A line of a model."""
    line = f"{name:13}"
    for who in ("triton", "ours"):
        each = found[who]
        if "right" not in each:
            line += f" {who} {each['error'][:200]};"
            continue
        right = "right" if each["right"] else f"WRONG {each['error']:.2g}"
        line += f" {who} {right} {each.get('us', 0):.1f} us,"
        line += f" kernels {sum(each.get('kernels_us', {}).values()):.1f} us,"
        line += f" first {each['first_s']:.1f} s;"
    if "ratio" in found:
        line += f" ratio {found['ratio']:.3f}, of kernels {found.get('kernels_ratio', 0):.3f};"
    ours = found["ours"]
    if "compiled" in ours:
        line += f" {ours['written']} kernels, {len(ours['compiled'])} compiled,"
        line += f" {len(ours['refused'])} refused"
        line += "".join(f"\n    {reason}" for reason in ours["refused"])
    return line


def main() -> None:
    """Runs the models."""
    parser = argparse.ArgumentParser(description="Times compiled models with two compilers.")
    parser.add_argument("models", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--backend", default="inductor")
    parser.add_argument("--serve", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.models[0], *given.serve)
        return
    names = given.models or [*MODELS]
    results = {}
    with tempfile.TemporaryDirectory() as folder:

        def start(name: str) -> dict[str, Process]:
            return {who: Process(name, given, folder, who) for who in ("triton", "ours")}

        for some in [names] if given.together else [[name] for name in names]:
            started = {name: start(name) for name in some}
            # All of them have compiled before any is timed.
            first = {
                name: {who: process.read() for who, process in processes.items()}
                for name, processes in started.items()
            }
            for name, processes in started.items():
                results[name] = compare(processes, first[name], given.rounds)
                print(describe(name, results[name]), flush=True)
                if given.json:
                    given.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
