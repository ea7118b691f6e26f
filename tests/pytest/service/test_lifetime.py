"""How a server starts, ends, and is replaced; and what happens to commands when it does."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tileiras_xdsl.driver.service import endpoint
from tileiras_xdsl.driver.service.server import FileWatch, started_at

from .conftest import CLIENT, MAX_SECONDS, PROGRAM, Service, prepend_path, wait_until

# What leaves a server as it is shares one.
pytestmark = pytest.mark.xdist_group("lifetime")

COMPILE = (PROGRAM, "--gpu-name=sm_90", "--emit=ptx")
MANY = 12
"""Commands at once."""


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def started_ptxas(fake: Path) -> int:
    """The process of a ptxas that has been started."""
    path = fake.with_name("pid")
    wait_until(path.exists, "the start of ptxas")
    return int(path.read_text())


def test_first_command_starts_a_server(service: Service):
    alone = service.run(*COMPILE, mode="1")
    assert alone.returncode == 0
    wait_until(service.sockets, "the start of a server")
    first = service.server()
    assert service.run(*COMPILE).stdout == alone.stdout
    assert service.server() == first


@pytest.mark.parametrize(
    "option", ["--help", "--version", "--list-versions", "--print-pipeline", "--no"]
)
def test_what_compiles_nothing_starts_no_server(option: str, service: Service):
    result = service.run(option, mode="1")
    assert result.returncode == (option == "--no")
    assert not list(service.folder.rglob("*.lock"))


@pytest.mark.parametrize(
    "arguments",
    [
        (PROGRAM.with_name("missing"), "--gpu-name=sm_90"),
        (PROGRAM.parent, "--gpu-name=sm_90"),
        (PROGRAM,),
        (PROGRAM, "--gpu-name=sm_999"),
        (PROGRAM, "--gpu-name=sm_90", "-O4"),
        (PROGRAM, "--gpu-name=sm_90", "-g"),
        (PROGRAM, "--gpu-name=sm_90", "--jobs=2"),
        (PROGRAM, "--gpu-name=sm_90", "--print-ir-after=none"),
        ("--batch", "missing"),
    ],
)
def test_mistakes_start_no_server(arguments: tuple[str | Path, ...], service: Service):
    result = service.run(*arguments, mode="1")
    assert result.returncode == 1
    assert result.stderr.count(b"\n") == 1
    assert not list(service.folder.rglob("*.lock"))


def test_status(service: Service, slow_ptxas: Path):
    """It says what the server does, and starts none. What killed ones leave is removed."""
    command = service.start(
        *(PROGRAM, "--gpu-name=sm_90", "-o", slow_ptxas.with_name("k.cubin")),
        env={"TILEIRAS_XDSL_PTXAS": str(slow_ptxas)},
    )
    ptxas = started_ptxas(slow_ptxas)
    shown = service.run("-server", "status").stdout.decode()
    process, (socket,) = service.server(), service.sockets()
    assert f"server {process}, since " in shown
    assert "jobs    1 running, 0 done" in shown
    assert f"socket  {socket}\n" in shown
    memory, processes = re.findall(r"memory  (\d+) MiB in (\d+) processes", shown)[0]
    assert int(memory) > 50
    assert int(processes) >= 3, "the server, its job, ptxas"
    os.kill(process, signal.SIGKILL)
    os.kill(ptxas, signal.SIGKILL)
    command.communicate(timeout=MAX_SECONDS)
    again = service.run("--server", "status")
    assert again.stdout == b"tileiras-xdsl: no server runs for this environment\n"
    assert not list(socket.parent.iterdir())


def test_another_environment_keeps_its_server(service: Service, tmp_path: Path):
    """A server of another interpreter is neither shown nor ended."""
    assert service.run("--version").returncode == 0
    (tmp_path / "python").symlink_to(sys.executable)
    code = (
        f"import sys; sys.executable = {str(tmp_path / 'python')!r}; sys.argv[1:] = "
        "['--server=stop']; from tileiras_xdsl.driver.service.client import main; main()"
    )
    other = subprocess.run(
        [sys.executable, "-c", code], env=service.env(), capture_output=True, check=True
    )
    assert other.stdout == b"tileiras-xdsl: no servers stopped\n"
    assert service.server()


@pytest.mark.long
def test_without(service: Service):
    assert service.run(*COMPILE, mode="0").returncode == 0
    assert not list(service.folder.iterdir())


GONE = """
import os, sys, time
from tileiras_xdsl.driver.service import client

