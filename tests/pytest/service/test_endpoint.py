"""Nobody else can read, write or stand in for the socket of a server."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from tileiras_xdsl.driver.service import client, endpoint

from .conftest import PROGRAM, Service


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    with tempfile.TemporaryDirectory(prefix="tx-") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield Path(folder)


def test_folder_is_private(runtime: Path):
    path = Path(endpoint.folder())
    assert path == runtime / "tileiras-xdsl"
    assert path.stat().st_mode & 0o777 == 0o700


def test_folder_of_others_is_refused(runtime: Path):
    Path(endpoint.folder()).chmod(0o770)
    with pytest.raises(endpoint.EndpointError, match="only its user"):
        endpoint.folder()


def test_link_is_refused(runtime: Path, tmp_path: Path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (runtime / "tileiras-xdsl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(endpoint.EndpointError, match="only its user"):
        endpoint.folder()


def test_runtime_folder_of_another_user_is_not_used(runtime: Path):
    runtime.chmod(0o755)
    assert not endpoint.folder().startswith(str(runtime))


def test_planted_socket_is_refused(monkeypatch: pytest.MonkeyPatch):
    """A process of another user answers at the address."""
    folder = tempfile.mkdtemp(prefix="tx-")
    path = f"{folder}/planted"
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen()
    connection = endpoint.connect(path)
    assert connection is not None
    assert endpoint.peer(connection) == (os.getpid(), os.getuid())
    connection.close()
    uid = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: uid + 1)
    with pytest.raises(endpoint.EndpointError, match="another user"):
        endpoint.connect(path)
    listener.close()
    shutil.rmtree(folder)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_another_user_cannot_connect(service: Service):
    assert service.run("--version").returncode == 0
    (path,) = service.sockets()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        os._exit(socket.socket(socket.AF_UNIX).connect_ex(str(path)))
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == errno.EACCES


@pytest.mark.long
def test_no_folder(service: Service):
    """Where no socket can be made, the command works by itself."""
    (service.folder / "tileiras-xdsl").write_text("in the way")
    arguments = (PROGRAM, "--gpu-name=sm_90", "--emit=ptx")
    result = service.run(*arguments, mode="1")
    assert result.returncode == 0
    assert result.stderr == b""
    required = service.run(*arguments)
    assert required.returncode == 1
    assert required.stderr == b"tileiras-xdsl: there is no compile server\n"


@pytest.mark.parametrize("name", ["PYTHONPATH", "LD_LIBRARY_PATH", "LC_ALL", "LANG"])
def test_identity_has_what_a_start_depends_on(name: str):
    assert endpoint.identity({name: "a"}) != endpoint.identity({name: "b"})


def test_identity_has_nothing_else():
    assert endpoint.identity({"CUDA_HOME": "a"}) == endpoint.identity({"PWD": "b"})


def test_client_imports_little():
    """Nothing but what Python has imported when it starts."""
    code = "import sys, os; before = set(sys.modules); import tileiras_xdsl.driver.service.client; "
    code += "print(*sorted(set(sys.modules) - before))"
    result = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": str(Path(client.__file__).parents[3])},
        capture_output=True,
        text=True,
        check=True,
    )
    own = {"tileiras_xdsl", "tileiras_xdsl.driver", "tileiras_xdsl.driver.service"}
    own |= {f"tileiras_xdsl.driver.service.{name}" for name in ("client", "endpoint", "request")}
    assert set(result.stdout.split()) == own
