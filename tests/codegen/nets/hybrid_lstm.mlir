module attributes {quern.metadata = {profile = "tflite"}} {
  func.func @main(%x: tensor<5x1x4xf32>) -> tensor<5x1x1x3xf32> {
    %w = "onnx.Constant"() {quern.encoding = [{storage = i8, qmin = -127, qmax = 127, axis = 1, scale = dense<[0.0059, 0.00835, 0.00696, 0.00883, 0.00901, 0.00452, 0.00411, 0.0107, 0.00607, 0.00587, 0.012, 0.00776]> : tensor<12xf32>, zero = dense<0> : tensor<12xi8>}], value = dense<"0x570DFAE6245DA7BC23A75F6E06E43E842C4791A94376188BCE4888535EC5FA19396C61E4374A6CEEE63B4E14F27770A3"> : tensor<1x12x4xi8>} : () -> tensor<1x12x4xf32>
    %r = "onnx.Constant"() {quern.encoding = [{storage = i8, qmin = -127, qmax = 127, scale = dense<0.008> : tensor<f32>, zero = dense<0> : tensor<i8>}], value = dense<"0x61DE998AA3FFB8C3782DF048215BCEEC0256E313DA0916E916BC68D72F6B6E885CC87E1C"> : tensor<1x12x3xi8>} : () -> tensor<1x12x3xf32>
    %b = "onnx.Constant"() {value = dense<[[0.343, -0.674, 0.721, 0.929, 0.809, 0.138, 0.428, -0.578, 0.663, 0.147, -0.43, -0.873, 0.708, 0.98, -0.823, 0.601, -0.179, -0.698, -0.412, 0.538, 0.746, -0.912, 0.229, -0.91]]> : tensor<1x24xf32>} : () -> tensor<1x24xf32>
    %y = "onnx.LSTM"(%x, %w, %r, %b) {hidden_size = 3 : si64, onnx_node_name = "lstm"} : (tensor<5x1x4xf32>, tensor<1x12x4xf32>, tensor<1x12x3xf32>, tensor<1x24xf32>) -> tensor<5x1x1x3xf32>
    onnx.Return %y : tensor<5x1x1x3xf32>
  }
}
