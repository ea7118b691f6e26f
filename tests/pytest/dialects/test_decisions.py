"""Attributes in which passes write down what they decide: who has, writes and reads them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import ParseError, VerifyException

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileas.decisions import SCHEDULE, KernelSchedule, ScheduleAttr
from tileiras_xdsl.driver.compiler.cpu import step_spec
from tileiras_xdsl.pipeline import (
    PIPELINE,
    cpu_steps,
    make_pass,
    make_pass_of_spec,
    select_steps,
)
from tileiras_xdsl.targets.cpu import CPUS
from tileiras_xdsl.transforms.tileas.tileas_materialize_schedule import (
    TileasMaterializeSchedulePass,
)
from tileiras_xdsl.universe import PASSES
from tileiras_xdsl.xdsl_extras.dialect_conversion import ConversionError
from tileiras_xdsl.xdsl_extras.discardable_attributes import (
    DECLARED,
    DiscardableAttribute,
    verify_discardable_attributes,
)

from ..adversarial.test_unroll_loops import MOVED
from ..adversarial.test_unroll_loops import kernel as kernel_with_loop
from ..harness.modules import context, parse_unverified
from ..harness.stress_kernels import Build, Builder, make, matmul
from ..transforms.test_merge_loads import text as merge_loads_text
from ..transforms.test_prefetches import scaled_by_gathered_rows
from ..transforms.test_tileas_dynamic_persistent import PAIRS, product
from ..transforms.test_tileas_order_tile_blocks import product as few_rows
from ..transforms.test_unrolled_products import in_loop
from ..transforms.test_warpgroup_kernels import Gemm

ROOT = Path(__file__).parents[3]
BENCHMARKS = ROOT / "benchmarks" / "gpu" / "bytecode"
CORPUS = ROOT / "tests" / "corpus" / "bytecode" / "13.4"

PREFIXES = ("nv_tileaa.", "nv_tileas.", "nvgpu.")
HOPPER, AMPERE, GEFORCE, BLACKWELL = "sm_90a", "sm_80", "sm_120a", "sm_100a"
HOST, DEVICE = "host-maps", "device-maps"

pytestmark = pytest.mark.xdist_group("decisions")


def written(build: Build) -> str:
    """The text of a kernel."""
    builder = Builder()
    build(builder)
    return builder.text()


def in_cluster(text: str, arch: str = "sm_90", more: str = "") -> str:
    """A kernel with the hint to have two CTAs for a tile."""
    hints = f"optimization_hints=<{arch} = {{num_cta_in_cga = 2{more}}}>"
    return text.replace(") {", f") {hints} {{", 1)


PROGRAMS: tuple[tuple[Path | str, str, str], ...] = (
    (product(PAIRS), HOPPER, HOST),
    (few_rows(end="%x"), HOPPER, DEVICE),
    (BENCHMARKS / "matmul_hinted.tileirbc", HOPPER, HOST),
    (BENCHMARKS / "matmul_128x128x64.tileirbc", HOPPER, HOST),
    (BENCHMARKS / "matmul_partial_128x128x64.tileirbc", HOPPER, HOST),
    (BENCHMARKS / "attention_f8_d128.tileirbc", HOPPER, HOST),
    (kernel_with_loop(MOVED["several at a time"]), HOPPER, DEVICE),
    (BENCHMARKS / "matmul_residual.tileirbc", HOPPER, DEVICE),
    (scaled_by_gathered_rows(), HOPPER, DEVICE),
    (in_loop(Gemm("f16", 128, 256, 64), 5), HOPPER, HOST),
    (CORPUS / "dependent_launch.tileirbc", HOPPER, DEVICE),
    (CORPUS / "all_entry_hints.tileirbc", HOPPER, HOST),
    (CORPUS / "byte_histogram.tileirbc", HOPPER, DEVICE),
    (merge_loads_text(rows=128, width=512), HOPPER, DEVICE),
    (make("add_1024x1024_f32").text(), HOPPER, DEVICE),
    (make("transpose_in_place_1024").text(), HOPPER, DEVICE),
    (written(matmul(256, 256, 64, 128, "f16")), HOPPER, HOST),
    (make("print_64x4096_i32").text(), AMPERE, DEVICE),
    (BENCHMARKS / "matmul_128x128x32.tileirbc", GEFORCE, DEVICE),
    (CORPUS / "matmul_mxfp8.tileirbc", GEFORCE, DEVICE),
    (CORPUS / "matmul_mxfp8.tileirbc", BLACKWELL, DEVICE),
    (BENCHMARKS / "matmul_split_128x128x64.tileirbc", BLACKWELL, DEVICE),
    (in_cluster(Gemm("f16", 256, 256, 64).text(), "sm_100", ", occupancy = 2"), BLACKWELL, DEVICE),
    (in_cluster(Gemm("f16", 128, 128, 64).text(), "sm_100"), BLACKWELL, DEVICE),
    (written(matmul(256, 256, 64, 128, "f16")), BLACKWELL, DEVICE),
)
"""Programs that have most of what there is to decide; each has something that no other one has."""


class Recorder:
    """Which pass sets, and which asks for, which attribute."""

    def __init__(self, patch: pytest.MonkeyPatch):
        self.current = ""
        self.written: dict[str, set[str]] = defaultdict(set)
        self.read: dict[str, set[str]] = defaultdict(set)
        self.seen: set[str] = set()
        get, set_, is_on = (getattr(DiscardableAttribute, name) for name in ("get", "set", "is_on"))

        def recorded_get(one: DiscardableAttribute[Attribute], op: Operation) -> object:
            self.read[one.name].add(self.current)
            return get(one, op)

        def recorded_is_on(one: DiscardableAttribute[Attribute], op: Operation) -> object:
            self.read[one.name].add(self.current)
            return is_on(one, op)

        def recorded_set(
            one: DiscardableAttribute[Attribute], op: Operation, value: Attribute
        ) -> None:
            self.written[one.name].add(self.current)
            set_(one, op, value)

        patch.setattr(DiscardableAttribute, "get", recorded_get)
        patch.setattr(DiscardableAttribute, "is_on", recorded_is_on)
        patch.setattr(DiscardableAttribute, "set", recorded_set)

    def run(self, program: Path | str, passes: Iterable[ModulePass]) -> None:
        """Compiles a program, and looks at it after every pass."""
        module, before = load(program), set[str]()
        for each in passes:
            self.current = each.name
            each.apply(context(), module)
            self.current = ""
            verify_discardable_attributes(module)
            now = set(attributes_of(module))
            for name in now - before:
                self.written[name].add(each.name)
            self.seen |= now
            before = now


def attributes_of(module: ModuleOp) -> Iterator[str]:
    """The names of attributes of our dialects that ops have beside their own."""
    for op in module.walk():
        yield from (name for name in op.attributes if name.startswith(PREFIXES))


@pytest.fixture(scope="module")
def recorded() -> Iterator[Recorder]:
    with pytest.MonkeyPatch.context() as patch:
        recorder = Recorder(patch)
        for program, arch, abi in PROGRAMS:
            recorder.run(program, [make_pass(step, arch, abi) for step in select_steps()])
        cpu = CPUS["x86-64-v3"]
        recorder.run(
            BENCHMARKS / "matmul_128x128x32.tileirbc",
            [make_pass_of_spec(step_spec(step, cpu)) for step in cpu_steps()],
        )
        yield recorder


@pytest.mark.part("kernels")
def test_only_declared_attributes_appear(recorded: Recorder):
    assert recorded.seen <= set(DECLARED)
    assert {"nv_tileas.schedule", "nv_tileas.stage", "nv_tileas.multicast"} <= recorded.seen


@pytest.mark.part("kernels")
def test_passes_declare_what_they_write(recorded: Recorder):
    for name, passes in recorded.written.items():
        assert passes <= set(DECLARED[name].written_by), name


@pytest.mark.part("kernels")
def test_passes_declare_what_they_read(recorded: Recorder):
    for name, passes in recorded.read.items():
        assert passes - {""} <= set(DECLARED[name].read_by), name


@pytest.mark.part("kernels")
def test_what_is_declared_happens(recorded: Recorder):
    for name, declared in DECLARED.items():
        for done, said in (
            (recorded.written, declared.written_by),
            (recorded.read, declared.read_by),
        ):
            missing = set(said) - done[name]
            assert missing <= RARE.get(name, set()), name


SCHEDULING = {
    "tileas-dynamic-persistent",
    "tileas-generate-schedule",
    "tileas-materialize-schedule",
}
RARE: dict[str, set[str]] = {
    # Not in the pipeline.
    "nv_tileas.profile": {"tileas-insert-profiling", "convert-tileas-to-nvgpu"},
    # Only where somebody asks for a plan.
    "nv_tileas.kernel_plan": {"tileas-plan"},
    # Only where somebody asks for it.
    "tileiras.deterministic": {"require-determinism"},
    # All programs have a name beside the number.
    "nv_tileaa.compute_capability": set(DECLARED["nv_tileaa.target_spec"].read_by),
    "nv_tileaa.kernel_spec": {"convert-nvgpu-to-nvvm", "convert-tileaa-to-tileas"},
    "nv_tileaa.after_grid_wait": SCHEDULING
    | {
        "tileas-assign-dot-layouts",
        "tileas-prepare-for-scheduling",
        "tileas-unspecialized-pipeline",
    },
    "nv_tileaa.invariant": SCHEDULING | {"tileas-assign-dot-layouts", "discharge-mem-tokens"},
    "nv_tileaa.warpgroup_order": {"discharge-mem-tokens"},
    # Atomics that update global memory at once.
    "nv_tileaa.privatized": {"tileas-overlap-launches"},
    "nv_tileas.buffers": {"tileas-insert-barriers"},
    "nv_tileas.element": {"tileas-generate-schedule"},
    # Loads that are broadcast or scanned.
    "nv_tileas.layout": {"tileas-remove-layout-conversions"},
    "nv_tileas.vector": {"tileas-unspecialized-pipeline"},
    "nvgpu.no_wrap": {"tileas-materialize-schedule"},
}
"""What none of the programs here comes to."""


def test_passes_exist():
    steps = {*PASSES, *(step.name for step in PIPELINE)}
    for declared in DECLARED.values():
        assert set(declared.written_by) | set(declared.read_by) <= steps
        assert declared.written_by
        assert declared.summary.endswith(".")


# What contradicts


VIEW = "!nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<?x32xf16, strides = [32, 1]>>"
TILE = "tensor<64x32xf16>"
STAGES = "nv_tileas.schedule = #nv_tileas.schedule<stages = [4], producer_warps = 1>"
STAGE = "nv_tileas.stage = #nv_tileas.stage<stage = 0, order = 0>"
PAIR = "nv_tileas.cluster = #nv_tileas.cluster<2>"
CLUSTERS = "gpu.known_cluster_size = array<i32: 2, 1, 1>"


def kernel(body: str, attributes: str = STAGES) -> str:
    return f"""
    "gpu.module"() <{{sym_name = "m"}}> ({{
      "gpu.func"() <{{function_type = ({VIEW}, i32, {TILE}) -> (), kernel}}> ({{
      ^bb0(%v: {VIEW}, %i: i32, %t: {TILE}):
        {body}
        "gpu.return"() : () -> ()
      }}) {{sym_name = "k", {attributes}}} : () -> ()
    }}) : () -> ()"""


def tiled_load(attributes: str) -> str:
    return f"%x = nv_tileas.tiled_load %v[%i, %i] {{{attributes}}} : {VIEW}, i32, i32 -> {TILE}"


def store(attributes: str) -> str:
    return f"nv_tileas.tiled_store %t, %v[%i, %i] {{{attributes}}} : {TILE}, {VIEW}, i32, i32"


def loop(*stages: tuple[int, int]) -> str:
    """A loop of two ops that use each other's results, the first that of the iteration before."""
    first, second = (
        f"{{nv_tileas.stage = #nv_tileas.stage<stage = {stage}, order = {order}>}}"
        for stage, order in stages
    )
    return f"""
        %r = scf.for %n = %i to %i step %i iter_args(%c = %i) -> (i32) : i32 {{
          %p = arith.addi %c, %i {first} : i32
          %q = arith.addi %p, %i {second} : i32
          scf.yield %q : i32
        }}"""


