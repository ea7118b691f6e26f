# pyright: basic
"""
TileGym's kernels in CUDA Tile C++, by its own host code.

    python benchmarks/board/cpp_cases.py FOLDER NVCC

What the cases launch is found without a GPU, by tensors without elements (`FakeTensorMode` of
torch). nvcc makes bytecode of it in FOLDER. With `CPP_BYTECODE=FOLDER` the board (board.py) has
these cases as `cpp.…`: each `tileiras` makes cubins of the bytecode, and TileGym's host code
launches them, by our driver in place of cuda-core. It needs torch and tilegym, for bytecode nvcc
13.3 or newer.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

CPP = "cpp."
"""The first part of the names of these cases."""


@dataclass(frozen=True)
class Instance:
    """An instantiation of a template, and the file of its bytecode."""

    header: Path
    include: Path
    text: str
    bytecode: str


def bytecode_name(cubin: str) -> str:
    """The file of the bytecode of what TileGym calls by the name of a cubin, which is long."""
    return f"{zlib.crc32(cubin.encode()):08x}.tilebc"


LOADED: set[str] = set()
"""The plain names of kernels that were loaded."""


def plain_name(kernel: str) -> str:
    """The name of a kernel in C++ without types, be it mangled or what CUPTI makes of it."""
    if mangled := re.match(r"_Z(\d+)", kernel):
        return kernel[mangled.end() :][: int(mangled[1])]
    return re.split(r"[<(]", kernel.removeprefix("void "), maxsplit=1)[0]


def was_loaded(kernel: str) -> bool:
    """Whether a kernel was launched from here; torch's are templates in C++ as well."""
    return plain_name(kernel) in LOADED


class Loaded:
    """A kernel of a cubin, as cuda-core has it."""

    def __init__(self, cubin: bytes):
        self.cubin = cubin
        self.launchers: dict[tuple[str, ...], Any] = {}

    def get_kernel(self, name: str) -> Loaded:
        self.name = name
        LOADED.add(plain_name(name))
        return self

    def launch(self, grid: tuple[int, ...], args: tuple[Any, ...], stream: int) -> None:
        """Launches CTAs of one thread, as TileGym does; the code requires as many as it needs."""
        import torch

        from tileiras_xdsl.backend import cuda
        from tileiras_xdsl.backend.launch_record import LaunchRecord, Parameter

        kinds = [each.dtype for each in args]
        types = tuple(
            "ptr" if kind.str == "<u8" else f"{'f' if kind.kind == 'f' else 'i'}{8 * kind.itemsize}"
            for kind in kinds
        )
        if types not in self.launchers:
            major, minor = torch.cuda.get_device_capability()
            parameters = tuple(map(Parameter, types))
            record = LaunchRecord(self.name, f"sm_{major}{minor}", parameters, (1, 1, 1))
            self.launchers[types] = cuda.load(self.cubin, record)
        self.launchers[types].launch(grid, [each.item() for each in args], stream)


def replace_cuda_core() -> None:
    """Gives TileGym the part of cuda-core and cuda-bindings that it uses."""
    import torch

    class Device:
        def __init__(self, index: int):
            self.compute_capability = torch.cuda.get_device_capability(index)

        def set_current(self) -> None: ...

    def launch(stream: int, config: SimpleNamespace, kernel: Loaded, *args: Any) -> None:
        grid = config.grid if isinstance(config.grid, (tuple, list)) else (config.grid,)
        kernel.launch(tuple(map(int, grid)), args, stream)

    core: Any = ModuleType("cuda.core")
    core.Device, core.launch, core.LaunchConfig = Device, launch, SimpleNamespace
    core.Stream = SimpleNamespace(from_handle=int)
    core.ObjectCode = SimpleNamespace(from_cubin=Loaded)
    bindings: Any = ModuleType("cuda.bindings")
    bindings.driver = SimpleNamespace(cuCtxGetCurrent=lambda: (0, 0))
    sys.modules |= {"cuda.core": core, "cuda.bindings": bindings}


def entry_name(cubin: bytes, *_: object, **__: object) -> str:
    """The name of the only kernel of a cubin."""
    found = re.search(rb"\.text\.(\w+)", cubin)
    return found[1].decode() if found else ""


def prepare_tilegym(cubins: Path) -> None:
    """Makes TileGym launch its kernels in C++, compiled from bytecode."""
    os.environ["TILECPP_CACHE_DIR"] = str(cubins)
    os.environ |= {"TILEGYM_DISABLE_AUTOTUNE": "1", "DISABLE_FALLBACK": "1"}
    replace_cuda_core()
    import tilegym
    from tilegym.backend import dispatcher, selector
    from tilegym.ops import tilecpp

    # It is not asked for an nvcc: the kernels are there.
    dispatcher.is_tilecpp_available = selector.is_tilecpp_available = lambda: True
    autotuner = importlib.import_module("tilegym.ops.tilecpp.autotuner")
    normalize = autotuner._normalize_search_space
    autotuner._normalize_search_space = lambda space: normalize(list(space)[:1])
    importlib.reload(tilecpp)
    from tilegym.ops.tilecpp.utils import _cuda_utils as utils

    utils.get_kernel_name_from_cubin = entry_name
    utils.TileCppKernel._compile_kernel = compile_bytecode
    tilegym.set_backend("tilecpp")


