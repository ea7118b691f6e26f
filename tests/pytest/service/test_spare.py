"""The process that a server forks in advance."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tileiras_xdsl.service.job import private_mappings, unshare_memory

from .conftest import PROGRAM, Service, wait_until
from .test_lifetime import COMPILE, is_alive, started_ptxas


def children(process: int) -> list[int]:
    """The processes that the threads of a process have started."""
    try:
        texts = [path.read_text() for path in Path(f"/proc/{process}/task").glob("*/children")]
    except OSError:
        return []
    return [int(number) for text in texts for number in text.split()]


def is_waiting(process: int) -> bool:
    """Whether a process has done nothing for a while."""
    path = Path(f"/proc/{process}/stat")
    try:
        looks = [path.read_text().rpartition(")")[2].split() for _ in range(20)]
    except OSError:
        return False
    return all(look[0] == "S" and look[11:13] == looks[0][11:13] for look in looks)


def wait_for_spare(server: int) -> tuple[int, int]:
    """The spare process of a server, and its worker for LLVM."""
    found: list[tuple[int, int]] = []

    def is_there() -> bool:
        for each in children(server):
            workers = children(each)
            if len(workers) == 1 and is_waiting(each) and is_waiting(workers[0]):
                found.append((each, workers[0]))
        # What waits twice in a row has said that it is ready.
        return len(found) > 20 and found[-1] == found[-20]

    wait_until(is_there, "a spare process")
    return found[-1]


@pytest.fixture
def served(warm_service: Service) -> tuple[Service, int]:
    """A service, and the process of its server."""
    return warm_service, warm_service.server()


def test_the_next_command_is_the_spares(served: tuple[Service, int], slow_ptxas: Path):
    service, server = served
    spare, worker = wait_for_spare(server)
    command = service.start(
        *(PROGRAM, "--gpu-name=sm_90", "-o", slow_ptxas.with_name("k.cubin")),
        env={"TILEIRAS_XDSL_PTXAS": str(slow_ptxas)},
    )
    ptxas = started_ptxas(slow_ptxas)
    assert {worker, ptxas} <= set(children(spare))
    os.kill(ptxas, signal.SIGKILL)
    assert command.wait(20) == 1
    command.communicate()
    wait_until(lambda: not is_alive(spare) and not is_alive(worker), "the end of the command")


def test_a_worker_has_the_limits_of_the_command(served: tuple[Service, int], slow_ptxas: Path):
    service, server = served
    spare, worker = wait_for_spare(server)
    before = os.getpriority(os.PRIO_PROCESS, worker)
    command = service.start(
        *(PROGRAM, "--gpu-name=sm_90", "-o", slow_ptxas.with_name("k.cubin")),
        env={"TILEIRAS_XDSL_PTXAS": str(slow_ptxas)},
        nice=5,
    )
    ptxas = started_ptxas(slow_ptxas)
    for each in (spare, worker, ptxas):
        assert os.getpriority(os.PRIO_PROCESS, each) == before + 5, each
    os.kill(ptxas, signal.SIGKILL)
    assert command.wait(20) == 1
    command.communicate()


def test_a_spare_that_is_killed(served: tuple[Service, int]):
    service, server = served
    spare, worker = wait_for_spare(server)
    os.kill(spare, signal.SIGKILL)
    assert service.run(*COMPILE).returncode == 0
    wait_until(lambda: not is_alive(worker), "the end of the worker")
    assert wait_for_spare(server)[0] != spare
    assert service.server() == server


def test_a_spare_ends_with_its_server(service: Service):
    assert service.run("--version").returncode == 0
    server = service.server()
    spare, worker = wait_for_spare(server)
    os.kill(server, signal.SIGKILL)
    wait_until(lambda: not is_alive(spare) and not is_alive(worker), "the end of the spare")


def test_memory_is_not_shared_any_more():
    """A process that has taken a copy finds in it what was there."""
    data = bytearray(os.urandom(1 << 20))
    assert any(start <= _address(data) < start + size for start, size in private_mappings())
    child = os.fork()
    if child == 0:
        before = bytes(data)
        unshare_memory()
        os._exit(0 if bytes(data) == before else 1)
    assert os.waitpid(child, 0)[1] == 0


def _address(data: bytearray) -> int:
    import ctypes

    return ctypes.addressof(ctypes.c_char.from_buffer(data))
