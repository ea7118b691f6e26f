# pyright: basic
"""
What launches share, on the GPU: kernels that start before the one ahead of them has ended, with
kernels of others between them; a heap that is too small for the CTAs that run; tensors without
elements, graphs that run side by side, streams that come and go, and fewer SMs than the GPU has.

    python tests/gpu/check_shared_state.py make FOLDER    # needs xDSL, LLVM, ptxas and cuda-tile
    python tests/gpu/check_shared_state.py run FOLDER     # needs a GPU (sm_90) and torch, not xDSL

Each case is a process of its own. The table in docs/backend.md says what they are about. Lines that
begin with `shown` are no checks: they say whether a case would find a launch that trusts too much.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "benchmarks" / "gpu")]

HEAP_TILE = 1 << 18
SIZE = 1024
ROUNDS = 100
LIMIT = 120
"""Seconds that a case may take."""

HEAD = """.version 8.0
.target sm_90
.address_size 64
"""
FOREIGN = {
    # Lets others start, and writes its numbers late.
    "slow": ("ptr", "f32", "i32"),
    # Does nothing, and does not wait for the one ahead of it.
    "hasty": (),
    # Reads x before it waits, and y behind that: z = x + y.
    "follower": ("ptr", "ptr", "ptr"),
}
FOREIGN_PTX = {
    "slow": """
.visible .entry slow(.param .u64 x, .param .f32 v, .param .u32 n) {
  .reg .pred %p; .reg .b32 %t, %c, %n; .reg .f32 %v; .reg .b64 %x, %o;
  griddepcontrol.launch_dependents;
  ld.param.u64 %x, [x]; ld.param.f32 %v, [v]; ld.param.u32 %n, [n];
again:
  nanosleep.u32 100000;
  sub.u32 %n, %n, 1;
  setp.gt.s32 %p, %n, 0;
  @%p bra again;
  mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x;
  mad.lo.u32 %t, %c, 128, %t;
  mul.wide.u32 %o, %t, 4; add.u64 %x, %x, %o;
  st.global.f32 [%x], %v;
  ret;
}
""",
    "hasty": """
.visible .entry hasty() {
  griddepcontrol.launch_dependents;
  ret;
}
""",
    "follower": """
