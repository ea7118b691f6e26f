# pyright: basic
"""
TileGym's public ops on CPU tensors, beside torch and beside the interpreter.

    python benchmarks/cpu_tilegym.py [NAME …] [--interpreter] [--tune]

`tileiras_xdsl.cutile.use(device="cpu")` runs the kernels of TileGym (PyPI `tilegym`) as they are.
Results and gradients are compared with those of torch in f32; with `--interpreter`, also with those
of the interpreter on the same inputs. An op is wrong if an element is off by more than a few
roundings of its type, as a part of the greatest element. A kernel that is not compiled but
interpreted is an error, too. Of kernels that cuTile would tune the first configuration is taken;
with `--tune` it does tune them, on the CPU. It needs torch (a build for CPUs will do), cuda-tile
and tilegym. The exit code is 1 if an op is wrong or fails.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cuda.tile as ct
import torch
import torch.nn.functional as F
from cuda.tile import tune

import tileiras_xdsl as tx
import tileiras_xdsl.cutile
from tileiras_xdsl.driver.compiler.engine import InterpretedWarning

sys.path[:0] = [str(Path(__file__).parents[1] / "src"), str(Path(__file__).parent / "board")]
os.environ["TILEGYM_DISABLE_AUTOTUNE"] = "1"

launches: Any = import_module("launches")
gym: Any = import_module("tilegym_cases")
BF16, F8, F16, F32 = gym.BF16, gym.F8, gym.F16, gym.F32
ints, ops, rand, suite = gym.ints, gym.ops, gym.rand, gym.suite

ROUNDINGS = {F32: 2e-5, F16: 4e-3, BF16: 3e-2, F8: 0.13}
"""What counts as right, by the type of the result."""

Op = Callable[..., Any]
CASES: dict[str, tuple[Callable[[], tuple[Op, Sequence[Any]]], Op | None, bool]] = {}
"""What makes an op and its arguments; what torch computes; whether it has gradients."""


def case(name: str, op: Op, make: Callable[[], Sequence[Any]], reference: Op | None = None) -> None:
    """An op without gradients."""
    CASES[name] = (lambda: (op, make()), reference, False)


def graded(name: str, op: Op, make: Callable[[], Sequence[Any]], reference: Op | None) -> None:
    """An op and its gradients."""
    CASES[name] = (lambda: (op, make()), reference, True)


def lazily(name: str, of: str | None = None) -> Op:
    """An op of TileGym or of one of its suites, found when it is called."""

    def call(*args: Any, **named: Any) -> Any:
        found: Any = ops() if of is None else suite(of)
        for part in name.split("."):
            found = getattr(found, part)
        return found(*args, **named)

    return call


def attention(q: Any, k: Any, v: Any, scale: float, mask: Any = None, cap: float = 0.0) -> Any:
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = q @ k.transpose(-1, -2) * scale
    if cap:
        scores = cap * torch.tanh(scores / cap)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ v


def causal(rows: int, columns: int | None = None) -> torch.Tensor:
    return torch.ones(rows, columns or rows, dtype=torch.bool).tril()


def rotated(x: Any, cos: Any, sin: Any) -> Any:
    low, high = x.chunk(2, -1)
    return x * cos + torch.cat((-high, low), -1) * sin


def rms(x: Any, w: Any, eps: float = 1e-5) -> Any:
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps) * w


def dequantized(x: Any, scales: Any, rows: int, columns: int) -> Any:
    whole = scales.repeat_interleave(rows, 0).repeat_interleave(columns, 1)
    return x * whole[: x.shape[0], : x.shape[1]]


def delta_rule(q: Any, k: Any, v: Any, g: Any, beta: Any) -> Any:
    """Step by step, as the paper defines it."""
    q, k, v = (x.transpose(1, 2).float() for x in (q, k, v))
    b, h, steps, d = k.shape
    state, out = torch.zeros(b, h, d, v.shape[-1]), torch.zeros_like(v)
    for t in range(steps):
        state = state * g[:, t].float().exp()[..., None, None]
        rest = v[:, :, t] - (state * k[:, :, t, :, None]).sum(-2)
        rest = rest * beta[:, t].float()[..., None]
        state = state + k[:, :, t, :, None] * rest[..., None, :]
        out[:, :, t] = (state * q[:, :, t, :, None]).sum(-2) * d**-0.5
    return out.transpose(1, 2)


def moe(x: Any, first: Any, second: Any, weights: Any, chosen: Any) -> Any:
    out = torch.zeros(x.shape[0], second.shape[1])
    for token, (row, experts) in enumerate(zip(weights, chosen, strict=True)):
        for weight, expert in zip(row, experts.tolist(), strict=True):
            gate, up = (first[expert] @ x[token]).chunk(2)
            out[token] += weight * (second[expert] @ (F.silu(gate) * up))
    return out


def probabilities(rows: int, columns: int) -> torch.Tensor:
    return torch.log_softmax(rand(rows, columns, dtype=F32), -1)


def products() -> None:
    for tma in (True, False):
        for persistent in (True, False):
            case(
                f"matmul persistent={persistent} tma={tma}",
                lambda a, b, p=persistent, t=tma: ops().matmul(
                    a, b, static_persistent=p, use_tma=t
                ),
                lambda: (rand(200, 96), rand(96, 136)),
                torch.matmul,
            )
    case("bmm", lazily("bmm"), lambda: (rand(3, 70, 64), rand(3, 64, 90)), torch.bmm)
    case(
        "group_gemm",
        lambda a, b: ops().group_gemm(a, b, transpose_b=False),
        lambda: ([rand(m, 64, dtype=F16) for m in (40, 130)], [rand(64, 96, dtype=F16)] * 2),
        lambda a, b: [x @ y for x, y in zip(a, b, strict=True)],
    )
    case(
        "w8a8_block_fp8_matmul",
        lambda *args: ops().w8a8_block_fp8_matmul(*args, block_size=[128, 128], output_dtype=BF16),
        lambda: (rand(64, 256, dtype=F8), rand(256, 256, dtype=F8), *two_scales()),
        lambda a, b, s, t: dequantized(a, s, 1, 128) @ dequantized(b, t, 128, 128).T,
    )
    case(
        "linear_gluact_linear",
        lambda *args: ops().linear_gluact_linear(*args, "silu"),
        lambda: (rand(64, 128), *(rand(256, 128, scale=0.1) for _ in range(2)), rand(128, 256)),
        lambda x, gate, up, down: (F.silu(x @ gate.T) * (x @ up.T)) @ down.T,
    )
    case("transpose", lazily("transpose"), lambda: (rand(130, 70),), lambda x: x.T)
    case(
        "fused_moe",
        lazily("fused_moe"),
        lambda: (
            *(rand(24, 64), rand(4, 256, 64, scale=0.1), rand(4, 64, 128, scale=0.1)),
            *(torch.rand(24, 2), torch.rand(24, 4).topk(2).indices.int()),
        ),
        moe,
    )
    case(
        "unsloth.grouped_gemm",
        lambda x, w, n: suite("unsloth").grouped_gemm(x, w, n, 1),
        lambda: (rand(128, 64), rand(4, 96, 64), torch.full((4,), 32, dtype=torch.int32)),
        lambda x, w, _: torch.cat([y @ z.T for y, z in zip(x.chunk(4), w, strict=True)]),
    )
    case(
        "flashinfer.gemm_alpha_beta",
        lambda a, b, c: suite("flashinfer").gemm_alpha_beta(a, b, c, num_sms=4),
        lambda: (rand(128, 64), rand(128, 64), rand(128, 128)),
        None,
    )
    case(
        "flashinfer.masked_bmm",
        lazily("masked_bmm", "flashinfer"),
        lambda: (rand(3, 130, 64), rand(3, 64, 96), torch.tensor([5, 130, 64]).int()),
        None,
    )


def two_scales() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.rand(64, 2), torch.rand(2, 2)


def rows() -> None:
    for tma in (False, True):
        case(
            f"softmax tma={tma}",
            lambda x, t=tma: ops().softmax(x, use_tma=t),
            lambda: (rand(40, 300),),
            lambda x: x.softmax(-1),
        )
    for mode in ("static_persistent", "multi_wave_reload", "multi_wave_cached"):
        case(
            f"rms_norm {mode}",
            lambda x, w, m=mode: ops().rms_norm(x, (x.shape[1],), w, 1e-5, mode=m),
            lambda: (rand(40, 384), rand(384)),
            rms,
        )
    graded(
        "rms_norm",
        lambda x, w: ops().rms_norm(x, (x.shape[1],), w, 1e-5),
        lambda: (rand(40, 256), rand(256)),
        rms,
    )

    def norm(x: Any, w: Any, b: Any) -> Any:
        return F.layer_norm(x, x.shape[-1:], w, b, 1e-5)

    case(
        "layer_norm",
        lambda x, w, b: ops().layer_norm(x, 1, 2, w, b, 1e-5),
        lambda: (rand(40, 256), rand(256), rand(256)),
        norm,
    )
    for name in ("layer_norm_legacy", "persistent_layer_norm"):
        case(
            name,
            lambda x, w, b, n=name: getattr(ops(), n)(x, (x.shape[1],), w, b, 1e-5),
            lambda: (rand(40, 256), rand(256), rand(256)),
            norm,
        )
    graded("liger.layer_norm", lazily("layer_norm", "liger"), lambda: norm_inputs(), norm)
    graded("unsloth.layernorm", lazily("layernorm", "unsloth"), lambda: norm_inputs(1), norm)
    graded(
        "liger.rms_norm",
        lambda x, w: suite("liger").rms_norm(x, w, 1e-6),
        lambda: (rand(40, 256), rand(256)),
        lambda x, w: rms(x, w, 1e-6),
    )
    graded(
        "unsloth.rms_layernorm",
        lazily("rms_layernorm", "unsloth"),
        lambda: (rand(1, 40, 256), rand(256)),
        lambda x, w: rms(x, w, 1e-5),
    )
    graded(
        "liger.fused_add_rms_norm",
        lazily("fused_add_rms_norm", "liger"),
        lambda: (rand(40, 256), rand(40, 256), rand(256)),
        lambda x, r, w: (rms(x + r, w, 1e-6), x + r),
    )
    graded(
        "liger.poly_norm",
        lazily("poly_norm", "liger"),
        lambda: (rand(40, 256), rand(3), rand(1)),
        lambda x, w, b: sum(w[at] * rms(x ** (3 - at), 1, 1e-6) for at in range(3)) + b,
    )
    graded(
        "liger.dyt",
        lazily("dyt", "liger"),
        lambda: (rand(40, 256), rand(1), rand(256), rand(256)),
        lambda x, a, w, b: torch.tanh(a * x) * w + b,
    )
    graded(
        "liger.group_norm",
        lambda x, w, b: suite("liger").group_norm(x, 16, 4, w, b),
        lambda: (rand(2, 16, 64), rand(16), rand(16)),
        lambda x, w, b: F.group_norm(x, 4, w, b, 1e-6),
    )
    graded("liger.softmax", lazily("softmax", "liger"), lambda: (rand(40, 300),), softmax)
    graded("liger.sparsemax", lazily("sparsemax", "liger"), lambda: (rand(40, 128),), sparsemax)
    graded(
        "liger.relu_squared",
        lazily("relu_squared", "liger"),
        lambda: (rand(40, 300),),
        lambda x: F.relu(x) ** 2,
    )


def norm_inputs(*batch: int) -> tuple[torch.Tensor, ...]:
    return rand(*batch, 40, 256), rand(256), rand(256)


def softmax(x: Any) -> Any:
    return x.softmax(-1)


def sparsemax(x: Any) -> Any:
    largest = x.sort(-1, descending=True).values
    sums, counts = largest.cumsum(-1) - 1, torch.arange(1, x.shape[-1] + 1)
    size = (largest * counts > sums).sum(-1, keepdim=True)
    return F.relu(x - sums.gather(-1, size - 1) / size)


def elementwise() -> None:
    case(
        "silu_and_mul",
        lazily("silu_and_mul"),
        lambda: (rand(40, 512),),
        lambda x: F.silu(x.chunk(2, -1)[0]) * x.chunk(2, -1)[1],
    )
    graded(
        "swiglu",
        lambda a, b: ops().get_swiglu()(a, b),
        lambda: (rand(1, 40, 256), rand(1, 40, 256)),
        lambda a, b: F.silu(a) * b,
    )
    case("relu", lazily("activation.relu"), lambda: (rand(40, 300),), F.relu)
    graded("gelu", lazily("activation.gelu"), lambda: (rand(40, 256),), F.gelu)
    graded(
        "geglu",
        lazily("activation.geglu"),
        lambda: (rand(40, 512),),
        lambda x: x.chunk(2, -1)[0] * F.gelu(x.chunk(2, -1)[1]),
    )
    case("dropout", lambda x: ops().dropout(x, 7, 0.5), lambda: (rand(40, 256),))
    for name, function in (
        ("swiglu", lambda a, b: F.silu(a) * b),
        ("geglu", lambda a, b: F.gelu(a, approximate="tanh") * b),
    ):
        graded(
            f"liger.{name}", lazily(name, "liger"), lambda: (rand(40, 256), rand(40, 256)), function
        )
    for name, function in (
        ("swiglu_fg", lambda a, b: F.silu(a) * b),
        ("geglu_exact_forward", lambda a, b: F.gelu(a) * b),
        ("geglu_approx_forward", lambda a, b: F.gelu(a, approximate="tanh") * b),
    ):
        case(
            f"unsloth.{name}",
            lazily(name, "unsloth"),
            lambda: (rand(1, 40, 256), rand(1, 40, 256)),
            function,
        )
    case(
        "apply_rope_base",
        lazily("apply_rope_base"),
        lambda: (rand(2, 4, 33, 64), rand(2, 2, 33, 64), rand(1, 33, 64), rand(1, 33, 64)),
    )
    case(
        "liger.rope",
        lazily("rope", "liger"),
        lambda: (rand(2, 4, 32, 64), rand(2, 2, 32, 64), *angles(32, 64)),
        lambda q, k, cos, sin: (
            rotated(q, cos[:, None], sin[:, None]),
            rotated(k, cos[:, None], sin[:, None]),
        ),
    )
    case(
        "unsloth.rope_embedding",
        lazily("rope_embedding", "unsloth"),
        lambda: (rand(2, 32, 4, 64), rand(32, 32), rand(32, 32)),
    )
    case("unsloth.act_quant", lazily("act_quant", "unsloth"), lambda: (rand(40, 256),))
    case(
        "unsloth.weight_dequant",
        lazily("weight_dequant", "unsloth"),
        lambda: (rand(256, 256, dtype=F8), torch.rand(2, 2)),
        lambda x, s: dequantized(x, s, 128, 128),
    )
    case(
        "flashinfer.per_token_group_quant_8bit",
        lambda x: suite("flashinfer").per_token_group_quant_8bit(x, 128),
        lambda: (rand(40, 256),),
    )
    case(
        "flashinfer.rope_quantize_fp8",
        lazily("rope_quantize_fp8", "flashinfer"),
        lambda: (
            *(rand(8, 4, 64), rand(8, 64), rand(8, 4, 128), rand(8, 128)),
            *(rand(64, 64, dtype=F32), ints(64, 8, dtype=torch.int32), False),
        ),
    )


def angles(steps: int, d: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The cosines and sines of positions, both halves alike."""
    half = torch.outer(torch.arange(steps), 1e-2 ** torch.linspace(0, 1, d // 2))
    whole = torch.cat((half, half), -1)[None]
    return whole.cos().to(BF16), whole.sin().to(BF16)


def attentions() -> None:
    for is_causal in (True, False):
        case(
            f"fmha causal={is_causal}",
            lambda q, k, v, c=is_causal: ops().fmha(q, k, v, scaling=0.125, is_causal=c),
            lambda: (rand(1, 4, 160, 64), rand(1, 2, 160, 64), rand(1, 2, 160, 64)),
            lambda q, k, v, c=is_causal: attention(q, k, v, 0.125, causal(160) if c else None),
        )
    case(
        "fmha_decode",
        lambda q, k, v: ops().fmha_decode(q, k, v, 128**-0.5),
        lambda: (rand(2, 4, 1, 128), rand(2, 2, 300, 128), rand(2, 2, 300, 128)),
        lambda q, k, v: attention(q, k, v, 128**-0.5),
    )
    case(
        "fmha_varlen",
        lambda q, k, v, n: ops().fmha_varlen(q, k, v, 0.125, True, n, n),
        lambda: (*(rand(2, 2, 160, 64) for _ in range(3)), torch.tensor([70, 160]).int()),
    )
    case(
        "gemma_attention",
        lambda q, k, v: ops().gemma_attention(q, k, v, 256**-0.5, 0, 50.0),
        lambda: (rand(1, 2, 128, 256), rand(1, 1, 128, 256), rand(1, 1, 128, 256)),
        lambda q, k, v: attention(q, k, v, 256**-0.5, causal(128), 50.0),
    )
    case(
        "gemma_attention_decode",
        lambda q, k, v: ops().gemma_attention_decode(q, k, v, 256**-0.5, 0, 50.0),
        lambda: (rand(1, 2, 1, 256), rand(1, 1, 256, 256), rand(1, 1, 256, 256)),
        lambda q, k, v: attention(q, k, v, 256**-0.5, None, 50.0),
    )
    case(
        "attention_sink",
        lambda q, k, v, sinks: ops().attention_sink(q, k, v, sinks, 0.125, 128, 0),
        lambda: (rand(1, 128, 2, 2, 64), rand(1, 128, 2, 64), rand(1, 128, 2, 64), rand(4)),
    )
    case(
        "swa_attention",
        lambda q, k, v: ops().swa_attention(q, k, v, 64),
        lambda: tuple(rand(1, 2, 256, 128, dtype=F16) for _ in range(3)),
    )
    case(
        "mla",
        lambda q, k, v, qpe, kpe: ops().mla(q, k, v, qpe, kpe, True, 192**-0.5),
        lambda: (
            *(rand(1, 2, 128, 128) for _ in range(3)),
            *(rand(1, 2, 128, 64), rand(1, 1, 128, 64)),
        ),
        lambda q, k, v, x, y: attention(
            torch.cat((q, x), -1), torch.cat((k, y.expand_as(x)), -1), v, 192**-0.5, causal(128)
        ),
    )
    for name in ("mla_decoding", "mla_decoding_split_kv"):
        case(
            name,
            lambda q, qpe, kv, kpe, n=name: getattr(ops(), n)(q, qpe, kv, kpe, 576**-0.5),
            lambda: (rand(2, 16, 512), rand(2, 16, 64), rand(2, 256, 512), rand(2, 256, 64)),
            lambda q, x, kv, y: (
                (torch.cat((q, x), -1) @ torch.cat((kv, y), -1).mT * 576**-0.5).softmax(-1) @ kv
            ),
        )
    case(
        "splitk_reduce",
        lambda parts, lse, out: (ops().splitk_reduce(parts, lse, out, 512), out)[1],
        lambda: (rand(2, 4, 8, 128, dtype=F32), rand(2, 4, 8, dtype=F32), rand(2, 4, 128)),
    )
    make = lambda steps: (  # noqa: E731
        *(rand(1, steps, 2, 64, scale=0.1) for _ in range(3)),
        *(-rand(1, steps, 2).abs(), torch.sigmoid(rand(1, steps, 2))),
    )
    for name, steps in (("recurrent_gated_delta_rule", 9), ("chunk_gated_delta_rule", 128)):
        case(
            name,
            lambda *args, n=name: first(getattr(ops(), n)(*args)),
            lambda s=steps: make(s),
            delta_rule,
        )
    case(
        "liger.fused_neighborhood_attention",
        lazily("fused_neighborhood_attention", "liger"),
        lambda: tuple(rand(1, 2, 64, 64) for _ in range(3)),
    )
    case(
        "liger.multi_token_attention",
        lambda scores, w: suite("liger").multi_token_attention(scores, w, padding=1),
        lambda: (rand(1, 2, 64, 64), rand(2, 2, 3, 3, scale=0.1)),
    )
    case(
        "flashinfer.decode_attention_kv_paged",
        lambda *args: suite("flashinfer").decode_attention_kv_paged(
            *args, 128**-0.5, 1.0, max_seq_len=128
        ),
        lambda: (
            *(rand(2, 4, 128), rand(4, 64, 2, 128), rand(4, 64, 2, 128)),
            *(torch.full((2,), 128).int(), torch.arange(4).int().view(2, 2)),
        ),
        lambda q, k, v, _, pages, *rest: attention(
            q[:, :, None],
            *(x.reshape(2, 128, 2, 128).transpose(1, 2) for x in (k, v)),
            128**-0.5,
        )[:, :, 0],
    )


def first(x: Any) -> Any:
    return x[0] if isinstance(x, tuple) else x


def losses() -> None:
    graded(
        "liger.cross_entropy",
        lazily("cross_entropy", "liger"),
        lambda: (rand(40, 500), ints(500, 40)),
        lambda x, y: F.cross_entropy(x, y),
    )
    graded(
        "unsloth.cross_entropy_loss",
        lazily("cross_entropy_loss", "unsloth"),
        lambda: (rand(1, 40, 500), ints(500, 1, 40)),
        lambda x, y: F.cross_entropy(x[0], y[0]),
    )
    case(
        "fused_linear_cross_entropy",
        lazily("fused_linear_cross_entropy"),
        lambda: (rand(64, 128), rand(500, 128, scale=0.1), ints(500, 64)),
        lambda x, w, y: F.cross_entropy(x @ w.T, y),
    )
    graded(
        "liger.jsd",
        lazily("jsd", "liger"),
        lambda: (probabilities(40, 300), probabilities(40, 300)),
        None,
    )
    graded(
        "liger.kl_div",
        lazily("kl_div", "liger"),
        lambda: (probabilities(40, 300), probabilities(40, 300).exp()),
        lambda x, y: F.kl_div(x, y, reduction="batchmean"),
    )
    graded(
        "liger.tvd",
        lazily("tvd", "liger"),
        lambda: (probabilities(40, 300).exp(), probabilities(40, 300).exp()),
        lambda x, y: (x - y).abs().sum() / 2 / x.shape[0],
    )
    case(
        "mhc_gemm_rms_scale",
        lambda x, w, bias: ops().mhc_gemm_rms_scale(x, w, 4, 1.0, 1.0, 1.0, bias),
        lambda: (rand(64, 512), rand(512, 24), rand(24, dtype=F32)),
    )
    case(
        "mhc_apply_residual",
        lambda x, f, y: ops().mhc_apply_residual(x, f, y, 4),
        lambda: (rand(64, 4096), rand(64, 1024), rand(64, 24, dtype=F32)),
    )
    case("mhc_sinkhorn", lambda y: ops().mhc_sinkhorn(y, 4), lambda: (rand(64, 24, dtype=F32),))


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """All tensors in a result."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from tensors(each)


def outcome(function: Op, arguments: Sequence[Any], has_gradients: bool) -> list[torch.Tensor]:
    """Results, and the gradients of floats."""
    if not has_gradients:
        with torch.no_grad():
            return [x.detach() for x in tensors(function(*arguments))]
    leaves = [
        x.requires_grad_()
        for x in dict.fromkeys(arguments)
        if isinstance(x, torch.Tensor) and x.is_floating_point()
    ]
    results = [x for x in tensors(function(*arguments)) if x.requires_grad]
    torch.manual_seed(1)
    given = [torch.randn(x.shape).to(x.dtype) for x in results]
    kept = [x.detach().clone() for x in results]
    return [*kept, *tensors(torch.autograd.grad(results, leaves, given, allow_unused=True))]


def error(found: Sequence[torch.Tensor], wanted: Sequence[torch.Tensor]) -> float:
    """The greatest, in units of what counts as right for the type."""
    worst = 0.0
    # An op may return statistics as well, and have no gradients of some arguments.
    for x, y in zip(found, wanted, strict=False):
        a, b = x.double().flatten(), y.double().flatten()
        if a.shape != b.shape:
            return float("inf")
        odd = ~b.isfinite()
        if not torch.equal(a[odd].nan_to_num(), b[odd].nan_to_num()):
            return float("inf")
        top = float(b[~odd].abs().max()) if (~odd).any() else 1.0
        unit = ROUNDINGS.get(x.dtype, 0.0) * top or 0.5
        distance = (a - b)[~odd].abs()
        worst = max(worst, float(distance.max()) / unit if len(distance) else 0.0)
    return worst


def run(name: str, launch: Op) -> list[torch.Tensor]:
    """A case with cuTile's `launch` as it is to be, on the same inputs each time."""
    make, _, has_gradients = CASES[name]
    ct.launch = launch
    torch.manual_seed(0)
    function, arguments = make()
    return outcome(function, arguments, has_gradients)


def reference(name: str) -> list[torch.Tensor] | None:
    """What torch computes in f32."""
    make, function, has_gradients = CASES[name]
    if function is None:
        return None
    torch.manual_seed(0)
    _, arguments = make()

    def wide(x: Any) -> Any:
        if isinstance(x, list):
            return [*map(wide, x)]
        return x.float() if isinstance(x, torch.Tensor) and x.is_floating_point() else x

    return outcome(function, [*map(wide, arguments)], has_gradients)


def take_first(configurations: Any, *_: object, **__: object) -> Any:
    """In place of cuTile's tuner."""
    return SimpleNamespace(best=SimpleNamespace(config=next(iter(configurations))))


def interpreted(stream: object, grid: Any, kernel: Any, arguments: Any, **_: object) -> None:
    tx.run(kernel, tuple(grid), arguments, engine="interpreter")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--interpreter", action="store_true")
    parser.add_argument("--tune", action="store_true")
    given = parser.parse_args()
    launches.GPU.multi_processor_count = 4
    launches.pretend_gpu()
    torch.cuda.Stream = lambda *_, **__: SimpleNamespace(cuda_stream=0)  # pyright: ignore
    if not given.tune:
        tune.exhaustive_search = take_first
    torch.Tensor.is_cuda = property(lambda _: True)  # pyright: ignore
    warnings.simplefilter("error", InterpretedWarning)
    for add in (products, rows, elementwise, attentions, losses):
        add()
    failed = 0
    with launches.OnCpu(), tileiras_xdsl.cutile.use(device="cpu"):
        compiled = ct.launch
        for name in CASES:
            if given.names and not any(text in name for text in given.names):
                continue
            start, marks = time.perf_counter(), []
            try:
                found = run(name, compiled)
                wanted = {"torch": reference(name)}
                if given.interpreter:
                    wanted["interpreter"] = run(name, interpreted)
                for peer, right in wanted.items():
                    if right is not None:
                        off = error(found, right)
                        marks.append(f"{off:.2g} of what is right beside {peer}")
                        failed += off > 1
                if not marks:
                    marks = ["runs"]
            except Exception as fault:
                failed += 1
                marks = [f"FAILS: {type(fault).__name__}: {fault}".replace("\n", " ")[:600]]
            print(f"{name:40} {time.perf_counter() - start:6.1f} s  {'; '.join(marks)}", flush=True)
    print(f"{failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