def verify(text: str) -> None:
    verify_discardable_attributes(parse_unverified(text))


@pytest.mark.parametrize(
    "text",
    [
        kernel(tiled_load("nv_tileas.pipe = #nv_tileas.pipe<0>")),
        kernel(loop((0, 0), (0, 1))),
        kernel(
            store("atom = #nv_tileas.atom<tma_store>, nv_tileas.group_store"),
            "nv_tileas.group_store",
        ),
        kernel(tiled_load("atom = #nv_tileas.atom<tma_load>, nv_tileas.multicast"), CLUSTERS),
        kernel(tiled_load("nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>")),
        kernel("", "nv_tileas.num_warps = 4 : i32"),
    ],
)
def test_what_agrees(text: str):
    verify(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            kernel("", f"nv_tileas.num_warps = 4 : i32, {STAGES.replace('>', ', ping_pong = 2>')}"),
            "has ping_pong = 2, but 'nv_tileas.num_warps' of the kernel is 4",
        ),
        (
            kernel(tiled_load("nv_tileas.pipe = #nv_tileas.pipe<1>")),
            "'nv_tileas.pipe' is 1, but 'nv_tileas.schedule' has no pipeline 1",
        ),
        (
            kernel(tiled_load("nv_tileas.pipe = #nv_tileas.pipe<0>"), "a"),
            "'nv_tileas.pipe' needs 'nv_tileas.schedule' at the kernel",
        ),
        (
            kernel(tiled_load("nv_tileas.pipe = 0 : i32")),
            "'nv_tileas.pipe' has to be #nv_tileas.pipe<…>, but is 0 : i32",
        ),
        (
            kernel(store("nv_tileas.pipe = #nv_tileas.pipe<0>")),
            "'nv_tileas.pipe' cannot be an attribute of 'nv_tileas.tiled_store'",
        ),
        (
            kernel(tiled_load("nv_tileas.load_group = #nv_tileas.load_group<0>")),
            "'nv_tileas.load_group' is for loads with 'nv_tileas.pipe'",
        ),
        (
            kernel(tiled_load("nv_tileas.element = tf32")),
            "'nv_tileas.element' is for tiles of f32",
        ),
        (
            kernel(loop((0, 1), (0, 0))),
            "'nv_tileas.stage' has order 0, but the op uses 'arith.addi', which comes later",
        ),
        (
            kernel(loop((1, 0), (0, 1))),
            "'nv_tileas.stage' is 0, but the op uses 'arith.addi' which is in stage 1",
        ),
        (
            kernel(loop((0, 0), (1, 1))),
            "'nv_tileas.stage' is 0, but the op uses 'arith.addi' in the iteration before, and "
            "that one is in stage 1",
        ),
        (
            kernel(f"%x = arith.addi %i, %i {{{STAGE}}} : i32"),
            "'nv_tileas.stage' is for ops in the body of a loop",
        ),
        (
            kernel(store("nv_tileas.group_store")),
            "'nv_tileas.group_store' is for stores by 'tma_store' and 'tma_redg'",
        ),
        (
            kernel(store("atom = #nv_tileas.atom<tma_store>, nv_tileas.group_store")),
            "'nv_tileas.group_store' needs it at the kernel",
        ),
        (
            kernel(tiled_load("nv_tileas.group_store")),
            "'nv_tileas.group_store' cannot be an attribute of 'nv_tileas.tiled_load'",
        ),
        (
            kernel(tiled_load("atom = #nv_tileas.atom<tma_load>, nv_tileas.multicast")),
            "'nv_tileas.multicast' needs a kernel with clusters of CTAs",
        ),
        (
            kernel(tiled_load("nv_tileas.multicast"), CLUSTERS),
            "'nv_tileas.multicast' is for loads by 'tma_load'",
        ),
        (
            kernel(tiled_load("nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 2>")),
            "'nv_tileas.vector' is along dimension 2, which the tile does not have",
        ),
        (
            kernel("", "nv_tileas.num_warps = 0 : i32"),
            "'nv_tileas.num_warps' has to be a positive i32, but is 0 : i32",
        ),
        (
            kernel("", 'nv_tileas.num_warps = "4"'),
            "'nv_tileas.num_warps' has to be integer, but is \"4\"",
        ),
        (
            kernel(store("nv_tileaa.independent")),
            "'nv_tileaa.independent' is for weak loads that are not volatile",
        ),
        (
            kernel(f"scf.for %n = %i to %i step %i : i32 {{}} {{{PAIR}}}"),
            "'nv_tileas.cluster' is 2, but clusters of the kernel have 1 CTAs",
        ),
        (
            'builtin.module attributes {nv_tileaa.compute_capability = 80 : i32, '
            'nv_tileaa.target_spec = "sm_90a"} {}',
            "'nv_tileaa.compute_capability' is 80, not \"sm_90a\"",
        ),
    ],
)  # fmt: skip
def test_what_contradicts(text: str, message: str):
    with pytest.raises(VerifyException, match="does not verify") as caught:
        verify(text)
    assert message in str(caught.value)


