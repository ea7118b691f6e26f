func.func @both(%p: tensor<2xi1>, %q: tensor<2xi1>) -> tensor<2xi1> {
  %a = arith.extui %p : tensor<2xi1> to tensor<2x{T}>
  %b = arith.extui %q : tensor<2xi1> to tensor<2x{T}>
  %r = nv_tileaa.cmpi %a, %b {comparison_predicate = "not_equal"} : tensor<2x{T}> -> tensor<2xi1>
  func.return %r : tensor<2xi1>
}
func.func @changed(%p: tensor<2xi1>, %q: tensor<1xi1>) -> tensor<2xi1> {
  %a = arith.extui %p : tensor<2xi1> to tensor<2x{T}>
  %b = arith.extui %q : tensor<1xi1> to tensor<1x{T}>
  %d = nv_tileaa.broadcast %b : tensor<1x{T}> -> tensor<2x{T}>
  %e = nv_tileaa.xori %a, %d : tensor<2x{T}>
  %r = nv_tileaa.cmpi %e, %a {comparison_predicate = "not_equal"} : tensor<2x{T}> -> tensor<2xi1>
  func.return %r : tensor<2xi1>
}
