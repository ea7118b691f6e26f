# pyright: basic
"""
Kernels in Triton, with inputs, references in higher precision, and how they are launched.

A case returns `(launch, outputs, expected, tolerance)`: `launch(jit)` launches the kernels that
`jit` made of the functions here. These write all outputs, which are NaN or -1 before.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

HALF = 2.0**-11
"""The largest relative error of rounding to f16; results of products are below 6 sqrt(k)."""

CASES = {}


def case(function):
    """Registers a case by the name of its function."""
    CASES[function.__name__] = function
    return function


def rand(*shape, dtype=torch.float32, scale=1.0):
    return (torch.randn(*shape, device="cuda") * scale).to(dtype)


def add_kernel(x, y, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    mask = i < n
    tl.store(o + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@case
def add():
    n = 24_691_358
    x, y, o = rand(n), rand(n), torch.full((n,), float("nan"), device="cuda")
    return lambda jit: jit(add_kernel)[(triton.cdiv(n, 1024),)](x, y, o, n, B=1024), o, x + y, 0


def softmax_kernel(o, x, stride, columns, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    values = tl.load(x + row * stride + i, mask=i < columns, other=-float("inf")).to(tl.float32)
    values = tl.exp(values - tl.max(values, axis=0))
    values = values / tl.sum(values, axis=0)
    tl.store(o + row * stride + i, values.to(o.dtype.element_ty), mask=i < columns)


def _softmax(rows, columns, dtype):
    x = rand(rows, columns, dtype=dtype)
    o = torch.full_like(x, float("nan"))
    size = triton.next_power_of_2(columns)

    def launch(jit):
        return jit(softmax_kernel)[(rows,)](o, x, columns, columns, B=size)

    return launch, o, torch.softmax(x.double(), 1), 1e-6 if dtype == torch.float32 else 1e-3


@case
def softmax():
    return _softmax(8192, 4096, torch.float32)


@case
def softmax_ragged():
    return _softmax(8192, 1000, torch.float16)


def layer_norm_kernel(x, w, b, o, mean, rstd, stride, columns, eps, B: tl.constexpr):
    row = tl.program_id(0)
    x += row * stride
    o += row * stride
    total = tl.zeros((B,), tl.float32)
    for start in range(0, columns, B):
        i = start + tl.arange(0, B)
        total += tl.load(x + i, mask=i < columns, other=0.0).to(tl.float32)
    middle = tl.sum(total, axis=0) / columns
    total = tl.zeros((B,), tl.float32)
    for start in range(0, columns, B):
        i = start + tl.arange(0, B)
        value = tl.load(x + i, mask=i < columns, other=0.0).to(tl.float32)
        value = tl.where(i < columns, value - middle, 0.0)
        total += value * value
    scale = 1 / tl.sqrt(tl.sum(total, axis=0) / columns + eps)
    tl.store(mean + row, middle)
    tl.store(rstd + row, scale)
    for start in range(0, columns, B):
        i = start + tl.arange(0, B)
        mask = i < columns
        weight, bias = tl.load(w + i, mask=mask), tl.load(b + i, mask=mask)
        value = tl.load(x + i, mask=mask, other=0.0).to(tl.float32)
        tl.store(o + i, ((value - middle) * scale * weight + bias).to(tl.float16), mask=mask)


@case
def layer_norm():
    rows, columns = 4096, 8192
    x = rand(rows, columns, dtype=torch.float16)
    w, b = rand(columns), rand(columns)
    o = torch.full_like(x, float("nan"))
    mean, rstd = torch.empty(rows, device="cuda"), torch.empty(rows, device="cuda")
    expected = torch.nn.functional.layer_norm(x.double(), (columns,), w.double(), b.double(), 1e-5)

    def launch(jit):
        kernel = jit(layer_norm_kernel)
        return kernel[(rows,)](x, w, b, o, mean, rstd, columns, columns, 1e-5, B=2048, num_warps=8)

    return launch, o, expected, 1e-2


def layer_norm_backward_kernel(
    dx, dy, dw, db, x, w, mean, rstd, locks, stride, columns, GROUPS: tl.constexpr, B: tl.constexpr
):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    mask = i < columns
    value = tl.load(x + row * stride + i, mask=mask, other=0).to(tl.float32)
    gradient = tl.load(dy + row * stride + i, mask=mask, other=0).to(tl.float32)
    weight = tl.load(w + i, mask=mask).to(tl.float32)
    scale = tl.load(rstd + row)
    normal = tl.where(mask, (value - tl.load(mean + row)) * scale, 0.0)
    weighted = tl.where(mask, weight * gradient, 0.0)
    first = tl.sum(normal * weighted, axis=0) / columns
    second = tl.sum(weighted, axis=0) / columns
    result = (weighted - (normal * first + second)) * scale
    tl.store(dx + row * stride + i, result.to(tl.float16), mask=mask)
    group = row % GROUPS
    lock, count = locks + group, locks + GROUPS + group
    dw += group * columns + i
    db += group * columns + i
    sum_w, sum_b = gradient * normal, gradient
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(count) == 0:
        tl.atomic_xchg(count, 1)
    else:
        sum_w += tl.load(dw, mask=mask)
        sum_b += tl.load(db, mask=mask)
    tl.store(dw, sum_w, mask=mask)
    tl.store(db, sum_b, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@case
def layer_norm_backward():
    rows, columns, groups = 4096, 4096, 96
    x, dy = rand(rows, columns, dtype=torch.float16), rand(rows, columns, dtype=torch.float16)
    w = rand(columns)
    middle = x.double().mean(1)
    rstd = 1 / (x.double().var(1, unbiased=False) + 1e-5).sqrt()
    dx = torch.full_like(x, float("nan"))
    dw, db = torch.full((2, groups, columns), float("nan"), device="cuda")
    locks = torch.zeros(2 * groups, dtype=torch.int32, device="cuda")
    values = [each.double().requires_grad_() for each in (x, w)]
    normal = torch.nn.functional.layer_norm(values[0], (columns,), values[1], None, 1e-5)
    normal.backward(dy.double())
    single = middle.float(), rstd.float()

    def launch(jit):
        locks.zero_()
        return jit(layer_norm_backward_kernel)[(rows,)](
            dx,
            dy,
            dw,
            db,
            x,
            w,
            *single,
            locks,
            columns,
            columns,
            GROUPS=groups,
            B=4096,
            num_warps=8,
        )

    expected = torch.cat((values[0].grad.flatten(), values[1].grad))
    return launch, lambda: torch.cat((dx.flatten().double(), dw.double().sum(0))), expected, 2e-2


def dropout_kernel(x, o, n, p, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    mask = i < n
    value = tl.load(x + i, mask=mask)
    keep = tl.rand(seed, i) > p
    tl.store(o + i, tl.where(keep, value / (1 - p), 0.0), mask=mask)


@case
def dropout():
    n = 16_777_216
    x, o = rand(n) + 10, torch.full((n,), float("nan"), device="cuda")

    def launch(jit):
        return jit(dropout_kernel)[(triton.cdiv(n, 1024),)](x, o, n, 0.25, 17, B=1024)

    # What is kept is random: Triton's own compiler says which.
    return launch, o, None, 0


def matmul_kernel(
    a, b, c, M, N, K, sam, sak, sbk, sbn, scm, scn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    in_group = GROUP * columns
    first = program // in_group * GROUP
    height = min(rows - first, GROUP)
    pm = first + program % in_group % height
    pn = program % in_group // height
    rm = (pm * BM + tl.arange(0, BM)) % M
    rn = (pn * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BK)
    pa = a + (rm[:, None] * sam + rk[None, :] * sak)
    pb = b + (rk[:, None] * sbk + rn[None, :] * sbn)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(pa, mask=rk[None, :] < K - k * BK, other=0.0)
        y = tl.load(pb, mask=rk[:, None] < K - k * BK, other=0.0)
        total = tl.dot(x, y, total)
        pa += BK * sak
        pb += BK * sbk
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    tl.store(c + scm * rm[:, None] + scn * rn[None, :], total.to(c.dtype.element_ty), mask=mask)


def _matmul(m, n, k, transposed=False):
    a = rand(m, k, dtype=torch.float16)
    b = rand(n, k, dtype=torch.float16).T if transposed else rand(k, n, dtype=torch.float16)
    c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.float16)

    def launch(jit):
        grid = (triton.cdiv(m, 128) * triton.cdiv(n, 128),)
        strides = (*a.stride(), *b.stride(), *c.stride())
        return jit(matmul_kernel)[grid](
            a, b, c, m, n, k, *strides, BM=128, BN=128, BK=64, GROUP=8, num_warps=8, num_stages=4
        )

    return launch, c, a.double() @ b.double(), HALF * 6 * k**0.5


@case
def matmul():
    return _matmul(4096, 4096, 4096)


@case
def matmul_transposed():
    return _matmul(4096, 4096, 4096, transposed=True)


@case
def matmul_ragged():
    return _matmul(2000, 3000, 1000)


def matmul_descriptor_kernel(
    a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    pm, pn = tl.program_id(0), tl.program_id(1)
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(da.load([pm * BM, k]), db.load([pn * BN, k]).T, total)
    dc.store([pm * BM, pn * BN], total.to(tl.float16))


@case
def matmul_descriptors():
    m = n = k = 4096
    a, b = rand(m, k, dtype=torch.float16), rand(n, k, dtype=torch.float16)
    c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.float16)

    def launch(jit):
        return jit(matmul_descriptor_kernel)[(m // 128, n // 256)](
            a, b, c, m, n, k, BM=128, BN=256, BK=64, num_warps=8, num_stages=4
        )

    return launch, c, a.double() @ b.double().T, HALF * 6 * k**0.5


def attention_kernel(
    q, k, v, o, scale, LENGTH, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr,
    CAUSAL: tl.constexpr,
):  # fmt: skip
    start, head = tl.program_id(0), tl.program_id(1)
    base = head * LENGTH * D
    rm, rn, rd = start * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    query = tl.load(q + base + rm[:, None] * D + rd[None, :])
    highest = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    result = tl.zeros((BM, D), tl.float32)
    end = (start + 1) * BM if CAUSAL else LENGTH
    for n in range(0, end, BN):
        n = tl.multiple_of(n, BN)
        key = tl.load(k + base + (n + rn)[None, :] * D + rd[:, None])
        scores = tl.dot(query, key) * scale
        if CAUSAL:
            scores = tl.where(rm[:, None] >= (n + rn)[None, :], scores, -float("inf"))
        new = tl.maximum(highest, tl.max(scores, 1))
        weights = tl.exp2(scores - new[:, None])
        factor = tl.exp2(highest - new)
        total = total * factor + tl.sum(weights, 1)
        value = tl.load(v + base + (n + rn)[:, None] * D + rd[None, :])
        result = tl.dot(weights.to(tl.float16), value, result * factor[:, None])
        highest = new
    tl.store(o + base + rm[:, None] * D + rd[None, :], (result / total[:, None]).to(tl.float16))


def _attention(causal):
    heads, length, d = 32, 4096, 64
    q, k, v = (rand(heads, length, d, dtype=torch.float16) for _ in range(3))
    o = torch.full_like(q, float("nan"))
    scale = d**-0.5

    def launch(jit):
        return jit(attention_kernel)[(length // 128, heads)](
            q,
            k,
            v,
            o,
            scale * 1.4426950408889634,
            length,
            BM=128,
            BN=64,
            D=d,
            CAUSAL=causal,
            num_warps=8,
            num_stages=3,
        )

    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        expected = torch.cat(
            [
                torch.nn.functional.scaled_dot_product_attention(
                    *(each[i : i + 1].double() for each in (q, k, v)), is_causal=causal
                )
                for i in range(heads)
            ]
        )
    return launch, o, expected, 2e-3


@case
def attention():
    return _attention(causal=False)


@case
def attention_causal():
    return _attention(causal=True)


def grouped_kernel(
    pointers_a, pointers_b, pointers_c, sizes, groups, NUM: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    tile = tl.program_id(0)
    last = 0
    for group in range(groups):
        m, n, k = (
            tl.load(sizes + group * 3),
            tl.load(sizes + group * 3 + 1),
            tl.load(sizes + group * 3 + 2),
        )
        columns = tl.cdiv(n, BN)
        count = tl.cdiv(m, BM) * columns
        while tile >= last and tile < last + count:
            a = tl.load(pointers_a + group).to(tl.pointer_type(tl.float16))
            b = tl.load(pointers_b + group).to(tl.pointer_type(tl.float16))
            c = tl.load(pointers_c + group).to(tl.pointer_type(tl.float16))
            rm = (tile - last) // columns * BM + tl.arange(0, BM)
            rn = (tile - last) % columns * BN + tl.arange(0, BN)
            rk = tl.arange(0, BK)
            pa = a + rm[:, None] * k + rk[None, :]
            pb = b + rk[:, None] * n + rn[None, :]
            total = tl.zeros((BM, BN), tl.float32)
            for _ in range(0, tl.cdiv(k, BK)):
                tl.multiple_of(pa, [16, 16])
                tl.multiple_of(pb, [16, 16])
                total += tl.dot(tl.load(pa), tl.load(pb))
                pa += BK
                pb += BK * n
            tl.store(c + rm[:, None] * n + rn[None, :], total.to(tl.float16))
            tile += NUM
        last += count


@case
def grouped_matmul():
    shapes = [(1024, 1024, 1024), (512, 512, 512), (256, 2048, 256), (128, 128, 128)]
    a = [rand(m, k, dtype=torch.float16) for m, n, k in shapes]
    b = [rand(k, n, dtype=torch.float16) for m, n, k in shapes]
    c = [torch.full((m, n), float("nan"), device="cuda").half() for m, n, k in shapes]
    tables = [
        torch.tensor([each.data_ptr() for each in group], device="cuda") for group in (a, b, c)
    ]
    sizes = torch.tensor(shapes, dtype=torch.int32, device="cuda")

    def launch(jit):
        return jit(grouped_kernel)[(84,)](
            *tables, sizes, len(shapes), NUM=84, BM=128, BN=128, BK=32
        )

    expected = torch.cat([(x.double() @ y.double()).flatten() for x, y in zip(a, b)])
    return launch, lambda: torch.cat([each.flatten() for each in c]), expected, HALF * 6 * 32


def scan_kernel(x, o, columns, B: tl.constexpr):
    i = tl.program_id(0) * columns + tl.arange(0, B)
    tl.store(o + i, tl.cumsum(tl.load(x + i), axis=0))


@case
def cumsum():
    rows, columns = 8192, 4096
    x = rand(rows, columns)
    o = torch.full_like(x, float("nan"))

    def launch(jit):
        return jit(scan_kernel)[(rows,)](x, o, columns, B=columns)

    return launch, o, x.double().cumsum(1), 1e-2


def argmax_kernel(x, o, columns, B: tl.constexpr):
    row = tl.program_id(0)
    tl.store(o + row, tl.argmax(tl.load(x + row * columns + tl.arange(0, B)), axis=0))


@case
def argmax():
    rows, columns = 8192, 4096
    x, o = rand(rows, columns), torch.full((rows,), -1, dtype=torch.int32, device="cuda")

    def launch(jit):
        return jit(argmax_kernel)[(rows,)](x, o, columns, B=columns)

    return launch, o, x.argmax(1), 0


def sort_kernel(x, o, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.sort(tl.load(x + i)))


@case
def sort():
    rows, columns = 4096, 256
    x = rand(rows, columns)
    o = torch.full_like(x, float("nan"))
    return lambda jit: jit(sort_kernel)[(rows,)](x, o, B=columns), o, x.sort(1).values, 0


def gelu_kernel(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    mask = i < n
    value = tl.load(x + i, mask=mask).to(tl.float32)
    value = 0.5 * value * (1 + tl.erf(value * 0.7071067811865476))
    tl.store(o + i, value.to(tl.bfloat16), mask=mask)


@case
def gelu():
    n = 33_554_432
    x = rand(n, dtype=torch.bfloat16)
    o = torch.full_like(x, float("nan"))
    expected = torch.nn.functional.gelu(x.double())
    return lambda jit: jit(gelu_kernel)[(triton.cdiv(n, 2048),)](x, o, n, B=2048), o, expected, 2e-2


def histogram_kernel(x, o, n, BINS: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    counts = tl.histogram(tl.load(x + i, mask=i < n, other=0), BINS, mask=i < n)
    tl.atomic_add(o + tl.arange(0, BINS), counts)


@case
def histogram():
    n = 4_000_000
    x = torch.randint(0, 128, (n,), device="cuda", dtype=torch.int32)
    o = torch.zeros(128, dtype=torch.int32, device="cuda")

    def launch(jit):
        o.zero_()
        return jit(histogram_kernel)[(triton.cdiv(n, 1024),)](x, o, n, BINS=128, B=1024)

    return launch, o, torch.bincount(x, minlength=128), 0
