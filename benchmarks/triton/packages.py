# pyright: basic
"""
Which kernels of packages are compiled, and why others are refused.

    python benchmarks/triton/packages.py [NAME …] [--gpu sm_90] [--convert] [--json FILE]

Calls public functions of liger-kernel and flash-linear-attention (`pip install --no-deps
liger-kernel fla-core`, and `einops`) on the CPU, forward and backward. Nothing is launched: where
Triton would launch a kernel, this compiler compiles it for the arguments that it is given, with
the first configuration of its autotuner. Lists each kernel once, with what was wrong if it was
refused. `--convert` stops at public Tile IR. It needs torch and Triton, and no GPU.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
import triton
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

import tileiras_xdsl as tx
from tileiras_xdsl.triton import kernels

CALLS: dict[str, Callable[[], Any]] = {}


def tensor(*shape: int, dtype=torch.bfloat16, grad: bool = True) -> torch.Tensor:
    return torch.randn(*shape).to(dtype).requires_grad_(grad)


def function(path: str) -> Any:
    """A function of a package, by the names of its module and itself."""
    module, name = path.rsplit(".", 1)
    found = getattr(import_module(module), name)
    return getattr(found, "apply", found)


def add(name: str, path: str, *arguments: Callable[[], Any], **keywords: Any) -> None:
    """Has a function be called with arguments that are made for it."""

    def call() -> Any:
        given = {key: each() if callable(each) else each for key, each in keywords.items()}
        return function(path)(*(each() for each in arguments), **given)

    CALLS[name] = call


def value(number: Any) -> Callable[[], Any]:
    return lambda: number


def of(*shape: int, **keywords: Any) -> Callable[[], torch.Tensor]:
    return lambda: tensor(*shape, **keywords)


def labels(count: int, most: int) -> Callable[[], torch.Tensor]:
    return lambda: torch.randint(0, most, (count,))


def gates(*shape: int) -> Callable[[], torch.Tensor]:
    return lambda: torch.nn.functional.logsigmoid(torch.randn(*shape)).requires_grad_()


ROWS, WIDTH = 256, 1024
LIGER = "liger_kernel.ops"
add("liger rms_norm", f"{LIGER}.rms_norm.LigerRMSNormFunction",
    of(ROWS, WIDTH), of(WIDTH), value(1e-6))  # fmt: skip
add("liger fused_add_rms_norm", f"{LIGER}.fused_add_rms_norm.LigerFusedAddRMSNormFunction",
    of(ROWS, WIDTH), of(ROWS, WIDTH), of(WIDTH), value(1e-6))  # fmt: skip
add("liger layer_norm", f"{LIGER}.layer_norm.LigerLayerNormFunction",
    of(ROWS, WIDTH), of(WIDTH), of(WIDTH), value(1e-6))  # fmt: skip
add("liger group_norm", f"{LIGER}.group_norm.LigerGroupNormFunction",
    of(4, 8, 64), of(8), of(8), value(8), value(4), value(1e-6))  # fmt: skip
add("liger swiglu", f"{LIGER}.swiglu.LigerSiLUMulFunction", of(ROWS, WIDTH), of(ROWS, WIDTH))
add("liger geglu", f"{LIGER}.geglu.LigerGELUMulFunction", of(ROWS, WIDTH), of(ROWS, WIDTH))
add("liger relu_squared", f"{LIGER}.relu_squared.LigerReLUSquaredFunction", of(ROWS, WIDTH))
add("liger softmax", f"{LIGER}.softmax.LigerSoftmaxFunction", of(ROWS, WIDTH))
add("liger sparsemax", f"{LIGER}.sparsemax.LigerSparsemaxFunction", of(ROWS, WIDTH), value(-1))
add("liger dyt", f"{LIGER}.dyt.LigerDyTFunction", of(ROWS, WIDTH), of(1), of(WIDTH), of(WIDTH))
add("liger poly_norm", f"{LIGER}.poly_norm.LigerPolyNormFunction",
    of(ROWS, WIDTH), of(3), of(1), value(1e-6))  # fmt: skip
add("liger rope", f"{LIGER}.rope.LigerRopeFunction",
    of(1, 8, 64, 64), of(1, 4, 64, 64), *[of(1, 64, 64, grad=False)] * 2)  # fmt: skip
add("liger llama4_rope", f"{LIGER}.llama4_rope.LigerLlama4RopeFunction",
    of(1, 64, 8, 64), of(1, 64, 4, 64),
    lambda: torch.randn(64, 32, dtype=torch.complex64))  # fmt: skip
add("liger qwen2vl_mrope", f"{LIGER}.qwen2vl_mrope.LigerQwen2VLMRopeFunction",
    of(1, 8, 64, 64), of(1, 4, 64, 64), of(3, 1, 64, 64, grad=False), of(3, 1, 64, 64, grad=False),
    value([8, 12, 12]))  # fmt: skip
add("liger cross_entropy", f"{LIGER}.cross_entropy.LigerCrossEntropyFunction",
    of(ROWS, 4096), labels(ROWS, 4096), value(None))  # fmt: skip
add("liger fused_linear_cross_entropy",
    f"{LIGER}.fused_linear_cross_entropy.LigerFusedLinearCrossEntropyFunction",
    of(ROWS, WIDTH), of(4096, WIDTH), labels(ROWS, 4096))  # fmt: skip
add("liger kl_div", f"{LIGER}.kl_div.LigerKLDivLossFunction",
    lambda: tensor(ROWS, WIDTH).detach().log_softmax(-1).requires_grad_(),
    lambda: tensor(ROWS, WIDTH, grad=False).softmax(-1))  # fmt: skip
add("liger jsd", f"{LIGER}.jsd.LigerJSDFunction",
    lambda: tensor(ROWS, WIDTH).detach().log_softmax(-1).requires_grad_(),
    lambda: tensor(ROWS, WIDTH, grad=False).log_softmax(-1))  # fmt: skip
add("liger tvd", f"{LIGER}.tvd.LigerTVDLossFunction",
    lambda: tensor(ROWS, WIDTH).detach().softmax(-1).requires_grad_(),
    lambda: tensor(ROWS, WIDTH, grad=False).softmax(-1))  # fmt: skip
add("liger grpo_loss", f"{LIGER}.grpo_loss.GrpoLossFunction",
    of(2, 65, 1024), *[of(2, 64, grad=False, dtype=torch.float32)] * 2,
    lambda: torch.randint(0, 1024, (2, 64)), of(2, grad=False, dtype=torch.float32), value(None),
    value(0.9), value(0.04), value(0.2), value(0.2), value(True))  # fmt: skip
add("liger multi_token_attention",
    f"{LIGER}.multi_token_attention.LigerMultiTokenAttentionFunction",
    of(1, 4, 64, 64, dtype=torch.float32), of(4, 4, 3, 3, dtype=torch.float32), value(None),
    value(1), value(1))  # fmt: skip
add("liger fused_neighborhood_attention",
    f"{LIGER}.fused_neighborhood_attention.LigerFusedNeighborhoodAttentionFunction",
    of(1, 4, 128, 64), of(1, 4, 128, 64), of(1, 4, 128, 64))  # fmt: skip

B, T, H, D = 1, 256, 2, 64
FLA = "fla.ops"
QKV = of(B, T, H, D), of(B, T, H, D), of(B, T, H, D)
HEAD, EACH = gates(B, T, H), gates(B, T, H, D)


def unit() -> torch.Tensor:
    return torch.nn.functional.normalize(tensor(B, T, H, D, grad=False), dim=-1).requires_grad_()


def beta() -> torch.Tensor:
    return torch.rand(B, T, H).to(torch.bfloat16).requires_grad_()


for form in ("chunk", "fused_recurrent", "fused_chunk", "parallel"):
    add(f"fla {form} simple_gla", f"{FLA}.simple_gla.{form}_simple_gla", *QKV, HEAD)
for form in ("chunk", "fused_recurrent", "fused_chunk"):
    add(f"fla {form} linear_attn", f"{FLA}.linear_attn.{form}_linear_attn", *QKV)
for form in ("chunk", "fused_recurrent"):
    add(f"fla {form} gla", f"{FLA}.gla.{form}_gla", *QKV, EACH)
    add(f"fla {form} delta_rule", f"{FLA}.delta_rule.{form}_delta_rule",
        QKV[0], unit, QKV[2], beta)  # fmt: skip
for form in ("chunk", "fused_recurrent"):
    add(f"fla {form} gated_delta_rule", f"{FLA}.gated_delta_rule.{form}_gated_delta_rule",
        QKV[0], unit, QKV[2], g=HEAD, beta=beta)  # fmt: skip
    add(f"fla {form} kda", f"{FLA}.kda.{form}_kda", QKV[0], unit, QKV[2], EACH, beta)
    add(f"fla {form} gsa", f"{FLA}.gsa.{form}_gsa", *QKV, QKV[0], EACH)
    add(f"fla {form} rwkv6", f"{FLA}.rwkv6.{form}_rwkv6",
        *QKV, EACH, of(H, D, dtype=torch.float32))  # fmt: skip
    add(f"fla {form} rwkv7", f"{FLA}.rwkv7.{form}_rwkv7",
        QKV[0], EACH, QKV[1], QKV[2], unit, unit)  # fmt: skip
    add(
        f"fla {form} hgrn",
        f"{FLA}.hgrn.{form}_hgrn",
        of(B, T, 128, dtype=torch.float32),
        gates(B, T, 128),
    )
add("fla parallel attn", f"{FLA}.attn.parallel_attn", *QKV)
add("fla forgetting_attn", f"{FLA}.forgetting_attn.parallel_forgetting_attn", *QKV, HEAD)
add("fla parallel_nsa", f"{FLA}.nsa.parallel_nsa",
    of(B, T, 16, D), of(B, T, 1, D), of(B, T, 1, D),
    lambda: torch.rand(B, T, 16), lambda: torch.rand(B, T, 16), lambda: torch.rand(B, T, 16),
    block_counts=4)  # fmt: skip
add("fla parallel_path_attn", f"{FLA}.path_attn.parallel_path_attn",
    *QKV, lambda: unit().float(), lambda: torch.rand(B, T, H), HEAD)  # fmt: skip
add("fla log_linear_attn", f"{FLA}.log_linear_attn.chunk_log_linear_attn",
    *QKV, HEAD, of(B, T, H, 9))  # fmt: skip
add("fla mesa_net", f"{FLA}.mesa_net.chunk_mesa_net",
    QKV[0], unit, QKV[2], HEAD, beta, lambda: torch.rand(H, D) + 0.25)  # fmt: skip
add("fla comba", f"{FLA}.comba.chunk_comba", QKV[0], unit, QKV[2], unit, HEAD, beta)
add("fla dplr", f"{FLA}.generalized_delta_rule.chunk_dplr_delta_rule",
    *QKV, unit, unit, EACH)  # fmt: skip
add("fla stickbreaking", f"{FLA}.stickbreaking_attn.parallel_stickbreaking_attn", *QKV)
add("fla rms_norm", "fla.modules.layernorm.rms_norm", of(ROWS, WIDTH), of(WIDTH), value(None))
add("fla norm_gate", "fla.modules.fused_norm_gate.rms_norm_gated",
    of(ROWS, WIDTH), of(ROWS, WIDTH), of(WIDTH), value(None))  # fmt: skip
add("fla l2norm", "fla.modules.l2norm.l2norm", of(ROWS, 64))
add("fla convolution", "fla.modules.convolution.causal_conv1d",
    of(B, T, 128), of(128, 4), value(None), activation="silu")  # fmt: skip
add("fla rotary", "fla.modules.rotary.rotary_embedding",
    of(B, T, H, D), of(T, D // 2, grad=False), of(T, D // 2, grad=False))  # fmt: skip
add("fla swiglu", "fla.modules.activations.swiglu", of(ROWS, WIDTH), of(ROWS, WIDTH))
add("fla cross_entropy", "fla.modules.fused_cross_entropy.cross_entropy_loss",
    of(ROWS, 4096), labels(ROWS, 4096))  # fmt: skip


class Compiler:
    """Compiles what would be launched, each specialization once."""

    def __init__(self, gpu: str, *, is_converted_only: bool):
        self.gpu = gpu
        self.is_converted_only = is_converted_only
        self.results: dict[str, str | None] = {}
        """What was wrong with each kernel; none if it was compiled."""
        self.seen: set[object] = set()

    def __call__(self, function: JITFunction, args: tuple[Any, ...], given: dict[str, Any]) -> None:
        names = function.arg_names
        values = dict(zip(names, args)) | {name: given[name] for name in names if name in given}
        parameters = {each.name: each for each in function.params}
        for name in names:
            values.setdefault(name, parameters[name].default)
        name = function.__name__
        key = (name, *(str(getattr(each, "dtype", each)) for each in values.values()))
        if key in self.seen:
            return
        self.seen.add(key)
        arguments = [values[each] for each in names]
        try:
            made = kernels.export(function, arguments, self.gpu)
            if self.is_converted_only:
                kernels.convert(made.bytecode.decode())
            else:
                tx.compile(function, self.gpu, args=arguments)
        except Exception as error:  # Whatever it is, it goes into the list.
            text = str(error).strip().splitlines() or [type(error).__name__]
            lines = [each for each in text if "error" in each] or text[-1:]
            self.results[name] = lines[0][:200]
        else:
            self.results.setdefault(name, None)


def first_configuration(self: Autotuner, *args: Any, **given: Any) -> Any:
    """What an autotuner launches that measures nothing."""
    config = self.configs[0]
    return self.fn.run(*args, **{**config.all_kwargs(), **given})


def stand_in_for_gpu() -> None:
    """Has packages find what they ask of a device; tensors are on the CPU."""
    # One that no package has kernels of its own for, or bans versions of Triton on.
    properties = SimpleNamespace(name="NVIDIA A100", multi_processor_count=108, major=8, minor=0)
    cuda = torch.cuda
    cuda.current_device = lambda: 0
    cuda.device = lambda *_: nullcontext()
    cuda.get_device_properties = lambda *_: properties
    cuda.get_device_name = lambda *_: properties.name
    cuda.get_device_capability = lambda *_: (properties.major, properties.minor)


def backward(result: Any) -> None:
    """Runs what computes gradients."""
    results = result if isinstance(result, tuple | list) else (result,)
    total = [each for each in results if isinstance(each, torch.Tensor) and each.requires_grad]
    if total:
        torch.autograd.backward(total, [torch.ones_like(each) for each in total])


class Utilities:
    """What a driver without a GPU tells."""

    def get_device_properties(self, *_: Any) -> dict[str, int]:
        return {"multiprocessor_count": 132, "max_shared_mem": 232448, "warpSize": 32}


class Driver:
    """A driver of Triton's without a GPU."""

    def __init__(self, gpu: str):
        self.utils = Utilities()
        digits = int("".join(filter(str.isdigit, gpu)))
        self.target = triton.backends.compiler.GPUTarget("cuda", digits, 32)

    def get_current_target(self) -> Any:
        return self.target

    def get_current_device(self) -> int:
        return 0

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cpu")


