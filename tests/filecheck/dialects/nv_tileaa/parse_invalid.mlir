// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines

!ptr = !llvm.ptr<1>
!tiled_view = !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>

// -----

// Text of memrefs.

// CHECK: type expected
%0 = "test.op"() : () -> !nv_tileaa.memref<4x, strides=[1]>

// CHECK: Expected ','
%0 = "test.op"() : () -> !nv_tileaa.memref<4xf32>

// CHECK: Expected ','
%0 = "test.op"() : () -> !nv_tileaa.memref<f32>

// CHECK: type expected
%0 = "test.op"() : () -> !nv_tileaa.memref<>

// CHECK: '<' expected
%0 = "test.op"() : () -> !nv_tileaa.memref

// CHECK: type expected, unknown type: x4xf32
%0 = "test.op"() : () -> !nv_tileaa.memref<x4xf32, strides = [1]>

// CHECK: type expected, unknown type: f33
%0 = "test.op"() : () -> !nv_tileaa.memref<4xf33, strides = [1]>

// CHECK: '[' expected
%0 = "test.op"() : () -> !nv_tileaa.memref<4xf32, strides = 1>

// CHECK: expected one of space, alias_scope, but got 'color'
%0 = "test.op"() : () -> !nv_tileaa.memref<4xf32, strides = [1], color = 1>

// CHECK: 'space' is given twice
%0 = "test.op"() : () -> !nv_tileaa.memref<4xf32, strides = [1], space = 1, space = 1>

// CHECK: [[integer:Expected integer literal]]
%0 = "test.op"() : () -> !nv_tileaa.memref<4xf32, strides = [1], space = -1>

// CHECK: [[integer]]
%0 = "test.op"() : () -> !nv_tileaa.memref<4xf32, strides = [1], space = true>

// CHECK: expected either 64-bit integer or question mark
%0 = "test.op"() : () -> !nv_tileaa.memref<4xf32, strides = [a]>

// Rules of memrefs.

// CHECK: expected 1 strides, but got 2
%0 = "test.op"() : () -> !nv_tileaa.memref<4xf32, strides = [1, 2]>

// CHECK: expected 2 strides, but got 0
%0 = "test.op"() : () -> !nv_tileaa.memref<4x4xf32, strides = []>

// CHECK: expected positive sizes, but got [0]
%0 = "test.op"() : () -> !nv_tileaa.memref<0xf32, strides = [1]>

// CHECK: expected positive sizes, but got [-4]
%0 = "test.op"() : () -> !nv_tileaa.memref<-4xf32, strides = [1]>

// CHECK: expected positive strides, but got [?, 0]
%0 = "test.op"() : () -> !nv_tileaa.memref<4x4xf32, strides = [?, 0]>

// CHECK: expected elements that are numbers, but got 'index'
%0 = "test.op"() : () -> !nv_tileaa.memref<4xindex, strides = [1]>

// CHECK: expected elements that are numbers, but got '!llvm.ptr<1>'
%0 = "test.op"() : () -> !nv_tileaa.memref<4x!llvm.ptr<1>, strides = [1]>

// CHECK: alias_scope 4294967296 does not fit 32 bits
%0 = "test.op"() : () -> !nv_tileaa.memref<4xf32, strides = [1], alias_scope = 4294967296>

// Text of views.

// CHECK: Expected ','
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<8>

// CHECK: expected an nv_tileaa.memref, but got 'f32'
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<8, f32>

// CHECK: expected one of dim_map, steps, padding, sparse_dim, but got 'color'
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<8, !nv_tileaa.memref<?xf32, strides = [1]>, color = 1>

// CHECK: 'dim_map' is given twice
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<8, !nv_tileaa.memref<?xf32, strides = [1]>, dim_map = [0], dim_map = [0]>

// CHECK: identifier expected
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<8, !nv_tileaa.memref<?xf32, strides = [1]>, padding = 1>

