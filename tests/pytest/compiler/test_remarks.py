"""Remarks: every decision about a kernel is told, with its reason and its place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tileiras_xdsl.backend.ptxas import FunctionUsage, PtxasResult
from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.driver.compiler.options import Options
from tileiras_xdsl.driver.compiler.remarks import (
    Remark,
    Remarks,
    from_json,
    of_ptxas,
    to_json,
    to_lines,
)
from tileiras_xdsl.driver.tools.tileiras_xdsl import main
from tileiras_xdsl.frontend.load import Program

from ..strategies.hopper_kernels import attention, gemm


def explain(text: str, gpu: str = "sm_90", abi: Any = "device-maps", opt: int = 3) -> list[Remark]:
    """All remarks on a program."""
    compilation = Compilation(Program.of(text), Options(gpu, opt, abi=abi), explain=True)
    compilation.lower("tileas")
    return [*compilation.warnings, *compilation.remarks]


def find(remarks: list[Remark], name: str) -> list[str]:
    """What remarks of a name say."""
    return ["; ".join(each.arguments.values()) for each in remarks if each.name == name]


def test_gemm():
    remarks = explain(gemm(), abi="host-maps")
    assert find(remarks, "TmaLoad") == [
        "TMA load of 128x64xf16; TMA tiles of 128x64, swizzle of 128 bytes; pipeline 0 of 3 stages",
        "TMA load of 64x256xf16; TMA tiles of 64x64, swizzle of 128 bytes; pipeline 0 of 3 stages",
    ]
    assert find(remarks, "Wgmma") == [
        "dot of 128x64xf16 and 64x256xf16: wgmma m64n256k16 of 2 warpgroups; "
        "operand A from shared memory"
    ]
    assert find(remarks, "TmaStore") == [
        "TMA store of 128x256xf32; TMA tiles of 128x32, swizzle of 128 bytes"
    ]
    assert find(remarks, "Stages") == [
        "pipeline 0 has 3 stages of 49152 bytes; loads take up to 1600 cycles, an iteration 1024 "
        "of tensor cores, 768 of L2 and 2457 of memory: 4 stages suffice, but no more fit into "
        "shared memory"
    ]
    assert find(remarks, "Registers") == [
        "tiles take about 128 registers per thread; "
        "168 available: 8 consumer warps, 1 producer warp"
    ]
    assert find(remarks, "Persistent") == ["persistent kernel, 1 CTA per SM"]
    assert not [remark for remark in remarks if remark.kind == "Missed"]


def test_bytes_of_shared_memory_add_up():
    (text,) = find(explain(gemm()), "Shared")
    words = text.replace(",", "").replace(";", "").split()
    used, limit, *parts = [int(word) for word in words if word.isdigit()]
    assert used == sum(parts)
    assert used <= limit


def test_remarks_have_the_places_of_ops():
    text = gemm()
    lines = text.splitlines()
    for remark in explain(text):
        assert remark.line is not None
        word = {"Wgmma": "mmaf", "TmaLoad": "load_view", "TmaStore": "store_view"}.get(remark.name)
        assert (word or "entry") in lines[remark.line - 1]


@pytest.mark.part("kernels")
def test_software_pipelining_of_attention():
    remarks = explain(attention())
    assert find(remarks, "Ahead") == [
        "software pipelining: tiled_load, permute, dot, exp2, fp_to_fp in stage 0, "
        "tiled_load, dot in stage 1"
    ]
    assert [text.rpartition("; ")[2] for text in find(remarks, "Wgmma")] == [
        "operand A from shared memory",
        "operand A from registers",
    ]
    (registers,) = find(remarks, "Registers")
    assert registers.endswith("leaves 24 to 4 producer warps, and gives 240 to consumer warps")


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("options", "reason", "copies"),
    [
        (
            {"padding": "neg_inf"},
            "TMA pads with zeros, not with neg_inf",
            "copies pad with zeros",
        ),
        ({"load_hints": "sm_90 = {allow_tma = false}"}, "its hints forbid TMA", None),
    ],
)
def test_why_an_operand_cannot_be_loaded(
    options: Mapping[str, Any], reason: str, copies: str | None
):
    (text,) = find(explain(gemm(**options)), "Mma")
    if copies is not None:
        reason += f"; producer threads cannot copy it: {copies}"
    assert text.endswith(f"mma.sync m16n8k16 of 8 warps; TMA cannot load operand B: {reason}")


@pytest.mark.part("kernels")
@pytest.mark.parametrize(
    ("options", "kind", "width", "reason"),
    [
        ({"divisor": 2}, "cp.async load", ", 2 elements per access", "stride 0 is"),
        ({"divisor": 1}, "load", ", not vectorized", "stride 0 is"),
        ({"base": 1}, "load", ", not vectorized", "its address is"),
    ],
)
def test_operands_that_producer_threads_copy(
    options: Mapping[str, Any], kind: str, width: str, reason: str
):
    """Rows of 4 bytes, and of 2."""
    remarks = explain(gemm(**options))
    assert find(remarks, "Wgmma")
    texts = find(remarks, "CpAsync")
    assert len(texts) == 2
    for text in texts:
        assert text.startswith(f"{kind} of ")
        assert f" by 4 producer warps{width}; no TMA: {reason} not known to be a mult" in text


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (
            {"element": "f8E4M3FN", "tile": (128, 16, 64)},
            "an operand with elements of 1 byte has to be K-major",
        ),
        ({"tile": (64, 8, 64)}, "rows of 16 bytes are shorter than 32"),
    ],
)
def test_why_a_loaded_operand_cannot_be_read(options: Mapping[str, Any], reason: str):
    (text,) = find(explain(gemm(**options)), "Mma")
    assert text.endswith(f"; wgmma cannot read operand B: {reason}")


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        (
            {"tile": (32, 32, 64)},
            "Passed",
            "cp.async load of 32x64xf16, 8 elements per access; no TMA: mma.sync reads it",
        ),
        (
            {"tile": (64, 64, 32), "element": "f32", "divisor": 1},
            "Missed",
            "cp.async load of 64x32xf32, not vectorized; "
            "no TMA: a dot by FMAs reads it; "
            "wider accesses may be unaligned or out of bounds",
        ),
    ],
)
def test_asynchronous_loads_by_threads(options: Mapping[str, Any], kind: str, text: str):
    remarks = [remark for remark in explain(gemm(**options)) if remark.name == "CpAsync"]
    assert find(remarks[:1], "CpAsync") == [text]
    assert {remark.kind for remark in remarks} == {kind}


def test_loops_that_load_ahead():
    (text,) = find(explain(gemm(tile=(32, 32, 64))), "Prefetches")
    assert (
        text
        == "software pipelining: 2 loads with prefetch distance 3; 4 buffer stages of 8192 bytes"
    )


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"tile": (32, 32, 64)}, "32x32 is smaller than 64x8"),
        ({"tile": (64, 64, 8)}, "64x64x8 is smaller than m16n8k16"),
    ],
)
def test_why_no_wgmma(options: Mapping[str, Any], reason: str):
    remarks = explain(gemm(**options))
    (text,) = [*find(remarks, "Mma"), *find(remarks, "NoInstruction")]
    assert text.endswith(f"; {reason}")


def test_accumulators_that_do_not_fit():
    (text,) = find(explain(gemm((256, 256, 64)), opt=1), "Mma")
    assert text.endswith(
        "; accumulators that are live with its own take 256 registers per thread with 2 "
        "warpgroups, more than 160"
    )


@pytest.mark.part("kernels")
def test_tiles_that_are_split():
    pieces = "split into 2 parts of 128x256 along dimension 0"
    for abi, text in (
        (
            "host-maps",
            f"accumulators of 256x256 do not fit in the registers of a CTA: tiles are {pieces}, "
            "one after the other",
        ),
        (
            "device-maps",
            f"tiles with accumulators of 256x256 are {pieces}, for 2 CTAs of a cluster",
        ),
    ):
        remarks = explain(gemm((256, 256, 64)), abi=abi)
        (remark,) = [each for each in remarks if each.category == "Tiles"]
        assert (remark.kind, remark.message) == ("Passed", text)
        start = "dot of 128x64xf16 and 64x256xf16: wgmma"
        assert any(each.message.startswith(start) for each in remarks)


def test_accumulators_that_do_not_fit_together():
    said = (
        "; accumulators that are live with its own take 192 registers per thread with 2 warpgroups"
    )
    assert [said in text for text in find(explain(attention(256), opt=1), "Mma")] == [True, True]


def test_loops_that_agents_pipeline_are_no_failures():
    total, small, factors = "tile<128x128xf32>", "tile<16x16xf32>", {"a": "16x64", "b": "64x16"}
    results = "partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>"
    text, work = gemm((128, 128, 64)), ""
    for (name, shape), place in zip(factors.items(), ("%i, %x", "%x, %j"), strict=True):
        view = f"partition_view<tile=({shape}), tensor_view<?x?xf16, strides=[?,1]>>"
        made = f"%w{name} = make_partition_view %t{name} : {view}"
        text = text.replace("    %i, %j,", f"    {made}\n    %i, %j,")
        work += f"""%{name}3, %t{name}3 = load_view_tko weak %w{name}[{place}]
          : {view}, tile<i32> -> tile<{shape}xf16>, token
      """
    work += f"%more = mmaf %a3, %b3, %other : tile<16x64xf16>, tile<64x16xf16>, {small}\n      "
    for old, new in {
        "%sum = for": f"%none = constant <f32: 0.0> : {small}\n    %sum, %rest = for",
        f"%start) -> ({total})": f"%start, %other = %none) -> ({total}, {small})",
        "    return": f"""    %wc = make_partition_view %tc : {results}
    %last = store_view_tko weak %rest, %wc[%i, %j] : {small}, {results}, tile<i32> -> token
    return""",
        f"continue %next : {total}": f"{work}continue %next, %more : {total}, {small}",
    }.items():
        text = text.replace(old, new)
    remarks = explain(text)
    assert len(find(remarks, "Wgmma")) == len(find(remarks, "Mma")) == 1
    assert not [remark for remark in remarks if remark.category == "Pipeline"]


def test_pipelines_of_loops_with_inner_loops():
    total = "tile<64x64xf32>"
    view = "partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>"
    outer = f"""%out = for %y in (%zero to %n, step %one) : tile<i32>
        iter_values(%old = %start) -> ({total}) {{
    %sum = for"""
    end = f"""%h = ftof %sum : {total} -> tile<64x64xf16>
    %w, %tw = load_view_tko weak %vb[%y, %j] : {view}, tile<i32> -> tile<64x64xf16>, token
    %new = mmaf %h, %w, %old : tile<64x64xf16>, tile<64x64xf16>, {total}
    continue %new : {total}
    }}
    %done = store_view_tko weak %out"""
    text = gemm((64, 64, 64)).replace("%sum = for", outer)
    around, inside = find(explain(text.replace("%done = store_view_tko weak %sum", end)), "Stages")
    assert "inner loops" not in inside
    assert around.endswith(
        "; inner loops take long: 4 stages suffice, but no more fit into shared memory"
    )


ATOMICS = """
cuda_tile.module @kernels {
  entry @atomics(%p: tile<ptr<i32>>) {
    %i = iota : tile<128xi32>
    %q = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %r = broadcast %q : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %s = offset %r, %i : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %x, %t = atomic_rmw_tko relaxed device %s, add, %i
        : tile<128xptr<i32>>, tile<128xi32> -> tile<128xi32>, token
    %y, %u = atomic_cas_tko relaxed device %s, %i, %x
        : tile<128xptr<i32>>, tile<128xi32> -> tile<128xi32>, token
    return
  }
}
"""


def test_atomics_through_pointers():
    remarks = [remark for remark in explain(ATOMICS) if remark.name == "Atomic"]
    text = "atomic of 128xi32 by threads, not vectorized; no TMA: it goes through pointers"
    assert find(remarks, "Atomic") == [text, text]
    assert {remark.kind for remark in remarks} == {"Passed"}


def test_no_reason_to_complain_of_what_an_architecture_does_not_have():
    remarks = [remark for remark in explain(gemm(), gpu="sm_80") if remark.name == "Mma"]
    assert [(each.kind, each.arguments["Reason"]) for each in remarks] == [
        ("Passed", "sm_80 has no wgmma")
    ]


def test_why_not_persistent():
    assert find(explain(gemm()), "Persistent") == [
        "persistent kernel, 1 CTA per SM; the CTAs beyond those return at once"
    ]
    uneven = gemm(bound="%e").replace("%zero =", "%e = remi %i, %n signed : tile<i32>\n%zero =", 1)
    assert find(explain(uneven, abi="host-maps"), "Persistent") == [
        "not a persistent kernel; the trip count of a loop depends on the tile block"
    ]


# Hints


@pytest.mark.every(4, first=3)
@pytest.mark.parametrize(("latency", "stages"), [(1, 2), (2, 3), (4, 5), (10, 5)])
def test_latency_says_how_many_stages(latency: int, stages: int):
    text = gemm((128, 128, 64), load_hints=f"default = {{latency = {latency}}}")
    (said,) = find(explain(text), "Stages")
    assert said.startswith(
        f"pipeline 0 has {stages} stages of 32768 bytes; hint latency = {latency}"
    )


def test_occupancy_shares_memory_and_registers():
    text = gemm((64, 64, 64), entry_hints="sm_90 = {occupancy = 2}")
    remarks = explain(text, abi="host-maps")
    assert "of 115712 bytes" in find(remarks, "Shared")[0]
    assert "2 CTAs per SM" in find(remarks, "Persistent")[0]


ROWS = """
cuda_tile.module @kernels {{
  entry @rows(%p: tile<ptr<f32>>) optimization_hints=<{hints}> {{
    %places = iota : tile<8192xi32>
    %one = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %all = broadcast %one : tile<1xptr<f32>> -> tile<8192xptr<f32>>
    %at = offset %all, %places : tile<8192xptr<f32>>, tile<8192xi32> -> tile<8192xptr<f32>>
    %x, %t1 = load_ptr_tko weak %at : tile<8192xptr<f32>> -> tile<8192xf32>, token
    %y = addf %x, %x : tile<8192xf32>
    %t2 = store_ptr_tko weak %at, %y : tile<8192xptr<f32>>, tile<8192xf32> -> token
    return
  }}
}}
"""


def test_occupancy_of_a_kernel_without_dots():
    for hints, said in (
        ("", "registers for 4 CTAs of 8 warps per SM"),
        ("sm_90 = {occupancy = 2}", "registers for 2 CTAs of 8 warps per SM"),
        ("sm_90 = {occupancy = 8}", "registers for 8 CTAs of 8 warps per SM"),
    ):
        (found,) = find(explain(ROWS.format(hints=hints)), "Occupancy")
        assert found.startswith(f"{said}; tiles take about 32 of "), hints


def test_occupancy_of_a_kernel_without_dots_that_cannot_be_met():
    program = Program.of(ROWS.format(hints="sm_90 = {occupancy = 16}"))
    compilation = Compilation(program, Options("sm_90"))
    assert "kernel_spec<occupancy = 8>" in str(compilation.lower("tileas"))
    assert [remark.message for remark in compilation.remarks] == [
        "occupancy = 16 is not met: tiles take about 32 registers per thread, of 16"
    ]


def test_occupancy_that_cannot_be_met_is_lowered():
    compilation = Compilation(
        Program.of(gemm(entry_hints="sm_90 = {occupancy = 2}")), Options("sm_90", abi="host-maps")
    )
    module = compilation.lower("tileas")
    messages = [remark.message for remark in compilation.remarks]
    assert [message for message in messages if message.startswith("occupancy")] == [
        "occupancy = 2 is not met: threads need about 160 registers and would have 96"
    ]
    assert "kernel_spec<occupancy = 1>" in str(module)
    assert "nvgpu.persistent = 1" in str(module)


# Output


def test_nothing_is_explained_unless_asked_for():
    compilation = Compilation(Program.of(gemm()), Options("sm_90"))
    compilation.lower("tileas")
    assert compilation.remarks == []


def test_remarks_survive_json():
    remarks = explain(gemm(divisor=1))
    assert from_json(to_json(remarks)) == remarks
    assert from_json("") == []


@pytest.mark.part("kernels")
def test_the_command_line_selects(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "gemm.mlir"
    path.write_text(gemm(divisor=1, padding="neg_inf"))
    base = [str(path), "--gpu-name=sm_90", "--emit=tileas", "-o", str(tmp_path / "out.mlir")]

    def heads(*options: str) -> set[str]:
        assert main([*base, *options]) == 0
        lines = capsys.readouterr().err.splitlines()
        return {line.partition(": remark: ")[2].partition(":")[0] for line in lines}

    assert heads() == set()
    assert heads("--remarks=memory") == {"passed[memory]", "missed[memory]"}
    assert heads("--remarks=tensorcore") == {
        "missed[tensorcore]",
        "missed[pipeline]",
        "analysis[tensorcore]",
    }
    assert heads("--remarks-passed=all") == {"passed[memory]"}
    assert heads("--remarks-analysis=memory", "--remarks-missed=tensorcore") == {
        "missed[tensorcore]",
        "missed[pipeline]",
    }


def test_lines_are_in_order_and_none_is_there_twice():
    """What was missed comes before what was done, in the form of errors."""
    missed = Remark("Missed", "Memory", "", "k", {"Remark": "no TMA"}, "k.py", 3, 4)
    passed = Remark("Passed", "Tiles", "", "k", {"Remark": "split", "Reason": "large"})
    remarks = Remarks((passed, missed, passed))
    lines = ["k.py:3:4: remark: missed[memory]: no TMA", "remark: passed[tiles]: split; large"]
    assert str(remarks).splitlines() == to_lines(remarks) == lines


def test_yaml(tmp_path: Path):
    path, yaml = tmp_path / "gemm.mlir", tmp_path / "remarks.yaml"
    path.write_text(gemm())
    options = ["--remarks=tensorcore", "--remark-format=yaml", f"--remarks-output-file={yaml}"]
    assert main([str(path), "--gpu-name=sm_90", "--emit=tileas", "-o", "-", *options]) == 0
    documents = yaml.read_text().split("...\n")
    assert documents[0].splitlines()[:3] == [
        "--- !Passed",
        "Pass:            TensorCore",
        "Name:            RemarkTensorCoreWgmma",
    ]
    assert not any("Memory" in document.partition("Args")[0] for document in documents)


def copy(columns: int, warps: int) -> str:
    """A kernel with so many warps that copies a row of f16 through pointers."""
    tile, pointers = f"tile<{columns}xf16>", f"tile<{columns}xptr<f16>>"
    hints = f"<sm_90 = {{num_worker_warps_per_cta = {warps}}}>"
    return f"""
