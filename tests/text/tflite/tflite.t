TFLite and Circle as their users meet them. The models are public ones.
needs: models

$ model-info $MODELS/tflite/hello_world_int8.tflite
> graph       main
> inputs      serving_default_dense_input:0  float32[batch,1]  int8 scale 0.024480116 zero -128
> outputs     StatefulPartitionedCall:0  float32[batch,1]  int8 scale 0.008290957 zero 5
> nodes       5
> operators   Gemm                                 3
>             Relu                                 2
> parameters  321 (420 bytes)
> weights     int32                               33
>             int8                               288
> MACs        unknown: shapes are not fixed (model-convert --shape fixes them)
> encodings   int32                                3
>             int8                                 7
> metadata    profile = tflite
> metadata    tflite.description = MLIR Converted.
> metadata    tflite.metadata.CONVERSION_METADATA = hex:0c00000008000e00080004000800000010000000280000000000060008000400060000000400000001000000eb03000000000a0010000c00080004000a00000002000000020000000400000006000000322e31312e300000
> metadata    tflite.metadata.min_runtime_version = 1.14.0
> metadata    tflite.signature.serving_default = {\"inputs\": {\"dense_input\": \"serving_default_dense_input:0\"}, \"outputs\": {\"dense_2\": \"StatefulPartitionedCall:0\"}, \"subgraph\": 0}
> metadata    tflite.version = 3
> lineage     5650023ce2f57da699cfd762e4ec461a

ONNX is channels-first: one Transpose at the input, one in front of the flattening.

$ model-convert $MODELS/tflite/vww01_mobilenetv1_025_float32.tflite -o a.onnx && model-info a.onnx | grep Transpose
>             Transpose                            1
$ model-convert $MODELS/circle/speech_recognition_float32.circle -f text -o - | grep -c layout
> 1
$ model-convert $MODELS/circle/one_conv2d.circle -o x.tflite && model-convert x.tflite -o y.circle && run $MODELS/circle/one_conv2d.circle --random 1 -q -o a && run y.circle --random 1 -q -o b && diff -r a b && echo same
> same
$ model-convert $MODELS/tflite/hello_world_int8.tflite --io float -o f.tflite && model-info f.tflite | grep -E '^(in|out)puts'
> inputs      serving_default_dense_input:0  float32[batch,1]
> outputs     StatefulPartitionedCall:0  float32[batch,1]
$ model-convert $MODELS/tflite/hello_world_int8.tflite --io int16 -o g.tflite && model-info g.tflite | grep -E '^(in|out)puts'
> inputs      serving_default_dense_input:0  float32[batch,1]  int16 scale [...]
> outputs     StatefulPartitionedCall:0  float32[batch,1]  int16 scale [...]
$ model-convert $MODELS/tflite/hello_world_float32.tflite --io int8 -o h.tflite; ls h.tflite
! model-convert: "serving_default_dense_input:0" has no encoding: it stays float
! hint: --input-type float32
! ls: cannot access 'h.tflite': No such file or directory
? 2
$ model-convert $MODELS/tflite/hello_world_int8.tflite --io float -o f.qn
! model-convert: --io, --input-type and --output-type are for ONNX, TFLite and Circle outputs, not for native
? 2
$ head -c 1000 $MODELS/circle/speech_recognition_float32.circle > cut.circle; model-info cut.circle
! model-info: cut.circle: is not a valid FlatBuffer of Circle
? 3
$ model-convert $MODELS/tflite/mnist_lstm_float32.tflite -o l.onnx
! model-convert: node "tfl.unidirectional_sequence_lstm/LSTM" (LSTM) bounds its cell state, which ONNX cannot say
? 4

int16 weights are for Circle.
$ minmax-collect $MODELS/tflite/hello_world_float32.tflite --random 1 --rows 4 -o h.json && quantize $MODELS/tflite/hello_world_float32.tflite --ranges h.json --type i16-sym -o h.circle && quantize $MODELS/tflite/hello_world_float32.tflite --ranges h.json --type i16-sym -o h.tflite
! minmax-collect: warning: ranges come from random inputs: a model that is quantized with them will not be accurate
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (1284 of 1284 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: 3 operators are written as asked, which onert has no kernel for: operator "sequential/dense/MatMul;sequential/dense/Relu;sequential/dense/BiasAdd" (FULLY_CONNECTED): form is int16 int16[c] int64 -> int16; operator "sequential/dense_1/MatMul;sequential/dense_1/Relu;sequential/dense_1/BiasAdd" (FULLY_CONNECTED): form is int16 int16[c] int64 -> int16; operator "StatefulPartitionedCall:0" (FULLY_CONNECTED): form is int16 int64 -> int16
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (1284 of 1284 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: node "sequential/dense/MatMul;sequential/dense/Relu;sequential/dense/BiasAdd/Gemm" (Gemm): its weights are int16, which no reader of TFLite takes
! hint: --type w8a16 has int8 weights
? 4
$ quantize $MODELS/tflite/hello_world_float32.tflite --ranges h.json --type w8a16 -o h.tflite && run h.tflite --mode int --random 1 -o o && echo ran
> ran
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (1284 of 1284 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

A signature names a graph.
$ model-info $MODELS/tflite/hello_world_int8.tflite --signature serving_default | grep signature
> metadata    tflite.signature.serving_default = {\"inputs\": {\"dense_input\": \"serving_default_dense_input:0\"}, \"outputs\": {\"dense_2\": \"StatefulPartitionedCall:0\"}, \"subgraph\": 0}
$ model-info $MODELS/tflite/hello_world_int8.tflite --signature serving
! model-info: [...]: --signature: the file has no "serving"[...]
! hint: it has serving_default
? 2
$ model-info $EXAMPLES/digits/digits.onnx --signature x
! model-info: [...]: --signature is for TFLite, Circle and .pt2 files and SavedModels, not for onnx
? 2

Tensors of a subgraph have names of their own, also those that only the file has.
$ cat >regroup.mlir <<'END'
+ func.func @main(%x: tensor<1x8x?x3xf32>) -> tensor<1x2x?x6xf32> {
+   %y = "onnx.DepthToSpace"(%x) {blocksize = 2 : si64, mode = "DCR", onnx_node_name = "y"} : (tensor<1x8x?x3xf32>) -> tensor<1x2x?x6xf32>
+   return %y : tensor<1x2x?x6xf32>
+ }
+ END
$ model-convert regroup.mlir -o regroup.tflite && grep -ao 'y/[a-z_/]*order[_0-9]*' regroup.tflite | sort
> y/channels_last/order
> y/order
