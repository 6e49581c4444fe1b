How inputs and outputs are stored apart: what a camera gives is uint8, what the application reads is float32.
$ minmax-collect $NETS/gemm_relu.mlir --random 1 --rows 4 -q -o r.json
$ for f in tflite circle onnx; do quantize $NETS/gemm_relu.mlir --ranges r.json --type i8 --input-type uint8 --output-type float32 -q -o q.$f && model-info q.$f | grep -E '^(in|out)puts'; done
> inputs      x  float32[2,2]  uint8 scale 0.0075624287 zero 130
> outputs     y  float32[2,2]
> inputs      x  float32[2,2]  uint8 scale 0.0075624287 zero 130
> outputs     y  float32[2,2]
> inputs      x  uint8[2,2]
> outputs     y  float32[2,2]
$ for f in tflite onnx; do quantize $NETS/gemm_relu.mlir --ranges r.json --type i8 --output-type int8 -q -o o.$f && model-info o.$f | grep -E '^(in|out)puts'; done
> inputs      x  float32[2,2]  int8 scale 0.0075624287 zero 2
> outputs     y  float32[2,2]  int8 scale 0.0076590725 zero -128
> inputs      x  float32[2,2]
> outputs     y  int8[2,2]
$ quantize $NETS/gemm_relu.mlir --ranges r.json --type i8 --io int8 -q -o both.onnx && model-info both.onnx | grep -E '^(in|out)puts'
> inputs      x  int8[2,2]
> outputs     y  int8[2,2]

Converted, it is the other way round, and back: what nobody asks about stays.
$ model-convert both.onnx --output-type float32 -o half.onnx && model-info half.onnx | grep -E '^(in|out)puts'
> inputs      x  int8[2,2]
> outputs     y  float32[2,2]
$ model-convert both.onnx --io float -o float.onnx && model-info float.onnx | grep -E '^(in|out)puts'
> inputs      x  float32[2,2]
> outputs     y  float32[2,2]
$ model-convert both.onnx -o as.tflite && model-info as.tflite | grep -E '^(in|out)puts'
> inputs      x  float32[2,2]  int8 scale 0.0075624287 zero 2
> outputs     y  float32[2,2]  int8 scale 0.0076590725 zero -128

--io sets both; what contradicts it is a mistake.
$ quantize $NETS/gemm_relu.mlir --ranges r.json --type i8 --io int8 --input-type int8 --output-type uint8 -o x.tflite
! quantize: --io int8 and --output-type uint8 contradict each other
? 2
$ quantize $NETS/gemm_relu.mlir --ranges r.json --type i8 --io float --output-type float32 -q -o x.tflite
$ quantize $NETS/gemm_relu.mlir --ranges r.json --type i8 --input-type int8 -o x.qn
! quantize: --io, --input-type and --output-type are for ONNX, TFLite and Circle outputs, not for native
? 2
$ model-convert $NETS/gemm_relu.mlir --input-type int8 -o x.tflite
! model-convert: "x" has no encoding: it stays float
! hint: --input-type float32
? 4
$ codegen both.onnx -p tflite --option io=int8 --option output-type=uint8 -o x.tflite
! codegen: both.onnx: option io int8 and option output-type uint8 contradict each other
? 2
$ codegen both.onnx -p tflite --option io=bogus -o x.tflite
! codegen: both.onnx: option io is bogus, need float32, int8, uint8 or int16
? 2
$ codegen both.onnx -p tflite --option output-type=uint8 -q -o x.tflite && model-info x.tflite | grep -E '^(in|out)puts'
> inputs      x  float32[2,2]  int8 scale 0.0075624287 zero 2
> outputs     y  float32[2,2]  uint8 scale 0.0076590725
