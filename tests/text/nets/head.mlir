func.func @head(%x: tensor<1x4x8xf32>) -> tensor<1x8x8xf32> {
  %size = "onnx.Constant"() {value = dense<600.0> : tensor<f32>} : () -> tensor<f32>
  %places = "onnx.Relu"(%x) {onnx_node_name = "places"} : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %boxes = "onnx.Mul"(%places, %size) {onnx_node_name = "boxes"} : (tensor<1x4x8xf32>, tensor<f32>) -> tensor<1x4x8xf32>
  %scores = "onnx.Sigmoid"(%x) {onnx_node_name = "scores"} : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %y = "onnx.Concat"(%boxes, %scores) {axis = 1 : si64, onnx_node_name = "join"} : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x8x8xf32>
  return %y : tensor<1x8x8xf32>
}
