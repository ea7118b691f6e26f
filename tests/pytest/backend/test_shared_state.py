"""
What launches share: whether one may start before the one ahead of it has ended, zeros that stand
for empty tensors, the heap of the device. `docs/backend.md` has a table of it.
"""

import ctypes
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from tileiras_xdsl.backend import cuda, driver
from tileiras_xdsl.backend.driver import CudaError
from tileiras_xdsl.backend.launch_record import LaunchRecord

from .fake_driver import FakeDriver
from .kernels import RECORDS

ARGUMENTS = [2.0, 0x1000, 0x2000, 8]
WAITS = replace(RECORDS["saxpy"], programmatic=True)
EARLY = {6: 1}
STREAM = 5


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """The driver is looked for once in a process; here once in a test."""
    yield
    driver.get_driver.cache_clear()
    cuda.Device.get.cache_clear()


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Callable[[LaunchRecord], tuple[FakeDriver, Any]]:
    """A driver, and a kernel of a record that it has loaded."""

    def start(record: LaunchRecord, **fields: Any) -> tuple[FakeDriver, cuda.Kernel]:
        fake = FakeDriver(record, **fields)
        monkeypatch.setattr(cuda, "get_driver", lambda: fake)
        cuda.Device.get.cache_clear()
        return fake, cuda.load(b"cubin", record)

    return start


# Launches that overlap


def test_on_a_stream_nobody_knows_what_is_ahead(play: Any):
    fake, kernel = play(WAITS)
    launch = kernel.prepare(2, ARGUMENTS, STREAM)
    for _ in range(2):
        kernel.launch(2, ARGUMENTS, STREAM)
        launch()
        launch.on(6)()
    assert fake.attributes == [{}] * 6
    assert fake.named("cuLaunchKernelEx")[0][1:] == [2, 1, 1, 128, 1, 1, 0]


def test_in_a_graph_they_overlap(play: Any):
    """However they are launched; the first one of a graph has nobody ahead of it."""
    fake, kernel = play(WAITS)
    launch = kernel.prepare(2, ARGUMENTS, 6)
    fake.begin_capture(STREAM)
    launch.on(STREAM)()
    launch.on(STREAM)()
    kernel.launch(2, ARGUMENTS, STREAM)
    launch.on(STREAM)()
    launch()
    assert fake.attributes == [{}, EARLY, EARLY, EARLY, {}]
    # The last one is not in it.
    assert fake.nodes == {STREAM: (1, 0x540)}


def test_not_behind_others(play: Any):
    """They may have been let start early, and end before what is ahead of them."""
    fake, kernel = play(WAITS)
    launch = kernel.prepare(2, ARGUMENTS, STREAM)
    fake.begin_capture(STREAM)
    launch()
    fake.add_node(STREAM)
    launch()
    launch()
    assert fake.attributes == [{}, {}, EARLY]


def test_not_behind_several(play: Any):
    """A stream that waits for another one, too: what is ahead is not one node."""
    fake, kernel = play(WAITS)
    launch = kernel.prepare(2, ARGUMENTS, STREAM)
    fake.begin_capture(STREAM)
    launch()
    del fake.nodes[STREAM]
    launch()
    assert fake.attributes == [{}, {}]


def test_two_graphs_of_one_stream(play: Any):
    """A node of another graph may be at the same address, and the stream may be another one."""
    fake, kernel = play(WAITS)
    launch = kernel.prepare(2, ARGUMENTS, STREAM)
    for _ in range(2):
        fake.begin_capture(STREAM)
        fake.add_node(STREAM)
        launch()
        fake.end_capture(STREAM)
    fake.begin_capture(STREAM)
    fake.add_node(STREAM)
    fake.add_node(STREAM)
    launch()
    assert fake.attributes == [{}] * 3


def test_behind_one_that_was_asked_to(play: Any):
    """Its user says what is ahead of it, not we."""
    fake, kernel = play(WAITS)
    asked = kernel.prepare(2, ARGUMENTS, STREAM, programmatic=True)
    launch = kernel.prepare(2, ARGUMENTS, STREAM)
    for start in (launch, asked, launch):
        start()
    with kernel._arguments(ARGUMENTS, (2, 1, 1), STREAM) as addresses:
        kernel.launch_packed((2, 1, 1), addresses, STREAM, programmatic=True)
    fake.begin_capture(STREAM)
    for start in (launch, asked, launch, launch):
        start()
    assert fake.attributes == [{}, EARLY, {}, EARLY, {}, EARLY, {}, EARLY]


def test_kernels_that_do_not_wait(play: Any):
    fake, kernel = play(RECORDS["saxpy"])
    launch = kernel.prepare(2, ARGUMENTS, STREAM)
    fake.begin_capture(STREAM)
    launch()
    launch()
    kernel.launch(2, ARGUMENTS, STREAM)
    assert fake.attributes == [{}, {}]
    assert len(fake.named("cuLaunchKernel")) == 1


def test_a_launch_that_fails_is_nothing_to_overlap_with(play: Any):
    fake, kernel = play(WAITS)
    launch = kernel.prepare(2, ARGUMENTS, STREAM)
    fake.begin_capture(STREAM)
    fake.add_node(STREAM)

    def fails(*arguments: object) -> int:
        del arguments
        return 1

    works, launch._launch = launch._launch, fails
    with pytest.raises(CudaError, match="cuLaunchKernelEx"):
        launch()
    launch._launch = works
    launch()
    assert fake.attributes == [{}]


