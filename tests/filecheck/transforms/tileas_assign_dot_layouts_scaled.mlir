// RUN: tileiras-opt -p "tileas-assign-dot-layouts{compute-capability=sm_100a}" %s | filecheck %s

// CHECK: tileiras.remarks =
// CHECK-SAME: #tileiras.remark<"Missed", "TensorCore", "Emulated", "few_rows", "block-scaled dot 64x32x64: FMAs of f32", "no block-scaled MMAs of 128 rows and 16 columns make up 64x32"
// CHECK-SAME: #tileiras.remark<"Missed", "TensorCore", "NoInstruction", "few_rows", "dot of 64x64xf32 and 64x32xf32: FMAs", "no MMA has these types and accumulators of f32"

// Bytes take the place of the elements that were unpacked from them, and scales of 64 columns are
// repeated for 128. A dot of 64 rows is computed in f32.

builtin.module attributes {tileiras.explain, tileiras.remarks = []} {
gpu.module @m {
  // CHECK-LABEL: gpu.func @packed
  gpu.func @packed(%a: tensor<128x64xi8>, %b: tensor<64x64xi8>, %sa: tensor<128x4xf8E8M0FNU>, %sb: tensor<4x64xf8E8M0FNU>) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %fa = nv_tileas.view %a : tensor<128x64xi8> -> tensor<8192xi8>
    %ua = nv_tileaa.unpack %fa : tensor<8192xi8> -> tensor<16384xf4E2M1FN>
    %va = nv_tileas.view %ua : tensor<16384xf4E2M1FN> -> tensor<128x128xf4E2M1FN>
    %fb = nv_tileas.view %b : tensor<64x64xi8> -> tensor<4096xi8>
    %ub = nv_tileaa.unpack %fb : tensor<4096xi8> -> tensor<8192xf4E2M1FN>
    %vb = nv_tileas.view %ub : tensor<8192xf4E2M1FN> -> tensor<64x128xf4E2M1FN>
    %tb = nv_tileaa.permute %vb {permutation = array<i32: 1, 0>} : tensor<64x128xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    %true = arith.constant true
    %d = nv_tileas.scaled_dot %va, %tb, %c, %true scales(%sa, %sb) : tensor<128x128xf4E2M1FN>, tensor<128x64xf4E2M1FN>, tensor<128x64xf32>, i1, tensor<128x4xf8E8M0FNU>, tensor<4x64xf8E8M0FNU>
    "test.op"(%d) : (tensor<128x64xf32>) -> ()
    // CHECK-NOT:  nv_tileaa.unpack
    // CHECK:      %[[B:.*]] = nv_tileaa.permute %b {permutation = array<i32: 1, 0>} : tensor<64x64xi8> -> tensor<64x64xi8>
    // CHECK-NEXT: %[[E:.*]] = nv_tileas.expand_dims %sb {axis = 1 : i32} : tensor<4x64xf8E8M0FNU> -> tensor<4x1x64xf8E8M0FNU>
    // CHECK-NEXT: %[[R:.*]] = nv_tileaa.broadcast %[[E]] : tensor<4x1x64xf8E8M0FNU> -> tensor<4x2x64xf8E8M0FNU>
    // CHECK-NEXT: %[[S:.*]] = nv_tileas.view %[[R]] : tensor<4x2x64xf8E8M0FNU> -> tensor<4x128xf8E8M0FNU>
    // CHECK-NEXT: nv_tileas.scaled_dot %a, %[[B]], %{{.*}} scales(%sa, %[[S]])
    // CHECK-SAME: block = 32 : i32, packed = f4E2M1FN
    // CHECK:      atom = #nv_tileas.atom<mma.sm100>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @bytes
  gpu.func @bytes(%a: tensor<128x64xf8E4M3FN>, %b: tensor<64x128xf8E5M2>, %sa: tensor<128x2xf8E8M0FNU>, %sb: tensor<2x128xf8E8M0FNU>) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %c = arith.constant dense<0.0> : tensor<128x128xf32>
    %true = arith.constant true
    %d = nv_tileas.scaled_dot %a, %b, %c, %true scales(%sa, %sb) : tensor<128x64xf8E4M3FN>, tensor<64x128xf8E5M2>, tensor<128x128xf32>, i1, tensor<128x2xf8E8M0FNU>, tensor<2x128xf8E8M0FNU>
    "test.op"(%d) : (tensor<128x128xf32>) -> ()
    // CHECK:      nv_tileaa.broadcast %{{.*}} : tensor<128x1x2xf8E8M0FNU> -> tensor<128x2x2xf8E8M0FNU>
    // CHECK:      nv_tileaa.broadcast %{{.*}} : tensor<1x2x128xf8E8M0FNU> -> tensor<2x2x128xf8E8M0FNU>
    // CHECK:      nv_tileas.scaled_dot %a, %b
    // CHECK-SAME: block = 32 : i32
    // CHECK:      atom = #nv_tileas.atom<mma.sm100>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @few_rows
  gpu.func @few_rows(%a: tensor<64x64xf8E4M3FN>, %b: tensor<64x32xf8E4M3FN>, %sa: tensor<64x2xf8E8M0FNU>, %sb: tensor<2x32xf8E8M0FNU>) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    %true = arith.constant true
    %d = nv_tileas.scaled_dot %a, %b, %c, %true scales(%sa, %sb) : tensor<64x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>, tensor<64x32xf32>, i1, tensor<64x2xf8E8M0FNU>, tensor<2x32xf8E8M0FNU>
    "test.op"(%d) : (tensor<64x32xf32>) -> ()
    // CHECK:      nv_tileas.dot
    // CHECK:      atom = #nv_tileas.atom<fma>
    gpu.return
  }
}
}
