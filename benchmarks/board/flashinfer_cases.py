# pyright: basic
"""
Functions of FlashInfer whose kernels are cuTile's, beside what they should compute.

    FLASHINFER=FOLDER python benchmarks/board/flashinfer_cases.py [TEXT …]

FOLDER is where the package `flashinfer` lies: PyPI's `flashinfer-python`, of which only the modules
with these kernels are imported, so that neither its CUDA code nor what that needs has to be there.
Results are compared with torch in float64, or in float32 where that is much. With `FLASHINFER` the
board has these cases as `flashinfer.…`; the compiler is the `tileiras` that cuTile finds. It needs
torch, cuda-tile and a GPU.
"""

from __future__ import annotations

import importlib.util
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from tilegym_cases import F8, F32, Call, ints, rand

os.environ["FLASHINFER_CUTILE_AUTOTUNE_DISABLED"] = "1"

Check = Callable[[Any], float]
"""The error of a result: the norm of the difference over that of what is right."""
CASES: dict[str, Callable[[], tuple[Call, Check]]] = {}
WITH_FP8 = 2.0**-4
"""How far results in 8-bit floats are from right ones, at most: half a unit, and scales."""


def packages(folder: Path) -> None:
    """Packages of FlashInfer without what their `__init__` imports."""
    parts = ("gemm", "gemm.kernels", "attention", "attention.kernels", "quantization")
    for part in ("", *parts, "quantization.kernels", "fused_moe", "jit"):
        name = ".".join(filter(None, ("flashinfer", part)))
        package: Any = ModuleType(name)
        package.__path__ = [str(folder.joinpath(*name.split(".")))]
        sys.modules[name] = package
    # Imported for CUDA code, which none of these functions compiles.
    for name in ("tvm_ffi", "pynvml"):
        if importlib.util.find_spec(name) is None:
            sys.modules[name] = ModuleType(name)


def function(module: str, name: str) -> Any:
    """A function of FlashInfer; tuners take their first configuration."""
    from cuda.tile import tune

    if "flashinfer" not in sys.modules:
        packages(Path(os.environ["FLASHINFER"]))
        search = tune.exhaustive_search
        tune.exhaustive_search = lambda space, *args, **options: search(
            list(space)[:1], *args, **{**options, "quiet": True}
        )
    return getattr(importlib.import_module(f"flashinfer.{module}"), name)


def case(name: str) -> Callable[[Callable[[], tuple[Call, Check]]], None]:
    """Adds a case: a function that makes inputs and returns the call and the check."""

    def add(make: Callable[[], tuple[Call, Check]]) -> None:
        CASES[f"flashinfer.{name}"] = make

    return add


def distance(found: torch.Tensor, right: torch.Tensor) -> float:
    return float((found.double() - right.double()).norm() / right.double().norm())


