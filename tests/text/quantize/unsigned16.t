Activations of unsigned 16-bit codes: the zero point is that of uint8 times 257, and the lowest code behind a Relu.
$ cp "$NETS/gemm_relu.mlir" net.mlir; cp "$NETS/gemm_relu.json" ranges.json
$ for type in u8i8 w8u16; do quantize net.mlir --ranges ranges.json --method min-max --type $type -o $type.qn --dump-encodings $type.json --encodings-version 2.0.0 && grep '"[bwxy]"' $type.json; done
> {"axis":0,"name":"b","output_dtype":"int32","y_scale":[0.0001,0.0002]},
> {"axis":1,"name":"w","output_dtype":"int8","y_scale":[0.01,0.02]},
> {"name":"x","output_dtype":"uint8","y_scale":0.01,"y_zero_point":100},
> {"name":"y","output_dtype":"uint8","y_scale":0.02}
> {"axis":0,"name":"b","output_dtype":"int32","y_scale":[3.8910503e-07,7.7821005e-07]},
> {"axis":1,"name":"w","output_dtype":"int8","y_scale":[0.01,0.02]},
> {"name":"x","output_dtype":"uint16","y_scale":3.8910504e-05,"y_zero_point":25700},
> {"name":"y","output_dtype":"uint16","y_scale":7.782101e-05}
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
Where 16 bits are asked of an unsigned type, and 8 of this one.
$ q() { quantize net.mlir --ranges ranges.json --method min-max -o q.qn "$@" && model-info q.qn --encodings=2.0.0 | grep '"[x]"'; }; q --type u8i8 --act-bits 16; q --type w8u16 --act-bits 8; q --type w8u16 --act-sym yes; q --type i8 --act-bits 16; q --type i8 --set-op-type Gemm=w8u16; q --type u16i8
> {"name":"x","output_dtype":"uint16","y_scale":3.8910504e-05,"y_zero_point":25700},
> {"name":"x","output_dtype":"uint8","y_scale":0.01,"y_zero_point":100},
> {"name":"x","output_dtype":"uint16","y_scale":4.7302965e-05,"y_zero_point":32768},
> {"name":"x","output_dtype":"int16","y_scale":4.730369e-05},
> {"name":"x","output_dtype":"uint16","y_scale":3.8910504e-05,"y_zero_point":25700},
> {"name":"x","output_dtype":"uint16","y_scale":3.8910504e-05,"y_zero_point":25700},
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: type u16i8 stands for w8u16
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
The codes are those of the float run, in every file that has them.
$ for way in q.qn q.onnx "q13.onnx --opset 13" "q21.onnx --opset 21"; do quantize net.mlir --ranges ranges.json --type w8u16 -o $way && model-diff w8u16.qn ${way%% *} --random 3 | tail -1 && model-diff --encodings w8u16.qn ${way%% *}; done
>     equal   1.000000            0      1.55191  y (output)
> 4 equal, 0 different, 0 only in the first, 0 only in the second
>     equal   1.000000            0      1.55191  y (output)
> 4 equal, 0 different, 0 only in the first, 0 only in the second
>     equal   1.000000            0      1.55191  y (output)
> 4 equal, 0 different, 0 only in the first, 0 only in the second
>     equal   1.000000            0      1.55191  y (output)
> 4 equal, 0 different, 0 only in the first, 0 only in the second
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
TFLite and Circle have none.
$ quantize net.mlir --ranges ranges.json --type w8u16 -o q.tflite
! quantize: net.mlir: type w8u16 has uint16 activations, which no kernel of TFLite and Circle reads
! hint: --type w8a16 has int16 activations
? 4
$ quantize net.mlir --ranges ranges.json --type w4u16 -o q.circle
! quantize: net.mlir: type w4u16 has uint16 activations, which no kernel of TFLite and Circle reads
! hint: --type w8a16 has int16 activations
? 4
$ quantize net.mlir --ranges ranges.json --set-op-type Gemm=w8u16 -o q.tflite
! quantize: net.mlir: type w8u16 has uint16 activations, which no kernel of TFLite and Circle reads
! hint: --type w8a16 has int16 activations
? 4
$ model-convert w8u16.qn -o q.tflite
! model-convert: operator "y" (FULLY_CONNECTED): there is no kernel that makes real numbers of UINT16
? 4
$ model-convert w8u16.qn -o q.circle
! model-convert: operator "y" (FULLY_CONNECTED): there is no kernel that makes real numbers of UINT16
? 4
$ ls
> net.mlir
> q.onnx
> q.qn
> q13.onnx
> q21.onnx
> ranges.json
> u8i8.json
> u8i8.qn
> w8u16.json
> w8u16.qn