.visible .entry follower(.param .u64 x, .param .u64 y, .param .u64 z) {
  .reg .b32 %t, %c; .reg .f32 %a, %b; .reg .b64 %x, %y, %z, %o;
  ld.param.u64 %x, [x]; ld.param.u64 %y, [y]; ld.param.u64 %z, [z];
  mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x;
  mad.lo.u32 %t, %c, 128, %t;
  mul.wide.u32 %o, %t, 4;
  add.u64 %x, %x, %o; add.u64 %y, %y, %o; add.u64 %z, %z, %o;
  ld.volatile.global.f32 %a, [%x];
  griddepcontrol.wait;
  ld.volatile.global.f32 %b, [%y];
  add.f32 %a, %a, %b;
  st.global.f32 [%z], %a;
  ret;
}
""",
}


# On the development machine


def make(folder: Path) -> None:
    """Writes cubins and launch records."""
    import cuda.tile as ct
    import numpy as np

    import tileiras_xdsl

    @ct.kernel
    def double(x, y):
        i = ct.bid(0)
        ct.store(y, (i,), ct.load(x, (i,), (128,)) * 2)

    @ct.kernel
    def swap(a, b):
        i = ct.bid(0)
        x = ct.load(a, (i,), (HEAP_TILE,))
        y = ct.load(b, (i,), (HEAP_TILE,))
        ct.store(a, (i,), y)
        ct.store(b, (i,), x)

    @ct.kernel
    def product(a, b, c):
        i, j = ct.bid(0), ct.bid(1)
        total = ct.full((128, 128), 0, ct.float32)
        for k in range(ct.num_tiles(a, axis=1, shape=(128, 64))):
            x = ct.load(a, (i, k), (128, 64), padding_mode=ct.PaddingMode.ZERO)
            y = ct.load(b, (k, j), (64, 128), padding_mode=ct.PaddingMode.ZERO)
            total = ct.mma(x, y, total)
        ct.store(c, (i, j), total.astype(c.dtype))

    @ct.kernel
    def add(a, b, c):
        i = ct.bid(0)
        x = ct.load(a, (0, 0), (128, 64), padding_mode=ct.PaddingMode.ZERO)
        ct.store(
            c, (i, 0), ct.mma(x, ct.load(b, (0, 0), (64, 64)), ct.full((128, 64), 1, ct.float32))
        )

    vector = np.zeros(SIZE, np.float32)
    pieces = np.zeros(4 * HEAP_TILE, np.float32)
    matrix = np.zeros((512, 512), np.float16)
    rows, square, sums = (
        np.zeros(shape, dtype)
        for shape, dtype in (
            ((128, 64), np.float16),
            ((64, 64), np.float16),
            ((256, 64), np.float32),
        )
    )
    kernels = {
        "double": (double, [vector, vector], "host-maps"),
        "swap": (swap, [pieces, pieces], "device-maps"),
        "product": (product, [matrix] * 3, "host-maps"),
        "product_built": (product, [matrix] * 3, "device-maps"),
        "add": (add, [rows, square, sums], "host-maps"),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, (kernel, arguments, abi) in kernels.items():
        made = tileiras_xdsl.compile(kernel, "sm_90", args=arguments, abi=abi, cache=False)
        (folder / f"{name}.cubin").write_bytes(made.cubin)
        (folder / f"{name}.json").write_text(made.launch_record.to_json())
        record = made.launch_record
        about = f"programmatic {record.programmatic}, heap {record.heap}"
        print(f"{name}: {record.abi}, {len(record.tensor_maps)} maps, {about}")


# On the machine with the GPU


class Gpu:
    """Kernels by name, and what the launcher does not need of the driver, as graphs."""

    def __init__(self, folder: Path):
        from run import replace_missing

        replace_missing()
        import torch

        from tileiras_xdsl.backend import cuda
        from tileiras_xdsl.backend.driver import load_library

        torch.zeros(1, device="cuda")
        self.folder, self.cuda, self.torch = folder, cuda, torch
        self.library = load_library()

    def kernel(self, name: str, **changes):
        from tileiras_xdsl.backend.launch_record import LaunchRecord, Parameter

        if name in FOREIGN:
            parameters = tuple(map(Parameter, FOREIGN[name]))
            record = LaunchRecord(name, "sm_90", parameters, (128, 1, 1))
            return self.cuda.load(HEAD + FOREIGN_PTX[name], record)
        record = LaunchRecord.from_json((self.folder / f"{name}.json").read_text())
        image = (self.folder / f"{name}.cubin").read_bytes()
        return self.cuda.load(image, replace(record, **changes))

    def call(self, name: str, *arguments) -> None:
        if status := getattr(self.library, name)(*arguments):
            raise RuntimeError(f"{name} failed: {status}")

    def capture(self, stream, work) -> ctypes.c_void_p:
        """The graph of what a function launches on a stream."""
        handle, graph = ctypes.c_void_p(stream.cuda_stream), ctypes.c_void_p()
        # In the mode that forbids most.
        self.call("cuStreamBeginCapture_v2", handle, ctypes.c_int(0))
        try:
            work()
        finally:
            self.call("cuStreamEndCapture", handle, ctypes.byref(graph))
        return graph

    def instantiate(self, graph: ctypes.c_void_p) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        self.call("cuGraphInstantiateWithFlags", ctypes.byref(made), graph, ctypes.c_uint64(0))
        return made

    def replay(self, made: ctypes.c_void_p, stream) -> None:
        self.call("cuGraphLaunch", made, ctypes.c_void_p(stream.cuda_stream))

    def count_early(self, graph: ctypes.c_void_p) -> int:
        """How many edges of a graph are programmatic."""
        count = ctypes.c_size_t(64)
        ends = [(ctypes.c_void_p * 64)() for _ in range(2)]
        edges = (ctypes.c_ubyte * (8 * 64))()
        self.call("cuGraphGetEdges_v2", graph, *ends, edges, ctypes.byref(count))
        return sum(edges[8 * index + 2] == 1 for index in range(count.value))


def flat(*arrays) -> list:
    return [value for array in arrays for value in (array, *array.shape, *array.stride())]


class Chain:
    """`slow` writes x late; `hasty` starts early and ends at once; `double` reads x."""

    def __init__(self, gpu: Gpu):
        torch = gpu.torch
        self.gpu, self.stream = gpu, torch.cuda.Stream()
        self.x, self.y, self.z = (torch.zeros(SIZE, device="cuda") for _ in range(3))
        self.slow, self.hasty, self.follower, self.double = map(
            gpu.kernel, ("slow", "hasty", "follower", "double")
        )
        assert self.double.record.programmatic
        torch.cuda.synchronize()

    def start(self, value: float) -> None:
        grid = SIZE // 128
        self.slow.launch(grid, [self.x, value, 10], self.stream)
        self.hasty.prepare(1, [], self.stream, programmatic=True)()

    def end(self, asked: bool) -> None:
        arguments = flat(self.x, self.y)
        self.double.prepare(SIZE // 128, arguments, self.stream, programmatic=asked)()

    def count_stale(self, asked: bool, graph: bool) -> int:
        stale = 0
        for turn in range(ROUNDS):
            value = float(turn + 1)

            def work(value=value) -> None:
                self.start(value)
                self.end(asked)

            if graph:
                self.gpu.replay(
                    self.gpu.instantiate(self.gpu.capture(self.stream, work)), self.stream
                )
            else:
                work()
            self.stream.synchronize()
            stale += not bool((self.y == 2 * value).all())
        return stale


def check_chain(gpu: Gpu) -> None:
    """K1; U, launched early by its user, which never waits; K3, an ordinary launch."""
    chain = Chain(gpu)
    for graph in (False, True):
        where = "in a graph" if graph else "on a stream"
        print(f"shown: {where}, {chain.count_stale(True, graph)} of {ROUNDS} stale if asked for it")
    assert chain.count_stale(False, False) == 0, "stale on a stream"
    print(
        f"shown: in a graph, {chain.count_stale(False, True)} of {ROUNDS} stale if launched plainly"
    )


def check_followers(gpu: Gpu) -> None:
    """A kernel of somebody else behind ours, which waits, and reads before that what is older."""
    chain = Chain(gpu)
    grid = SIZE // 128
    for turn in range(ROUNDS):
        value = float(turn + 1)

        def work(value=value) -> None:
            chain.slow.launch(grid, [chain.x, value, 10], chain.stream)
            chain.double.launch(grid, flat(chain.x, chain.y), chain.stream)
            arguments = [chain.x, chain.y, chain.z]
            chain.follower.prepare(grid, arguments, chain.stream, programmatic=True)()

        if turn % 2:
            gpu.replay(gpu.instantiate(gpu.capture(chain.stream, work)), chain.stream)
        else:
            work()
        chain.stream.synchronize()
        assert bool((chain.z == 3 * value).all()), f"turn {turn}"


def check_overlap(gpu: Gpu) -> None:
    """In graphs, kernels of ours overlap, and find what the ones before have written."""
    torch, stream = gpu.torch, gpu.torch.cuda.Stream()
    kernel, count = gpu.kernel("double"), 8
    arrays = [torch.zeros(SIZE, device="cuda") for _ in range(count + 1)]
    torch.cuda.synchronize()

    def work() -> None:
        for source, target in pairwise(arrays):
            kernel.launch(SIZE // 128, flat(source, target), stream)

    work()
    stream.synchronize()
    graph = gpu.capture(stream, work)
    assert gpu.count_early(graph) == count - 1, f"{gpu.count_early(graph)} edges are programmatic"
    made = gpu.instantiate(graph)
    for turn in range(ROUNDS):
        arrays[0].fill_(turn)
        torch.cuda.synchronize()
        gpu.replay(made, stream)
        stream.synchronize()
        assert bool((arrays[-1] == turn * 2**count).all()), f"turn {turn}"


def swap_all(gpu: Gpu, blocks: int, **changes) -> None:
    torch = gpu.torch
    a = torch.arange(blocks * HEAP_TILE, device="cuda", dtype=torch.float32)
    b = -a
    kept = a.clone(), b.clone()
    kernel = gpu.kernel("swap", **changes)
    for _ in range(3):
        start = time.perf_counter()
        kernel.launch(blocks, flat(a, b))
        kernel.synchronize()
        print(f"{blocks} CTAs took {time.perf_counter() - start:.3f} s")
    assert torch.equal(a, kept[1])
    assert torch.equal(b, kept[0])


def check_small_heap(gpu: Gpu) -> None:
    """As other launchers leave the heap, which has room for four CTAs: the others wait."""
    swap_all(gpu, 400, heap=0)


def check_large_heap(gpu: Gpu) -> None:
    """Our launcher makes room for all CTAs that run at once."""
    swap_all(gpu, 400)
    print(f"the heap has {gpu.cuda.Device.get().driver.call('cuCtxGetLimit', 2) >> 20} MiB")


def check_no_heap(gpu: Gpu) -> None:
    """A heap that has room for nobody: CTAs give up after a while."""
    gpu.call("cuCtxSetLimit", ctypes.c_int(2), ctypes.c_size_t(1 << 20))
    start = time.perf_counter()
    try:
        swap_all(gpu, 4, heap=0)
    except Exception as error:
        took = time.perf_counter() - start
        print(f"failed after {took:.1f} s: {type(error).__name__}")
        assert took > 1, "it did not wait"
    else:
        print("shown: the driver gave it a larger heap")


def check_empty(gpu: Gpu) -> None:
    """The first launch with a tensor without elements is captured, and so is that of its code."""
    torch, stream = gpu.torch, gpu.torch.cuda.Stream()
    b = torch.ones(64, 64, device="cuda", dtype=torch.float16)
    sums = [torch.zeros(256, 64, device="cuda") for _ in range(2)]
    arguments = [[0, 0, 64, 64, 1, *flat(b, c)] for c in sums]
    torch.cuda.synchronize()

    def work() -> None:
        kernel = gpu.kernel("add")
        assert kernel.record.tensor_maps
        kernel.launch(2, arguments[0], stream)
        kernel.prepare(2, arguments[1], stream)()

    made = gpu.instantiate(gpu.capture(stream, work))
    for _ in range(2):
        gpu.replay(made, stream)
    stream.synchronize()
    assert all(bool((c == 1).all()) for c in sums)


def check_graphs(gpu: Gpu) -> None:
    """Two graphs captured on one stream, and one instantiated twice, side by side."""
    torch = gpu.torch
    streams = [torch.cuda.Stream() for _ in range(4)]
    for name in ("product", "product_built"):
        kernel = gpu.kernel(name)
        a, b = ((torch.randn(2048, 2048, device="cuda") / 32).half() for _ in range(2))
        results = [torch.zeros(2048, 2048, device="cuda", dtype=torch.float16) for _ in range(2)]
        torch.cuda.synchronize()
        kernel.launch((16, 16), flat(a, b, results[0]), streams[0])
        streams[0].synchronize()
        expected = results[0].clone()

        def work(result) -> None:
            for _ in range(4):
                kernel.launch((16, 16), flat(a, b, result), streams[0])

        graphs = [gpu.capture(streams[0], lambda result=result: work(result)) for result in results]
        made = [gpu.instantiate(graph) for graph in graphs for _ in range(2)]
        for turn in range(ROUNDS):
            for result in results:
                result.zero_()
            torch.cuda.synchronize()
            for each, stream in zip(made, streams, strict=True):
                gpu.replay(each, stream)
            torch.cuda.synchronize()
            assert all(torch.equal(result, expected) for result in results), f"{name}, turn {turn}"


def check_streams(gpu: Gpu) -> None:
    """Streams that are destroyed and made again, with launches that are still running."""
    torch = gpu.torch
    kernel = gpu.kernel("product_built")
    a, b = ((torch.randn(1024, 1024, device="cuda") / 32).half() for _ in range(2))
    results = [torch.zeros(1024, 1024, device="cuda", dtype=torch.float16) for _ in range(8)]
    kernel.launch((8, 8), flat(a, b, results[0]))
    torch.cuda.synchronize()
    expected, seen = results[0].clone(), set()
    for turn in range(ROUNDS):
        for result in results:
            result.zero_()
        torch.cuda.synchronize()
        for result in results:
            handle = ctypes.c_void_p()
            gpu.call("cuStreamCreate", ctypes.byref(handle), ctypes.c_uint(1))
            seen.add(handle.value)
            kernel.launch((8, 8), flat(a, b, result), handle.value)
            gpu.call("cuStreamDestroy_v2", handle)
        torch.cuda.synchronize()
        assert all(torch.equal(result, expected) for result in results), f"turn {turn}"
    print(f"{8 * ROUNDS} streams had {len(seen)} handles")


def check_green(gpu: Gpu) -> None:
    """A part of the SMs: a persistent kernel has CTAs for all of them."""
    torch = gpu.torch
    # Structures of the driver, larger than they are.
    whole, part, rest = ((ctypes.c_ubyte * 1024)() for _ in range(3))
    description, context, stream = (ctypes.c_void_p() for _ in range(3))
    groups = ctypes.c_uint(1)
    try:
        gpu.call("cuDeviceGetDevResource", ctypes.c_int(0), whole, ctypes.c_int(1))
        gpu.call(
            *("cuDevSmResourceSplitByCount", part, ctypes.byref(groups), whole, rest),
            *(ctypes.c_uint(0), ctypes.c_uint(8)),
        )
        gpu.call("cuDevResourceGenerateDesc", ctypes.byref(description), part, ctypes.c_uint(1))
        gpu.call(
            *("cuGreenCtxCreate", ctypes.byref(context), description),
            *(ctypes.c_int(0), ctypes.c_uint(1)),
        )
        gpu.call(
            *("cuGreenCtxStreamCreate", ctypes.byref(stream), context),
            *(ctypes.c_uint(1), ctypes.c_int(0)),
        )
    except (AttributeError, RuntimeError) as error:
        print(f"skipped: {error}")
        return
    for name in ("product", "product_built"):
        kernel = gpu.kernel(name)
        a, b = ((torch.randn(2048, 2048, device="cuda") / 32).half() for _ in range(2))
        results = [torch.zeros(2048, 2048, device="cuda", dtype=torch.float16) for _ in range(2)]
        torch.cuda.synchronize()
        for result, handle in zip(results, (0, stream.value), strict=True):
            kernel.launch((16, 16), flat(a, b, result), handle)
            kernel.synchronize(handle)
        assert torch.equal(*results), name


CASES = {
    name.removeprefix("check_").replace("_", "-"): function
    for name, function in list(globals().items())
    if name.startswith("check_")
}


def run(folder: Path) -> int:
    """Runs all cases; returns how many went wrong."""
    faults = 0
    for name in CASES:
        command = [sys.executable, __file__, "case", str(folder), name]
        start = time.perf_counter()
        try:
            result = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=LIMIT
            )
            lines = [line for line in result.stdout.splitlines() if line]
            if result.returncode:
                lines += (result.stderr.splitlines() or ["failed"])[-3:]
            verdict = "WRONG" if result.returncode else "ok"
        except subprocess.TimeoutExpired:
            verdict, lines = "HUNG", []
        faults += verdict != "ok"
        print(
            f"{verdict}: {name}, {time.perf_counter() - start:.1f} s",
            *lines,
            sep="\n  ",
            flush=True,
        )
    print(f"{len(CASES)} cases, {faults} wrong")
    return faults


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["make", folder]:
            make(Path(folder))
        case ["run", folder]:
            sys.exit(run(Path(folder)) > 0)
        case ["case", folder, name]:
            CASES[name](Gpu(Path(folder)))
        case _:
            sys.exit(__doc__)