// CHECK: [[integer]]
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<8, !nv_tileaa.memref<?xf32, strides = [1]>, sparse_dim = x>

// CHECK: expected a dimension after 'x'
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<8x, !nv_tileaa.memref<?xf32, strides = [1]>>

// Rules of views.

// CHECK: expected a tile of rank 1 or more
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<, !nv_tileaa.memref<?xf32, strides = [1]>>

// CHECK: all dimensions must be positive constants, got ?
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<?, !nv_tileaa.memref<?xf32, strides = [1]>>

// CHECK: all dimensions must be positive constants, got 0
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<0, !nv_tileaa.memref<?xf32, strides = [1]>>

// CHECK: all dimensions must be positive constants, got -8
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<-8, !nv_tileaa.memref<?xf32, strides = [1]>>

// CHECK: all dimensions must be powers of two, got 12
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<12, !nv_tileaa.memref<?xf32, strides = [1]>>

// CHECK: tile would exceed the maximum of 16777216 elements
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<33554432, !nv_tileaa.memref<?xf32, strides = [1]>>

// CHECK: a tile of rank 2 cannot be cut from a memref of rank 1
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?xf32, strides = [1]>>

// CHECK: [[permutation:dim_map must be a permutation of the 1 dimensions, but got]] [1]
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<8, !nv_tileaa.memref<?xf32, strides = [1]>, dim_map = [1]>

// CHECK: [[permutation]] []
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<8, !nv_tileaa.memref<?xf32, strides = [1]>, dim_map = []>

// CHECK: [[permutation]] [?]
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<8, !nv_tileaa.memref<?xf32, strides = [1]>, dim_map = [?]>

// CHECK: dim_map must be a permutation of the 2 dimensions, but got [0, 0]
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, dim_map = [0, 0]>

// CHECK: [[positive:expected 1 positive steps, but got]] [0]
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<8, !nv_tileaa.memref<?xf32, strides = [1]>, steps = [0]>

// CHECK: [[positive]] [?]
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<8, !nv_tileaa.memref<?xf32, strides = [1]>, steps = [?]>

// CHECK: [[positive]] [1, 1]
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<8, !nv_tileaa.memref<?xf32, strides = [1]>, steps = [1, 1]>

// CHECK: unsupported padding: one (expected one of zero, neg_zero, nan, pos_inf, neg_inf)
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<8, !nv_tileaa.memref<?xf32, strides = [1]>, padding = one>

// CHECK: special padding values require a floating-point element type (padding nan cannot be used with 'i32')
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>, padding = nan>

// CHECK: sparse_dim must be less than 1, but got 1
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<8, !nv_tileaa.memref<?xf32, strides = [1]>, sparse_dim = 1>

// CHECK: sparse_dim must be less than 1, but got -1
%0 = "test.op"() : () -> !nv_tileaa.tiled_view<8, !nv_tileaa.memref<?xf32, strides = [1]>, sparse_dim = -1>

// Pointers, queues and tokens.

// CHECK: '<' expected
%0 = "test.op"() : () -> !nv_tileaa.ptr

// CHECK: type expected
%0 = "test.op"() : () -> !nv_tileaa.ptr<>

// CHECK: [[integer]]
%0 = "test.op"() : () -> !nv_tileaa.ptr<f32, -1>

// CHECK: '>' expected
%0 = "test.op"() : () -> !nv_tileaa.ptr<f32, 1, 1>

// CHECK: type expected
%0 = "test.op"() : () -> !nv_tileaa.queue<>

// CHECK: Expected '>'
%0 = "test.op"() : () -> !nv_tileaa.queue<isolated f32>

// CHECK: type expected
%0 = "test.op"() : () -> !nv_tileaa.queue<f32,>

// CHECK: type expected
%0 = "test.op"() : () -> !nv_tileaa.queue<8>

