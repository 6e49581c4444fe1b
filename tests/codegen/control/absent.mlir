// Results that nobody reads, rounds that carry nothing, a scan without states.
func.func @absent(%n: tensor<i64>, %x: tensor<2xf32>, %s: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<5x2xf32>, tensor<3x2xf32>, tensor<?xf32>) {
  %none = "onnx.NoValue"() : () -> none
  %five = "onnx.Constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %a, %b = "onnx.Loop"(%n, %none, %x, %x) ({
  ^body(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<2xf32>, %w: tensor<2xf32>):
    %m = "onnx.Add"(%v, %w) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    onnx.Yield %c, %m, %m : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  }) : (tensor<i64>, none, tensor<2xf32>, tensor<2xf32>) -> (none, tensor<2xf32>)
  %p = "onnx.Loop"(%five, %none) ({
  ^body(%i: tensor<i64>, %c: tensor<i1>):
    %f = "onnx.Cast"(%i) {to = 1 : si64} : (tensor<i64>) -> tensor<f32>
    %m = "onnx.Add"(%x, %f) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    onnx.Yield %c, %m : tensor<i1>, tensor<2xf32>
  }) : (tensor<i64>, none) -> tensor<5x2xf32>
  %t = "onnx.Scan"(%s) ({
  ^body(%e: tensor<2xf32>):
    onnx.Yield %e : tensor<2xf32>
  }) {num_scan_inputs = 1, scan_input_directions = [1]} : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %q = "onnx.Loop"(%five, %none) ({
  ^body(%i: tensor<i64>, %c: tensor<i1>):
    %f = "onnx.Cast"(%i) {to = 1 : si64} : (tensor<i64>) -> tensor<f32>
    onnx.Yield %c, %f : tensor<i1>, tensor<f32>
  }) : (tensor<i64>, none) -> tensor<?xf32>
  return %b, %p, %t, %q : tensor<2xf32>, tensor<5x2xf32>, tensor<3x2xf32>, tensor<?xf32>
}
