Bits of biases and of what stays float, and scales of rows.
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x2x2x2xf32>) -> tensor<1x2xf32> {
+   %k = "onnx.Constant"() {value = dense<[[[[1.0]], [[0.5]]], [[[0.25]], [[-0.125]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
+   %b = "onnx.Constant"() {value = dense<[1.27, -0.5]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %w = "onnx.Constant"() {value = dense<[[1.0, 0.5], [0.25, 0.125], [1.0, 0.5], [0.25, 0.125], [1.0, 0.5], [0.25, 0.125], [1.0, 0.5], [0.25, 0.125]]> : tensor<8x2xf32>} : () -> tensor<8x2xf32>
+   %tiny = "onnx.Constant"() {value = dense<[1e-12, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %large = "onnx.Constant"() {value = dense<[1e5, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %fits = "onnx.Constant"() {value = dense<[0.1, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %c = "onnx.Conv"(%x, %k, %b) {onnx_node_name = "conv"} : (tensor<1x2x2x2xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32>
+   %f = "onnx.Flatten"(%c) {onnx_node_name = "flat"} : (tensor<1x2x2x2xf32>) -> tensor<1x8xf32>
+   %p = "onnx.MatMul"(%f, %w) {onnx_node_name = "product"} : (tensor<1x8xf32>, tensor<8x2xf32>) -> tensor<1x2xf32>
+   %1 = "onnx.Mul"(%p, %tiny) {onnx_node_name = "a"} : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
+   %2 = "onnx.Mul"(%1, %large) {onnx_node_name = "b"} : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
+   %y = "onnx.Mul"(%2, %fits) {onnx_node_name = "c"} : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
+   return %y : tensor<1x2xf32>
+ }
+ END
$ minmax-collect net.mlir --random 1 --rows 3 -q -o r.json
$ echo 'quantize net.mlir --ranges r.json --set-op-type Mul=none -q -o q.qn "$@" && model-info q.qn --encodings | grep -o "\"name.*" | sed "s/,\"y_scale.*//"' > q.sh
$ bash q.sh
> "name":"c","offset":[-57],"scale":[0.0129537955]},
> "name":"f","offset":[-57],"scale":[0.0129537955]},
> "name":"x","offset":[-130],"scale":[0.0075624287]}
> "name":"b","offset":[-2147483648,-2147483648],"scale":[7.562429e-05,1.8906072e-05]},
> "name":"k","offset":[-128,-128],"scale":[0.01,0.0025]},
> "name":"w","offset":[-128,-128],"scale":[0.01,0.005]}
$ bash q.sh --bias-bits 8 --per-row
> "name":"c","offset":[-57],"scale":[0.0129537955]},
> "name":"f","offset":[-57],"scale":[0.0129537955]},
> "name":"x","offset":[-130],"scale":[0.0075624287]}
> "name":"b","offset":[-128],"scale":[0.01]},
> "name":"k","offset":[-128],"scale":[0.009615385]},
> "name":"w","offset":[-128,-128],"scale":[0.01,0.005]}
$ bash q.sh --per-row --per-channel
> "name":"c","offset":[-57],"scale":[0.0129537955]},
> "name":"f","offset":[-57],"scale":[0.0129537955]},
> "name":"x","offset":[-130],"scale":[0.0075624287]}
> "name":"b","offset":[-2147483648,-2147483648],"scale":[7.562429e-05,1.8906072e-05]},
> "name":"k","offset":[-128,-128],"scale":[0.01,0.0025]},
> "name":"w","offset":[-128,-128],"scale":[0.01,0.005]}
$ bash q.sh --float-bits 16
> "name":"c","offset":[-57],"scale":[0.0129537955]},
> "name":"f","offset":[-57],"scale":[0.0129537955]},
> "name":"x","offset":[-130],"scale":[0.0075624287]}
> "name":"b","offset":[-2147483648,-2147483648],"scale":[7.562429e-05,1.8906072e-05]},
> "name":"fits"},
> "name":"k","offset":[-128,-128],"scale":[0.01,0.0025]},
> "name":"w","offset":[-128,-128],"scale":[0.01,0.005]}
$ bash q.sh --set-op-type Conv=w8a16,bias_bits=8,per_channel=no
> "name":"c","offset":[-32768],"scale":[0.00015618761]},
> "name":"f","offset":[-32768],"scale":[0.00015618761]},
> "name":"x","offset":[-32768],"scale":[6.0114486e-05]}
> "name":"b","offset":[-128],"scale":[0.01]},
> "name":"k","offset":[-128],"scale":[0.009615385]},
> "name":"w","offset":[-128,-128],"scale":[0.01,0.005]}
! model-info: encodings name a value once, not the second ones of 1 value, which is left out: f
$ quantize net.mlir --ranges r.json --bias-bits 8 -o q.tflite
! quantize: net.mlir: type i8 has biases of 8 bits, by the rules of tflite they are int32
? 4
$ quantize net.mlir --ranges r.json --type u8-asym --bias-bits 8 -o q.circle
! quantize: net.mlir: type u8-asym has biases of 8 bits, by the rules of one they are int32
? 4
$ quantize net.mlir --ranges r.json --set-op-type Conv=i8,bias_bits=8 -o q.tflite
! quantize: net.mlir: type i8 has biases of 8 bits, by the rules of tflite they are int32
? 4
$ quantize net.mlir --type wo-i8 --bias-bits 8 -o q.qn
! quantize: bias_bits does not go with type wo-i8: its biases stay float
? 2
$ quantize net.mlir --per-row --per-tensor -o q.qn
! quantize: --per-row and --per-tensor contradict each other
? 2

