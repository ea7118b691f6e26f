"""Launch records."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.launch_record import (
    LaunchRecord,
    Parameter,
    Quantity,
    TensorMapRecord,
    records_from_json,
    records_to_json,
)

from .kernels import RECORDS


@pytest.mark.parametrize("name", RECORDS)
def test_round_trip(name: str):
    record = replace(RECORDS[name], registers=40, cluster=(2, 1, 1), ptxas_version="13.4.92")
    assert LaunchRecord.from_json(record.to_json()) == record
    assert LaunchRecord.from_dict(record.to_dict()) == record
    assert json.loads(record.to_json()) == record.to_dict()


def test_defaults():
    data = {"entry": "k", "arch": "sm_80", "parameters": [], "threads": [32, 1, 1]}
    assert LaunchRecord.from_dict(data) == LaunchRecord("k", "sm_80", (), (32, 1, 1))


def test_what_is_left_open():
    text = '{"entry": "k", "arch": "sm_80", "parameters": [], "threads": null, "shared": null}'
    record = LaunchRecord.from_json(text)
    assert (record.threads, record.shared) == (None, None)
    assert LaunchRecord.from_json(record.to_json()) == record


def test_lists():
    records = tuple(RECORDS.values())
    text = records_to_json(records)
    assert records_from_json(text) == records
    assert len(text.splitlines()) == len(records) + 2
    assert records_from_json(records_to_json(())) == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "the launch records are no JSON"),
        ("{}", "the launch records are malformed: expected a list"),
        ("[1]", "the launch record is malformed"),
        ("[{}]", "the launch record is malformed"),
    ],
)
def test_malformed_lists(text: str, message: str):
    with pytest.raises(BackendError, match=message):
        records_from_json(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "the launch record is no JSON"),
        ("[]", "the launch record is malformed"),
        ("{}", "the launch record is malformed"),
        ('{"entry": "k", "arch": "sm_80", "parameters": [], "threads": [1]}', "malformed"),
        (
            '{"entry": "k", "arch": "sm_80", "parameters": [], "threads": [1e400, 1, 1]}',
            "malformed",
        ),
        (
            '{"entry": "k", "arch": "sm_80", "parameters": [], "threads": [0, 1, 1]}',
            "'threads' is 0",
        ),
        (
            '{"entry": 5, "arch": "sm_80", "parameters": [], "threads": null}',
            "'entry' is 5, no text",
        ),
        (
            '{"entry": "k", "arch": "sm_80", "parameters": [], "threads": null, "shared": "1"}',
            "'shared' is '1', no number from 0",
        ),
        ("[" * 100_000, "is no JSON"),
        ('{"entry": "k", "arch": "", "parameters": [], "threads": null}', "'arch' is '', no arch"),
        ('{"entry": "k", "arch": "90", "parameters": [], "threads": null}', "'arch' is '90', no"),
        ('{"entry": "k", "arch": "sm_9\u0660", "parameters": [], "threads": null}', "'arch' is"),
        (
            '{"entry": "k", "arch": "sm_90a", "parameters": [], "threads": null, '
            f'"blocks_are_clusters": {"[" * 900}{"]" * 900}}}',
            r"'blocks_are_clusters' is \[+\.\.\.\]+, no boolean",
        ),
        (
            '{"entry": "k", "arch": "sm_90a", "parameters": [], "threads": null, '
            '"programmatic": 1}',
            "'programmatic' is 1, no boolean",
        ),
        (
            '{"entry": "k", "arch": "sm_90a", "parameters": [{"type": "ptr", "name": 1}], '
            '"threads": null}',
            "'name' is 1, no text",
        ),
        (
            '{"entry": "k", "arch": "sm_80", "parameters": [], "threads": [1, 1, 1], "x": 0}',
            "malformed",
        ),
    ],
)
def test_malformed(text: str, message: str):
    with pytest.raises(BackendError, match=message):
        LaunchRecord.from_json(text)


def test_records_of_before_launches_overlapped():
    """Nothing is known of their waits, so that they start when the kernel ahead has ended."""
    data = LaunchRecord("k", "sm_90a", (), (128, 1, 1)).to_dict()
    del data["programmatic"]
    assert LaunchRecord.from_dict(data).programmatic is False


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sizes": ()}, "rank 1 to 5, not 0"),
        ({"box": (1,)}, "has 2 box sizes and 1 strides, not 1 and 1"),
        ({"strides": ()}, "has 2 box sizes and 1 strides, not 2 and 0"),
        ({"element_strides": (1,)}, "has 2 element strides"),
        ({"swizzle": "16"}, "no swizzle '16'"),
        ({"l2_promotion": "16"}, "no L2 promotion '16'"),
    ],
)
def test_malformed_tensor_maps(changes: dict[str, Any], message: str):
    with pytest.raises(BackendError, match=message):
        replace(RECORDS["tma"].tensor_maps[0], **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"abi": "device-maps"}, "has the ABI host-maps"),
        ({"abi": "other"}, "'other' is no ABI"),
        ({"parameters": ()}, "uses parameter 0, which is not there"),
        ({"parameters": (Parameter("i32"),) * 4}, "based on parameter 0, no pointer"),
        ({"persistent": -1}, "cannot run -1 CTAs"),
        ({"persistent": 1, "cluster": (1, 2, 1)}, "clusters of a persistent kernel are along x"),
        ({"persistent": 1, "abi": "device-maps", "tensor_maps": ()}, "has the ABI host-maps"),
    ],
)
def test_inconsistent(changes: dict[str, Any], message: str):
    with pytest.raises(BackendError, match=message):
        replace(RECORDS["tma"], **changes)


def test_persistent_kernels():
    record = replace(RECORDS["tma"], persistent=2)
    assert LaunchRecord.from_json(record.to_json()) == record
    assert record.launched_grid((2, 3, 1), 132) == (6, 1, 1)
    assert record.launched_grid((100, 10, 2), 132) == (264, 1, 1)
    assert RECORDS["tma"].launched_grid((2, 3, 1), 132) == (2, 3, 1)


def test_clusters_of_persistent_kernels():
    record = replace(RECORDS["tma"], persistent=1, cluster=(2, 1, 1))
    assert LaunchRecord.from_json(record.to_json()) == record
    assert record.launched_grid((5, 1, 1), 132) == (6, 1, 1)
    assert record.launched_grid((100, 10, 2), 132) == (132, 1, 1)
    assert record.launched_grid((100, 10, 2), 131) == (130, 1, 1)
    assert record.launched_grid((100, 10, 2), 1) == (2, 1, 1)


def test_maps_of_the_grid():
    (map_,) = RECORDS["tma"].tensor_maps
    of_grid = replace(map_, sizes=(Quantity(64, 6), map_.sizes[1]))
    record = replace(RECORDS["tma"], persistent=1, tensor_maps=(of_grid,))
    assert LaunchRecord.from_json(record.to_json()) == record
    with pytest.raises(BackendError, match="uses parameter 6, which is not there"):
        replace(RECORDS["tma"], tensor_maps=(of_grid,))
    with pytest.raises(BackendError, match="based on parameter 4, no pointer"):
        replace(record, tensor_maps=(replace(map_, base=4),))


def test_parameters_have_a_known_type():
    with pytest.raises(BackendError, match="'f31' is no type of a parameter"):
        Parameter("f31")


def test_sizes_of_parameters():
    assert Parameter("bytes", size=12).size == 12
    assert Parameter("f16") == Parameter("f16", size=2)
    for ty, size in (("bytes", 0), ("bytes", -1), ("i32", 8)):
        with pytest.raises(BackendError, match=f"type '{ty}' has no size {size}"):
            Parameter(ty, size=size)


def test_maps_of_constants():
    record = TensorMapRecord("f16", 0, (Quantity(64), Quantity(8)), (Quantity(128),), (64, 8))
    kernel = LaunchRecord(
        "k", "sm_90a", (Parameter("ptr"),), (1, 1, 1), abi="host-maps", tensor_maps=(record,)
    )
    assert LaunchRecord.from_json(kernel.to_json()) == kernel
