func.func @net(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %y = "onnx.Elu"(%x) {onnx_node_name = "elu"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
