module attributes {quern.lineage = "3dd3bf324c015e453ed1becbead145a2"} {
  func.func @contrib_attention(%x: tensor<2x3x4xf32>) -> (tensor<2x3x2xf32>) {
    %w = "onnx.Constant"() {value = dense<"0x0000C03E0000003E00000000000080BE000040BE000000BF0000E0BE000000BF0000C0BE0000A03E0000403E0000E03E000000000000003E0000003F0000803E0000003E0000803D0000803D0000E03E000080BE0000A03E0000403E000000BF000000BE0000C03E0000803D000000BF0000A03E0000803E0000C03E0000C0BE0000E0BE0000C03E000000BF0000803D0000E0BE000040BE00000000000080BD000000BE000000BF000000BF0000C0BE000000BF0000403E000000000000403E"> : tensor<4x12xf32>} : () -> tensor<4x12xf32>
    %b = "onnx.Constant"() {value = dense<[-0.25, 0.125, 0.25, -0.125, -0.0625, 0.5, 0.3125, 0.5, -0.125, 0.1875, 0.5, 0.1875]> : tensor<12xf32>} : () -> tensor<12xf32>
    %v = "onnx.Constant"() {value = dense<"0x0000C03E0000403E0000403E000000BE0000C03E0000C0BE0000803D0000803E0000C03E00000000000000BE000040BE000080BD000000000000803E0000E03E0000E0BE0000E03E0000803D000000BE0000403E0000803D000080BE000040BE0000803E0000003E00000000000040BE0000803E000000BE000040BE0000E03E000080BE0000A0BE0000803E0000003E000000BF0000E0BE000000BE0000C03E"> : tensor<4x10xf32>} : () -> tensor<4x10xf32>
    %keys = "onnx.Constant"() {value = dense<[3, 2]> : tensor<2xi32>} : () -> tensor<2xi32>
    %a = "com.microsoft.Attention"(%x, %w, %b, %keys) {num_heads = 2 : si64, onnx_node_name = "masked"} : (tensor<2x3x4xf32>, tensor<4x12xf32>, tensor<12xf32>, tensor<2xi32>) -> tensor<2x3x4xf32>
    %y = "com.microsoft.Attention"(%a, %v) {num_heads = 2 : si64, onnx_node_name = "causal", qkv_hidden_sizes = [4, 4, 2], scale = 0.5 : f32, unidirectional = 1 : si64} : (tensor<2x3x4xf32>, tensor<4x10xf32>) -> tensor<2x3x2xf32>
    onnx.Return %y : tensor<2x3x2xf32>
  }
}
