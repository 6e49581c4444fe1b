By the rules of QNN's HTP activations have no sign: types with one stand for those without, and what HTP does not take is refused.
$ cp "$NETS/gemm_relu.mlir" net.mlir; cp "$NETS/gemm_relu.json" ranges.json
$ for type in i8 w8a16 w4a16; do quantize net.mlir --ranges ranges.json --target htp --type $type -o $type.onnx && model-info $type.onnx --encodings=2.0.0 | grep '"[xy]"'; done
> {"name":"x","output_dtype":"uint8","y_scale":0.01,"y_zero_point":100},
> {"name":"y","output_dtype":"uint8","y_scale":0.02}
> {"name":"x","output_dtype":"uint16","y_scale":3.8910504e-05,"y_zero_point":25700},
> {"name":"y","output_dtype":"uint16","y_scale":7.782101e-05}
> {"name":"x","output_dtype":"uint16","y_scale":3.8910504e-05,"y_zero_point":25700},
> {"name":"y","output_dtype":"uint16","y_scale":7.782101e-05}
! quantize: type i8 stands for u8i8: qnn takes codes without a sign
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: type w8a16 stands for w8u16: qnn takes codes without a sign
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: type w4a16 stands for w4u16: qnn takes codes without a sign
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --ranges ranges.json --runtime qnn -o q.qn && model-info q.qn --encodings=2.0.0 | grep '"[xy]"'
> {"name":"x","output_dtype":"uint8","y_scale":0.01,"y_zero_point":100},
> {"name":"y","output_dtype":"uint8","y_scale":0.02}
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --ranges ranges.json --target htp --act-sym yes -o q.qn
! quantize: target htp takes type u8i8, by the rules of qnn
! quantize: net.mlir: type u8i8 has symmetric activations: Qualcomm's QNN on HTP fuses no Relu whose zero point is not the least code
? 4
$ quantize net.mlir --ranges ranges.json --target htp --type w8u16 --weight-sym no -o q.qn
! quantize: net.mlir: type w8u16 has asymmetric weights beside uint16, by which Qualcomm's QNN on HTP is up to 234 steps off
? 4
$ quantize net.mlir --ranges ranges.json --target htp --set-op-type Gemm=w8a16 -o q.qn
! quantize: target htp takes type u8i8, by the rules of qnn
! quantize: net.mlir: type w8a16 has int16 activations, Qualcomm's QNN on HTP takes uint8 and uint16
! hint: --type u8i8 or w8u16
? 4
$ quantize net.mlir --ranges ranges.json --runtime qnx -o q.qn
! quantize: --runtime: unknown "qnx" (did you mean "qnn"?)
! hint: one of qnn
? 2
$ echo '{"kind": "target", "version": 1, "name": "mine", "extends": "htp", "runtime": "snpe"}' > mine.json && quantize net.mlir --ranges ranges.json --target ./mine.json -o q.qn
! quantize: ./mine.json: runtime: is "snpe", need qnn
? 3
$ quantize net.mlir --ranges ranges.json --target htp -q -o q.tflite
! quantize: a tflite file follows its own runtime's rules, not those of qnn
! hint: ONNX and quern's own files follow them
? 4
$ quantize net.mlir --ranges ranges.json --runtime qnn -q -o q.circle
! quantize: a circle file follows its own runtime's rules, not those of qnn
! hint: ONNX and quern's own files follow them
? 4

A product with a constant summand is one Gemm, also of rows, and nothing of what it stands for is left.
$ model-convert "$TEST_MODELS/exports/torch/linear3.script.onnx" -o l.qn && minmax-collect -q l.qn --random 1 -o l.json && quantize l.qn --ranges l.json --target htp -q -o q.qn && model-info q.qn | sed -n '/operators/,/parameters/p'
> operators   Gemm                                 2
>             Relu                                 1
>             Reshape                              4
> parameters  92 (192 bytes)

