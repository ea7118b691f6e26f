// RUN: tileiras-opt %s -p "tileas-assign-tensor-memory,tileas-allocate-tensor-memory" | filecheck %s
// RUN: tileiras-opt %s -p tileas-assign-tensor-memory | filecheck %s --check-prefix=ASSIGNED

// Accumulators in tensor memory, and what threads and MMAs wait for.

#row = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>
#column = #nv_tileas.layout<register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>
#shared = #nv_tileas.shared<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]>
#narrow = #nv_tileas.shared<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]]>
builtin.module attributes {nv_tileaa.compute_capability = 100 : i32} {
  gpu.module @kernels {
    // The accumulator of a loop begins as zero: the first iteration overwrites it. It is read after
    // the loop; without an iteration it is written first.
    gpu.func @carried(%a: tensor<128x16xf16, #shared>, %b: tensor<16x32xf16, #narrow>, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
      %first = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %none = arith.constant 0.0 : f32
      %zero = nv_tileaa.splat %none : f32 to tensor<128x32xf32, #row>
      %sum = scf.for %k = %first to %n step %one iter_args(%c = %zero) -> (tensor<128x32xf32, #row>) : i32 {
        %d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm100>, nv_tileas.layout = #row} : tensor<128x16xf16, #shared>, tensor<16x32xf16, #narrow>, tensor<128x32xf32, #row>
        scf.yield %d : tensor<128x32xf32, #row>
      }
      %twice = nv_tileaa.addf %sum, %sum : tensor<128x32xf32, #row>
      "test.op"(%twice) : (tensor<128x32xf32, #row>) -> ()
      gpu.return
    }
    // ASSIGNED-LABEL: @carried
    // ASSIGNED:       %[[PLACE:.*]] = nv_tileas.alloc_tensor : tensor<128x32xf32, #tmem0>
    // ASSIGNED:       %sum = scf.for {{.*}} iter_args(%c = %[[PLACE]])
    // ASSIGNED-NEXT:    %[[LATER:.*]] = arith.cmpi ne, %k, %first : i32
    // ASSIGNED-NEXT:    %[[NEXT:.*]] = nv_tileas.dot %a, %b, %c, %[[LATER]]
    // ASSIGNED:         scf.yield %[[NEXT]]
    // ASSIGNED:       %[[EMPTY:.*]] = arith.cmpi sge, %first, %n : i32
    // ASSIGNED-NEXT:  %[[END:.*]] = scf.if %[[EMPTY]]
    // ASSIGNED-NEXT:    nv_tileas.tensor_memory_store %zero into %sum
    // ASSIGNED:       else
    // ASSIGNED-NEXT:    scf.yield %sum
    // ASSIGNED:       nv_tileas.tensor_memory_load %[[END]]
    // CHECK-LABEL: @carried
    // CHECK-SAME:      nv_tileas.num_warps = 4 : i32,
    // CHECK-SAME:  nv_tileas.tensor_memory = #nv_tileas.tensor_memory_columns<32>
    // CHECK-NEXT:  nv_tileas.alloc_tensor {nv_tileas.column = #nv_tileas.column<0>}
    // CHECK:       scf.for
    // CHECK-NEXT:    arith.cmpi
    // CHECK-NEXT:    nv_tileas.dot
    // CHECK:         scf.yield
    // CHECK:       scf.if
    // CHECK-NEXT:    %[[EMPTY:.*]] = nv_tileas.commit_dots
    // CHECK-NEXT:    nv_tileas.wait_dots %[[EMPTY]]
    // CHECK-NEXT:    nv_tileas.tensor_memory_store
    // CHECK:       %[[DONE:.*]] = nv_tileas.commit_dots
    // CHECK-NEXT:  nv_tileas.wait_dots %[[DONE]]
    // CHECK-NEXT:  nv_tileas.tensor_memory_load

    // An accumulator that is scaled in each iteration is read and written: the barrier is between
    // that and the dot. Nothing is read before the dot of the iteration before is complete.
    gpu.func @scaled(%a: tensor<128x16xf16, #shared>, %b: tensor<16x32xf16, #narrow>, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
      %first = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %none = arith.constant 0.0 : f32
      %zero = nv_tileaa.splat %none : f32 to tensor<128x32xf32, #row>
      %sum = scf.for %k = %first to %n step %one iter_args(%c = %zero) -> (tensor<128x32xf32, #row>) : i32 {
        %twice = nv_tileaa.addf %c, %c : tensor<128x32xf32, #row>
        %d = nv_tileas.dot %a, %b, %twice {atom = #nv_tileas.atom<mma.sm100>, nv_tileas.layout = #row} : tensor<128x16xf16, #shared>, tensor<16x32xf16, #narrow>, tensor<128x32xf32, #row>
        scf.yield %d : tensor<128x32xf32, #row>
      }
      "test.op"(%sum) : (tensor<128x32xf32, #row>) -> ()
      gpu.return
    }
    // ASSIGNED-LABEL: @scaled
    // ASSIGNED:       %[[PLACE:.*]] = nv_tileas.alloc_tensor
    // ASSIGNED:       %[[START:.*]] = nv_tileas.tensor_memory_store %zero into %[[PLACE]]
    // ASSIGNED-NEXT:  scf.for {{.*}} iter_args(%c = %[[START]])
    // ASSIGNED-NEXT:    %[[READ:.*]] = nv_tileas.tensor_memory_load %c
    // ASSIGNED-NEXT:    %twice = nv_tileaa.addf %[[READ]], %[[READ]]
    // ASSIGNED-NEXT:    %[[WRITTEN:.*]] = nv_tileas.tensor_memory_store %twice into %[[PLACE]]
    // ASSIGNED-NEXT:    nv_tileas.dot %a, %b, %[[WRITTEN]] {
    // CHECK-LABEL: @scaled
    // CHECK:       scf.for
    // CHECK-NEXT:    %[[DONE:.*]] = nv_tileas.commit_dots
    // CHECK-NEXT:    nv_tileas.wait_dots %[[DONE]]
    // CHECK-NEXT:    nv_tileas.tensor_memory_load
    // CHECK-NEXT:    nv_tileaa.addf
    // CHECK-NEXT:    nv_tileas.tensor_memory_store
    // CHECK-NEXT:    nv_tileas.tensor_memory_fence
    // CHECK-NEXT:    nv_tileas.barrier
    // CHECK-NEXT:    nv_tileas.dot

    // An accumulator whose rows are multiplied stays where it is.
    gpu.func @corrected(%a: tensor<128x16xf16, #shared>, %b: tensor<16x32xf16, #narrow>, %f: tensor<128x1xf32, #column>, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
      %first = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %none = arith.constant 0.0 : f32
      %zero = nv_tileaa.splat %none : f32 to tensor<128x32xf32, #row>
      %sum = scf.for %k = %first to %n step %one iter_args(%c = %zero) -> (tensor<128x32xf32, #row>) : i32 {
        %factors = nv_tileaa.broadcast %f : tensor<128x1xf32, #column> -> tensor<128x32xf32, #row>
        %scaled = nv_tileaa.mulf %factors, %c : tensor<128x32xf32, #row>
        %d = nv_tileas.dot %a, %b, %scaled {atom = #nv_tileas.atom<mma.sm100>, nv_tileas.layout = #row} : tensor<128x16xf16, #shared>, tensor<16x32xf16, #narrow>, tensor<128x32xf32, #row>
        scf.yield %d : tensor<128x32xf32, #row>
      }
      "test.op"(%sum) : (tensor<128x32xf32, #row>) -> ()
      gpu.return
    }
    // ASSIGNED-LABEL: @corrected
    // ASSIGNED:       scf.for {{.*}} iter_args(%c =
    // ASSIGNED-NEXT:    %[[SCALED:.*]] = nv_tileas.tensor_memory_scale %c by %f : tensor<128x32xf32, #tmem0>, tensor<128x1xf32, #blocked{{.*}}>
    // ASSIGNED-NEXT:    nv_tileas.dot %a, %b, %[[SCALED]] {
    // CHECK-LABEL: @corrected
    // CHECK:       scf.for
    // CHECK-NEXT:    %[[DONE:.*]] = nv_tileas.commit_dots
    // CHECK-NEXT:    nv_tileas.wait_dots %[[DONE]]
    // CHECK-NEXT:    nv_tileas.tensor_memory_scale
    // CHECK-NEXT:    nv_tileas.tensor_memory_fence
    // CHECK-NEXT:    nv_tileas.barrier
    // CHECK-NEXT:    nv_tileas.dot

    // Times one, subnormal numbers would become zeros.
    gpu.func @flushed(%a: tensor<128x16xf16, #shared>, %b: tensor<16x32xf16, #narrow>, %f: tensor<128x1xf32, #column>, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
      %first = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %none = arith.constant 0.0 : f32
      %zero = nv_tileaa.splat %none : f32 to tensor<128x32xf32, #row>
      %sum = scf.for %k = %first to %n step %one iter_args(%c = %zero) -> (tensor<128x32xf32, #row>) : i32 {
        %factors = nv_tileaa.broadcast %f : tensor<128x1xf32, #column> -> tensor<128x32xf32, #row>
        %scaled = nv_tileaa.mulf %c, %factors {flush_to_zero} : tensor<128x32xf32, #row>
        %d = nv_tileas.dot %a, %b, %scaled {atom = #nv_tileas.atom<mma.sm100>, nv_tileas.layout = #row} : tensor<128x16xf16, #shared>, tensor<16x32xf16, #narrow>, tensor<128x32xf32, #row>
        scf.yield %d : tensor<128x32xf32, #row>
      }
      "test.op"(%sum) : (tensor<128x32xf32, #row>) -> ()
      gpu.return
    }
    // ASSIGNED-LABEL: @flushed
    // ASSIGNED:       nv_tileas.tensor_memory_load
    // ASSIGNED:       nv_tileas.tensor_memory_store %scaled

    // The tile is needed as it was, or the product in registers.
    gpu.func @used(%a: tensor<128x16xf16, #shared>, %b: tensor<16x32xf16, #narrow>, %f: tensor<128x1xf32, #column>, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
      %first = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %none = arith.constant 0.0 : f32
      %zero = nv_tileaa.splat %none : f32 to tensor<128x32xf32, #row>
      %sum = scf.for %k = %first to %n step %one iter_args(%c = %zero) -> (tensor<128x32xf32, #row>) : i32 {
        %factors = nv_tileaa.broadcast %f : tensor<128x1xf32, #column> -> tensor<128x32xf32, #row>
        %scaled = nv_tileaa.mulf %c, %factors : tensor<128x32xf32, #row>
        "test.op"(%c) : (tensor<128x32xf32, #row>) -> ()
        %d = nv_tileas.dot %a, %b, %scaled {atom = #nv_tileas.atom<mma.sm100>, nv_tileas.layout = #row} : tensor<128x16xf16, #shared>, tensor<16x32xf16, #narrow>, tensor<128x32xf32, #row>
        scf.yield %d : tensor<128x32xf32, #row>
      }
      "test.op"(%sum) : (tensor<128x32xf32, #row>) -> ()
      gpu.return
    }
    // ASSIGNED-LABEL: @used
    // ASSIGNED-NOT:   nv_tileas.tensor_memory_scale
    gpu.func @product_used(%a: tensor<128x16xf16, #shared>, %b: tensor<16x32xf16, #narrow>, %f: tensor<128x1xf32, #column>, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
      %first = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %none = arith.constant 0.0 : f32
      %zero = nv_tileaa.splat %none : f32 to tensor<128x32xf32, #row>
      %sum = scf.for %k = %first to %n step %one iter_args(%c = %zero) -> (tensor<128x32xf32, #row>) : i32 {
        %factors = nv_tileaa.broadcast %f : tensor<128x1xf32, #column> -> tensor<128x32xf32, #row>
        %scaled = nv_tileaa.mulf %c, %factors : tensor<128x32xf32, #row>
        "test.op"(%scaled) : (tensor<128x32xf32, #row>) -> ()
        %d = nv_tileas.dot %a, %b, %scaled {atom = #nv_tileas.atom<mma.sm100>, nv_tileas.layout = #row} : tensor<128x16xf16, #shared>, tensor<16x32xf16, #narrow>, tensor<128x32xf32, #row>
        scf.yield %d : tensor<128x32xf32, #row>
      }
      "test.op"(%sum) : (tensor<128x32xf32, #row>) -> ()
      gpu.return
    }
    // ASSIGNED-LABEL: @product_used
    // ASSIGNED-NOT:   nv_tileas.tensor_memory_scale

    // Without dots by tcgen05 nothing happens.
    // CHECK-LABEL: @other
    // CHECK-NOT:   tensor_memory
    gpu.func @other() kernel attributes {nv_tileas.num_warps = 4 : i32} {
      gpu.return
    }
  }
}
