module attributes {quern.metadata = {profile = "tflite", sample.v_1 = "1.4550443887710571"}} {
  func.func @main(%v_1: tensor<1x1xf32> {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.009327208> : tensor<f32>, zero = dense<-32> : tensor<i8>}]}) -> (tensor<2x1xf32>) {
    %c_1 = "onnx.Constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
    %v_2 = "onnx.CenterCropPad"(%v_1, %c_1) {onnx_node_name = "CenterCropPad", quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.009327208> : tensor<f32>, zero = dense<-32> : tensor<i8>}]} : (tensor<1x1xf32>, tensor<2xi64>) -> tensor<2x1xf32>
    onnx.Return %v_2 : tensor<2x1xf32>
  }
}
