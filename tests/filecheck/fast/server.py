"""
Runs the tools of the FileCheck tests in processes that have imported everything already.

`lit.cfg` starts it, and puts `client.py` under the names of the tools first on PATH. A client hands
over its arguments, directory, environment and standard streams; a fork of this process becomes the
tool. Nothing else differs from running the tool itself.
"""

from __future__ import annotations

import array
import atexit
import gc
import importlib
import marshal
import os
import pkgutil
import signal
import socket
import sys
import tempfile
from typing import Any

TOOLS = {
    "filecheck": "filecheck.main",
    "tileiras-opt": "tileiras_xdsl.tools.tileiras_opt",
    "xdsl-opt": "xdsl.tools.xdsl_opt",
}
PACKAGES = ("dialects", "text", "bytecode", "transforms", "backend", "xdsl_extras")
STREAMS = 3
HEADER = 4
"""Bytes that say how many follow."""
MAX_REQUEST = 1 << 20

WARM_UP = """\
cuda_tile.module @kernels {
  entry @kernel(%a: tile<ptr<f32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %view = make_tensor_view %a, shape = [%n], strides = [1]
      : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %tiles = make_partition_view %view : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %token = make_token : token
    %last = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%t = %token) -> (token) {
      %tile, %loaded = load_view_tko weak %tiles[%i] token=%t
        : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32>
        -> tile<128xf32>, token
      %sum = addf %tile, %tile rounding<nearest_even> : tile<128xf32>
      %stored = store_view_tko weak %sum, %tiles[%i] token=%loaded
        : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32>
        -> token
      continue %stored : token
    }
    return
  }
}
"""
"""A kernel that the server compiles before it forks."""


def import_all() -> None:
    """Imports what the tools import when they run."""
    for module in TOOLS.values():
        importlib.import_module(module)
    for name in PACKAGES:
        package = importlib.import_module(f"tileiras_xdsl.{name}")
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(found.name)


def warm_up() -> None:
    """
    Compiles a kernel down to the code of threads, and prints it after every level: what a first run
    makes, such as options, parsers of types and caches of constraints, is then there in every fork.
    """
    from tileiras_xdsl.pipeline import select_steps
    from tileiras_xdsl.tools.tileiras_opt import main

    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "in.mlir")
        with open(path, "w") as file:
            file.write(WARM_UP)
        for stage in ("cuda-tile", "tileaa", "tileas", "nvgpu"):
            passes = ",".join(step.spec("sm_90") for step in select_steps(3, to=stage))
            if main([path, "-p", passes, "-o", os.path.join(directory, "out.mlir")]):
                sys.exit("the kernel to warm up with does not compile")


def receive(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """What a client asks for, and its streams."""
    descriptors = array.array("i")
    space = socket.CMSG_SPACE(STREAMS * descriptors.itemsize)
    data, extra, _, _ = connection.recvmsg(MAX_REQUEST, space)
    for level, kind, content in extra:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            descriptors.frombytes(content)
    while len(data) < HEADER or len(data) < HEADER + int.from_bytes(data[:HEADER], "little"):
        data += connection.recv(MAX_REQUEST)
    return marshal.loads(data[HEADER:]), list(descriptors)


def become(request: dict[str, Any], descriptors: list[int]) -> int:
    """Runs a tool in this process; returns its exit code."""
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    # The streams of this process may have been of another kind, such as files.
    sys.stdin = sys.__stdin__ = open(0, closefd=False)
    sys.stdout = sys.__stdout__ = open(1, "w", closefd=False)
    sys.stderr = sys.__stderr__ = open(2, "w", errors="backslashreplace", closefd=False)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # A tool ends before there is garbage to speak of.
    gc.disable()
    os.chdir(request["directory"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = request["arguments"]
    main = importlib.import_module(TOOLS[request["tool"]]).main
    try:
        code = main()
    except SystemExit as ending:
        code = ending.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    if isinstance(code, str):
        print(code, file=sys.stderr)
        code = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return int(code or 0)


def main() -> None:
    path = sys.argv[1]
    import_all()
    warm_up()
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    server = socket.socket(socket.AF_UNIX)
    server.bind(path + ".new")
    server.listen(64)
    # Clients look for the name only when somebody listens.
    os.rename(path + ".new", path)
    while True:
        connection, _ = server.accept()
        if os.fork():
            connection.close()
            continue
        server.close()
        code = 1
        try:
            code = become(*receive(connection))
            connection.sendall(bytes([code & 0xFF]))
        finally:
            os._exit(code & 0xFF)


if __name__ == "__main__":
    main()
