module attributes {quern.metadata = {sample.x_1_int8 = "-0.9685823917388916 1.3770207166671753 0.886894702911377 -0.9335733652114868"}} {
  func.func @main(%x_1_int8: tensor<2x1x1x2xf32> {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.011669667> : tensor<f32>, zero = dense<-1> : tensor<i8>}]}) -> (tensor<2x1x1x2xf32>) {
    %v_1 = "onnx.Trilu"(%x_1_int8) {onnx_node_name = "Trilu", quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.011669667> : tensor<f32>, zero = dense<-1> : tensor<i8>}], upper = 0 : si64} : (tensor<2x1x1x2xf32>) -> tensor<2x1x1x2xf32>
    onnx.Return %v_1 : tensor<2x1x1x2xf32>
  }
}
