// Shapes of the body follow from outside. Results of each round: computed, carried, captured, constant, the number of the round; a loop inside that reads from two levels up, and
// memory that must not be used again before the last round.
func.func @rounds(%x: tensor<2x3xf32>, %z: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<?x2x3xf32>, tensor<?x2x3xf32>, tensor<?x2x3xf32>, tensor<?xi64>, tensor<?x2xf32>, tensor<2x3xf32>) {
  %four = "onnx.Constant"() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
  %three = "onnx.Constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %none = "onnx.NoValue"() : () -> none
  %early = "onnx.Neg"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %dims = "onnx.Shape"(%z) : (tensor<2x3xf32>) -> tensor<2xi64>
  %far = "onnx.Mul"(%early, %z) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %y, %each, %before, %outside, %number, %two = "onnx.Loop"(%four, %none, %x) ({
  ^body(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<*xf32>):
    %k = "onnx.Constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %half = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %s = "onnx.Mul"(%v, %half) : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
    %inner = "onnx.Loop"(%three, %none, %s) ({
    ^again(%j: tensor<i64>, %d: tensor<i1>, %u: tensor<*xf32>):
      %t = "onnx.Add"(%u, %early) : (tensor<*xf32>, tensor<2x3xf32>) -> tensor<*xf32>
      %m = "onnx.Mul"(%t, %half) : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
      onnx.Yield %d, %m : tensor<i1>, tensor<*xf32>
    }) : (tensor<i64>, none, tensor<*xf32>) -> tensor<*xf32>
    %shaped = "onnx.Reshape"(%inner, %dims) : (tensor<*xf32>, tensor<2xi64>) -> tensor<*xf32>
    %big = "onnx.Exp"(%shaped) : (tensor<*xf32>) -> tensor<*xf32>
    %next = "onnx.Add"(%big, %far) : (tensor<*xf32>, tensor<2x3xf32>) -> tensor<*xf32>
    onnx.Yield %c, %next, %next, %v, %far, %i, %k : tensor<i1>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<2x3xf32>, tensor<i64>, tensor<2xf32>
  }) : (tensor<i64>, none, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<?x2x3xf32>, tensor<?x2x3xf32>, tensor<?x2x3xf32>, tensor<?xi64>, tensor<?x2xf32>)
  %after = "onnx.Sub"(%far, %early) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y, %each, %before, %outside, %number, %two, %after : tensor<2x3xf32>, tensor<?x2x3xf32>, tensor<?x2x3xf32>, tensor<?x2x3xf32>, tensor<?xi64>, tensor<?x2xf32>, tensor<2x3xf32>
}
