"""
Kernels of a stream share a workspace; launches that may run at the same time never do.

The driver is played. Its kernels find all flags zero, and fill the tiles that they have.
"""

import ctypes
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from threading import Thread, get_ident
from typing import Any

import pytest

from tileiras_xdsl.backend import cuda, driver, workspaces
from tileiras_xdsl.backend.launch_record import LaunchRecord, Parameter
from tileiras_xdsl.backend.prepared import PreparedLaunch
from tileiras_xdsl.backend.workspaces import Workspace, Workspaces
from tileiras_xdsl.transforms.common.abi import WORKSPACE_FLAGS

from .fake_driver import POISON, FakeDriver

RECORD = LaunchRecord(
    "k",
    "sm_90a",
    (Parameter("ptr"), Parameter("i32")),
    (32, 1, 1),
    abi="host-maps",
    persistent=2,
    workspace=256,
)
ARGUMENTS = (0x1000, 7)
CTAS = 8
"""Two on each of the four SMs of the GPU that is played."""
GRID = (3, 3)
PER_THREAD = 2
STREAMS = (0, PER_THREAD, 5, 6)


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    yield
    driver.get_driver.cache_clear()
    cuda.Device.get.cache_clear()


@dataclass
class Player:
    """Kernels with workspaces, and which of these launches get."""

    fake: FakeDriver
    given: list[int] = field(default_factory=list[int])
    """The addresses of workspaces, launch by launch."""

    @staticmethod
    def make(monkeypatch: pytest.MonkeyPatch) -> "Player":
        player = Player(FakeDriver(RECORD))
        player.fake.kernel = player.run
        monkeypatch.setattr(cuda, "get_driver", lambda: player.fake)
        cuda.Device.get.cache_clear()
        return player

    def load(self, size: int = 256) -> cuda.Kernel:
        return cuda.load(b"cubin", replace(RECORD, workspace=size))

    def run(self, arguments: list[bytes]) -> None:
        """What a kernel does: it fills as many tiles as the workspace has."""
        address, idle = (int.from_bytes(each, "little") for each in arguments[5:7])
        assert idle == 7  # Nine tile blocks on eight CTAs.
        memory = self.fake.memory[address]
        flags = ctypes.string_at(address, WORKSPACE_FLAGS)
        assert flags.count(0) == WORKSPACE_FLAGS, "flags are set"
        tiles = len(memory) - WORKSPACE_FLAGS
        ctypes.memset(address + WORKSPACE_FLAGS, 0xFF, tiles)
        self.given.append(address)

    def launch(self, kernel: cuda.Kernel, stream: int = 0) -> int:
        """Launches a kernel; returns the workspace that it got."""
        kernel.launch(GRID, ARGUMENTS, stream)
        return self.check(kernel)

    def call(self, launch: PreparedLaunch) -> int:
        launch()
        return self.check(launch.kernel)

    def check(self, kernel: cuda.Kernel) -> int:
        address = self.given[-1]
        tiles = len(self.fake.memory[address]) - WORKSPACE_FLAGS
        assert tiles >= CTAS * kernel.record.workspace, "has too few tiles"
        return address


@pytest.fixture
def player(monkeypatch: pytest.MonkeyPatch) -> Player:
    return Player.make(monkeypatch)


def test_kernels_of_a_stream_share(player: Player):
    first, second = player.load(), player.load(128)
    assert not player.fake.memory
    address = player.launch(first)
    assert player.launch(second) == address
    assert player.launch(first, 5) != address
    assert player.launch(first) == address
    assert len(player.fake.memory) == 2
    assert player.fake.named("cuMemAlloc") == [[WORKSPACE_FLAGS + 256 * CTAS]] * 2
    assert len(player.fake.named("cuStreamCreate")) == len(player.fake.named("cuStreamDestroy"))


def test_a_larger_one_takes_its_place(player: Player):
    """The smaller one stays as long as a kernel is open that may still run with it."""
    small, large = player.load(), player.load(512)
    before = player.launch(small)
    after = player.launch(large)
    assert before != after == player.launch(small)
    assert {*player.fake.memory} == {before, after}
    large.close()
    assert player.launch(small) == after
    small.close()
    assert not player.fake.memory


def test_it_stays_for_the_kernels_that_are_open(player: Player):
    first, second = player.load(), player.load()
    address = player.launch(first)
    assert player.launch(second) == address
    first.close()
    first.close()
    assert player.launch(second) == address
    second.close()
    assert not player.fake.memory
    # Another launch gets one whose flags are zero.
    player.launch(player.load())


