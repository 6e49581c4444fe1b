module attributes {quern.metadata = {sample.v_2 = "0.6512842178344727"}} {
  func.func @main(%v_2: tensor<1x1x1xf32>) -> (tensor<1x1x1xi1>) {
    %v_6 = "onnx.IsInf"(%v_2) {detect_negative = 0 : si64, detect_positive = 0 : si64, onnx_node_name = "IsInf_1"} : (tensor<1x1x1xf32>) -> tensor<1x1x1xi1>
    onnx.Return %v_6 : tensor<1x1x1xi1>
  }
}
