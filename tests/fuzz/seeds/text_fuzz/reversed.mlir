// What only looks like nothing: a reversal keeps the shape, a Pad that cuts and adds keeps it as well.
func.func @reversed(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %start = "onnx.Constant"() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %end = "onnx.Constant"() {value = dense<-9223372036854775807> : tensor<1xi64>} : () -> tensor<1xi64>
  %axis = "onnx.Constant"() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %step = "onnx.Constant"() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %pads = "onnx.Constant"() {value = dense<[1, 0, -1, 0]> : tensor<4xi64>} : () -> tensor<4xi64>
  %back = "onnx.Slice"(%x, %start, %end, %axis, %step) {onnx_node_name = "back"} : (tensor<4x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4x3xf32>
  %moved = "onnx.Pad"(%back, %pads) {onnx_node_name = "moved"} : (tensor<4x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  onnx.Return %moved : tensor<4x3xf32>
}
