// Channels last: a convolution with its filter as [M, height, width, C], a pool, and a sum over both.
func.func @nhwc(%x: tensor<1x6x6x3xf32>) -> tensor<1x5x5x2xf32> {
  %w = "onnx.Constant"() {value = dense<"0x0000003F0000803E000080BE0000003F000040BF0000003E0000803F0000803E000000BF0000003F0000803E000080BE0000003F000040BF0000003E0000803F0000803E000000BF0000003F0000803E000080BE0000003F000040BF0000003E"> : tensor<2x2x2x3xf32>} : () -> tensor<2x2x2x3xf32>
  %b = "onnx.Constant"() {value = dense<[0.5, -0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
  %conv = "onnx.Conv"(%x, %w, %b) {layout = "NHWC", onnx_node_name = "conv"} : (tensor<1x6x6x3xf32>, tensor<2x2x2x3xf32>, tensor<2xf32>) -> tensor<1x5x5x2xf32>
  %relu = "onnx.Relu"(%conv) {onnx_node_name = "relu"} : (tensor<1x5x5x2xf32>) -> tensor<1x5x5x2xf32>
  %pool = "onnx.MaxPool"(%relu) {kernel_shape = [3, 3], layout = "NHWC", onnx_node_name = "pool", pads = [1, 1, 1, 1]} : (tensor<1x5x5x2xf32>) -> tensor<1x5x5x2xf32>
  %sum = "onnx.Add"(%relu, %pool) {onnx_node_name = "sum"} : (tensor<1x5x5x2xf32>, tensor<1x5x5x2xf32>) -> tensor<1x5x5x2xf32>
  onnx.Return %sum : tensor<1x5x5x2xf32>
}
