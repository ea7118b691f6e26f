// RUN: tileiras-opt %s --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %s

%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>, i32)
// CHECK: expects 2 coordinates, but got 1
%x = nv_tileas.tiled_load %v[%i] : !nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>, i32 -> tensor<8x8xf32>

// -----

%v, %i, %j = "test.op"() : () -> (!nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>, i32, i64)
// CHECK: expects CoordType is same as memref index type, but got
%x = nv_tileas.tiled_load %v[%i, %j] : !nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>, i32, i64 -> tensor<8x8xf32>

// -----

%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>, i32)
// CHECK: requires the same size for tileSize and tensor
%x = nv_tileas.tiled_load %v[%i, %i] : !nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>, i32, i32 -> tensor<64xf32>

// -----

%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>, i32)
// CHECK: requires the same shape for tileSize and tensor value
%x = nv_tileas.tiled_load %v[%i, %i] : !nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>, i32, i32 -> tensor<8x4xf32>

// -----

%v, %i, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>, i32, tensor<8x8xf16>)
// CHECK: view elementType not equal with tensor element type:
nv_tileas.tiled_store %x, %v[%i, %i] : tensor<8x8xf16>, !nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>, i32, i32

// -----

%v, %i = "test.op"() : () -> (!nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>, i32)
// CHECK: incorrect number of in_bounds elements: expected 2, got 1
%x = nv_tileas.tiled_load %v[%i, %i] {in_bounds = array<i1: true>} : !nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>, i32, i32 -> tensor<8x8xf32>

// -----

%p = "test.op"() : () -> !llvm.ptr<1>
// CHECK: mem_scope not supported when mem_semantic is weak
%x = nv_tileas.load %p {mem_scope = "gpu"} : !llvm.ptr<1> -> f32

// -----

%p = "test.op"() : () -> !llvm.ptr<1>
// CHECK: mem_scope required when mem_semantic is not weak
%x = nv_tileas.load %p {mem_semantic = "acquire"} : !llvm.ptr<1> -> f32

// -----

%p = "test.op"() : () -> !llvm.ptr<1>
// CHECK: unsupported mem_semantic: "release"
%x = nv_tileas.load %p {mem_semantic = "release", mem_scope = "gpu"} : !llvm.ptr<1> -> f32

// -----

%v, %i, %x = "test.op"() : () -> (!nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>, i32, tensor<8x8xf32>)
// CHECK: requires attribute 'rmw_mode'
nv_tileas.tiled_atomic_rmw %v[%i, %i], %x {mem_semantic = "relaxed", mem_scope = "gpu"} : !nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>, tensor<8x8xf32>, i32, i32

// -----

// CHECK: all dimensions must be powers of two, got 6
"test.op"() : () -> !nv_tileaa.tiled_view<6, !nv_tileaa.memref<?xf32, strides = [1]>>

// -----

%p = "test.op"() : () -> !llvm.ptr<1>
// CHECK: unsupported atom: #nv_tileas.atom<stg> (expected one of ldg, ldgsts, tma_load, unknown_copy)
%x = nv_tileas.load %p {atom = #nv_tileas.atom<stg>} : !llvm.ptr<1> -> f32

// -----

// CHECK: unknown atom 'mma.sm70' (expected one of ldg, stg,
"test.op"() {a = #nv_tileas.atom<mma.sm70>} : () -> ()

// -----

// CHECK: unknown memory 'texture' (expected one of register, shared, global, tmem)
"test.op"() {a = #nv_tileas.memory<texture>} : () -> ()

// -----

%x = "test.op"() : () -> tensor<8xf32>
// CHECK: expects the shape and the elements of 'tensor<8xf32>', but got 'tensor<4xf32>'
%y = nv_tileas.copy %x : tensor<8xf32> -> tensor<4xf32>

// -----

%x = "test.op"() : () -> tensor<8xf32, #nv_tileas.shared<offset = [[1], [2], [4]]>>
// CHECK: cannot copy from shared to shared memory
%y = nv_tileas.copy %x : tensor<8xf32, #nv_tileas.shared<offset = [[1], [2], [4]]>> -> tensor<8xf32, #nv_tileas.shared<offset = [[4], [2], [1]]>>

// -----

%x = "test.op"() : () -> tensor<8xf32, #nv_tileas.shared<offset = [[1], [2], [4]]>>
// CHECK: atom sts copies from register to shared memory, but got
%y = nv_tileas.copy %x {atom = #nv_tileas.atom<sts>} : tensor<8xf32, #nv_tileas.shared<offset = [[1], [2], [4]]>> -> tensor<8xf32>

// -----

%x, %b = "test.op"() : () -> (tensor<8xf32>, tensor<8xf32, #nv_tileas.shared<offset = [[1], [2], [4]]>>)
// CHECK: expects the type of the buffer
%y = nv_tileas.copy %x into(%b : tensor<8xf32, #nv_tileas.shared<offset = [[1], [2], [4]]>>) : tensor<8xf32> -> tensor<8xf32>

// -----

// CHECK: memory is tmem, but 'tensor<8xf32, #nv_tileas.shared<{{.*}}>>' lies in shared memory
%b = nv_tileas.alloc_tensor {memory = #nv_tileas.memory<tmem>} : tensor<8xf32, #nv_tileas.shared<offset = [[1], [2], [4]]>>
