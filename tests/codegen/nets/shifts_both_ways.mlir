module attributes {quern.metadata = {profile = "tflite", tflite.version = "3"}} {
  func.func @main(%a: tensor<1x2x2x8xf32> {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.5> : tensor<f32>, zero = dense<0> : tensor<i8>}]}) -> (tensor<1x2x2x8xf32>, tensor<1x2x2x8xf32>) {
    %w = "onnx.Constant"() {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.1> : tensor<f32>, zero = dense<0> : tensor<i8>}], value = dense<1> : tensor<8x1x1x8xi8>} : () -> tensor<8x1x1x8xf32>
    %y = "onnx.Conv"(%a, %w) {dilations = [1, 1], group = 1 : si64, layout = "NHWC", onnx_node_name = "y", pads = [0, 0, 0, 0], strides = [1, 1], quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.8> : tensor<f32>, zero = dense<0> : tensor<i8>}]} : (tensor<1x2x2x8xf32>, tensor<8x1x1x8xf32>) -> tensor<1x2x2x8xf32>
    %z = "onnx.Conv"(%a, %w) {dilations = [1, 1], group = 1 : si64, layout = "NHWC", onnx_node_name = "z", pads = [0, 0, 0, 0], strides = [1, 1], quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.02> : tensor<f32>, zero = dense<0> : tensor<i8>}]} : (tensor<1x2x2x8xf32>, tensor<8x1x1x8xf32>) -> tensor<1x2x2x8xf32>
    onnx.Return %y, %z : tensor<1x2x2x8xf32>, tensor<1x2x2x8xf32>
  }
}
