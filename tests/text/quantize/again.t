A model that is quantized already is not quantized a second time, by whatever type: its file stays as it is.
$ cp "$NETS/gemm_relu.mlir" net.mlir; cp "$NETS/gemm_relu.json" ranges.json
$ for to in onnx tflite qn; do quantize net.mlir --ranges ranges.json -o a.$to && quantize a.$to --ranges ranges.json --force --type w8a16 -o b.$to && cmp a.$to b.$to; done
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: --type w8a16 found nothing to quantize: the model is quantized already, and its file stays as it is
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: --type w8a16 found nothing to quantize: the model is quantized already, and its file stays as it is
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: --type w8a16 found nothing to quantize: the model is quantized already, and its file stays as it is
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize a.onnx --type wo-i4 -o b.onnx && cmp a.onnx b.onnx
! quantize: --type wo-i4 found nothing to quantize: the model is quantized already, and its file stays as it is
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

Another format, or what an option asks for, is another file of the same encodings.
$ quantize a.onnx -o b.tflite && run b.tflite --random 1 -q -o out
! quantize: --type i8 found nothing to quantize: the model is quantized already, and its encodings stay as they are
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize a.onnx --opset 21 -o b.onnx && model-diff --encodings a.onnx b.onnx
> 4 equal, 0 different, 0 only in the first, 0 only in the second
! quantize: --type i8 found nothing to quantize: the model is quantized already, and its encodings stay as they are
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

Weights that are stored as float16 are numbers: they are quantized.
$ model-convert net.mlir -o net.tflite && quantize net.tflite --type f16 -o half.tflite && quantize half.tflite --type f16 -o again.tflite && cmp half.tflite again.tflite
! quantize: coverage: 1 of 2 operators, 66.7 % of the weights (16 of 24 bytes as float32) and 66.7 % of the multiply-accumulates are quantized
! quantize: --type f16 found nothing to quantize
! quantize: coverage: 1 of 2 operators, 66.7 % of the weights (16 of 24 bytes as float32) and 66.7 % of the multiply-accumulates are quantized
$ quantize half.tflite --type wo-i8 -o b.tflite && model-info b.tflite | grep "int8"
>             int8                                 4
> encodings   int8 per channel                     1
! quantize: coverage: 1 of 2 operators, 66.7 % of the weights (16 of 24 bytes as float32) and 66.7 % of the multiply-accumulates are quantized
