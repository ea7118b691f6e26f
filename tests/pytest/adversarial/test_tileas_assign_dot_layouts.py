"""
Attacks on `tileas-assign-dot-layouts`: dots of all element types, with fewer rows than an
instruction has, and fewer columns; operands that two dots share in different roles; accumulators of
dots that are operands of others.
"""

from __future__ import annotations

import pytest

from ..harness.stress_kernels import Build, Builder, dot, matmul, tf32_dot
from .attacks import Attack
from .dot_loops import NAMES, Shape, programs

ATTACK = Attack("tileas-assign-dot-layouts", is_idempotent=False, then=("nvgpu",))
DOTS: dict[str, Build] = {
    "few rows": dot(8, 32, 16, "f16"),
    "few columns": dot(64, 8, 32, "f16"),
    "one row": dot(1, 64, 32, "f16"),
    "one column": dot(64, 1, 16, "f16"),
    "little depth": dot(64, 64, 2, "f16"),
    "bytes": dot(64, 16, 64, "i8", "i32"),
    "tf32": tf32_dot(64, 16, 16),
    "doubles": dot(16, 16, 8, "f64", "f64"),
    "singles": dot(32, 16, 8, "f32"),
    "sums of halves": dot(64, 32, 16, "f16", "f16"),
    "a loop": matmul(64, 16, 32, 96, "f16"),
}
ARCHITECTURES = ("sm_80", "sm_90a", "sm_120a")


@pytest.mark.every(5)
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("name", DOTS)
def test_dots(name: str, arch: str):
    builder = Builder()
    DOTS[name](builder)
    ATTACK.but(arch=arch).run(builder.text(), [builder.make_arguments()])


@pytest.mark.long
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("shape", [Shape(16, 64, 16), Shape(64, 16, 32), Shape(64, 64, 64)])
@pytest.mark.parametrize("name", NAMES)
def test_loops(name: str, shape: Shape, arch: str):
    ATTACK.but(arch=arch).run(programs(shape)[name], [shape.arguments(3)])
