// Weights as GGUF holds those that are not quantized: a table whose rows are looked up, and matrices.
func.func @float_blocks(%ids: tensor<3xi64>) -> (tensor<3x5xf32>) {
  %table = "onnx.Constant"() {quern.encoding = [{format = "f16", axis = 1}], value = dense<"0xDE33BD37B938143BAD37C23A89BB66AC183BC4346A3A30BAEBAB0EB89A2DBB30CABB88B80EB7A93A403872B9C138C8B98433F9B9F9BBF139A6B88DB8B83BF539"> : tensor<8x8xui8>} : () -> tensor<8x4xf32>
  %weights = "onnx.Constant"() {quern.encoding = [{format = "bf16", axis = 0}], value = dense<"0xD7BE6C3FA03DB63E17BF613FC33E6E3F493FCEBE8EBE2BBF35BF5EBFCBBE533E7EBFB63EA5BEC2BE"> : tensor<5x8xui8>} : () -> tensor<4x5xf32>
  %more = "onnx.Constant"() {quern.encoding = [{format = "f32", axis = 0}], value = dense<"0xCD14233F45BC1DBDBBA0BCBEE6DB19BDC994D13EC6D062BF4040733FF74A74BF44CAFF3E3A94303FDABF76BF6F52133FF00689BE7BCE203E145A7BBF621368BF855E23BF570D693F83611BBFE2EF023FC8FB5B3F9253623F605A9FBE17B194BE795B4A3D"> : tensor<5x20xui8>} : () -> tensor<5x5xf32>
  %rows = "onnx.Gather"(%table, %ids) {onnx_node_name = "rows", axis = 0} : (tensor<8x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  %product = "onnx.MatMul"(%rows, %weights) {onnx_node_name = "product"} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %last = "onnx.MatMul"(%product, %more) {onnx_node_name = "last"} : (tensor<3x5xf32>, tensor<5x5xf32>) -> tensor<3x5xf32>
  onnx.Return %last : tensor<3x5xf32>
}
