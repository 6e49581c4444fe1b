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