def test_graphs_have_others(player: Player):
    """They may run beside what is launched on the stream, and beside graphs of other kernels."""
    first, second = player.load(), player.load()
    plain = player.launch(first, 5)
    player.fake.captured.add(5)
    graphs = [player.launch(kernel, 5) for kernel in (first, second, first)]
    assert graphs[0] == graphs[2]
    assert len({plain, *graphs}) == 3
    # A stream beside the one that is captured.
    assert player.launch(second, 6) not in (plain, *graphs)
    player.fake.captured.clear()
    assert player.launch(second, 5) == plain
    first.close()
    assert {*player.fake.memory} >= {plain, graphs[1]}
    assert graphs[0] not in player.fake.memory


def test_prepared_launches(player: Player):
    """A call decides: the stream may be captured, or have a larger workspace by now."""
    kernel = player.load()
    launch = kernel.prepare(GRID, ARGUMENTS, 5, programmatic=True)
    plain = player.call(launch)
    other = launch.on(6)
    beside = player.call(other)
    player.fake.captured.add(5)
    graph = player.call(launch)
    assert player.call(other) == beside
    player.fake.captured.clear()
    assert player.call(launch) == plain
    assert len({plain, beside, graph}) == 3
    larger = player.launch(player.load(512), 5)
    assert player.call(launch) == larger != plain


def test_a_thread_without_the_context(player: Player, monkeypatch: pytest.MonkeyPatch):
    """It does not know which streams are captured before it has the context."""
    kernel = player.load()
    launch = kernel.prepare(GRID, ARGUMENTS, 5)
    plain = player.call(launch)
    player.fake.captured.add(5)
    has_context = False
    raw_launch, call = player.fake.raw_launch(), player.fake.call

    def call_driver(name: str, *arguments: Any) -> Any:
        nonlocal has_context
        has_context |= name == "cuCtxSetCurrent"
        return call(name, *arguments)

    def is_capturing(stream: int) -> bool:
        return has_context and stream == 5

    def launch_now(*arguments: Any) -> int:
        return raw_launch(*arguments) if has_context else 201

    monkeypatch.setattr(player.fake, "call", call_driver)
    monkeypatch.setattr(player.fake, "is_capturing", is_capturing)
    monkeypatch.setattr(launch, "_launch", launch_now)
    assert player.call(launch) != plain
    assert len(player.given) == 2


def test_threads_with_a_default_stream_each(player: Player):
    """One handle stands for all of these streams."""
    kernel = player.load()
    launches = [
        partial(player.launch, kernel, PER_THREAD),
        partial(player.call, kernel.prepare(GRID, ARGUMENTS, PER_THREAD)),
    ]
    own = {launch() for launch in launches}
    for launch in launches:
        other = Thread(target=launch)
        other.start()
        other.join()
    assert len(own) == 1
    assert own.isdisjoint(player.given[2:])


# Anything that programs may do


@dataclass(frozen=True)
class Runner:
    """Launches of which one begins when the one before has ended."""

    stream: int
    thread: int = 0
    kernel: int = -1
    """Of graphs."""


@dataclass
class History:
    """Kernels that are loaded, launched, captured and closed at random."""

    player: Player
    random: Random
    pool: ThreadPoolExecutor
    kernels: dict[int, cuda.Kernel] = field(default_factory=dict[int, cuda.Kernel])
    prepared: list[tuple[int, int, PreparedLaunch]] = field(
        default_factory=list[tuple[int, int, PreparedLaunch]]
    )
    """By kernel and stream."""
    owners: dict[int, Runner] = field(default_factory=dict[int, Runner])
    """Of workspaces that are there, by address."""
    used: dict[int, set[int]] = field(default_factory=dict[int, set[int]])
    """The workspaces of a kernel, which may still run, or be in a graph."""

    def step(self) -> None:
        actions = (self.load, self.close, self.capture, self.prepare, self.call)
        action = self.random.choices((*actions, self.launch), (2, 1, 2, 2, 6, 6))[0]
        if self.kernels or action == self.load:
            action()
        for addresses in self.used.values():
            assert addresses <= self.player.fake.memory.keys(), "was freed too early"

    def load(self) -> None:
        size = 128 * self.random.randint(1, 5)
        self.kernels[len(self.player.fake.named("cuModuleLoadData"))] = self.player.load(size)

    def close(self) -> None:
        number = self.random.choice([*self.kernels])
        self.kernels.pop(number).close()
        self.used.pop(number, None)
        self.prepared = [each for each in self.prepared if each[0] != number]
        memory = self.player.fake.memory
        self.owners = {key: owner for key, owner in self.owners.items() if key in memory}

    def capture(self) -> None:
        self.player.fake.captured ^= {self.random.choice(STREAMS[2:])}

    def prepare(self) -> None:
        number = self.random.choice([*self.kernels])
        stream, other = (self.random.choice(STREAMS) for _ in range(2))
        launch = self.kernels[number].prepare(GRID, ARGUMENTS, stream)
        self.prepared += [(number, stream, launch), (number, other, launch.on(other))]

    def call(self) -> None:
        if self.prepared:
            number, stream, launch = self.random.choice(self.prepared)
            self.run(number, stream, partial(self.player.call, launch))

    def launch(self) -> None:
        number, stream = self.random.choice([*self.kernels]), self.random.choice(STREAMS)
        self.run(number, stream, partial(self.player.launch, self.kernels[number], stream))

    def run(self, number: int, stream: int, launch: Callable[[], int]) -> None:
        """Launches, here or in another thread, with what nobody has who may run meanwhile."""

        def launch_here() -> tuple[int, int]:
            return launch(), get_ident()

        elsewhere = self.random.random() < 0.5
        address, thread = self.pool.submit(launch_here).result() if elsewhere else launch_here()
        is_captured = stream in self.player.fake.captured
        runner = Runner(
            stream, thread if stream == PER_THREAD else 0, number if is_captured else -1
        )
        assert self.owners.setdefault(address, runner) == runner, "another one has it, too"
        self.used.setdefault(number, set()).add(address)

    def finish(self) -> None:
        while self.kernels:
            self.close()
        assert not self.player.fake.memory


