ONNX counts the indices of a OneHot from the end below 0, TFLite takes them as outside; each file says what was read, whatever its format is.
$ printf '\0\0\0\0\377\377\377\377\003\0\0\0\374\377\377\377' >i.raw && echo i.raw >list.txt
$ rows() { run "$1" --input-list list.txt -q -o out && od -An -v -w16 -tf4 out/Result_0/y.raw | tr -s ' ' | sed 's/^ //'; }
+ for outside in '' ', negative_outside = 1'; do
+     cat >net.mlir <<END
+ func.func @net(%i: tensor<4xi32>) -> (tensor<4x4xf32>) {
+   %d = "onnx.Constant"() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
+   %v = "onnx.Constant"() {value = dense<[0.0, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %y = "onnx.OneHot"(%i, %d, %v) {axis = -1$outside} : (tensor<4xi32>, tensor<i64>, tensor<2xf32>) -> tensor<4x4xf32>
+   return %y : tensor<4x4xf32>
+ }
+ END
+     for suffix in onnx tflite qn; do
+         model-convert net.mlir -o net.$suffix && rows net.$suffix | tr '\n' ';' && echo " $suffix"
+         model-convert net.$suffix -o other.tflite && rows other.tflite | cmp - <(rows net.mlir)
+         model-convert other.tflite -o other.onnx && rows other.onnx | cmp - <(rows net.mlir)
+     done
+ done
> 1 0 0 0;0 0 0 1;0 0 0 1;1 0 0 0; onnx
> 1 0 0 0;0 0 0 1;0 0 0 1;1 0 0 0; tflite
> 1 0 0 0;0 0 0 1;0 0 0 1;1 0 0 0; qn
> 1 0 0 0;0 0 0 0;0 0 0 1;0 0 0 0; onnx
> 1 0 0 0;0 0 0 0;0 0 0 1;0 0 0 0; tflite
> 1 0 0 0;0 0 0 0;0 0 0 1;0 0 0 0; qn
