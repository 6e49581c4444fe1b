ONE's types in Circle, and TensorFlow Lite's rules in TFLite, from one float model: what a file says is what the quantizer decided. (By int8_wo
a Circle file has one scale for the weights of a product, as onert's kernel takes it, and a native one a scale for each channel.)
needs: models
$ M=$MODELS/circle/speech_recognition_float32.circle
+ minmax-collect $M --random 3 --rows 12 -o r.json
+ for type in uint8 int16 int8_wo int16_wo; do
+   quantize $M --ranges r.json --type $type -o $type.qn && quantize $M --ranges r.json --type $type -o $type.circle
+   model-diff $type.qn $type.circle --random 9 --outputs-only --threshold 100 >/dev/null && echo $type; model-info $type.circle | grep ^outputs
+ done
> uint8
> outputs     labels_softmax  float32[1,4]  uint8 scale 0.003921569
> int16
> outputs     labels_softmax  float32[1,4]  int16 scale 3.051851e-05
> outputs     labels_softmax  float32[1,4]
> int16_wo
> outputs     labels_softmax  float32[1,4]
! minmax-collect: warning: ranges come from random inputs: a model that is quantized with them will not be accurate
! quantize: coverage: 6 of 6 operators, 100.0 % of the weights (65 of 65 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 6 of 6 operators, 100.0 % of the weights (65 of 65 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 6 of 6 operators, 100.0 % of the weights (65 of 65 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 6 of 6 operators, 100.0 % of the weights (65 of 65 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: 5 operators are written as asked, which onert has no kernel for: operator "Reshape_2" (RESHAPE): form is int16; operator "Relu;add;Conv2D;first_bias" (CONV_2D): form is int16 int16[c] int64 -> int16; operator "Reshape_3" (RESHAPE): form is int16; ...
! quantize: coverage: 2 of 6 operators, 99.9 % of the weights (65 of 65 KB as float32) and 98.8 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 6 operators, 99.9 % of the weights (65 of 65 KB as float32) and 98.8 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 6 operators, 99.9 % of the weights (65 of 65 KB as float32) and 98.8 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 6 operators, 99.9 % of the weights (65 of 65 KB as float32) and 98.8 % of the multiply-accumulates are quantized
! quantize: 2 operators are written as asked, which onert has no kernel for: operator "Conv2D/real" (DEQUANTIZE): form is int16[c] -> float32; operator "MatMul/real" (DEQUANTIZE): form is int16[c] -> float32

The uint8 Softmax of ONE is 1/255, that of TFLite 1/256; TFLite's products have one scale.
$ quantize $MODELS/circle/speech_recognition_float32.circle --ranges r.json --type uint8 -o u.tflite && model-info u.tflite | grep '^outputs\|per channel'
> outputs     labels_softmax  float32[1,4]  uint8 scale 0.00390625
! quantize: coverage: 6 of 6 operators, 100.0 % of the weights (65 of 65 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize $MODELS/circle/speech_recognition_float32.circle --ranges r.json --type i8 -o i.tflite && model-info i.tflite | grep '^outputs\|per channel'
> outputs     labels_softmax  float32[1,4]  int8 scale 0.00390625 zero -128
>             int32 per channel                    1
>             int8 per channel                     1
! quantize: coverage: 6 of 6 operators, 100.0 % of the weights (65 of 65 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize $MODELS/circle/speech_recognition_float32.circle --ranges r.json --type w8a16 -o w.tflite && model-info w.tflite | grep '^outputs\|int64'
> outputs     labels_softmax  float32[1,4]  int16 scale 3.0517578e-05
> weights     int64                               18
>             int64                                1
>             int64 per channel                    1
! quantize: coverage: 6 of 6 operators, 100.0 % of the weights (65 of 65 KB as float32) and 100.0 % of the multiply-accumulates are quantized
