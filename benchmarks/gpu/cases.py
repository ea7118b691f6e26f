# pyright: basic
"""
What is measured: kernels of `kernels.py` with arguments, what they should compute, what else
computes it, and how fast they have to be. It needs torch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, Self

import torch
from torch.nn import functional

F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
I32, I8 = torch.int32, torch.int8
F8 = torch.float8_e4m3fn

TOLERANCES = {F16: 1e-3, BF16: 5e-3, F32: 1e-5, I32: 0.0}
"""By the type of the result: of an element's own size, plus the usual size of its row."""

RESULTS = {F8: F16, I8: I32}
"""The type of a product, where it is not that of the operands."""

EARLIER = 0.97
"""How close to a figure of an earlier day a figure of today has to come: days differ by 2 %."""

VARIANT = 0.9
"""How much of a bar a variant of the program has to reach."""


@dataclass(frozen=True)
class Bar:
    """A rate that is to be reached, from the rates of others in the same run."""

    text: str
    rate: Callable[[Mapping[str, float]], float]
    """Not a number where a peer is missing."""


def of_torch(factor: float) -> Bar:
    return Bar(f"{factor:.4g} torch", lambda rates: factor * rates.get("torch", math.nan))


def of_tileiras(factor: float) -> Bar:
    return Bar(f"{factor:.4g} tileiras", lambda rates: factor * rates.get("tileiras", math.nan))


def rate_of(value: float) -> Bar:
    return Bar(f"{value:.4g}", lambda _: value)


def both(a: Bar, b: Bar) -> Bar:
    def rate(rates: Mapping[str, float]) -> float:
        values = a.rate(rates), b.rate(rates)
        return math.nan if any(map(math.isnan, values)) else max(values)

    return Bar(f"{a.text} and {b.text}", rate)


def less_of(a: Bar, b: Bar) -> Bar:
    def rate(rates: Mapping[str, float]) -> float:
        values = a.rate(rates), b.rate(rates)
        return math.nan if any(map(math.isnan, values)) else min(values)

    return Bar(f"{a.text} or {b.text}", rate)


class Output:
    """An array that a kernel writes, with a margin around it that it must not touch."""

    MARGIN = 4096

    def __init__(self, device: str, shape: Sequence[int], dtype: torch.dtype, *, zero: bool):
        self.buffer = torch.empty(math.prod(shape) + 2 * self.MARGIN, dtype=dtype, device=device)
        self.array = self.buffer[self.MARGIN : -self.MARGIN].view(*shape)
        self.zero = zero

    def reset(self) -> None:
        """Poison; zeros in the array where the kernel adds to it."""
        self.buffer.fill_(math.nan if self.buffer.is_floating_point() else -1)
        if self.zero:
            self.array.zero_()

    def margin_is_intact(self) -> bool:
        margin = torch.cat((self.buffer[: self.MARGIN], self.buffer[-self.MARGIN :]))
        intact = margin.isnan() if margin.is_floating_point() else margin == -1
        return bool(intact.all())


class Outputs:
    """Several arrays of the same shape that a kernel writes."""

    def __init__(self, *parts: Output):
        self.parts = parts

    @property
    def array(self) -> torch.Tensor:
        """All of them, one behind the other."""
        return torch.stack([part.array.float() for part in self.parts])

    def reset(self) -> None:
        for part in self.parts:
            part.reset()

    def margin_is_intact(self) -> bool:
        return all(part.margin_is_intact() for part in self.parts)


@dataclass
class Inputs:
    """Arguments of a launch."""

    grid: tuple[int, ...]
    arrays: list[torch.Tensor]
    output: Output | Outputs
    """Its arrays are among the arrays."""
    expected: Callable[[], torch.Tensor]
    """In float64 where the type is not exact."""
    peer: Callable[[], object]
    """What torch has for it."""


class Maker(Protocol):
    """Makes random arguments."""

    def __call__(self, device: str) -> Inputs: ...

    def small(self) -> Self:
        """The same for a few CTAs, which is enough to see whether results are right."""
        ...


@dataclass(frozen=True)
class Case:
    """A kernel with arguments."""

    name: str
    kernel: str
    group: str
    """The row of the table that it belongs to."""
    make: Maker
    work: float
    """Of one launch: 10^12 operations, or 10^9 bytes."""
    unit: str = "TFLOP/s"
    bar: Bar | None = None
    tolerance: float | None = None
    """In place of what the type of the result has."""
    peer_waits: bool = False
    """Whether what torch has for it waits for the GPU, or cannot be in a graph otherwise."""


def normal(device: str, *shape: int, dtype: torch.dtype = F16, scale: float = 1.0) -> torch.Tensor:
    """Random numbers; all of their type if these are integers."""
    if not dtype.is_floating_point:
        limits = torch.iinfo(dtype)
        return torch.randint(limits.min, limits.max + 1, shape, dtype=dtype, device=device)
    return (torch.randn(*shape, device=device, dtype=F32) * scale).to(dtype)


def wide(tensor: torch.Tensor) -> torch.Tensor:
    """In float64, also from types that only convert to float32."""
    return tensor.float().double()