def test_ops_of_ours_verify_their_own():
    """So xDSL's tools report it, too."""
    module = parse_unverified(kernel(tiled_load("nv_tileas.pipe = #nv_tileas.pipe<3>")))
    with pytest.raises(VerifyException, match="has no pipeline 3"):
        module.verify()


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ("schedule<stages = [4, 0], producer_warps = 1>", "positive numbers of stages"),
        ("schedule<stages = 4, producer_warps = 1>", "needs a list"),
        ("schedule<stages = [4], producer_warps = 0>", "needs producer_warps"),
        ("schedule<stages = [4], producer_warps = [1]>", "needs producer_warps"),
        ("schedule<stages = [4]>", "needs stages, producer_warps"),
        ("schedule<stages = [4], producer_warps = 1, registers = [24]>", "of a consumer"),
        ("schedule<stages = [4], producer_warps = 1, registers = [20, 240]>", "multiples of 8"),
        ("schedule<stages = [4], producer_warps = 1, ping_pong = 1>", "at least 2 warpgroups"),
        ("schedule<stages = [4], warps = 1>", "'warps' is none of stages"),
        ("stage<stage = 2, order = 0>", "is 0 or 1, not 2"),
        ("stage<stage = 1, order = -1>", "needs order"),
        ("stage<stage = 1, stage = 1>", "'stage' is given twice"),
        ("vector<width = 3, dim = 0>", "a power of 2"),
        ("vector<width = 4, dim = -1>", "needs dim"),
        ("pipe<-1>", "is at least 0, not -1"),
        ("cluster<1>", "is at least 2, not 1"),
    ],
)
def test_malformed_attributes(attribute: str, message: str):
    with pytest.raises((ParseError, VerifyException), match=message):
        parse_unverified(f'"test.op"() {{a = #nv_tileas.{attribute}}} : () -> ()')


