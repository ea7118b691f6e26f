// Shapes, selection, pointer arithmetic and assumptions.

entry @shapes(%a: tile<f32>, %i: tile<i32>, %j: tile<i32>) {
  %unit = reshape %a : tile<f32> -> tile<1x1x1xf32>
  %cube = broadcast %unit : tile<1x1x1xf32> -> tile<2x4x8xf32>
  %turned = permute %cube [2, 0, 1] : tile<2x4x8xf32> -> tile<8x2x4xf32>
  %flat = reshape %cube : tile<2x4x8xf32> -> tile<8x8xf32>
  %swapped = permute %flat [1, 0] : tile<8x8xf32> -> tile<8x8xf32>
  %tall = cat %flat, %flat dim = 0 : tile<8x8xf32>, tile<8x8xf32> -> tile<16x8xf32>
  %long = cat %flat, %flat dim = 1 : tile<8x8xf32>, tile<8x8xf32> -> tile<8x16xf32>
  %part = extract %flat[%i, %j] : tile<8x8xf32> -> tile<2x4xf32>
  %scalar = extract %a[] : tile<f32> -> tile<f32>
  return
}

entry @ranges() {
  %i8 = iota : tile<256xi8>
  %i16 = iota : tile<16xi16>
  %i32 = iota : tile<1xi32>
  %i64 = iota : tile<1024xi64>
  %i1 = iota : tile<2xi1>
  return
}

entry @selection(%c: tile<i1>, %a: tile<f8E5M2>, %b: tile<f8E5M2>, %p: tile<ptr<f16>>, %i: tile<i64>) {
  %chosen = select %c, %a, %b : tile<i1>, tile<f8E5M2>
  %other = offset %p, %i : tile<ptr<f16>>, tile<i64> -> tile<ptr<f16>>
  %pointer = select %c, %p, %other : tile<i1>, tile<ptr<f16>>
  return
}

entry @assumptions(%i: tile<i32>, %b: tile<i8>, %p: tile<ptr<f32>>) {
  %div = assume div_by<16>, %i : tile<i32>
  %div_one = assume div_by<1>, %i : tile<i32>
  %div_huge = assume div_by<4611686018427387904>, %p : tile<ptr<f32>>
  %range = iota : tile<16xi32>
  %div_along = assume div_by<8, every 4 along 0>, %range : tile<16xi32>
  %div_every = assume div_by<8, every 16 along 0>, %range : tile<16xi32>
  %same = assume same_elements<[4]>, %range : tile<16xi32>
  %same_none = assume same_elements<[]>, %i : tile<i32>
  %cube = reshape %range : tile<16xi32> -> tile<2x4x2xi32>
  %same_cube = assume same_elements<[1, 4, 2]>, %cube : tile<2x4x2xi32>
  %any = assume bounded<?, ?>, %i : tile<i32>
  %low = assume bounded<0, ?>, %i : tile<i32>
  %high = assume bounded<?, -5>, %i : tile<i32>
  %both = assume bounded<-128, 127>, %b : tile<i8>
  %wide = exti %i signed : tile<i32> -> tile<i64>
  %all = assume bounded<-9223372036854775808, 9223372036854775807>, %wide : tile<i64>
  %tview = make_tensor_view %p, shape = [%i], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %div_view = assume div_by<32>, %tview : tensor_view<?xf32, strides=[1]>
  return
}

// -----
// before 13.4: 'cuda_tile.insert' op requires bytecode version 13.4+, targeting {version}

entry @insertion(%a: tile<f32>, %i: tile<i32>, %j: tile<i32>) {
  %unit = reshape %a : tile<f32> -> tile<1x1xf32>
  %part = broadcast %unit : tile<1x1xf32> -> tile<2x4xf32>
  %whole = broadcast %unit : tile<1x1xf32> -> tile<8x8xf32>
  %0 = insert %part, %whole[%i, %j] : tile<2x4xf32>, tile<8x8xf32>
  %1 = insert %a, %a[] : tile<f32>, tile<f32>
  return
}
