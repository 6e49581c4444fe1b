ONE's types in Circle, and TensorFlow Lite's rules in TFLite, from one float model: what a file says is what the quantizer decided.
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
> int8_wo
> outputs     labels_softmax  float32[1,4]
> int16_wo
> outputs     labels_softmax  float32[1,4]
! minmax-collect: WARNING: ranges of RANDOM inputs: expect no accuracy of what is quantized by them

The uint8 Softmax of ONE is 1/255, that of TFLite 1/256; TFLite's products have one scale.
$ quantize $MODELS/circle/speech_recognition_float32.circle --ranges r.json --type uint8 -o u.tflite && model-info u.tflite | grep '^outputs\|per channel'
> outputs     labels_softmax  float32[1,4]  uint8 scale 0.00390625
$ quantize $MODELS/circle/speech_recognition_float32.circle --ranges r.json --type i8 -o i.tflite && model-info i.tflite | grep '^outputs\|per channel'
> outputs     labels_softmax  float32[1,4]  int8 scale 0.00390625 zero -128
>             int32 per channel                    1
>             int8 per channel                     1
$ quantize $MODELS/circle/speech_recognition_float32.circle --ranges r.json --type w8a16 -o w.tflite && model-info w.tflite | grep '^outputs\|int64'
> outputs     labels_softmax  float32[1,4]  int16 scale 3.0517578e-05
> weights     int64                               18
>             int64                                1
>             int64 per channel                    1
