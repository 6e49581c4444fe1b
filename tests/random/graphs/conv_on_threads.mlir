module attributes {quern.metadata = {profile = "one", sample.x_3 = "1.1482579708099365 -0.5415493845939636 1.4786994457244873 0.742548942565918 -1.227718472480774 -0.13513106107711792 -0.8997120261192322 -0.8897236585617065"}} {
  func.func @main(%x_3: tensor<2x1x1x4xf32>) -> (tensor<2x4x3x3xf32>) {
    %c_1 = "onnx.Constant"() {quern.encoding = [{storage = bf16, qmin = 0, qmax = 0, scale = dense<1.0> : tensor<f32>}], value = dense<0.91015625> : tensor<4x1x1x2xbf16>} : () -> tensor<4x1x1x2xf32>
    %v_2 = "onnx.Conv"(%x_3, %c_1) {onnx_node_name = "Conv", pads = [1, 0, 1, 0]} : (tensor<2x1x1x4xf32>, tensor<4x1x1x2xf32>) -> tensor<2x4x3x3xf32>
    onnx.Return %v_2 : tensor<2x4x3x3xf32>
  }
}
