Tables that Gather looks rows up in are weights: types of 8 and 4 bits make codes of them.
$ cat > make.py <<'END2'
+ import struct
+ rows = [[round(((r * 7 + c * 5) % 23 - 11) * (0.1 + r) / 10, 3) for c in range(32)] for r in range(40)]
+ matrix = [[round(((r * 3 + c) % 7 - 3) / 7, 3) for c in range(4)] for r in range(32)]
+ text = lambda m: '[' + ', '.join('[' + ', '.join(map(str, row)) + ']' for row in m) + ']'
+ ids = '%ids: tensor<1x3xi64>'
+ print(f'''func.func @net({ids}) -> tensor<1x3x4xf32> {{
+   %table = "onnx.Constant"() {{value = dense<{text(rows)}> : tensor<40x32xf32>}} : () -> tensor<40x32xf32>
+   %w = "onnx.Constant"() {{value = dense<{text(matrix)}> : tensor<32x4xf32>}} : () -> tensor<32x4xf32>
+   %s = "onnx.Constant"() {{value = dense<{[1.0] * 32}> : tensor<32xf32>}} : () -> tensor<32xf32>
+   %e = "onnx.Gather"(%table, %ids) {{axis = 0 : si64, onnx_node_name = "embed"}} : (tensor<40x32xf32>, tensor<1x3xi64>) -> tensor<1x3x32xf32>
+   %n = "onnx.LayerNormalization"(%e, %s) {{onnx_node_name = "norm"}} : (tensor<1x3x32xf32>, tensor<32xf32>) -> tensor<1x3x32xf32>
+   %y = "onnx.MatMul"(%n, %w) {{onnx_node_name = "out"}} : (tensor<1x3x32xf32>, tensor<32x4xf32>) -> tensor<1x3x4xf32>
+   return %y : tensor<1x3x4xf32>
+ }}''')
+ END2
$ python3 make.py > net.mlir; python3 -c "import struct; open('ids.bin', 'wb').write(struct.pack('<3q', 3, 39, 0))"
$ minmax-collect net.mlir --input 'ids=ids.bin:i64[1,3]' -o r.json
$ for type in i8 w8a16 w4a8 dynamic-i8 wo-i8 wo-i4 wo-u4 wo-i2 f16; do for to in onnx tflite circle qn; do echo "$type $to"; quantize net.mlir --ranges r.json --type $type -o q.$to && model-info q.$to | grep -A2 '^weights' | grep -v MACs && run q.$to --input 'ids=ids.bin:i64[1,3]' -q -o out; done; done
> i8 onnx
> weights     float32                             78
>             int8                              1414
> i8 tflite
> weights     int64                                8
>             int8                              1441
> i8 circle
> weights     int64                                8
>             int8                              1441
> i8 qn
> weights     float32                             32
>             int8                              1408
> w8a16 onnx
> weights     float32                             78
>             int16                                2
>             int8                              1412
> w8a16 tflite
> weights     float32                             33
>             int64                               12
>             int8                              1408
> w8a16 circle
> weights     float32                             33
>             int64                                8
>             int8                              1408
> w8a16 qn
> weights     float32                             32
>             int8                              1408
> w4a8 onnx
> weights     float32                             78
>             int4                               132
>             int8                              1282
> w4a8 tflite
> weights     int4                               128
>             int64                                8
>             int8                              1313
> w4a8 circle
> weights     float32                            128
>             int64                                8
>             int8                              1313
> w4a8 qn
> weights     float32                             32
>             int4                              1408
> dynamic-i8 onnx
> weights     float32                             76
>             int8                              1408
> dynamic-i8 tflite
> weights     float32                             33
>             int64                               12
>             int8                              1408
> dynamic-i8 circle
> weights     float32                             33
>             int64                                8
>             int8                              1408
> dynamic-i8 qn
> weights     float32                             32
>             int8                              1408
> wo-i8 onnx
> weights     float32                             76
>             int8                              1412
> wo-i8 tflite
> weights     float32                             33
>             int64                               12
>             int8                              1408
> wo-i8 circle
> weights     float32                             33
>             int64                                8
>             int8                              1408
> wo-i8 qn
> weights     float32                             32
>             int8                              1408
> wo-i4 onnx
> weights     float32                             76
>             int4                               132
>             int8                              1280
> wo-i4 tflite
> weights     float32                             33
>             int4                              1408
>             int64                                8
> wo-i4 circle
> weights     float32                             33
>             int4                              1408
>             int64                                8
> wo-i4 qn
> weights     float32                             32
>             int4                              1408
> wo-u4 onnx
> weights     float32                             76
>             uint4                              132
>             uint8                             1320
> wo-u4 tflite
> wo-u4 circle
> wo-u4 qn
> weights     float32                             32
>             uint4                             1408
> wo-i2 onnx
> weights     float32                             76
>             int2                              1452
> wo-i2 tflite
> wo-i2 circle
> wo-i2 qn
> weights     float32                             32
>             int2                              1408
> f16 onnx
> weights     float16                           1408
>             float32                             32
> f16 tflite
> weights     float16                           1408
>             float32                             33
>             int64                                8
> f16 circle
> weights     float32                           1441
>             int64                                8
> f16 qn
> weights     float16                           1408
>             float32                             32
! quantize: 1 of 3 operators stay float: 97.8 % of the weights (5632 of 5760 bytes as float32) and 80.0 % of the multiply-accumulates are quantized; see -v or --report for which and why
! quantize: 1 of 3 operators computes in float on weights that are codes: 88.9 % of the weights and 0.0 % of the multiply-accumulates; see -v or --report for which and why
! quantize: 5 operators are written between DEQUANTIZE and QUANTIZE, as there is no kernel for the codes: operator "e" (GATHER): form is int8; operator "n/mean" (MEAN): form is int8; operator "n/variance" (MEAN): form is int8; ...
! quantize: 1 of 3 operators stay float: 97.8 % of the weights (5632 of 5760 bytes as float32) and 80.0 % of the multiply-accumulates are quantized; see -v or --report for which and why
! quantize: 1 of 3 operators computes in float on weights that are codes: 88.9 % of the weights and 0.0 % of the multiply-accumulates; see -v or --report for which and why
! quantize: 1 of 3 operators stay float: 97.8 % of the weights (5632 of 5760 bytes as float32) and 80.0 % of the multiply-accumulates are quantized; see -v or --report for which and why
! quantize: 1 of 3 operators computes in float on weights that are codes: 88.9 % of the weights and 0.0 % of the multiply-accumulates; see -v or --report for which and why
! quantize: 1 of 3 operators stay float: 97.8 % of the weights (5632 of 5760 bytes as float32) and 80.0 % of the multiply-accumulates are quantized; see -v or --report for which and why
! quantize: 1 of 3 operators computes in float on weights that are codes: 88.9 % of the weights and 0.0 % of the multiply-accumulates; see -v or --report for which and why
! quantize: 1 of 3 operators stay float: 97.8 % of the weights (5632 of 5760 bytes as float32) and 80.0 % of the multiply-accumulates are quantized; see -v or --report for which and why
! quantize: 1 of 3 operators computes in float on weights that are codes: 88.9 % of the weights and 0.0 % of the multiply-accumulates; see -v or --report for which and why
! quantize: 2 operators are written as asked, which onert has no kernel for: operator "n" (QUANTIZE): form is float32 -> int16; operator "y" (FULLY_CONNECTED): form is int16 int8 -> int16
! quantize: 1 of 3 operators stay float: 97.8 % of the weights (5632 of 5760 bytes as float32) and 80.0 % of the multiply-accumulates are quantized; see -v or --report for which and why
! quantize: 1 of 3 operators computes in float on weights that are codes: 88.9 % of the weights and 0.0 % of the multiply-accumulates; see -v or --report for which and why
! quantize: 1 of 3 operators stay float: 97.8 % of the weights (5632 of 5760 bytes as float32) and 80.0 % of the multiply-accumulates are quantized; see -v or --report for which and why
! quantize: 1 of 3 operators computes in float on weights that are codes: 88.9 % of the weights and 0.0 % of the multiply-accumulates; see -v or --report for which and why
! quantize: 5 operators are written between DEQUANTIZE and QUANTIZE, as there is no kernel for the codes: operator "e" (GATHER): form is int8; operator "n/mean" (MEAN): form is int8; operator "n/variance" (MEAN): form is int8; ...
! quantize: 1 of 3 operators stay float: 97.8 % of the weights (5632 of 5760 bytes as float32) and 80.0 % of the multiply-accumulates are quantized; see -v or --report for which and why
! quantize: 1 of 3 operators computes in float on weights that are codes: 88.9 % of the weights and 0.0 % of the multiply-accumulates; see -v or --report for which and why
! quantize: 1 of 3 operators computes in float on weights that are codes: 88.9 % of the weights and 0.0 % of the multiply-accumulates; see -v or --report for which and why
! quantize: 1 of 3 operators computes in float on weights that are codes: 88.9 % of the weights and 0.0 % of the multiply-accumulates; see -v or --report for which and why
! quantize: 1 of 3 operators computes in float on weights that are codes: 88.9 % of the weights and 0.0 % of the multiply-accumulates; see -v or --report for which and why
! quantize: 1 operator is computed by onert from symmetric codes of their data, whatever the file asks for: operator "y" (FULLY_CONNECTED)
! quantize: 1 of 3 operators computes in float on weights that are codes: 88.9 % of the weights and 0.0 % of the multiply-accumulates; see -v or --report for which and why
! quantize: net.mlir: type wo-u4 has asymmetric uint4 weights, in TFLite they are symmetric
! quantize: net.mlir: type wo-u4 has asymmetric uint4 weights, in TFLite they are symmetric
! quantize: net.mlir: type wo-i2 has int2 weights, which no kernel of TFLite reads
! quantize: net.mlir: type wo-i2 has int2 weights, which no kernel of TFLite reads

