// PyTorch's fake quantization spelled out, of data (3 bits, so that a Clip stays), of weights by channel and of the result of a Relu.
func.func @net(%x: tensor<1x1x2x2xf32>) -> tensor<1x2x2x2xf32> {
  %least = "onnx.Constant"() {value = dense<-4.0> : tensor<f32>} : () -> tensor<f32>
  %most = "onnx.Constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %narrow = "onnx.Constant"() {value = dense<-127.0> : tensor<f32>} : () -> tensor<f32>
  %top = "onnx.Constant"() {value = dense<127.0> : tensor<f32>} : () -> tensor<f32>
  %none = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %xs = "onnx.Constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %xz = "onnx.Constant"() {value = dense<-1.0> : tensor<f32>} : () -> tensor<f32>
  %ws = "onnx.Constant"() {value = dense<[[[[0.01]]], [[[0.03]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
  %w = "onnx.Constant"() {value = dense<[[[[1.004]]], [[[-4.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
  %ys = "onnx.Constant"() {value = dense<0.0078125> : tensor<f32>} : () -> tensor<f32>
  %x0 = "onnx.Div"(%x, %xs) : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x2x2xf32>
  %x1 = "onnx.Round"(%x0) : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  %x2 = "onnx.Add"(%x1, %xz) : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x2x2xf32>
  %x3 = "onnx.Clip"(%x2, %least, %most) : (tensor<1x1x2x2xf32>, tensor<f32>, tensor<f32>) -> tensor<1x1x2x2xf32>
  %x4 = "onnx.Sub"(%x3, %xz) : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x2x2xf32>
  %x5 = "onnx.Mul"(%x4, %xs) : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x2x2xf32>
  %w0 = "onnx.Div"(%w, %ws) : (tensor<2x1x1x1xf32>, tensor<2x1x1x1xf32>) -> tensor<2x1x1x1xf32>
  %w1 = "onnx.Round"(%w0) : (tensor<2x1x1x1xf32>) -> tensor<2x1x1x1xf32>
  %w2 = "onnx.Clip"(%w1, %narrow, %top) : (tensor<2x1x1x1xf32>, tensor<f32>, tensor<f32>) -> tensor<2x1x1x1xf32>
  %w3 = "onnx.Mul"(%w2, %ws) : (tensor<2x1x1x1xf32>, tensor<2x1x1x1xf32>) -> tensor<2x1x1x1xf32>
  %c = "onnx.Conv"(%x5, %w3) : (tensor<1x1x2x2xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x2x2xf32>
  %r = "onnx.Relu"(%c) : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %y0 = "onnx.Div"(%r, %ys) : (tensor<1x2x2x2xf32>, tensor<f32>) -> tensor<1x2x2x2xf32>
  %y1 = "onnx.Round"(%y0) : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %y2 = "onnx.Clip"(%y1, %none, %top) : (tensor<1x2x2x2xf32>, tensor<f32>, tensor<f32>) -> tensor<1x2x2x2xf32>
  %y3 = "onnx.Mul"(%y2, %ys) : (tensor<1x2x2x2xf32>, tensor<f32>) -> tensor<1x2x2x2xf32>
  return %y3 : tensor<1x2x2x2xf32>
}
