"""Architectures and PTX versions."""

import pytest

from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.targets.machine import CapabilityOption, ComputeCapability


@pytest.mark.parametrize(
    ("option", "cpu"),
    [
        ("sm_80", "sm_80"),
        ("sm_86", "sm_86"),
        ("sm_89", "sm_89"),
        ("sm_90", "sm_90a"),
        ("sm_90a", "sm_90a"),
        (100, "sm_100a"),
        ("sm_100f", "sm_100f"),
        ("sm_103", "sm_103a"),
        ("sm_110", "sm_110a"),
        ("sm_121f", "sm_121f"),
        ("sm_87", "sm_87"),
        ("sm_88", "sm_88"),
        (12.0, "sm_120a"),
    ],
)
def test_names(option: CapabilityOption, cpu: str):
    assert NvptxTarget.parse(option).cpu == cpu


def test_from_a_capability():
    assert NvptxTarget.parse(ComputeCapability(9, 0)).cpu == "sm_90a"


@pytest.mark.parametrize(
    ("arch", "features"),
    [
        ("sm_80", "+ptx86"),
        ("sm_90", "+ptx86"),
        ("sm_100", "+ptx88"),
        ("sm_120", "+ptx88"),
        ("sm_88", "+ptx90"),
        ("sm_100f", "+ptx88"),
        ("sm_103", "+ptx88"),
        ("sm_110", "+ptx90"),
    ],
)
def test_default_ptx_version(arch: str, features: str):
    assert NvptxTarget.parse(arch).features == features


@pytest.mark.parametrize(
    ("option", "version", "message"),
    [
        ("sm_75", None, "cannot compile for sm_75 (expected one of sm_80, "),
        ("sm_90f", None, "cannot compile for sm_90f"),
        ("hopper", None, "'hopper' is no compute capability"),
        (None, None, "'' is no compute capability"),
        ("sm_90", 91, "cannot write PTX version 91 (expected one of 70, "),
        ("sm_90", 78, "sm_90a needs PTX version 80 or later, not 78"),
        ("sm_120", 86, "sm_120a needs PTX version 87 or later, not 86"),
    ],
)
def test_refused(option: CapabilityOption, version: int | None, message: str):
    with pytest.raises(BackendError) as error:
        NvptxTarget.parse(option, version)
    assert message in str(error.value)
