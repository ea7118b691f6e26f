// RUN: tileiras-opt -p "tileas-resolve-cluster-hints" --split-input-file %s | filecheck %s

// A hint that nobody followed is taken back, others stay.
"gpu.module"() <{sym_name = "m"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    "gpu.return"() : () -> ()
  }) {sym_name = "hinted", nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_ctas = 2, occupancy = 3>} : () -> ()
  // CHECK: }) {sym_name = "hinted", nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 3>, nv_tileas.ignored_hint = #nv_tileas.ignored_hint<"num_cta_in_cga = 2", "every tile has one block">} : () -> ()

  // A cluster of one block is what every block is.
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    "gpu.return"() : () -> ()
  }) {sym_name = "one", nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_ctas = 1>} : () -> ()
  // CHECK: }) {sym_name = "one", nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_ctas = 1>} : () -> ()

  "gpu.func"() <{function_type = () -> (), kernel}> ({
    "gpu.return"() : () -> ()
  }) {sym_name = "none"} : () -> ()
  // CHECK: }) {sym_name = "none"} : () -> ()
}) : () -> ()

// -----

// Pairs could share what they load for products of warpgroups, larger clusters could not.
builtin.module attributes {nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90a"} {
  "gpu.module"() <{sym_name = "m"}> ({
    "gpu.func"() <{function_type = (tensor<64x16xf16>, tensor<16x8xf16>, tensor<64x8xf32>) -> (), kernel}> ({
    ^entry(%a: tensor<64x16xf16>, %b: tensor<16x8xf16>, %c: tensor<64x8xf32>):
      %d = nv_tileas.dot %a, %b, %c : tensor<64x16xf16>, tensor<16x8xf16>, tensor<64x8xf32>
      "gpu.return"() : () -> ()
    }) {sym_name = "pairs", nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_ctas = 2>} : () -> ()
    // CHECK: nv_tileas.ignored_hint<"num_cta_in_cga = 2", "every tile has one block: pairs that share loads need --abi host-maps and -O3">
    "gpu.func"() <{function_type = (tensor<64x16xf16>, tensor<16x8xf16>, tensor<64x8xf32>) -> (), kernel}> ({
    ^entry(%a: tensor<64x16xf16>, %b: tensor<16x8xf16>, %c: tensor<64x8xf32>):
      %d = nv_tileas.dot %a, %b, %c : tensor<64x16xf16>, tensor<16x8xf16>, tensor<64x8xf32>
      "gpu.return"() : () -> ()
    }) {sym_name = "fours", nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_ctas = 4>} : () -> ()
    // CHECK: nv_tileas.ignored_hint<"num_cta_in_cga = 4", "every tile has one block">
  }) : () -> ()
}
