// A product on codes in a body, its weights and another operand captured: as codes, and as numbers that the body holds as codes.
func.func @captured(%n: tensor<i64>, %x: tensor<2x4xf32> {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.01> : tensor<f32>, zero = dense<3> : tensor<i8>}]}, %z: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %none = "onnx.NoValue"() : () -> none
  %w = "onnx.Constant"() {quern.encoding = [{storage = i8, qmin = -127, qmax = 127, scale = dense<0.005> : tensor<f32>, zero = dense<0> : tensor<i8>}], value = dense<[[100, -50, 25, 120], [60, 40, -120, 20], [-80, 127, 40, 10], [20, 60, 100, -127]]> : tensor<4x4xi8>} : () -> tensor<4x4xf32>
  %y = "onnx.Loop"(%n, %none, %x) ({
  ^body(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<2x4xf32> {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.01> : tensor<f32>, zero = dense<3> : tensor<i8>}]}):
    %coded = "quern.Capture"(%z) {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.02> : tensor<f32>, zero = dense<-5> : tensor<i8>}]} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %m = "onnx.MatMul"(%v, %w) {onnx_node_name = "cell", quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.011> : tensor<f32>, zero = dense<0> : tensor<i8>}]} : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %s = "onnx.Add"(%m, %coded) {onnx_node_name = "add", quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.01> : tensor<f32>, zero = dense<3> : tensor<i8>}]} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    onnx.Yield %c, %s : tensor<i1>, tensor<2x4xf32>
  }) {onnx_node_name = "loop", quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.01> : tensor<f32>, zero = dense<3> : tensor<i8>}]} : (tensor<i64>, none, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
