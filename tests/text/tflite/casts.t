TFLite's CAST is of real numbers, whatever they are stored in: its codes are not the numbers.
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x4xf32>, %n: tensor<1x4xi32>) -> (tensor<1x2xi32>, tensor<1x4xf32>) {
+   %c = "onnx.Constant"() {value = dense<[7.0, -5.0, 3.0, 2.0]> : tensor<4xf32>} : () -> tensor<4xf32>
+   %w = "onnx.Constant"() {value = dense<[[7.0, 1.0], [-5.0, 2.0], [3.0, -4.0], [2.0, 9.0]]> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
+   %m = "onnx.MatMul"(%x, %w) {onnx_node_name = "m"} : (tensor<1x4xf32>, tensor<4x2xf32>) -> tensor<1x2xf32>
+   %i = "onnx.Cast"(%m) {onnx_node_name = "i", to = 6 : si64} : (tensor<1x2xf32>) -> tensor<1x2xi32>
+   %f = "onnx.Cast"(%n) {onnx_node_name = "f", to = 1 : si64} : (tensor<1x4xi32>) -> tensor<1x4xf32>
+   %y = "onnx.Mul"(%f, %c) {onnx_node_name = "y"} : (tensor<1x4xf32>, tensor<4xf32>) -> tensor<1x4xf32>
+   return %i, %y : tensor<1x2xi32>, tensor<1x4xf32>
+ }
+ END
$ printf '%s\n' 1.25,-1.5,0.5,2 > x.csv; printf '%s\n' 3,5,-2,9 > n.csv
$ minmax-collect net.mlir --input x=x.csv --input n=n.csv -q -o r.json
$ for type in i8 w8a16 u8-asym; do for suffix in tflite circle; do
+   quantize net.mlir --ranges r.json --type $type -q -o $type.$suffix && run $type.$suffix --input x=x.csv --input n=n.csv -q -o out && od -An -v -td4 out/Result_0/i.raw
+   model-diff net.mlir $type.$suffix --input x=x.csv --input n=n.csv --outputs-only --second-mode int | awk '/y \(output\)/ { print ($1 > 30 ? "near" : "far") }'; done; done
>           21          14
> near
>           21          14
> near
>           21          14
> near
>           21          14
> near
>           21          14
> near
>           21          14
> near
