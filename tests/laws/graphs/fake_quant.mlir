// TensorFlow's FAKE_QUANT spelled out, of data, of weights without the least code and of the result.
func.func @net(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %bottom = "onnx.Constant"() {value = dense<-1.0> : tensor<f32>} : () -> tensor<f32>
  %top = "onnx.Constant"() {value = dense<1.5> : tensor<f32>} : () -> tensor<f32>
  %scale = "onnx.Constant"() {value = dense<0.00980392168> : tensor<f32>} : () -> tensor<f32>
  %inverse = "onnx.Constant"() {value = dense<102.0> : tensor<f32>} : () -> tensor<f32>
  %half = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %wlow = "onnx.Constant"() {value = dense<-1.27> : tensor<f32>} : () -> tensor<f32>
  %whigh = "onnx.Constant"() {value = dense<1.27> : tensor<f32>} : () -> tensor<f32>
  %wscale = "onnx.Constant"() {value = dense<0.01> : tensor<f32>} : () -> tensor<f32>
  %winverse = "onnx.Constant"() {value = dense<100.0> : tensor<f32>} : () -> tensor<f32>
  %w = "onnx.Constant"() {value = dense<[[1.0, -2.0], [0.016, 0.3]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %x0 = "onnx.Clip"(%x, %bottom, %top) : (tensor<1x2xf32>, tensor<f32>, tensor<f32>) -> tensor<1x2xf32>
  %x1 = "onnx.Sub"(%x0, %bottom) : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
  %x2 = "onnx.Mul"(%x1, %inverse) : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
  %x3 = "onnx.Add"(%x2, %half) : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
  %x4 = "onnx.Floor"(%x3) : (tensor<1x2xf32>) -> tensor<1x2xf32>
  %x5 = "onnx.Mul"(%x4, %scale) : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
  %x6 = "onnx.Add"(%x5, %bottom) : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
  %w0 = "onnx.Clip"(%w, %wlow, %whigh) : (tensor<2x2xf32>, tensor<f32>, tensor<f32>) -> tensor<2x2xf32>
  %w1 = "onnx.Sub"(%w0, %wlow) : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %w2 = "onnx.Mul"(%w1, %winverse) : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %w3 = "onnx.Add"(%w2, %half) : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %w4 = "onnx.Floor"(%w3) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %w5 = "onnx.Mul"(%w4, %wscale) : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %w6 = "onnx.Add"(%w5, %wlow) : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %y = "onnx.MatMul"(%x6, %w6) {onnx_node_name = "product"} : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %y0 = "onnx.Clip"(%y, %bottom, %top) : (tensor<1x2xf32>, tensor<f32>, tensor<f32>) -> tensor<1x2xf32>
  %y1 = "onnx.Sub"(%y0, %bottom) : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
  %y2 = "onnx.Mul"(%y1, %inverse) : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
  %y3 = "onnx.Add"(%y2, %half) : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
  %y4 = "onnx.Floor"(%y3) : (tensor<1x2xf32>) -> tensor<1x2xf32>
  %y5 = "onnx.Mul"(%y4, %scale) : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
  %y6 = "onnx.Add"(%y5, %bottom) : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
  return %y6 : tensor<1x2xf32>
}
