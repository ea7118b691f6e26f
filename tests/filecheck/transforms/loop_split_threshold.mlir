// RUN: tileiras-opt %s -p loop-split{split-threshold=3} | filecheck %s
// RUN: tileiras-opt %s -p loop-split{split-threshold=0} | filecheck %s --check-prefix=NEVER

// A split loop is recognised by the bound of its first half.

!i32 = !cuda_tile.tile<i32>
!i1 = !cuda_tile.tile<i1>
!view = !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>>

cuda_tile.module @number_of_ops {
  testing$func @enough_in_then(%n: !i32, %v: !i32) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %t = print_tko "1" -> token
        %u = print_tko "2" -> token
        %w = print_tko "3" -> token
      }
    }
    return
  }
  // CHECK-LABEL: @enough_in_then(
  // CHECK: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)
  // NEVER-LABEL: @enough_in_then(
  // NEVER: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)

  testing$func @enough_in_else(%n: !i32, %v: !i32) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %t = print_tko "1" -> token
      } else {
        %t = print_tko "1" -> token
        %u = print_tko "2" -> token
        %w = print_tko "3" -> token
      }
    }
    return
  }
  // CHECK-LABEL: @enough_in_else(
  // CHECK: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)
  // NEVER-LABEL: @enough_in_else(
  // NEVER: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)

  testing$func @not_enough(%n: !i32, %v: !i32) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %t = print_tko "1" -> token
        %u = print_tko "2" -> token
      } else {
        %t = print_tko "1" -> token
        %u = print_tko "2" -> token
      }
    }
    return
  }
  // CHECK-LABEL: @not_enough(
  // CHECK: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)
  // NEVER-LABEL: @not_enough(
  // NEVER: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)

  // One `if` of those a comparison decides is enough, also a nested one.
  testing$func @one_of_two(%n: !i32, %v: !i32) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %a = print_tko "1" -> token
        %b = print_tko "2" -> token
        %d = print_tko "3" -> token
      }
      if %c {
        %t = print_tko "1" -> token
      }
    }
    return
  }
  // CHECK-LABEL: @one_of_two(
  // CHECK: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)
  // NEVER-LABEL: @one_of_two(
  // NEVER: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)

  testing$func @nested(%n: !i32, %v: !i32, %p: !i1) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %p {
        if %c {
          %a = print_tko "1" -> token
          %b = print_tko "2" -> token
          %d = print_tko "3" -> token
        }
      }
      if %c {
        %t = print_tko "1" -> token
      }
    }
    return
  }
  // CHECK-LABEL: @nested(
  // CHECK: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)
  // NEVER-LABEL: @nested(
  // NEVER: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)
}

