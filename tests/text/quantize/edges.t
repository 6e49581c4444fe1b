Rules by edge: what nodes read, make and weigh with in types of their own. A product, its bias, an activation; a product whose result only
a Softmax reads, which stays float.
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x2x4xf32>) -> (tensor<1x2x2xf32>, tensor<1x2x2xf32>) {
+   %w = "onnx.Constant"() {value = dense<[[1.27, -0.5, 0.1, 0.2], [0.0, 2.54, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8], [-1.0, -0.9, -0.8, -0.7]]> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
+   %c = "onnx.Constant"() {value = dense<[0.5, -0.25, 1.0, 0.125]> : tensor<4xf32>} : () -> tensor<4xf32>
+   %h = "onnx.Constant"() {value = dense<[[1.0, 2.0], [-3.0, 4.0], [5.0, -6.0], [7.0, 8.0]]> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
+   %m = "onnx.MatMul"(%x, %w) {onnx_node_name = "first"} : (tensor<1x2x4xf32>, tensor<4x4xf32>) -> tensor<1x2x4xf32>
+   %a = "onnx.Add"(%m, %c) {onnx_node_name = "bias"} : (tensor<1x2x4xf32>, tensor<4xf32>) -> tensor<1x2x4xf32>
+   %b = "onnx.Relu"(%a) {onnx_node_name = "relu"} : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
+   %s = "onnx.MatMul"(%b, %h) {onnx_node_name = "scores"} : (tensor<1x2x4xf32>, tensor<4x2xf32>) -> tensor<1x2x2xf32>
+   %p = "onnx.Softmax"(%s) {axis = -1 : si64, onnx_node_name = "softmax"} : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
+   %y = "onnx.MatMul"(%b, %h) {onnx_node_name = "last"} : (tensor<1x2x4xf32>, tensor<4x2xf32>) -> tensor<1x2x2xf32>
+   return %p, %y : tensor<1x2x2xf32>, tensor<1x2x2xf32>
+ }
+ END
$ model-convert net.mlir --passes none -o net.onnx && minmax-collect -q net.onnx --random 1 --rows 8 -o r.json
$ cat > q.sh <<'END'
+ q() { quantize net.onnx --ranges r.json --set-op-type Softmax=none -q --report report.json "$@"; }
+ show() { python3 -c "
+ import json; r = json.load(open('report.json'))
+ print(*sorted(v['name'] + ':' + v['encoding']['storage'] for v in r['values']))"; }
+ END

Codes for the scores, which only a float operator reads, are there if a rule says so.
$ . ./q.sh; q --set-node-name scores=i8,outputs=i8 -o q.onnx; show
> b:int8 c:int32 h:int8 s:int8 w:int8 x:int8 y:int8

A rule for the operator is about its unit: outputs are those of the activation.
$ . ./q.sh; q --set-node-name first=i8,outputs=i16 -o q.onnx; show
> b:int16 b:int8 c:int32 h:int8 w:int8 x:int8 y:int8
$ . ./q.sh; q --set-node-name last=i8,outputs=none -o q.onnx; show
> b:int8 c:int32 h:int8 w:int8 x:int8
$ . ./q.sh; q --set-node-name last=i8,outputs=u16 -o q.onnx; show
> b:int8 c:int32 h:int8 w:int8 x:int8 y:uint16
$ . ./q.sh; q --set-node-name first=u8i8,inputs=none -o q.onnx; show
> b:int8 b:uint8 h:int8 w:int8 y:int8
$ . ./q.sh; q --set-node-name last=w8a16,inputs=i8 -o q.onnx; show
> b:int8 c:int32 h:int8 w:int8 x:int8 y:int16
$ . ./q.sh; q --set-node-name last=i8,weights=i4 -o q.onnx; show
> b:int8 c:int32 h:int4 h:int8 w:int8 x:int8 y:int8
$ . ./q.sh; q --set-node-name last=i8,weights=u8 -o q.onnx; show
> b:int8 c:int32 h:int8 h:uint8 w:int8 x:int8 y:int8
$ . ./q.sh; q --set-node-name first=i8,weights=none -o q.onnx; show
> b:int8 h:int8 x:int8 y:int8

The same from a file.
$ echo '{"kind": "rules", "version": 1, "node_names": {"last": {"type": "i8", "outputs": "none", "weights": "i4"}}}' > rules.json
$ . ./q.sh; q --rules rules.json -o q.onnx; show
> b:int8 c:int32 h:int4 h:int8 w:int8 x:int8

What is not known, or cannot be.
$ . ./q.sh; q --set-op-type MatMul=i8,output=none -o q.onnx
! quantize: --set-op-type MatMul: output: is not a key of a rule (type, method, weight_method, inputs, outputs, weights, act_bits, act_sym, weight_bits, weight_sym, bias_bits, float_bits, per_channel, per_row, block, two_level, eps, algorithms) (did you mean "outputs"?)
? 2
$ . ./q.sh; q --set-op-type MatMul=i8,outputs=i4 -o q.onnx
! quantize: --set-op-type MatMul: outputs: got "i4", need one of none, i8, i16, u8, u16
? 2
$ . ./q.sh; q --set-op-type MatMul=i8,weights=u16 -o q.onnx
! quantize: --set-op-type MatMul: weights: got "u16", need one of none, i2, i4, i8, i16, u2, u4, u8
? 2
$ . ./q.sh; q --set-op-type MatMul=i8,weights=i4,weight_bits=4 -o q.onnx
! quantize: --set-op-type MatMul: weights and weight_bits say the same: need one of them
? 2
$ . ./q.sh; q --set-op-type MatMul=wo-i8,outputs=none -o q.onnx
! quantize: --set-op-type MatMul: outputs does not go with type wo-i8: its activations stay float
? 2
$ . ./q.sh; q --set-op-type MatMul=wo-i8,weights=none -o q.onnx
! quantize: --set-op-type MatMul: weights none does not go with type wo-i8: it quantizes weights; the rule none keeps all float
? 2
$ . ./q.sh; q --set-op-type MatMul=dynamic-i8,inputs=i8 -o q.onnx
! quantize: --set-op-type MatMul: inputs does not go with type dynamic-i8: its inputs are quantized at run time, and its results stay float
? 2
$ . ./q.sh; q --set-op-type MatMul=none,outputs=i8 -o q.onnx
! quantize: --set-op-type MatMul: has settings beside type none
? 2
$ . ./q.sh; q --set-op-type MatMul=i8,outputs=none -o q.tflite
! quantize: net.onnx: rule op_types."MatMul": outputs in a type of their own: by TensorFlow Lite's quantization specification an operator on codes reads and makes codes of one type and has weights of codes
! hint: ONNX and quern's own files can hold it; type none keeps the whole node float
? 4
$ . ./q.sh; q --set-op-type MatMul=u8i8,inputs=u16 --type u8i8 --runtime qnn -o q.onnx
! quantize: net.onnx: rule op_types."MatMul": inputs in a type of their own: by Qualcomm's QNN on HTP an operator on codes reads and makes codes of one type and has weights of codes
! hint: ONNX and quern's own files can hold it; type none keeps the whole node float
? 4
$ . ./q.sh; q --set-op-type MatMul=i8,outputs=i8 -o q.tflite; show
> b:int8 c:int32 h:int8 s:int8 w:int8 x:int8 y:int8
