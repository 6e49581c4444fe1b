// A net to be quantized: products in a loop, in the branches of an If and in a scan, with weights of the graph around.
func.func @net(%n: tensor<i64>, %x: tensor<2x4xf32>, %seq: tensor<3x2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<3x2x4xf32>) {
  %none = "onnx.NoValue"() : () -> none
  %w = "onnx.Constant"() {value = dense<[[0.5, -0.25, 0.125, 0.75], [0.3, 0.2, -0.6, 0.1], [-0.4, 0.9, 0.2, 0.05], [0.1, 0.3, 0.7, -0.8]]> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
  %b = "onnx.Constant"() {value = dense<[0.1, -0.2, 0.3, 0.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %zero = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %first = "onnx.Gemm"(%x, %w, %b) {onnx_node_name = "first"} : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %y = "onnx.Loop"(%n, %none, %first) ({
  ^body(%i: tensor<i64>, %g: tensor<i1>, %v: tensor<2x4xf32>):
    %m = "onnx.Gemm"(%v, %w, %b) {onnx_node_name = "cell"} : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %sum = "onnx.ReduceSum"(%m) {keepdims = 0, onnx_node_name = "sum"} : (tensor<2x4xf32>) -> tensor<f32>
    %up = "onnx.Less"(%zero, %sum) {onnx_node_name = "up"} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %o = "onnx.If"(%up) ({
      %r = "onnx.Relu"(%m) {onnx_node_name = "relu"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
      onnx.Yield %r : tensor<2x4xf32>
    }, {
      %h = "onnx.Add"(%m, %first) {onnx_node_name = "skip"} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
      %s = "onnx.Sigmoid"(%h) {onnx_node_name = "sigmoid"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
      onnx.Yield %s : tensor<2x4xf32>
    }) {onnx_node_name = "choice"} : (tensor<i1>) -> tensor<2x4xf32>
    onnx.Yield %g, %o : tensor<i1>, tensor<2x4xf32>
  }) {onnx_node_name = "loop"} : (tensor<i64>, none, tensor<2x4xf32>) -> tensor<2x4xf32>
  %last, %all = "onnx.Scan"(%y, %seq) ({
  ^body(%u: tensor<2x4xf32>, %e: tensor<2x4xf32>):
    %in = "onnx.Gemm"(%e, %w, %b) {onnx_node_name = "in"} : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %t = "onnx.Add"(%in, %u) {onnx_node_name = "add"} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %f = "onnx.Tanh"(%t) {onnx_node_name = "tanh"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    onnx.Yield %f, %f : tensor<2x4xf32>, tensor<2x4xf32>
  }) {num_scan_inputs = 1, onnx_node_name = "scan"} : (tensor<2x4xf32>, tensor<3x2x4xf32>) -> (tensor<2x4xf32>, tensor<3x2x4xf32>)
  %out = "onnx.Gemm"(%last, %w, %b) {onnx_node_name = "last"} : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %out, %y, %all : tensor<2x4xf32>, tensor<2x4xf32>, tensor<3x2x4xf32>
}
