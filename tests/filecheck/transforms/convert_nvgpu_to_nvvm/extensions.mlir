// RUN: tileiras-opt %s -p convert-nvgpu-to-nvvm --print-local-scope | filecheck %s

// What upstream does not have, and our kernels are made of.

!ptr3 = !llvm.ptr<3>

func.func @barriers(%p: !ptr3, %n: i32, %parity: i1) -> i1 {
  %bar = nvgpu.mbarrier.at %p : !ptr3 -> !nvgpu.mbarrier
  nvgpu.mbarrier.init %bar, %n : !nvgpu.mbarrier, i32
  nvgpu.mbarrier.init.fence
  %t = nvgpu.mbarrier.arrive %bar : !nvgpu.mbarrier -> !nvgpu.mbarrier.token
  nvgpu.mbarrier.arrive.remote %bar, %n, %n {scope = #nvvm.mem_scope<cluster>} : !nvgpu.mbarrier, i32, i32
  nvgpu.mbarrier.arrive.remote %bar, %n, %n {relaxed} : !nvgpu.mbarrier, i32, i32
  %done = nvgpu.mbarrier.try_wait.parity %bar, %parity, %n {scope = #nvvm.mem_scope<cluster>} : !nvgpu.mbarrier, i1, i32 -> i1
  nvgpu.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  nvgpu.fence.proxy {kind = #nvvm.proxy_kind<alias>}
  func.return %done : i1
}
// CHECK-LABEL: func.func @barriers(%p: !llvm.ptr<3>, %n: i32, %parity: i1) -> i1 {
// CHECK-NEXT: nvvm.mbarrier.init.shared %p, %n : [[sptr:!llvm.ptr<3>]], i32
// CHECK-NEXT: nvvm.fence.mbarrier.init
// CHECK-NEXT: %t = nvvm.mbarrier.arrive.shared %p : [[sptr]] -> i64
// CHECK-NEXT: [[THERE:%.*]] = nvvm.mapa %p, %n : [[sptr]] -> !llvm.ptr<7>
// CHECK-NEXT: nvvm.mbarrier.arrive.shared.cluster [[THERE]], %n {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
// CHECK-NEXT: [[AGAIN:%.*]] = nvvm.mapa %p, %n : [[sptr]] -> !llvm.ptr<7>
// CHECK-NEXT: nvvm.mbarrier.arrive.shared.cluster [[AGAIN]], %n {relaxed} : !llvm.ptr<7>, i32
// CHECK-NEXT: %done = nvvm.mbarrier.try_wait.parity.shared %p, %parity, %n {scope = #nvvm.mem_scope<cluster>} : [[sptr]], i1, i32 -> i1
// CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}
// CHECK-NEXT: func.return %done : i1

func.func @boxes(%box: !ptr3, %map: !llvm.ptr, %x: i32, %hint: i64) {
  nvgpu.tma.reduce %box, %map[%x, %x] {red_op = #nvvm.tma_redux_kind<add>} : !ptr3, !llvm.ptr
  nvgpu.tma.reduce %box, %map[%x] l2CacheHint = %hint {red_op = #nvvm.tma_redux_kind<xor>} : !ptr3, !llvm.ptr
  nvgpu.tma.commit_group
  nvgpu.tma.wait_group 0 {read}
  nvgpu.tma.wait_group 1
  func.return
}
// CHECK-LABEL: func.func @boxes
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.reduce %map, %x, %x, %box {red_op = #nvvm.tma_redux_kind<add>} : !llvm.ptr, i32, i32, [[sptr]]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.reduce %map, %x, %box, %hint {red_op = #nvvm.tma_redux_kind<xor>, cacheHintEnable} : !llvm.ptr, i32, [[sptr]], i64
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 1
// CHECK-NEXT: func.return

func.func @maps(%map: !ptr3, %there: !llvm.ptr<1>, %used: !llvm.ptr, %address: i64, %d0: i32, %d1: i32, %s1: i64) {
  nvgpu.tma.encode.descriptor %map, %address dims[%d0, %d1] strides[%s1] {box = array<i32: 64, 128>, element = "bf16", swizzle = 128 : i32} : !ptr3
  nvgpu.tma.publish.descriptor %there, %map {scope = #nvvm.mem_scope<gpu>} : !llvm.ptr<1>, !ptr3
  nvgpu.tma.fence.descriptor %used {scope = #nvvm.mem_scope<gpu>} : !llvm.ptr
  nvgpu.tma.encode.descriptor %map, %address dims[%d0] strides[] {box = array<i32: 64>, element = "f32", fill_nan} : !ptr3
  func.return
}
// CHECK-LABEL: func.func @maps
// CHECK-NEXT: nvvm.tensormap.replace %map, %address {field = #nvvm.tensormap_field<global_address>} : [[sptr]], i64
// CHECK-NEXT: [[RANK:%.*]] = arith.constant 1 : i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[RANK]] {field = #nvvm.tensormap_field<rank>} : [[sptr]], i32
// CHECK-NEXT: [[BOX:%.*]] = arith.constant 64 : i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[BOX]] {field = #nvvm.tensormap_field<box_dim>, ord = 0 : i32} : [[sptr]], i32
// CHECK-NEXT: nvvm.tensormap.replace %map, %d0 {field = #nvvm.tensormap_field<global_dim>, ord = 0 : i32} : [[sptr]], i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[RANK]] {field = #nvvm.tensormap_field<element_stride>, ord = 0 : i32} : [[sptr]], i32
// CHECK-NEXT: [[BOX1:%.*]] = arith.constant 128 : i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[BOX1]] {field = #nvvm.tensormap_field<box_dim>, ord = 1 : i32} : [[sptr]], i32
// CHECK-NEXT: nvvm.tensormap.replace %map, %d1 {field = #nvvm.tensormap_field<global_dim>, ord = 1 : i32} : [[sptr]], i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[RANK]] {field = #nvvm.tensormap_field<element_stride>, ord = 1 : i32} : [[sptr]], i32
// CHECK-NEXT: [[BYTES:%.*]] = arith.constant 2 : i64
// CHECK-NEXT: [[STRIDE:%.*]] = arith.muli %s1, [[BYTES]] : i64
// CHECK-NEXT: nvvm.tensormap.replace %map, [[STRIDE]] {field = #nvvm.tensormap_field<global_stride>, ord = 0 : i32} : [[sptr]], i64
// CHECK-NEXT: [[TYPE:%.*]] = arith.constant 10 : i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[TYPE]] {field = #nvvm.tensormap_field<elemtype>} : [[sptr]], i32
// CHECK-NEXT: [[NONE:%.*]] = arith.constant 0 : i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[NONE]] {field = #nvvm.tensormap_field<interleave_layout>} : [[sptr]], i32
// CHECK-NEXT: [[SWIZZLE:%.*]] = arith.constant 3 : i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[SWIZZLE]] {field = #nvvm.tensormap_field<swizzle_mode>} : [[sptr]], i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[NONE]] {field = #nvvm.tensormap_field<fill_mode>} : [[sptr]], i32
// CHECK-NEXT: nvvm.tensormap.cp_fenceproxy %there, %map {scope = #nvvm.mem_scope<gpu>} : !llvm.ptr<1>, [[sptr]]
// CHECK-NEXT: [[SIZE:%.*]] = arith.constant 128 : i32
// CHECK-NEXT: nvvm.fence.proxy.acquire %used, [[SIZE]] {scope = #nvvm.mem_scope<gpu>} : !llvm.ptr, i32
// CHECK: nvvm.tensormap.replace {{.*}} {field = #nvvm.tensormap_field<swizzle_mode>} : [[sptr]], i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[RANK]] {field = #nvvm.tensormap_field<fill_mode>} : [[sptr]], i32

// Every second row is copied.
func.func @gaps(%map: !ptr3, %address: i64, %d0: i32, %d1: i32, %s1: i64) {
  nvgpu.tma.encode.descriptor %map, %address dims[%d0, %d1] strides[%s1] {box = array<i32: 64, 128>, element = "u8", element_strides = array<i32: 1, 2>} : !ptr3
  func.return
}
// CHECK-LABEL: func.func @gaps
// CHECK:      [[ONE:%.*]] = arith.constant 1 : i32
// CHECK:      nvvm.tensormap.replace %map, [[ONE]] {field = #nvvm.tensormap_field<element_stride>, ord = 0 : i32} : [[sptr]], i32
// CHECK:      nvvm.tensormap.replace %map, {{%.*}} {field = #nvvm.tensormap_field<box_dim>, ord = 1 : i32} : [[sptr]], i32
// CHECK:      [[TWO:%.*]] = arith.constant 2 : i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[TWO]] {field = #nvvm.tensormap_field<element_stride>, ord = 1 : i32} : [[sptr]], i32

func.func @pieces(%src: vector<2x!llvm.ptr<1>>, %dst: vector<2x!llvm.ptr<3>>, %mask: vector<2xi1>, %bytes: vector<2xi32>) -> vector<16xf16> {
  %size = arith.constant 16 : i32
  %t = nvgpu.device_async_copy %src, %dst, %size mask(%mask : vector<2xi1>) : vector<2x!llvm.ptr<1>>, vector<2x!llvm.ptr<3>>, i32 -> !nvgpu.token
  %u = nvgpu.device_async_copy %src, %dst, %size : vector<2x!llvm.ptr<1>>, vector<2x!llvm.ptr<3>>, i32 -> !nvgpu.token
  %w = nvgpu.device_async_copy %src, %dst, %size mask(%bytes : vector<2xi32>) : vector<2x!llvm.ptr<1>>, vector<2x!llvm.ptr<3>>, i32 -> !nvgpu.token
  %g = nvgpu.device_async_create_group : () -> !nvgpu.token
  nvgpu.device_async_wait {numGroups = 2 : i32}
  %v = nvgpu.ldmatrix %dst {num = 4 : i32, transpose = true} : vector<2x!llvm.ptr<3>> -> vector<16xf16>
  nvgpu.stmatrix %v, %dst {num = 4 : i32, transpose = false} : vector<16xf16>, vector<2x!llvm.ptr<3>>
  func.return %v : vector<16xf16>
}
// CHECK-LABEL: func.func @pieces
// CHECK-NEXT: arith.constant 16 : i32
// CHECK-NEXT: nvvm.fragment.cp_async %dst, %src mask(%mask : vector<2xi1>) {bytes = 16 : i64} : vector<2x!llvm.ptr<3>>, vector<2x!llvm.ptr<1>>
// CHECK-NEXT: nvvm.fragment.cp_async %dst, %src {bytes = 16 : i64} : vector<2x!llvm.ptr<3>>, vector<2x!llvm.ptr<1>>
// CHECK-NEXT: nvvm.fragment.cp_async %dst, %src mask(%bytes : vector<2xi32>) {bytes = 16 : i64} : vector<2x!llvm.ptr<3>>, vector<2x!llvm.ptr<1>>
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.cp.async.wait.group 2
// CHECK-NEXT: %v = nvvm.fragment.ldmatrix %dst {num = 4 : i64, trans} : vector<2x!llvm.ptr<3>> -> vector<16xf16>
// CHECK-NEXT: nvvm.fragment.stmatrix %v, %dst {num = 4 : i64} : vector<16xf16>, vector<2x!llvm.ptr<3>>
// CHECK-NEXT: func.return %v : vector<16xf16>

func.func @products(%a: i64, %b: i64, %c: vector<4xf32>) -> vector<4xf32> {
  nvgpu.warpgroup.fence
  %d = nvgpu.warpgroup.mma.async %a, %b, %c {shape = #nvvm.shape<m = 64, n = 8, k = 16>, types = ["f32", "f16", "f16"], trans_b, scale_d = false, k_steps = 4 : i32, a_step = 2 : i64, b_step = 128 : i64} : i64, i64, vector<4xf32>
  nvgpu.warpgroup.commit
  %e = nvgpu.warpgroup.wait %d {groups = 1 : i32} : vector<4xf32>
  func.return %e : vector<4xf32>
}
// CHECK-LABEL: func.func @products
// CHECK-NEXT: nvvm.wgmma.fence.aligned
// CHECK-NEXT: %d = nvvm.wgmma.mma_async %a, %b, %c {shape = #nvvm.shape<m = 64, n = 8, k = 16>, types = ["f32", "f16", "f16"], trans_b, scale_d = false, k_steps = 4 : i32, a_step = 2 : i64, b_step = 128 : i64} : i64, i64, vector<4xf32>
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: %e = nvvm.wgmma.wait.group.sync.aligned 1, %d : vector<4xf32>
// CHECK-NEXT: func.return %e : vector<4xf32>
