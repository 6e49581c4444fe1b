module attributes {quern.metadata = {sample.x_1 = "2"}} {
  func.func @main(%x_1: tensor<1x1xi64>) -> (tensor<1x1xi64>) {
    %v_1 = "ai.onnx.ml.LabelEncoder"(%x_1) {default_float = -0.0 : f32, keys_int64s = [1, 2, 3], onnx_node_name = "LabelEncoder", values_int64s = [4, 5, 6]} : (tensor<1x1xi64>) -> tensor<1x1xi64>
    onnx.Return %v_1 : tensor<1x1xi64>
  }
}