def compile_bytecode(kernel: object, path: Path, *_: object) -> bytes:
    """The cubin of a kernel, by the `tileiras` that is first on the PATH."""
    import torch

    major, minor = torch.cuda.get_device_capability()
    bytecode = Path(os.environ["CPP_BYTECODE"], bytecode_name(path.name))
    output = path.with_suffix(f".{os.getpid()}")
    command = ["tileiras", str(bytecode), "-o", str(output), f"--gpu-name=sm_{major}{minor}"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip())
    output.rename(path)
    return path.read_bytes()


@cache
def find_cases(cubins: Path) -> dict[str, Callable[[], Callable[[], object]]]:
    """The calls that launch kernels in C++, by name; cubins are kept in a folder."""
    import tilegym_cases

    prepare_tilegym(cubins)
    from tilegym import get_registry_info, ops

    tilegym_cases.ops = lambda: ops
    add_cases(tilegym_cases, ops)
    has_cpp = {name for name, found in get_registry_info().items() if "tilecpp" in found}
    has_cpp |= {"swiglu", "fused_moe"}
    return {
        f"{CPP}{name}": make
        for name, make in tilegym_cases.CASES.items()
        if name.split()[0] in has_cpp
    }


def add_cases(cases: Any, ops: Any) -> None:
    """Adds calls that launch kernels which the others do not."""
    from tilegym.ops.tilecpp import rms_norm

    rand = cases.rand
    for b, m, n, k in ((32, 2048, 128, 2048), (16, 128, 128, 128)):
        cases.forward(
            f"bmm {b}x{m}x{n}x{k} tiled",
            lambda b=b, m=m, n=n, k=k: (
                lambda x, y: ops.bmm(x, y, static_persistent=False),
                (rand(b, m, k, dtype=cases.F16), rand(b, k, n, dtype=cases.F16)),
            ),
        )
    for columns in (4096, 32768):
        cases.with_gradients(
            f"softmax 1024x{columns}", lambda n=columns: (ops.softmax, (rand(1024, n),))
        )
    cases.with_gradients(
        "silu_and_mul 1024x28672", lambda: (ops.silu_and_mul, (rand(1024, 28672),))
    )
    cases.forward(
        "silu_and_mul 8192x28672 default",
        lambda: (lambda x: ops.silu_and_mul(x, kernel_type="default"), (rand(8192, 28672),)),
    )
    cases.with_gradients(
        "apply_rope_base 2x1024",
        lambda: (
            lambda q, k: ops.apply_rope_base(q, k, rand(1, 1024, 128), rand(1, 1024, 128)),
            (rand(2, 32, 1024, 128), rand(2, 8, 1024, 128)),
        ),
    )
    cases.with_gradients(
        "fmha 2x16/16x2048x128",
        lambda: (
            lambda q, k, v: ops.fmha(q, k, v, scaling=128**-0.5, is_causal=True),
            tuple(rand(2, 16, 2048, 128) for _ in range(3)),
        ),
    )
    cases.forward(
        "mla_decoding 32x8192 not transposed",
        lambda: (
            lambda *args: ops.mla_decoding(*args, 0.07, transpose=False),
            (rand(32, 128, 512), rand(32, 128, 64), rand(32, 8192, 512), rand(32, 8192, 64)),
        ),
    )
    cases.forward(
        "attention_sink_decode 32x4096",
        lambda: (
            lambda *args: ops.attention_sink_decode(*args, 0.125, None, cases.ints(1, 1) + 4095),
            (
                rand(32, 1, 8, 8, 64),
                rand(32, 4096, 8, 64),
                rand(32, 4096, 8, 64),
                rand(64),
            ),
        ),
    )

    def view_norm(x: Any, weight: Any) -> Any:
        out, rstd = x.new_empty(x.shape), x.new_empty(len(x), dtype=cases.F32)
        sys.modules[rms_norm.__module__]._launch_rms_norm_kernel_pv(
            x, weight, out, rstd, *x.shape, 1e-5, x.shape[1]
        )
        return out

    cases.forward("rms_norm 8192x4096 views", lambda: (view_norm, (rand(8192, 4096), rand(4096))))
    add_experts(cases)


