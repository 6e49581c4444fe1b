module attributes {quern.metadata = {sample.x_1_nhwc = "-1.0917338132858276 0.319571852684021"}} {
  func.func @main(%x_1_nhwc: tensor<1x2x1xf32>) -> (tensor<1x3x2xf32>) {
    %c_2 = "onnx.Constant"() {quern.permutation = [[0, 2, 1]], value = dense<-1.4410911> : tensor<2x2x1xf32>} : () -> tensor<2x2x1xf32>
    %v_2 = "onnx.Conv"(%x_1_nhwc, %c_2) {layout = "NHWC", onnx_node_name = "Conv_1", pads = [1, 1], quern.permutation = [[0, 2, 1]]} : (tensor<1x2x1xf32>, tensor<2x2x1xf32>) -> tensor<1x3x2xf32>
    onnx.Return %v_2 : tensor<1x3x2xf32>
  }
}