// CHECK: Could not parse entire input!
%0 = "test.op"() : () -> !nv_tileaa.mem_token<1>

// CHECK: 'nv_tileaa.token' is not registered
%0 = "test.op"() : () -> !nv_tileaa.token

// Attributes.

// CHECK: '<' expected
"test.op"() {a = #nv_tileaa.div_by} : () -> ()

// CHECK: [[integer]]
"test.op"() {a = #nv_tileaa.div_by<>} : () -> ()

// CHECK: [[integer]]
"test.op"() {a = #nv_tileaa.div_by<-4>} : () -> ()

// CHECK: expected 'every' or 'along'
"test.op"() {a = #nv_tileaa.div_by<4,>} : () -> ()

// CHECK: [[integer]]
"test.op"() {a = #nv_tileaa.div_by<4, every>} : () -> ()

// CHECK: '>' expected
"test.op"() {a = #nv_tileaa.div_by<4, along 0 every 4>} : () -> ()

// CHECK: Expected ','
"test.op"() {a = #nv_tileaa.bounded<1>} : () -> ()

// CHECK: [[integer]]
"test.op"() {a = #nv_tileaa.bounded<a, b>} : () -> ()

// CHECK: '[' expected
"test.op"() {a = #nv_tileaa.same_elements<1>} : () -> ()

// CHECK: [[integer]]
"test.op"() {a = #nv_tileaa.same_elements<[x]>} : () -> ()

// CHECK: expected one of num_ctas, occupancy, num_warps, got 'color'
"test.op"() {a = #nv_tileaa.kernel_spec<color = 1>} : () -> ()

// CHECK: 'num_ctas' is given twice
"test.op"() {a = #nv_tileaa.kernel_spec<num_ctas = 1, num_ctas = 1>} : () -> ()

// CHECK: [[integer]]
"test.op"() {a = #nv_tileaa.kernel_spec<num_warps = -1>} : () -> ()

// CHECK: num_warps must be positive, but got 0
"test.op"() {a = #nv_tileaa.kernel_spec<num_warps = 0>} : () -> ()

// CHECK: Expected '='
"test.op"() {a = #nv_tileaa.kernel_spec<num_warps>} : () -> ()

// CHECK: 'nv_tileaa.unknown' is not registered
"test.op"() {a = #nv_tileaa.unknown<1>} : () -> ()

// Ops that are not finished.

// CHECK: operand expected
%0 = nv_tileaa.addf

// CHECK: Expected ','
%a = "test.op"() : () -> f32
%0 = nv_tileaa.addf %a : f32

// CHECK: operand is used with type f32, but has been previously used or defined with type f64
%a, %b = "test.op"() : () -> (f32, f64)
%0 = nv_tileaa.addf %a, %b : f32

// CHECK: Expected ':'
%p = "test.op"() : () -> !ptr
%0 = nv_tileaa.load %p mask() : !ptr -> f32

// CHECK: Operation has 1 results, but was given 2 to bind.
%p = "test.op"() : () -> !ptr
%0, %1 = nv_tileaa.load %p : !ptr -> f32

// CHECK: Expected '('
%p, %t = "test.op"() : () -> (!ptr, !nv_tileaa.mem_token)
%0 = nv_tileaa.load %p token %t : !ptr -> f32

// CHECK: expect symbol name
nv_tileaa.global g {value = 1 : i32}

// CHECK: 'nv_tileaa.tiled_load' op Expected attribute !nv_tileaa.mem_token but got i32
%v = "test.op"() : () -> !tiled_view
%0, %1 = nv_tileaa.tiled_load %v[] : !tiled_view -> tensor<8x16xf32>, i32

// CHECK: Expected '['
%t = "test.op"() : () -> !nv_tileaa.mem_token
%0 = nv_tileaa.join_mem_token %t : !nv_tileaa.mem_token

// CHECK: Operation nv_tileaa.pluto is not registered
nv_tileaa.pluto
