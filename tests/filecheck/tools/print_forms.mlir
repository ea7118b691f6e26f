// RUN: tileiras-opt %s --print-short | filecheck %s
// RUN: tileiras-opt %s --print-short | tileiras-opt --print-local-scope | filecheck %s --check-prefix LOCAL
// RUN: tileiras-opt %s --print-brief | filecheck %s --check-prefix BRIEF
// RUN: tileiras-xdsl %s --emit=cuda-tile --print-short -o - | filecheck %s

// CHECK:      !tile_ptr_f32 = !cuda_tile.tile<ptr<f32>>
// CHECK-NEXT: !tile_i32 = !cuda_tile.tile<i32>
// CHECK-NEXT: !tile_f32 = !cuda_tile.tile<f32>
// CHECK-NEXT: !token = !cuda_tile.token
// CHECK-NEXT: builtin.module {
// CHECK:          cuda_tile.entry @kernel(%p: !tile_ptr_f32, %n: !tile_i32)
// CHECK:            cuda_tile.assume div_by<16>, %p : !tile_ptr_f32

// LOCAL:      builtin.module {
// LOCAL:          cuda_tile.entry @kernel(%p: !cuda_tile.tile<ptr<f32>>, %n: !cuda_tile.tile<i32>)
// LOCAL:            %0 = cuda_tile.assume div_by<16>, %p : !cuda_tile.tile<ptr<f32>>

// BRIEF:      ⋯ 4 aliases
// BRIEF-NEXT: builtin.module {
// BRIEF:          cuda_tile.entry @kernel(%p: !tile_ptr_f32, %n: !tile_i32)
// BRIEF:            ⋯ %0 … %2: 3 × cuda_tile.assume
// BRIEF-NEXT:       %value, %token = cuda_tile.load_ptr_tko weak %0
// BRIEF-NEXT:       cuda_tile.return

cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %0 = assume div_by<16>, %p : tile<ptr<f32>>
    %1 = assume div_by<16>, %n : tile<i32>
    %2 = assume bounded<0, ?>, %1 : tile<i32>
    %value, %token = load_ptr_tko weak %0 : tile<ptr<f32>> -> tile<f32>, token
    return
  }
}