def play_at_random(player: Player, seed: int, steps: int = 60) -> None:
    with ThreadPoolExecutor(1) as pool:
        history = History(player, Random(seed), pool)
        for _ in range(steps):
            history.step()
        # A few sizes for each of five streams, if no graph has any.
        shared = [owner for owner in history.owners.values() if owner.kernel < 0]
        assert len(shared) <= 5 * 5
        history.finish()


def play_often(player: Player) -> None:
    for seed in range(15):
        play_at_random(player, seed)


def test_at_random(player: Player):
    play_often(player)
    assert len(player.given) > 300


def share_with_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeDriver, "is_capturing", lambda *_: False)  # pyright: ignore[reportUnknownArgumentType, reportUnknownLambdaType]


def share_between_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    get = Workspaces.get

    def get_any(self: Workspaces, kernel: cuda.Kernel, stream: int) -> Workspace:
        return get(self, kernel, 5 if stream == 6 else stream)

    monkeypatch.setattr(Workspaces, "get", get_any)


def share_between_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspaces, "get_ident", lambda: 0)


def share_between_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    load = cuda.load

    def load_again(image: bytes, record: LaunchRecord) -> cuda.Kernel:
        kernel = load(image, record)
        kernel.module = 1
        return kernel

    monkeypatch.setattr(cuda, "load", load_again)


def never_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(address: int, size: int) -> Workspace:
        return Workspace(address, 16 * size)

    monkeypatch.setattr(workspaces, "Workspace", make)


def free_with_any_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    release = Workspaces.release

    def release_all(self: Workspaces, kernel: cuda.Kernel) -> None:
        for workspace in kernel.workspaces:
            workspace.users = 1
        release(self, kernel)

    monkeypatch.setattr(Workspaces, "release", release_all)


def free_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    get = Workspaces.get

    def get_and_free(self: Workspaces, kernel: cuda.Kernel, stream: int) -> Workspace:
        before = {*kernel.workspaces}
        found = get(self, kernel, stream)
        for other in before:
            if stream == 0 and other.size < found.size:
                kernel.device.driver.call("cuMemFree", other.address)
        return found

    monkeypatch.setattr(Workspaces, "get", get_and_free)


def leave_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspaces, "WORKSPACE_FLAGS", WORKSPACE_FLAGS // 2)


BUGS: tuple[Callable[[pytest.MonkeyPatch], None], ...] = (
    share_with_graphs,
    share_between_streams,
    share_between_threads,
    share_between_graphs,
    never_grow,
    free_with_any_kernel,
    free_the_one_before,
    leave_flags,
)


@pytest.mark.parametrize("bug", BUGS)
def test_bugs_are_found(
    bug: Callable[[pytest.MonkeyPatch], None], player: Player, monkeypatch: pytest.MonkeyPatch
):
    bug(monkeypatch)
    with pytest.raises((AssertionError, KeyError)):
        play_often(player)


def test_memory_is_not_zero_by_itself(player: Player):
    """Otherwise a workspace whose flags nobody clears would not be found."""
    address: Any = player.fake.call("cuMemAlloc", 4)
    assert bytes(player.fake.memory[address]) == bytes([POISON] * 4)
