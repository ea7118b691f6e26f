// RUN: tileiras-opt %s -p canonicalize | filecheck %s
// RUN: xdsl-opt %s -p canonicalize | filecheck %s

!i32 = !cuda_tile.tile<i32>

cuda_tile.module @assume {
  testing$func @same_predicate(%x: !i32) -> !i32 {
    %a = assume div_by<16>, %x : !i32
    %b = assume div_by<16>, %a : !i32
    %c = assume div_by<16>, %b : !i32
    return %c : !i32
  }
  // CHECK-LABEL: @same_predicate(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %a = cuda_tile.assume div_by<16>, %x : [[i32:!cuda_tile.tile<i32>]]
  // CHECK-NEXT: cuda_tile.return %a : [[i32]]

  testing$func @other_predicate(%x: !i32) -> !i32 {
    %a = assume div_by<16>, %x : !i32
    %b = assume div_by<8>, %a : !i32
    return %b : !i32
  }
  // CHECK-LABEL: @other_predicate(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %a = cuda_tile.assume div_by<16>, %x : [[i32]]
  // CHECK-NEXT: %b = cuda_tile.assume div_by<8>, %a : [[i32]]
  // CHECK-NEXT: cuda_tile.return %b : [[i32]]

  testing$func @not_adjacent(%x: !i32) -> !i32 {
    %a = assume div_by<16>, %x : !i32
    %b = assume bounded<0, ?>, %a : !i32
    %c = assume div_by<16>, %b : !i32
    return %c : !i32
  }
  // CHECK-LABEL: @not_adjacent(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %a = cuda_tile.assume div_by<16>, %x : [[i32]]
  // CHECK-NEXT: %b = cuda_tile.assume bounded<0, ?>, %a : [[i32]]
  // CHECK-NEXT: %c = cuda_tile.assume div_by<16>, %b : [[i32]]
  // CHECK-NEXT: cuda_tile.return %c : [[i32]]

  // It is not pure.
  testing$func @unused(%x: !i32) {
    %a = assume div_by<16>, %x : !i32
    return
  }
  // CHECK-LABEL: @unused(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %a = cuda_tile.assume div_by<16>, %x : [[i32]]
  // CHECK-NEXT: cuda_tile.return
}
