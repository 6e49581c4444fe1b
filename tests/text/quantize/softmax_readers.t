Of int8 codes that one operator alone reads onnxruntime makes uint8 on x86, of others not, and computes a Softmax from one to the other in float: so does what is written, everywhere. uint8 codes are what they are.

$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
+   %v = "onnx.Constant"() {value = dense<[[1.0, 2.0], [0.5, -1.0], [1.5, 0.25], [-2.0, 1.0], [0.5, 0.5], [1.0, -0.5], [0.25, 1.0], [-1.0, 2.0]]> : tensor<8x2xf32>} : () -> tensor<8x2xf32>
+   %w = "onnx.Constant"() {value = dense<[[2.0, 1.0], [0.5, 1.0], [0.5, 0.25], [2.0, -1.0], [0.5, -0.5], [1.0, 0.5], [0.25, 2.0], [1.0, 2.0]]> : tensor<8x2xf32>} : () -> tensor<8x2xf32>
+   %p = "onnx.Softmax"(%x) {axis = -1 : si64, onnx_node_name = "softmax"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
+   %y = "onnx.MatMul"(%p, %v) {onnx_node_name = "one"} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
+   %z = "onnx.MatMul"(%p, %w) {onnx_node_name = "two"} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
+   onnx.Return %y, %z : tensor<4x2xf32>, tensor<4x2xf32>
+ }
+ END
$ minmax-collect net.mlir --random 1 --rows 4 -q -o r.json
$ for type in i8 u8i8; do for to in onnx qn; do quantize net.mlir --ranges r.json --type $type --full-integer -q -o $type.$to; done; model-info $type.onnx | grep Sum; run $type.qn --random 2 -v 2>&1 | grep -o 'real numbers: Softmax'; done
>             Sum                                  1
> real numbers: Softmax
? 1
$ for type in i8 u8i8; do for to in onnx qn; do run $type.$to --random 2 --rows 8 -q -o $type-$to; done; diff -r $type-onnx $type-qn; done
$ model-convert i8.onnx -q -o again.onnx && cmp i8.onnx again.onnx

Codes at the end of the model stay int8 as well.

$ quantize net.mlir --ranges r.json --type i8 --full-integer --io int8 -q -o ends.onnx && model-info ends.onnx | grep Sum
? 1
$ sed 's/-> (tensor<4x2xf32>, tensor<4x2xf32>)/-> tensor<4x8xf32>/; /MatMul/d; s/onnx.Return.*/onnx.Return %p : tensor<4x8xf32>/' net.mlir > last.mlir && minmax-collect last.mlir --random 1 --rows 4 -q -o l.json
$ for io in float input-int8 int8; do quantize last.mlir --ranges l.json --type i8 --full-integer $([ $io = input-int8 ] && echo --input-type int8 || echo --io $io) -q -o $io.onnx; echo $io $(model-info $io.onnx | grep Sum); done
> float
> input-int8 Sum 1
> int8
