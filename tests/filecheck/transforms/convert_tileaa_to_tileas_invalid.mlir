// RUN: tileiras-opt %s -p convert-tileaa-to-tileas --split-input-file --verify-diagnostics --allow-unregistered-dialect | filecheck %s

// What nobody can convert is an error, and the module stays as it was.

// CHECK: failed to convert nv_tileaa to nv_tileas: 'nv_tileaa.unknown' op has no conversion
"nv_tileaa.unknown"() : () -> ()

// -----

%x = "test.op"() : () -> i32
// CHECK: plugin has unsupported feature
"nv_tileaa.plugin"(%x) ({
  nv_tileaa.yield
}) {plugin_name = "p", max_registers = 0 : i32, named_barriers = 0 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = []} : (i32) -> ()

// -----

%x = "test.op"() : () -> tensor<8xf32>
// CHECK: fails to assign layout: 'nv_tileaa.plugin' op has 2 layouts for 1 tensors
%y = "nv_tileaa.plugin"(%x) {plugin_name = "p", max_registers = 0 : i32, named_barriers = 0 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [#cute.layout<(1@0)>], output_layouts = [#cute.layout<(1@0)>, #cute.layout<(1@0)>]} : (tensor<8xf32>) -> tensor<8xf32>
