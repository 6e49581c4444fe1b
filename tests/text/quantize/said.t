What is asked for and cannot be, or does nothing, is said by name.
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x16xf32>) -> tensor<1x2xf32> {
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<16x2xf32>} : () -> tensor<16x2xf32>
+   %y = "onnx.MatMul"(%x, %w) {onnx_node_name = "product"} : (tensor<1x16xf32>, tensor<16x2xf32>) -> tensor<1x2xf32>
+   return %y : tensor<1x2xf32>
+ }
+ END
$ minmax-collect net.mlir --random 1 --rows 3 -q -o r.json

A scale that contradicts the range beside it. That of a symmetric grid may have one end more, or end at the numbers that were seen.
$ e() { echo "{\"activation_encodings\": {\"x\": [{\"bitwidth\": 8, \"is_symmetric\": \"$1\", \"scale\": $2, \"offset\": $3, \"min\": $4, \"max\": $5}]}, \"param_encodings\": {}}" > e.json; quantize net.mlir --ranges r.json --overrides e.json -o q.qn; }; declare -f e > e.sh
$ . ./e.sh; e False 1.0 -121 -3.15 3.5
! quantize: e.json: activation_encodings.x[0].scale: is 1, which makes a range of 255 of 8 bits; min and max say 6.65
? 3
$ . ./e.sh; e False 0.0001 -121 -3.15 3.5
! quantize: e.json: activation_encodings.x[0].scale: is 0.0001, which makes a range of 0.0255 of 8 bits; min and max say 6.65
? 3
$ . ./e.sh; e False 0.026078431 -121 -3.15 3.5
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (128 of 128 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./e.sh; e True 0.027559 -128 -3.5275 3.5
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (128 of 128 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./e.sh; e True 0.05 -128 -0.5 6.35
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (128 of 128 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./e.sh; e True 0.2 -128 -0.5 6.35
! quantize: e.json: activation_encodings.x[0].scale: is 0.2, which makes a range of 51 of 8 bits; min and max say 6.85
? 3

Encodings of weights whose node stays float, as its activations have none.
$ echo '{"version": "2.0.0", "encodings": [{"name": "w", "output_dtype": "int8", "y_scale": 0.004}]}' > e.json; quantize net.mlir --overrides e.json -q -o q.qn; quantize net.mlir --overrides e.json -o q.qn
! quantize: 1 of 1 operators stay float: 0.0 % of the weights (0 of 128 bytes as float32) and 0.0 % of the multiply-accumulates are quantized; see -v or --report for which and why
! quantize: 1 of 1 overrides are not applied: their values are not stored as codes: w

Blocks of types that have none.
$ quantize net.mlir --ranges r.json --block 7 -o q.qn; quantize net.mlir --ranges r.json --block 1000 -o q.qn
! quantize: --block 7: no kernel multiplies codes of 8 bits with weights in blocks: such products compute in float between them
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (128 of 128 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: --block 1000: no kernel multiplies codes of 8 bits with weights in blocks: such products compute in float between them
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (128 of 128 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --type wo-i8 --block 8 -o q.qn; quantize net.mlir --ranges r.json --type w4a16 --block 8 -o q.qn
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (128 of 128 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (128 of 128 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