A rule about the operator alone.
$ quantize net.mlir --type wo-i8 --set-global none --set-op-type Gather=wo-i8 -o q.onnx -v; model-info q.onnx --encodings | grep -o '"name":"[a-z]*"'
> "name":"table"
! quantize: 1 of 2 operators with weights stay float: 88.9 % of the weights (5120 of 5760 bytes as float32) and 0.0 % of the multiply-accumulates are quantized
!   out (MatMul): the rule of global sets none; 8.9 % of the weights

TFLite's EMBEDDING_LOOKUP makes numbers of the rows that are asked for; files do not change from one reading to the next.
$ quantize net.mlir --type wo-i8 -q -o q.tflite; model-info q.tflite --text | grep -o '"onnx.Gather"(%table, %"e/ids")'; model-convert q.tflite -o 2.tflite && model-convert 2.tflite -o 3.tflite && cmp 2.tflite 3.tflite
> "onnx.Gather"(%table, %"e/ids")

What files say is what was quantized.
$ for type in i8 w4a8 wo-i8 wo-i4 wo-u4; do for to in qn onnx; do quantize net.mlir --ranges r.json --type $type -q -o q.$to; run q.$to --input 'ids=ids.bin:i64[1,3]' -q -o $to; done; cmp qn/Result_0/y.raw onnx/Result_0/y.raw && model-diff --encodings q.qn q.onnx; done
> only in the first: table
> 3 equal, 0 different, 1 only in the first, 0 only in the second
>          scale ratio zero point  value
>                equal          -  table: int4 symmetric 40 scales / int8 symmetric 40 scales of blocks of 32 (bits, axis, block)
> 3 equal, 1 different, 0 only in the first, 0 only in the second
> 2 equal, 0 different, 0 only in the first, 0 only in the second
>          scale ratio zero point  value
>                equal          -  table: int4 symmetric 40 scales of blocks of 32 / int8 symmetric 40 scales of blocks of 32 (bits)
> 1 equal, 1 different, 0 only in the first, 0 only in the second
>          scale ratio zero point  value
>                equal          -  table: uint4 40 scales of blocks of 32 / uint8 40 scales of blocks of 32 (bits)
> 1 equal, 1 different, 0 only in the first, 0 only in the second
? 1

Constants behind operators that hand them on are weights of the product as well.
$ cat > behind.mlir <<'END'
+ func.func @net(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
+   %a = "onnx.Constant"() {value = dense<[1.27, -0.5, 0.0, 2.54, 0.5, 0.6, -1.0, -0.9]> : tensor<8xf16>} : () -> tensor<8xf16>
+   %s = "onnx.Constant"() {value = dense<[4, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
+   %c = "onnx.Cast"(%a) {onnx_node_name = "cast", to = 1 : si64} : (tensor<8xf16>) -> tensor<8xf32>
+   %r = "onnx.Reshape"(%c, %s) {onnx_node_name = "reshape"} : (tensor<8xf32>, tensor<2xi64>) -> tensor<4x2xf32>
+   %w = "onnx.Concat"(%r, %r) {axis = 1 : si64, onnx_node_name = "concat"} : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
+   %y = "onnx.MatMul"(%x, %w) {onnx_node_name = "matmul"} : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
+   return %y : tensor<1x4xf32>
+ }
+ END
$ model-convert behind.mlir --passes none -o behind.onnx && quantize behind.onnx --type wo-i8 -o q.qn && model-info q.qn | grep '^operators\|^weights'
> operators   MatMul                               1
> weights     int8                                16
