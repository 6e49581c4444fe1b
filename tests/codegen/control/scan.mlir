// Scans forwards and backwards, along leading and other axes, with two states that change places.
func.func @scan(%s: tensor<2x3xf32>, %t: tensor<2x3xf32>, %x: tensor<4x2x3xf32>, %y: tensor<2x4x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<4xf32>, tensor<3x2x4xf32>) {
  %a, %b, %p, %q, %r, %o = "onnx.Scan"(%s, %t, %x, %y) ({
  ^body(%u: tensor<2x3xf32>, %v: tensor<2x3xf32>, %e: tensor<2x3xf32>, %f: tensor<2x3xf32>):
    %k = "onnx.Constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
    %w = "onnx.Add"(%u, %e) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %m = "onnx.Mul"(%w, %k) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %d = "onnx.Sub"(%m, %f) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %z = "onnx.ReduceSum"(%d) {keepdims = 0} : (tensor<2x3xf32>) -> tensor<f32>
    %g = "onnx.Transpose"(%f) {perm = [1, 0]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    onnx.Yield %v, %d, %d, %w, %z, %g : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<3x2xf32>
  }) {num_scan_inputs = 2, scan_input_axes = [0, 1], scan_input_directions = [1, 0], scan_output_axes = [0, -1, 0, 2], scan_output_directions = [0, 1, 1, 0]} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<4x2x3xf32>, tensor<2x4x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<4xf32>, tensor<3x2x4xf32>)
  return %a, %b, %p, %q, %r, %o : tensor<2x3xf32>, tensor<2x3xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<4xf32>, tensor<3x2x4xf32>
}
