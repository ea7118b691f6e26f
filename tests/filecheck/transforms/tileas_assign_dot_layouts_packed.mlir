// RUN: tileiras-opt -p "tileas-assign-dot-layouts{compute-capability=sm_120a}" %s | filecheck %s

// Bytes take the place of the elements that were unpacked from them along K. Elements that are
// unpacked along N, or computed, are converted to fragments one by one.

gpu.module @m {
  // CHECK-LABEL: gpu.func @packed
  gpu.func @packed(%a: tensor<32x64xi8>, %b: tensor<16x64xi8>, %sa: tensor<32x4xf8E8M0FNU>, %sb: tensor<4x16xf8E8M0FNU>) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %fa = nv_tileas.view %a : tensor<32x64xi8> -> tensor<2048xi8>
    %ua = nv_tileaa.unpack %fa : tensor<2048xi8> -> tensor<4096xf4E2M1FN>
    %va = nv_tileas.view %ua : tensor<4096xf4E2M1FN> -> tensor<32x128xf4E2M1FN>
    %fb = nv_tileas.view %b : tensor<16x64xi8> -> tensor<1024xi8>
    %ub = nv_tileaa.unpack %fb : tensor<1024xi8> -> tensor<2048xf4E2M1FN>
    %vb = nv_tileas.view %ub : tensor<2048xf4E2M1FN> -> tensor<16x128xf4E2M1FN>
    %tb = nv_tileaa.permute %vb {permutation = array<i32: 1, 0>} : tensor<16x128xf4E2M1FN> -> tensor<128x16xf4E2M1FN>
    %c = arith.constant dense<0.0> : tensor<32x16xf32>
    %true = arith.constant true
    %d = nv_tileas.scaled_dot %va, %tb, %c, %true scales(%sa, %sb) : tensor<32x128xf4E2M1FN>, tensor<128x16xf4E2M1FN>, tensor<32x16xf32>, i1, tensor<32x4xf8E8M0FNU>, tensor<4x16xf8E8M0FNU>
    "test.op"(%d) : (tensor<32x16xf32>) -> ()
    // CHECK-NOT:  nv_tileaa.unpack
    // CHECK:      %[[B:.*]] = nv_tileaa.permute %b {permutation = array<i32: 1, 0>} : tensor<16x64xi8> -> tensor<64x16xi8>
    // CHECK-NEXT: nv_tileas.scaled_dot %a, %[[B]], %{{.*}} scales(%sa, %sb)
    // CHECK:      packed = f4E2M1FN, atom = #nv_tileas.atom<mma.sm80>
    // CHECK-NOT:  nv_tileaa.unpack
    gpu.return
  }

  // CHECK-LABEL: gpu.func @along_n
  gpu.func @along_n(%a: tensor<32x64xi8>, %b: tensor<128x8xi8>, %sa: tensor<32x4xf8E8M0FNU>, %sb: tensor<4x16xf8E8M0FNU>) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %fa = nv_tileas.view %a : tensor<32x64xi8> -> tensor<2048xi8>
    %ua = nv_tileaa.unpack %fa : tensor<2048xi8> -> tensor<4096xf4E2M1FN>
    %va = nv_tileas.view %ua : tensor<4096xf4E2M1FN> -> tensor<32x128xf4E2M1FN>
    %fb = nv_tileas.view %b : tensor<128x8xi8> -> tensor<1024xi8>
    %ub = nv_tileaa.unpack %fb : tensor<1024xi8> -> tensor<2048xf4E2M1FN>
    %vb = nv_tileas.view %ub : tensor<2048xf4E2M1FN> -> tensor<128x16xf4E2M1FN>
    %c = arith.constant dense<0.0> : tensor<32x16xf32>
    %true = arith.constant true
    %d = nv_tileas.scaled_dot %va, %vb, %c, %true scales(%sa, %sb) : tensor<32x128xf4E2M1FN>, tensor<128x16xf4E2M1FN>, tensor<32x16xf32>, i1, tensor<32x4xf8E8M0FNU>, tensor<4x16xf8E8M0FNU>
    "test.op"(%d) : (tensor<32x16xf32>) -> ()
    // CHECK-COUNT-2: nv_tileaa.unpack
    // CHECK-NOT:     packed
    // CHECK:         nv_tileas.scaled_dot
    // CHECK:         tensor<128x16xf4E2M1FN>, tensor<32x16xf32>
    gpu.return
  }
}
