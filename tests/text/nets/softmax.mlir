func.func @net(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = "onnx.Softmax"(%x) {onnx_node_name = "sm", axis = -1 : si64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %y = "onnx.Sigmoid"(%s) {onnx_node_name = "sigmoid"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