cuda_tile.module @expensive_ops {
  testing$func @load_ptr(%n: !i32, %v: !i32, %p: tile<ptr<f32>>) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %x, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
      }
    }
    return
  }
  // CHECK-LABEL: @load_ptr(
  // CHECK: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)
  // NEVER-LABEL: @load_ptr(
  // NEVER: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)

  testing$func @store_ptr(%n: !i32, %v: !i32, %p: tile<ptr<i32>>) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %t = store_ptr_tko weak %p, %i : tile<ptr<i32>>, !i32 -> token
      }
    }
    return
  }
  // CHECK-LABEL: @store_ptr(
  // CHECK: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)
  // NEVER-LABEL: @store_ptr(
  // NEVER: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)

  testing$func @load_view(%n: !i32, %v: !i32, %w: !view) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %x, %t = load_view_tko weak %w[%i] : !view, !i32 -> tile<8xf32>, token
      }
    }
    return
  }
  // CHECK-LABEL: @load_view(
  // CHECK: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)
  // NEVER-LABEL: @load_view(
  // NEVER: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)

  testing$func @store_view(%n: !i32, %v: !i32, %w: !view, %x: tile<8xf32>) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %t = store_view_tko weak %x, %w[%i] : tile<8xf32>, !view, !i32 -> token
      }
    }
    return
  }
  // CHECK-LABEL: @store_view(
  // CHECK: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)
  // NEVER-LABEL: @store_view(
  // NEVER: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)

  testing$func @mmaf(%n: !i32, %v: !i32, %a: tile<16x16xf16>, %b: tile<16x16xf32>) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %x = mmaf %a, %a, %b : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf32>
      }
    }
    return
  }
  // CHECK-LABEL: @mmaf(
  // CHECK: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)
  // NEVER-LABEL: @mmaf(
  // NEVER: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)

  testing$func @mmai(%n: !i32, %v: !i32, %a: tile<16x16xi8>, %b: tile<16x16xi32>) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %x = mmai %a, %a, %b signed signed : tile<16x16xi8>, tile<16x16xi8>, tile<16x16xi32>
      }
    }
    return
  }
  // CHECK-LABEL: @mmai(
  // CHECK: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)
  // NEVER-LABEL: @mmai(
  // NEVER: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)

  testing$func @reduce(%n: !i32, %v: !i32, %a: tile<4xi32>) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %x = reduce %a dim=0 identities=[0 : i32] : tile<4xi32> -> !i32 (%l: !i32, %r: !i32) {
          %s = addi %l, %r : !i32
          yield %s : !i32
        }
      }
    }
    return
  }
  // CHECK-LABEL: @reduce(
  // CHECK: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)
  // NEVER-LABEL: @reduce(
  // NEVER: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)

  testing$func @if(%n: !i32, %v: !i32, %d: !i1) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        if %d {
        }
      }
    }
    return
  }
  // CHECK-LABEL: @if(
  // CHECK: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)
  // NEVER-LABEL: @if(
  // NEVER: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)

  testing$func @for(%n: !i32, %v: !i32, %d: !i1) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        for %j in (%one to %n, step %one) : !i32 {
        }
      }
    }
    return
  }
  // CHECK-LABEL: @for(
  // CHECK: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)
  // NEVER-LABEL: @for(
  // NEVER: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)

  testing$func @cheap(%n: !i32, %v: !i32, %a: tile<4xi32>) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %x = absi %a : tile<4xi32>
      }
    }
    return
  }
  // CHECK-LABEL: @cheap(
  // CHECK: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)
  // NEVER-LABEL: @cheap(
  // NEVER: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)

  testing$func @not_directly(%n: !i32, %v: !i32, %p: tile<ptr<f32>>) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        loop {
          %x, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
          break
        }
      }
    }
    return
  }
  // CHECK-LABEL: @not_directly(
  // CHECK: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)
  // NEVER-LABEL: @not_directly(
  // NEVER: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)
}

cuda_tile.module @attributes {
  testing$func @on_if(%n: !i32, %v: !i32) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %t = print_tko "1" -> token
      } {cuda_tile.loop_split = 1 : i32}
    }
    return
  }
  // CHECK-LABEL: @on_if(
  // CHECK: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)
  // NEVER-LABEL: @on_if(
  // NEVER: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)

  testing$func @on_for(%n: !i32, %v: !i32) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %t = print_tko "1" -> token
      }
    } {cuda_tile.loop_split = 1 : i32}
    return
  }
  // CHECK-LABEL: @on_for(
  // CHECK: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)
  // NEVER-LABEL: @on_for(
  // NEVER: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)

  testing$func @on_function(%n: !i32, %v: !i32) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %t = print_tko "1" -> token
      }
    }
    return
  } {cuda_tile.loop_split = 1 : i32}
  // CHECK-LABEL: @on_function(
  // CHECK: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)
  // NEVER-LABEL: @on_function(
  // NEVER: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)

  testing$func @if_before_for(%n: !i32, %v: !i32) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %t = print_tko "1" -> token
        %u = print_tko "2" -> token
        %w = print_tko "3" -> token
      } {cuda_tile.loop_split = 0 : i32}
    } {cuda_tile.loop_split = 1 : i32}
    return
  }
  // CHECK-LABEL: @if_before_for(
  // CHECK: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)
  // NEVER-LABEL: @if_before_for(
  // NEVER: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)

  testing$func @for_before_function(%n: !i32, %v: !i32) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %t = print_tko "1" -> token
        %u = print_tko "2" -> token
        %w = print_tko "3" -> token
      }
    } {cuda_tile.loop_split = 0 : i32}
    return
  } {cuda_tile.loop_split = 1 : i32}
  // CHECK-LABEL: @for_before_function(
  // CHECK: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)
  // NEVER-LABEL: @for_before_function(
  // NEVER: cuda_tile.for %i in (%cst_1 to %n, step %cst_1)

  testing$func @other_number(%n: !i32, %v: !i32) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %t = print_tko "1" -> token
        %u = print_tko "2" -> token
      } {cuda_tile.loop_split = 2 : i32}
    }
    return
  }
  // CHECK-LABEL: @other_number(
  // CHECK: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)
  // NEVER-LABEL: @other_number(
  // NEVER: cuda_tile.for %i in (%cst_1 to %0, step %cst_1)
}