def add_experts(cases: Any) -> None:
    """Adds both layers of a mixture of experts in f8. Each expert gets the same number of rows."""
    import torch
    from tilegym.ops.tilecpp import moe

    tokens, hidden, inner, experts, top, block = 4096, 2048, 1408, 64, 6, 128
    rows = tokens * top

    def route() -> tuple[Any, ...]:
        """Weights and experts of all tokens; rows by expert; experts of blocks; how many rows."""
        numbers = torch.arange(rows, device="cuda", dtype=torch.int32)
        of_blocks = numbers[:experts].repeat_interleave(rows // experts // block)
        count = torch.full((1,), rows, device="cuda", dtype=torch.int32)
        ids = (numbers % experts).view(tokens, top)
        return cases.rand(tokens, top), ids, numbers.view(-1, experts).T.flatten(), of_blocks, count

    def scaled(*shape: int) -> tuple[Any, Any]:
        """A matrix in f8 for each expert, or one; a scale for 128 x 128, or for 128 of a row."""
        *parts, n, k = shape
        scales = torch.rand(*parts, n // block if parts else n, k // block, device="cuda")
        return cases.rand(*shape, dtype=cases.F8), scales

    def first() -> tuple[Any, tuple[Any, ...]]:
        (x, p), (gate, q), (up, r) = (
            scaled(*shape) for shape in ((tokens, hidden), *[(experts, inner, hidden)] * 2)
        )
        routes, out = route(), cases.rand(rows, inner)

        def call(*args: Any) -> Any:
            moe.invoke_fused_moe_fc1_layer_kernel(*args, None, False, top, {}, None, True, True)
            return out

        return call, (x, gate, up, out, p, q, r, *routes)

    def second() -> tuple[Any, tuple[Any, ...]]:
        (x, p), (weights, q) = scaled(rows, inner), scaled(experts, hidden, inner)
        routes, out = route(), cases.rand(tokens, top, hidden)

        def call(*args: Any) -> Any:
            moe.invoke_fused_moe_fc2_layer_kernel(*args, None, True, top, {}, None, True, True)
            return out

        return call, (x, weights, out, p, q, *routes)

    cases.forward(f"invoke_fused_moe_fc1_layer_kernel {tokens} tokens", first)
    cases.forward(f"invoke_fused_moe_fc2_layer_kernel {tokens} tokens", second)


def record(folder: Path) -> list[Instance]:
    """What the cases launch, found without a GPU."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.overrides import TorchFunctionMode

    class OnCpu(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            if str(kwargs.get("device", "")).startswith("cuda"):
                kwargs["device"] = "cpu"
            return function(*args, **kwargs)

    stream = SimpleNamespace(cuda_stream=0, synchronize=lambda: None)
    torch.cuda.current_device = lambda: 0
    torch.cuda.get_device_capability = lambda *_: (9, 0)
    torch.cuda.get_device_properties = lambda *_: SimpleNamespace(multi_processor_count=132)
    torch.cuda.current_stream = lambda *_: stream
    cases = find_cases(folder)
    from tilegym.ops.tilecpp import autotuner
    from tilegym.ops.tilecpp.utils import _cuda_utils as utils

    autotuner._time_ms = lambda *_, **__: 0.0
    found: dict[str, Instance] = {}

    def compile_later(kernel: Any, path: Path, parameters: list[str], signature: str, kind: str):
        types = signature.replace("{T}", kind)
        name = f"{kernel.kernel_name}<{', '.join(parameters)}>"
        found[path.name] = Instance(
            kernel.source_path,
            utils.TILECPP_HEADER_PATH,
            f"template __tile_global__ void {name}({types});",
            bytecode_name(path.name),
        )
        return b".text.kernel"

    utils.TileCppKernel._compile_kernel = compile_later
    utils.TileCppKernel.launch = lambda *_, **__: None
    for name, make in cases.items():
        before = len(found)
        try:
            with FakeTensorMode(), OnCpu():
                make()()
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error)[:150]}")
        else:
            print(f"{name}: {len(found) - before} new")
    return list(found.values())


def compile_all(folder: Path, nvcc: str) -> int:
    """Writes the bytecode of all cases; returns how many failed."""
    instances = record(folder)
    folder.mkdir(parents=True, exist_ok=True)
    options = ["--tile-only", "-tilebc", "-std=c++20", "-arch=sm_90"]

    def compile_one(instance: Instance) -> bool:
        output = folder / instance.bytecode
        source = output.with_suffix(".cu")
        source.write_text(f'#include "{instance.header}"\n{instance.text}\n')
        command = [nvcc, *options, "-I", str(instance.include), str(source), "-o", str(output)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        source.unlink()
        if result.returncode != 0:
            print(f"{instance.text}: {result.stderr.strip()[:400]}")
        return result.returncode == 0

    missing = [each for each in instances if not (folder / each.bytecode).exists()]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        done = list(threads.map(compile_one, missing))
    print(f"{len(instances)} instantiations, {done.count(False)} failed")
    return done.count(False)


if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[2] / "src"), str(Path(__file__).parent)]
    sys.exit(compile_all(Path(sys.argv[1]), sys.argv[2]))
