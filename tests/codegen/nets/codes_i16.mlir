module attributes {quern.metadata = {profile = "tflite", tflite.version = "3"}} {
  func.func @net(%x: tensor<1x8x4x4xf32>, %z: tensor<1x8x4x4xf32>) -> (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xi1>, tensor<1x1x4x4xf32>, tensor<1x8x8x8xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) {
    %none = "onnx.NoValue"() : () -> none
    %one = "onnx.Constant"() {quern.encoding = [{storage = i16, qmin = -32768, qmax = 32767, scale = dense<3.051851e-05> : tensor<f32>}], value = dense<32767> : tensor<i16>} : () -> tensor<f32>
    %"prod/axes" = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %"wide_nhwc_inner/int64" = "onnx.Constant"() {value = dense<8> : tensor<2xi64>} : () -> tensor<2xi64>
    %slope_1 = "onnx.Constant"() {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.0009803922> : tensor<f32>, zero = dense<-128> : tensor<i8>}], value = dense<127> : tensor<8x1x1xi8>} : () -> tensor<8x1x1xf32>
    %"inverse/real/one" = "onnx.Constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %x_int16 = "quern.Recode"(%x) {onnx_node_name = "x_int16", quern.encoding = [{storage = i16, qmin = -32768, qmax = 32767, scale = dense<6.0887793e-05> : tensor<f32>}]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %size = "onnx.Abs"(%x_int16) {onnx_node_name = "size", quern.encoding = [{storage = i16, qmin = -32768, qmax = 32767, scale = dense<6.0887793e-05> : tensor<f32>}]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %above = "onnx.Add"(%size, %one) {onnx_node_name = "above", quern.encoding = [{storage = i16, qmin = -32768, qmax = 32767, scale = dense<0.00012192481> : tensor<f32>}]} : (tensor<1x8x4x4xf32>, tensor<f32>) -> tensor<1x8x4x4xf32>
    %z_int16 = "quern.Recode"(%z) {onnx_node_name = "z_int16", quern.encoding = [{storage = i16, qmin = -32768, qmax = 32767, scale = dense<6.0917922e-05> : tensor<f32>}]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %product = "onnx.Mul"(%x_int16, %z_int16) {onnx_node_name = "product", quern.encoding = [{storage = i16, qmin = -32768, qmax = 32767, scale = dense<6.001825e-05> : tensor<f32>}]} : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %quotient = "onnx.Div"(%z_int16, %above) {onnx_node_name = "quotient", quern.encoding = [{storage = i16, qmin = -32768, qmax = 32767, scale = dense<5.684989e-05> : tensor<f32>}]} : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %less = "onnx.Less"(%x, %z) {onnx_node_name = "less"} : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xi1>
    %prod = "onnx.ReduceProd"(%above, %"prod/axes") {keepdims = 1 : si64, noop_with_empty_axes = 1 : si64, onnx_node_name = "prod", quern.encoding = [{storage = i16, qmin = -32768, qmax = 32767, scale = dense<0.0037514379> : tensor<f32>}]} : (tensor<1x8x4x4xf32>, tensor<1xi64>) -> tensor<1x1x4x4xf32>
    %x_nhwc = "onnx.Transpose"(%x) {onnx_node_name = "x_nhwc", perm = [0, 2, 3, 1]} : (tensor<1x8x4x4xf32>) -> tensor<1x4x4x8xf32>
    %wide_nhwc_inner = "onnx.Resize"(%x_nhwc, %none, %none, %"wide_nhwc_inner/int64") {axes = [1, 2], coordinate_transformation_mode = "half_pixel", mode = "linear", onnx_node_name = "wide_nhwc_inner"} : (tensor<1x4x4x8xf32>, none, none, tensor<2xi64>) -> tensor<1x8x8x8xf32>
    %slopes = "onnx.PRelu"(%x_int16, %slope_1) {onnx_node_name = "slopes", quern.encoding = [{storage = i16, qmin = -32768, qmax = 32767, scale = dense<6.0887793e-05> : tensor<f32>}]} : (tensor<1x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<1x8x4x4xf32>
    %root = "onnx.Sqrt"(%above) {onnx_node_name = "root", quern.encoding = [{storage = i16, qmin = -32768, qmax = 32767, scale = dense<8.6266606e-05> : tensor<f32>}]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %"root/real" = "quern.Recode"(%root) {onnx_node_name = "root/real"} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %"inverse/real" = "onnx.Div"(%"inverse/real/one", %"root/real") {onnx_node_name = "inverse/real"} : (tensor<f32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %inverse = "quern.Recode"(%"inverse/real") {onnx_node_name = "inverse", quern.encoding = [{storage = i16, qmin = -32768, qmax = 32767, scale = dense<6.101519e-05> : tensor<f32>}]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %leaky = "onnx.LeakyRelu"(%x_int16) {alpha = 0.1 : f32, onnx_node_name = "leaky", quern.encoding = [{storage = i16, qmin = -32768, qmax = 32767, scale = dense<6.0887793e-05> : tensor<f32>}]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %sum = "onnx.Add"(%leaky, %z_int16) {onnx_node_name = "sum", quern.encoding = [{storage = i16, qmin = -32768, qmax = 32767, scale = dense<0.00011319003> : tensor<f32>}]} : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %shares = "onnx.Softmax"(%x_int16) {axis = -1 : si64, onnx_node_name = "shares", quern.encoding = [{storage = i16, qmin = -32768, qmax = 32767, scale = dense<3.0517578e-05> : tensor<f32>}]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %wide = "onnx.Transpose"(%wide_nhwc_inner) {onnx_node_name = "wide", perm = [0, 3, 1, 2]} : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    onnx.Return %product, %quotient, %less, %prod, %wide, %slopes, %inverse, %shares, %sum : tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xi1>, tensor<1x1x4x4xf32>, tensor<1x8x8x8xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>
  }
}
