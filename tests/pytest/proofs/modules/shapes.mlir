func.func @splats(%x: {T}) -> (tensor<2x2x{T}>, tensor<4x{T}>, tensor<1x4x{T}>) {
  %s = nv_tileaa.splat %x : {T} to tensor<4x{T}>
  %1 = nv_tileaa.splat %x : {T} to tensor<1x{T}>
  %v = nv_tileaa.view %s : tensor<4x{T}> -> tensor<2x2x{T}>
  %b = nv_tileaa.broadcast %1 : tensor<1x{T}> -> tensor<4x{T}>
  %e = nv_tileaa.expand_dims %s {axis = 0 : i32} : tensor<4x{T}> -> tensor<1x4x{T}>
  func.return %v, %b, %e : tensor<2x2x{T}>, tensor<4x{T}>, tensor<1x4x{T}>
}
func.func @views(%x: tensor<4x{T}>) -> tensor<1x4x{T}> {
  %1 = nv_tileaa.view %x : tensor<4x{T}> -> tensor<2x2x{T}>
  %2 = nv_tileaa.view %1 : tensor<2x2x{T}> -> tensor<1x4x{T}>
  func.return %2 : tensor<1x4x{T}>
}
func.func @assumed(%x: {T}) -> (tensor<2x{T}>, tensor<2x{T}>) {
  %s = nv_tileaa.splat %x : {T} to tensor<2x{T}>
  %a = nv_tileaa.assume %s {predicate = #nv_tileaa.div_by<2>} : tensor<2x{T}>
  %b = nv_tileaa.assume %s {predicate = #nv_tileaa.bounded<0, ?>} : tensor<2x{T}>
  func.return %a, %b : tensor<2x{T}>, tensor<2x{T}>
}
func.func @chosen(%c: i1, %x: {T}, %y: {T}) -> tensor<2x{T}> {
  %s = arith.select %c, %x, %y : {T}
  %r = nv_tileaa.splat %s : {T} to tensor<2x{T}>
  func.return %r : tensor<2x{T}>
}
