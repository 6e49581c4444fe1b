module attributes {quern.lineage = "3f40f6ea4278169ce2effe7fd0477a1f"} {
  func.func @net(%x: tensor<1x8x4x4xf32>, %z: tensor<1x8x4x4xf32>) -> (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xi1>, tensor<1x1x4x4xf32>, tensor<1x8x8x8xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) {
    %none = "onnx.NoValue"() : () -> none
    %slope = "onnx.Constant"() {value = dense<0.25> : tensor<8x1x1xf32>} : () -> tensor<8x1x1xf32>
    %sizes = "onnx.Constant"() {value = dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32>} : () -> tensor<4xf32>
    %one = "onnx.Constant"() {quern.encoding = [{storage = ui8, qmin = 0, qmax = 255, scale = dense<0.003921569> : tensor<f32>, zero = dense<0> : tensor<ui8>}], value = dense<255> : tensor<ui8>} : () -> tensor<f32>
    %prod_axes = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %x_uint8 = "quern.Recode"(%x) {onnx_node_name = "x_uint8_Recode", quern.encoding = [{storage = ui8, qmin = 0, qmax = 255, scale = dense<0.007813201> : tensor<f32>, zero = dense<127> : tensor<ui8>}]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %size = "onnx.Abs"(%x_uint8) {onnx_node_name = "size", quern.encoding = [{storage = ui8, qmin = 0, qmax = 255, scale = dense<0.003911981> : tensor<f32>, zero = dense<0> : tensor<ui8>}]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %above = "onnx.Add"(%size, %one) {onnx_node_name = "above", quern.encoding = [{storage = ui8, qmin = 0, qmax = 255, scale = dense<0.00783355> : tensor<f32>, zero = dense<0> : tensor<ui8>}]} : (tensor<1x8x4x4xf32>, tensor<f32>) -> tensor<1x8x4x4xf32>
    %z_uint8 = "quern.Recode"(%z) {onnx_node_name = "z_uint8_Recode", quern.encoding = [{storage = ui8, qmin = 0, qmax = 255, scale = dense<0.00781661> : tensor<f32>, zero = dense<128> : tensor<ui8>}]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %product = "onnx.Mul"(%x_uint8, %z_uint8) {onnx_node_name = "product", quern.encoding = [{storage = ui8, qmin = 0, qmax = 255, scale = dense<0.007699228> : tensor<f32>, zero = dense<128> : tensor<ui8>}]} : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %quotient = "onnx.Div"(%z_uint8, %above) {onnx_node_name = "quotient", quern.encoding = [{storage = ui8, qmin = 0, qmax = 255, scale = dense<0.0070789265> : tensor<f32>, zero = dense<132> : tensor<ui8>}]} : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %less = "onnx.Less"(%x, %z) {onnx_node_name = "less"} : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xi1>
    %prod = "onnx.ReduceProd"(%above, %prod_axes) {keepdims = 1 : si64, onnx_node_name = "prod", quern.encoding = [{storage = ui8, qmin = 0, qmax = 255, scale = dense<0.24102621> : tensor<f32>, zero = dense<0> : tensor<ui8>}]} : (tensor<1x8x4x4xf32>, tensor<1xi64>) -> tensor<1x1x4x4xf32>
    %wide = "onnx.Resize"(%x, %none, %sizes) {coordinate_transformation_mode = "half_pixel", mode = "linear", onnx_node_name = "wide"} : (tensor<1x8x4x4xf32>, none, tensor<4xf32>) -> tensor<1x8x8x8xf32>
    %slopes = "onnx.PRelu"(%x_uint8, %slope) {onnx_node_name = "slopes", quern.encoding = [{storage = ui8, qmin = 0, qmax = 255, scale = dense<0.004887286> : tensor<f32>, zero = dense<51> : tensor<ui8>}]} : (tensor<1x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<1x8x4x4xf32>
    %root = "onnx.Sqrt"(%above) {onnx_node_name = "root", quern.encoding = [{storage = ui8, qmin = 0, qmax = 255, scale = dense<0.0055425446> : tensor<f32>, zero = dense<0> : tensor<ui8>}]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %inverse = "onnx.Reciprocal"(%root) {onnx_node_name = "inverse", quern.encoding = [{storage = ui8, qmin = 0, qmax = 255, scale = dense<0.0039201663> : tensor<f32>, zero = dense<0> : tensor<ui8>}]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %leaky = "onnx.LeakyRelu"(%x_uint8) {alpha = 0.1 : f32, onnx_node_name = "leaky", quern.encoding = [{storage = ui8, qmin = 0, qmax = 255, scale = dense<0.004302103> : tensor<f32>, zero = dense<23> : tensor<ui8>}]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %sum = "onnx.Add"(%leaky, %z_uint8) {onnx_node_name = "sum", quern.encoding = [{storage = ui8, qmin = 0, qmax = 255, scale = dense<0.011551993> : tensor<f32>, zero = dense<94> : tensor<ui8>}]} : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %shares = "onnx.Softmax"(%x_uint8) {axis = -1 : si64, onnx_node_name = "shares", quern.encoding = [{storage = ui8, qmin = 0, qmax = 255, scale = dense<0.003921569> : tensor<f32>, zero = dense<0> : tensor<ui8>}]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    onnx.Return %product, %quotient, %less, %prod, %wide, %slopes, %inverse, %shares, %sum : tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xi1>, tensor<1x1x4x4xf32>, tensor<1x8x8x8xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>
  }
}
