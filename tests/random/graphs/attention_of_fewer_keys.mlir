module attributes {quern.metadata = {sample.v_3 = "1.3339349031448364 0.39268460869789124 1.0487459897994995 0.8920016884803772", sample.v_6 = "-1.2290674448013306 -1.2218929529190063"}} {
  func.func @main(%v_3: tensor<1x2x2xf32>, %v_6: tensor<1x1x2xf32>) -> (tensor<1x2x2xf32>) {
    %c_5 = "onnx.Constant"() {value = dense<1.0> : tensor<1x1x2xf32>} : () -> tensor<1x1x2xf32>
    %v_7 = "com.microsoft.MultiHeadAttention"(%v_3, %v_6, %c_5) {num_heads = 2 : si64, onnx_node_name = "MultiHeadAttention_1", unidirectional = 1 : si64} : (tensor<1x2x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>) -> tensor<1x2x2xf32>
    onnx.Return %v_7 : tensor<1x2x2xf32>
  }
}
