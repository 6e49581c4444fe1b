// Dynamic chains: a shared input, both kinds of weights, a convolution whose bias is reshaped in the graph, and a value that is also read as it is.
func.func @dynamic(%x: tensor<2x2xf32>, %image: tensor<1x2x3x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x2x2x2xf32>) {
  %"q_quantized" = "onnx.Constant"() {value = dense<[[-128, 127], [1, -127]]> : tensor<2x2xi8>} : () -> tensor<2x2xi8>
  %"q_scale" = "onnx.Constant"() {value = dense<[0.25, 0.5]> : tensor<2xf32>} : () -> tensor<2xf32>
  %"k_quantized" = "onnx.Constant"() {value = dense<[[0, 255], [130, 7]]> : tensor<2x2xui8>} : () -> tensor<2x2xui8>
  %"k_scale" = "onnx.Constant"() {value = dense<0.125> : tensor<f32>} : () -> tensor<f32>
  %"k_zero" = "onnx.Constant"() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %bias = "onnx.Constant"() {value = dense<[1.0, -1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %codes, %scale, %zero = "onnx.DynamicQuantizeLinear"(%x) {onnx_node_name = "d"} : (tensor<2x2xf32>) -> (tensor<2x2xui8>, tensor<f32>, tensor<ui8>)
  %qi = "onnx.MatMulInteger"(%codes, %"q_quantized", %zero) {onnx_node_name = "q_quant"} : (tensor<2x2xui8>, tensor<2x2xi8>, tensor<ui8>) -> tensor<2x2xi32>
  %qf = "onnx.Cast"(%qi) {onnx_node_name = "qc", to = 1} : (tensor<2x2xi32>) -> tensor<2x2xf32>
  %qs = "onnx.Mul"(%scale, %"q_scale") {onnx_node_name = "qs"} : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %qr = "onnx.Mul"(%qf, %qs) {onnx_node_name = "qr"} : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %q = "onnx.Add"(%qr, %bias) {onnx_node_name = "q_bias"} : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %ki = "onnx.MatMulInteger"(%codes, %"k_quantized", %zero, %"k_zero") {onnx_node_name = "k_quant"} : (tensor<2x2xui8>, tensor<2x2xui8>, tensor<ui8>, tensor<ui8>) -> tensor<2x2xi32>
  %kf = "onnx.Cast"(%ki) {onnx_node_name = "kc", to = 1} : (tensor<2x2xi32>) -> tensor<2x2xf32>
  %ks = "onnx.Mul"(%"k_scale", %kf) {onnx_node_name = "ks"} : (tensor<f32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %k = "onnx.Mul"(%ks, %scale) {onnx_node_name = "kr"} : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %back = "onnx.DequantizeLinear"(%codes, %scale, %zero) {onnx_node_name = "back"} : (tensor<2x2xui8>, tensor<f32>, tensor<ui8>) -> tensor<2x2xf32>
  %"f_quantized" = "onnx.Constant"() {value = dense<"0x0102FEFD7F81053040C00A0B0C0D0E0F"> : tensor<2x2x2x2xi8>} : () -> tensor<2x2x2x2xi8>
  %"f_scale" = "onnx.Constant"() {value = dense<0.03> : tensor<f32>} : () -> tensor<f32>
  %channels = "onnx.Constant"() {value = dense<[1, -1, 1, 1]> : tensor<4xi64>} : () -> tensor<4xi64>
  %ic, %is, %iz = "onnx.DynamicQuantizeLinear"(%image) {onnx_node_name = "i"} : (tensor<1x2x3x3xf32>) -> (tensor<1x2x3x3xui8>, tensor<f32>, tensor<ui8>)
  %ci = "onnx.ConvInteger"(%ic, %"f_quantized", %iz) {onnx_node_name = "c_quant"} : (tensor<1x2x3x3xui8>, tensor<2x2x2x2xi8>, tensor<ui8>) -> tensor<1x2x2x2xi32>
  %cf = "onnx.Cast"(%ci) {onnx_node_name = "cc", to = 1} : (tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xf32>
  %cs = "onnx.Mul"(%is, %"f_scale") {onnx_node_name = "cs"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %cr = "onnx.Mul"(%cf, %cs) {onnx_node_name = "cr"} : (tensor<1x2x2x2xf32>, tensor<f32>) -> tensor<1x2x2x2xf32>
  %spread = "onnx.Reshape"(%bias, %channels) {onnx_node_name = "spread"} : (tensor<2xf32>, tensor<4xi64>) -> tensor<1x2x1x1xf32>
  %c = "onnx.Add"(%cr, %spread) {onnx_node_name = "c_bias"} : (tensor<1x2x2x2xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x2x2xf32>
  onnx.Return %q, %k, %back, %c : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x2x2x2xf32>
}
