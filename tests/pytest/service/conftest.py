"""A compile service of a test's own, and commands that ask it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tileiras_xdsl.driver.service import endpoint
from tileiras_xdsl.driver.service.endpoint import connect

CLIENT = (sys.executable, "-m", "tileiras_xdsl.driver.service.client")
PROGRAM = Path(__file__).parents[2] / "corpus" / "bytecode" / "13.4" / "vector_add.tileirbc"
MAX_SECONDS = 60.0


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Waits for something that happens in another process."""
    end = time.monotonic() + MAX_SECONDS
    while not condition():
        assert time.monotonic() < end, f"{what} did not happen"
        time.sleep(0.02)


def prepend_path(folder: Path) -> str:
    """A value of PYTHONPATH by which modules are first looked for in a folder."""
    return os.pathsep.join((str(folder), *filter(None, [os.environ.get("PYTHONPATH")])))


@dataclass
class Service:
    """A folder for sockets, and the environment in which commands find it."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict[str, str])

    def env(self, more: Mapping[str, str] | None = None, mode: str = "require") -> dict[str, str]:
        own = {"XDG_RUNTIME_DIR": str(self.folder), endpoint.ENABLE_VARIABLE: mode}
        return {**os.environ, **own, **self.environment, **(more or {})}

    def run(
        self,
        *arguments: str | Path,
        mode: str = "require",
        env: Mapping[str, str] | None = None,
        **options: Any,
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs the command to its end; `mode` is the value of TILEIRAS_XDSL_SERVER."""
        options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run(  # pyright: ignore[reportUnknownVariableType]
            [*CLIENT, *map(str, arguments)],
            env=self.env(env, mode),
            capture_output=True,
            check=False,
            timeout=MAX_SECONDS,
            **options,
        )

    def start(
        self, *arguments: str | Path, env: Mapping[str, str] | None = None, nice: int = 0
    ) -> subprocess.Popen[bytes]:
        """Starts the command in a process group of its own, with so much less priority."""

        def prepare() -> None:
            # A shell without job control has what it starts in the background ignore the keyboard.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.nice(nice)

        return subprocess.Popen(
            [*CLIENT, *map(str, arguments)],
            env=self.env(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=prepare,
        )

    def sockets(self) -> list[Path]:
        folder = self.folder / "tileiras-xdsl"
        return [path for path in folder.glob("*") if path.is_socket() and not path.suffix]

    def server(self) -> int:
        """The process of the only server."""
        (path,) = self.sockets()
        process = find_server(path)
        assert process is not None
        return process

    def end(self) -> None:
        """Ends all servers."""
        for path in self.sockets():
            if (process := find_server(path)) is not None:
                os.kill(process, signal.SIGTERM)
                # What was forked from one that was killed may have its socket for a while.
                wait_until(lambda path=path: find_server(path) is None, "the end of a server")
        shutil.rmtree(self.folder)


def find_server(path: Path) -> int | None:
    """The process that listens at a socket; none if there is none any more."""
    connection = connect(str(path))
    if connection is None:
        return None
    process, _ = endpoint.peer(connection)
    connection.close()
    return process


@pytest.fixture
def service() -> Generator[Service]:
    """A service of its own; the path of a socket must be short."""
    made = Service(Path(tempfile.mkdtemp(prefix="tx-")))
    yield made
    made.end()


@pytest.fixture(scope="module")
def warm_service() -> Generator[Service]:
    """The service of a module, for tests that leave it as it is."""
    made = Service(Path(tempfile.mkdtemp(prefix="tx-")))
    assert made.run("--version").returncode == 0
    yield made
    made.end()


@pytest.fixture
def slow_ptxas(tmp_path: Path) -> Path:
    """A ptxas that writes its process number to a file beside it, and then takes forever."""
    path = tmp_path / "ptxas"
    pid = tmp_path / "pid"
    path.write_text(f"#!/bin/sh\necho $$ > {pid}.new\nmv {pid}.new {pid}\nexec sleep 600\n")
    path.chmod(0o755)
    return path
