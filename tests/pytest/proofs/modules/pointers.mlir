func.func @same_size(%p: !llvm.ptr<1>, %a: {T}, %b: {T}) -> !llvm.ptr<1> {
  %0 = nv_tileaa.addptr %p, %a {elem_type = {T}} : !llvm.ptr<1>, {T}
  %1 = nv_tileaa.addptr %0, %b {elem_type = {T}} : !llvm.ptr<1>, {T}
  func.return %1 : !llvm.ptr<1>
}
func.func @other_size(%p: tensor<2x!llvm.ptr<1>>, %a: tensor<2x{T}>, %b: tensor<2xi64>) -> tensor<2x!llvm.ptr<1>> {
  %0 = nv_tileaa.addptr %p, %a {elem_type = {T}} : tensor<2x!llvm.ptr<1>>, tensor<2x{T}>
  %1 = nv_tileaa.addptr %0, %b {elem_type = f32} : tensor<2x!llvm.ptr<1>>, tensor<2xi64>
  func.return %1 : tensor<2x!llvm.ptr<1>>
}
