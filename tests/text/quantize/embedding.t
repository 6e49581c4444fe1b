needs: models
A net that is an embedding table for 99.5 % of its bytes: what each type leaves of them, and that what it computes is near.
$ cp $MODELS/field/quantizer/embedding.onnx m.onnx && stat -c %s m.onnx && minmax-collect -q m.onnx --random 8 -o r.json
> 643573
$ for type in wo-i8 wo-u8 dynamic-i8 i8 i8-sym u8i8 w8a16 w8u16; do quantize -q m.onnx --ranges r.json --force --type $type -o q.onnx && model-diff m.onnx q.onnx --random 3 --outputs-only --threshold 20 > diff.txt && echo $type $(stat -c %s q.onnx); done
> wo-i8 183451
> wo-u8 188573
> dynamic-i8 183767
> i8 183941
> i8-sym 183941
> u8i8 183941
> w8a16 184144
> w8u16 184144
$ for type in wo-i4 wo-u4 w4a8 w4a16; do quantize -q m.onnx --ranges r.json --force --type $type -o q.onnx && model-diff m.onnx q.onnx --random 3 --outputs-only --threshold 15 > diff.txt && echo $type $(stat -c %s q.onnx); done
> wo-i4 103255
> wo-u4 105796
> w4a8 103681
> w4a16 103706
$ quantize -q m.onnx --type wo-i2 -o q.onnx && stat -c %s q.onnx
> 64433

What stays float is said, by types that follow ONE's rules too, whose runtime looks up no codes.
$ for type in wo-i8 dynamic-i8 i8 w8a16 u8-asym wo-i8-sym; do echo $type && quantize m.onnx --ranges r.json --force --type $type -v -o q.onnx 2>&1; done
> wo-i8
> quantize: coverage: 2 of 4 operators, 99.6 % of the weights (626 of 628 KB as float32) and 80.0 % of the multiply-accumulates are quantized
> quantize: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 1 product of float activations, which it computes in 8 bits else
> dynamic-i8
> quantize: coverage: 2 of 4 operators, 99.6 % of the weights (626 of 628 KB as float32) and 80.0 % of the multiply-accumulates are quantized
> i8
> quantize: 2 of 4 operators stay float: 99.6 % of the weights (626 of 628 KB as float32) and 80.0 % of the multiply-accumulates are quantized
>   add (Add): only operators that stay float read its result
>   ln (LayerNormalization): operator LayerNormalization is sensitive: quantized only if a rule names it
> quantize: 1 of 4 operators computes in float on weights that are codes: 99.5 % of the weights and 0.0 % of the multiply-accumulates
>   emb (Gather): computes in float on weights that are codes: steps of one grid for its table would be 1.89 times those of what is looked up
> w8a16
> quantize: 2 of 4 operators stay float: 99.6 % of the weights (626 of 628 KB as float32) and 80.0 % of the multiply-accumulates are quantized
>   add (Add): only operators that stay float read its result
>   ln (LayerNormalization): operator LayerNormalization is sensitive: quantized only if a rule names it
> quantize: 1 of 4 operators computes in float on weights that are codes: 99.5 % of the weights and 0.0 % of the multiply-accumulates
>   emb (Gather): computes in float on weights that are codes: its table has the type of weights
> u8-asym
> quantize: 3 of 4 operators stay float: 0.2 % of the weights (1 of 628 KB as float32) and 80.0 % of the multiply-accumulates are quantized
>   emb (Gather): only moves numbers, among operators that stay float; 99.5 % of the weights
>   add (Add): only operators that stay float read its result
>   ln (LayerNormalization): operator LayerNormalization is sensitive: quantized only if a rule names it
> wo-i8-sym
> quantize: 1 of 2 operators with weights stay float: 0.2 % of the weights (1 of 628 KB as float32) and 80.0 % of the multiply-accumulates are quantized
>   emb (Gather): its weights stay float by Samsung/ONE's rules; 99.5 % of the weights
> quantize: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 1 product of float activations, which it computes in 8 bits else

Rules that name the lookup.
$ quantize -q m.onnx --type wo-i8 --set-op-type Gather=wo-i8 -o q.onnx && stat -c %s q.onnx
> 183451
$ quantize -q m.onnx --ranges r.json --type i8 --set-op-type Gather=i8 -o q.onnx && stat -c %s q.onnx
> 164004
$ quantize -q m.onnx --type wo-i8 --set-op-type Gather=none -o q.onnx && stat -c %s q.onnx
> 643211
$ quantize m.onnx --type wo-i8-sym --set-op-type Gather=wo-i8-sym -o q.onnx 2>&1 | grep rule
> quantize: the rule of op type Gather changes nothing: node "emb" (Gather): its weights stay float by Samsung/ONE's rules
$ quantize m.onnx --type wo-i8 --set-op-type Add=wo-i8 -o q.onnx 2>&1 | grep rule
> quantize: the rule of op type Add changes nothing: node "add" (Add): has no weight that this type quantizes

TFLite looks rows of codes up; a scale for each row, with the zero point that the format wants beside it, is 12 bytes.
$ for type in wo-i8 wo-i8-sym dynamic-i8 i8 w8a16; do quantize -q m.onnx --ranges r.json --force --type $type -o q.tflite && model-diff m.onnx q.tflite --random 3 --outputs-only --threshold 20 > diff.txt && echo $type $(stat -c %s q.tflite); done
> wo-i8 225792
> wo-i8-sym 225712
> dynamic-i8 225600
> i8 164064
> w8a16 225872
$ for type in wo-i4 w4a8; do quantize -q m.onnx --ranges r.json --force --type $type -o q.tflite && model-diff m.onnx q.tflite --random 3 --outputs-only --threshold 15 > diff.txt && echo $type $(stat -c %s q.tflite); done
> wo-i4 145664
> w4a8 163936
$ quantize m.onnx --ranges r.json --type u8-asym -o q.tflite && quantize m.onnx --type wo-i4 -v -o q.circle
! quantize: 3 of 4 operators stay float: 0.2 % of the weights (1 of 628 KB as float32) and 80.0 % of the multiply-accumulates are quantized; see -v or --report for which and why
! quantize: 1 of 2 operators with weights stay float: 0.2 % of the weights (1 of 628 KB as float32) and 80.0 % of the multiply-accumulates are quantized
!   emb (Gather): onert, which reads Circle, looks up no codes as numbers; 99.5 % of the weights
! quantize: 1 operator is computed by onert from data that it rounds to codes of 8 bits, as their weights are in blocks: operator "y/product" (FULLY_CONNECTED)

Units that are to take fewer bytes get codes of 4 bits for their tables, too; in TFLite 4 bits go with 8.
$ quantize -q m.onnx --ranges r.json --type w8a16 --set-op-type Gather=w4a16 -o q.onnx && stat -c %s q.onnx
> 103815
$ minmax-collect -q m.onnx --random 1 --rows 20 -o s.json; for to in onnx tflite; do quantize m.onnx --ranges s.json --type w8a16 --random 1 --rows 20 --max-bytes 180000 -o q.$to 2>&1 | grep changed; done
> quantize: 2 units changed (2 w4a16): [...] dB, 105100 bytes of constants, [...]
> quantize: 1 unit changed (1 w4a8): [...] dB, 162610 bytes of constants, [...]
