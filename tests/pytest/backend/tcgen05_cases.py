"""Ops of `tcgen05`, what PTX has of each, and the architectures that have it."""

from __future__ import annotations

DATACENTER = ("sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_107a", "sm_110a", "sm_110f")
ALL_A = ("sm_100a", "sm_103a", "sm_107a", "sm_110a")
EVERY = (*DATACENTER, "sm_120a", "sm_121a")


def mma(kind: str, options: str = "", a: str = "%i64", types: str = "!llvm.ptr<6>, i64") -> str:
    return (
        f"nvvm.tcgen05.mma %t, {a}, %i64, %i32, %i1 "
        f"{{kind = #nvvm.tcgen05_mma_kind<{kind}>{options}}} : {types}"
    )


def block_scale(kind: str, options: str = "") -> str:
    return (
        "nvvm.tcgen05.mma.block_scale %t, %i64, %i64, %i32, %i1, %t, %t "
        f"{{kind = #nvvm.tcgen05_mma_kind<{kind}>{options}}} : !llvm.ptr<6>, i64"
    )


def ld(shape: str, options: str, result: str) -> str:
    return (
        f"%v = nvvm.tcgen05.ld %t {{shape = #nvvm.tcgen05_ldst_shape<shape_{shape}>{options}}} "
        f": !llvm.ptr<6> -> {result}\n"
        f"nvvm.tcgen05.st %t, %v {{shape = #nvvm.tcgen05_ldst_shape<shape_{shape}>"
        f"{options.replace('pack', 'unpack')}}} : !llvm.ptr<6>, {result}"
    )


def cp(shape: str, multicast: str, options: str = "") -> str:
    if multicast:
        options += f", multicast = #nvvm.tcgen05_cp_multicast<{multicast}>"
    return (
        f"nvvm.tcgen05.cp %t, %i64 {{shape = #nvvm.tcgen05_cp_shape<shape_{shape}>{options}}} "
        ": !llvm.ptr<6>, i64"
    )


PAIR = ", group = #nvvm.cta_group<cta_2>"
COLLECTOR = ", collector_op = #nvvm.tcgen05_mma_collectorop"
BLOCK = ", block_scale = #nvvm.tcgen05_mma_block_scale"
TENSOR_A = {"a": "%t", "types": "!llvm.ptr<6>, !llvm.ptr<6>"}
LOAD = "nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile"
ROWS = "i32, i32, i32, i32, i32"
RED = (
    "%v, %m = nvvm.tcgen05.ld.red %t {op = #nvvm.tcgen05_ld_red<max>, "
    "shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : !llvm.ptr<6> -> vector<8xf32>, f32\n"
    "llvm.store %m, %g : f32, !llvm.ptr<1>"
)

