module attributes {quern.metadata = {profile = "tflm", sample.v = "-1.3239067792892456 0.9653487205505371 -0.9653487205505371 0.41372087597846985 0.13790695369243622 -0.5240464210510254 0.4688836634159088 -0.08274417370557785"}} {
  func.func @main(%v: tensor<2x1x4x1xf32> {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.027581392> : tensor<f32>, zero = dense<-8> : tensor<i8>}]}) -> (tensor<2x1x4x1xf32>) {
    %v_2 = "onnx.Round"(%v) {onnx_node_name = "Round"} : (tensor<2x1x4x1xf32>) -> tensor<2x1x4x1xf32>
    onnx.Return %v_2 : tensor<2x1x4x1xf32>
  }
}
