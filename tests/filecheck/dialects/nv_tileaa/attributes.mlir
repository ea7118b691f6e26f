// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

%x, %p, %t, %tp, %m = "test.op"() : () -> (i32, !llvm.ptr<1>, tensor<8x16xi64>, tensor<8x!llvm.ptr<1>>, !nv_tileaa.memref<?xf32, strides = [1]>)

// Facts about values.

// PRINTS: %a0 = nv_tileaa.assume %x {predicate = #nv_tileaa.div_by<16>} : i32
%a0 = "nv_tileaa.assume"(%x) {predicate = #nv_tileaa.div_by<16>} : (i32) -> i32
%a1 = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<1>} : !llvm.ptr<1>
%a2 = nv_tileaa.assume %m {predicate = #nv_tileaa.div_by<4611686018427387904>} : !nv_tileaa.memref<?xf32, strides = [1]>
%a3 = nv_tileaa.assume %t {predicate = #nv_tileaa.div_by<16, every 8 along 0>} : tensor<8x16xi64>
// PRINTS: %a4 = nv_tileaa.assume %t {my.tag, predicate = #nv_tileaa.div_by<16, every 4 along 1>} : tensor<8x16xi64>
%a4 = nv_tileaa.assume %t {predicate = #nv_tileaa.div_by<16, every 4 along 1>, my.tag} : tensor<8x16xi64>
%a5 = nv_tileaa.assume %tp {predicate = #nv_tileaa.div_by<16>} : tensor<8x!llvm.ptr<1>>
%b0 = nv_tileaa.assume %x {predicate = #nv_tileaa.bounded<0, ?>} : i32
%b1 = nv_tileaa.assume %x {predicate = #nv_tileaa.bounded<?, 2147483647>} : i32
%b2 = nv_tileaa.assume %t {predicate = #nv_tileaa.bounded<-9223372036854775808, -1>} : tensor<8x16xi64>
%b3 = nv_tileaa.assume %x {predicate = #nv_tileaa.bounded<?, ?>} : i32
%s0 = nv_tileaa.assume %t {predicate = #nv_tileaa.same_elements<[1, 16]>} : tensor<8x16xi64>
%s1 = nv_tileaa.assume %tp {predicate = #nv_tileaa.same_elements<[8]>} : tensor<8x!llvm.ptr<1>>
%s2 = nv_tileaa.assume %x {predicate = #nv_tileaa.same_elements<[]>} : i32

// How a kernel is to be launched.

"test.op"() {spec = #nv_tileaa.kernel_spec<>} : () -> ()
"test.op"() {spec = #nv_tileaa.kernel_spec<occupancy = 1>} : () -> ()
// PRINTS: "test.op"() {spec = #nv_tileaa.kernel_spec<num_ctas = 4, occupancy = 2, num_warps = 8>} : () -> ()
"test.op"() {spec = #nv_tileaa.kernel_spec<num_warps=8, occupancy = 2, num_ctas = 4>} : () -> ()
