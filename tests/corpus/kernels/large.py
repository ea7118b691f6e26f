"""A few long kernels, as they occur in applications."""

import cuda.tile as ct

from .registry import Const, array, corpus, scalar

ZERO = ct.PaddingMode.ZERO


@corpus(array(ct.int32), array(ct.int32), 8)
def bitonic_sort(keys, values, tile: Const):
    """Sort a tile of keys with their values: a fully unrolled bitonic network."""
    k = ct.load(keys, ct.bid(0), tile)
    v = ct.load(values, ct.bid(0), tile)
    lane = ct.arange(tile, dtype=ct.int32)
    for block in ct.static_iter((2, 4, 8)):
        for log in ct.static_iter(range(3)):
            if ct.static_eval((1 << log) < block):
                distance = ct.static_eval(block >> (log + 1))
                k_pairs = ct.reshape(k, (-1, 2, distance))
                v_pairs = ct.reshape(v, (-1, 2, distance))
                shape = (tile // (2 * distance), 1, distance)
                up = ct.reshape(lane & block, (-1, 2, distance))
                descending = ct.extract(up, (0, 0, 0), shape) != 0
                k0 = ct.extract(k_pairs, (0, 0, 0), shape)
                k1 = ct.extract(k_pairs, (0, 1, 0), shape)
                v0 = ct.extract(v_pairs, (0, 0, 0), shape)
                v1 = ct.extract(v_pairs, (0, 1, 0), shape)
                swap = (k0 > k1) ^ descending
                k = ct.cat((ct.where(swap, k1, k0), ct.where(swap, k0, k1)), 1)
                v = ct.cat((ct.where(swap, v1, v0), ct.where(swap, v0, v1)), 1)
                k, v = ct.reshape(k, (tile,)), ct.reshape(v, (tile,))
    ct.store(keys, ct.bid(0), k)
    ct.store(values, ct.bid(0), v)


@corpus(array(ct.float32, 2), array(ct.float32, 2), 16)
def fft_radix_two(x, out, size: Const):
    """A complex Fourier transform of rows; even and odd parts are joined step by step."""
    row = ct.bid(0)
    re = ct.reshape(ct.load(x, (2 * row, 0), (1, size)), (1, size))
    im = ct.reshape(ct.load(x, (2 * row + 1, 0), (1, size)), (1, size))
    for stage in ct.static_iter(range(4)):
        length = ct.static_eval(1 << stage)
        rest = ct.static_eval(16 >> (stage + 1))
        re4 = ct.reshape(re, (length, 2, rest))
        im4 = ct.reshape(im, (length, 2, rest))
        even_re = ct.reshape(ct.extract(re4, (0, 0, 0), (length, 1, rest)), (length, rest))
        odd_re = ct.reshape(ct.extract(re4, (0, 1, 0), (length, 1, rest)), (length, rest))
        even_im = ct.reshape(ct.extract(im4, (0, 0, 0), (length, 1, rest)), (length, rest))
        odd_im = ct.reshape(ct.extract(im4, (0, 1, 0), (length, 1, rest)), (length, rest))
        angle = ct.arange(length, dtype=ct.float32) * (-3.141592653589793 / length)
        wr = ct.expand_dims(ct.cos(angle), 1)
        wi = ct.expand_dims(ct.sin(angle), 1)
        turn_re = wr * odd_re - wi * odd_im
        turn_im = wr * odd_im + wi * odd_re
        re = ct.cat((even_re + turn_re, even_re - turn_re), 0)
        im = ct.cat((even_im + turn_im, even_im - turn_im), 0)
    ct.store(out, (2 * row, 0), ct.reshape(re, (1, size)))
    ct.store(out, (2 * row + 1, 0), ct.reshape(im, (1, size)))


@corpus(
    array(ct.float16, 4),
    array(ct.float16, 2),
    array(ct.float16),
    array(ct.float16, 4),
    scalar(ct.int32),
    scalar(ct.int32),
    32,
    32,
    32,
)
def convolution(
    image, weight, bias, out, stride, padding, pixels: Const, filters: Const, channels: Const
):
    """A 3x3 convolution as a matrix product whose left operand is gathered on the fly."""
    column_block, row, batch = ct.bid(0), ct.bid(1), ct.bid(2)
    height, width, depth = image.shape[1], image.shape[2], image.shape[3]
    x = column_block * pixels + ct.arange(pixels, dtype=ct.int32)
    total = ct.zeros((pixels, filters), ct.float32)
    for tap in range(9):
        dy, dx = tap // 3, tap % 3
        source_y = row * stride + dy - padding
        source_x = x * stride + dx - padding
        if source_y < 0 or source_y >= height:
            continue
        inside = ct.expand_dims((source_x >= 0) & (source_x < width), 1)
        for c in range(0, depth, channels):
            channel = c + ct.arange(channels, dtype=ct.int32)
            patch = ct.gather(
                image,
                (batch, source_y, ct.expand_dims(source_x, 1), ct.expand_dims(channel, 0)),
                mask=inside,
            )
            taps = ct.gather(
                weight,
                (
                    tap * depth + ct.expand_dims(channel, 1),
                    ct.expand_dims(ct.arange(filters, dtype=ct.int32), 0),
                ),
            )
            total = ct.mma(patch, taps, total)
    total += ct.load(bias, 0, filters).astype(ct.float32)
    ct.store(
        out,
        (batch, row, column_block, 0),
        ct.reshape(ct.maximum(total, 0.0), (1, 1, pixels, filters)).astype(ct.float16),
    )


@corpus(
    array(ct.float32, 3),
    array(ct.float32, 2),
    array(ct.float32, 3),
    array(ct.float32, 3),
    array(ct.float32, 3),
    array(ct.float32, 2),
    16,
    8,
    16,
)
def selective_scan(delta, a_log, b, c, x_out, skip, steps: Const, channels: Const, states: Const):
    """A state space model: time in chunks, a scan inside of each, the state carried along."""
    batch, group = ct.bid(0), ct.bid(1)
    a = -ct.exp(ct.load(a_log, (group, 0), (channels, states)))
    d = ct.reshape(ct.load(skip, (0, group), (1, channels)), (1, channels))
    state = ct.zeros((channels, states), ct.float32)

    def compose(a1, b1, a2, b2):
        return a1 * a2, a2 * b1 + b2

    for i in range(ct.num_tiles(x_out, 1, (1, steps, channels))):
        u = ct.reshape(
            ct.load(x_out, (batch, i, group), (1, steps, channels), padding_mode=ZERO),
            (steps, channels),
        )
        dt = ct.reshape(
            ct.load(delta, (batch, i, group), (1, steps, channels), padding_mode=ZERO),
            (steps, channels),
        )
        dt = ct.where(dt > 20.0, dt, ct.log(1.0 + ct.exp(dt)))
        bt = ct.load(b, (batch, i, 0), (1, steps, states), padding_mode=ZERO)
        ctile = ct.load(c, (batch, i, 0), (1, steps, states), padding_mode=ZERO)
        decay = ct.exp(dt[:, :, None] * a[None, :, :])
        drive = (dt * u)[:, :, None] * ct.reshape(bt, (steps, 1, states))
        weight, inner = ct.scan((decay, drive), 0, compose, (1.0, 0.0))
        history = inner + weight * state[None, :, :]
        y = ct.sum(history * ct.reshape(ctile, (steps, 1, states)), axis=2) + u * d
        ct.store(x_out, (batch, i, group), ct.reshape(y, (1, steps, channels)))
        state = ct.reshape(
            ct.extract(history, (steps - 1, 0, 0), (1, channels, states)), (channels, states)
        )