def add_products() -> None:
    """Matrix products."""
    for m, n, k in ((4096, 4096, 4096), (16, 4096, 4096)):

        @case(f"mm_bf16 {m}x{n}x{k}")
        def mm(m=m, n=n, k=k):
            run = function("gemm.kernels.cutile.mm_bf16_cutile", "mm_bf16_cutile")
            a, b, out = rand(m, k), rand(n, k), rand(m, n)
            return (
                lambda: run(a, b.T, out, use_autotune=False),
                lambda found: distance(found, a.float() @ b.float().T),
            )

    @case("bmm_bf16 32x1024x1024x1024")
    def bmm():
        run = function("gemm.kernels.cutile.bmm_bf16_cutile", "bmm_bf16_cutile")
        a, b, out = rand(32, 1024, 1024), rand(32, 1024, 1024), rand(32, 1024, 1024)
        return (
            lambda: run(a, b.mT, out),
            lambda found: distance(found, a.float() @ b.float().mT),
        )

    @case("gemm_alpha_beta 4096x4096x4096")
    def alpha_beta():
        run = function("gemm.kernels.cutile.gemm_alpha_beta_cutile", "gemm_alpha_beta")
        a, b, c = rand(4096, 4096), rand(4096, 4096, scale=0.02), rand(4096, 4096)
        return (
            lambda: run(a, b, c.clone(), alpha=0.5, beta=2.0, use_autotune=False),
            lambda found: distance(found, 0.5 * (a.float() @ b.float().T) + 2 * c.float()),
        )

    @case("masked_bmm 16x1024x2048x2048")
    def masked():
        run = function("gemm.kernels.cutile.masked_bmm_cutile", "masked_bmm")
        a, b = rand(16, 1024, 2048), rand(16, 2048, 2048)
        rows = ints(1024, 16, dtype=torch.int32)
        inside = (torch.arange(1024, device="cuda") < rows[:, None])[..., None]
        return (
            lambda: torch.where(inside, run(a, b, rows, transpose_b=True), 0),
            lambda found: distance(found, torch.where(inside, a.float() @ b.float().mT, 0)),
        )

    @case("ragged_bmm 16 segments")
    def ragged():
        run = function("gemm.kernels.cutile.ragged_bmm_cutile", "ragged_bmm")
        lengths = [128, 256, 384, 512] * 4
        a, b = rand(sum(lengths), 2048), rand(16, 2048, 2048)
        starts = torch.tensor([0, *lengths], device="cuda").cumsum(0).int()
        return (
            lambda: run(a, b, starts, 512),
            lambda found: distance(
                found,
                torch.cat([x.float() @ y.float().T for x, y in zip(a.split(lengths), b)]),
            ),
        )

    def scaled(a: torch.Tensor, scales: torch.Tensor, rows: int) -> torch.Tensor:
        wide = scales.repeat_interleave(rows, -2).repeat_interleave(128, -1)
        return a.float() * wide[..., : a.shape[-2], : a.shape[-1]]

    @case("gemm_fp8_nt_groupwise 4096x2048x7168")
    def groupwise():
        where = "gemm.kernels.cutile.gemm_fp8_nt_groupwise_cutile"
        run = function(where, "gemm_fp8_nt_groupwise_cutile")
        a, b, out = rand(4096, 7168, dtype=F8), rand(2048, 7168, dtype=F8), rand(4096, 2048)
        p, q = torch.rand(4096, 56, device="cuda"), torch.rand(16, 56, device="cuda")
        return (
            lambda: run(a, b, p, q, out),
            lambda found: distance(found, scaled(a, p, 1) @ scaled(b, q, 128).T),
        )

    @case("group_gemm_fp8_nt_groupwise 8 groups")
    def grouped():
        where = "gemm.kernels.cutile.gemm_fp8_nt_groupwise_cutile"
        run = function(where, "group_gemm_fp8_nt_groupwise_cutile")
        lengths = [96, 200, 512, 4, 1000, 300, 128, 60]
        rows = sum(lengths)
        a, b, out = rand(rows, 2048, dtype=F8), rand(8, 2048, 2048, dtype=F8), rand(rows, 2048)
        p, q = torch.rand(rows, 16, device="cuda"), torch.rand(8, 16, 16, device="cuda")
        starts = torch.tensor([0, *lengths], device="cuda").cumsum(0).int()
        right = lambda: torch.cat(  # noqa: E731
            [x @ y.T for x, y in zip(scaled(a, p, 1).split(lengths), scaled(b, q, 128))]
        )
        return (
            lambda: run(a, b, p, q, starts, out),
            lambda found: distance(found, right()),
        )


