float8: E4M3FN and E5M2 with a scale, of activations one, of weights one per channel.
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x2x4x4xf32>) -> tensor<1x2xf32> {
+   %k = "onnx.Constant"() {value = dense<[[[[1.0]], [[0.3]]], [[[0.25]], [[-0.125]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
+   %b = "onnx.Constant"() {value = dense<[1.27, -0.5]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %w = "onnx.Constant"() {value = dense<[[1.0, 0.5], [0.25, 0.12], [1.0, 0.5], [0.25, 0.12], [0.9, 0.5], [0.25, 0.12], [1.0, 0.4], [0.25, 0.13]]> : tensor<8x2xf32>} : () -> tensor<8x2xf32>
+   %c = "onnx.Conv"(%x, %k, %b) {onnx_node_name = "conv"} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
+   %r = "onnx.Relu"(%c) {onnx_node_name = "relu"} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
+   %m = "onnx.MaxPool"(%r) {onnx_node_name = "pool", kernel_shape = [2, 2], strides = [2, 2]} : (tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32>
+   %f = "onnx.Flatten"(%m) {onnx_node_name = "flat"} : (tensor<1x2x2x2xf32>) -> tensor<1x8xf32>
+   %y = "onnx.MatMul"(%f, %w) {onnx_node_name = "product"} : (tensor<1x8xf32>, tensor<8x2xf32>) -> tensor<1x2xf32>
+   return %y : tensor<1x2xf32>
+ }
+ END
$ minmax-collect net.mlir --random 1 --rows 3 -q -o r.json
$ quantize net.mlir --ranges r.json --type f8-e4m3 --dump-encodings e.json -o q.qn && cat e.json
> {"encodings":[
> {"name":"f","output_dtype":"float8e4m3fn","y_scale":0.0051990054},
> {"axis":0,"name":"k","output_dtype":"float8e4m3fn","y_scale":[0.002232143,0.00055803574]},
> {"name":"m","output_dtype":"float8e4m3fn","y_scale":0.0051990054},
> {"name":"r","output_dtype":"float8e4m3fn","y_scale":0.0051990054},
> {"axis":1,"name":"w","output_dtype":"float8e4m3fn","y_scale":[0.002232143,0.0011160715]},
> {"name":"x","output_dtype":"float8e4m3fn","y_scale":0.002220561},
> {"name":"y","output_dtype":"float8e4m3fn","y_scale":0.010639866}
> ],
> "version":"2.0.0"}
! quantize: coverage: 5 of 5 operators, 90.9 % of the weights (80 of 88 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ model-info q.qn | sed -n '/^weights/,/^encodings/p'
> weights     float32                              2
>             float8e4m3fn                        20
> MACs        144
> encodings   float8e4m3fn                         5
$ quantize net.mlir --ranges r.json --type f8-e5m2 --dump-encodings e5.json -q -o q5.qn && cat e5.json
> {"encodings":[
> {"name":"f","output_dtype":"float8e5m2","y_scale":4.061723e-05},
> {"axis":0,"name":"k","output_dtype":"float8e5m2","y_scale":[1.7438617e-05,4.359654e-06]},
> {"name":"m","output_dtype":"float8e5m2","y_scale":4.061723e-05},
> {"name":"r","output_dtype":"float8e5m2","y_scale":4.061723e-05},
> {"axis":1,"name":"w","output_dtype":"float8e5m2","y_scale":[1.7438617e-05,8.719308e-06]},
> {"name":"x","output_dtype":"float8e5m2","y_scale":1.7348133e-05},
> {"name":"y","output_dtype":"float8e5m2","y_scale":8.312395e-05}
> ],
> "version":"2.0.0"}

Scales are those of the greatest numbers over 448 and 57344; biases stay float. What is estimated comes from the grid.
$ for name in x k b conv; do quantize net.mlir --ranges r.json --type f8-e4m3 --explain $name -o q.qn; done
! quantize: value "x" (activation)
!   encoding  float8e4m3fn scale 0.002220561
!   decided   type, input of Conv
!   range     -0.9948113 .. 0.99462664 by auto (observed -0.9948113 .. 0.99462664)
!   SQNR      32.4 dB, 0.0000 % of numbers clipped
! quantize: coverage: 5 of 5 operators, 90.9 % of the weights (80 of 88 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: value "k" (weight)
!   encoding  float8e4m3fn[axis 0, 2 scales]
!   decided   type
!   range     -1 .. 1 by auto (observed -0.125 .. 1)
!   SQNR      37.6 dB, 0.0000 % of numbers clipped
! quantize: coverage: 5 of 5 operators, 90.9 % of the weights (80 of 88 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: no encoded value and no node "b" (did you mean "x"?)
! quantize: node "conv" (Conv)
!   quantized: type
! quantize: coverage: 5 of 5 operators, 90.9 % of the weights (80 of 88 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --ranges r.json --type f8-e5m2 --explain x -o q5.qn
! quantize: value "x" (activation)
!   encoding  float8e5m2 scale 1.7348133e-05
!   decided   type, input of Conv
!   range     -0.9948113 .. 0.99462664 by auto (observed -0.9948113 .. 0.99462664)
!   SQNR      26.3 dB, 0.0000 % of numbers clipped
! quantize: coverage: 5 of 5 operators, 90.9 % of the weights (80 of 88 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

The names that these types have elsewhere.
$ quantize net.mlir --ranges r.json --type fp8 -o fp8.qn && cmp fp8.qn q.qn
! quantize: type fp8 stands for f8-e4m3
! quantize: coverage: 5 of 5 operators, 90.9 % of the weights (80 of 88 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --ranges r.json --type float8e5m2 -o fp8.qn && cmp fp8.qn q5.qn
! quantize: type float8e5m2 stands for f8-e5m2
! quantize: coverage: 5 of 5 operators, 90.9 % of the weights (80 of 88 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize --list-types | grep -i 'float8\|f8'
> f8-e4m3       float8 E4M3FN activations with one scale, float8 E4M3FN weights with a scale per channel
> f8-e5m2       float8 E5M2 activations with one scale, float8 E5M2 weights with a scale per channel
> wo-f8         float8 E4M3FN weights only, per channel
> fp8           the same as f8-e4m3
> float8        the same as f8-e4m3
> float8_e4m3fn the same as f8-e4m3
> float8e4m3fn  the same as f8-e4m3
> e4m3          the same as f8-e4m3
> float8_e5m2   the same as f8-e5m2
> float8e5m2    the same as f8-e5m2
> e5m2          the same as f8-e5m2

ONNX from opset 19 on; what is read is what was written.
$ quantize net.mlir --ranges r.json --type f8-e4m3 -o q.onnx && model-info q.onnx | sed -n '/^operators/,/^encodings/p'
> operators   Conv                                 1
>             DequantizeLinear                     7
>             Flatten                              1
>             MatMul                               1
>             MaxPool                              1
>             QuantizeLinear                       5
>             Relu                                 1
> parameters  40 (73 bytes)
> weights     float32                             11
>             float8e4m3fn                        29
> MACs        328
> encodings   float8e4m3fn                         5
! quantize: coverage: 5 of 5 operators, 90.9 % of the weights (80 of 88 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: onnxruntime needs session.disable_quant_qdq = 1 for this file: float8 activations, with graph optimizations no further than basic
$ model-convert q.onnx -f text -o - | sed 's/ *onnx_node_name = "[^"]*",*//' | grep -o 'f8E4M3FN.*\|quant.*' | sed -n 1,6p
> f8E4M3FN, qmin = 0, qmax = 0, scale = dense<0.002220561> : tensor<f32>}]}) -> (tensor<1x2xf32>) {
> f8E4M3FN, qmin = 0, qmax = 0, axis = 0, scale = dense<[0.002232143, 0.00055803574]> : tensor<2xf32>}], value = dense<"0x7E707EF6"> : tensor<2x2x1x1xf8E4M3FN>} : () -> tensor<2x2x1x1xf32>
> f8E4M3FN, qmin = 0, qmax = 0, axis = 1, scale = dense<[0.002232143, 0.0011160715]> : tensor<2xf32>}], value = dense<"0x7E7E6E6D7E7E6E6D7D7E6E6D7E7B6E6F"> : tensor<8x2xf8E4M3FN>} : () -> tensor<8x2xf32>
> f8E4M3FN, qmin = 0, qmax = 0, scale = dense<0.0051990054> : tensor<f32>}]} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
> f8E4M3FN, qmin = 0, qmax = 0, scale = dense<0.0051990054> : tensor<f32>}], strides = [2, 2]} : (tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32>
> f8E4M3FN, qmin = 0, qmax = 0, scale = dense<0.0051990054> : tensor<f32>}]} : (tensor<1x2x2x2xf32>) -> tensor<1x8xf32>
$ model-convert q.onnx -q -o from.qn --dump-encodings from.json && cmp from.json e.json
$ model-convert from.qn -q -o again.onnx && model-diff again.onnx q.onnx --random 1 --threshold 200 | sed -n '$p'
>     equal   1.000000            0      4.42618  y (output)
$ model-info again.onnx | sed -n '/^operators/,/^encodings/p' | cmp - <(model-info q.onnx | sed -n '/^operators/,/^encodings/p')
$ model-convert q.qn -q -o q.txt -f text && model-convert q.txt -q -o again.onnx && model-diff again.onnx q.onnx --random 1 | sed -n '$p'
>     equal   1.000000            0      4.42618  y (output)
$ model-diff q.qn q.onnx --random 1 --rows 3 --threshold 200
>   SQNR dB     cosine    max error    max |ref|  value
>     equal   1.000000            0     0.994811  x
>     equal   1.000000            0      2.30542  c
>     equal   1.000000            0      2.32915  r
>     equal   1.000000            0      2.32915  m
>     equal   1.000000            0      2.32915  f
>     equal   1.000000            0      4.76666  y (output)
$ quantize net.mlir --ranges r.json --type f8-e4m3 --opset 17 -o q17.onnx
! quantize: coverage: 5 of 5 operators, 90.9 % of the weights (80 of 88 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: value "x" is stored in float8e4m3fn, which needs opset 19
? 4
$ quantize net.mlir --type wo-f8 -o w.onnx && model-info w.onnx | sed -n '/^operators/,/^encodings/p'
> operators   Conv                                 1
>             DequantizeLinear                     2
>             Flatten                              1
>             MatMul                               1
>             MaxPool                              1
>             Relu                                 1
> parameters  30 (48 bytes)
> weights     float32                              6
>             float8e4m3fn                        24
> MACs        164
> encodings   float8e4m3fn per channel             2
! quantize: coverage: 2 of 5 operators, 90.9 % of the weights (80 of 88 bytes as float32) and 55.6 % of the multiply-accumulates are quantized
$ quantize net.mlir --type wo-f8 --block 4 --dump-encodings w.json -o w.onnx && grep -o '"axis":0,"block.*dtype":"[a-z0-9]*"' w.json
> "axis":0,"block_size":4,"name":"w","output_dtype":"float8e4m3fn"
! quantize: coverage: 2 of 5 operators, 90.9 % of the weights (80 of 88 bytes as float32) and 55.6 % of the multiply-accumulates are quantized

A run rounds numbers to the codes.
$ run q.onnx --random 1 | sed -n 1p
> mode     fake (numbers rounded to the codes), 2 threads, 1 sample, 1 run
$ run w.onnx --random 1 | sed -n 1p
> mode     float (numbers, weights from codes), 2 threads, 1 sample, 1 run
$ quantize net.mlir --ranges r.json --type i8 --set-op-type Conv=f8-e4m3 -q -o mixed.onnx && run mixed.onnx --random 1 --strict | sed -n 1p
> mode     int (codes, profile onnx), 2 threads, 1 sample, 1 run
$ model-info mixed.onnx | sed -n '/^encodings/,/^lineage/p'
> encodings   float8e4m3fn                         4
>             float8e4m3fn per channel             1
>             int8                                 2
>             int8 per channel                     1
> lineage     7ed667dd39a2115703dcc3724adfa201

What they have no form for is refused.
$ quantize net.mlir --ranges r.json --type f8-e4m3 -o q.tflite
! quantize: net.mlir: type f8-e4m3 has float8 codes, which no kernel of TFLite and Circle reads
? 4
$ quantize net.mlir --type wo-f8 -o q.circle
! quantize: net.mlir: type wo-f8 has float8 codes, which no kernel of TFLite and Circle reads
? 4
$ model-convert q.qn -o q.tflite
! model-convert: value "x": float8e4m3fn with a scale has no place in the file
? 4
$ codegen q.qn --plugin c -o q_c
! codegen: q.qn: 4 of 5 nodes cannot be generated as C
!   node "conv" (Conv): input 0 is float8e4m3fn scale 0.002220561
!   node "relu" (Relu): elements of type float8e4m3fn in C
!   node "pool" (MaxPool): elements of type float8e4m3fn in C
!   node "product" (MatMul): elements of type float8e4m3fn in C
? 4
$ quantize net.mlir --ranges r.json --type f8-e4m3 --method entropy -o no.qn
! quantize: net.mlir: value "c": method entropy counts on steps of one size, which float8e4m3fn has not
! hint: auto, min-max, moving-average, percentile, run-percentile, mse and sqnr go with it
? 2
$ quantize net.mlir --ranges r.json --type f8-e4m3 --act-sym no -o no.qn
! quantize: act_sym no does not go with type f8-e4m3: float8 has no zero point
? 2
$ quantize net.mlir --ranges r.json --type f8-e4m3 --weight-sym no -o no.qn
! quantize: weight_sym no does not go with type f8-e4m3: floats have no zero point
? 2
$ quantize net.mlir --ranges r.json --type f8-e4m3 --bias-bits 8 -o no.qn
! quantize: bias_bits does not go with type f8-e4m3: its biases stay float
? 2
$ quantize net.mlir --ranges r.json --type f8-e4m3 --algorithms adaround --random 1 -v -o no.qn
! quantize: warning: random inputs: a model that is fitted to them will not be accurate
! quantize: adaround: 0 of 2 layers changed
!   conv: its weight is stored as float8e4m3fn[axis 0, 2 scales]
!   product: its weight is stored as float8e4m3fn[axis 1, 2 scales]
! quantize: coverage: 5 of 5 operators, 90.9 % of the weights (80 of 88 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

Encodings of others.
$ quantize net.mlir --overrides e.json --type f8-e4m3 -q -o o.qn && cmp o.qn q.qn
$ quantize net.mlir --ranges r.json --type f8-e4m3 --encodings-version ort --dump-encodings ort.json -q -o q.qn && grep '"[kx]"' ort.json
> "k":[{"axis":0,"quant_type":"QFLOAT8E4M3FN","scale":0.002232143,"zero_point":0},{"axis":0,"quant_type":"QFLOAT8E4M3FN","scale":0.00055803574,"zero_point":0}],
> "x":[{"quant_type":"QFLOAT8E4M3FN","scale":0.002220561,"zero_point":0}],
$ quantize net.mlir --overrides ort.json --type f8-e4m3 -q -o o.qn && cmp o.qn q.qn
$ quantize net.mlir --ranges r.json --type f8-e4m3 --encodings-version 1.0.0 --dump-encodings no.json -q -o q.qn
! quantize: value "f": encodings 1.0.0 cannot say float8e4m3fn
! hint: --allow-missing-encodings leaves such values out of the file
? 4
$ echo '{"version":"2.0.0","encodings":[{"name":"x","output_dtype":"float8e4m3fn","y_scale":0.5,"y_zero_point":1}]}' > zero.json
$ quantize net.mlir --overrides zero.json --ranges r.json -o no.qn
! quantize: zero.json: encodings[0].y_zero_point: means zero point 1, need 0 to 0
? 3
$ echo '{"version":"2.0.0","encodings":[{"name":"x","output_dtype":"float8e5m2"},{"name":"k","output_dtype":"float8e4m3fn"}]}' > types.json
$ quantize net.mlir --overrides types.json --ranges r.json --dump-encodings some.json -q -o some.qn && grep '"[kx]"' some.json
> {"axis":0,"name":"k","output_dtype":"float8e4m3fn","y_scale":[0.002232143,0.00055803574]},
> {"name":"x","output_dtype":"float8e5m2","y_scale":1.7348133e-05},
$ model-diff --encodings e.json some.json
>          scale ratio zero point  value
>                    -          -  f: float8e4m3fn / int8 (type)
>                    -          -  m: float8e4m3fn / int8 (type)
>                    -          -  r: float8e4m3fn / int8 (type)
>                    -          -  w: float8e4m3fn 2 scales / int8 symmetric 2 scales (type)
>                    -          -  x: float8e4m3fn / float8e5m2 (type)
>                    -          -  y: float8e4m3fn / int8 (type)
> 1 equal, 6 different, 0 only in the first, 0 only in the second
? 1

Numbers of every size.
$ cat > odd.mlir <<'END'
+ func.func @odd(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
+   %w = "onnx.Constant"() {value = dense<[[0.0, 3e38, 1e-40, 1.0], [0.0, -1e38, 1e-42, 1e-6], [0.0, 1.0, 0.0, 448.0], [0.0, 1e-30, 0.0, 0.06]]> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
+   %y = "onnx.MatMul"(%x, %w) {onnx_node_name = "product"} : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
+   return %y : tensor<1x4xf32>
+ }
+ END
$ quantize odd.mlir --type wo-f8 --dump-encodings odd.json -o odd.onnx && cat odd.json
> {"encodings":[
> {"axis":1,"name":"w","output_dtype":"float8e4m3fn","y_scale":[6.6964285e+35,6.6964285e+35,6.6964285e+35,1]}
> ],
> "version":"2.0.0"}
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (64 of 64 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' > zeros.raw && minmax-collect odd.mlir --input x=zeros.raw -q -o zeros.json
$ quantize odd.mlir --ranges zeros.json --type f8-e5m2 --dump-encodings odd.json -q -o odd.qn && cat odd.json
> {"encodings":[
> {"axis":1,"name":"w","output_dtype":"float8e5m2","y_scale":[5.231585e+33,5.231585e+33,5.231585e+33,0.0078125]},
> {"name":"x","output_dtype":"float8e5m2","y_scale":1},
> {"name":"y","output_dtype":"float8e5m2","y_scale":1}
> ],
> "version":"2.0.0"}

What is in a file as nodes is read as encodings where they say the same: not where great numbers become NaN, and not beside a zero point, which ONNX does not define.
$ cat > pair.sh <<'END'
+ cat > pair.mlir <<EOF
+ func.func @pair(%x: tensor<4xf32>) -> tensor<4xf32> {
+   %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
+   %z = "onnx.Constant"() {value = dense<$2> : tensor<$1>} : () -> tensor<$1>
+   %q = "onnx.QuantizeLinear"(%x, %s, %z) {onnx_node_name = "q"$3} : (tensor<4xf32>, tensor<f32>, tensor<$1>) -> tensor<4x$1>
+   %d = "onnx.DequantizeLinear"(%q, %s, %z) {onnx_node_name = "d"} : (tensor<4x$1>, tensor<f32>, tensor<$1>) -> tensor<4xf32>
+   %y = "onnx.Neg"(%d) {onnx_node_name = "neg"} : (tensor<4xf32>) -> tensor<4xf32>
+   return %y : tensor<4xf32>
+ }
+ EOF
+ python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<4f", 0.53125, -1000, 1e-3, float("nan")))' > x.raw
+ model-info pair.mlir | sed -n "/^encodings/p"
+ run pair.mlir --input x=x.raw -q --output-dir out && python3 -c 'import struct; print(struct.unpack("<4f", open("out/Result_0/y.raw", "rb").read()))'
+ END
$ bash pair.sh f8E4M3FN 0.0
> encodings   float8e4m3fn                         1
> (-0.5, 224.0, -0.0009765625, nan)
$ bash pair.sh f8E4M3FN 0.0 ', saturate = 0'
> encodings   float8e4m3fn                         1
> (-0.5, nan, -0.0009765625, nan)
$ bash pair.sh f8E5M2 0.0 ', saturate = 0'
> encodings   float8e5m2                           1
> (-0.5, 1024.0, -0.0009765625, nan)
$ bash pair.sh f8E5M2 0.0
> encodings   float8e5m2                           1
> (-0.5, 1024.0, -0.0009765625, nan)
$ bash pair.sh f8E4M3FNUZ 0.0
> encodings   float8e4m3fnuz                       1
> (-0.5, 120.0, -0.0009765625, nan)
$ bash pair.sh f8E4M3FN 1.0
> (-0.5, 224.0, -0.0009765625, nan)
