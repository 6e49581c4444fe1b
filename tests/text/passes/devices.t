Nodes of different devices are not fused; what is fused runs on the device that any of its nodes names.

$ cat > norm.mlir <<'E'
+ %l = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
+ %e = "onnx.Constant"() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
+ %g = "onnx.Constant"() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
+ %m = "onnx.ReduceMean"(%x, %l) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
+ %d = "onnx.Sub"(%x, %m) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
+ %s = "onnx.Mul"(%d, %d) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
+ %v = "onnx.ReduceMean"(%s, %l) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
+ %p = "onnx.Add"(%v, %e) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
+ %r = "onnx.Sqrt"(%p) {device = "cpu"} : (tensor<2x1xf32>) -> tensor<2x1xf32>
+ %n = "onnx.Div"(%d, %r) {device = "DIV"} : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
+ %y = "onnx.Mul"(%n, %g) {device = "MUL"} : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
+ E
$ fused() { sed "s/DIV/$1/; s/MUL/$2/" norm.mlir | model-convert - --passes fuse_layernorm -f text | grep -o '"onnx[.][A-Z].* {\|device = "[a-z]*"' | grep -v Constant | cut -d'(' -f1 | xargs; }; fused "" ""; fused cpu nnpa; fused nnpa nnpa
> onnx.LayerNormalization device = cpu
> onnx.LayerNormalization device = cpu onnx.Mul device = nnpa
> onnx.ReduceMean onnx.Sub onnx.Mul onnx.ReduceMean onnx.Add onnx.Sqrt device = cpu onnx.Div device = nnpa onnx.Mul device = nnpa

$ cat > gelu.mlir <<'E'
+ %k = "onnx.Constant"() {value = dense<1.4142135> : tensor<f32>} : () -> tensor<f32>
+ %h = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
+ %o = "onnx.Constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
+ %a = "onnx.Div"(%x, %k) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
+ %b = "onnx.Erf"(%a) {device = "cpu"} : (tensor<4xf32>) -> tensor<4xf32>
+ %c = "onnx.Add"(%b, %o) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
+ %d = "onnx.Mul"(%x, %c) {device = "DEVICE"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
+ %y = "onnx.Mul"(%d, %h) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
+ E
$ sed 's/DEVICE/cpu/' gelu.mlir | model-convert - --passes fuse_gelu -f text | grep Gelu
>     %y = "onnx.Gelu"(%x) {device = "cpu", onnx_node_name = "Mul_4"} : (tensor<4xf32>) -> tensor<4xf32>
$ sed 's/DEVICE/nnpa/' gelu.mlir | model-convert - --passes fuse_gelu -f text | grep -c 'Gelu\|Erf'
> 1

A change of encoding that is made of QuantizeLinear and DequantizeLinear runs where its neighbour does.

$ cat > qdq.mlir <<'E'
+ %s = "onnx.Constant"() {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
+ %z = "onnx.Constant"() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
+ %a = "onnx.Relu"(%x) {device = "ref"} : (tensor<4xf32>) -> tensor<4xf32>
+ %q = "onnx.QuantizeLinear"(%a, %s, %z) : (tensor<4xf32>, tensor<f32>, tensor<i8>) -> tensor<4xi8>
+ %d = "onnx.DequantizeLinear"(%q, %s, %z) : (tensor<4xi8>, tensor<f32>, tensor<i8>) -> tensor<4xf32>
+ %b = "onnx.Abs"(%d) : (tensor<4xf32>) -> tensor<4xf32>
+ %y = "onnx.Add"(%b, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
+ E
$ model-convert qdq.mlir --passes fold_qdq -f text | grep Recode
>     %d = "quern.Recode"(%a) {device = "ref", onnx_node_name = "DequantizeLinear_2", quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.1> : tensor<f32>, zero = dense<0> : tensor<i8>}]} : (tensor<4xf32>) -> tensor<4xf32>
