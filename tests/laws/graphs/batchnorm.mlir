// BatchNormalization behind a convolution, a transposed one and a product.
func.func @batchnorm(%x: tensor<1x2x4x4xf32>, %y: tensor<3x4xf32>) -> (tensor<1x3x7x7xf32>, tensor<3x2xf32>) {
  %none = "onnx.NoValue"() : () -> none
  %w0 = "onnx.Constant"() {value = dense<[[[[0.5, -0.25], [0.125, 0.75]], [[-0.5, 0.375], [0.25, -0.625]]], [[[0.25, 0.5], [-0.375, 0.125]], [[1.0, -0.75], [0.5, 0.25]]]]> : tensor<2x2x2x2xf32>} : () -> tensor<2x2x2x2xf32>
  %b0 = "onnx.Constant"() {value = dense<[0.25, -0.5]> : tensor<2xf32>} : () -> tensor<2xf32>
  %scale2 = "onnx.Constant"() {value = dense<[1.5, -0.5]> : tensor<2xf32>} : () -> tensor<2xf32>
  %shift2 = "onnx.Constant"() {value = dense<[0.125, 0.75]> : tensor<2xf32>} : () -> tensor<2xf32>
  %mean2 = "onnx.Constant"() {value = dense<[-0.25, 0.5]> : tensor<2xf32>} : () -> tensor<2xf32>
  %var2 = "onnx.Constant"() {value = dense<[2.25, 0.5]> : tensor<2xf32>} : () -> tensor<2xf32>
  %conv = "onnx.Conv"(%x, %w0, %b0) {onnx_node_name = "conv"} : (tensor<1x2x4x4xf32>, tensor<2x2x2x2xf32>, tensor<2xf32>) -> tensor<1x2x3x3xf32>
  %bn0 = "onnx.BatchNormalization"(%conv, %scale2, %shift2, %mean2, %var2) {onnx_node_name = "bn0"} : (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x3x3xf32>
  %w1 = "onnx.Constant"() {value = dense<[[[[0.5]], [[-0.25]], [[0.75]]], [[[-1.0]], [[0.375]], [[0.125]]]]> : tensor<2x3x1x1xf32>} : () -> tensor<2x3x1x1xf32>
  %scale3 = "onnx.Constant"() {value = dense<[1.0, 0.5, -2.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %shift3 = "onnx.Constant"() {value = dense<[0.0, 0.25, -0.5]> : tensor<3xf32>} : () -> tensor<3xf32>
  %mean3 = "onnx.Constant"() {value = dense<[0.5, -0.5, 0.125]> : tensor<3xf32>} : () -> tensor<3xf32>
  %var3 = "onnx.Constant"() {value = dense<[0.25, 4.0, 1.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %up = "onnx.ConvTranspose"(%bn0, %w1, %none) {onnx_node_name = "up", strides = [3, 3]} : (tensor<1x2x3x3xf32>, tensor<2x3x1x1xf32>, none) -> tensor<1x3x7x7xf32>
  %bn1 = "onnx.BatchNormalization"(%up, %scale3, %shift3, %mean3, %var3) {onnx_node_name = "bn1"} : (tensor<1x3x7x7xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3x7x7xf32>
  %w2 = "onnx.Constant"() {value = dense<[[0.5, -0.25, 0.75, 1.0], [0.25, 0.125, -0.5, 0.375]]> : tensor<2x4xf32>} : () -> tensor<2x4xf32>
  %product = "onnx.Gemm"(%y, %w2, %none) {onnx_node_name = "product", transB = 1 : si64} : (tensor<3x4xf32>, tensor<2x4xf32>, none) -> tensor<3x2xf32>
  %bn2 = "onnx.BatchNormalization"(%product, %scale2, %shift2, %mean2, %var2) {onnx_node_name = "bn2"} : (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  onnx.Return %bn1, %bn2 : tensor<1x3x7x7xf32>, tensor<3x2xf32>
}