@pytest.mark.parametrize(("arch", "attributes"), [("sm_80", {}), ("sm_90", EARLY)])
def test_code_that_cannot_wait(play: Any, arch: str, attributes: dict[int, int]):
    """As PTX it runs on later GPUs, and its program may wait: the code does not."""
    fake, _ = play(WAITS)
    record = replace(RECORDS["saxpy"], arch=arch)
    kernel = cuda.load(".version 8.0", record)
    kernel.prepare(2, ARGUMENTS, STREAM, programmatic=True)()
    with kernel._arguments(ARGUMENTS, (2, 1, 1), STREAM) as addresses:  # pyright: ignore[reportPrivateUsage]
        kernel.launch_packed((2, 1, 1), addresses, STREAM, programmatic=True)
    assert fake.attributes == [attributes] * 2


@pytest.mark.parametrize("seed", range(20))
def test_everything_ahead_has_ended(play: Any, seed: int):
    """
    At random, in graphs and out of them: kernels that we let start early are behind one that ends
    after all others. One that was launched early and does not wait may end before them.
    """
    rng = random.Random(seed)
    fake, kernel = play(WAITS)
    launch = kernel.prepare(2, ARGUMENTS, STREAM)
    asked = kernel.prepare(2, ARGUMENTS, STREAM, programmatic=True)
    ends_last, overlapped = True, 0
    for _ in range(200):
        if rng.random() < 0.05:
            if fake.captured:
                fake.end_capture(STREAM)
            else:
                fake.begin_capture(STREAM)
            ends_last = True
        fake.attributes.clear()
        match rng.choice(["ours", "ours", "ours", "asked", "plain", "early"]):
            case "ours":
                launch() if rng.random() < 0.5 else kernel.launch(2, ARGUMENTS, STREAM)
                (attributes,) = fake.attributes
                assert ends_last or not attributes
                overlapped += bool(attributes)
                ends_last = True
            case "asked":
                asked()
            case "plain":
                fake.add_node(STREAM)
                ends_last = True
            case _:
                fake.add_node(STREAM)
                ends_last = False
    assert overlapped


def test_nodes_of_captured_streams():
    """As the driver tells them: an array, which has one node if launches follow each other."""

    class Library:
        nodes = (ctypes.c_void_p * 2)(0x510, 0x520)

        def cuStreamGetCaptureInfo_v2(
            self, stream: Any, status: Any, number: Any, graph: Any, nodes: Any, count: Any
        ) -> int:
            del graph
            # One that is not captured, one that depends on a node, on two, and on more than the
            # end of a node.
            status._obj.value = int(stream.value > 1)
            number._obj.value = 7
            nodes._obj.contents = ctypes.c_void_p.from_buffer(self.nodes)
            count._obj.value = 2 if stream.value == 3 else 1
            return 911 if stream.value == 4 else 0

    used = driver.Driver(Library())
    assert [used.captured_node(stream) for stream in (1, 2, 3, 4)] == [None, (7, 0x510), None, None]


# Zeros for empty tensors


@pytest.mark.parametrize("prepared", [False, True])
def test_empty_tensors_in_a_graph(play: Any, prepared: bool):
    """The first launch with one may be captured: what it allocates is no part of the graph."""
    fake, kernel = play(RECORDS["tma"])
    arguments = [0, 0x2000, 48, 0]
    fake.begin_capture(STREAM)
    for _ in range(2):
        if prepared:
            kernel.prepare(1, arguments, STREAM)()
        else:
            kernel.launch(1, arguments, STREAM)
    (address,) = fake.memory
    assert bytes(fake.memory[address]) == bytes(16)
    assert [map_.base for map_ in fake.maps] == [address] * 2
    assert not fake.pending


# Code that is loaded, and the heap


def test_code_is_loaded_while_a_stream_is_captured(play: Any):
    fake, _ = play(RECORDS["saxpy"])
    fake.begin_capture(STREAM)
    cuda.load(b"cubin", fake.record)
    assert not fake.is_relaxed


def heap_record(size: int) -> LaunchRecord:
    """Of a kernel of which an SM has 16 CTAs."""
    return replace(RECORDS["saxpy"], arch="sm_90a", threads=(128, 1, 1), heap=size)


def test_the_heap_has_room_for_all_ctas(play: Any):
    record = heap_record(1 << 20)
    fake, _ = play(record, sm_count=132)
    assert record.resident_ctas(132) == 132 * 16
    assert fake.heap == 132 * 16 << 20
    names = [call[0] for call in fake.calls]
    assert names.index("cuCtxSetLimit") < names.index("cuModuleLoadData")


def test_a_heap_that_is_large_enough_stays(play: Any):
    fake, _ = play(heap_record(1 << 10), sm_count=132)
    assert fake.heap == 8 << 20
    assert not fake.named("cuCtxSetLimit")


def test_a_heap_takes_no_more_than_there_is(play: Any):
    fake, _ = play(heap_record(1 << 20), sm_count=132, free=1 << 30)
    assert fake.heap == 1 << 27


def test_a_heap_that_is_used_already(play: Any):
    """It keeps its size, and CTAs wait for each other."""
    fake, kernel = play(heap_record(1 << 10), sm_count=132)
    fake.record = heap_record(1 << 20)
    cuda.load(b"cubin", fake.record)
    assert fake.heap == 8 << 20
    assert len(fake.named("cuCtxSetLimit")) == 1
    kernel.launch(2, ARGUMENTS)
