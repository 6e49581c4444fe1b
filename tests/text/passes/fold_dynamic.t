A dynamic chain as others write it: two integer products of one quantized input, the scales met in different orders, and a bias.
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
+   %"q_quantized" = "onnx.Constant"() {value = dense<[[-128, 127], [1, -127]]> : tensor<2x2xi8>} : () -> tensor<2x2xi8>
+   %"q_scale" = "onnx.Constant"() {value = dense<[0.25, 0.5]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %"k_quantized" = "onnx.Constant"() {value = dense<[[0, 255], [130, 7]]> : tensor<2x2xui8>} : () -> tensor<2x2xui8>
+   %"k_scale" = "onnx.Constant"() {value = dense<0.125> : tensor<f32>} : () -> tensor<f32>
+   %"k_zero" = "onnx.Constant"() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
+   %bias = "onnx.Constant"() {value = dense<[1.0, -1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %codes, %scale, %zero = "onnx.DynamicQuantizeLinear"(%x) {onnx_node_name = "d"} : (tensor<2x2xf32>) -> (tensor<2x2xui8>, tensor<f32>, tensor<ui8>)
+   %qi = "onnx.MatMulInteger"(%codes, %"q_quantized", %zero) {onnx_node_name = "q_quant"} : (tensor<2x2xui8>, tensor<2x2xi8>, tensor<ui8>) -> tensor<2x2xi32>
+   %qf = "onnx.Cast"(%qi) {onnx_node_name = "qc", to = 1} : (tensor<2x2xi32>) -> tensor<2x2xf32>
+   %qs = "onnx.Mul"(%scale, %"q_scale") {onnx_node_name = "qs"} : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
+   %qr = "onnx.Mul"(%qf, %qs) {onnx_node_name = "qr"} : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
+   %q = "onnx.Add"(%qr, %bias) {onnx_node_name = "q_bias"} : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
+   %ki = "onnx.MatMulInteger"(%codes, %"k_quantized", %zero, %"k_zero") {onnx_node_name = "k_quant"} : (tensor<2x2xui8>, tensor<2x2xui8>, tensor<ui8>, tensor<ui8>) -> tensor<2x2xi32>
+   %kf = "onnx.Cast"(%ki) {onnx_node_name = "kc", to = 1} : (tensor<2x2xi32>) -> tensor<2x2xf32>
+   %ks = "onnx.Mul"(%"k_scale", %kf) {onnx_node_name = "ks"} : (tensor<f32>, tensor<2x2xf32>) -> tensor<2x2xf32>
+   %k = "onnx.Mul"(%ks, %scale) {onnx_node_name = "kr"} : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
+   return %q, %k : tensor<2x2xf32>, tensor<2x2xf32>
+ }
+ END
$ model-convert net.mlir --passes none -o net.onnx

Its encodings are said, and it is two plain products where a format has encodings.
$ model-info net.onnx | grep -A2 encodings
> encodings   int8 per channel                     1
>             uint8                                1
>             uint8 dynamic                        1
$ model-info net.onnx --json | python3 -c "import json, sys; print(json.load(sys.stdin)['encodings'])"
> {'int8 per channel': 1, 'uint8': 1, 'uint8 dynamic': 1}
$ model-convert net.onnx -o net.qn && model-info net.qn | grep -A8 operators
> operators   Add                                  1
>             MatMul                               2
>             quern.Recode                         1
> parameters  10 (16 bytes)
> weights     float32                              2
>             int8                                 4
>             uint8                                4
> MACs        24
> encodings   int8 per channel                     1
$ model-convert net.onnx -f text | grep "MatMul\|Recode"
>     %x_dynamic = "quern.Recode"(%x) {onnx_node_name = "x_dynamic_Recode", quern.encoding = [{kind = "dynamic", storage = ui8, qmin = 0, qmax = 255}]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
>     %qr = "onnx.MatMul"(%x_dynamic, %q_weights) {onnx_node_name = "q"} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
>     %k = "onnx.MatMul"(%x_dynamic, %k_weights) {onnx_node_name = "k"} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>

An ONNX file keeps its chain; a native one is written as a chain again.
$ model-convert net.onnx -o same.onnx && model-info same.onnx | grep -c "DynamicQuantizeLinear\|MatMulInteger"
> 2
$ model-convert net.qn -o back.onnx && model-info back.onnx | grep -A7 operators
> operators   Add                                  1
>             Cast                                 2
>             DynamicQuantizeLinear                1
>             MatMulInteger                        2
>             Mul                                  4
> parameters  14 (29 bytes)
> weights     float32                              5
>             int8                                 4

All of them run on codes by themselves and give the same numbers.
$ run net.onnx --random 1 -o net.npz --format npz -q
$ for m in net.onnx same.onnx net.qn back.onnx; do run $m --random 1 --mode int -o $m.npz --format npz; cmp $m.npz net.npz; done

A constant cannot be dynamic.
$ model-convert net.qn -f text | sed 's/quern.encoding = \[{storage = ui8, [^}]*}\]/quern.encoding = [{kind = "dynamic", storage = ui8, qmin = 0, qmax = 255}]/' | model-info -
! model-info: <stdin>: constant "k_weights" has a dynamic encoding, need one with a scale
? 3
