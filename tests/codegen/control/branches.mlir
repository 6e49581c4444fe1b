// Branches in branches in a loop: results that are captured, constant, given twice; a condition that is known beforehand.
func.func @branches(%c: tensor<i1>, %d: tensor<1xi1>, %n: tensor<i64>, %x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> (tensor<?x?xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %none = "onnx.NoValue"() : () -> none
  %four = "onnx.Constant"() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
  %shift = "onnx.Abs"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %y, %z = "onnx.Loop"(%n, %none, %x, %x) ({
  ^body(%i: tensor<i64>, %g: tensor<i1>, %v: tensor<2x4xf32>, %u: tensor<2x4xf32>):
    %late = "onnx.Less"(%i, %four) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %p, %q = "onnx.If"(%c) ({
      %m = "onnx.MatMul"(%v, %w) : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
      %t = "onnx.Tanh"(%m) : (tensor<2x4xf32>) -> tensor<2x4xf32>
      onnx.Yield %t, %t : tensor<2x4xf32>, tensor<2x4xf32>
    }, {
      %k = "onnx.Constant"() {value = dense<0.5> : tensor<2x4xf32>} : () -> tensor<2x4xf32>
      %b = "onnx.If"(%late) ({
        %s = "onnx.Sub"(%v, %shift) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
        %h = "onnx.Tanh"(%s) : (tensor<2x4xf32>) -> tensor<2x4xf32>
        onnx.Yield %h : tensor<2x4xf32>
      }, {
        onnx.Yield %shift : tensor<2x4xf32>
      }) : (tensor<i1>) -> tensor<2x4xf32>
      %e = "onnx.Add"(%b, %k) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
      onnx.Yield %e, %k : tensor<2x4xf32>, tensor<2x4xf32>
    }) : (tensor<i1>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %f = "onnx.Sub"(%q, %u) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    onnx.Yield %g, %p, %f : tensor<i1>, tensor<2x4xf32>, tensor<2x4xf32>
  }) : (tensor<i64>, none, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %size = "onnx.Size"(%x) : (tensor<2x4xf32>) -> tensor<i64>
  %large = "onnx.Less"(%size, %four) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %shape = "onnx.If"(%large) ({
    %kept = "onnx.Constant"() {value = dense<[4, -1]> : tensor<2xi64>} : () -> tensor<2xi64>
    onnx.Yield %kept : tensor<2xi64>
  }, {
    %given = "onnx.Constant"() {value = dense<[5, -1]> : tensor<2xi64>} : () -> tensor<2xi64>
    onnx.Yield %given : tensor<2xi64>
  }) : (tensor<i1>) -> tensor<2xi64>
  %known = "onnx.If"(%large) ({
    %m = "onnx.Reshape"(%y, %shape) : (tensor<2x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %l = "onnx.Neg"(%m) : (tensor<?x?xf32>) -> tensor<?x?xf32>
    onnx.Yield %l : tensor<?x?xf32>
  }, {
    %wrong = "onnx.Reshape"(%y, %shape) : (tensor<2x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %unknown = "onnx.NonZero"(%wrong) : (tensor<?x?xf32>) -> tensor<2x?xi64>
    %r = "onnx.Cast"(%unknown) {to = 1 : si64} : (tensor<2x?xi64>) -> tensor<2x?xf32>
    onnx.Yield %r : tensor<2x?xf32>
  }) : (tensor<i1>) -> tensor<?x?xf32>
  %twice, %again = "onnx.If"(%d) ({
    onnx.Yield %y, %y : tensor<2x4xf32>, tensor<2x4xf32>
  }, {
    onnx.Yield %z, %x : tensor<2x4xf32>, tensor<2x4xf32>
  }) : (tensor<1xi1>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return %known, %twice, %again, %z : tensor<?x?xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}
