module attributes {quern.facts = {ranges = "{\"a\": 1}"}, quern.lineage = "00ff", quern.metadata = {"a key" = "b\0Ac"}} {
  func.func @main(%x: tensor<?{batch}x2xf32> {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.5> : tensor<f32>, zero = dense<3> : tensor<i8>}]}, %"b/c d": tensor<i1>, %s: !onnx.Seq<tensor<*xf32>>, %o: !onnx.Opt<tensor<?x?{"a b"}xi64>>) -> (tensor<?{batch}x2xf32>, tensor<2xf32>) {
    %none = "onnx.NoValue"() : () -> none
    %w = "onnx.Constant"() {quern.encoding = [{storage = i4, real = f16, qmin = -8, qmax = 7, axis = 1, scale = dense<[0.5, 1.5]> : tensor<2xf16>}], quern.permutation = [[1, 0]], value = dense<[[-8, 7], [0, 1]]> : tensor<2x2xi4>} : () -> tensor<2x2xf32>
    %nan = "onnx.Constant"() {value = dense<"0x0000C07F0000807F"> : tensor<2xf32>} : () -> tensor<2xf32>
    %t = "onnx.Constant"() {value = dense<["a\"", "\FF"]> : tensor<2x!onnx.String>} : () -> tensor<2x!onnx.String>
    %0, %none_1 = "my.domain.Op.with.dots"(%x, %none, %w) {device = "npu", floats = [1.0, -0.0, 0x7F800000], no_ints = array<i64>, no_texts = array<!onnx.String>, onnx_node_name = "n/1", quern.attr.device = "theirs", quern.domain = "my.domain", quern.internal = {gate = {kind = "dynamic", storage = ui8, qmin = 0, qmax = 255}}, quern.permutation = [[1, 0], []], quern.scope = "/enc/", quern.version = 7 : si64, t = dense<1> : tensor<3xi64>, ty = tensor<?xf32>} : (tensor<?{batch}x2xf32>, none, tensor<2x2xf32>) -> (tensor<?{batch}x2xf32>, none)
    %1 = "onnx.If"(%"b/c d") ({
      %inner = "quern.Capture"(%nan) : (tensor<2xf32>) -> tensor<2xf32>
      onnx.Yield %inner : tensor<2xf32>
    }, {
    ^"a body"():
      %2 = "onnx.Relu"(%nan) {onnx_node_name = "r"} : (tensor<2xf32>) -> tensor<2xf32>
      onnx.Yield %2 : tensor<2xf32>
    }) {onnx_node_name = "if"} : (tensor<i1>) -> tensor<2xf32>
    onnx.Return %0, %1 : tensor<?{batch}x2xf32>, tensor<2xf32>
  }
}
