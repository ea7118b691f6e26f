"""Attacks on `tileas-resolve-cluster-hints`: clusters that nobody made leave nothing behind."""

from __future__ import annotations

import pytest

from tileiras_xdsl.dialects.nv_tileas.types import get_kernel_hint
from tileiras_xdsl.dialects.nvgpu.types import get_cluster_ctas
from tileiras_xdsl.transforms.common.kernel_spec import kernels

from .attacks import Attack
from .exchanges import NAMES, arguments_of, text_of

ATTACK = Attack("tileas-resolve-cluster-hints", then=("nvgpu",))


@pytest.mark.every(16)
@pytest.mark.parametrize("ctas", [1, 2, 4, 16])
@pytest.mark.parametrize("name", NAMES)
def test_hints(name: str, ctas: int):
    hint = f" optimization_hints=<default = {{num_cta_in_cga = {ctas}}}>"
    text = text_of(name).replace(") {", f"){hint} {{", 1)
    after = ATTACK.but(fires=None).run(text, [arguments_of(name)])
    (kernel,) = kernels(after)
    assert get_kernel_hint(kernel, "num_ctas") == get_cluster_ctas(kernel) == 1


def test_it_fires():
    hint = " optimization_hints=<default = {num_cta_in_cga = 2}>"
    text = text_of("halves").replace(") {", f"){hint} {{", 1)
    ATTACK.but(then=()).run(text, [arguments_of("halves")])