cuda_tile.module @kernels {{
  entry @copy(%p: tile<ptr<f16>>) optimization_hints={hints} {{
    %a = assume #cuda_tile.div_by<16>, %p : tile<ptr<f16>>
    %r = reshape %a : tile<ptr<f16>> -> tile<1xptr<f16>>
    %b = broadcast %r : tile<1xptr<f16>> -> {pointers}
    %i = iota : tile<{columns}xi32>
    %q = offset %b, %i : {pointers}, tile<{columns}xi32> -> {pointers}
    %x, %t = load_ptr_tko weak %q : {pointers} -> {tile}, token
    %u = store_ptr_tko weak %q, %x token = %t : {pointers}, {tile} -> token
    return
  }}
}}
"""


@pytest.mark.parametrize(("warps", "number"), [(4, 8), (8, 4)])
def test_elements_per_access_are_those_that_a_thread_has(warps: int, number: int):
    """However many of them are aligned."""
    remarks = explain(copy(1024, warps))
    (load,), (store,) = find(remarks, "Load"), find(remarks, "Store")
    assert f"load of 1024xf16 by threads, {number} elements per access" in load
    assert f"store of 1024xf16 by threads, {number} elements per access" in store
    assert ("a thread has no more elements side by side" in load) is (number < 8)


def rows_in_parts(columns: int) -> str:
    """A kernel without dots that reads rows of f16 tile by tile; nobody knows how many tiles."""
    view = f"partition_view<tile=({columns}), tensor_view<?xf16, strides=[1]>>"
    tile = f"tile<{columns}xf16>"
    return f"""
