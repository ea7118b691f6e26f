// RUN: tileiras-opt -p "tileas-resolve-cluster-hints" --split-input-file %s | filecheck %s

// A hint that nobody followed is taken back, others stay.
// CHECK: #tileiras.remark<"Missed", "Hints", "", "hinted", "num_cta_in_cga = 2 is ignored, every tile has one CTA", ""
builtin.module attributes {tileiras.remarks = []} {
gpu.module @m {
  gpu.func @hinted() kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_ctas = 2, occupancy = 3>} {
    gpu.return
  }
  // CHECK-LABEL: gpu.func @hinted({{.*}} attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 3>} {

  // A cluster of one block is what every block is.
  gpu.func @one() kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_ctas = 1>} {
    gpu.return
  }
  // CHECK-LABEL: gpu.func @one({{.*}} attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_ctas = 1>} {

  gpu.func @none() kernel {
    gpu.return
  }
  // CHECK-LABEL: gpu.func @none() kernel {
}
}

// -----

// Pairs could share what they load for products of warpgroups, larger clusters could not.
// CHECK: #tileiras.remark<"Missed", "Hints", "", "pairs", "num_cta_in_cga = 2 is ignored, every tile has one CTA: clusters that multicast loads need --abi host-maps and -O3", ""
// CHECK-SAME: #tileiras.remark<"Missed", "Hints", "", "fours", "num_cta_in_cga = 4 is ignored, every tile has one CTA", ""
builtin.module attributes {tileiras.remarks = [], nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90a"} {
  gpu.module @m {
    gpu.func @pairs(%a: tensor<64x16xf16>, %b: tensor<16x8xf16>, %c: tensor<64x8xf32>) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_ctas = 2>} {
      %d = nv_tileas.dot %a, %b, %c : tensor<64x16xf16>, tensor<16x8xf16>, tensor<64x8xf32>
      gpu.return
    }
    gpu.func @fours(%a: tensor<64x16xf16>, %b: tensor<16x8xf16>, %c: tensor<64x8xf32>) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_ctas = 4>} {
      %d = nv_tileas.dot %a, %b, %c : tensor<64x16xf16>, tensor<16x8xf16>, tensor<64x8xf32>
      gpu.return
    }
  }
}
