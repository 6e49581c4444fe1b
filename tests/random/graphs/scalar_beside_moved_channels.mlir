module attributes {quern.metadata = {profile = "tflm", sample.x_1 = "-0.8925004601478577", sample.x_5 = "1.3733991384506226"}} {
  func.func @main(%x_1: tensor<1x1x1xf32> {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.011506471> : tensor<f32>, zero = dense<1> : tensor<i8>}]}, %x_5: tensor<f32> {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.005385879> : tensor<f32>, zero = dense<-128> : tensor<i8>}]}) -> (tensor<1x1x1xf32>) {
    %c_2 = "onnx.Constant"() {quern.encoding = [{storage = i8, qmin = -127, qmax = 127, axis = 0, scale = dense<[0.011878733]> : tensor<1xf32>, zero = dense<[0]> : tensor<1xi8>}], value = dense<[[[-105]]]> : tensor<1x1x1xi8>} : () -> tensor<1x1x1xf32>
    %v_4 = "onnx.Conv"(%x_1, %c_2) {onnx_node_name = "Conv_1", quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.028906733> : tensor<f32>, zero = dense<-60> : tensor<i8>}]} : (tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
    %v_11 = "onnx.Mul"(%v_4, %x_5) {onnx_node_name = "Mul", quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.03970048> : tensor<f32>, zero = dense<-60> : tensor<i8>}]} : (tensor<1x1x1xf32>, tensor<f32>) -> tensor<1x1x1xf32>
    onnx.Return %v_11 : tensor<1x1x1xf32>
  }
}