def add_quantization() -> None:
    """Conversions to 8 bits."""
    for kind in (F8, torch.int8):

        @case(f"per_token_group_quant_8bit {str(kind)[6:]}")
        def per_token(kind=kind):
            where = "quantization.kernels.cutile.per_token_group_quant_8bit_cutile"
            run = function(where, "per_token_group_quant_8bit_cutile")
            x = rand(4096, 7168)

            def check(found: Any) -> float:
                values, scales = found
                return distance(values.float() * scales.repeat_interleave(128, -1), x)

            return lambda: run(x, 128, dst_dtype=kind), check

    @case("rope_quantize_fp8 4096")
    def rope():
        where = "quantization.kernels.cutile.rope_quantize_fp8_cutile"
        run = function(where, "rope_quantize_fp8_cutile")
        n = 4096
        parts = rand(n, 128, 64), rand(n, 64), rand(n, 128, 512), rand(n, 512)
        table, at = rand(8192, 64, dtype=F32), ints(8192, n, dtype=torch.int32)

        def rotate(x: torch.Tensor) -> torch.Tensor:
            cos, sin = table[at.long()].view(n, *[1] * (x.dim() - 2), 64).chunk(2, -1)
            even, odd = x.float().unflatten(-1, (32, 2)).unbind(-1)
            return torch.stack((even * cos - odd * sin, odd * cos + even * sin), -1).flatten(-2)

        def check(found: Any) -> float:
            right = rotate(parts[0]), rotate(parts[1]), parts[2], parts[3]
            return max(map(distance, found, right))

        return lambda: run(*parts, table, at, is_neox=False), check

    @case("mxfp8_grouped_quantize 4 groups")
    def grouped():
        where = "quantization.kernels.cutile.mxfp8_grouped_quantize_cutile"
        run = function(where, "mxfp8_grouped_quantize_cutile")
        rows = [512, 1024, 256, 2304]
        x = rand(sum(rows), 4096)
        sizes = torch.tensor([[each, 4096, 4096] for each in rows], device="cuda").int()
        starts = torch.tensor([0, *rows[:-1]], device="cuda").cumsum(0).int()
        out = torch.empty(x.shape, device="cuda", dtype=F8)
        scales = torch.empty(x.numel() // 32, device="cuda", dtype=torch.uint8)

        def check(found: Any) -> float:
            # Blocks of 128 rows and 4 scales; in each, rows 32 apart are neighbours.
            order = found[1].view(-1, 32, 32, 4, 4).permute(0, 3, 2, 1, 4).reshape(-1, 128)
            wide = torch.exp2(order.float() - 127).repeat_interleave(32, -1)
            return distance(found[0].float() * wide, x)

        def call() -> object:
            run(x, sizes, starts, starts, out, scales)
            return out, scales

        return call, check


def add_attention() -> None:
    """Attention over caches."""

    def attend(q: Any, k: Any, v: Any, scale: float, *, causal: bool = False) -> torch.Tensor:
        """Queries, keys and values of all heads, (tokens, heads, depth); heads are in groups."""
        k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1).transpose(0, 1) for x in (k, v))
        scores = q.transpose(0, 1).float() @ k.float().mT * scale
        if causal:
            rows, columns = scores.shape[-2:]
            mask = torch.ones(rows, columns, device="cuda", dtype=torch.bool)
            scores.masked_fill_(~mask.tril(columns - rows), -math.inf)
        return (scores.softmax(-1) @ v.float()).transpose(0, 1)

    for batch, most, page in ((32, 4096, 16), (4, 1024, 64)):

        @case(f"fmha_decode {batch}x{most} pages of {page}")
        def decode(batch=batch, most=most, page=page):
            where = "attention.kernels.cutile.fmha_decode_bsr_cutile"
            run = function(where, "fmha_decode_bsr_cutile")
            pages = most // page
            q = rand(batch, 32, 128)
            k, v = (rand(batch * pages, page, 8, 128) for _ in range(2))
            tables = torch.randperm(batch * pages, device="cuda").int().view(batch, pages)
            lengths = ints(most - 256, batch, dtype=torch.int32) + 256

            def check(found: Any) -> float:
                rows = []
                for i in range(batch):
                    keys, values = (x[tables[i].long()].flatten(0, 1) for x in (k, v))
                    n = int(lengths[i])
                    rows.append(attend(q[i : i + 1], keys[:n], values[:n], 128**-0.5))
                return distance(found, torch.cat(rows))

            return lambda: run(q, k, v, lengths, tables, 128**-0.5, 1.0, max_seq_len=most), check

    @case("decode_mla 16x4096")
    def mla():
        where = "attention.kernels.cutile.fmha_decode_bsr_cutile"
        run = function(where, "decode_mla_kv_paged_cutile")
        batch, most, page = 16, 4096, 64
        pages = most // page
        q, q_rope = rand(batch, 128, 512), rand(batch, 128, 64)
        cache, k_rope = rand(batch * pages, page, 512), rand(batch * pages, page, 64)
        tables = torch.randperm(batch * pages, device="cuda").int().view(batch, pages)
        lengths = ints(most - 256, batch, dtype=torch.int32) + 256
        scale = 192**-0.5

        def check(found: Any) -> float:
            rows = []
            for i in range(batch):
                at, n = tables[i].long(), int(lengths[i])
                values = cache[at].flatten(0, 1)[:n]
                keys = torch.cat((values, k_rope[at].flatten(0, 1)[:n]), -1)
                query = torch.cat((q[i], q_rope[i]), -1)
                rows.append(attend(query[None], keys[:, None], values[:, None], scale))
            return distance(found, torch.cat(rows))

        call = lambda: run(  # noqa: E731
            q, q_rope, cache, k_rope, lengths, tables, scale, 1.0, max_seq_len=most
        )
        return call, check

    for is_paged in (False, True):

        @case(f"prefill {'paged' if is_paged else 'ragged'} 4 sequences")
        def prefill(is_paged=is_paged):
            where = "attention.kernels.cutile.fmha_prefill_bsr_cutile"
            kind = "paged" if is_paged else "ragged"
            run = function(where, f"prefill_attention_kv_{kind}_cutile")
            lengths, page = [2048, 1024, 1536, 512], 64
            total = sum(lengths)
            q = rand(total, 32, 128)
            k, v = (rand(total, 8, 128) for _ in range(2))
            sizes = torch.tensor(lengths, device="cuda").int()
            starts = torch.tensor([0, *lengths[:-1]], device="cuda").cumsum(0).int()
            order = torch.randperm(total // page, device="cuda")
            tables = torch.zeros(4, 2048 // page, device="cuda", dtype=torch.int32)
            caches = k, v
            if is_paged:
                place = torch.empty_like(order)
                place[order] = torch.arange(len(order), device="cuda")
                caches = tuple(x.view(-1, page, 8, 128)[order].contiguous() for x in (k, v))
                for i, part in enumerate(place.int().split([n // page for n in lengths])):
                    tables[i, : len(part)] = part

            def check(found: Any) -> float:
                groups = zip(*(x.split(lengths) for x in (q, k, v)), strict=True)
                right = [attend(*each, 128**-0.5, causal=True) for each in groups]
                return distance(found[0] if isinstance(found, tuple) else found, torch.cat(right))

            call = lambda: run(  # noqa: E731
                q, *caches, sizes, sizes, starts, tables, 128**-0.5, 1.0, 4, 2048
            )
            return call, check


def add_experts(tokens: int = 4096, hidden: int = 2048, inner: int = 1408) -> None:
    """Mixtures of experts: weights in bf16; in f8, with or without activations in f8."""
    experts, top, block = 32, 4, 128

    def route() -> tuple[Any, ...]:
        """Tokens, the weights of their experts and which they are, and what arrays are sized by."""
        weights, ids = torch.rand(tokens, experts, device="cuda").topk(top)
        x = rand(tokens, hidden)
        sizes = dict(
            num_tokens=tokens,
            hidden_size=hidden,
            intermediate_size=inner,
            num_experts=experts,
            top_k=top,
            is_gated=True,
            block_sizes=[block],
            device=x.device,
        )
        return x, weights, ids.int(), sizes

    def right(x: Any, weights: Any, ids: Any, w1: Any, w2: Any) -> torch.Tensor:
        """The result for weights by experts, (outputs, inputs) each."""
        out = torch.zeros(tokens, hidden, device="cuda")
        for e in range(experts):
            row, slot = torch.nonzero(ids == e, as_tuple=True)
            gate, linear = (x[row].float() @ w1[e].float().T).chunk(2, -1)
            inside = torch.nn.functional.silu(gate) * linear
            out.index_add_(0, row, weights[row, slot, None] * (inside @ w2[e].float().T))
        return out

    @case(f"moe {tokens} tokens, {experts} experts")
    def moe():
        run = function("fused_moe.cutile.moe", "run_moe")
        where = sys.modules["flashinfer.fused_moe.cutile.moe"]
        api = sys.modules["flashinfer.fused_moe.api"]
        x, weights, ids, sizes = route()
        w1 = rand(experts, hidden, 2 * inner, scale=0.05)
        w2 = rand(experts, inner, hidden, scale=0.05)
        out, config = torch.empty_like(x), where.GemmConfig(128, 64, 1)
        workspace = where.allocate_workspace(**sizes)
        call = lambda: run(  # noqa: E731
            *(x, ids, weights, w1, w2, out, workspace),
            activation=api.SwiGLU(),
            block_size=block,
            gemm1_config=config,
            gemm2_config=config,
        )
        return call, lambda found: distance(found, right(x, weights, ids, w1.mT, w2.mT))

    for converts in (True, False):

        @case(f"moe {'f8' if converts else 'weights in f8'} {tokens} tokens, {experts} experts")
        def moe_f8(converts=converts):
            run = function("fused_moe.cutile.fp8", "run_moe")
            where = sys.modules["flashinfer.fused_moe.cutile.fp8"]
            api = sys.modules["flashinfer.fused_moe.api"]
            x, weights, ids, sizes = route()
            w1 = rand(experts, 2 * inner, hidden, dtype=F8)
            w2 = rand(experts, hidden, inner, dtype=F8)
            p, q = (0.05 * torch.rand(experts, device="cuda") for _ in range(2))
            kind = dict(activation_fp8=converts, block_scaled=False)
            out, config = torch.empty_like(x), where.GemmConfig(128, 128, 2)
            workspace = where.allocate_workspace(**kind, **sizes)
            # What FlashInfer's own choice is for so many tokens on a GPU of 132 SMs.
            call = lambda: run(  # noqa: E731
                *(x, ids, weights, w1, p, w2, q, out, workspace),
                activation=api.SwiGLU(),
                **kind,
                weight_fp4=False,
                block_size=block,
                gemm1_config=config,
                gemm2_config=config,
                sorted_input=True,
                num_sms=132,
                persistent_factors=(2 if converts else 1, 2),
            )

            def check(found: Any) -> float:
                wide = [w.float() * scale[:, None, None] for w, scale in ((w1, p), (w2, q))]
                return distance(found, right(x, weights, ids, *wide))

            return call, check


add_products()
add_quantization()
add_attention()
add_experts()


def main() -> int:
    """Runs the cases whose names contain one of some texts; returns how many are wrong."""
    wrong = 0
    for name, make in CASES.items():
        if sys.argv[1:] and not any(text in name for text in sys.argv[1:]):
            continue
        torch.manual_seed(0)
        limit = WITH_FP8 if "quant" in name or "moe f8" in name else 0.01
        try:
            call, check = make()
            found = call()
            torch.cuda.synchronize()
            error = check(found)
            text = f"{error:.1e}"
        except Exception as problem:
            error, text = math.nan, f"{type(problem).__name__}: {str(problem)[:300]}"
        wrong += not error <= limit
        print(f"{name:56}{'right' if error <= limit else 'WRONG'}  {text}", flush=True)
    print(f"flashinfer: {wrong} of {len(CASES)} wrong")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
