// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir

!tiled_view = !nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>
%tiled_view = "test.op"() : () -> !tiled_view
%i32 = "test.op"() : () -> i32
!ptr = !llvm.ptr<1>
%ptr = "test.op"() : () -> !ptr
%t8xf32 = "test.op"() : () -> tensor<8xf32>
%t8xf32_nv_tileas_shared_offset_1_2_4 = "test.op"() : () -> tensor<8xf32, #nv_tileas.shared<offset = [[1], [2], [4]]>>

// -----

// CHECK: expects 2 coordinates, but got 1
%x = nv_tileas.tiled_load %tiled_view[%i32] : !tiled_view, i32 -> tensor<8x8xf32>

%j = "test.op"() : () -> i64
// CHECK: expects CoordType is same as memref index type, but got
%x = nv_tileas.tiled_load %tiled_view[%i32, %j] : !tiled_view, i32, i64 -> tensor<8x8xf32>

// CHECK: requires the same size for tileSize and tensor
%x = nv_tileas.tiled_load %tiled_view[%i32, %i32] : !tiled_view, i32, i32 -> tensor<64xf32>

// CHECK: requires the same shape for tileSize and tensor value
%x = nv_tileas.tiled_load %tiled_view[%i32, %i32] : !tiled_view, i32, i32 -> tensor<8x4xf32>

%x = "test.op"() : () -> tensor<8x8xf16>
// CHECK: view elementType not equal with tensor element type:
nv_tileas.tiled_store %x, %tiled_view[%i32, %i32] : tensor<8x8xf16>, !tiled_view, i32, i32

// CHECK: incorrect number of in_bounds elements: expected 2, got 1
%x = nv_tileas.tiled_load %tiled_view[%i32, %i32] {in_bounds = array<i1: true>} : !tiled_view, i32, i32 -> tensor<8x8xf32>

// CHECK: mem_scope not supported when mem_semantic is weak
%x = nv_tileas.load %ptr {mem_scope = "gpu"} : !ptr -> f32

// CHECK: mem_scope required when mem_semantic is not weak
%x = nv_tileas.load %ptr {mem_semantic = "acquire"} : !ptr -> f32

// CHECK: unsupported mem_semantic: "release"
%x = nv_tileas.load %ptr {mem_semantic = "release", mem_scope = "gpu"} : !ptr -> f32

%x = "test.op"() : () -> tensor<8x8xf32>
// CHECK: requires attribute 'rmw_mode'
nv_tileas.tiled_atomic_rmw %tiled_view[%i32, %i32], %x {mem_semantic = "relaxed", mem_scope = "gpu"} : !tiled_view, tensor<8x8xf32>, i32, i32

// CHECK: all dimensions must be powers of two, got 6
"test.op"() : () -> !nv_tileaa.tiled_view<6, !nv_tileaa.memref<?xf32, strides = [1]>>

// CHECK: unsupported atom: #nv_tileas.atom<stg> (expected one of ldg, ldgsts, tma_load, unknown_copy)
%x = nv_tileas.load %ptr {atom = #nv_tileas.atom<stg>} : !ptr -> f32

// CHECK: unknown atom 'mma.sm70' (expected one of ldg, stg,
"test.op"() {a = #nv_tileas.atom<mma.sm70>} : () -> ()

// CHECK: unknown memory 'texture' (expected one of register, shared, global, tmem)
"test.op"() {a = #nv_tileas.memory<texture>} : () -> ()

// CHECK: expects the shape and the elements of 'tensor<8xf32>', but got 'tensor<4xf32>'
%y = nv_tileas.copy %t8xf32 : tensor<8xf32> -> tensor<4xf32>

// CHECK: cannot copy from shared to shared memory
%y = nv_tileas.copy %t8xf32_nv_tileas_shared_offset_1_2_4 : tensor<8xf32, #nv_tileas.shared<offset = [[1], [2], [4]]>> -> tensor<8xf32, #nv_tileas.shared<offset = [[4], [2], [1]]>>

// CHECK: atom sts copies from register to shared memory, but got
%y = nv_tileas.copy %t8xf32_nv_tileas_shared_offset_1_2_4 {atom = #nv_tileas.atom<sts>} : tensor<8xf32, #nv_tileas.shared<offset = [[1], [2], [4]]>> -> tensor<8xf32>

// CHECK: expects the type of the buffer
%y = nv_tileas.copy %t8xf32 into(%t8xf32_nv_tileas_shared_offset_1_2_4 : tensor<8xf32, #nv_tileas.shared<offset = [[1], [2], [4]]>>) : tensor<8xf32> -> tensor<8xf32>

// CHECK: memory is tmem, but 'tensor<8xf32, #nv_tileas.shared<{{.*}}>>' lies in shared memory
%b = nv_tileas.alloc_tensor {memory = #nv_tileas.memory<tmem>} : tensor<8xf32, #nv_tileas.shared<offset = [[1], [2], [4]]>>
