// RUN: tileiras-opt -p "tileas-assign-dot-layouts{compute-capability=sm_90a}" %s | filecheck %s

gpu.module @m {
  // The loop carries the accumulator in the shape of the dot without its batch, which adds to it.
  gpu.func @carried(%a: tensor<1x64x64xf16>, %b: tensor<1x64x64xf16>, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %float = arith.constant 0.0 : f32
    %c = nv_tileaa.splat %float : f32 to tensor<1x64x64xf32>
    %r = scf.for %i = %zero to %n step %one iter_args(%s = %c) -> (tensor<1x64x64xf32>) : i32 {
      %d = nv_tileas.dot %a, %b, %s {} : tensor<1x64x64xf16>, tensor<1x64x64xf16>, tensor<1x64x64xf32>
      scf.yield %d : tensor<1x64x64xf32>
    }
    %t = nv_tileaa.fp_to_fp %r : tensor<1x64x64xf32> to tensor<1x64x64xf16>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @carried
  // CHECK: [[ZERO:%.*]] = nv_tileaa.splat %float : f32 to tensor<64x64xf32>
  // CHECK-NEXT: [[R:%.*]] = scf.for {{.*}} iter_args(%s = [[ZERO]]) -> (tensor<64x64xf32>)
  // CHECK: [[D:%.*]] = nv_tileas.dot {{%.*}}, {{%.*}}, %s
  // CHECK: scf.yield [[D]] : tensor<64x64xf32>
  // CHECK-NEXT: }
  // CHECK-NEXT: [[T:%.*]] = nv_tileas.view [[R]] : tensor<64x64xf32> -> tensor<1x64x64xf32>
  // CHECK-NEXT: nv_tileaa.fp_to_fp [[T]]

  // So does the loop around it, from a tile whose elements may differ.
  gpu.func @nested(%a: tensor<1x64x64xf16>, %b: tensor<1x64x64xf16>, %c: tensor<1x64x64xf32>, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %r = scf.for %i = %zero to %n step %one iter_args(%s = %c) -> (tensor<1x64x64xf32>) : i32 {
      %inner = scf.for %j = %zero to %n step %one iter_args(%u = %s) -> (tensor<1x64x64xf32>) : i32 {
        %d = nv_tileas.dot %a, %b, %u {} : tensor<1x64x64xf16>, tensor<1x64x64xf16>, tensor<1x64x64xf32>
        scf.yield %d : tensor<1x64x64xf32>
      }
      scf.yield %inner : tensor<1x64x64xf32>
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @nested
  // CHECK: [[C:%.*]] = nv_tileas.view %c : tensor<1x64x64xf32> -> tensor<64x64xf32>
  // CHECK-NEXT: scf.for {{.*}} iter_args(%s = [[C]]) -> (tensor<64x64xf32>)
  // CHECK-NEXT: [[I:%.*]] = scf.for {{.*}} iter_args(%u = %s) -> (tensor<64x64xf32>)
  // CHECK: scf.yield [[I]] : tensor<64x64xf32>

  // What else uses the accumulator needs it with its batch.
  gpu.func @used(%a: tensor<1x64x64xf16>, %b: tensor<1x64x64xf16>, %c: tensor<1x64x64xf32>, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %r = scf.for %i = %zero to %n step %one iter_args(%s = %c) -> (tensor<1x64x64xf32>) : i32 {
      %h = nv_tileaa.fp_to_fp %s : tensor<1x64x64xf32> to tensor<1x64x64xf16>
      %d = nv_tileas.dot %a, %b, %s {} : tensor<1x64x64xf16>, tensor<1x64x64xf16>, tensor<1x64x64xf32>
      scf.yield %d : tensor<1x64x64xf32>
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @used
  // CHECK: scf.for {{.*}} iter_args(%s = %c) -> (tensor<1x64x64xf32>)
  // CHECK: scf.yield {{%.*}} : tensor<1x64x64xf32>
}
