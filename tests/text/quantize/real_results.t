Products whose results only operators read that stay float do not round them. A product, its bias, an activation; a product whose result only
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
+ q() { quantize net.onnx --ranges r.json --set-op-type Softmax=none --report report.json "$@"; }
+ show() { python3 -c "
+ import json; r = json.load(open('report.json'))
+ print(*sorted(v['name'] + ':' + v['encoding']['storage'] for v in r['values']))"; }
+ END

The scores are not rounded, as only the Softmax reads them; other results are, unless all of the network is to be.
$ . ./q.sh; q -o q.onnx; show
> b:int8 c:int32 h:int8 w:int8 x:int8 y:int8
! quantize: 1 of 6 operators stay float: 100.0 % of the weights (112 of 112 bytes as float32) and 95.2 % of the multiply-accumulates are quantized; see -v or --report for which and why
$ . ./q.sh; q -o q.qn; show
> b:int8 c:int32 h:int8 w:int8 x:int8 y:int8
! quantize: 1 of 6 operators stay float: 100.0 % of the weights (112 of 112 bytes as float32) and 95.2 % of the multiply-accumulates are quantized; see -v or --report for which and why
$ . ./q.sh; q --full-integer -o q.onnx; show
> b:int8 c:int32 h:int8 s:int8 w:int8 x:int8 y:int8
! quantize: 1 of 6 operators stay float: 100.0 % of the weights (112 of 112 bytes as float32) and 95.2 % of the multiply-accumulates are quantized; see -v or --report for which and why
$ . ./q.sh; q --type i8 -o q.tflite; show
> b:int8 c:int32 h:int8 s:int8 w:int8 x:int8 y:int8
! quantize: 1 of 6 operators stay float: 100.0 % of the weights (112 of 112 bytes as float32) and 94.7 % of the multiply-accumulates are quantized; see -v or --report for which and why

An activation that alone reads such a result stays float with its readers; the bias is one of the sums.
$ . ./q.sh; q --set-node-name last=none -v -o q.onnx; show
> b:int8 c:int32 h:int8 w:int8 x:int8
! quantize: 2 of 6 operators stay float: 77.8 % of the weights (112 of 144 bytes as float32) and 76.2 % of the multiply-accumulates are quantized
!   softmax (Softmax): the rule of op type Softmax sets none
!   last (MatMul): the rule of node last sets none; 22.2 % of the weights
$ . ./q.sh; q --set-node-name scores=none --set-node-name last=none -o q.onnx -vv; show
> c:int32 w:int8 x:int8
! quantize: 4 of 6 operators stay float: 71.4 % of the weights (80 of 112 bytes as float32) and 47.6 % of the multiply-accumulates are quantized
!   relu (Relu): only operators that stay float read its result
!   scores (MatMul): the rule of node scores sets none; 28.6 % of the weights
!   softmax (Softmax): the rule of op type Softmax sets none
!   last (MatMul): the rule of node last sets none; 28.6 % of the weights