def leave(connection):
    time.sleep(1)
    os._exit(7)

client.send_go = leave
sys.argv = ["tileiras-xdsl", "--version"]
client.main()
"""


def test_nothing_runs_for_a_client_that_has_gone_on(warm_service: Service):
    """A client that has waited too long runs its command by itself: nobody else runs it, too."""
    command = [sys.executable, "-c", GONE]
    gone = subprocess.run(command, env=warm_service.env(), capture_output=True, check=False)
    assert (gone.returncode, gone.stdout) == (7, b"")


def test_stop_waits_for_commands(service: Service, slow_ptxas: Path):
    command = service.start(
        *(PROGRAM, "--gpu-name=sm_90", "-o", slow_ptxas.with_name("k.cubin")),
        env={"TILEIRAS_XDSL_PTXAS": str(slow_ptxas)},
    )
    ptxas = started_ptxas(slow_ptxas)
    process = service.server()
    stop = service.start("--server", "stop")
    with pytest.raises(subprocess.TimeoutExpired):
        stop.wait(1)
    os.kill(ptxas, signal.SIGKILL)
    assert command.wait(20) == 1
    command.communicate()
    out, _ = stop.communicate(timeout=20)
    assert (stop.returncode, out) == (0, b"tileiras-xdsl: 1 server stopped\n")
    wait_until(lambda: not is_alive(process), "the end of the server")
    again = service.run("--server=stop")
    assert (again.returncode, again.stdout) == (0, b"tileiras-xdsl: no servers stopped\n")


def test_idle_server_ends(service: Service):
    service.environment["TILEIRAS_XDSL_SERVER_IDLE"] = "0.2"
    assert service.run("--version").returncode == 0
    folder = service.folder / "tileiras-xdsl"
    wait_until(lambda: not list(folder.iterdir()), "the end of the idle server with its files")


def test_changed_package(service: Service, tmp_path: Path):
    """A server of files that have changed takes no more commands."""
    source = Path(__file__).parents[3] / "src" / "tileiras_xdsl"
    copy = tmp_path / "tileiras_xdsl"
    # With what Python has compiled, but not what it is writing.
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("*.pyc.*"))
    service.environment["PYTHONPATH"] = prepend_path(tmp_path)
    service.environment["PYTHONDONTWRITEBYTECODE"] = "1"
    assert service.run("--list-versions").returncode == 0
    first = service.server()
    versions = copy / "frontend" / "bytecode" / "primitives.py"
    code = "\n\ndef format_version(version: object) -> str:\n    return 'changed'\n"
    versions.write_text(versions.read_text() + code)
    result = service.run("--list-versions", mode="1")
    assert result.stdout.startswith(b"changed\n")
    wait_until(lambda: not is_alive(first), "the end of the old server")
    assert service.run("--list-versions").stdout == result.stdout


TOLD_TO_END = """
import os, signal, sys
from tileiras_xdsl.driver.service.server import Server

