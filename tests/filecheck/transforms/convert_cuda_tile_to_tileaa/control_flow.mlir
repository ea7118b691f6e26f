// RUN: tileiras-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=sm_90}' | filecheck %s

// Terminators that patterns make or copy are converted in the same run.

// REQ: C-12, C-35, C-36, C-37, J-09

!i1 = !cuda_tile.tile<i1>
!t8xf32 = !cuda_tile.tile<8xf32>
!i32 = !cuda_tile.tile<i32>
!f32 = !cuda_tile.tile<f32>

cuda_tile.module @m {
  testing$func @if(%c: !i1, %a: !t8xf32, %b: !t8xf32) -> !t8xf32 {
    if %c {
    }
    %0 = if %c -> (!t8xf32) {
      %1 = negf %a : !t8xf32
      yield %1 : !t8xf32
    } else {
      yield %b : !t8xf32
    }
    return %0 : !t8xf32
  }
  // CHECK-LABEL: func.func @if(%c: i1, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: scf.if %c {
  // CHECK-NEXT: }
  // CHECK-NEXT: %0 = scf.if %c -> (tensor<8xf32>) {
  // CHECK-NEXT: %1 = nv_tileaa.negf %a : tensor<8xf32>
  // CHECK-NEXT: scf.yield %1 : tensor<8xf32>
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %b : tensor<8xf32>
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %0 : tensor<8xf32>
  // CHECK-NEXT: }

  testing$func @for(%lower: !i32, %upper: !i32, %step: !i32, %x: !t8xf32, %t: token) -> (!t8xf32, token) {
    %0:2 = for %i in (%lower to %upper, step %step) : !i32 iter_values(%y = %x, %u = %t) -> (!t8xf32, token) {
      %1 = addf %y, %y : !t8xf32
      continue %1, %u : !t8xf32, token
    } {my.mark}
    return %0#0, %0#1 : !t8xf32, token
  }
  // CHECK-LABEL: func.func @for(%lower: i32, %upper: i32, %step: i32, %x: tensor<8xf32>, %t: !nv_tileaa.mem_token) -> (tensor<8xf32>, !nv_tileaa.mem_token) {
  // CHECK-NEXT: %0, %1 = scf.for %i = %lower to %upper step %step iter_args(%y = %x, %u = %t) -> (tensor<8xf32>, [[token:!nv_tileaa.mem_token]]) : i32 {
  // CHECK-NEXT: %2 = nv_tileaa.addf %y, %y : tensor<8xf32>
  // CHECK-NEXT: scf.yield %2, %u : tensor<8xf32>, [[token]]
  // CHECK-NEXT: } {my.mark}
  // CHECK-NEXT: func.return %0, %1 : tensor<8xf32>, [[token]]
  // CHECK-NEXT: }

  // scf.for compares signed.
  testing$func @for_unsigned(%lower: !i32, %upper: !i32, %step: !i32, %x: !i32) -> !i32 {
    %0 = for unsigned %i in (%lower to %upper, step %step) : !i32 iter_values(%y = %x) -> (!i32) {
      %1 = addi %y, %i : !i32
      continue %1 : !i32
    }
    return %0 : !i32
  }
  // CHECK-LABEL: func.func @for_unsigned(%lower: i32, %upper: i32, %step: i32, %x: i32) -> i32 {
  // CHECK-NEXT: %0, %1 = scf.while (%2 = %lower, %3 = %x) : (i32, i32) -> (i32, i32) {
  // CHECK-NEXT: %4 = arith.cmpi ult, %2, %upper : i32
  // CHECK-NEXT: scf.condition(%4) %2, %3 : i32, i32
  // CHECK-NEXT: } do {
  // CHECK-NEXT: ^bb0(%i: i32, %y: i32):
  // CHECK-NEXT: %5 = nv_tileaa.addi %y, %i : i32
  // CHECK-NEXT: %6 = arith.subi %upper, %i : i32
  // CHECK-NEXT: %7 = arith.minui %step, %6 : i32
  // CHECK-NEXT: %8 = arith.addi %i, %7 : i32
  // CHECK-NEXT: scf.yield %8, %5 : i32, i32
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %1 : i32
  // CHECK-NEXT: }

  testing$func @for_nothing(%n: !i32) {
    for %i in (%n to %n, step %n) : !i32 {
    }
    for unsigned %i in (%n to %n, step %n) : !i32 {
    }
    return
  }
  // CHECK-LABEL: func.func @for_nothing(%n: i32) {
  // CHECK-NEXT: scf.for %i = %n to %n step %n : i32 {
  // CHECK-NEXT: }
  // CHECK-NEXT: %0 = scf.while (%1 = %n) : (i32) -> i32 {
  // CHECK-NEXT: %2 = arith.cmpi ult, %1, %n : i32
  // CHECK-NEXT: scf.condition(%2) %1 : i32
  // CHECK-NEXT: } do {
  // CHECK-NEXT: ^bb0(%i_1: i32):
  // CHECK-NEXT: %3 = arith.subi %n, %i_1 : i32
  // CHECK-NEXT: %4 = arith.minui %n, %3 : i32
  // CHECK-NEXT: %5 = arith.addi %i_1, %4 : i32
  // CHECK-NEXT: scf.yield %5 : i32
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @for_continue(%n: !i32, %c: !i1, %x: !f32) -> !f32 {
    %0 = for %i in (%n to %n, step %n) : !i32 iter_values(%y = %x) -> (!f32) {
      if %c {
        continue %x : !f32
      }
      %1 = negf %y : !f32
      continue %1 : !f32
    }
    return %0 : !f32
  }
  // CHECK-LABEL: func.func @for_continue(%n: i32, %c: i1, %x: f32) -> f32 {
  // CHECK-NEXT: %0 = scf.for %i = %n to %n step %n iter_args(%y = %x) -> (f32) : i32 {
  // CHECK-NEXT: %1 = scf.if %c -> (f32) {
  // CHECK-NEXT: scf.yield %x : f32
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %2 = nv_tileaa.negf %y : f32
  // CHECK-NEXT: scf.yield %2 : f32
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.yield %1 : f32
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %0 : f32
  // CHECK-NEXT: }

  testing$func @for_unsigned_continue(%n: !i32, %c: !i1) {
    for unsigned %i in (%n to %n, step %n) : !i32 {
      if %c {
        continue
      }
      print "%d", %i : !i32
    }
    return
  }
  // CHECK-LABEL: func.func @for_unsigned_continue(%n: i32, %c: i1) {
  // CHECK-NEXT: %0 = scf.while (%1 = %n) : (i32) -> i32 {
  // CHECK-NEXT: %2 = arith.cmpi ult, %1, %n : i32
  // CHECK-NEXT: scf.condition(%2) %1 : i32
  // CHECK-NEXT: } do {
  // CHECK-NEXT: ^bb0(%i: i32):
  // CHECK-NEXT: scf.if %c {
  // CHECK-NEXT: } else {
  // CHECK-NEXT: nv_tileaa.print "%d", %i : i32
  // CHECK-NEXT: }
  // CHECK-NEXT: %3 = arith.subi %n, %i : i32
  // CHECK-NEXT: %4 = arith.minui %n, %3 : i32
  // CHECK-NEXT: %5 = arith.addi %i, %4 : i32
  // CHECK-NEXT: scf.yield %5 : i32
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  // The results of a loop are those of its breaks, not the values it carries.
  testing$func @loop(%c: !i1, %n: !i32, %x: !f32) -> (!f32, token) {
    %0:2 = loop iter_values(%i = %n) : !i32 -> !f32, token {
      if %c {
        %t = make_token : token
        break %x, %t : !f32, token
      }
      %1 = addi %i, %n : !i32
      continue %1 : !i32
    }
    return %0#0, %0#1 : !f32, token
  }
  // CHECK-LABEL: func.func @loop(%c: i1, %n: i32, %x: f32) -> (f32, !nv_tileaa.mem_token) {
  // CHECK-NEXT: %0, %1, %2 = scf.while (%i = %n) : (i32) -> (i32, f32, [[token]]) {
  // CHECK-NEXT: %3, %4, %5, %6 = scf.if %c -> (i1, i32, f32, [[token]]) {
  // CHECK-NEXT: %t = nv_tileaa.create_mem_token : [[token]]
  // CHECK-NEXT: %7 = arith.constant false
  // CHECK-NEXT: %8 = ub.poison : i32
  // CHECK-NEXT: scf.yield %7, %8, %x, %t : i1, i32, f32, [[token]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %9 = nv_tileaa.addi %i, %n : i32
  // CHECK-NEXT: %10 = arith.constant true
  // CHECK-NEXT: %11 = ub.poison : f32
  // CHECK-NEXT: %12 = ub.poison : [[token]]
  // CHECK-NEXT: scf.yield %10, %9, %11, %12 : i1, i32, f32, [[token]]
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.condition(%3) %4, %5, %6 : i32, f32, [[token]]
  // CHECK-NEXT: } do {
  // CHECK-NEXT: ^bb0(%13: i32, %14: f32, %15: [[token]]):
  // CHECK-NEXT: scf.yield %13 : i32
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %1, %2 : f32, [[token]]
  // CHECK-NEXT: }

  testing$func @loop_once(%x: !f32) -> !f32 {
    %0 = loop : !f32 {
      break %x : !f32
    }
    return %0 : !f32
  }
  // CHECK-LABEL: func.func @loop_once(%x: f32) -> f32 {
  // CHECK-NEXT: %0 = scf.while : () -> f32 {
  // CHECK-NEXT: %1 = arith.constant false
  // CHECK-NEXT: scf.condition(%1) %x : f32
  // CHECK-NEXT: } do {
  // CHECK-NEXT: ^bb0(%2: f32):
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %0 : f32
  // CHECK-NEXT: }

  testing$func @break_and_continue(%c: !i1, %d: !i1) {
    loop {
      if %c {
        break
      } else {
        continue
      }
      continue
    }
    loop {
      if %c {
        if %d {
          break
        }
        print "both"
      } else {
        print "neither"
      }
      print "behind"
      continue
    }
    return
  }
  // CHECK-LABEL: func.func @break_and_continue(%c: i1, %d: i1) {
  // CHECK-NEXT: scf.while : () -> () {
  // CHECK-NEXT: %0 = scf.if %c -> (i1) {
  // CHECK-NEXT: %1 = arith.constant false
  // CHECK-NEXT: scf.yield %1 : i1
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %2 = arith.constant true
  // CHECK-NEXT: scf.yield %2 : i1
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.condition(%0)
  // CHECK-NEXT: } do {
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.while : () -> () {
  // CHECK-NEXT: %3, %4 = scf.if %c -> (i1, i1) {
  // CHECK-NEXT: %5, %6 = scf.if %d -> (i1, i1) {
  // CHECK-NEXT: %7 = arith.constant false
  // CHECK-NEXT: %8 = arith.constant false
  // CHECK-NEXT: scf.yield %7, %8 : i1, i1
  // CHECK-NEXT: } else {
  // CHECK-NEXT: nv_tileaa.print "both"
  // CHECK-NEXT: %9 = arith.constant true
  // CHECK-NEXT: %10 = ub.poison : i1
  // CHECK-NEXT: scf.yield %9, %10 : i1, i1
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.yield %5, %6 : i1, i1
  // CHECK-NEXT: } else {
  // CHECK-NEXT: nv_tileaa.print "neither"
  // CHECK-NEXT: %11 = arith.constant true
  // CHECK-NEXT: %12 = ub.poison : i1
  // CHECK-NEXT: scf.yield %11, %12 : i1, i1
  // CHECK-NEXT: }
  // CHECK-NEXT: %13 = scf.if %3 -> (i1) {
  // CHECK-NEXT: nv_tileaa.print "behind"
  // CHECK-NEXT: %14 = arith.constant true
  // CHECK-NEXT: scf.yield %14 : i1
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %4 : i1
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.condition(%13)
  // CHECK-NEXT: } do {
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @return_in_arm(%c: !i1, %x: !f32) -> !f32 {
    %0 = if %c -> (!f32) {
      return %x : !f32
    } else {
      yield %x : !f32
    }
    %1 = negf %0 : !f32
    return %1 : !f32
  }
  // CHECK-LABEL: func.func @return_in_arm(%c: i1, %x: f32) -> f32 {
  // CHECK-NEXT: %0 = scf.if %c -> (f32) {
  // CHECK-NEXT: scf.yield %x : f32
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %1 = nv_tileaa.negf %x : f32
  // CHECK-NEXT: scf.yield %1 : f32
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %0 : f32
  // CHECK-NEXT: }

  testing$func @return_in_both_arms(%c: !i1, %x: !f32) -> !f32 {
    %0 = negf %x : !f32
    if %c {
      return %x : !f32
    } else {
      return %0 : !f32
    }
    return %x : !f32
  }
  // CHECK-LABEL: func.func @return_in_both_arms(%c: i1, %x: f32) -> f32 {
  // CHECK-NEXT: %0 = nv_tileaa.negf %x : f32
  // CHECK-NEXT: %1 = scf.if %c -> (f32) {
  // CHECK-NEXT: scf.yield %x : f32
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %0 : f32
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %1 : f32
  // CHECK-NEXT: }

  testing$func @return_in_nested_arms(%c: !i1, %d: !i1, %x: !f32) -> !f32 {
    if %c {
      if %d {
        return %x : !f32
      }
      print "then"
    } else {
      print "else"
    }
    %0 = negf %x : !f32
    return %0 : !f32
  }
  // CHECK-LABEL: func.func @return_in_nested_arms(%c: i1, %d: i1, %x: f32) -> f32 {
  // CHECK-NEXT: %0, %1 = scf.if %c -> (i1, f32) {
  // CHECK-NEXT: %2, %3 = scf.if %d -> (i1, f32) {
  // CHECK-NEXT: %4 = arith.constant false
  // CHECK-NEXT: scf.yield %4, %x : i1, f32
  // CHECK-NEXT: } else {
  // CHECK-NEXT: nv_tileaa.print "then"
  // CHECK-NEXT: %5 = arith.constant true
  // CHECK-NEXT: %6 = ub.poison : f32
  // CHECK-NEXT: scf.yield %5, %6 : i1, f32
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.yield %2, %3 : i1, f32
  // CHECK-NEXT: } else {
  // CHECK-NEXT: nv_tileaa.print "else"
  // CHECK-NEXT: %7 = arith.constant true
  // CHECK-NEXT: %8 = ub.poison : f32
  // CHECK-NEXT: scf.yield %7, %8 : i1, f32
  // CHECK-NEXT: }
  // CHECK-NEXT: %9 = scf.if %0 -> (f32) {
  // CHECK-NEXT: %10 = nv_tileaa.negf %x : f32
  // CHECK-NEXT: scf.yield %10 : f32
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %1 : f32
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %9 : f32
  // CHECK-NEXT: }

  testing$func @return_in_loop(%c: !i1, %d: !i1, %x: !f32) -> !f32 {
    %0 = loop : !f32 {
      if %c {
        return %x : !f32
      }
      if %d {
        break %x : !f32
      }
      continue
    }
    %1 = negf %0 : !f32
    return %1 : !f32
  }
  // CHECK-LABEL: func.func @return_in_loop(%c: i1, %d: i1, %x: f32) -> f32 {
  // CHECK-NEXT: %0, %1, %2 = scf.while : () -> (f32, i1, f32) {
  // CHECK-NEXT: %3, %4, %5, %6 = scf.if %c -> (i1, f32, i1, f32) {
  // CHECK-NEXT: %7 = arith.constant false
  // CHECK-NEXT: %8 = ub.poison : f32
  // CHECK-NEXT: %9 = arith.constant true
  // CHECK-NEXT: scf.yield %7, %8, %9, %x : i1, f32, i1, f32
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %10, %11, %12, %13 = scf.if %d -> (i1, f32, i1, f32) {
  // CHECK-NEXT: %14 = arith.constant false
  // CHECK-NEXT: %15 = arith.constant false
  // CHECK-NEXT: %16 = ub.poison : f32
  // CHECK-NEXT: scf.yield %14, %x, %15, %16 : i1, f32, i1, f32
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %17 = arith.constant true
  // CHECK-NEXT: %18 = ub.poison : f32
  // CHECK-NEXT: %19 = arith.constant false
  // CHECK-NEXT: %20 = ub.poison : f32
  // CHECK-NEXT: scf.yield %17, %18, %19, %20 : i1, f32, i1, f32
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.yield %10, %11, %12, %13 : i1, f32, i1, f32
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.condition(%3) %4, %5, %6 : f32, i1, f32
  // CHECK-NEXT: } do {
  // CHECK-NEXT: ^bb0(%21: f32, %22: i1, %23: f32):
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: %24 = scf.if %1 -> (f32) {
  // CHECK-NEXT: scf.yield %2 : f32
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %25 = nv_tileaa.negf %0 : f32
  // CHECK-NEXT: scf.yield %25 : f32
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %24 : f32
  // CHECK-NEXT: }

  testing$func @return_in_loop_in_if(%c: !i1, %x: !f32) -> !f32 {
    if %c {
      loop {
        loop {
          if %c {
            return %x : !f32
          }
          break
        }
        break
      }
      print "left"
    }
    %0 = negf %x : !f32
    return %0 : !f32
  }
  // CHECK-LABEL: func.func @return_in_loop_in_if(%c: i1, %x: f32) -> f32 {
  // CHECK-NEXT: %0, %1 = scf.if %c -> (i1, f32) {
  // CHECK-NEXT: %2, %3 = scf.while : () -> (i1, f32) {
  // CHECK-NEXT: %4, %5 = scf.while : () -> (i1, f32) {
  // CHECK-NEXT: %6, %7, %8 = scf.if %c -> (i1, i1, f32) {
  // CHECK-NEXT: %9 = arith.constant false
  // CHECK-NEXT: %10 = arith.constant true
  // CHECK-NEXT: scf.yield %9, %10, %x : i1, i1, f32
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %11 = arith.constant false
  // CHECK-NEXT: %12 = arith.constant false
  // CHECK-NEXT: %13 = ub.poison : f32
  // CHECK-NEXT: scf.yield %11, %12, %13 : i1, i1, f32
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.condition(%6) %7, %8 : i1, f32
  // CHECK-NEXT: } do {
  // CHECK-NEXT: ^bb0(%14: i1, %15: f32):
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: %16 = arith.constant false
  // CHECK-NEXT: %17 = arith.constant true
  // CHECK-NEXT: %18, %19, %20 = scf.if %4 -> (i1, i1, f32) {
  // CHECK-NEXT: scf.yield %16, %17, %5 : i1, i1, f32
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %21 = arith.constant false
  // CHECK-NEXT: %22 = arith.constant false
  // CHECK-NEXT: %23 = ub.poison : f32
  // CHECK-NEXT: scf.yield %21, %22, %23 : i1, i1, f32
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.condition(%18) %19, %20 : i1, f32
  // CHECK-NEXT: } do {
  // CHECK-NEXT: ^bb0(%24: i1, %25: f32):
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: %26 = arith.constant false
  // CHECK-NEXT: %27, %28 = scf.if %2 -> (i1, f32) {
  // CHECK-NEXT: scf.yield %26, %3 : i1, f32
  // CHECK-NEXT: } else {
  // CHECK-NEXT: nv_tileaa.print "left"
  // CHECK-NEXT: %29 = arith.constant true
  // CHECK-NEXT: %30 = ub.poison : f32
  // CHECK-NEXT: scf.yield %29, %30 : i1, f32
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.yield %27, %28 : i1, f32
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %31 = arith.constant true
  // CHECK-NEXT: %32 = ub.poison : f32
  // CHECK-NEXT: scf.yield %31, %32 : i1, f32
  // CHECK-NEXT: }
  // CHECK-NEXT: %33 = scf.if %0 -> (f32) {
  // CHECK-NEXT: %34 = nv_tileaa.negf %x : f32
  // CHECK-NEXT: scf.yield %34 : f32
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %1 : f32
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %33 : f32
  // CHECK-NEXT: }

  entry @return_in_entry(%c: !i1) {
    if %c {
      return
    }
    assert %c, "reached" : !i1
    return
  }
  // CHECK: gpu.func @return_in_entry(%c: i1) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>} {
  // CHECK-NEXT: scf.if %c {
  // CHECK-NEXT: } else {
  // CHECK-NEXT: nv_tileaa.assert %c, "reached" : i1
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.return
  // CHECK-NEXT: }
}
