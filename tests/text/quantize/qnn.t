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
! quantize: type w8a16 stands for w8u16: qnn takes codes without a sign
! quantize: type w4a16 stands for w4u16: qnn takes codes without a sign
$ quantize net.mlir --ranges ranges.json --runtime qnn -o q.qn && model-info q.qn --encodings=2.0.0 | grep '"[xy]"'
> {"name":"x","output_dtype":"uint8","y_scale":0.01,"y_zero_point":100},
> {"name":"y","output_dtype":"uint8","y_scale":0.02}
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
! quantize: 1 of 2 operators stay float: 0.0 % of the weights (0 of 0 bytes as float32) and 50.0 % of the multiply-accumulates are quantized; see -v or --report for which and why
! quantize: node "sqrt" (Sqrt)
!   quantized: node sqrt, integer unit 1

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
