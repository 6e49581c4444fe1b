module attributes {quern.metadata = {sample.x = "0.5 1 1.5 2"}} {
  func.func @main(%x: tensor<2x2xf32> {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.5> : tensor<f32>, zero = dense<-8> : tensor<i8>}]}) -> (tensor<2x2xf32>) {
    %c = "onnx.Constant"() {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.5> : tensor<f32>, zero = dense<-8> : tensor<i8>}], value = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>} : () -> tensor<2x2xf32>
    %t = "onnx.Trilu"(%c) {onnx_node_name = "Trilu", quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.5> : tensor<f32>, zero = dense<-8> : tensor<i8>}]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %y = "onnx.Add"(%x, %t) {onnx_node_name = "Add", quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.5> : tensor<f32>, zero = dense<-8> : tensor<i8>}]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    onnx.Return %y : tensor<2x2xf32>
  }
}
