# pyright: basic
"""
Calls of TileGym's public ops with shapes of real models, large and small ones.

TileGym (PyPI `tilegym`) is NVIDIA's collection of cuTile kernels. A case is a function that makes
random inputs and returns what is called again and again; `CASES` has them by name. An op may launch
several kernels, which are timed one by one. It needs torch, cuda-tile and tilegym.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

Call = Callable[[], object]
Make = Callable[[], tuple[Callable[..., object], tuple[object, ...]]]
"""A function and its arguments."""

CASES: dict[str, Callable[[], Call]] = {}

BF16, F16, F32, F8 = torch.bfloat16, torch.float16, torch.float32, torch.float8_e4m3fn


def rand(*shape: int, dtype: torch.dtype = BF16, scale: float = 1.0) -> torch.Tensor:
    """Random numbers on the GPU."""
    return (torch.randn(*shape, device="cuda", dtype=F32) * scale).to(dtype)


def ints(high: int, *shape: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    """Random integers from 0 on."""
    return torch.randint(high, shape, device="cuda", dtype=dtype)


def forward(
    name: str, make: Callable[[], tuple[Callable[..., object], tuple[object, ...]]]
) -> None:
    """Adds a call without gradients."""

    def prepare() -> Call:
        function, arguments = make()

        def call() -> object:
            with torch.no_grad():
                return function(*arguments)

        return call

    CASES[name] = prepare


def with_gradients(name: str, make: Make) -> None:
    """Adds a call, and one that computes its gradients."""
    forward(name, make)

    def prepare() -> Call:
        function, arguments = make()
        leaves = [
            value.requires_grad_()
            for value in arguments
            if isinstance(value, torch.Tensor) and value.is_floating_point()
        ]
        result = function(*arguments)
        outputs = [
            value
            for value in (result if isinstance(result, tuple) else (result,))
            if isinstance(value, torch.Tensor) and value.requires_grad
        ]
        gradients = [torch.randn_like(value) for value in outputs]

        def call() -> object:
            # Some ops write their gradients over those that they are given.
            given = [gradient.clone() for gradient in gradients]
            return torch.autograd.grad(outputs, leaves, given, retain_graph=True, allow_unused=True)

        return call

    CASES[f"{name} backward"] = prepare


def ops():
    """TileGym's ops, by cuTile."""
    import tilegym
    from tilegym import ops as found

    tilegym.set_backend("cutile")
    return found


def suite(name: str):
    """The ops of one of its suites."""
    import importlib

    import tilegym

    tilegym.set_backend("cutile")
    return importlib.import_module(f"tilegym.suites.{name}.ops")


def probabilities(rows: int, columns: int) -> torch.Tensor:
    """Logarithms of rows that sum to 1."""
    return torch.log_softmax(rand(rows, columns, dtype=F32), -1)


# Products.
for m, n, k in ((4096, 4096, 4096), (8192, 4096, 14336), (16, 4096, 4096), (128, 4096, 4096)):
    for persistent in (True, False):
        forward(
            f"matmul {m}x{n}x{k}{' persistent' if persistent else ''}",
            lambda m=m, n=n, k=k, p=persistent: (
                lambda a, b: ops().matmul(a, b, static_persistent=p, use_tma=True),
                (rand(m, k), rand(k, n)),
            ),
        )
for b, m, n, k in ((32, 2048, 128, 2048), (64, 512, 512, 512), (16, 128, 128, 128)):
    forward(
        f"bmm {b}x{m}x{n}x{k}",
        lambda b=b, m=m, n=n, k=k: (
            ops().bmm,
            (rand(b, m, k, dtype=F16), rand(b, k, n, dtype=F16)),
        ),
    )
