// RUN: tileiras-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=sm_90}' | filecheck %s

// REQ: C-01, C-02, C-16, C-34, C-41

!t8xi32 = !cuda_tile.tile<8xi32>
!i1 = !cuda_tile.tile<i1>
!t8xf32 = !cuda_tile.tile<8xf32>
#fastmath = #arith.fastmath<fast>

cuda_tile.module @m {
  testing$func @integers(%a: !t8xi32, %b: !t8xi32) {
    %add = addi %a, %b : !t8xi32
    %add_nsw = addi %a, %b overflow<no_signed_wrap> : !t8xi32
    %sub = subi %a, %b overflow<no_unsigned_wrap> : !t8xi32
    %mul = muli %a, %b overflow<no_wrap> : !t8xi32
    %high = mulhii %a, %b : !t8xi32
    %div = divi %a, %b signed : !t8xi32
    %div_floor = divi %a, %b signed rounding<negative_inf> : !t8xi32
    %div_ceil = divi %a, %b unsigned rounding<positive_inf> : !t8xi32
    %rem = remi %a, %b unsigned : !t8xi32
    %min_s = mini %a, %b signed : !t8xi32
    %min_u = mini %a, %b unsigned : !t8xi32
    %shl = shli %a, %b : !t8xi32
    %shr_s = shri %a, %b signed : !t8xi32
    %shr_u = shri %a, %b unsigned : !t8xi32
    %and = andi %a, %b : !t8xi32
    %or = ori %a, %b : !t8xi32
    %xor = xori %a, %b : !t8xi32
    %abs = absi %a : !t8xi32
    %neg = negi %a overflow<no_signed_wrap> : !t8xi32
    return
  }
  // CHECK-LABEL: func.func @integers(%a: tensor<8xi32>, %b: tensor<8xi32>) {
  // CHECK-NEXT: %add = nv_tileaa.addi %a, %b : tensor<8xi32>
  // CHECK-NEXT: %add_nsw = nv_tileaa.addi %a, %b {overflow = "no_signed_wrap"} : tensor<8xi32>
  // CHECK-NEXT: %sub = nv_tileaa.subi %a, %b {overflow = "no_unsigned_wrap"} : tensor<8xi32>
  // CHECK-NEXT: %mul = nv_tileaa.muli %a, %b {overflow = "no_wrap"} : tensor<8xi32>
  // CHECK-NEXT: %high = nv_tileaa.mulhii %a, %b : tensor<8xi32>
  // CHECK-NEXT: %div = nv_tileaa.divi %a, %b {signedness = "signed"} : tensor<8xi32>
  // CHECK-NEXT: %div_floor = nv_tileaa.divi %a, %b {signedness = "signed", rounding = "negative_inf"} : tensor<8xi32>
  // CHECK-NEXT: %div_ceil = nv_tileaa.divi %a, %b {signedness = "unsigned", rounding = "positive_inf"} : tensor<8xi32>
  // CHECK-NEXT: %rem = nv_tileaa.remi %a, %b {signedness = "unsigned"} : tensor<8xi32>
  // CHECK-NEXT: %min_s = arith.minsi %a, %b : tensor<8xi32>
  // CHECK-NEXT: %min_u = arith.minui %a, %b : tensor<8xi32>
  // CHECK-NEXT: %shl = nv_tileaa.shli %a, %b : tensor<8xi32>
  // CHECK-NEXT: %shr_s = nv_tileaa.shri %a, %b {signedness = "signed"} : tensor<8xi32>
  // CHECK-NEXT: %shr_u = nv_tileaa.shri %a, %b {signedness = "unsigned"} : tensor<8xi32>
  // CHECK-NEXT: %and = nv_tileaa.andi %a, %b : tensor<8xi32>
  // CHECK-NEXT: %or = nv_tileaa.ori %a, %b : tensor<8xi32>
  // CHECK-NEXT: %xor = nv_tileaa.xori %a, %b : tensor<8xi32>
  // CHECK-NEXT: %abs = nv_tileaa.absi %a : tensor<8xi32>
  // CHECK-NEXT: %neg = nv_tileaa.negi %a {overflow = "no_signed_wrap"} : tensor<8xi32>
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @integer_scalars(%a: !i1, %b: tile<i64>) -> (!i1, tile<i64>) {
    %and = andi %a, %a : !i1
    %add = addi %b, %b : tile<i64>
    return %and, %add : !i1, tile<i64>
  }
  // CHECK-LABEL: func.func @integer_scalars(%a: i1, %b: i64) -> (i1, i64) {
  // CHECK-NEXT: %and = nv_tileaa.andi %a, %a : i1
  // CHECK-NEXT: %add = nv_tileaa.addi %b, %b : i64
  // CHECK-NEXT: func.return %and, %add : i1, i64
  // CHECK-NEXT: }

  testing$func @comparisons(%a: !t8xi32, %x: tile<f32>) {
    %0 = cmpi less_than %a, %a, signed : !t8xi32 -> tile<8xi1>
    %1 = cmpi greater_than_or_equal %a, %a, unsigned : !t8xi32 -> tile<8xi1>
    %2 = cmpf equal ordered %x, %x : tile<f32> -> !i1
    %3 = cmpf not_equal unordered %x, %x : tile<f32> -> !i1
    return
  }
  // CHECK-LABEL: func.func @comparisons(%a: tensor<8xi32>, %x: f32) {
  // CHECK-NEXT: %0 = nv_tileaa.cmpi %a, %a {comparison_predicate = "less_than", signedness = "signed"} : tensor<8xi32> -> tensor<8xi1>
  // CHECK-NEXT: %1 = nv_tileaa.cmpi %a, %a {comparison_predicate = "greater_than_or_equal", signedness = "unsigned"} : tensor<8xi32> -> tensor<8xi1>
  // CHECK-NEXT: %2 = nv_tileaa.cmpf %x, %x {comparison_predicate = "equal", comparison_ordering = "ordered"} : f32 -> i1
  // CHECK-NEXT: %3 = nv_tileaa.cmpf %x, %x {comparison_predicate = "not_equal", comparison_ordering = "unordered"} : f32 -> i1
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @floats(%x: !t8xf32, %y: !t8xf32) {
    %add = addf %x, %y : !t8xf32
    %add_even = addf %x, %y rounding<nearest_even> : !t8xf32
    %add_zero = addf %x, %y rounding<zero> flush_to_zero : !t8xf32
    %sub = subf %x, %y rounding<negative_inf> : !t8xf32
    %mul = mulf %x, %y rounding<positive_inf> : !t8xf32
    %div = divf %x, %y rounding<approx> : !t8xf32
    %div_full = divf %x, %y rounding<full> flush_to_zero : !t8xf32
    %rem = remf %x, %y : !t8xf32
    %max = maxf %x, %y flush_to_zero propagate_nan : !t8xf32
    %min = minf %x, %y propagate_nan : !t8xf32
    %pow = pow %x, %y : !t8xf32
    %fpowf = fpowf %x, %y : !t8xf32
    %atan2 = atan2 %x, %y : !t8xf32
    %neg = negf %x : !t8xf32
    %abs = absf %x : !t8xf32
    %ceil = ceil %x : !t8xf32
    %floor = floor %x : !t8xf32
    %sqrt = sqrt %x rounding<approx> flush_to_zero : !t8xf32
    %exp = exp %x : !t8xf32
    %log = log %x : !t8xf32
    %tan = tan %x : !t8xf32
    %sinh = sinh %x : !t8xf32
    %cosh = cosh %x : !t8xf32
    return
  }
  // CHECK-LABEL: func.func @floats(%x: tensor<8xf32>, %y: tensor<8xf32>) {
  // CHECK-NEXT: %add = nv_tileaa.addf %x, %y : tensor<8xf32>
  // CHECK-NEXT: %add_even = nv_tileaa.addf %x, %y : tensor<8xf32>
  // CHECK-NEXT: %add_zero = nv_tileaa.addf %x, %y {rounding_mode = "zero", flush_to_zero} : tensor<8xf32>
  // CHECK-NEXT: %sub = nv_tileaa.subf %x, %y {rounding_mode = "negative_inf"} : tensor<8xf32>
  // CHECK-NEXT: %mul = nv_tileaa.mulf %x, %y {rounding_mode = "positive_inf"} : tensor<8xf32>
  // CHECK-NEXT: %div = nv_tileaa.divf %x, %y {rounding_mode = "approx"} : tensor<8xf32>
  // CHECK-NEXT: %div_full = nv_tileaa.divf %x, %y {rounding_mode = "full", flush_to_zero} : tensor<8xf32>
  // CHECK-NEXT: %rem = nv_tileaa.remf %x, %y : tensor<8xf32>
  // CHECK-NEXT: %max = nv_tileaa.maxf %x, %y {flush_to_zero, propagate_nan} : tensor<8xf32>
  // CHECK-NEXT: %min = nv_tileaa.minf %x, %y {propagate_nan} : tensor<8xf32>
  // CHECK-NEXT: %pow = nv_tileaa.pow %x, %y : tensor<8xf32>
  // CHECK-NEXT: %fpowf = nv_tileaa.pow %x, %y : tensor<8xf32>
  // CHECK-NEXT: %atan2 = nv_tileaa.atan2 %x, %y : tensor<8xf32>
  // CHECK-NEXT: %neg = nv_tileaa.negf %x : tensor<8xf32>
  // CHECK-NEXT: %abs = nv_tileaa.absf %x : tensor<8xf32>
  // CHECK-NEXT: %ceil = nv_tileaa.ceil %x : tensor<8xf32>
  // CHECK-NEXT: %floor = nv_tileaa.floor %x : tensor<8xf32>
  // CHECK-NEXT: %sqrt = nv_tileaa.sqrt %x {rounding_mode = "approx", flush_to_zero} : tensor<8xf32>
  // CHECK-NEXT: %exp = nv_tileaa.exp %x : tensor<8xf32>
  // CHECK-NEXT: %log = nv_tileaa.log %x : tensor<8xf32>
  // CHECK-NEXT: %tan = nv_tileaa.tan %x : tensor<8xf32>
  // CHECK-NEXT: %sinh = nv_tileaa.sinh %x : tensor<8xf32>
  // CHECK-NEXT: %cosh = nv_tileaa.cosh %x : tensor<8xf32>
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @powers(%x: tile<f32>, %n: tile<i32>) -> tile<f32> {
    %0 = fpowi %x, %n : tile<f32>, tile<i32>
    return %0 : tile<f32>
  }
  // CHECK-LABEL: func.func @powers(%x: f32, %n: i32) -> f32 {
  // CHECK-NEXT: %0 = nv_tileaa.fpowi %x, %n : f32, i32
  // CHECK-NEXT: func.return %0 : f32
  // CHECK-NEXT: }

  // The flag decides between two library functions later; where there is none, none is made.
  testing$func @transcendental(%x: !t8xf32) {
    %fast = sin %x {fastmath = #fastmath} : !t8xf32
    %contract = sin %x {fastmath = "contract"} : !t8xf32
    %sin = sin %x : !t8xf32
    %cos = cos %x {fastmath = #fastmath} : !t8xf32
    %exp2 = exp2 %x flush_to_zero {fastmath = #fastmath} : !t8xf32
    %log2 = log2 %x {fastmath = #fastmath} : !t8xf32
    %tanh = tanh %x {fastmath = #fastmath} : !t8xf32
    %approx = tanh %x rounding<approx> : !t8xf32
    %add = addf %x, %x {fastmath = #arith.fastmath<nnan,ninf>} : !t8xf32
    return
  }
  // CHECK-LABEL: func.func @transcendental(%x: tensor<8xf32>) {
  // CHECK-NEXT: %fast = nv_tileaa.sin %x {fastmath = #arith.fastmath<fast>} : tensor<8xf32>
  // CHECK-NEXT: %contract = nv_tileaa.sin %x {fastmath = "contract"} : tensor<8xf32>
  // CHECK-NEXT: %sin = nv_tileaa.sin %x : tensor<8xf32>
  // CHECK-NEXT: %cos = nv_tileaa.cos %x {fastmath = #arith.fastmath<fast>} : tensor<8xf32>
  // CHECK-NEXT: %exp2 = nv_tileaa.exp2 %x {fastmath = #arith.fastmath<fast>, flush_to_zero} : tensor<8xf32>
  // CHECK-NEXT: %log2 = nv_tileaa.log2 %x {fastmath = #arith.fastmath<fast>} : tensor<8xf32>
  // CHECK-NEXT: %tanh = nv_tileaa.tanh %x {fastmath = #arith.fastmath<fast>} : tensor<8xf32>
  // CHECK-NEXT: %approx = nv_tileaa.tanh %x {rounding_mode = "approx"} : tensor<8xf32>
  // CHECK-NEXT: %add = nv_tileaa.addf %x, %x {fastmath = #arith.fastmath<nnan,ninf>} : tensor<8xf32>
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @attributes(%x: !t8xi32) {
    %0 = addi %x, %x {my.mark, other = 3 : i32} : !t8xi32
    %1 = mini %x, %x signed {my.mark} : !t8xi32
    return
  }
  // CHECK-LABEL: func.func @attributes(%x: tensor<8xi32>) {
  // CHECK-NEXT: %0 = nv_tileaa.addi %x, %x {my.mark, other = 3 : i32} : tensor<8xi32>
  // CHECK-NEXT: %1 = arith.minsi %x, %x {my.mark} : tensor<8xi32>
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @selection(%c: !i1, %m: tile<8xi1>, %a: !t8xf32, %b: !t8xf32, %p: tile<8xptr<f32>>) {
    %0 = select %m, %a, %b : tile<8xi1>, !t8xf32
    %1 = select %m, %p, %p : tile<8xi1>, tile<8xptr<f32>>
    %2 = select %c, %c, %c : !i1, !i1
    return
  }
  // CHECK-LABEL: func.func @selection(%c: i1, %m: tensor<8xi1>, %a: tensor<8xf32>, %b: tensor<8xf32>, %p: tensor<8x!llvm.ptr<1>>) {
  // CHECK-NEXT: %0 = arith.select %m, %a, %b : tensor<8xi1>, tensor<8xf32>
  // CHECK-NEXT: %1 = arith.select %m, %p, %p : tensor<8xi1>, tensor<8x!llvm.ptr<1>>
  // CHECK-NEXT: %2 = arith.select %c, %c, %c : i1
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }
}
