"""
Tensor maps: which tensors have one, and who makes it.

Kernels have ops `test.op` on views; what stands for each is a copy of a TMA tile from shared
memory, which one thread begins.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, f16
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.utils.exceptions import DiagnosticException, VerifyException

from tileiras_xdsl.backend import cuda, nvptx
from tileiras_xdsl.backend.entries import make_records
from tileiras_xdsl.backend.launch_record import LaunchRecord, Quantity
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.dialects.llvm import AtomicRMWOp
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nv_tileas.atoms import has_atom
from tileiras_xdsl.dialects.nvgpu import TmaEncodeDescriptorOp
from tileiras_xdsl.dialects.nvgpu.types import HOST_MAPS, HostMap, get_host_maps
from tileiras_xdsl.dialects.nvvm import (
    BULK_TENSOR_STORES,
    BulkTensorStoreOp,
    CpAsyncBulkCommitGroupOp,
    CpAsyncBulkWaitGroupOp,
    FenceProxyAcquireOp,
    PrefetchTensorMapOp,
    TensorMapCpFenceProxyOp,
    TensorMapReplaceOp,
)
from tileiras_xdsl.frontend.load import make_context
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.interpreter.threads.grid import SCALARS
from tileiras_xdsl.interpreter.threads.run import run_threads
from tileiras_xdsl.pipeline import select_steps
from tileiras_xdsl.targets.hopper import SM_90A
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu import misc, tensor_maps
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.barriers import only_if, take_scratch
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.conversion_pass import (
    ConvertTileasToNvgpuPass,
)
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.lowering_registry import LOWERINGS
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.thread_builder import ThreadBuilder
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.thread_index import is_first_thread
from tileiras_xdsl.transforms.nvvm.convert_nvgpu_to_nvvm import ConvertNvgpuToNvvmPass
from tileiras_xdsl.transforms.tileas.kernel_model import allocation, scratch_use
from tileiras_xdsl.transforms.tileas.kernel_model.exchanges import Exchange, KernelModel
from tileiras_xdsl.transforms.tileas.kernel_model.tma_loads import (
    can_map,
    map_dims,
    stored_element,
)

from ...backend.fake_driver import FakeDriver
from ...harness.kernels import gpu_kernel, gpu_module, num_warps
from ...harness.modules import ops_of, parse, parse_unverified
from ...harness.passes import apply, compile_threads, run_steps

BOX_BYTES = 4096
BOX = (32, 64)
HOST, DEVICE = "host-maps", "device-maps"
ROWS = "!nv_tileaa.memref<?x?xf16, strides = [?, 1]>"


def kernel(body: str, arguments: str = "%a: !llvm.ptr<1>, %m: i32, %n: i32, %s: i32") -> ModuleOp:
    """A kernel of level 2."""
    function = gpu_kernel(body, arguments.split(", "), name="copy", attributes=[num_warps(4)])
    return parse(gpu_module(function, capability=90))


def rows(name: str, base: str = "%a", size: str = "%m") -> str:
    """A matrix whose sizes and stride are arguments."""
    numbers = f"sizes({size}, %n : i32, i32) strides(%s : i32)"
    return f"{name} = nv_tileaa.make_memref {base} {numbers} : !llvm.ptr<1> -> {ROWS}\n"


def copy(name: str, ty: str = ROWS) -> str:
    return f'"test.op"({name}) : ({ty}) -> ()\n'


def view_of(module: ModuleOp) -> test.TestOp:
    (op,) = ops_of(module, test.TestOp)
    return op


def copy_tma_tile(builder: ThreadBuilder, op: test.TestOp) -> None:
    """Copies a TMA tile to the start of a view; twice, as if there were two of them."""
    (view,) = op.operands
    ty = view.type.memref if isinstance(view.type, TiledViewType) else view.type
    rank = len(map_dims(view))
    address = tensor_maps.tensor_map(builder, op, view, BOX[-rank:], 128)
    assert tensor_maps.tensor_map(builder, op, view, BOX[-rank:], 128) is address, ty
    with only_if(builder, is_first_thread(builder)):
        box = take_scratch(builder, BOX_BYTES)
        builder.emit(BULK_TENSOR_STORES[rank](address, *[builder.constant(0)] * rank, box))
        builder.emit(CpAsyncBulkCommitGroupOp())
        builder.emit(CpAsyncBulkWaitGroupOp(0, read=True))


EXCHANGES = KernelModel.exchanges


def tma_tiles_of(model: KernelModel, op: Operation) -> Sequence[Exchange]:
    """What the ops that copy need of scratch memory."""
    if isinstance(op, test.TestOp):
        return [Exchange((BOX_BYTES,), "copies")]
    return EXCHANGES(model, op)


def stores_tma_tiles(op: Operation, *atoms: str) -> bool:
    """Whether an op stores by the accelerator, as these do."""
    return has_atom(op, *atoms) or (isinstance(op, test.TestOp) and "tma_store" in atoms)


MAPS = allocation.requested_maps


def maps_of(
    code: Operation | Region, is_copied: Callable[..., bool] | None = None
) -> Iterator[tensor_maps.MapKey]:
    """The maps that these ops use."""
    for op in code.walk():
        if isinstance(op, test.TestOp):
            memref = tensor_maps.find_memref(op.operands[0])
            assert memref is not None
            rank = len(map_dims(op.operands[0]))
            element = stored_element(memref.result.type.element_type)
            yield tensor_maps.MapKey(memref.result, tuple(BOX[-rank:]), 128, element)
    yield from MAPS(code, is_copied)


@pytest.fixture(autouse=True)
def copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LOWERINGS, "test.op", copy_tma_tile)
    monkeypatch.setattr(KernelModel, "exchanges", tma_tiles_of)
    for module in (allocation, tensor_maps):
        monkeypatch.setattr(module, "requested_maps", maps_of)
    for module in (allocation, scratch_use, misc):
        monkeypatch.setattr(module, "has_atom", stores_tma_tiles)


def lower(module: ModuleOp, abi: str = DEVICE) -> ModuleOp:
    """The code of a thread."""
    return apply(module, ConvertTileasToNvgpuPass(abi=abi))


def make_record(module: ModuleOp) -> LaunchRecord:
    """What a launcher knows about the kernel of a module."""
    run_steps(module, select_steps(2, after="nvgpu", to="nvvm"), "sm_90")
    target = NvptxTarget.parse("sm_90")
    ptx = nvptx.compile_to_ptx(translate_module(module, target), target)
    (record,) = make_records(module, ptx, target, {})
    return record


# What can have a map


@pytest.mark.parametrize(
    "body",
    [
        rows("%x"),
        "%b = nv_tileaa.assume %a {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>\n"
        + rows("%x", "%b"),
        "%two = arith.constant 2 : i32\n%d = arith.muli %m, %two : i32\n" + rows("%x", size="%d"),
    ],
    ids=["arguments", "assumptions", "arithmetic"],
)
def test_tensors_with_a_map(body: str):
    assert can_map(view_of(kernel(body + copy("%x"))).operands[0])


def test_views_have_the_map_of_their_tensor():
    view = f"!nv_tileaa.tiled_view<32x64, {ROWS}>"
    tiles = "tileSizes = array<i64: 32, 64>, dimGroups = [[0 : i64], [1 : i64]]"
    body = rows("%x") + f"%v = nv_tileaa.block_tile %x {{{tiles}}} : {ROWS} -> {view}\n"
    op = view_of(kernel(body + copy("%v", view)))
    assert can_map(op.operands[0])
    memref = tensor_maps.find_memref(op.operands[0])
    assert memref is not None
    assert memref.name == "nv_tileaa.make_memref"


@pytest.mark.parametrize(
    "body",
    [
        "%p = llvm.load %a : !llvm.ptr<1> -> i32\n" + rows("%x", size="%p") + copy("%x"),
        "%true = arith.constant true\nscf.if %true {\n" + rows("%x") + copy("%x") + "}\n",
        "%x = nv_tileaa.make_memref %a : !llvm.ptr<1> -> "
        "!nv_tileaa.memref<8x8xi1, strides = [8, 1]>\n"
        + copy("%x", "!nv_tileaa.memref<8x8xi1, strides = [8, 1]>"),
        "%x = nv_tileaa.make_memref %a : !llvm.ptr<1> -> "
        "!nv_tileaa.memref<2x2x2x2x2x2xf32, strides = [32, 16, 8, 4, 2, 1]>\n"
        + copy("%x", "!nv_tileaa.memref<2x2x2x2x2x2xf32, strides = [32, 16, 8, 4, 2, 1]>"),
        '%x = "test.op"() : () -> ' + ROWS + "\n" + copy("%x"),
    ],
    ids=["loaded size", "in a branch", "elements", "rank", "unknown"],
)
def test_tensors_without_a_map(body: str):
    *_, op = ops_of(kernel(body), test.TestOp)
    assert not can_map(op.operands[0])


@pytest.mark.parametrize(
    ("strides", "dims"),
    [("1024, 64, 1", (2, 1, 0)), ("64, 1, 64", (1, 2, 0)), ("?, ?, ?", (2, 1, 0))],
)
def test_the_innermost_dimension_has_a_stride_of_one(strides: str, dims: tuple[int, ...]):
    ty = f"!nv_tileaa.memref<4x16x64xf16, strides = [{strides}]>"
    dynamic = " strides(%m, %m, %m : i32, i32, i32)" if "?" in strides else ""
    body = f"%x = nv_tileaa.make_memref %a{dynamic} : !llvm.ptr<1> -> {ty}\n"
    op = view_of(kernel(body + copy("%x", ty)))
    assert map_dims(op.operands[0]) == dims


# Maps of the launcher


def test_the_launcher_is_told_how_to_make_a_map():
    body = (
        "%b = nv_tileaa.assume %a {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>\n"
        "%k = nv_tileaa.assume %m {predicate = #nv_tileaa.bounded<0, ?>} : i32\n"
    )
    module = lower(kernel(body + rows("%x", "%b", "%k") + copy("%x") + copy("%x")), HOST)
    (function,) = ops_of(module, FuncOp)
    assert get_host_maps(function) == [
        HostMap(f16, 0, ((1, 2), (1, 1)), ((2, 3),), (64, 32), 128),
    ]
    assert len(ops_of(module, PrefetchTensorMapOp)) == 1
    assert not ops_of(module, TmaEncodeDescriptorOp)
    assert not ops_of(module, FenceProxyAcquireOp)


BYTECODE = Path(__file__).parents[4] / "benchmarks" / "gpu" / "bytecode"


def test_a_launch_encodes_maps(monkeypatch: pytest.MonkeyPatch):
    record = make_record(lower(kernel(rows("%x") + copy("%x")), HOST))
    assert [each.type for each in record.parameters] == ["ptr", "i32", "i32", "i32"]
    assert record.abi == HOST
    (tensor_map,) = record.tensor_maps
    assert (tensor_map.element, tensor_map.swizzle, tensor_map.box) == ("f16", "128", (64, 32))
    assert tensor_map.sizes == (Quantity(1, 2), Quantity(1, 1))
    assert tensor_map.strides == (Quantity(2, 3),)
    seen: list[bytes] = []
    fake = FakeDriver(record, seen.extend)
    monkeypatch.setattr(cuda, "get_driver", lambda: fake)
    cuda.Device.get.cache_clear()
    cuda.load(b"cubin", record).launch(1, [0x1000, 100, 64, 72])
    cuda.Device.get.cache_clear()
    (arguments,) = fake.maps
    assert (arguments.base, arguments.swizzle) == (0x1000, 3)
    assert (list(arguments.sizes), list(arguments.strides)) == ([64, 100], [144])
    assert seen[-1] == bytes(range(128))


def test_sizes_that_are_known_are_no_parameters():
    body = "%c = arith.constant 48 : i32\n" + rows("%x", size="%c") + copy("%x")
    (function,) = ops_of(lower(kernel(body), HOST), FuncOp)
    (tensor_map,) = get_host_maps(function)
    assert tensor_map.sizes == ((1, 2), (48, None))


@pytest.mark.parametrize(
    "body",
    [
        "%d = arith.muli %m, %m : i32\n" + rows("%x", size="%d"),
        "%x = nv_tileaa.make_memref %a offset(%m : i32) sizes(%m, %n : i32, i32) strides(%s : i32) "
        f": !llvm.ptr<1> -> {ROWS}\n",
    ],
    ids=["computed size", "offset"],
)
def test_what_the_launcher_does_not_know_is_made_by_the_kernel(body: str):
    module = lower(kernel(body + copy("%x")), HOST)
    (function,) = ops_of(module, FuncOp)
    assert not HOST_MAPS.is_on(function)
    assert ops_of(module, TmaEncodeDescriptorOp)


def test_both_kinds_in_one_kernel():
    body = "%d = arith.muli %m, %m : i32\n" + rows("%x") + rows("%y", size="%d")
    record = make_record(lower(kernel(body + copy("%x") + copy("%y")), HOST))
    assert record.abi == HOST
    assert len(record.tensor_maps) == 1
    assert len(record.parameters) == 4


@pytest.mark.parametrize(
    "attribute",
    ["[{}]", "[{element = f16, base = 0 : i64, sizes = [array<i64: 1, 2, 3>], strides = [], "
     "box = array<i64: 8>, swizzle = 0 : i64}]"],
)  # fmt: skip
def test_malformed_descriptions(attribute: str):
    text = f'"test.op"() {{{HOST_MAPS.name} = {attribute}}} : () -> ()'
    module = parse_unverified(text)
    (op,) = ops_of(module, test.TestOp)
    with pytest.raises(VerifyException, match=f"'{HOST_MAPS.name}' has no"):
        get_host_maps(op)


# Maps of the kernel


def fields(module: ModuleOp) -> list[str]:
    """Those that instructions write in the end."""
    converted = module.clone()
    ConvertNvgpuToNvvmPass().apply(make_context(), converted)
    found: list[str] = []
    for op in ops_of(converted, TensorMapReplaceOp):
        assert isinstance(op, TensorMapReplaceOp)
        found.append(op.field.data.value)
    return found


def test_the_kernel_makes_maps():
    body = rows("%x") + copy("%x") + rows("%y") + copy("%y")
    module = lower(kernel(body))
    once = [
        "global_address",
        "rank",
        *("box_dim", "global_dim", "element_stride") * 2,
        "global_stride",
        *("elemtype", "interleave_layout", "swizzle_mode", "fill_mode"),
    ]
    # Two warps make a map each, by the same code.
    assert fields(module) == once
    assert len(ops_of(module, TensorMapCpFenceProxyOp)) == 1
    # Who publishes a map acquires it, too.
    assert len(ops_of(module, FenceProxyAcquireOp)) == 1
    kinds = [op.get_bin_op().value for op in ops_of(module, AtomicRMWOp)]
    assert kinds == ["_or", "_or", "_and"]
    record = make_record(module)
    assert [each.type for each in record.parameters] == ["ptr", "i32", "i32", "i32"]
    assert (record.abi, record.tensor_maps) == (DEVICE, ())


@pytest.mark.parametrize("abi", [HOST, DEVICE])
def test_kernels_without_maps_have_no_code_for_them(abi: str):
    module = lower(kernel(rows("%x")), abi)
    (function,) = ops_of(module, FuncOp)
    assert [op.name for op in function.walk()][1:] == [*["arith.extsi"] * 3, "gpu.return"]
    assert not HOST_MAPS.is_on(function)


@pytest.mark.parametrize(
    ("threads", "shared", "slots"),
    [(32, 0, 32), (128, 0, 16), (384, 0, 8), (128, 100 << 10, 2), (384, 227 << 10, 1)],
)
def test_slots_of_a_multiprocessor(threads: int, shared: int, slots: int):
    assert tensor_maps.count_slots(SM_90A, threads, shared) == slots


def test_there_are_two_abis():
    with pytest.raises(DiagnosticException, match="there is no ABI 'other'"):
        ConvertTileasToNvgpuPass(abi="other").apply(Context(), kernel(""))


@pytest.mark.parametrize(
    ("abi", "size"), [(abi, size) for abi in (HOST, DEVICE) for size in (40, 100, 0)]
)
def test_copies_end_where_the_tensor_does(abi: str, size: int):
    layout = (
        "#nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], "
        "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>"
    )
    tile, view = f"tensor<64x64xf16, {layout}>", f"!nv_tileaa.tiled_view<64x64, {ROWS}>"
    tiles = "tileSizes = array<i64: 64, 64>, dimGroups = [[0 : i64], [1 : i64]]"
    body = (
        "%zero = arith.constant 0 : i32\n"
        f"%v = nv_tileaa.block_tile %x {{{tiles}}} : {ROWS} -> {view}\n"
        f"%t = arith.constant dense<1.0> : {tile}\n"
        "nv_tileas.tiled_store %t, %v[%zero, %zero] {atom = #nv_tileas.atom<tma_store>} : "
        f"{tile}, {view}, i32, i32\n"
    )
    module = lower(kernel(rows("%x") + body), abi)
    assert ops_of(module, BulkTensorStoreOp)
    memory = np.zeros((100, 72), np.float16)
    expected = memory.copy()
    expected[: min(size, 64), :56] = 1
    run(module, grid=1, args=[memory, size, 56, 72], check=["races"])
    assert (memory == expected).all()


def store(name: str, rows: int, element: str) -> str:
    """Stores ones to the first tile of a matrix."""
    more = ", [64, 0]" if rows == 128 else ""
    layout = (
        f"#nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]{more}], "
        "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>"
    )
    ty = f"!nv_tileaa.memref<?x?x{element}, strides = [?, 1]>"
    tile, view = f"tensor<{rows}x64x{element}, {layout}>", f"!nv_tileaa.tiled_view<{rows}x64, {ty}>"
    tiles = f"tileSizes = array<i64: {rows}, 64>, dimGroups = [[0 : i64], [1 : i64]]"
    return (
        f"%{name} = nv_tileaa.make_memref %a{name} sizes(%m{name}, %n : i32, i32) "
        f"strides(%s : i32) : !llvm.ptr<1> -> {ty}\n"
        f"%v{name} = nv_tileaa.block_tile %{name} {{{tiles}}} : {ty} -> {view}\n"
        f"%t{name} = arith.constant dense<1.0> : {tile}\n"
        f"nv_tileas.tiled_store %t{name}, %v{name}[%zero, %zero] "
        f"{{atom = #nv_tileas.atom<tma_store>}} : {tile}, {view}, i32, i32\n"
    )


def run_on_one_sm(monkeypatch: pytest.MonkeyPatch, *, check_races: bool = True) -> bool:
    """Runs CTAs at once that have maps of different tensors; whether these are right then."""
    ctas = 3
    monkeypatch.setitem(SCALARS, "smid", lambda cta: 5)
    own = (
        "%x = gpu.block_id x\n"
        "%i = arith.index_cast %x : index to i32\n"
        "%elements = arith.constant 7200 : i32\n"
        "%far = arith.muli %i, %elements : i32\n"
        "%a0 = nv_tileaa.addptr %a, %far {elem_type = f16} : !llvm.ptr<1>, i32\n"
        "%zero = arith.constant 0 : i32\n"
    )
    arguments = "%a: !llvm.ptr<1>, %m0: i32, %n: i32, %s: i32"
    module = lower(kernel(own + store("0", 64, "f16"), arguments))
    memory = np.zeros((ctas, 100, 72), np.float16)
    expected = memory.copy()
    expected[:, :40, :56] = 1
    values = [memory, 40, 56, 72]
    run_threads(module, grid=ctas, args=values, side_by_side=True, check_races=check_races)
    return bool((memory == expected).all())


@pytest.mark.parametrize("slots", [4, 2, 1])
def test_ctas_of_an_sm_have_a_slot_each(monkeypatch: pytest.MonkeyPatch, slots: int):
    """Whichever launches they are of. If there are too few slots, they wait for each other."""
    monkeypatch.setattr(tensor_maps, "count_slots", lambda *_: slots)  # pyright: ignore[reportUnknownArgumentType, reportUnknownLambdaType]
    # The atomics that give slots back are relaxed: nobody reads a map any more by then.
    assert run_on_one_sm(monkeypatch, check_races=slots == 4)


def test_a_slot_of_two_ctas_shows(monkeypatch: pytest.MonkeyPatch):
    def take_first(builder: ThreadBuilder, word: SSAValue, first: SSAValue, *_: object) -> SSAValue:
        del builder, word
        return first

    monkeypatch.setattr(tensor_maps, "_wait_for_slot", take_first)
    try:
        assert not run_on_one_sm(monkeypatch)
    except ExecutionError as error:
        assert "race" in str(error) or "tensor map" in str(error)  # noqa: PT017


@pytest.mark.parametrize(("elements", "codes"), [("hh", 1), ("hbhbhh", 3)], ids=["one", "turns"])
def test_maps_share_code(elements: str, codes: int):
    """Also if there are more maps than warps, of several kinds, and of tensors that are empty."""
    types, ones = {"h": "f16", "b": "bf16"}, {"h": 0x3C00, "b": 0x3F80}
    body, arguments = "%zero = arith.constant 0 : i32\n", ""
    memories = [np.zeros((100, 72), np.uint16) for _ in elements]
    sizes = [0 if index == 3 else 60 + 5 * index for index in range(len(elements))]
    boxes = [128 if index == 1 else 64 for index in range(len(elements))]
    for index, element in enumerate(elements):
        body += store(str(index), boxes[index], types[element])
        arguments += f"%a{index}: !llvm.ptr<1>, %m{index}: i32, "
    module = lower(kernel(body, arguments + "%n: i32, %s: i32"))
    pairs = [value for pair in zip(memories, sizes, strict=True) for value in pair]
    run(module, grid=1, args=[*pairs, 56, 72], check=["races"])
    for memory, size, box, element in zip(memories, sizes, boxes, elements, strict=True):
        expected = np.zeros((100, 72), np.uint16)
        expected[: min(size, box), :56] = ones[element]
        assert (memory == expected).all()
    assert len(ops_of(module, TmaEncodeDescriptorOp)) == codes


@pytest.mark.every(2)
@pytest.mark.oracle
@pytest.mark.parametrize("abi", [HOST, DEVICE])
def test_kernels_reach_a_cubin(abi: str, oracle_program: Callable[[str], Path]):
    types: Sequence[str] = ("f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "tf32")
    body = ""
    for element in types:
        ty = f"!nv_tileaa.memref<?x64x{element}, strides = [64, 1]>"
        body += f"%{element} = nv_tileaa.make_memref %a sizes(%m : i32) : !llvm.ptr<1> -> {ty}\n"
        body += copy(f"%{element}", ty)
    module = lower(kernel(body), abi)
    ptx = compile_threads(module, "sm_90", opt=2)
    target = NvptxTarget.parse("sm_90")
    assert Ptxas(oracle_program("ptxas")).compile(ptx, target).cubin.startswith(b"\x7fELF")
