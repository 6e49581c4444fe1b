// Loops and scans of values without elements.
func.func @empty(%x: tensor<2xf32>, %s: tensor<3x0xf32>) -> (tensor<2xf32>, tensor<0x2xf32>, tensor<3x0xf32>) {
  %none = "onnx.NoValue"() : () -> none
  %zero = "onnx.Constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %a, %b = "onnx.Loop"(%zero, %none, %x) ({
  ^body(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<2xf32>):
    %m = "onnx.Add"(%v, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    onnx.Yield %c, %m, %m : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  }) : (tensor<i64>, none, tensor<2xf32>) -> (tensor<2xf32>, tensor<0x2xf32>)
  %t = "onnx.Scan"(%s) ({
  ^body(%e: tensor<0xf32>):
    %n = "onnx.Neg"(%e) : (tensor<0xf32>) -> tensor<0xf32>
    onnx.Yield %n : tensor<0xf32>
  }) {num_scan_inputs = 1, scan_input_directions = [1]} : (tensor<3x0xf32>) -> tensor<3x0xf32>
  return %a, %b, %t : tensor<2xf32>, tensor<0x2xf32>, tensor<3x0xf32>
}
