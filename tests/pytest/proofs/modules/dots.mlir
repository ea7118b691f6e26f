func.func @zero(%b: tensor<2x2xi8>, %c: tensor<1x2xi32>) -> tensor<1x2xi32> {
  %z = arith.constant dense<0> : tensor<1x2xi8>
  %d = nv_tileaa.dot %z, %b, %c : tensor<1x2xi8>, tensor<2x2xi8>, tensor<1x2xi32>
  func.return %d : tensor<1x2xi32>
}
func.func @constant() -> (tensor<2x2xi32>, tensor<2x2xi32>) {
  %a = arith.constant dense<[[1, 128], [255, 4]]> : tensor<2x2xi8>
  %b = arith.constant dense<[[5, 200], [7, 8]]> : tensor<2x2xi8>
  %c = arith.constant dense<2147483647> : tensor<2x2xi32>
  %d = nv_tileaa.dot %a, %b, %c : tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi32>
  %e = nv_tileaa.dot %a, %b, %c {signedness_lhs = "unsigned"} : tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi32>
  func.return %d, %e : tensor<2x2xi32>, tensor<2x2xi32>
}
func.func @widened(%a: tensor<1x1xf16>, %b: tensor<1x1xf16>, %c: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %w = nv_tileaa.fp_to_fp %a : tensor<1x1xf16> to tensor<1x1xf32>
  %x = nv_tileaa.fp_to_fp %w : tensor<1x1xf32> to tensor<1x1xtf32>
  %y = nv_tileaa.fp_to_fp %b : tensor<1x1xf16> to tensor<1x1xtf32>
  %d = nv_tileaa.dot %x, %y, %c : tensor<1x1xtf32>, tensor<1x1xtf32>, tensor<1x1xf32>
  func.return %d : tensor<1x1xf32>
}
func.func @widened_bf16(%a: tensor<1x1xbf16>, %b: tensor<1x1xbf16>, %c: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %x = nv_tileaa.fp_to_fp %a : tensor<1x1xbf16> to tensor<1x1xtf32>
  %y = nv_tileaa.fp_to_fp %b : tensor<1x1xbf16> to tensor<1x1xtf32>
  %d = nv_tileaa.dot %x, %y, %c : tensor<1x1xtf32>, tensor<1x1xtf32>, tensor<1x1xf32>
  func.return %d : tensor<1x1xf32>
}