cuda_tile.module @kernels {{
  entry @rows(%p: tile<ptr<f16>>, %n: tile<i32>) {{
    %a = assume #cuda_tile.div_by<16>, %p : tile<ptr<f16>>
    %w = assume #cuda_tile.div_by<16>, %n : tile<i32>
    %m = make_tensor_view %a, shape = [%w], strides = [1] : tile<i32>
        -> tensor_view<?xf16, strides=[1]>
    %v = make_partition_view %m : {view}
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %z = constant <f16: 0.0> : {tile}
    %s = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%o = %z) -> ({tile}) {{
      %x, %t = load_view_tko weak %v[%i] : {view}, tile<i32> -> {tile}, token
      %y = addf %o, %x : {tile}
      continue %y : {tile}
    }}
    %r = reduce %s dim=0 identities=[0.0 : f16] : {tile} -> tile<f16>
      (%c: tile<f16>, %d: tile<f16>) {{
      %e = addf %c, %d : tile<f16>
      yield %e : tile<f16>
    }}
    %u = store_ptr_tko weak %a, %r : tile<ptr<f16>>, tile<f16> -> token
    return
  }}
}}
"""


@pytest.mark.parametrize(
    ("columns", "stages"),
    [
        # Four CTAs of four warps have 4 tiles of 2048 bytes on their way, each.
        (1024, 5),
        (2048, 3),
        (4096, 3),
    ],
)
def test_ctas_of_an_sm_load_ahead_together(columns: int, stages: int):
    """32 KiB are on their way in all: more buffer stages would leave room for fewer CTAs."""
    (text,) = find(explain(rows_in_parts(columns)), "Prefetches")
    assert f"{stages} buffer stages of {2 * columns} bytes" in text


def test_spills_are_missed():
    """Figures of ptxas are for programs that read YAML; people get a sentence."""
    usages = {"k": FunctionUsage(90), "f": FunctionUsage(255, spill_stores=8, spill_loads=16)}
    fine, spilling = of_ptxas(PtxasResult(b"", usages, (), ""))
    assert str(fine) == "remark: analysis[resources]: ptxas: 90 registers per thread, no spills"
    assert str(spilling) == (
        "remark: missed[resources]: ptxas: 255 registers per thread, 24 bytes of spills; more "
        "values are live than registers"
    )
    assert "  - SpillStores: '8'\n" in spilling.to_yaml()
