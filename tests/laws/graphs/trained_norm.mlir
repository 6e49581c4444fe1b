// A model of quantization-aware training: weights in codes, and a BatchNormalization whose second factor is negative.
func.func @net(%x: tensor<1x1x2x2xf32>) -> tensor<1x2x2x2xf32> {
  %xs = "onnx.Constant"() {value = dense<0.02> : tensor<f32>} : () -> tensor<f32>
  %xz = "onnx.Constant"() {value = dense<3> : tensor<i8>} : () -> tensor<i8>
  %ys = "onnx.Constant"() {value = dense<0.05> : tensor<f32>} : () -> tensor<f32>
  %yz = "onnx.Constant"() {value = dense<-128> : tensor<i8>} : () -> tensor<i8>
  %wq = "onnx.Constant"() {value = dense<[[[[100]]], [[[-64]]]]> : tensor<2x1x1x1xi8>} : () -> tensor<2x1x1x1xi8>
  %ws = "onnx.Constant"() {value = dense<0.01> : tensor<f32>} : () -> tensor<f32>
  %wz = "onnx.Constant"() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
  %b = "onnx.Constant"() {value = dense<[0.5, -0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
  %scale = "onnx.Constant"() {value = dense<[2.0, -4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %shift = "onnx.Constant"() {value = dense<[0.1, 0.2]> : tensor<2xf32>} : () -> tensor<2xf32>
  %mean = "onnx.Constant"() {value = dense<[0.0, 0.5]> : tensor<2xf32>} : () -> tensor<2xf32>
  %var = "onnx.Constant"() {value = dense<[1.0, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %xc = "onnx.QuantizeLinear"(%x, %xs, %xz) : (tensor<1x1x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x1x2x2xi8>
  %xd = "onnx.DequantizeLinear"(%xc, %xs, %xz) : (tensor<1x1x2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<1x1x2x2xf32>
  %w = "onnx.DequantizeLinear"(%wq, %ws, %wz) : (tensor<2x1x1x1xi8>, tensor<f32>, tensor<i8>) -> tensor<2x1x1x1xf32>
  %c = "onnx.Conv"(%xd, %w, %b) {onnx_node_name = "conv"} : (tensor<1x1x2x2xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32>
  %n = "onnx.BatchNormalization"(%c, %scale, %shift, %mean, %var) {epsilon = 0.0 : f32, onnx_node_name = "norm"} : (tensor<1x2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32>
  %r = "onnx.Relu"(%n) {onnx_node_name = "relu"} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %yc = "onnx.QuantizeLinear"(%r, %ys, %yz) : (tensor<1x2x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x2x2x2xi8>
  %y = "onnx.DequantizeLinear"(%yc, %ys, %yz) : (tensor<1x2x2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<1x2x2x2xf32>
  return %y : tensor<1x2x2x2xf32>
}