PROCESSORS = {"cpu": 4, "meta": 132}
"""Of devices that are no GPUs; where a launch is only predicted, it is that of an H200."""


def processors(device: str) -> int:
    known = PROCESSORS.get(device)
    return known or torch.cuda.get_device_properties(0).multi_processor_count


def tiles_of(kernel: str) -> tuple[int, int]:
    """The tile of a kernel's result."""
    for part in kernel.split("_"):
        if part.count("x") == 2 and part[0].isdigit():
            m, n, _ = map(int, part.split("x"))
            return m, n
    return 128, 256


@dataclass(frozen=True)
class Product:
    """Arguments of a kernel that multiplies matrices."""

    kernel: str
    m: int
    n: int
    k: int
    dtype: torch.dtype = F16
    left_transposed: bool = False
    right_transposed: bool = False
    epilogue: str = ""
    splits: int = 1

    def __call__(self, device: str) -> Inputs:
        m, n, k = self.m, self.n, self.k
        tile_m, tile_n = tiles_of(self.kernel)
        blocks = math.ceil(m / tile_m) * math.ceil(n / tile_n)
        # Where a function follows that is flat for large numbers, sums are of size 1.
        scale = k**-0.5 if self.epilogue == "gelu" else 1.0
        a = normal(device, *((k, m) if self.left_transposed else (m, k)), dtype=self.dtype)
        b = normal(
            device, *((n, k) if self.right_transposed else (k, n)), dtype=self.dtype, scale=scale
        )
        left = a.t() if self.left_transposed else a
        right = b.t() if self.right_transposed else b
        is_split = self.splits > 1
        dtype = F32 if is_split else RESULTS.get(self.dtype, self.dtype)
        output = Output(device, (m, n), dtype, zero=is_split)
        grid: tuple[int, ...] = (blocks, self.splits) if is_split else (blocks,)
        if self.kernel == "matmul_persistent":
            grid = (min(max(1, blocks // 2), processors(device)),)
        extra: list[torch.Tensor] = []
        if self.epilogue == "gelu":
            extra.append(normal(device, n, dtype=self.dtype))
        if self.epilogue == "residual":
            extra.append(normal(device, m, n, dtype=self.dtype, scale=k**0.5))

        def expected() -> torch.Tensor:
            total = wide(left) @ wide(right)
            for array in extra:
                total += wide(array)
            if self.epilogue == "gelu":
                total = functional.gelu(total, approximate="tanh")
            return total

        result = torch.empty(m, n, dtype=RESULTS.get(self.dtype, self.dtype), device=device)
        one = torch.ones((), device=device)
        # What cuBLAS wants of 8-bit floats.
        right_peer = (
            b.t().contiguous().t() if self.dtype == F8 and not self.right_transposed else right
        )

        def peer() -> object:
            if self.dtype == F8:
                return torch._scaled_mm(left, right_peer, one, one, out_dtype=F16)
            if self.dtype == I8:
                return torch._int_mm(left, right, out=result)
            if not extra:
                # Of f32: products in tf32, as those of the kernel.
                torch.backends.cuda.matmul.allow_tf32 = True
                return torch.matmul(left, right, out=result)
            total = torch.addmm(extra[0], left, right)
            return functional.gelu(total, approximate="tanh") if self.epilogue == "gelu" else total

        return Inputs(grid, [a, b, *extra, output.array], output, expected, peer)

    def small(self) -> Self:
        splits = min(self.splits, 2)
        if self.m % 128 > 0:
            return replace(self, m=200, n=328, k=136, splits=splits)
        if self.k % 8 > 0:
            # Rows are multiples of as few bytes.
            return replace(self, m=384, n=504 + self.n % 8, k=696 + self.k % 8)
        return replace(self, m=384, n=512, k=704, splits=splits)

    @property
    def work(self) -> float:
        return 2 * self.m * self.n * self.k / 1e12


@dataclass(frozen=True)
class BlockScaled:
    """
    Arguments of a product of 8-bit floats with a scale for each 128 of a row of A, and for each
    block of 128x128 of B.
    """

    kernel: str
    m: int
    n: int
    k: int
    block: int = 128

    def __call__(self, device: str) -> Inputs:
        m, n, k, block = self.m, self.n, self.k, self.block
        a, b = (normal(device, rows, k, dtype=F8) for rows in (m, n))
        # Close to 1, so that no part of a sum is lost in the others.
        a_scale = torch.rand(m, k // block, device=device) + 0.5
        b_scale = torch.rand(n // block, k // block, device=device) + 0.5
        output = Output(device, (m, n), F16, zero=False)

        def expected() -> torch.Tensor:
            left = wide(a).view(m, -1, block) * wide(a_scale)[:, :, None]
            right = wide(b).view(-1, block, k // block, block) * wide(b_scale)[:, None, :, None]
            return left.view(m, k) @ right.view(n, k).t()

        one = torch.ones((), device=device)

        def peer() -> object:
            # One scale for all: torch has those of blocks in newer versions only.
            return torch._scaled_mm(a, b.t(), one, one, out_dtype=F16)

        tile_m, tile_n = tiles_of(self.kernel)
        grid = (math.ceil(m / tile_m) * math.ceil(n / tile_n),)
        return Inputs(grid, [a, a_scale, b, b_scale, output.array], output, expected, peer)

    def small(self) -> Self:
        return replace(self, m=384, n=512, k=768)

    @property
    def work(self) -> float:
        return 2 * self.m * self.n * self.k / 1e12


FOUR_BITS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
"""The values of 4-bit floats; the first bit is the sign."""


@dataclass(frozen=True)
class Scaled:
    """Arguments of a kernel that multiplies block-scaled matrices, both K-major."""

    kernel: str
    m: int
    n: int
    k: int
    packed: bool
    """Whether elements are 4-bit floats, two to a byte."""
    block: int = 32
    """How many elements have a scale: a power of two for 32 of them, else an 8-bit float."""

    def __call__(self, device: str) -> Inputs:
        tile_m, tile_n = tiles_of(self.kernel)
        arrays: list[torch.Tensor] = []
        factors: list[torch.Tensor] = []
        for rows in (self.m, self.n):
            if self.packed:
                data = torch.randint(256, (rows, self.k // 2), dtype=torch.uint8, device=device)
                values = torch.tensor([*FOUR_BITS, *(-x for x in FOUR_BITS)], device=device)
                pairs = torch.stack((data & 15, data >> 4), -1).long()
                elements = values[pairs].view(rows, self.k)
            else:
                data = normal(device, rows, self.k, dtype=F8)
                elements = data.float()
            shape = rows, self.k // self.block
            if self.block == 32:
                scale = torch.randint(124, 131, shape, dtype=torch.uint8, device=device)
                wide_scale = torch.exp2(scale.double() - 127)
            else:
                scale = normal(device, *shape, dtype=F32).abs().to(F8)
                wide_scale = wide(scale)
            arrays += [data, scale]
            factors.append(elements.double() * wide_scale.repeat_interleave(self.block, 1))
        output = Output(device, (self.m, self.n), F16, zero=False)
        grid = (math.ceil(self.m / tile_m) * math.ceil(self.n / tile_n),)
        a, b = (factor.to(BF16) for factor in factors)
        return Inputs(
            grid,
            [*arrays, output.array],
            output,
            lambda: factors[0] @ factors[1].t(),
            lambda: a @ b.t(),
        )

    def small(self) -> Self:
        return replace(self, m=384, n=512, k=1024)

    @property
    def work(self) -> float:
        return 2 * self.m * self.n * self.k / 1e12


@dataclass(frozen=True)
class Quantized:
    """
    Arguments of a product with weights of 8 or 4 bits; a group of them in a column has a scale.
    """

    kernel: str
    m: int
    n: int
    k: int
    dtype: torch.dtype = F16
    group: int = 128

    def __call__(self, device: str) -> Inputs:
        m, n, k = self.m, self.n, self.k
        a = normal(device, m, k, dtype=self.dtype)
        least, most = (-128, 128) if "_w8_" in self.kernel else (-8, 8)
        weights = torch.randint(least, most, (k, n), device=device, dtype=I32)
        scales = (torch.rand(k // self.group, n, device=device) + 0.5).to(self.dtype) / most
        tile_k = 64
        if "_w8_" in self.kernel:
            packed = weights.to(I8)
        elif "_halves" in self.kernel:
            halves = (weights + 8).view(k // tile_k, 2, tile_k // 2, n)
            packed = (halves[:, 0] | halves[:, 1] << 4).reshape(k // 2, n).to(torch.uint8)
        elif "_words" in self.kernel:
            eights = (weights + 8).view(k // 8, 8, n)
            packed = sum(eights[:, place] << 4 * place for place in range(8))
        else:
            pairs = (weights + 8).view(k // 2, 2, n)
            packed = (pairs[:, 0] | pairs[:, 1] << 4).to(torch.uint8)
        stored = scales
        if "_columns" in self.kernel:
            packed, stored = packed.t().contiguous(), scales.t().contiguous()
        # Rounded as the kernel does it: the product of a weight and its scale is in 16 bits.
        dense = weights.to(self.dtype) * scales.repeat_interleave(self.group, 0)
        output = Output(device, (m, n), self.dtype, zero=False)
        tile_m, tile_n = tiles_of(self.kernel)
        grid = (math.ceil(m / tile_m) * math.ceil(n / tile_n),)
        result = torch.empty(m, n, dtype=self.dtype, device=device)
        return Inputs(
            grid,
            [a, packed, stored, output.array],
            output,
            lambda: wide(a) @ wide(dense),
            lambda: torch.matmul(a, dense, out=result),
        )

    def small(self) -> Self:
        return replace(self, m=384, n=512, k=768)

    @property
    def work(self) -> float:
        return 2 * self.m * self.n * self.k / 1e12


@dataclass(frozen=True)
class Batched:
    """Arguments of a kernel that multiplies batches of matrices."""

    kernel: str
    batch: int
    m: int
    n: int
    k: int

    def __call__(self, device: str) -> Inputs:
        tile_m, tile_n = tiles_of(self.kernel)
        a = normal(device, self.batch, self.m, self.k)
        b = normal(device, self.batch, self.k, self.n)
        output = Output(device, (self.batch, self.m, self.n), F16, zero=False)
        result = torch.empty_like(output.array)
        return Inputs(
            (math.ceil(self.m / tile_m) * math.ceil(self.n / tile_n), self.batch),
            [a, b, output.array],
            output,
            lambda: wide(a) @ wide(b),
            lambda: torch.bmm(a, b, out=result),
        )

    def small(self) -> Self:
        return replace(self, batch=3, m=256, n=512, k=704)

    @property
    def work(self) -> float:
        return 2 * self.batch * self.m * self.n * self.k / 1e12


@dataclass(frozen=True)
class Grouped:
    """Arguments of a layer of a mixture of experts: each token goes to two of them."""

    kernel: str
    tokens: int
    experts: int
    n: int
    k: int
    chosen: int = 2

    def __call__(self, device: str) -> Inputs:
        tile_m, tile_n = tiles_of(self.kernel)
        a = normal(device, self.tokens, self.k)
        b = normal(device, self.experts, self.k, self.n)
        choice = torch.rand(self.tokens, self.experts).argsort(1)[:, : self.chosen]
        members = [(choice == expert).any(1).nonzero().flatten() for expert in range(self.experts)]
        rows: list[torch.Tensor] = []
        owners: list[int] = []
        for expert, tokens in enumerate(members):
            count = math.ceil(len(tokens) / tile_m)
            padding = torch.full((count * tile_m - len(tokens),), self.tokens)
            rows += [tokens, padding]
            owners += [expert] * count
        index = torch.cat(rows).to(device, I32)
        owner = torch.tensor(owners, dtype=I32, device=device)
        output = Output(device, (len(index), self.n), F16, zero=False)
        members = [tokens.to(device) for tokens in members]

        def expected() -> torch.Tensor:
            total = torch.zeros(len(index), self.n, dtype=F64, device=device)
            start = 0
            for expert, tokens in enumerate(members):
                total[start : start + len(tokens)] = wide(a[tokens]) @ wide(b[expert])
                start += math.ceil(len(tokens) / tile_m) * tile_m
            return total

        def peer() -> object:
            return [a[tokens] @ b[expert] for expert, tokens in enumerate(members)]

        grid = (len(owners) * math.ceil(self.n / tile_n),)
        return Inputs(grid, [a, b, index, owner, output.array], output, expected, peer)

    def small(self) -> Self:
        return replace(self, tokens=208, experts=3, n=512, k=704)

    @property
    def work(self) -> float:
        """Rows that are padding do not count."""
        return 2 * self.tokens * self.chosen * self.n * self.k / 1e12


@dataclass(frozen=True)
class Attention:
    """Arguments of attention; `flat` has the heads below each other."""

    d: int
    causal: bool = False
    flat: bool = False
    rows: int = 128
    """Queries of a tile."""
    heads: int = 64
    n: int = 4096

    def __call__(self, device: str) -> Inputs:
        q, k, v = (normal(device, self.heads, self.n, self.d) for _ in range(3))
        output = Output(device, (self.heads, self.n, self.d), F16, zero=False)

        def expected() -> torch.Tensor:
            hidden = torch.ones(self.n, self.n, dtype=torch.bool, device=device).triu(1)
            heads: list[torch.Tensor] = []
            for i in range(self.heads):
                scores = wide(q[i]) @ wide(k[i]).t() / math.sqrt(self.d)
                if self.causal:
                    scores.masked_fill_(hidden, -math.inf)
                heads.append(scores.softmax(1) @ wide(v[i]))
            return torch.stack(heads)

        def peer() -> object:
            return functional.scaled_dot_product_attention(
                q[None], k[None], v[None], is_causal=self.causal
            )

        arrays = [q, k, v, output.array]
        if self.flat:
            arrays = [array.view(-1, self.d) for array in arrays]
        grid = (-(-self.n // self.rows), self.heads)
        return Inputs(grid, arrays, output, expected, peer)

    def small(self) -> Self:
        return replace(self, heads=3, n=640)

    @property
    def work(self) -> float:
        return 4 * self.n**2 * self.d * self.heads / 1e12 / (2 if self.causal else 1)


@dataclass(frozen=True)
class VariableLength:
    """Arguments of attention over sequences that lie behind each other."""

    d: int
    lengths: tuple[int, ...] = (4096, 1000, 2311, 777, 3500, 129, 2048, 1601, 650, 272)
    heads: int = 32

    def __call__(self, device: str) -> Inputs:
        total = sum(self.lengths)
        q, k, v = (normal(device, self.heads, total, self.d) for _ in range(3))
        first = torch.tensor((0, *self.lengths), device=device).cumsum(0).to(I32)
        output = Output(device, (self.heads, total, self.d), F16, zero=False)

        def expected() -> torch.Tensor:
            parts: list[torch.Tensor] = []
            for x, y, z in zip(*(each.split(self.lengths, 1) for each in (q, k, v)), strict=True):
                scores = wide(x) @ wide(y).transpose(1, 2) / math.sqrt(self.d)
                parts.append(scores.softmax(2) @ wide(z))
            return torch.cat(parts, 1)

        rows = [each.transpose(0, 1).contiguous() for each in (q, k, v)]
        longest = max(self.lengths)

        def peer() -> object:
            return torch.ops.aten._flash_attention_forward(
                *rows, first, first, longest, longest, 0.0, False, False
            )

        arrays = [q, k, v, first, output.array]
        grid = (-(-longest // 128), self.heads, len(self.lengths))
        return Inputs(grid, arrays, output, expected, peer)

    def small(self) -> Self:
        return replace(self, heads=2, lengths=(200, 384, 1, 129))

    @property
    def work(self) -> float:
        return 4 * sum(n * n for n in self.lengths) * self.d * self.heads / 1e12


@dataclass(frozen=True)
class AttentionBackward:
    """
    Arguments of a kernel for gradients of attention: of queries, of keys and values, or of all,
    where those of queries are sums of f32, without the scale. Torch computes all three.
    """

    d: int
    gradients: Literal["queries", "keys and values", "all"]
    heads: int = 64
    n: int = 4096

    def __call__(self, device: str) -> Inputs:
        shape = self.heads, self.n, self.d
        q, k, v, slope = (normal(device, *shape) for _ in range(4))
        lse = torch.empty(shape[:2], device=device)
        delta = torch.empty(shape[:2], device=device)
        scale = 1 / math.sqrt(self.d)
        for i in range(self.heads):
            scores = q[i].float() @ k[i].float().t() * scale
            lse[i] = scores.logsumexp(1) * math.log2(math.e)
            delta[i] = (scores.softmax(1) @ v[i].float() * slope[i]).sum(1)
        arrays = [q, k, v, slope, lse, delta]
        output: Output | Outputs
        if self.gradients == "all":
            sums = Output(device, shape, F32, zero=True)
            others = [Output(device, shape, F16, zero=False) for _ in range(2)]
            output = Outputs(sums, *others)
            arrays += [*(each.array for each in others), sums.array]
        else:
            size = shape if self.gradients == "queries" else (2, *shape)
            output = Output(device, size, F16, zero=False)
            arrays.append(output.array)

        def expected() -> torch.Tensor:
            heads: list[torch.Tensor] = []
            for i in range(self.heads):
                weights = (wide(q[i]) @ wide(k[i]).t() * scale).softmax(1)
                slopes = wide(slope[i]) @ wide(v[i]).t()
                mean = (weights * slopes).sum(1, keepdim=True)
                inner = weights * (slopes - mean)
                of_queries = inner @ wide(k[i])
                others = inner.t() @ wide(q[i]) * scale, weights.t() @ wide(slope[i])
                match self.gradients:
                    case "queries":
                        heads.append(of_queries * scale)
                    case "keys and values":
                        heads.append(torch.stack(others))
                    case "all":
                        heads.append(torch.stack((of_queries, *others)))
            return torch.stack(heads, 0 if self.gradients == "queries" else 1)

        inputs = [each[None].detach().requires_grad_() for each in (q, k, v)]
        result = functional.scaled_dot_product_attention(*inputs)

        def peer() -> object:
            return torch.autograd.grad(result, inputs, slope[None], retain_graph=True)

        return Inputs((self.n // 128, self.heads), arrays, output, expected, peer)

    def small(self) -> Self:
        return replace(self, heads=3, n=640)

    @property
    def work(self) -> float:
        products = {"queries": 3, "keys and values": 4, "all": 5}[self.gradients]
        return products * 2 * self.n**2 * self.d * self.heads / 1e12


@dataclass(frozen=True)
class SmallFloatAttention:
    """
    Arguments of attention of 8-bit floats. Weights are rounded to 4 bits, each of them by up to
    1/16: what is expected rounds them at the same places, block by block, as the largest score so
    far is their unit. Scores of tensor cores are off by about 1e-3, and by that many of the weights
    are rounded the other way: the result is off by 1 % of its usual size, its worst element by 5 %.
    """

    d: int = 128
    heads: int = 64
    n: int = 4096
    block: int = 128

    def __call__(self, device: str) -> Inputs:
        q, k, v = (normal(device, self.heads, self.n, self.d, dtype=F8) for _ in range(3))
        output = Output(device, (self.heads, self.n, self.d), F16, zero=False)

        def expected() -> torch.Tensor:
            return torch.stack([self.head(q[i], k[i], v[i]) for i in range(self.heads)])

        half = [array.to(F16)[None] for array in (q, k, v)]

        def peer() -> object:
            # There is none for 8 bits.
            return functional.scaled_dot_product_attention(*half)

        arrays = [q, k, v.transpose(1, 2).contiguous(), output.array]
        return Inputs((self.n // 128, self.heads), arrays, output, expected, peer)

    def head(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        """One head; the kernel's scales are those of queries times keys, 1/4, and values, 1/2."""
        scores = wide(q) @ wide(k).t() * (math.log2(math.e) / math.sqrt(self.d) / 4)
        largest = torch.full((self.n, 1), -math.inf, dtype=F64, device=q.device)
        weights, total = torch.zeros_like(largest), torch.zeros_like(wide(q))
        for first in range(0, self.n, self.block):
            keys = slice(first, first + self.block)
            new = torch.maximum(largest, scores[:, keys].amax(1, keepdim=True))
            weight = (scores[:, keys] - new + 8).exp2()
            fade = (largest - new).exp2()
            weights = weights * fade + weight.sum(1, keepdim=True)
            total = total * fade + wide(weight.float().to(F8)) @ wide(v[keys])
            largest = new
        return total / weights / 2

    def small(self) -> Self:
        return replace(self, heads=3, n=640)

    @property
    def work(self) -> float:
        return 4 * self.n**2 * self.d * self.heads / 1e12


@dataclass(frozen=True)
class Simple:
    """Arguments of a kernel that moves memory."""

    grid: tuple[int, ...]
    shapes: Sequence[Sequence[int]]
    """The output last."""
    dtypes: Sequence[torch.dtype]
    expected: Callable[..., torch.Tensor]
    peer: Callable[..., object]
    largest: int = 0
    """Integers are from 0 to it, without it."""
    zero: bool = False

    def __call__(self, device: str) -> Inputs:
        *inputs, last = zip(self.shapes, self.dtypes, strict=True)
        arrays = [
            normal(device, *shape, dtype=dtype)
            if dtype.is_floating_point
            else torch.randint(0, self.largest, tuple(shape), dtype=dtype, device=device)
            for shape, dtype in inputs
        ]
        output = Output(device, *last, zero=self.zero)
        return Inputs(
            self.grid,
            [*arrays, output.array],
            output,
            lambda: self.expected(*arrays),
            lambda: self.peer(*arrays),
        )

    def small(self) -> Self:
        """These are quick as they are."""
        return self


CASES: list[Case] = []


def add(
    name: str, group: str, inputs: Product | BlockScaled | Scaled | Batched | Grouped, **rest
) -> None:
    CASES.append(Case(name, inputs.kernel, group, inputs, inputs.work, **rest))


for tag, dtype in (("f16", F16), ("bf16", BF16)):
    for tile, factor in (("128x256x64", 0.97), ("128x128x64", 0.94)):
        add(
            f"gemm_{tag}_8192_{tile}",
            f"gemm {tile}",
            Product(f"matmul_{'bf16_' * (tag == 'bf16')}{tile}", 8192, 8192, 8192, dtype),
            bar=of_torch(factor),
        )
for sizes in ((4096, 4096, 4096), (2048, 8192, 1024), (1000, 1992, 520)):
    for tile in ("128x256x64", "128x128x64"):
        shape = "x".join(map(str, sizes))
        add(
            f"gemm_f16_{shape}_{tile}",
            f"gemm {shape}",
            Product(f"matmul_{'partial_' * (sizes[0] % 128 > 0)}{tile}", *sizes),
            bar=less_of(of_torch(0.9), of_tileiras(1.1)),
        )
for size, sizes in ((4, (4096, 4090, 4094)), (2, (4096, 4093, 4095))):
    for tile in ("128x256x64", "128x128x64"):
        shape = "x".join(map(str, sizes))
        add(
            f"gemm_f16_{shape}_{tile}",
            "gemm unaligned rows",
            Product(f"matmul_unaligned{size}_{tile}", *sizes),
        )
for tile in ("128x256x128", "128x128x128"):
    add(
        f"gemm_f8_8192_{tile}",
        "gemm f8",
        Product(f"matmul_f8_{tile}", 8192, 8192, 8192, F8, right_transposed=True),
        bar=of_tileiras(1.2),
        tolerance=1e-2,
    )
add(
    "gemm_f8_block_8192_128x128x128",
    "gemm f8 block",
    BlockScaled("matmul_f8_block_128x128x128", *[8192] * 3),
    tolerance=1e-2,
)
for name, dtype, tile in (
    *(("tf32", F32, tile) for tile in ("128x256x32", "128x128x32")),
    *(("i8", I8, tile) for tile in ("128x256x128", "128x128x128")),
):
    add(
        f"gemm_{name}_8192_{tile}",
        f"gemm {name}",
        Product(f"matmul_{name}_{tile}", 8192, 8192, 8192, dtype, right_transposed=True),
        tolerance=0.0 if dtype == I8 else 5e-3,
    )
for kernel, dtype in (
    *((f"f8_right_{tile}", F8) for tile in ("128x256x128", "128x128x128")),
    *((f"tf32_right_{tile}", F32) for tile in ("128x256x32", "128x128x32")),
):
    name, _, _ = kernel.partition("_")
    add(
        f"gemm_{kernel.replace(name, f'{name}_8192')}",
        f"gemm {name}, B along N",
        Product(f"matmul_{kernel}", 8192, 8192, 8192, dtype),
        bar=of_torch(0.85 if dtype == F8 else 0.9),
        tolerance=1e-2 if dtype == F8 else 5e-3,
    )
for kernel in (
    *(f"{what}_128x256x64" for what in ("w4", "w8")),
    *(f"{what}_128x128x64" for what in ("w4", "w4_bf16", "w8", "w8_bf16")),
    *(f"w4_{what}_128x128x64" for what in ("halves", "columns", "words")),
):
    dtype = BF16 if "bf16" in kernel else F16
    add(
        f"gemm_{kernel}",
        f"gemm {kernel[:2]}a16",
        Quantized(f"matmul_{kernel}", 4096, 4096, 4096, dtype),
        bar=of_torch(0.75),
    )
for name, packed, block in (("mxf8", False, 32), ("mxf4", True, 32), ("nvf4", True, 16)):
    for tile in ("256x256", "128x256", "128x128"):
        kernel = f"matmul_{name}_{tile}x{256 if packed else 128}"
        add(f"gemm_{name}_8192_{tile}", f"gemm {name}", Scaled(kernel, *[8192] * 3, packed, block))

for name, inputs, bar in (
    ("attention_d128", Attention(128), both(rate_of(600), of_tileiras(2.2))),
    ("attention_causal_d128", Attention(128, causal=True), both(rate_of(480), of_tileiras(2.2))),
    ("attention_d64", Attention(64), rate_of(450)),
    ("attention_causal_d64", Attention(64, causal=True), None),
    ("attention_causal_single_d128", Attention(128, causal=True), None),
    ("attention_causal_single_d64", Attention(64, causal=True), None),
    ("attention_256x64_d64", Attention(64, rows=256), rate_of(450)),
    ("attention_causal_256x64_d64", Attention(64, causal=True, rows=256), None),
    ("attention_causal_single_256x64_d64", Attention(64, causal=True, rows=256), rate_of(400)),
    ("attention_varlen_d128", VariableLength(128), None),
    ("attention_dq_d128", AttentionBackward(128, "queries"), None),
    ("attention_dkdv_d128", AttentionBackward(128, "keys and values"), None),
    ("attention_backward_d128", AttentionBackward(128, "all"), of_torch(1.0)),
):
    waits = isinstance(inputs, AttentionBackward)
    CASES.append(
        Case(name, name, name, inputs, inputs.work, bar=bar, tolerance=5e-3, peer_waits=waits)
    )

CASES.append(
    Case(
        "attention_f8_d128",
        "attention_f8_d128",
        "attention f8",
        SmallFloatAttention(),
        SmallFloatAttention().work,
        bar=rate_of(700),
        tolerance=6e-2,
    )
)

for tile in ("128x256x64", "128x128x64"):
    more = {"bar": of_tileiras(1.2)}
    add(f"batched_{tile}", "batched", Batched(f"matmul_batched_{tile}", 16, *[2048] * 3), **more)
    add(
        f"gelu_{tile}",
        "gelu",
        Product(f"matmul_gelu_{tile}", *[8192] * 3, epilogue="gelu"),
        **more,
    )
    for name in ("split", "split_tiled"):
        add(
            f"{name}_{tile}",
            "split",
            Product(f"matmul_{name}_{tile}", 1024, 1024, 16384, splits=4),
            tolerance=1e-4,
            **more,
        )
    add(
        f"grouped_{tile}", "grouped", Grouped(f"matmul_grouped_{tile}", 8192, 8, 4096, 4096), **more
    )

for name, more in {
    "matmul_left_transposed": {"left_transposed": True},
    "matmul_right_transposed": {"right_transposed": True},
    "matmul_tile_transposed": {"right_transposed": True},
    "matmul_128x256x32": {},
    "matmul_break": {},
    "matmul_residual": {"epilogue": "residual"},
    "matmul_persistent": {},
    "matmul_hinted": {},
}.items():
    add(
        f"variant_{name.removeprefix('matmul_')}",
        "variants",
        Product(name, 8192, 8192, 8192, **more),
        bar=of_torch(VARIANT * 0.97),
    )
add(
    "variant_batched_rank3",
    "variants",
    Batched("matmul_batched_rank3", 16, 2048, 2048, 2048),
    bar=of_tileiras(VARIANT * 1.2),
)
CASES.append(
    Case(
        "variant_attention_flat",
        "attention_flat_d128",
        "variants",
        Attention(128, flat=True),
        Attention(128).work,
        bar=both(rate_of(VARIANT * 600), of_tileiras(VARIANT * 2.2)),
        tolerance=5e-3,
    )
)

WIDTH, COUNT = 4096, 1 << 26
for name, inputs, rate, tolerance in (
    (
        "softmax",
        Simple(
            (16384,),
            [(16384, WIDTH)] * 2,
            [F16] * 2,
            lambda x: wide(x).softmax(1),
            lambda x: torch.softmax(x, 1),
        ),
        3473,
        None,
    ),
    (
        "layer_norm",
        Simple(
            (16384,),
            [(16384, WIDTH), (WIDTH,), (WIDTH,), (16384, WIDTH)],
            [F16] * 4,
            lambda x, w, b: functional.layer_norm(wide(x), (WIDTH,), wide(w), wide(b)),
            lambda x, w, b: functional.layer_norm(x, (WIDTH,), w, b),
        ),
        3842,
        None,
    ),
    (
        "rms_norm",
        Simple(
            (132,),
            [(8192, WIDTH), (WIDTH,), (8192, WIDTH)],
            [F16] * 3,
            lambda x, w: functional.rms_norm(wide(x), (WIDTH,), wide(w), 1e-5),
            lambda x, w: functional.rms_norm(x, (WIDTH,), w, 1e-5),
        ),
        3330,
        None,
    ),
    (
        "silu_and_mul",
        Simple(
            (8192,),
            [(8192, 2 * 8192), (8192, 8192)],
            [F16] * 2,
            lambda x: functional.silu(wide(x[:, :8192])) * wide(x[:, 8192:]),
            lambda x: functional.silu(x[:, :8192]) * x[:, 8192:],
        ),
        4080,
        None,
    ),
    (
        "vector_add",
        Simple((COUNT // 1024,), [(COUNT,)] * 3, [F32] * 3, torch.add, torch.add),
        4283,
        0.0,
    ),
    (
        "transpose",
        Simple((128, 128), [(8192, 8192)] * 2, [F32] * 2, torch.t, lambda x: x.t().contiguous()),
        4005,
        0.0,
    ),
    (
        "cumsum",
        Simple(
            (16384,),
            [(16384, WIDTH)] * 2,
            [F32] * 2,
            lambda x: wide(x).cumsum(1),
            lambda x: x.cumsum(1),
        ),
        3988,
        None,
    ),
    (
        "row_gather",
        Simple(
            (32768,),
            [(32768, WIDTH), (32768,), (32768, WIDTH)],
            [F16, I32, F16],
            lambda x, index: x[index.long()],
            lambda x, index: x.index_select(0, index),
            largest=32768,
        ),
        3953,
        0.0,
    ),
    (
        "histogram",
        Simple(
            (COUNT // 1024,),
            [(COUNT,), (65536,)],
            [I32] * 2,
            lambda x: x.bincount(minlength=65536),
            lambda x: x.bincount(minlength=65536),
            largest=65536,
            zero=True,
        ),
        366,
        0.0,
    ),
):
    sizes = [math.prod(s) * t.itemsize for s, t in zip(inputs.shapes, inputs.dtypes, strict=True)]
    useful = [size for size in sizes if size >= max(sizes) / 8]
    CASES.append(
        Case(
            f"memory_{name}",
            name,
            "memory",
            inputs,
            sum(useful) / 1e9,
            "GB/s",
            rate_of(EARLIER * rate),
            tolerance,
            peer_waits=name == "histogram",
        )
    )
CASES.append(
    Case(
        "memory_histogram_4096",
        "histogram",
        "memory",
        Simple(
            (1 << 14,),
            [(1 << 24,), (4096,)],
            [I32] * 2,
            lambda x: x.bincount(minlength=4096),
            lambda x: x.bincount(minlength=4096),
            largest=4096,
            zero=True,
        ),
        4 * (1 << 24) / 1e9,
        "GB/s",
        of_torch(1.5),
        0.0,
        peer_waits=True,
    )
)
HEADS = 64, 4096, 128
for name, types, shapes, expected, peer in (
    (
        "backward_delta",
        (F16, F16, F32),
        (HEADS, HEADS, HEADS[:2]),
        lambda out, slope: (wide(out) * wide(slope)).sum(2),
        lambda out, slope: (out * slope).sum(2),
    ),
    (
        "backward_queries",
        (F32, F16),
        (HEADS, HEADS),
        lambda sums: wide(sums) / math.sqrt(HEADS[2]),
        lambda sums: (sums / math.sqrt(HEADS[2])).half(),
    ),
):
    moved = sum(math.prod(s) * t.itemsize for s, t in zip(shapes, types, strict=True)) / 1e9
    inputs = Simple((HEADS[1] // 32, HEADS[0]), shapes, types, expected, peer)
    CASES.append(Case(f"memory_{name}", f"{name}_d128", "memory", inputs, moved, "GB/s"))
add(
    "memory_matmul_128x128x32",
    "memory",
    Product("matmul_128x128x32", 8192, 8192, 8192),
    bar=rate_of(EARLIER * 434),
)


@dataclass
class Comparison:
    """How far a result is from what it should be."""

    error: float
    """The norm of the difference by that of what is expected."""
    worst: float
    """The largest difference of an element, by its size plus the usual size of its row."""
    right: bool
    problems: list[str] = field(default_factory=list)


def compare(case: Case, output: Output | Outputs, expected: torch.Tensor) -> Comparison:
    """A result that is not a number compares as wrong."""
    found = output.array.view(expected.shape)
    tolerance = TOLERANCES[found.dtype] if case.tolerance is None else case.tolerance
    expected = expected.double()
    difference = (found.double() - expected).abs()
    usual = expected.norm(dim=-1, keepdim=True) / math.sqrt(expected.shape[-1])
    relative = difference / (expected.abs() + usual)
    worst = float(torch.where(difference == 0, difference, relative).max())
    problems: list[str] = []
    if not worst <= tolerance:
        problems.append(f"an element is off by {worst:.1e}, more than {tolerance:.1e}")
    if not output.margin_is_intact():
        problems.append("memory around the result was written")
    return Comparison(float(difference.norm() / expected.norm()), worst, not problems, problems)
