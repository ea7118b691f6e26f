"""The process that a server forks in advance."""

from __future__ import annotations

import os
import signal
from itertools import chain
from pathlib import Path

import pytest

from tileiras_xdsl.driver.service.job import private_mappings, unshare_memory

from .conftest import MAX_SECONDS, PROGRAM, Service, find_server, wait_until
from .test_lifetime import COMPILE, is_alive, started_ptxas

# One worker runs all of them, so that one server is started.
pytestmark = pytest.mark.xdist_group("spare")


def children(process: int) -> list[int]:
    """The processes that the threads of a process have started."""
    try:
        texts = [path.read_text() for path in Path(f"/proc/{process}/task").glob("*/children")]
    except OSError:
        return []
    return [int(number) for text in texts for number in text.split()]


def sleeps(process: int) -> int | None:
    """How often a process has gone to sleep, if it sleeps."""
    try:
        text = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return None
    values = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    is_asleep = values["State"].split()[0] == "S"
    return int(values["voluntary_ctxt_switches"]) if is_asleep else None


def wait_for_spare(server: int) -> tuple[int, int]:
    """The spare process of a server, which knows that it is ready, and its worker for LLVM."""
    looks: list[list[int | None]] = []
    found: list[tuple[int, int]] = []

    def is_there() -> bool:
        found[:] = [(each, worker) for each in children(server) for worker in children(each)]
        looks.append([sleeps(process) for process in (server, *chain.from_iterable(found))])
        # When none of them did anything in between, however slow the machine is, none of them has
        # anything more to say to another.
        return len(found) == 1 and None not in looks[-1] and looks[-1:] == looks[-2:-1]

    wait_until(is_there, "a spare process")
    return found[0]


@pytest.fixture
def served(warm_service: Service) -> tuple[Service, int]:
    """A service, and the process of its server; a test before may have ended the last one."""
    if not any(find_server(path) for path in warm_service.sockets()):
        assert warm_service.run("--version").returncode == 0
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
    assert command.wait(MAX_SECONDS) == 1
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
    assert command.wait(MAX_SECONDS) == 1
    command.communicate()


def test_a_spare_that_is_killed(served: tuple[Service, int]):
    service, server = served
    spare, worker = wait_for_spare(server)
    os.kill(spare, signal.SIGKILL)
    assert service.run(*COMPILE).returncode == 0
    wait_until(lambda: not is_alive(worker), "the end of the worker")
    assert wait_for_spare(server)[0] != spare
    assert service.server() == server


def test_a_spare_that_is_killed_with_a_command(served: tuple[Service, int]):
    service, server = served
    spare, worker = wait_for_spare(server)
    os.kill(spare, signal.SIGSTOP)
    command = service.start(*COMPILE)
    (lock,) = service.folder.glob("tileiras-xdsl/*.lock")
    wait_until(lambda: lock.read_text().split()[0] == "1", "a command that the spare has")
    os.kill(spare, signal.SIGKILL)
    assert (command.communicate()[1], command.returncode) == (b"", 0)
    wait_until(lambda: not is_alive(worker), "the end of the worker")
    assert service.server() == server


def test_a_spare_ends_with_its_server(served: tuple[Service, int]):
    _, server = served
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