FORMS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "alloc": (
        "nvvm.tcgen05.alloc %s, %c64 : !llvm.ptr<3>, i32",
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32",
        DATACENTER,
    ),
    "dealloc": (
        "nvvm.tcgen05.dealloc %t, %c64 {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<6>, i32",
        "tcgen05.dealloc.cta_group::2.sync.aligned.b32",
        DATACENTER,
    ),
    "commit": (
        "nvvm.tcgen05.commit %s multicast_mask = %i16 {group = #nvvm.cta_group<cta_2>} "
        ": !llvm.ptr<3>",
        "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64",
        DATACENTER,
    ),
    "relinquish": (
        "nvvm.tcgen05.relinquish_alloc_permit",
        "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
        DATACENTER,
    ),
    "fence": (
        "nvvm.tcgen05.fence {kind = #nvvm.tcgen05_fence<after>}",
        "tcgen05.fence::after_thread_sync;",
        DATACENTER,
    ),
    "wait": (
        "nvvm.tcgen05.wait {kind = #nvvm.tcgen05_wait<store>}",
        "tcgen05.wait::st.sync.aligned;",
        DATACENTER,
    ),
    "32x32b": (ld("32x32b", "", "vector<32xf32>"), "tcgen05.ld.sync.aligned.32x32b.x32.b32", ALL_A),
    "word": (ld("32x32b", "", "i32"), "tcgen05.st.sync.aligned.32x32b.x1.b32", ALL_A),
    "halves": (ld("32x32b", "", "vector<8xf16>"), "tcgen05.ld.sync.aligned.32x32b.x4.b32", ALL_A),
    "16x64b": (ld("16x64b", "", "vector<8xf32>"), "tcgen05.ld.sync.aligned.16x64b.x8.b32", ALL_A),
    "16x128b": (ld("16x128b", "", "vector<8xi32>"), ".16x128b.x4.b32", ALL_A),
    "16x256b pack": (
        ld("16x256b", ", pack", "vector<4xi32>"),
        "tcgen05.st.sync.aligned.16x256b.x1.unpack::16b.b32",
        ALL_A,
    ),
    "16x32bx2": (
        ld("16x32bx2", ", offset = 64 : i32", "vector<2xi32>"),
        "tcgen05.ld.sync.aligned.16x32bx2.x2.b32",
        ALL_A,
    ),
    "ld.red": (
        RED,
        "tcgen05.ld.red.sync.aligned.32x32b.x8.max.f32",
        ("sm_103a", "sm_103f", "sm_107a", "sm_110a", "sm_110f"),
    ),
    "cp": (cp("32x128b", "warpx4"), "tcgen05.cp.cta_group::1.32x128b.warpx4 [", ALL_A),
    "cp formats": (
        cp("64x128b", "warpx2_02_13", ", src_format = #nvvm.tcgen05_cp_src_fmt<b4x16_p64>"),
        "tcgen05.cp.cta_group::1.64x128b.warpx2::02_13.b8x16.b4x16_p64 [",
        ALL_A,
    ),
    "cp pair": (cp("128x256b", "", PAIR), "tcgen05.cp.cta_group::2.128x256b [", ALL_A),
    "shift": (
        "nvvm.tcgen05.shift %t : !llvm.ptr<6>",
        "tcgen05.shift.cta_group::1.down [",
        ALL_A,
    ),
    "f16": (mma("f16"), "tcgen05.mma.cta_group::1.kind::f16 [", DATACENTER),
    "tf32 pair": (mma("tf32", PAIR), "tcgen05.mma.cta_group::2.kind::tf32 [", DATACENTER),
    "f8f6f4 A in tensor memory": (
        mma("f8f6f4", **TENSOR_A),
        "tcgen05.mma.cta_group::1.kind::f8f6f4 [%r",
        DATACENTER,
    ),
    "i8": (mma("i8"), "tcgen05.mma.cta_group::1.kind::i8 [", ("sm_100a", "sm_110a")),
    "scale": (
        mma("f16", ", scale_input_d = 3 : i32"),
        ", 3;",
        ("sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_107a"),
    ),
    "mask": (
        mma("f16").replace("%i1 ", "%i1 mask = %mask : vector<4xi32> "),
        "tcgen05.mma.cta_group::1.kind::f16 [",
        DATACENTER,
    ),
    "collector": (
        mma("f16", f"{COLLECTOR}<fill>"),
        "tcgen05.mma.cta_group::1.kind::f16.collector::a::fill [",
        DATACENTER,
    ),
    "shifted A": (
        mma("f16", f", a_shift{COLLECTOR}<lastuse>", **TENSOR_A),
        "tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::lastuse [",
        DATACENTER,
    ),
    "mxf8f6f4": (
        block_scale("mxf8f6f4"),
        "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [",
        DATACENTER,
    ),
    "mxf4": (
        block_scale("mxf4", PAIR),
        "tcgen05.mma.cta_group::2.kind::mxf4.block_scale [",
        DATACENTER,
    ),
    "mxf4nvf4": (
        block_scale("mxf4nvf4", f"{BLOCK}<block16>{COLLECTOR}<use>"),
        "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16.collector::a::use [",
        DATACENTER,
    ),
    "pair load": (
        f"{LOAD} %s, %map, %i32, %i32, %s {{group = #nvvm.cta_group<cta_2>, leader_barrier}} "
        ": !llvm.ptr<3>, !llvm.ptr, i32, i32, !llvm.ptr<3>",
        "mbarrier::complete_tx::bytes.cta_group::2 [",
        DATACENTER,
    ),
    "gather4": (
        f"{LOAD}.gather4 %s, %map, %i32, %i32, %i32, %i32, %i32, %s "
        f": !llvm.ptr<3>, !llvm.ptr, {ROWS}, !llvm.ptr<3>",
        ".tile::gather4.mbarrier::complete_tx::bytes",
        EVERY,
    ),
    "scatter4": (
        "nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile.scatter4 %map, %i32, %i32, %i32, "
        f"%i32, %i32, %s : !llvm.ptr, {ROWS}, !llvm.ptr<3>",
        ".tile::scatter4.bulk_group",
        DATACENTER,
    ),
    "try_cancel": (
        "nvvm.clusterlaunchcontrol.try.cancel %s, %s : !llvm.ptr<3>, !llvm.ptr<3>",
        "clusterlaunchcontrol.try_cancel.async",
        EVERY,
    ),
    "query_cancel": (
        "%answer = llvm.load %s {alignment = 16 : i64} : !llvm.ptr<3> -> i128\n"
        "%id = nvvm.clusterlaunchcontrol.query.cancel %answer "
        "{query = #nvvm.clc_query_type<get_first_cta_id_x>} : i128 -> i32\n"
        "llvm.store %id, %g : i32, !llvm.ptr<1>",
        "clusterlaunchcontrol.query_cancel.get_first_ctaid::x",
        EVERY,
    ),
}


def form_kernel(body: str) -> str:
    return f"""
    gpu.module @kernels {{
      llvm.mlir.global internal @shared() {{addr_space = 3 : i32, alignment = 1024 : i64}}
          : !llvm.array<1024 x i8>
      llvm.func @k(%g: !llvm.ptr<1>, %map: !llvm.ptr {{llvm.byval = !llvm.array<128 x i8>,
          llvm.align = 64 : i64, nvvm.grid_constant}}, %i64: i64, %i32: i32, %i16: i16,
          %address: i32, %mask: vector<4xi32>) attributes {{nvvm.kernel}} {{
        %zero = llvm.mlir.constant(0 : i32) : i32
        %c64 = llvm.mlir.constant(64 : i32) : i32
        %i1 = llvm.icmp "eq" %i32, %zero : i32
        %s = llvm.mlir.addressof @shared : !llvm.ptr<3>
        %t = llvm.inttoptr %address : i32 to !llvm.ptr<6>
        {body}
        llvm.return
      }}
    }}
    """