forward(
    "group_gemm 8 groups",
    lambda: (
        lambda a, b: ops().group_gemm(a, b, transpose_b=False),
        (
            [rand(m, 2048, dtype=F16) for m in (128, 256, 512, 1024, 2048, 384, 640, 896)],
            [rand(2048, 4096, dtype=F16) for _ in range(8)],
        ),
    ),
)
for m, n, k in ((4096, 2112, 7168), (4096, 7168, 2048), (64, 2112, 7168)):
    forward(
        f"w8a8_block_fp8_matmul {m}x{n}x{k}",
        lambda m=m, n=n, k=k: (
            lambda *args: ops().w8a8_block_fp8_matmul(
                *args, block_size=[128, 128], output_dtype=BF16
            ),
            (
                rand(m, k, dtype=F8),
                rand(n, k, dtype=F8),
                torch.rand(m, k // 128, device="cuda"),
                torch.rand(-(-n // 128), k // 128, device="cuda"),
            ),
        ),
    )
forward(
    "linear_gluact_linear 8192",
    lambda: (
        lambda *args: ops().linear_gluact_linear(*args, "silu"),
        (
            rand(8192, 4096),
            rand(14336, 4096, scale=0.02),
            rand(14336, 4096, scale=0.02),
            rand(4096, 14336, scale=0.02),
        ),
    ),
)
forward("transpose 8192x8192", lambda: (ops().transpose, (rand(8192, 8192),)))
forward("transpose 512x1024", lambda: (ops().transpose, (rand(512, 1024),)))

# Rows.
for rows, columns in ((4096, 4096), (8192, 32768), (64, 1024)):
    for tma in (False, True):
        forward(
            f"softmax {rows}x{columns}{' tma' if tma else ''}",
            lambda r=rows, c=columns, t=tma: (lambda x: ops().softmax(x, use_tma=t), (rand(r, c),)),
        )
for rows, columns in ((8192, 4096), (8192, 8192), (16, 4096)):
    for mode in ("static_persistent", "multi_wave_reload", "multi_wave_cached"):
        forward(
            f"rms_norm {rows}x{columns} {mode}",
            lambda r=rows, c=columns, mode=mode: (
                lambda x, w: ops().rms_norm(x, (c,), w, 1e-5, mode=mode),
                (rand(r, c), rand(c)),
            ),
        )
with_gradients(
    "rms_norm 8192x4096",
    lambda: (lambda x, w: ops().rms_norm(x, (4096,), w, 1e-5), (rand(8192, 4096), rand(4096))),
)
forward(
    "layer_norm 8192x4096",
    lambda: (
        lambda x, w, b: ops().layer_norm(x, 1, 2, w, b, 1e-5),
        (rand(8192, 4096), rand(4096), rand(4096)),
    ),
)
for rows, columns in ((8192, 4096), (65536, 1024), (128, 1024)):
    for op in ("layer_norm_legacy", "persistent_layer_norm"):
        forward(
            f"{op} {rows}x{columns}",
            lambda op=op, r=rows, c=columns: (
                lambda x, w, b: getattr(ops(), op)(x, (c,), w, b, 1e-5),
                (rand(r, c), rand(c), rand(c)),
            ),
        )

# Elementwise.
for rows in (8192, 64):
    forward(f"silu_and_mul {rows}x28672", lambda r=rows: (ops().silu_and_mul, (rand(r, 28672),)))
    with_gradients(
        f"swiglu {rows}x14336",
        lambda r=rows: (ops().get_swiglu(), (rand(1, r, 14336), rand(1, r, 14336))),
    )
    for op in ("relu", "gelu", "geglu"):
        # ReLU has no gradients.
        (forward if op == "relu" else with_gradients)(
            f"{op} {rows}x14336",
            lambda op=op, r=rows: (
                getattr(ops().activation, op),
                (rand(r, 14336 * (1 + (op == "geglu"))),),
            ),
        )
    forward(
        f"dropout {rows}x4096",
        lambda r=rows: (lambda x: ops().dropout(x, 7, 0.5), (rand(r, 4096),)),
    )
for b, s in ((4, 2048), (1, 128)):
    forward(
        f"apply_rope_base {b}x{s}",
        lambda b=b, s=s: (
            ops().apply_rope_base,
            (
                rand(b, 32, s, 128),
                rand(b, 8, s, 128),
                rand(1, s, 128),
                rand(1, s, 128),
            ),
        ),
    )

# Attention.
for b, h, kv, s, d in (
    (4, 32, 8, 2048, 128),
    (1, 32, 32, 8192, 128),
    (4, 32, 32, 4096, 64),
    (1, 8, 8, 512, 128),
):
    for causal in (True, False):
        forward(
            f"fmha {b}x{h}/{kv}x{s}x{d}{' causal' if causal else ''}",
            lambda b=b, h=h, kv=kv, s=s, d=d, c=causal: (
                lambda q, k, v: ops().fmha(q, k, v, scaling=d**-0.5, is_causal=c),
                (rand(b, h, s, d), rand(b, kv, s, d), rand(b, kv, s, d)),
            ),
        )
for b, h, kv, s in ((16, 32, 8, 8192), (1, 32, 8, 1024)):
    forward(
        f"fmha_decode {b}x{h}/{kv}x{s}",
        lambda b=b, h=h, kv=kv, s=s: (
            lambda q, k, v: ops().fmha_decode(q, k, v, 128**-0.5),
            (rand(b, h, 1, 128), rand(b, kv, s, 128), rand(b, kv, s, 128)),
        ),
    )
forward(
    "fmha_varlen 8x32x4096",
    lambda: (
        lambda q, k, v, n: ops().fmha_varlen(q, k, v, 128**-0.5, True, n, n),
        (
            *(rand(8, 32, 4096, 128) for _ in range(3)),
            torch.tensor([512, 1024, 4096, 2048, 777, 3000, 4096, 1536], device="cuda").int(),
        ),
    ),
)
forward(
    "gemma_attention 2x16/8x4096",
    lambda: (
        lambda q, k, v: ops().gemma_attention(q, k, v, 256**-0.5, 1024, 50.0),
        (rand(2, 16, 4096, 256), rand(2, 8, 4096, 256), rand(2, 8, 4096, 256)),
    ),
)
forward(
    "gemma_attention_decode 16x16/8x4096",
    lambda: (
        lambda q, k, v: ops().gemma_attention_decode(q, k, v, 256**-0.5, 1024, 50.0),
        (rand(16, 16, 1, 256), rand(16, 8, 4096, 256), rand(16, 8, 4096, 256)),
    ),
)
for s in (4096, 256):
    forward(
        f"attention_sink 2x{s}",
        lambda s=s: (
            lambda q, k, v, sinks: ops().attention_sink(q, k, v, sinks, 0.125, 128, 0),
            (rand(2, s, 8, 8, 64), rand(2, s, 8, 64), rand(2, s, 8, 64), rand(64)),
        ),
    )
forward(
    "swa_attention 2x32x8192",
    lambda: (
        lambda q, k, v: ops().swa_attention(q, k, v, 1024),
        tuple(rand(2, 32, 8192, 128, dtype=F16) for _ in range(3)),
    ),
)
forward(
    "mla 1x128x4096",
    lambda: (
        lambda q, k, v, qpe, kpe: ops().mla(q, k, v, qpe, kpe, True, 192**-0.5),
        (
            *(rand(1, 128, 4096, 128) for _ in range(3)),
            rand(1, 128, 4096, 64),
            rand(1, 1, 4096, 64),
        ),
    ),
)
for op in ("mla_decoding", "mla_decoding_split_kv"):
    forward(
        f"{op} 32x8192",
        lambda op=op: (
            lambda q, qpe, kv, kpe: getattr(ops(), op)(q, qpe, kv, kpe, 576**-0.5),
            (
                rand(32, 128, 512),
                rand(32, 128, 64),
                rand(32, 8192, 512),
                rand(32, 8192, 64),
            ),
        ),
    )
forward(
    "splitk_reduce 32x32x8",
    lambda: (
        lambda parts, lse, out: ops().splitk_reduce(parts, lse, out, 8192),
        (rand(32, 32, 8, 128, dtype=F32), rand(32, 32, 8, dtype=F32), rand(32, 32, 128)),
    ),
)
for b, t in ((2, 4096), (64, 1)):
    forward(
        f"recurrent_gated_delta_rule {b}x{t}",
        lambda b=b, t=t: (
            ops().recurrent_gated_delta_rule,
            (
                *(rand(b, t, 16, 128, scale=0.1) for _ in range(3)),
                -rand(b, t, 16).abs(),
                torch.sigmoid(rand(b, t, 16)),
            ),
        ),
    )
forward(
    "chunk_gated_delta_rule 2x4096",
    lambda: (
        ops().chunk_gated_delta_rule,
        (
            *(rand(2, 4096, 16, 128, scale=0.1) for _ in range(3)),
            -rand(2, 4096, 16).abs(),
            torch.sigmoid(rand(2, 4096, 16)),
        ),
    ),
)


def mamba2() -> tuple[torch.Tensor, ...]:
    """x, a, b, c, d, dt and the first state."""
    return (
        rand(2, 4096, 64, 64),
        -torch.rand(64, device="cuda"),
        rand(2, 4096, 8, 128),
        rand(2, 4096, 8, 128),
        rand(64, dtype=F32),
        torch.rand(2, 4096, 64, device="cuda"),
        rand(2, 64, 64, 128, dtype=F32),
    )


forward("mamba2_chunk_forward", lambda: (ops().mamba2_chunk_forward, mamba2()))

# Mixture of experts, losses, residual streams.
forward(
    "fused_moe 4096 tokens, 64 experts",
    lambda: (
        ops().fused_moe,
        (
            rand(4096, 2048),
            rand(64, 2816, 2048, scale=0.02),
            rand(64, 2048, 1408, scale=0.02),
            torch.rand(4096, 6, device="cuda"),
            torch.rand(4096, 64, device="cuda").topk(6).indices.int(),
        ),
    ),
)
forward(
    "fused_linear_cross_entropy 4096",
    lambda: (
        ops().fused_linear_cross_entropy,
        (rand(4096, 4096), rand(32000, 4096, scale=0.02), ints(32000, 4096)),
    ),
)
for m in (4096, 256):
    forward(
        f"mhc_gemm_rms_scale {m}",
        lambda m=m: (
            # Without a configuration, each call tunes, and its launches would be timed.
            lambda x, w, bias: ops().mhc_gemm_rms_scale(
                x,
                w,
                4,
                1.0,
                1.0,
                1.0,
                bias,
                cfg={"m": 64, "n": 32, "k": 128, "split_k": 8, "group_size_m": 8},
            ),
            (rand(m, 16384), rand(16384, 24), rand(24, dtype=F32)),
        ),
    )
    forward(
        f"mhc_apply_residual {m}",
        lambda m=m: (
            lambda x, f, y: ops().mhc_apply_residual(x, f, y, 4),
            (rand(m, 16384), rand(m, 4096), rand(m, 24, dtype=F32)),
        ),
    )
    forward(
        f"mhc_sinkhorn {m}",
        lambda m=m: (lambda y: ops().mhc_sinkhorn(y, 4), (rand(m, 24, dtype=F32),)),
    )

# The suite of Liger.
for rows in (8192, 256):
    with_gradients(
        f"liger.cross_entropy {rows}x32000",
        lambda r=rows: (suite("liger").cross_entropy, (rand(r, 32000), ints(32000, r))),
    )
    for op in ("jsd", "kl_div", "tvd"):
        with_gradients(
            f"liger.{op} {rows // 2}x32000",
            lambda op=op, r=rows // 2: (
                getattr(suite("liger"), op),
                (
                    probabilities(r, 32000) if op != "tvd" else probabilities(r, 32000).exp(),
                    probabilities(r, 32000) if op == "jsd" else probabilities(r, 32000).exp(),
                ),
            ),
        )
    with_gradients(
        f"liger.rms_norm {rows}x4096",
        lambda r=rows: (
            lambda x, w: suite("liger").rms_norm(x, w, 1e-6),
            (rand(r, 4096), rand(4096)),
        ),
    )
    with_gradients(
        f"liger.layer_norm {rows}x4096",
        lambda r=rows: (suite("liger").layer_norm, (rand(r, 4096), rand(4096), rand(4096))),
    )
    with_gradients(
        f"liger.fused_add_rms_norm {rows}x4096",
        lambda r=rows: (
            suite("liger").fused_add_rms_norm,
            (rand(r, 4096), rand(r, 4096), rand(4096)),
        ),
    )
    with_gradients(
        f"liger.poly_norm {rows}x4096",
        lambda r=rows: (suite("liger").poly_norm, (rand(r, 4096), rand(3), rand(1))),
    )
    with_gradients(
        f"liger.dyt {rows}x4096",
        lambda r=rows: (
            suite("liger").dyt,
            (rand(r, 4096), rand(1), rand(4096), rand(4096)),
        ),
    )
    for op in ("softmax", "sparsemax", "relu_squared"):
        with_gradients(
            f"liger.{op} {rows}x4096",
            lambda op=op, r=rows: (getattr(suite("liger"), op), (rand(r, 4096),)),
        )
    for op in ("swiglu", "geglu"):
        with_gradients(
            f"liger.{op} {rows}x14336",
            lambda op=op, r=rows: (
                getattr(suite("liger"), op),
                (rand(r, 14336), rand(r, 14336)),
            ),
        )
with_gradients(
    "liger.group_norm 16x512x64x64",
    lambda: (
        lambda x, w, b: suite("liger").group_norm(x, 512, 32, w, b),
        (rand(16, 512, 4096), rand(512), rand(512)),
    ),
)
with_gradients(
    "liger.rope 4x32x2048",
    lambda: (
        suite("liger").rope,
        (rand(4, 32, 2048, 128), rand(4, 8, 2048, 128), rand(1, 2048, 128), rand(1, 2048, 128)),
    ),
)
with_gradients(
    "liger.fused_neighborhood_attention 4x16x1024",
    lambda: (
        suite("liger").fused_neighborhood_attention,
        tuple(rand(4, 16, 1024, 64) for _ in range(3)),
    ),
)
with_gradients(
    "liger.multi_token_attention 2x16x1024",
    lambda: (
        lambda scores, w: suite("liger").multi_token_attention(scores, w, padding=1),
        (rand(2, 16, 1024, 1024), rand(16, 16, 3, 3, scale=0.1)),
    ),
)

# The suite of Unsloth.
for rows in (8192, 256):
    for op in ("swiglu_fg", "geglu_exact_forward", "geglu_approx_forward"):
        forward(
            f"unsloth.{op} {rows}x14336",
            lambda op=op, r=rows: (
                getattr(suite("unsloth"), op),
                (rand(1, r, 14336), rand(1, r, 14336)),
            ),
        )
    with_gradients(
        f"unsloth.rms_layernorm {rows}x4096",
        lambda r=rows: (suite("unsloth").rms_layernorm, (rand(1, r, 4096), rand(4096))),
    )
    with_gradients(
        f"unsloth.layernorm {rows}x4096",
        lambda r=rows: (
            suite("unsloth").layernorm,
            (rand(1, r, 4096), rand(4096), rand(4096)),
        ),
    )
    with_gradients(
        f"unsloth.cross_entropy_loss {rows}x32000",
        lambda r=rows: (
            suite("unsloth").cross_entropy_loss,
            (rand(1, r, 32000), ints(32000, 1, r)),
        ),
    )
forward(
    "unsloth.rope_embedding 4x2048",
    lambda: (
        suite("unsloth").rope_embedding,
        (rand(4, 2048, 32, 128), rand(2048, 64), rand(2048, 64)),
    ),
)
forward("unsloth.act_quant 4096x7168", lambda: (suite("unsloth").act_quant, (rand(4096, 7168),)))
forward(
    "unsloth.weight_dequant 7168x2048",
    lambda: (
        suite("unsloth").weight_dequant,
        (rand(7168, 2048, dtype=F8), torch.rand(56, 16, device="cuda")),
    ),
)
with_gradients(
    "unsloth.grouped_gemm 4096 tokens, 32 experts",
    lambda: (
        lambda x, w, sizes: suite("unsloth").grouped_gemm(x, w, sizes, 1),
        (
            rand(4096, 2048),
            rand(32, 1536, 2048, scale=0.02),
            torch.full((32,), 128, device="cuda", dtype=torch.int32),
        ),
    ),
)

# The suite of FlashInfer.
forward(
    "flashinfer.gemm_alpha_beta 4096",
    lambda: (
        lambda a, b, c: suite("flashinfer").gemm_alpha_beta(
            a, b, c, num_sms=torch.cuda.get_device_properties(0).multi_processor_count
        ),
        (rand(4096, 4096), rand(4096, 4096), rand(4096, 4096)),
    ),
)
forward(
    "flashinfer.masked_bmm 32x1024x4096x4096",
    lambda: (
        suite("flashinfer").masked_bmm,
        (
            rand(32, 1024, 4096),
            rand(32, 4096, 4096, scale=0.02),
            ints(1024, 32, dtype=torch.int32),
        ),
    ),
)
forward(
    "flashinfer.per_token_group_quant_8bit 8192x7168",
    lambda: (lambda x: suite("flashinfer").per_token_group_quant_8bit(x, 128), (rand(8192, 7168),)),
)
for tokens in (4096, 64):
    forward(
        f"flashinfer.rope_quantize_fp8 {tokens}",
        lambda n=tokens: (
            suite("flashinfer").rope_quantize_fp8,
            (
                rand(n, 128, 64),
                rand(n, 64),
                rand(n, 128, 512),
                rand(n, 512),
                rand(8192, 64, dtype=F32),
                ints(8192, n, dtype=torch.int32),
                False,
            ),
        ),
    )


def paged(batch: int, tokens: int, page: int) -> tuple[torch.Tensor, ...]:
    """Queries, caches of keys and values, lengths and pages of a batch that is decoded."""
    pages = tokens // page
    return (
        rand(batch, 32, 128),
        rand(batch * pages, page, 8, 128),
        rand(batch * pages, page, 8, 128),
        torch.full((batch,), tokens, device="cuda", dtype=torch.int32),
        torch.arange(batch * pages, device="cuda", dtype=torch.int32).view(batch, pages),
    )


for batch, tokens in ((64, 8192), (4, 1024)):
    forward(
        f"flashinfer.decode_attention_kv_paged {batch}x{tokens}",
        lambda b=batch, t=tokens: (
            lambda *args: suite("flashinfer").decode_attention_kv_paged(
                *args, 128**-0.5, 1.0, max_seq_len=t
            ),
            paged(b, t, 64),
        ),
    )
