// RUN: tileiras-opt -p insert-runtime-checks --print-local-scope %s | filecheck %s
// RUN: tileiras-opt -p insert-runtime-checks{masks=true} --print-local-scope %s | filecheck %s --check-prefix=MASK

// Masks in place of assertions.

// MASK:      entry @store(%a: !cuda_tile.tile<ptr<f32>>, %n: !cuda_tile.tile<i32>, %a_before: !cuda_tile.tile<i64>, %a_after: !cuda_tile.tile<i64>) {
// MASK:        %[[INSIDE:.*]] = cuda_tile.andi
// MASK-NEXT:   cuda_tile.store_ptr_tko weak %{{.*}}, %{{.*}}, %[[INSIDE]]
// MASK-NOT:  cuda_tile.assert

// Every pointer gets two parameters; a line is printed before the assertion fails.

// CHECK:      entry @store(%a: !cuda_tile.tile<ptr<f32>>, %n: !cuda_tile.tile<i32>, %a_before: !cuda_tile.tile<i64>, %a_after: !cuda_tile.tile<i64>) {
// CHECK:        %[[P:.*]] = cuda_tile.offset %a, %n
// CHECK:        %[[ADDRESS:.*]] = cuda_tile.ptr_to_int %[[P]]
// CHECK-NEXT:   %[[BASE:.*]] = cuda_tile.ptr_to_int %a
// CHECK-NEXT:   %[[FIRST:.*]] = cuda_tile.subi %[[ADDRESS]], %[[BASE]]
// CHECK:        %[[LOW:.*]] = cuda_tile.cmpi greater_than_or_equal
// CHECK-NEXT:   %[[HIGH:.*]] = cuda_tile.cmpi less_than %{{.*}}, %a_after, signed
// CHECK-NEXT:   %[[INSIDE:.*]] = cuda_tile.andi %[[LOW]], %[[HIGH]]
// CHECK:        cuda_tile.if %{{.*}} {
// CHECK:          cuda_tile.print_tko "{{.*}}'cuda_tile.store_ptr_tko' op is out of bounds: byte %li of 'a', which has %li bytes before it and %li after (CTA (%i, %i, %i))\0A", %[[FIRST]], %a_before, %a_after
// CHECK:        }
// CHECK-NEXT:   cuda_tile.assert %[[INSIDE]], "{{.*}}'cuda_tile.store_ptr_tko' op is out of bounds of 'a'"
// CHECK-NEXT:   cuda_tile.store_ptr_tko
cuda_tile.module @m {
  entry @store(%a: tile<ptr<f32>>, %n: tile<i32>) {
    %x = constant <f32: 1.0> : tile<f32>
    %p = offset %a, %n : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %t = store_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // A pointer that may come from two parameters is not checked.

  // CHECK:      entry @either
  // CHECK-NOT:  cuda_tile.assert
  // CHECK:      return
  entry @either(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<i1>) {
    %p = select %c, %a, %b : tile<i1>, tile<ptr<f32>>
    %v, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
    return
  }

  // Scales of f8E8M0FNU have no sign.

  // CHECK:      entry @scales
  // CHECK:      cuda_tile.assert %{{.*}}, "{{.*}}'cuda_tile.mmaf_scaled' op has a negative scale of lhs, whose sign tensor cores ignore"
  // CHECK:      cuda_tile.assert %{{.*}}, "{{.*}}'cuda_tile.mmaf_scaled' op has a negative scale of rhs, whose sign tensor cores ignore"
  // CHECK-NOT:  cuda_tile.assert
  // CHECK:      return
  entry @scales(%n: tile<f32>) {
    %a = constant <f4E2M1FN: 1.0> : tile<16x32xf4E2M1FN>
    %b = constant <f4E2M1FN: 1.0> : tile<32x16xf4E2M1FN>
    %c = constant <f32: 0.0> : tile<16x16xf32>
    %s = constant <f8E4M3FN: 1.0> : tile<16x2xf8E4M3FN>
    %t = constant <f8E4M3FN: 1.0> : tile<2x16xf8E4M3FN>
    %d = mmaf_scaled %a, %b, %c, %s, %t : tile<16x32xf4E2M1FN>, tile<32x16xf4E2M1FN>, tile<16x16xf32>, tile<16x2xf8E4M3FN>, tile<2x16xf8E4M3FN>
    %u = constant <f8E8M0FNU: 1.0> : tile<16x1xf8E8M0FNU>
    %v = constant <f8E8M0FNU: 1.0> : tile<1x16xf8E8M0FNU>
    %e = mmaf_scaled %a, %b, %c, %u, %v : tile<16x32xf4E2M1FN>, tile<32x16xf4E2M1FN>, tile<16x16xf32>, tile<16x1xf8E8M0FNU>, tile<1x16xf8E8M0FNU>
    return
  }

  // CHECK:      entry @division
  // CHECK:      cuda_tile.assert %{{.*}}, "{{.*}}'cuda_tile.remi' op divides by zero"
  // CHECK-NEXT: cuda_tile.remi
  entry @division(%n: tile<i32>) {
    %r = remi %n, %n unsigned : tile<i32>
    return
  }
}