def main() -> None:
    """Calls the functions."""
    parser = argparse.ArgumentParser(description="Compiles kernels of packages.")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--gpu", default="sm_90")
    parser.add_argument("--convert", action="store_true")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    compiler = Compiler(given.gpu, is_converted_only=given.convert)
    triton.runtime.driver.set_active(Driver(given.gpu))
    JITFunction.run = lambda self, *args, grid, warmup, **rest: compiler(self, args, rest)
    Autotuner.run = first_configuration
    stand_in_for_gpu()
    torch.manual_seed(7)
    uncalled: dict[str, str] = {}
    for name, call in CALLS.items():
        if given.names and not any(each in name for each in given.names):
            continue
        start, before = time.perf_counter(), set(compiler.results)
        try:
            backward(call())
        except Exception as error:  # Functions that need a GPU, or more than they were given.
            text = str(error).strip().splitlines() or [""]
            uncalled[name] = f"{type(error).__name__}: {text[0][:100]}"
        new = [each for each in compiler.results if each not in before]
        note = f" ({uncalled[name]})" if name in uncalled else ""
        print(f"{name:36} {time.perf_counter() - start:5.1f} s {', '.join(new)}{note}", flush=True)
        for each in new:
            if (why := compiler.results[each]) is not None:
                print(f"  {each}: {why}", flush=True)
    refused = {name: why for name, why in compiler.results.items() if why is not None}
    done = "converted" if given.convert else "compiled"
    print(f"{len(compiler.results) - len(refused)} of {len(compiler.results)} kernels are {done}")
    print(f"{len(uncalled)} functions of {len(CALLS)} raised an error of their own")
    print(Counter(why.rsplit(": ", 1)[-1] for why in refused.values()))
    if given.json:
        given.json.write_text(
            json.dumps({"kernels": compiler.results, "raised": uncalled}, indent=1)
        )


if __name__ == "__main__":
    sys.exit(main())