What HTP computes too coarsely on 16 bits stays float, unless a rule names it.
$ cat > sqrt.mlir <<'END'
+ func.func @net(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
+   %a = "onnx.Relu"(%x) {onnx_node_name = "relu"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   %b = "onnx.Sqrt"(%a) {onnx_node_name = "sqrt"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   return %b : tensor<1x4xf32>
+ }
+ END
$ minmax-collect -q sqrt.mlir --random 1 -o s.json; for rule in "" "--set-node-name sqrt=w8u16"; do quantize sqrt.mlir --ranges s.json --target htp --type w8u16 $rule --explain sqrt -o s.qn; done
! quantize: node "sqrt" (Sqrt)
!   stays float: operator Sqrt: HTP is up to 76 steps off on uint16
! quantize: 1 of 2 operators stay float: 50.0 % of the multiply-accumulates are quantized; see -v or --report for which and why
! quantize: node "sqrt" (Sqrt)
!   quantized: node sqrt, integer unit 1
! quantize: coverage: 2 of 2 operators, 100.0 % of the multiply-accumulates are quantized

A mean over places, as exporters write global pools, is of codes on HTP; one that normalizes stays float.
$ cat > mean.mlir <<'END'
+ func.func @net(%x: tensor<1x2x3x3xf32>) -> tensor<1x2x1x1xf32> {
+   %axes = "onnx.Constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
+   %a = "onnx.Relu"(%x) {onnx_node_name = "relu"} : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
+   %b = "onnx.ReduceMean"(%a, %axes) {onnx_node_name = "mean"} : (tensor<1x2x3x3xf32>, tensor<2xi64>) -> tensor<1x2x1x1xf32>
+   return %b : tensor<1x2x1x1xf32>
+ }
+ END
$ minmax-collect -q mean.mlir --random 1 -o m.json; for type in u8i8 w8u16; do quantize mean.mlir --ranges m.json --target htp --type $type --strict -o m.qn -q && echo $type; done; quantize mean.mlir --ranges m.json --type u8i8 --strict -o m.qn -q
> u8i8
> w8u16
! quantize: 1 of 2 operators stay float: [...]
!   mean (ReduceMean): operator ReduceMean is sensitive: quantized only if a rule names it
? 1

Floats are float16 on HTP: numbers beyond it are named.
$ cat > big.mlir <<'END'
+ func.func @net(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
+   %k = "onnx.Constant"() {value = dense<70000.0> : tensor<1xf32>} : () -> tensor<1xf32>
+   %a = "onnx.Relu"(%x) {onnx_node_name = "relu"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   %b = "onnx.Mul"(%a, %k) {onnx_node_name = "times"} : (tensor<1x4xf32>, tensor<1xf32>) -> tensor<1x4xf32>
+   %c = "onnx.Sqrt"(%b) {onnx_node_name = "sqrt"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   return %c : tensor<1x4xf32>
+ }
+ END
$ python3 -c "import struct; open('x.raw', 'wb').write(struct.pack('<4f', 0, 1, 2, 3))"; echo x.raw >x.list; minmax-collect -q big.mlir --input-list x.list -o b.json; quantize big.mlir --ranges b.json --target htp --type w8u16 -v -o b.qn 2>&1 | sed -n '/beyond/,$p'; quantize big.mlir --ranges b.json --type w8u16 -v -o b.qn 2>&1 | grep -c beyond
> quantize: 2 operators that stay float have numbers beyond 65504, infinite in the floats of Qualcomm's QNN on HTP
>   times (Mul): "b" reaches 210000
>   sqrt (Sqrt): "b" reaches 210000
> 0
? 1

Normalizations and Gelu that a model spells out are one operator on HTP, which has a kernel for each, and none for Erf; those that a rule speaks of stay in parts.
$ cat > norm.mlir <<'END'
+ func.func @net(%x: tensor<1x4x3xf32>) -> tensor<1x4x3xf32> {
+   %axes = "onnx.Constant"() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
+   %eps = "onnx.Constant"() {value = dense<0.001> : tensor<f32>} : () -> tensor<f32>
+   %half = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
+   %one = "onnx.Constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
+   %root2 = "onnx.Constant"() {value = dense<1.4142135> : tensor<f32>} : () -> tensor<f32>
+   %m = "onnx.ReduceMean"(%x, %axes) : (tensor<1x4x3xf32>, tensor<1xi64>) -> tensor<1x1x3xf32>
+   %d = "onnx.Sub"(%x, %m) : (tensor<1x4x3xf32>, tensor<1x1x3xf32>) -> tensor<1x4x3xf32>
+   %dd = "onnx.Mul"(%d, %d) : (tensor<1x4x3xf32>, tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
+   %v = "onnx.ReduceMean"(%dd, %axes) : (tensor<1x4x3xf32>, tensor<1xi64>) -> tensor<1x1x3xf32>
+   %ve = "onnx.Add"(%v, %eps) : (tensor<1x1x3xf32>, tensor<f32>) -> tensor<1x1x3xf32>
+   %r = "onnx.Sqrt"(%ve) {onnx_node_name = "root"} : (tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
+   %n = "onnx.Div"(%d, %r) : (tensor<1x4x3xf32>, tensor<1x1x3xf32>) -> tensor<1x4x3xf32>
+   %g = "onnx.Div"(%n, %root2) : (tensor<1x4x3xf32>, tensor<f32>) -> tensor<1x4x3xf32>
+   %e = "onnx.Erf"(%g) {onnx_node_name = "erf"} : (tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
+   %p = "onnx.Add"(%e, %one) : (tensor<1x4x3xf32>, tensor<f32>) -> tensor<1x4x3xf32>
+   %q = "onnx.Mul"(%n, %p) : (tensor<1x4x3xf32>, tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
+   %y = "onnx.Mul"(%q, %half) : (tensor<1x4x3xf32>, tensor<f32>) -> tensor<1x4x3xf32>
+   return %y : tensor<1x4x3xf32>
+ }
+ END
$ minmax-collect -q norm.mlir --random 1 -o n.json; for type in u8i8 w8u16; do quantize norm.mlir --ranges n.json --target htp --type $type -o n.qn -q; model-info n.qn | sed -n '/operators/,/parameters/p' | grep -o '[A-Z][A-Za-z]*ion\|Gelu\|Transpose' | xargs; done
> Gelu LayerNormalization Transpose
> Gelu LayerNormalization Transpose
$ quantize norm.mlir --ranges n.json --target htp --set-node-name erf=none -o n.qn -q; model-info n.qn | sed -n '/operators/,/parameters/p' | grep -o 'Sqrt\|Erf' | xargs
> Erf Sqrt

QNN takes DequantizeLinear, an operator and QuantizeLinear for one on quantized values, whatever was asked: where that would be wrong, a Clip to what its operand can hold keeps the operator float.
$ cat > log.mlir <<'END'
+ func.func @net(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
+   %k = "onnx.Constant"() {value = dense<[[1.0, 2.0, 0.5, 0.25]]> : tensor<1x4xf32>} : () -> tensor<1x4xf32>
+   %a = "onnx.Add"(%x, %k) {onnx_node_name = "before"} : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
+   %b = "onnx.Log"(%a) {onnx_node_name = "log"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   %s = "onnx.Sigmoid"(%b) {onnx_node_name = "gate"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   %c = "onnx.Neg"(%s) {onnx_node_name = "behind"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   return %c : tensor<1x4xf32>
+ }
+ END
$ python3 -c "import struct; [open(f'{i}.raw', 'wb').write(struct.pack('<4f', *[1 + i / 10] * 4)) for i in range(8)]"; ls ?.raw >x.list; minmax-collect -q log.mlir --input-list x.list -o l.json
$ cat > made <<'END'
+ quantize "$@" --target htp --type w8u16 --set-node-name before=w8u16 --set-node-name behind=w8u16 -q -o l.qn && model-info l.qn --text | grep -o '"onnx[.][A-Z][a-z]*' | grep -v 'Constant\|Return' | cut -c7- | xargs
+ END
$ sh made log.mlir --ranges l.json
> Add Clip Log Sigmoid Neg
$ sed 's/onnx.Log/onnx.Abs/' log.mlir > abs.mlir; minmax-collect -q abs.mlir --input-list x.list -o a.json; sh made abs.mlir --ranges a.json --set-node-name gate=none --set-node-name log=w8u16
> Add Abs Clip Sigmoid Neg
$ sh made log.mlir --ranges l.json --set-node-name log=w8u16
> Add Log Sigmoid Neg
$ run l.qn --input-list x.list -o own -q; quantize log.mlir --ranges l.json --target htp --type w8u16 --set-node-name before=w8u16 --set-node-name behind=w8u16 -q -o l.qn; run l.qn --input-list x.list -o apart -q; cmp own/Result_3/c.raw apart/Result_3/c.raw
Elsewhere no Clip is needed.
$ quantize log.mlir --ranges l.json --type w8u16 --set-node-name before=w8u16 --set-node-name behind=w8u16 -q -o l.qn; model-info l.qn --text | grep -c Clip
> 0
? 1

Probabilities of many classes would drown in what HTP's Softmax is off on 16 bits: it stays float there, and nowhere else.
$ cat > many.mlir <<'END'
+ func.func @net(%x: tensor<1x4000xf32>) -> tensor<1x4000xf32> {
+   %a = "onnx.Neg"(%x) {onnx_node_name = "turned"} : (tensor<1x4000xf32>) -> tensor<1x4000xf32>
+   %b = "onnx.Softmax"(%a) {axis = -1 : si64, onnx_node_name = "classes"} : (tensor<1x4000xf32>) -> tensor<1x4000xf32>
+   return %b : tensor<1x4000xf32>
+ }
+ END
$ minmax-collect -q many.mlir --random 1 -o m.json; quantize many.mlir --ranges m.json --target htp --type w8u16 --explain classes -o m.qn; quantize many.mlir --ranges m.json --type w8u16 --explain classes -o m.qn
! quantize: node "classes" (Softmax)
!   stays float: the kernel of Qualcomm's QNN on HTP is 9 steps off, which leaves 0.3 dB of what varies in its results
! quantize: 2 of 2 operators stay float: 0.0 % of the multiply-accumulates are quantized; see -v or --report for which and why
! quantize: node "classes" (Softmax)
!   quantized: type, integer unit 0
! quantize: 1 of 2 operators stay float: 50.0 % of the multiply-accumulates are quantized; see -v or --report for which and why

Products of two computed factors with five dims are wrong on HTP in 8 bits: they stay float.
$ cat > deep.mlir <<'END'
+ func.func @net(%x: tensor<1x2x2x3x4xf32>, %y: tensor<1x2x2x4x3xf32>) -> tensor<1x2x2x3x3xf32> {
+   %a = "onnx.Abs"(%x) {onnx_node_name = "before"} : (tensor<1x2x2x3x4xf32>) -> tensor<1x2x2x3x4xf32>
+   %b = "onnx.MatMul"(%a, %y) {onnx_node_name = "product"} : (tensor<1x2x2x3x4xf32>, tensor<1x2x2x4x3xf32>) -> tensor<1x2x2x3x3xf32>
+   %c = "onnx.Abs"(%b) {onnx_node_name = "behind"} : (tensor<1x2x2x3x3xf32>) -> tensor<1x2x2x3x3xf32>
+   return %c : tensor<1x2x2x3x3xf32>
+ }
+ END
$ minmax-collect -q deep.mlir --random 1 -o d.json; quantize deep.mlir --ranges d.json --target htp --set-node-name before=u8i8 --set-node-name behind=u8i8 --explain product -o d.qn; model-info d.qn --text | grep -o '"onnx[.][A-Z][A-Za-z]*' | grep -v 'Constant\|Return' | cut -c7- | xargs
> Abs MatMul Abs
! quantize: target htp takes type u8i8, by the rules of qnn
! quantize: node "product" (MatMul)
!   stays float: operator MatMul: HTP's results are wrong on 8 bits and five dims where both factors are computed
! quantize: 1 of 3 operators stay float: [...]

A sum whose scale is less than 2^-24 of the result's is 0 on HTP, bias and all: the weight's scale of such a channel grows.
$ cat > tiny.mlir <<'END'
+ func.func @net(%x: tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> {
+   %w = "onnx.Constant"() {value = dense<[[[[1.0]], [[0.5]]], [[[1.0e-9]], [[2.0e-10]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
+   %b = "onnx.Constant"() {value = dense<[0.0, 0.001]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %c = "onnx.Conv"(%x, %w, %b) {onnx_node_name = "conv"} : (tensor<1x2x2x2xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32>
+   %y = "onnx.Relu"(%c) {onnx_node_name = "relu"} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
+   return %y : tensor<1x2x2x2xf32>
+ }
+ END
$ minmax-collect -q tiny.mlir --random 1 -o t.json; for target in "--target htp" ""; do quantize tiny.mlir --ranges t.json $target --type w8u16 --report t-report.json -q -o t.qn; grep -o "scale of [0-9]* channel[^\"]*" t-report.json; done
> scale of 1 channel enlarged: an int32 bias would have overflowed; scale of 1 channel enlarged: sums by less are 0 to Qualcomm's QNN on HTP
> scale of 1 channel enlarged: an int32 bias would have overflowed