server = Server(sys.argv[1], "the tests'", 60.0)
os.register_at_fork(after_in_child=lambda: os.kill(os.getpid(), signal.SIGTERM))
pid, control = server._fork(None)
status = os.waitpid(pid, 0)[1]
print(os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGTERM, server._owns_socket())
os.kill(os.getpid(), signal.SIGTERM)
print(server._owns_socket())
"""


def test_a_process_that_is_told_to_end_before_it_begins(tmp_path: Path):
    """Such as that of a client that is gone at once: it ends by itself, the server does not."""
    result = subprocess.run(
        [sys.executable, "-c", TOLD_TO_END, tmp_path / "socket"],
        capture_output=True,
        text=True,
        check=True,
        timeout=MAX_SECONDS,
    )
    assert result.stdout.split() == ["True", "True", "False"]


def test_watch_does_not_see_modules_being_compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "module.py").write_text("")
    compiled = tmp_path / "__pycache__" / "module.cpython-311.pyc.281473"
    compiled.write_text("")
    monkeypatch.setattr("tileiras_xdsl.driver.service.server._PACKAGE", tmp_path)
    watch = FileWatch(time.time_ns())
    compiled.rename(compiled.with_suffix(""))
    assert not watch.has_changed()
    (tmp_path / "module.py").write_text("changed = True\n")
    assert watch.has_changed()


def test_watch_sees_new_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "some_module.py").write_text("")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    watch = FileWatch(time.time_ns())
    __import__("some_module")
    watch.extend()
    assert not watch.has_changed()
    (tmp_path / "some_module.py").write_text("changed = True\n")
    assert watch.has_changed()


def test_watch_sees_what_changed_while_it_was_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    (tmp_path / "another_module.py").write_text("")
    before = (tmp_path / "another_module.py").stat().st_ctime_ns - 1
    __import__("another_module")
    assert FileWatch(before).has_changed()
    assert not FileWatch(time.time_ns()).has_changed()


def test_when_the_process_was_started():
    assert time.time_ns() - 3600 * 10**9 < started_at() < time.time_ns()


def test_interrupt(warm_service: Service, slow_ptxas: Path):
    """Ctrl-C ends the command with what it has started, and nothing else."""
    output = slow_ptxas.with_name("k.cubin")
    command = warm_service.start(
        *(PROGRAM, "--gpu-name=sm_90", "-o", output), env={"TILEIRAS_XDSL_PTXAS": str(slow_ptxas)}
    )
    ptxas = started_ptxas(slow_ptxas)
    os.killpg(command.pid, signal.SIGINT)
    out, err = command.communicate(timeout=MAX_SECONDS)
    assert (command.returncode, out, err) == (130, b"", b"tileiras-xdsl: interrupted\n")
    wait_until(lambda: not is_alive(ptxas), "the end of ptxas")
    assert not output.exists()
    assert warm_service.run(*COMPILE).returncode == 0


@pytest.mark.every(2)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_without_a_server(number: int, service: Service, slow_ptxas: Path):
    temporary = slow_ptxas.with_name("temporary")
    temporary.mkdir()
    command = service.start(
        *(PROGRAM, "--gpu-name=sm_90", "-o", slow_ptxas.with_name("k.cubin")),
        env={
            "TILEIRAS_XDSL_PTXAS": str(slow_ptxas),
            "TMPDIR": str(temporary),
            endpoint.ENABLE_VARIABLE: "0",
        },
    )
    ptxas = started_ptxas(slow_ptxas)
    assert list(temporary.iterdir())
    os.kill(command.pid, number)
    command.communicate(timeout=MAX_SECONDS)
    assert command.returncode == (130 if number == signal.SIGINT else -number)
    assert not list(temporary.iterdir())
    wait_until(lambda: not is_alive(ptxas), "the end of ptxas")


def test_killed_client(warm_service: Service, slow_ptxas: Path):
    """What runs for a client ends with it, and leaves no files."""
    temporary = slow_ptxas.with_name("temporary")
    temporary.mkdir()
    command = warm_service.start(
        *(PROGRAM, "--gpu-name=sm_90", "-o", slow_ptxas.with_name("k.cubin")),
        env={"TILEIRAS_XDSL_PTXAS": str(slow_ptxas), "TMPDIR": str(temporary)},
    )
    ptxas = started_ptxas(slow_ptxas)
    assert list(temporary.iterdir())
    command.kill()
    command.communicate()
    wait_until(lambda: not is_alive(ptxas), "the end of ptxas")
    wait_until(lambda: not list(temporary.iterdir()), "the end of its files")
    assert warm_service.run(*COMPILE).returncode == 0


def test_killed_job(warm_service: Service, slow_ptxas: Path):
    """A command that the system kills, as it does for memory, is one clear line."""
    command = warm_service.start(
        *(PROGRAM, "--gpu-name=sm_90", "-o", slow_ptxas.with_name("k.cubin")),
        env={"TILEIRAS_XDSL_PTXAS": str(slow_ptxas)},
    )
    ptxas = started_ptxas(slow_ptxas)
    os.kill(os.getpgid(ptxas), signal.SIGKILL)
    _, err = command.communicate(timeout=MAX_SECONDS)
    assert command.returncode == 128 + signal.SIGKILL
    assert err == b"tileiras-xdsl: the compilation was ended by signal 9\n"
    wait_until(lambda: not is_alive(ptxas), "the end of ptxas")
    assert warm_service.run(*COMPILE).returncode == 0


def test_killed_server(service: Service, slow_ptxas: Path):
    """A command goes on without its server, whose socket is no hindrance to the next one."""
    command = service.start(
        *(PROGRAM, "--gpu-name=sm_90", "-o", slow_ptxas.with_name("k.cubin")),
        env={"TILEIRAS_XDSL_PTXAS": str(slow_ptxas)},
    )
    ptxas = started_ptxas(slow_ptxas)
    process = service.server()
    os.kill(process, signal.SIGKILL)
    os.kill(ptxas, signal.SIGKILL)
    _, err = command.communicate(timeout=MAX_SECONDS)
    assert command.returncode == 1
    assert err.count(b"\n") == 1
    assert b"ptxas" in err
    wait_until(lambda: not is_alive(process), "the end of the server")
    assert service.sockets()
    assert service.run(*COMPILE, mode="1").returncode == 0
    assert service.run(*COMPILE).returncode == 0
    assert service.server() != process


def test_lost_server(service: Service, slow_ptxas: Path):
    """The server and the job are killed: one clear line."""
    command = service.start(
        *(PROGRAM, "--gpu-name=sm_90", "-o", slow_ptxas.with_name("k.cubin")),
        env={"TILEIRAS_XDSL_PTXAS": str(slow_ptxas)},
    )
    ptxas = started_ptxas(slow_ptxas)
    job = os.getpgid(ptxas)
    os.kill(service.server(), signal.SIGKILL)
    os.killpg(job, signal.SIGKILL)
    _, err = command.communicate(timeout=MAX_SECONDS)
    assert command.returncode == 1
    assert err == b"tileiras-xdsl: the compile server was lost before the command ended\n"


def test_many_at_once(warm_service: Service):
    expected = warm_service.run(*COMPILE).stdout
    with ThreadPoolExecutor(MANY) as executor:
        running = [executor.submit(warm_service.run, *COMPILE) for _ in range(MANY)]
    results = [each.result() for each in running]
    assert all(result.returncode == 0 for result in results)
    assert {result.stdout for result in results} == {expected}


def test_commands_in_a_pipe(warm_service: Service):
    """A command that waits for the output of another takes no CPU slot from it."""
    readers = [
        subprocess.Popen(
            [*CLIENT, "-", "--gpu-name=sm_90", "--emit=ptx"],
            env=warm_service.env(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(len(os.sched_getaffinity(0)) + 1)
    ]
    text = warm_service.run(PROGRAM, "--emit=cuda-tile", "--gpu-name=sm_90").stdout
    with ThreadPoolExecutor(len(readers)) as executor:
        ends = [executor.submit(reader.communicate, text, 60) for reader in readers]
    assert {end.result()[0] for end in ends} == {warm_service.run(*COMPILE).stdout}