Types mixed layer by layer, by rules: each weight is what its rule says.
$ quantize net.mlir --ranges r.json --set-op-type Mul=none --set-op-type Conv=w8a16,bias_bits=8,per_channel=no --set-node-name product=wo-u2,block=4,float_bits=16 -q -o q.qn && model-info q.qn | sed -n '/^weights/,/^lineage/p'
> weights     float32                              6
>             int8                                 6
>             uint2                               16
> MACs        38
> encodings   int16                                3
>             int8                                 2
>             uint2 in blocks                      1
> lineage     5108caa229ca9007da0dd961f70bfe92

Two-level scales: integers of blocks times the scale of their channel, in files of encodings as both, in a model as products.
$ quantize net.mlir --type wo-i4 --two-level --block 2 --set-op-type MatMul=wo-i4,block=2,two_level=yes,weight_method=min-max --dump-encodings e.json -q -o q.qn && grep -o '"axis.*"w".*' e.json && model-info q.qn --text | grep -o 'block = 2, scale = [^:]*'
> "axis":0,"block_size":2,"name":"w","output_dtype":"int4","per_block_int_scale":[[16,16],[16,16],[16,16],[16,16]],"per_channel_float_scale":[[0.008928582,0.004464291]]}
> block = 2, scale = dense<[[0.14285731, 0.07142866], [0.14285731, 0.07142866], [0.14285731, 0.07142866], [0.14285731, 0.07142866]]> 
$ model-info q.qn --encodings=1.0.0 -o old.json && grep -o '"block.*"w".*' old.json
> "block_size":2,"bw":8,"compressed_bw":4,"dtype":"INT","enc_type":"LPBQ","is_sym":true,"name":"w","offset":[-128,-128],"per_block_int_scale":[16,16,16,16,16,16,16,16],"scale":[0.008928582,0.004464291]}
$ for e in e.json old.json; do quantize net.mlir --type wo-i4 --block 2 --overrides $e -q -o back.qn; model-info back.qn --encodings=2.0.0 -o back.json; cmp back.json e.json && echo same; done
> same
> same
$ quantize net.mlir --type wo-i4 --two-level -o q.tflite
! quantize: net.mlir: type wo-i4 has two-level scales of blocks, TFLite and Circle have none
? 4
$ quantize net.mlir --type w4a8 --ranges r.json --two-level -o q.qn
! quantize: two_level does not go with type w4a8: it needs symmetric int4 weights in blocks
? 2

Weights of 2 bits keep little of any net: that is said from the weights alone, as no samples are run for them.
$ for type in wo-i2 wo-u2 wo-i4; do quantize $EXAMPLES/digits/digits.onnx --type $type -o few.qn; done
! quantize: weight "conv2.weight" keeps only 8.24 dB in int2, the worst of 3: check shows what that costs the outputs
! quantize: coverage: 3 of 7 operators, 99.4 % of the weights (38 of 38 KB as float32) and 97.2 % of the multiply-accumulates are quantized
! quantize: weight "conv2.weight" keeps only 8.66 dB in uint2, the worst of 3: check shows what that costs the outputs
! quantize: coverage: 3 of 7 operators, 99.4 % of the weights (38 of 38 KB as float32) and 97.2 % of the multiply-accumulates are quantized
! quantize: coverage: 3 of 7 operators, 99.4 % of the weights (38 of 38 KB as float32) and 97.2 % of the multiply-accumulates are quantized