@pytest.mark.parametrize(
    "text",
    [
        "#nv_tileas.schedule<stages = [4, 1], producer_warps = 4, registers = [24, 240]>",
        "#nv_tileas.schedule<stages = [1, 2], producer_warps = 1, ping_pong = 2, exclusive = 1>",
        "#nv_tileas.stage<stage = 1, order = 3>",
        "#nv_tileas.vector<width = 4, dim = 1>",
        "#nv_tileas.pipe<2>",
        "#nv_tileas.load_group<3>",
        "#nv_tileas.cluster<2>",
    ],
)
def test_round_trips(text: str):
    op = next(iter(parse_unverified(f'"test.op"() {{a = {text}}} : () -> ()').body.block.ops))
    assert str(op.attributes["a"]) == text


def test_accessors():
    (function,) = (op for op in parse_unverified(kernel("")).walk() if op.name == "gpu.func")
    assert SCHEDULE.get(function) == ScheduleAttr(KernelSchedule((4,), 1))
    assert SCHEDULE.drop(function) is not None
    assert SCHEDULE.drop(function) is None
    assert not SCHEDULE.is_on(function)
    function.attributes[SCHEDULE.name] = UnitAttr()
    with pytest.raises(VerifyException, match=r"has to be #nv_tileas\.schedule<…>, but is unit"):
        SCHEDULE.get(function)


def test_the_pass_that_reads_stages_verifies_them():
    """Whatever tool it runs in: ops of other dialects do not know the attributes that they have."""
    module = parse_unverified(kernel(loop((1, 0), (0, 1))))
    module.verify()
    with pytest.raises(VerifyException, match="which is in stage 1"):
        TileasMaterializeSchedulePass().apply(context(), module)


def test_loops_have_stages_for_all_ops():
    text = kernel(loop((0, 0), (0, 1)))
    partly = text.replace("nv_tileas.stage = #nv_tileas.stage<stage = 0, order = 1>", "")
    with pytest.raises(ConversionError, match=r"'nv_tileas\.stage' is missing here"):
        TileasMaterializeSchedulePass().apply(context(), parse_unverified(partly))
