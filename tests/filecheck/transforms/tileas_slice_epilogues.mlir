// RUN: tileiras-opt %s -p tileas-slice-epilogues --print-local-scope | filecheck %s
// RUN: tileiras-opt %s -p tileas-slice-epilogues,tileas-slice-epilogues --print-local-scope | filecheck %s

// CHECK: tileiras.remarks =
// CHECK-SAME: #tileiras.remark<"Passed", "Resources", "", "store", "the epilogue that stores 'tensor<128x128xf32>' is computed in 2 slices of the columns of its accumulator", ""
// CHECK-SAME: #tileiras.remark<"Missed", "Resources", "", "needed", "the epilogue of an accumulator is not sliced", "'test.op' needs 'nv_tileaa.addf' as a whole"

// What threads store of an accumulator in tensor memory is computed by columns, as long as it is
// elementwise. A thread has 128 elements of 128x128, of which it stores 64 at a time.

builtin.module attributes {tileiras.remarks = [], nv_tileaa.compute_capability = 100 : i32} {
  gpu.module @kernels {
    gpu.func @store(%a: tensor<128x16xf16>, %b: tensor<16x128xf16>, %zero: tensor<128x128xf32>, %p: !llvm.ptr<1>, %s: f32, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c128 = arith.constant 128 : i32
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%c = %zero) -> (tensor<128x128xf32>) : i32 {
        %d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm100>} : tensor<128x16xf16>, tensor<16x128xf16>, tensor<128x128xf32>
        scf.yield %d : tensor<128x128xf32>
      }
      %base = nv_tileaa.splat %p : !llvm.ptr<1> to tensor<128x128x!llvm.ptr<1>>
      %range = nv_tileaa.make_range %c0, %c128 : i32 to tensor<128xi32>
      %columns = nv_tileas.view %range : tensor<128xi32> -> tensor<1x128xi32>
      %rows = nv_tileas.view %range : tensor<128xi32> -> tensor<128x1xi32>
      %all = nv_tileaa.broadcast %columns : tensor<1x128xi32> -> tensor<128x128xi32>
      %each = nv_tileaa.broadcast %rows : tensor<128x1xi32> -> tensor<128x128xi32>
      %offset = nv_tileaa.addi %all, %each : tensor<128x128xi32>
      %pointers = nv_tileaa.addptr %base, %offset {elem_type = f32} : tensor<128x128x!llvm.ptr<1>>, tensor<128x128xi32>
      %factor = nv_tileaa.splat %s : f32 to tensor<128x128xf32>
      %scaled = nv_tileaa.mulf %sum, %factor : tensor<128x128xf32>
      nv_tileas.store %pointers, %scaled : tensor<128x128x!llvm.ptr<1>>, tensor<128x128xf32>
      gpu.return
    }
    // CHECK-LABEL: @store
    // CHECK:       %sum = scf.for
    // CHECK:       %rows = nv_tileas.view %{{.*}} : tensor<128xi32> -> tensor<128x1xi32>
    // CHECK:       %[[FIRST:.*]] = nv_tileaa.extract %sum[%{{.*}}, %{{.*}}] {nv_tileas.layout = #nv_tileas.layout<
    // CHECK-SAME:      register = {{\[\[0, 1\], \[0, 2\], \[0, 4\], \[0, 8\], \[0, 16\], \[0, 32\]\]}}
    // CHECK-SAME:      -> tensor<128x64xf32>
    // CHECK:       nv_tileaa.make_range %{{.*}} : i32 to tensor<64xi32>
    // CHECK:       nv_tileas.view %{{.*}} : tensor<64xi32> -> tensor<1x64xi32>
    // CHECK:       nv_tileaa.broadcast %rows : tensor<128x1xi32> -> tensor<128x64xi32>
    // CHECK:       %[[SCALED:.*]] = nv_tileaa.mulf %[[FIRST]], %{{.*}} : tensor<128x64xf32>
    // CHECK:       nv_tileas.store %{{.*}}, %[[SCALED]] {nv_tileas.sliced}
    // CHECK:       nv_tileaa.extract %sum
    // CHECK:       nv_tileas.store %{{.*}} : tensor<128x64x!llvm.ptr<1>>, tensor<128x64xf32>
    // CHECK-NOT:   nv_tileas.store
    // CHECK:       gpu.return

    // A reduction needs whole rows.
    gpu.func @reduced(%a: tensor<128x16xf16>, %b: tensor<16x128xf16>, %zero: tensor<128x128xf32>, %sums: tensor<128x!llvm.ptr<1>>) kernel attributes {nv_tileas.num_warps = 4 : i32} {
      %d = nv_tileas.dot %a, %b, %zero {atom = #nv_tileas.atom<mma.sm100>} : tensor<128x16xf16>, tensor<16x128xf16>, tensor<128x128xf32>
      %twice = nv_tileaa.addf %d, %d : tensor<128x128xf32>
      %row = nv_tileas.reduce %twice {axis = 1 : i32, identities = [0.0 : f32]} : tensor<128x128xf32> -> tensor<128xf32> {
      ^bb0(%x: f32, %y: f32):
        %z = nv_tileaa.addf %x, %y : f32
        nv_tileas.yield %z : f32
      }
      nv_tileas.store %sums, %row : tensor<128x!llvm.ptr<1>>, tensor<128xf32>
      gpu.return
    }
    // CHECK-LABEL: @reduced
    // CHECK-NOT:   nv_tileaa.extract
    // CHECK:       gpu.return

    // Something else needs what is stored.
    gpu.func @needed(%a: tensor<128x16xf16>, %b: tensor<16x128xf16>, %zero: tensor<128x128xf32>, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 4 : i32} {
      %d = nv_tileas.dot %a, %b, %zero {atom = #nv_tileas.atom<mma.sm100>} : tensor<128x16xf16>, tensor<16x128xf16>, tensor<128x128xf32>
      %twice = nv_tileaa.addf %d, %d : tensor<128x128xf32>
      %pointers = nv_tileaa.splat %p : !llvm.ptr<1> to tensor<128x128x!llvm.ptr<1>>
      nv_tileas.store %pointers, %twice : tensor<128x128x!llvm.ptr<1>>, tensor<128x128xf32>
      "test.op"(%twice) : (tensor<128x128xf32>) -> ()
      gpu.return
    }
    // CHECK-LABEL: @needed
    // CHECK-NOT:   nv_tileaa.extract
    // CHECK:       nv_tileas.store %pointers, %twice

    // 64 elements in each thread are few enough.
    gpu.func @narrow(%a: tensor<128x16xf16>, %b: tensor<16x64xf16>, %zero: tensor<128x64xf32>, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 4 : i32} {
      %d = nv_tileas.dot %a, %b, %zero {atom = #nv_tileas.atom<mma.sm100>} : tensor<128x16xf16>, tensor<16x64xf16>, tensor<128x64xf32>
      %pointers = nv_tileaa.splat %p : !llvm.ptr<1> to tensor<128x64x!llvm.ptr<1>>
      nv_tileas.store %pointers, %d : tensor<128x64x!llvm.ptr<1>>, tensor<128x64xf32>
      gpu.return
    }
    // CHECK-LABEL: @narrow
    // CHECK-NOT:   nv_tileaa.extract
    // CHECK:       nv_tileas.store %pointers, %d : tensor<128x64x!llvm.ptr<1>>, tensor<128x64xf32>
  }
}
