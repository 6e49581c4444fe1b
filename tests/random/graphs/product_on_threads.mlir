module attributes {quern.metadata = {sample.x = "-0.15629661083221436 0.7678341865539551 0.11452939361333847 -1.0003414154052734 0.2544811964035034 0.02247684821486473 1.0991153717041016 0.21310876309871674 -1.0013529062271118 -0.27062299847602844 -0.4479009211063385 -0.26154711842536926"}} {
  func.func @main(%x: tensor<2x2x3xf32>) -> (tensor<2x2x1xf32>) {
    %c = "onnx.Constant"() {value = dense<-0.8297244> : tensor<2x3x1xf32>} : () -> tensor<2x3x1xf32>
    %v = "onnx.MatMul"(%x, %c) {onnx_node_name = "MatMul"} : (tensor<2x2x3xf32>, tensor<2x3x1xf32>) -> tensor<2x2x1xf32>
    onnx.Return %v : tensor<2x2x1xf32>
  }
}
