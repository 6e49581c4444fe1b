module attributes {quern.lineage = "90dc99373feafe46e63ff77e437fe431"} {
  func.func @segment(%x: tensor<1x5x9x8xf32>) -> (tensor<1x20x17xi64>, tensor<1x5x11xi64>, tensor<1x5x3x5xf32>, tensor<1x5x3x5xi64>, tensor<1x5x6x5xf32>) {
    %none = "onnx.NoValue"() : () -> none
    %up = "onnx.Constant"() {value = dense<[1, 5, 20, 17]> : tensor<4xi64>} : () -> tensor<4xi64>
    %back = "onnx.Constant"() {value = dense<[7, 11]> : tensor<2xi64>} : () -> tensor<2xi64>
    %down = "onnx.Constant"() {value = dense<[1, 5, 6, 5]> : tensor<4xi64>} : () -> tensor<4xi64>
    %three = "onnx.Constant"() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
    %a = "onnx.Relu"(%x) {onnx_node_name = "a"} : (tensor<1x5x9x8xf32>) -> tensor<1x5x9x8xf32>
    %b = "onnx.Resize"(%a, %none, %none, %up) {coordinate_transformation_mode = "half_pixel", mode = "linear", onnx_node_name = "b"} : (tensor<1x5x9x8xf32>, none, none, tensor<4xi64>) -> tensor<1x5x20x17xf32>
    %c = "onnx.Resize"(%b, %none, %none, %back) {axes = [3, 2], coordinate_transformation_mode = "align_corners", mode = "linear", onnx_node_name = "c"} : (tensor<1x5x20x17xf32>, none, none, tensor<2xi64>) -> tensor<1x5x11x7xf32>
    %d = "onnx.Resize"(%b, %none, %none, %down) {antialias = 1 : si64, mode = "cubic", onnx_node_name = "d"} : (tensor<1x5x20x17xf32>, none, none, tensor<4xi64>) -> tensor<1x5x6x5xf32>
    %e = "onnx.Resize"(%x, %none, %none, %down) {antialias = 1 : si64, axes = [0, 1, 2, 3], mode = "linear", onnx_node_name = "e"} : (tensor<1x5x9x8xf32>, none, none, tensor<4xi64>) -> tensor<1x5x6x5xf32>
    %y0 = "onnx.ArgMax"(%b) {axis = 1 : si64, keepdims = 0 : si64, onnx_node_name = "y0"} : (tensor<1x5x20x17xf32>) -> tensor<1x20x17xi64>
    %y1 = "onnx.ArgMin"(%c) {axis = 3 : si64, keepdims = 0 : si64, onnx_node_name = "y1", select_last_index = 1 : si64} : (tensor<1x5x11x7xf32>) -> tensor<1x5x11xi64>
    %y2, %y3 = "onnx.TopK"(%d, %three) {axis = 2 : si64, largest = 0 : si64, onnx_node_name = "y2"} : (tensor<1x5x6x5xf32>, tensor<1xi64>) -> (tensor<1x5x3x5xf32>, tensor<1x5x3x5xi64>)
    onnx.Return %y0, %y1, %y2, %y3, %e : tensor<1x20x17xi64>, tensor<1x5x11xi64>, tensor<1x5x3x5xf32>, tensor<1x5x3x5xi64>, tensor<1x5x6x5xf32>
  }
}
